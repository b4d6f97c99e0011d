"""A run is held against the design that it was made on, and a gap is explained by trying."""

from __future__ import annotations

import math

import pytest

from tests.measured.logs import log
from toposmith.analysis.jobs.world import NodeBlock
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.measured.against import (
    NotOfThisDesign,
    RunComparison,
    _off,
    compare,
    expected,
    verdict_words,
)
from toposmith.measured.nccl_tests import read_log
from toposmith.measured.runs_table import NoCalibration, calibration_of
from toposmith.nccl.nccl_version import NcclVersion

CATALOG = load_catalog()
SIZES = [2**n for n in range(10, 34, 2)]
VERSION = "x NCCL INFO NCCL version 2.27.7+cuda12.8\n"

FOUR = """\
toposmith: 2
name: Four nodes
groups:
  node: {part: dgx-a100, count: 4}
  leaf: {part: qm8790, count: 4}
links:
  - {between: [node.compute, leaf]}
"""


def design(text: str = FOUR) -> Design:
    return parse_design(text, "test")


def curve(of: Design, request: Request | None = None) -> list[tuple[int, float]]:
    """What a design with a fault delivers, as if it had been measured."""
    asked = request or Request("all_reduce", version=NcclVersion(2, 27, 7))
    predictor = EvaluatedDesign(of, CATALOG, asked).question.predictor
    assert predictor is not None
    return [(size, predictor.at(size).busbw_GBps) for size in SIZES]


def compared(rows: list[tuple[int, float]], of: Design, before: str = VERSION) -> RunComparison:
    nodes = of.groups["node"].count
    (run,) = read_log(log(rows, nodes=nodes, before=before).encode(), "run.log").runs
    return compare(run, of, CATALOG)


def test_a_healthy_run_passes_and_needs_no_explanation() -> None:
    found = compared(curve(design()), design())
    assert found.passes and not found.explanations
    assert (found.nodes, found.gpus) == (4, 32)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"down": ("node[node=2].compute[3]",)}, "one of 8 NIC ports of one node (node) down"),
        ({"slow": {"node[node=1].compute[0]": "50 %"}}, "one NIC port of one node (node) at half"),
    ],
)
def test_a_fault_is_named_whichever_node_and_port_has_it(
    fault: dict[str, object], words: str
) -> None:
    found = compared(curve(design().model_copy(update=fault)), design())
    assert not found.passes
    assert any(words in one.text for one in found.explanations), found.explanations
    assert all(one.remedy for one in found.explanations)


def test_half_of_the_nics_is_named_with_their_number() -> None:
    text = FOUR.replace(
        "dgx-a100, count: 4}",
        "dgx-a100, count: 4, nics: {compute: {part: connectx-6-hdr, count: 4}}}",
    )
    found = compared(curve(design(text)), design())
    assert "4 of the 8 NICs of every node" in found.explanations[0].text


def test_a_forced_protocol_that_the_log_does_not_tell_is_named() -> None:
    asked = Request("all_reduce", version=NcclVersion(2, 27, 7), protocol="ll")
    found = compared(curve(design(), asked), design())
    assert any("NCCL_PROTO=ll " in one.text for one in found.explanations)


P4D = """\
toposmith: 2
name: Two p4d
groups:
  node: {part: p4d-24xlarge, count: 2}
  leaf: {part: sn4600c}
links:
  - {between: [node.compute, leaf]}
"""


@pytest.mark.parametrize(
    ("said", "protocol"),
    [
        ("", None),
        ('NET/OFI Setting NCCL_PROTO to "simple"', None),  # as the plugin does in any case
        ("NCCL_PROTO set by environment to LL,LL128,Simple", "ll,ll128,simple"),
        ("NCCL_PROTO set by environment to ^LL", "ll128,simple"),
    ],
)
def test_what_the_plugin_leaves_in_any_case_is_not_forced(said: str, protocol: str | None) -> None:
    asked = Request("all_reduce", version=NcclVersion(2, 27, 7), protocol=protocol)
    before = VERSION + (f"x NCCL INFO {said}\n" if said else "")
    found = compared(curve(design(P4D), asked), design(P4D), before)
    assert found.request.protocol == protocol
    assert found.passes
    assert found.off < 0.01


def test_all_protocols_are_nccls_own_choice_where_it_drives_the_nics() -> None:
    before = VERSION + "x NCCL INFO NCCL_PROTO set by environment to Simple,LL,LL128\n"
    found = compared(curve(design()), design(), before)
    assert found.request.as_nccl_chooses


def test_a_list_that_is_none_is_said() -> None:
    before = VERSION + "x NCCL INFO NCCL_PROTO set by environment to fast\n"
    found = compared(curve(design()), design(), before)
    assert "NCCL_PROTO=fast is not understood" in " ".join(found.notes)


