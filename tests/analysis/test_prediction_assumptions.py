"""Each prediction names what it assumes, and each assumption can be changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.asking import ring_at_large_sizes
from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.tui.figures.measure_fields import FIELDS

CATALOG = load_catalog(user=False)

IN_PCIE_SWITCHES = "{part: dgx-a100, count: 4}"


def of(node: str, request: Request, leaf: str = "qm8790", leaves: int = 4) -> Analysis:
    text = (
        f"toposmith: 2\ngroups:\n  node: {node}\n  leaf: {{part: {leaf}, count: {leaves}}}\n"
        "links:\n  - {between: [node.compute, leaf]}\n"
    )
    return analyse(plan_design(parse_design(text, "test"), CATALOG), CATALOG, request)


def named(found: Analysis) -> dict[str, str]:
    return {one.id: one.words for one in found.assumed}


def test_between_nodes_every_assumption_is_named() -> None:
    found = named(of(IN_PCIE_SWITCHES, Request("all_to_all")))
    assert list(found) == [
        *("size", "nccl", "placement", "gpudirect", "tcp", "routing", "queue_pairs", "mtu", "pxn")
    ]
    assert found["gpudirect"] == "on" and found["mtu"] == "4096, the usual"


def test_inside_a_node_the_network_is_none() -> None:
    found = of("{part: dgx-a100, count: 1}", Request())
    assert list(named(found)) == ["size", "nccl"]


def test_the_app_has_a_field_for_each_assumption() -> None:
    fields = {field.id for field in FIELDS}
    assert set(named(of(IN_PCIE_SWITCHES, Request("all_to_all")))) | {"calibration"} <= fields


@pytest.mark.parametrize(
    ("change", "id", "words"),
    [
        ({"gpudirect": False}, "gpudirect", "off"),
        ({"tcp": True}, "tcp", "on"),
        ({"tcp": True}, "mtu", "1500 of TCP"),
        ({"mtu": 1024}, "mtu", "1024"),
        ({"pxn": False}, "pxn", "off: by each GPU's own NIC"),
        ({"message_bytes": 2**20}, "size", "1 MiB"),
    ],
)
def test_what_is_asked_otherwise_is_named_otherwise(
    change: dict[str, int], id: str, words: str
) -> None:
    assert named(of(IN_PCIE_SWITCHES, Request("all_to_all", **change), leaves=1))[id] == words


def test_without_gpudirect_eight_200g_nics_carry_two_thirds() -> None:
    # 8 x 24 GB/s of payload; 16 of 24 through the CPU (NVIDIA/nccl issue 412)
    asked = ring_at_large_sizes("all_gather")
    on = of(IN_PCIE_SWITCHES, asked)
    off = of(IN_PCIE_SWITCHES, replace(asked, gpudirect=False))
    assert on.busbw_GBps == pytest.approx(8 * 24, rel=0.01)
    assert off.busbw_GBps == pytest.approx(8 * 16, rel=0.01)
    assert "without-gpudirect" in {one.code for one in off.findings}
    assert off.band is None


def test_beside_grace_data_may_go_through_the_memory_of_the_cpu() -> None:
    node = "{part: gb200-nvl72-tray, count: 4}"
    text = (
        f"toposmith: 2\naxes: {{rack: 2}}\ngroups:\n  tray: {node[:-1]}, per: [rack]}}\n"
        "  leaf: {part: qm9700, count: 4}\nlinks:\n  - {between: [tray.compute, leaf]}\n"
    )
    plan = plan_design(parse_design(text, "test"), CATALOG)
    on, off = (analyse(plan, CATALOG, Request(gpudirect=each)) for each in (True, False))
    assert on.busbw_GBps == off.busbw_GBps
    assert named(off)["gpudirect"] == "off, no effect (Grace)"
    assert "without-gpudirect" not in {one.code for one in off.findings}
