"""Each finding is raised by the fault it names, at the place it names, and by nothing else."""

from __future__ import annotations

import pytest

from tests.small_designs import catalog as small_catalog
from toposmith.analysis.analyse import analyse
from toposmith.analysis.result import Analysis
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding

CATALOG = load_catalog()


def analysed(text: str, catalog: Catalog = CATALOG) -> Analysis:
    plan = plan_design(parse_design("toposmith: 1\n" + text, "test"), catalog)
    return analyse(plan, catalog)


def findings(text: str) -> dict[str, Finding]:
    """By code; of several the first."""
    return {finding.code: finding for finding in reversed(analysed(text).findings)}


def wired(node: str, leaf: str, link: str = "") -> str:
    return (
        f"groups:\n  node: {{{node}}}\n  leaf: {{{leaf}}}\n"
        f"links: [{{between: [node, leaf]{link}}}]\n"
    )


def hgx(nic: str = "connectx-7-ndr", count: int = 8, nodes: int = 2) -> str:
    return f"part: hgx-h100-8, count: {nodes}, nics: {{compute: {{part: {nic}, count: {count}}}}}"


SOUND = wired(hgx(), "part: qm9700")


def test_a_sound_design_has_no_findings() -> None:
    assert analysed(SOUND).findings == ()


@pytest.mark.parametrize(
    ("text", "code", "severity", "where"),
    [
        ("groups: {node: {part: dgx-x100}}\n", "unknown-part", "error", "node"),
        (
            "groups: {node: {part: dgx-h100}, leaf: {part: connectx-7-ndr}}\n",
            "not-a-device",
            "error",
            "leaf",
        ),
        (
            wired(hgx(), "part: qm9700, nics: {compute: {part: connectx-7-ndr, count: 1}}"),
            "not-a-node",
            "error",
            "leaf",
        ),
        (
            "groups: {node: {part: dgx-h100, nics: {front: {part: connectx-7-ndr, count: 1}}}}\n",
            "unknown-slots",
            "error",
            "node",
        ),
        (wired(hgx(count=9), "part: qm9700"), "slots-overfilled", "error", "node.compute"),
        (
            wired("part: dgx-h100, count: 2", "part: qm9700"),
            "which-slots",
            "error",
            "links[0] node - leaf",
        ),
        (
            wired("part: hgx-h100-8, count: 2", "part: qm9700"),
            "no-nic",
            "error",
            "links[0] node - leaf",
        ),
        (
            wired(hgx(count=2), "part: qm9700, count: 4"),
            "too-few-ports",
            "error",
            "links[0] node - leaf",
        ),
        (
            wired(hgx(), "part: qm9700, count: 3"),
            "uneven-ports",
            "error",
            "links[0] node - leaf",
        ),
        (
            wired(hgx("bluefield-3-b3140h"), "part: qm9700"),
            "protocol-mismatch",
            "error",
            "links[0] node - leaf",
        ),
        (wired(hgx(), "part: sn2700"), "speed-mismatch", "error", "links[0] node - leaf"),
        (
            wired(hgx(), "part: qm9700", ", speed: 100"),
            "speed-mismatch",
            "error",
            "links[0] node - leaf",
        ),
        (wired(hgx(), "part: qm8700"), "nic-slowed", "warning", "links[0] node - leaf"),
        (
            "groups: {a: {part: dgx-h100, count: 2}, b: {part: dgx-h100, count: 2}}\n"
            "links: [{between: [a.compute, b.compute]}]\n",
            "nodes-meshed",
            "error",
            "links[0] a.compute - b.compute",
        ),
        (SOUND + 'down: ["leaf[rail=0]"]\n', "bad-selector", "error", "down[0]"),
        (wired(hgx(nodes=9), "part: qm9700"), "ports-overused", "error", "leaf"),
        (SOUND.replace("links:", "  spare: {part: qm9700}\nlinks:"), "unwired", "warning", "spare"),
        (
            wired(hgx(count=4), "part: qm9700"),
            "fewer-nics-than-gpus",
            "warning",
            "node.compute",
        ),
        (
            wired(hgx("connectx-5-edr-2p"), "part: qm8700"),
            "slot-slower-than-nic",
            "warning",
            "node.compute",
        ),
        (
            "groups: {node: {part: dgx-h100, count: 2}, leaf: {part: qm9700},"
            " spine: {part: qm9700}}\n"
            "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 8}]\n",
            "oversubscribed",
            "warning",
            "leaf",
        ),
        ("groups: {leaf: {part: qm9700}}\n", "no-gpus", "info", "design"),
        (
            "groups: {node: {part: dgx-h100, count: 2}}\ndown: [node]\n",
            "no-gpus",
            "warning",
            "design",
        ),
        ("groups: {node: {part: dgx-h100, count: 2}}\n", "unreachable", "error", "node"),
    ],
)
def test_a_fault_is_found_at_its_place(text: str, code: str, severity: str, where: str) -> None:
    found = findings(text)
    assert code in found
    assert (found[code].severity, found[code].where) == (severity, where)


