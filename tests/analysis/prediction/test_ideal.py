"""The textbook's floor under a curve: wire latency and the bound, and nothing of NCCL."""

from __future__ import annotations

import pytest

from toposmith.analysis.analyse import Questions, analyse
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()


def planned(text: str) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG)


FOUR = planned(
    "axes: {rail: 8}\n"
    "groups: {node: {part: dgx-a100, count: 4}, leaf: {part: qm8790, per: [rail]}}\n"
    "links: [{between: [node.compute, leaf], length: 10}]\n"
)


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "reduce_scatter"])
def test_no_prediction_is_quicker_than_the_textbook_on_the_wire(collective: Collective) -> None:
    found = Questions(FOUR, CATALOG).curve(Request(collective))
    assert found is not None
    for point in found.points:
        assert point.textbook_us is not None
        assert point.textbook_us <= point.time_us


def test_a_small_all_reduce_takes_one_wire_latency_a_doubling() -> None:
    # 32 ranks double five times; one switch, two cables of 10 m (0.1 us) and HDR NICs (0.6 us)
    found = Questions(FOUR, CATALOG).curve(Request())
    path = analyse(FOUR, CATALOG).path
    assert found is not None
    assert path is not None
    assert (path.hops, path.links) == (1, ("node.compute - leaf", "node.compute - leaf"))
    assert path.at_least_us >= 0.7
    assert found.points[0].textbook_us == pytest.approx(5 * path.at_least_us, rel=0.01)


@pytest.mark.parametrize("collective", ["broadcast", "all_to_all", "send_recv"])
def test_what_nccl_overlaps_has_no_floor(collective: Collective) -> None:
    found = Questions(FOUR, CATALOG).curve(Request(collective))
    assert found is not None
    assert all(point.textbook_us is None for point in found.points)


def test_inside_one_node_there_is_no_wire() -> None:
    found = Questions(planned("groups: {node: {part: dgx-a100}}\n"), CATALOG).curve(Request())
    assert found is not None
    assert all(point.textbook_us is None for point in found.points)
