"""Racks of NVLink trays: what one rack does over NVLink, and several over their NICs.

A GB200 has 18 NVLinks of 50 GB/s in each direction and one NIC of 400 Gb/s; 18 trays of 4 GPUs are
a rack (docs.nvidia.com/dgx/dgxgb200-user-guide/hardware.html).
"""

from __future__ import annotations

import pytest

from tests.review.reviewing import CATALOG
from toposmith.analysis.analyse import Questions, analyse
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.nccl.nccl_version import parse_version
from toposmith.review.failures.sweep import sweep

ALONE = "toposmith: 1\ngroups: {tray: {part: gb200-nvl72-tray, count: 18}}\n"
RACKS = """\
toposmith: 1
axes: {rack: 2, rail: 4}
groups:
  tray: {part: gb200-nvl72-tray, per: [rack], count: 18}
  leaf: {part: qm9700, per: [rail], count: 2}
links:
  - {between: [tray.compute, leaf]}
"""
ON_SPINES = """\
toposmith: 1
axes: {rack: 4, rail: 4}
groups:
  tray: {part: gb200-nvl72-tray, per: [rack], count: 18}
  leaf: {part: qm9700, per: [rack, rail]}
  spine: {part: qm9700, count: UPLINKS}
links:
  - {between: [tray.compute, leaf]}
  - {between: [leaf, spine], cables: 1}
"""


def planned(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), CATALOG)


def racks(many: int, trays: int = 18) -> str:
    text = RACKS.replace("rack: 2", f"rack: {many}").replace("count: 18", f"count: {trays}")
    return text.replace("per: [rail], count: 2", "per: [rack, rail]").replace(
        "links:", "  spine: {part: qm9700, count: 18}\nlinks:\n  - {between: [leaf, spine]}"
    )


def asked(text: str, collective: str = "all_reduce", layout: str = "", kind: str = "") -> Analysis:
    job = Job(parse_layout(layout), kind)
    return analyse(planned(text), CATALOG, Request(collective, 2**33, job=job))


def codes(found: Analysis) -> set[str]:
    return {finding.code for finding in found.findings}


def test_a_rack_alone_is_bound_by_900_gbps_into_each_gpu() -> None:
    found = asked(ALONE, "all_gather")
    assert (found.gpus, found.nodes, found.nvlink_domains) == (72, 18, 1)
    assert found.bound_busbw_GBps == pytest.approx(900)
    assert found.bound_is == "exact"
    (cut,) = found.bound_cut
    assert (cut.cables, cut.capacity_GBps) == (1, 900)
    assert found.bisection_GBps is None  # all of it is one domain


def test_switches_that_reduce_take_every_byte_of_a_rack_once() -> None:
    # 900 GB/s in and out of each GPU; busbw counts 2 x 71 / 72 of it
    found = asked(ALONE)
    assert found.bound_with_reduction_GBps == pytest.approx(900 * 2 * 71 / 72)
    assert found.algorithm == "nvls"
    assert found.busbw_label.words == "model"
    assert found.busbw_GBps is not None
    assert found.busbw_GBps < found.bound_with_reduction_GBps


def test_a_rack_without_a_network_needs_none() -> None:
    for collective in ("all_reduce", "all_gather", "all_to_all", "send_recv"):
        found = asked(ALONE, collective)
        assert found.busbw_GBps is not None
        # a send goes to one peer, whose channels carry 345
        assert found.busbw_GBps > (340 if collective == "send_recv" else 600)
        assert "wider-nvlink-domain" not in codes(found)


def test_what_leaves_a_rack_in_an_exchange_leaves_over_its_72_nics() -> None:
    # half of what 144 GPUs send leaves a rack: 72 x 50 GB/s = S/T x 72 x 72 / 144
    found = asked(racks(2), "all_to_all")
    assert found.bound_busbw_GBps == pytest.approx(100 * 143 / 144)
    assert found.bisection_GBps == pytest.approx(72 * 50)
    at_nics = next(each for each in found.limits if each.link == "tray.compute - leaf")
    assert found.algbw_GBps is not None
    assert at_nics.load_GBps == pytest.approx(found.algbw_GBps * 72 / 144)
    assert found.busbw_GBps is not None
    assert found.busbw_GBps <= found.bound_busbw_GBps


@pytest.mark.parametrize("many", [2, 3, 4])
def test_a_ring_leaves_a_rack_once_over_all_its_nics(many: int) -> None:
    # a ring puts its busbw onto the way from rack to rack: 1 / 72 of it on every NIC
    request = Request("all_gather", 2**33, algorithm="ring")
    found = analyse(planned(racks(many)), CATALOG, request)
    at_nics = next(each for each in found.limits if each.link == "tray.compute - leaf")
    assert found.busbw_GBps is not None
    assert at_nics.load_GBps == pytest.approx(found.busbw_GBps / 72)