def test_one_gpu_alone_has_no_collective_to_run() -> None:
    found = analysed("groups: {node: {part: node1}}\n", small_catalog()).findings
    assert [(f.code, f.severity, f.where) for f in found] == [("one-gpu", "info", "design")]


def test_half_of_the_uplinks_is_oversubscribed_2_to_1() -> None:
    found = findings(
        "groups: {node: {part: dgx-h100, count: 2}, leaf: {part: qm9700}, spine: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 8}]\n"
    )
    assert list(found) == ["oversubscribed"]
    assert found["oversubscribed"].text.startswith(
        "leaf tier oversubscribed 2:1 (16 connections below, 8 above)"
    )


def test_four_nics_for_eight_gpus_are_half_a_nic_each() -> None:
    found = findings(wired(hgx(count=4), "part: qm9700"))
    # 4 x 50 GB/s over 8 GPUs
    assert found["fewer-nics-than-gpus"].text == (
        "8 GPUs share 4 NICs: 25 GB/s of line rate per GPU"
    )
    alone = findings(wired(hgx(count=1), "part: qm9700"))
    assert alone["fewer-nics-than-gpus"].text == (
        "8 GPUs share 1 NIC: 6.25 GB/s of line rate per GPU"
    )


def test_one_node_needs_no_nics_for_its_gpus() -> None:
    assert findings(wired(hgx(count=1, nodes=1), "part: qm9700")) == {}


def test_a_dual_port_400g_nic_does_not_fit_through_pcie_5() -> None:
    found = findings(
        wired(
            "part: hgx-h100-8, count: 2, nics: {compute: {part: bluefield-3-b3240, count: 8}}",
            "part: qm9700",
        )
    )
    assert list(found) == ["slot-slower-than-nic"]
    assert found["slot-slower-than-nic"].text == (
        "BlueField-3 B3240 DPU needs 100 GB/s, its PCIe 5 x16 slot carries 63 GB/s"
    )


def test_two_cabled_ports_that_share_what_their_adapter_takes_are_found() -> None:
    nic = "part: hgx-a100-8, count: 2, nics: {compute: {part: connectx-6-hdr-2p, count: 8}}"
    found = findings(wired(nic, "part: qm8700"))
    assert list(found) == ["nic-ports-share"]
    assert found["nic-ports-share"].text == (
        "the 2 ports of ConnectX-6 VPI HDR/200GbE, dual-port carry 50 GB/s, the adapter takes 25 "
        "of all together"
    )
    assert "nic-ports-share" not in findings(wired(nic, "part: qm8700", ", cables: 8"))


def test_two_islands_are_not_one_cluster() -> None:
    result = analysed(
        "groups:\n  a: {part: dgx-h100, count: 2}\n  b: {part: dgx-h100, count: 2}\n"
        "  left: {part: qm9700}\n  right: {part: qm9700}\n"
        "links: [{between: [a.compute, left]}, {between: [b.compute, right]}]\n"
    )
    assert [finding.code for finding in result.findings] == ["unreachable"]
    assert result.findings[0].text == ("there is no path from a to b for the collective to take")
    assert result.busbw_GBps is None


def test_errors_come_before_warnings_and_those_before_remarks() -> None:
    result = analysed(
        "groups: {node: {part: dgx-x100}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    assert [f.severity for f in result.findings] == ["error", "error", "warning", "info"]


def test_a_port_finding_is_said_once() -> None:
    result = analysed(wired(hgx(nodes=9), "part: qm9700"))
    assert [finding.code for finding in result.findings] == ["ports-overused"]


def test_amd_nodes_have_xgmi_and_no_published_band_and_rccl_is_said_not_to_be_modelled() -> None:
    # The published results of the band are NCCL's on NVIDIA's GPUs.
    nics = "nics: {compute: {part: amd-pollara-400, count: 8}}"
    found = analysed(wired(f"part: mi300x-8, count: 2, {nics}", "part: 7060x6-64pe"))
    assert [one.where for one in found.findings if one.code == "rccl-not-modelled"] == ["node"]
    assert found.band is None and found.busbw_GBps is not None
    assert "node xGMI" in [load.link for load in found.limits]
    assert not [load for load in found.limits if "NVLink" in load.link]
    assert analysed(SOUND).band is not None


def test_links_beside_the_compute_network_stand_in_the_analysis_without_load() -> None:
    text = (
        "groups:\n  node: {part: dgx-h100, count: 4}\n  leaf: {part: qm9700}\n"
        "  sleaf: {part: qm9700}\n  store: {part: ddn-ai400x2, count: 2}\n"
        "links: [{between: [node.compute, leaf]}, {between: [node.storage, sleaf]}, "
        "{between: [store, sleaf]}]\n"
    )
    loads = {load.link: load.load_GBps for load in analysed(text).limits}
    assert (loads["node.storage - sleaf"], loads["store.storage - sleaf"]) == (0.0, 0.0)