def test_a_gap_that_nothing_explains_is_said_to_have_no_explanation() -> None:
    rows = [(size, busbw * 0.31) for size, busbw in curve(design())]
    found = compared(rows, design())
    assert "no single fault of a NIC or link" in found.explanations[-1].text


def test_slow_small_messages_are_latency_and_no_bandwidth() -> None:
    rows = [(size, busbw / 3 if size <= 2**18 else busbw) for size, busbw in curve(design())]
    found = compared(rows, design())
    assert found.passes and not found.explanations
    assert "latency, no bandwidth" in found.noted[-1].text


@pytest.mark.parametrize("of_prediction", [0.92, 1.0, 1.04])
@pytest.mark.parametrize("over", ["", "NET/Socket/0", "NET/IB/0"])
def test_a_run_that_passes_has_no_cause_whatever_its_log_says(
    of_prediction: float, over: str
) -> None:
    rows = [(size, busbw * of_prediction) for size, busbw in curve(design())]
    said = f"x NCCL INFO Channel 00/0 : 0 -> 8 [send] via {over}\n" if over else ""
    found = compared(rows, design(), VERSION + said)
    assert found.passes and not found.explanations
    assert bool(found.noted) is bool(over)


def test_tcp_is_no_cause_where_the_design_has_nothing_else() -> None:
    nics = "nics: {compute: {part: chelsio-t62100, count: 1}}"
    nodes = f"node: {{part: hgx-a100-8, count: 4, {nics}}}"
    text = FOUR.replace("node: {part: dgx-a100, count: 4}", nodes).replace(
        "qm8790, count: 4", "sn3700"
    )
    said = "x NCCL INFO Channel 00/0 : 0 -> 8 [send] via NET/Socket/0\n"
    rows = [(size, busbw / 4) for size, busbw in curve(design(text))]
    found = compared(rows, design(text), VERSION + said)
    assert not found.passes
    assert not any("NET/Socket" in one.text for one in found.explanations)


def test_tcp_and_missing_gpudirect_are_said_by_the_log_itself() -> None:
    over_tcp = "x NCCL INFO Channel 00/0 : 0 -> 8 [send] via NET/Socket/0\n"
    found = compared([(size, busbw / 8) for size, busbw in curve(design())], design(), over_tcp)
    assert "over TCP (NET/Socket)" in found.explanations[0].text
    staged = "x NCCL INFO Channel 00/0 : 0 -> 8 [send] via NET/IB/0\n"
    found = compared([(size, busbw / 4) for size, busbw in curve(design())], design(), staged)
    assert "without GPUDirect" in found.explanations[0].text


def test_more_than_the_bound_is_another_cluster() -> None:
    found = compared([(size, busbw * 2) for size, busbw in curve(design())], design())
    assert "above the bound" in found.explanations[0].text
    assert not found.passes


def test_the_first_nodes_of_a_larger_design_are_taken() -> None:
    small, large = design(), design(FOUR.replace("dgx-a100, count: 4", "dgx-a100, count: 12"))
    (run,) = read_log(log(curve(small), nodes=4, before=VERSION).encode(), "run.log").runs
    found = compare(run, large, CATALOG)
    assert (found.nodes, found.gpus) == (4, 32)
    assert [p.predicted_GBps for p in found.points] == pytest.approx([b for _, b in curve(small)])
    assert any("4 of 12 nodes ran" in note for note in found.notes)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"nodes": 9}, "72 ranks ran, and the design has 32 GPUs"),
        ({"nodes": 2, "gpus": 5}, "10 ranks do not fill whole nodes of the design"),
        ({"nodes": 8, "gpus": 4}, "the 32 ranks are on 8 hosts, and the design has 4 nodes"),
        (
            {"nodes": 4, "program": "", "redop": "none", "wrong": ("N/A", "N/A")},
            r"does not say which collective ran; give --collective \(all_gather, all_to_all\)",
        ),
        (
            {"nodes": 4, "program": "all_gather_perf"},
            "the table is not of all-gather: its columns and busbw over algbw are those of all-red",
        ),
        (
            {"nodes": 4, "factor": 1.5},
            "busbw is 1.5 times algbw, where the 32 GPUs of the log make it 1.94: the list of dev",
        ),
    ],
)
def test_a_run_of_another_cluster_is_refused(made: dict[str, object], words: str) -> None:
    (run,) = read_log(log([(2**30, 100.0)], **made).encode(), "run.log").runs  # type: ignore[arg-type]
    with pytest.raises(NotOfThisDesign, match=words):
        compare(run, design(), CATALOG)