def test_thin_uplinks_hold_racks_and_not_what_is_inside_them() -> None:
    # one uplink of 50 GB/s for 18 NICs, four leaves a rack: 200 GB/s leave 72 GPUs. Of 288 ranks
    # three quarters are elsewhere: S/T x 72 x 216 / 288 = 200
    thin = ON_SPINES.replace("UPLINKS", "1")
    found = asked(thin, "all_to_all")
    assert found.bound_busbw_GBps == pytest.approx(200 / 54 * 287 / 288)
    inside = asked(thin, "all_to_all", "ep=72,dp=4", "ep")
    assert inside.busbw_GBps == pytest.approx(asked(ALONE, "all_to_all").busbw_GBps, rel=1e-3)


def test_groups_inside_a_rack_run_over_nvlink() -> None:
    alone = asked(ALONE)
    found = asked(racks(2), layout="tp=72,dp=2", kind="tp")
    assert found.busbw_GBps == pytest.approx(alone.busbw_GBps)
    assert found.algorithm == "nvls"


def test_groups_of_64_fit_racks_of_64_of_72_gpus() -> None:
    found = asked(racks(2, 16), "all_to_all", "ep=64,dp=2", "ep")
    assert (found.communicator.size, found.communicator.concurrent) == (64, 2)
    assert found.busbw_GBps is not None
    assert found.busbw_GBps > 600
    assert "nvlink-domain-part-filled" in codes(found)
    refused = asked(racks(2), "all_to_all", "ep=64", "ep")
    assert refused.busbw_GBps is None
    assert "communicator-does-not-fit" in codes(refused)


def test_one_tray_that_is_down_leaves_racks_of_68_and_72() -> None:
    text = racks(2) + 'down: ["tray[rack=0,tray=3]"]\n'
    found = asked(text, "all_to_all")
    assert (found.gpus, found.nvlink_domains) == (140, 2)
    # 68 NICs between 68 and 72 GPUs: S/T x 68 x 72 / 140 = 68 x 50
    assert found.bound_busbw_GBps == pytest.approx(50 * 140 / 72 * 139 / 140)
    assert found.busbw_GBps is not None
    assert found.busbw_GBps <= found.bound_busbw_GBps


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ("tray: {part: gb200-nvl72-tray, count: 36}", "36 nodes are drawn side by side"),
        ("tray: {part: gb200-nvl72-tray, per: [rack]}", "as the count of a group"),
        (
            "tray: {part: gb200-nvl72-tray, per: [rack], count: 4}\n  other: {part: dgx-h100}",
            "nodes of another kind",
        ),
    ],
)
def test_trays_that_are_drawn_otherwise_are_not_joined_and_say_why(groups: str, why: str) -> None:
    link = "- {between: [tray.compute, leaf], speed: 400}"
    text = (
        f"toposmith: 1\naxes: {{rack: 2}}\ngroups:\n  {groups}\n"
        f"  leaf: {{part: qm9700, count: 4}}\nlinks:\n  {link}\n"
    )
    if "other" in groups:
        text += "  - {between: [other.compute, leaf]}\n"
    found = asked(text)
    assert found.nvlink_domains == 0
    assert found.busbw_label.kind == "at least"
    (said,) = [each for each in found.findings if each.code == "wider-nvlink-domain"]
    assert why in said.text


def test_without_one_of_nine_switch_trays_nvlink_keeps_eight_ninths() -> None:
    found = sweep(planned(ALONE), CATALOG, collectives=("all_reduce", "all_to_all"))
    (lost,) = [each for each in found.singles if each.failures[0].kind == "NVLink switch tray"]
    assert lost.failures[0].members == 9
    assert lost.gpus_cut_off == 0
    assert [kept.modelled_share for kept in lost.kept] == pytest.approx([8 / 9] * 2, rel=5e-3)
    assert lost.kept[0].share == lost.kept[0].modelled_share


