"""The textbook exercise: what N ranks need that exchange M bytes r times a second, and get."""

from __future__ import annotations

import math

import pytest

from tests.workloads.designs import POD, assessed, parts, rails, saved
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import saved_designs
from toposmith.workloads.block import workload_of
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.required_bandwidth import (
    NIC_GBPS,
    PlainNumbers,
    RequiredBandwidth,
    exchanges_of,
    group_of,
    numbers_of,
    of_numbers,
    required_bandwidth,
    required_by,
)
from toposmith.workloads.workload_in_words import nics_words

SEED = PlainNumbers(8, 16_000_000, 1000, one_per_node=True)
SWITCHES = {"connectx-6-dx-100gbe": "sn4600c", "connectx-6-hdr": "qm8700"}


def eight_a100_nodes(nics: int, nic: str) -> Plan:
    text = (
        "toposmith: 1\ngroups:\n"
        f"  node: {{part: as-4124go-nart, count: 8, nics: {{compute: {{part: {nic}, "
        f"count: {nics}}}}}}}\n"
        f"  leaf: {{part: {SWITCHES[nic]}}}\nlinks: [{{between: [node.compute, leaf]}}]\n"
    )
    return plan_design(parse_design(text, "nodes"), parts())


def required(plan: Plan, numbers: PlainNumbers = SEED) -> RequiredBandwidth:
    return of_numbers(plan, parts(), numbers)


def test_sixteen_megabytes_a_thousand_times_a_second_need_2_14_and_28() -> None:
    lines = required(eight_a100_nodes(1, "connectx-6-dx-100gbe")).lines
    # 16 MB / 8 x 1000; 7/8 of 16 GB/s; twice that
    assert [line.needed_GBps for line in lines] == pytest.approx([2.0, 14.0, 28.0])


@pytest.mark.parametrize(
    ("nics", "nic", "each_GBps", "met"),
    [
        (1, "connectx-6-dx-100gbe", 12.5 / 8, 0),  # eight groups share the one NIC of a node
        (8, "connectx-6-dx-100gbe", 12.5, 1),
        (8, "connectx-6-hdr", 25.0, 2),
    ],
)
def test_nics_decide_which_rules_a_group_over_eight_nodes_meets(
    nics: int, nic: str, each_GBps: float, met: int
) -> None:
    found = required(eight_a100_nodes(nics, nic))
    assert (found.ranks, found.groups, found.nodes, found.sharing) == (8, 8, 8, 8)
    assert [line.line_rate.value for line in found.lines] == pytest.approx([each_GBps] * 3)
    assert [line.verdict == "met" for line in found.lines] == [at < met for at in range(3)]
    assert all("node.compute - leaf" in line.link for line in found.lines)


def test_ndr_for_every_gpu_carries_all_three_at_the_line_rate_of_its_ports() -> None:
    found = required(eight_a100_nodes(1, "connectx-6-dx-100gbe"))
    by_name = dict(NIC_GBPS)
    for rule, want in zip(found.lines, (1, 2, 3), strict=True):
        each = [found.at_line_rate(by_name[nic], 8) for nic in ("100GbE", "HDR", "NDR")]
        assert each == pytest.approx([12.5, 25.0, 50.0])
        assert sum(rate >= rule.needed_GBps for rate in each) == 4 - want


def test_counts_of_nics_are_what_all_groups_of_a_node_need_together() -> None:
    found = required(eight_a100_nodes(1, "connectx-6-dx-100gbe"))
    needed = (16.0, 112.0, 224.0)  # eight times 2, 14 and 28 GB/s into every node
    for line, into_node in zip(found.lines, needed, strict=True):
        counts = {need.nic: need.count for need in line.nics}
        assert counts == {nic: math.ceil(into_node / rate) for nic, rate in NIC_GBPS}


def test_inside_a_node_no_nic_counts() -> None:
    found = required(saved("a100-rack-1x100gbe"), PlainNumbers(8, 16_000_000, 1000))
    assert found.inside_node
    assert all(not line.nics and "NVLink" in line.link for line in found.lines)
    assert [line.line_rate.value for line in found.lines] == [300.0] * 3  # NVLink 3 of an A100
    assert found.ok


def test_a_ring_over_two_nodes_sends_all_of_it_through_each_node_s_nics() -> None:
    found = required(rails(4, 1), PlainNumbers(16, 10**9, 1))
    assert (found.members, found.nodes, found.sharing) == (8, 2, 1)
    assert found.lines[1].needed_GBps == pytest.approx(15 / 16)
    assert found.at_line_rate(25.0, 1) == 25.0
    assert found.lines[1].line_rate.value == pytest.approx(25.0)


@pytest.mark.parametrize("design", [each.name for each in saved_designs()])
@pytest.mark.parametrize("size", [10**6, 10**11])
def test_no_prediction_exceeds_the_line_rate(design: str, size: int) -> None:
    asked = [PlainNumbers(8, size, 1)]
    if not design.startswith("gb200"):  # four trays at a time straddle racks of 18
        asked.append(PlainNumbers(4, size, 1, True))
    for numbers in asked:
        for line in required(saved(design), numbers).lines:
            if line.line_rate.value is not None and line.predicted.value is not None:
                assert line.predicted.value <= line.line_rate.value * 1.001


