"""Where NCCL finds no way between two nodes the wiring may have one, and then it has a bound."""

from __future__ import annotations

import pytest

from tests.every_design import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Collective, Request
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.planner import plan_design

THROUGH_THE_THIRD = """\
toposmith: 1
groups:
  a: {part: dgx-h100, count: 1}
  b: {part: dgx-h100, count: 1}
  c: {part: dgx-h100, count: 1}
  one: {part: qm9700, count: 1}
  two: {part: qm9700, count: 1}
links:
  - {between: [a.compute, one], cables: 4}
  - {between: [b.compute, two], cables: 4}
  - {between: [c.compute, one], cables: 4}
  - {between: [c.compute, two], cables: 4}
"""
"""What a sends to b has to go through the GPUs of c: hardware can do that, NCCL does not."""


@pytest.mark.parametrize(
    ("collective", "bound_GBps"),
    [
        # 24 ranks; 16 shards enter a over 4 x 50 GB/s: x* = 12.5, busbw = 23 x*
        ("all_gather", 23 * 4 * 50 / 16),
        ("reduce_scatter", 23 * 4 * 50 / 16),
        # the message enters a once, reduced on the way: algbw = 200, busbw = 200 x 2 x 23 / 24
        ("all_reduce", 4 * 50 * 2 * 23 / 24),
        # 8 ranks of a receive from 16 others: 200 = 8 x 16 / 23 x busbw
        ("all_to_all", 4 * 50 * 23 / (8 * 16)),
        ("broadcast", 4 * 50),
        ("reduce", 4 * 50),
        ("send_recv", 4 * 50),
    ],
)
def test_a_wiring_has_its_bound_also_where_nccl_cannot_route(
    collective: Collective, bound_GBps: float
) -> None:
    design = parse_design(THROUGH_THE_THIRD, "test")
    figures = EvaluatedDesign(design, CATALOG, Request(collective)).analysis
    assert figures.busbw_GBps is None
    assert "unreachable" in [finding.code for finding in figures.findings]
    assert figures.bound_busbw_GBps == pytest.approx(bound_GBps)
    assert figures.bound_label.kind == "bound"


def test_a_node_without_any_cable_leaves_no_bound() -> None:
    cut_off = THROUGH_THE_THIRD.replace("  - {between: [b.compute, two], cables: 4}\n", "")
    figures = EvaluatedDesign(parse_design(cut_off, "test"), CATALOG).analysis
    assert figures.bound_busbw_GBps is None
    assert figures.bound_label.why == "some GPU cannot be reached"


def test_no_latency_is_named_between_nodes_of_which_some_are_cut_off() -> None:
    text = (
        "toposmith: 1\naxes: {rack: 2}\ngroups:\n"
        "  node: {part: dgx-h100, per: [rack], count: 2}\n  leaf: {part: qm9700, per: [rack]}\n"
        "links: [{between: [node.compute, leaf], length: 5}]\n"
    )
    catalog = CATALOG
    apart, joined = text, text.replace("qm9700, per: [rack]", "qm9700")
    paths = [
        analyse(plan_design(parse_design(each, "test"), catalog), catalog).path
        for each in (apart, joined)
    ]
    assert paths[0] is None
    assert paths[1] is not None