def test_a_rack_goes_on_over_nvlink_without_its_leaf_and_two_are_apart() -> None:
    text = "toposmith: 1\naxes: {rack: RACKS}\ngroups:\n"
    text += "  tray: {part: gb200-nvl72-tray, per: [rack], count: 9}\n  leaf: {part: qm9700}\n"
    text += "links:\n  - {between: [tray.compute, leaf]}\n"
    for many, lost in ((1, 0), (2, 36)):
        found = sweep(planned(text.replace("RACKS", str(many))), CATALOG)
        (leaf,) = [each for each in found.singles if each.failures[0].kind == "leaf"]
        assert (leaf.gpus_cut_off, leaf.parts) == (lost, many)
        if lost:
            assert leaf.kept[0].after_GBps is None
            assert leaf.kept[0].why == "network lost; 36 GPUs of one NVLink domain remain"
        else:
            assert leaf.kept[0].after_GBps == pytest.approx(asked(ALONE).busbw_GBps, rel=0.05)


def test_racks_of_other_nodes_have_no_switch_trays_to_lose() -> None:
    text = "toposmith: 1\ngroups: {node: {part: dgx-h100}}\n"
    found = sweep(planned(text), CATALOG)
    assert not [each for each in found.singles if each.failures[0].kind == "NVLink switch tray"]


def test_a_hundred_thousand_gpus_in_racks_stay_a_few_classes() -> None:
    questions = Questions(
        planned(racks(1389).replace("count: 18}\nlinks", "count: 9}\nlinks")), CATALOG
    )
    assert questions.network.world.gpus == 1389 * 72
    assert len(questions.flows.classes.graph) <= 40


def test_of_vera_rubin_it_says_that_blackwells_constants_stand_in() -> None:
    found = asked(ALONE.replace("gb200-nvl72-tray", "vera-rubin-nvl72-tray"))
    # loops of 48 channels x 32 heads x 64 KiB over 36 links of 40.1 GB/s, as NCCL counts them, and
    # 6 us; 85.3 of them, and 4.7 until the pipeline is full; the call's own latency beside them
    loop_us = 96 * 2**20 / (1000 * 36 * 40.1 * 0.85 * 32 / 33) + 6
    loops_us = (2**33 / (96 * 2**20) + 4.7) * loop_us / 0.84
    assert found.time_us == pytest.approx(loops_us, rel=0.01)
    assert found.busbw_label.of == "by NCCL's constants of Blackwell"
    assert found.band is None
    assert asked(ALONE).busbw_label.of == ""


@pytest.mark.parametrize("release", ["2.24", "2.29", "2.32"])
@pytest.mark.parametrize("algorithm", [None, "ring", "tree", "nvls_tree"])
def test_four_racks_never_read_more_than_three(algorithm: str | None, release: str) -> None:
    plans = planned(racks(3)), planned(racks(4))
    for size in (2**power for power in range(10, 36)):
        request = Request("all_reduce", size, algorithm=algorithm, version=parse_version(release))
        three, four = (Questions(plan, CATALOG).of(request).predictor for plan in plans)
        assert three is not None and four is not None
        assert four.at(size).busbw_GBps <= three.at(size).busbw_GBps, size


def test_trees_pass_on_the_data_of_a_rack_once_one_and_a_half_times_and_twice() -> None:
    # Of two racks each sends half of S up one tree and half down the other: S. Of three, 1 - 2 - 0
    # and shifted 2 - 0 - 1: rack 2 is in the middle of one (two halves), at the end of the other.
    # Of four, 1 and 3 below 2 below 0, and mirrored: rack 2 has three edges in one and one in the
    # other, four halves. All of more racks have no busier one.
    request = Request("all_reduce", 2**40, algorithm="nvls_tree")
    rates = [analyse(planned(racks(many)), CATALOG, request).algbw_GBps for many in (2, 3, 4, 8)]
    assert all(rates)
    shares = [(rates[0] or 0) / (rate or 1) for rate in rates]
    assert shares == pytest.approx([1, 1.5, 2, 2], rel=0.02)


def test_over_two_and_twenty_racks_it_is_as_much_as_published() -> None:
    # coreweave/nccl-tests at cb865533, README.md, NCCL 2.26.2: busbw of 8 GiB
    version = parse_version("2.26")
    for many, published in ((2, 793), (20, 382)):
        found = analyse(
            planned(racks(many)), CATALOG, Request("all_reduce", 2**33, version=version)
        )
        assert found.busbw_GBps == pytest.approx(published, rel=0.06)
        assert found.busbw_label.kind == "model"


@pytest.mark.parametrize(("size", "said"), [(2**33, False), (2**34, False), (2**26, True)])
def test_of_sizes_without_public_results_many_racks_say_so(size: int, said: bool) -> None:
    found = analyse(planned(racks(3)), CATALOG, Request("all_reduce", size))
    (finding,) = [each for each in found.findings if each.code == "nvlink-racks-by-one-run"]
    assert ("no public result of 64 MiB was found" in finding.text) == said