def test_a_thin_spine_is_named_before_the_nics() -> None:
    text = (
        "toposmith: 1\naxes: {pod: 2}\ngroups:\n"
        "  node: {part: dgx-h100, count: 4, per: [pod]}\n"
        "  leaf: {part: qm9700, per: [pod]}\n  spine: {part: qm9700}\n"
        "links:\n  - {between: [node.compute, leaf]}\n"
        "  - {between: [leaf, spine], cables: 2}\n"
    )
    found = required(plan_design(parse_design(text, "thin"), parts()), SEED)
    assert {line.link for line in found.lines} == {"leaf - spine"}
    assert all((line.line_rate.value or 0) < 50 for line in found.lines)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (PlainNumbers(5, 1000, 1), "4 or 8 works"),
        (PlainNumbers(9, 1000, 1, True), "at most 8 works"),
        (PlainNumbers(1, 1000, 1), "at least 2"),
        (PlainNumbers(1000, 1000, 1), "at most 64 works"),
        (PlainNumbers(8, 1000, 0), "more than 0"),
        (PlainNumbers(8, 0, 1), "from 1 byte"),
    ],
)
def test_what_cannot_be_asked_is_told_with_what_can(numbers: PlainNumbers, words: str) -> None:
    with pytest.raises(WorkloadError, match=words):
        required(saved("a100-rack-1x100gbe"), numbers)


@pytest.mark.parametrize("text", ["", "8", "8 16MB", "x 1MB 1", "8 16XB 1", "8 1MB x", "8 1MB nan"])
def test_numbers_that_are_none_are_told(text: str) -> None:
    with pytest.raises(WorkloadError):
        numbers_of(text)


def test_a_model_exchanges_its_weights_by_the_textbook_and_its_activations_in_truth() -> None:
    told = workload_of({"model": "llama3-70b", "serving": {"precision": "fp8"}})
    weights, moved = exchanges_of(told, 20.0, 64)
    assert weights.message_bytes == pytest.approx(70.55e9, rel=0.002)
    # 64 tokens of 8,192 elements in bf16, twice in each of 80 layers
    assert (moved.message_bytes, moved.per_second) == (64 * 8192 * 2, 160 * 20)


def test_the_textbook_of_a_training_run_is_the_rule_of_thumb_of_its_page() -> None:
    found = assessed(
        POD, model="llama3-8b", layout={"tp": 8}, training={"batch": 127, "sequence": 8192}
    )
    weights, moved = required_by(saved(POD), parts(), found)
    assert found.step is not None
    textbook = weights.lines[0].needed_GBps
    by_hand = 2 * found.workload.model.parameters / 8 * 2 * found.step.micro_batches
    assert textbook == pytest.approx(by_hand / found.step.step_s / 1e9)
    sent = sum(c.wire_bytes for c in found.step.communication if c.dimension == "tp")
    # each all-reduce runs as an all-gather and a reduce-scatter
    assert moved.lines[2].needed_GBps * found.step.step_s * 1e9 == pytest.approx(sent)


def test_a_target_takes_the_place_of_the_prediction() -> None:
    serving = {"prompt": 512, "output": 64, "precision": "fp8", "decode_batch": 8, "tpot_ms": 10}
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=serving)
    weights, moved = required_by(saved(POD), parts(), found)
    assert weights.exchange.per_second == pytest.approx(100)
    assert moved.exchange.per_second == pytest.approx(160 * 100)
    assert moved.exchange.message_bytes == 8 * 8192 * 2
    assert weights.inside_node


def test_without_tensor_parallelism_nothing_is_exchanged() -> None:
    found = assessed(POD, model="llama3-8b", training={"batch": 1016, "sequence": 2048})
    assert required_by(saved(POD), parts(), found) == ()


def test_groups_take_whole_sets_of_nodes() -> None:
    plan, layout = group_of(saved("dgx-h100-superpod-1su"), 16)
    times = CollectiveTimes(plan, parts())
    found = required_bandwidth(times, layout, SEED.exchange)
    assert (found.groups, found.nodes) == (15, 2)  # of 31 nodes


@pytest.mark.parametrize("part", ["as-4124go-nart", "dgx-h100", "rtx-pro-6000-8", "l40s-8"])
def test_where_the_links_of_a_gpu_limit_no_nic_would_do(part: str) -> None:
    fitted = ", nics: {compute: {part: connectx-7-ndr, count: 2}}"
    fitted = "" if part == "dgx-h100" else fitted
    text = (
        "toposmith: 2\n"
        f"groups: {{node: {{part: {part}, count: 4{fitted}}}, leaf: {{part: qm9700}}}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    plan = plan_design(parse_design(text, "test"), parts())
    gpu = {"as-4124go-nart": 300, "dgx-h100": 450, "rtx-pro-6000-8": 63, "l40s-8": 31.5}[part]
    for size_GB, does in ((1, True), (40_000, False)):
        found = of_numbers(plan, parts(), PlainNumbers(32, size_GB * 10**9, 1))
        for line in found.lines:
            # NVLink and PCIe, or PCIe alone; an all-reduce counts each byte almost twice
            assert gpu <= line.gpu_GBps <= 2.5 * gpu
            assert bool(line.nics) == does
            assert ("no NIC would do" in nics_words(line)) == (not does)
            assert line.verdict == "not met" or does