@pytest.mark.parametrize(("gpus", "fits"), [(32, True), (4, False)])
def test_a_log_without_devices_is_of_the_ranks_that_its_busbw_says(gpus: int, fits: bool) -> None:
    # busbw over algbw is 2 (R - 1) / R: 1.94 of 32 ranks, 1.5 of 4
    text = log([(2**33, 180.0)], nodes=1, gpus=gpus, before=VERSION)
    text = "".join(line for line in text.splitlines(keepends=True) if "Rank " not in line)
    (run,) = read_log(text.encode(), "run.log").runs
    assert run.ranks is None
    if fits:
        assert compare(run, design(), CATALOG).gpus == 32
    else:
        with pytest.raises(NotOfThisDesign, match=r"busbw is 1.5 times algbw, where the 32 GPUs"):
            compare(run, design(), CATALOG)


@pytest.mark.parametrize("size", [2**20, 2**26])
def test_a_short_run_of_other_ranks_is_refused_too(size: int) -> None:
    # 8 devices are listed, and busbw is 15/8 of algbw, as of 16 ranks: 92 and 380 us
    text = log([(size, 21.4 if size < 2**26 else 331.0)], nodes=1, factor=15 / 8)
    (run,) = read_log(text.encode(), "run.log").runs
    with pytest.raises(NotOfThisDesign, match=r"busbw is 1.8\d times algbw, where the 8 GPUs"):
        compare(run, design(), CATALOG)


def test_what_to_run_is_told_with_what_to_expect() -> None:
    found = expected(design(), CATALOG)
    assert [one.collective for one in found] == [
        "all_reduce", "all_gather", "reduce_scatter", "all_to_all",
    ]  # fmt: skip
    assert "mpirun -np 32 -N 8 ./build/all_reduce_perf" in found[0].command
    largest = found[0].points[-1]
    whole = EvaluatedDesign(design(), CATALOG, Request("all_reduce", 8 * 2**30))
    assert largest.predicted_GBps == whole.prediction.busbw_GBps


PODS = """\
toposmith: 2
name: Pods of pods
axes: {pod: 3, su: 4}
groups:
  node: {part: dgx-a100, per: [pod, su], count: 4}
  late: {part: dgx-a100, count: 2}
  leaf: {part: qm8790, per: [pod], count: 4}
  spine: {part: qm8790, count: 4}
links:
  - {between: [node.compute, leaf]}
  - {between: [late.compute, spine]}
  - {between: [leaf, spine], cables: 2}
absent: ["node[pod=0,su=1,node=1]"]
"""


@pytest.mark.parametrize("nodes", [1, 4, 5, 6, 15, 16, 47, 48, 49])
def test_the_nodes_that_ran_are_the_first_and_few_words_leave_the_others_out(nodes: int) -> None:
    (run,) = read_log(log([(2**30, 100.0)], nodes=nodes).encode(), "run.log").runs
    ran = compare(run, design(PODS), CATALOG).design
    blocks = EvaluatedDesign(ran, CATALOG).network.world.blocks
    every = EvaluatedDesign(design(PODS), CATALOG).network.world.blocks

    def names(of: tuple[NodeBlock, ...]) -> list[tuple[str, tuple[int, ...], int]]:
        return [
            (block.group.name, block.outer, own)
            for block in of
            for low, high in block.runs
            for own in range(low, high + 1)
        ]

    assert names(blocks) == names(every)[:nodes]
    assert len(ran.absent) <= 1 + 4


def test_a_run_that_is_better_than_predicted_passes_without_a_cause() -> None:
    rows = [(size, 1.12 * busbw) for size, busbw in curve(design())]
    found = compared(rows, design())
    assert found.off > 0.1, "far enough that causes of a run that does not pass are looked for"
    assert found.passes and not found.explanations


def test_wrong_values_fail_a_run_that_is_as_fast_as_predicted() -> None:
    text = log(curve(design()), nodes=4, before=VERSION, wrong=("0", "3"))
    (run,) = read_log(text.encode(), "run.log").runs
    found = compare(run, design(), CATALOG)
    assert not found.passes
    assert "3 values at" in found.explanations[0].text
    assert "data is corrupted" in found.explanations[0].text
    assert verdict_words(found).startswith("wrong values at ")
    with pytest.raises(NoCalibration, match="wrong values came back"):
        calibration_of([found], CATALOG)


def test_the_verdict_over_several_sizes_says_that_it_is_their_median() -> None:
    rows = curve(design())
    found = compared([(size, 0.9 * busbw) for size, busbw in rows], design())
    assert len(found.large) > 1
    assert verdict_words(found).startswith("median 10 % below the prediction")


def test_how_far_a_run_is_off_is_the_mean_over_its_sizes() -> None:
    # twice, half and exactly as much: two of three are off by ln 2
    assert _off([2.0, 0.5, 1.0]) == pytest.approx(2 / 3 * math.log(2))
