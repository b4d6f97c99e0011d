"""The share of the bound is of the bound that holds for what runs, and at most all of it."""

from __future__ import annotations

import pytest

from tests.analysis.test_labels import CATALOG, NODES, wirings
from tests.every_design import EVERY
from toposmith.analysis.analyse import Questions, analyse
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis, as_json
from toposmith.catalog import Node, load_catalog
from toposmith.collectives import COLLECTIVES
from toposmith.command.reports.analysis import analysis_report
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.text import bandwidth, percent

PARTS = load_catalog(user=False)


def judged(found: Analysis, where: str) -> None:
    """A share of at most 1 of the bound for what runs, or a reason; alike in JSON and in words."""
    told = as_json(found)
    assert told["share_of_bound"] == pytest.approx(found.share_of_bound), where
    share = found.share_of_bound
    if share is None:
        missing = found.busbw_GBps is None or found.bound.value is None
        assert missing or found.busbw_label.kind == "at most", where
        assert missing or told["labels"]["share_of_bound"]["why"], where
        return
    reduces = found.algorithm in ("nvls", "nvls_tree", "collnet_direct", "collnet_chain")
    summed = reduces and found.collective == "all_reduce"
    bound = told["bound_of_what_runs_GBps"]
    if found.algorithm == "nvls_tree":
        assert bound <= told["bound_with_reduction_GBps"], where
    else:
        held = told["bound_with_reduction_GBps" if summed else "bound_busbw_GBps"]
        assert bound == held, where
    assert share == pytest.approx(told["busbw_GBps"] / bound, rel=1e-6), where
    assert 0 < share <= 1, where


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_of_every_saved_design_and_template(name: str) -> None:
    asked = Questions(plan_design(EVERY[name], PARTS), PARTS)
    for collective in COLLECTIVES:
        for size in (2**20, 2**33):
            judged(asked.analysis(Request(collective, size)), f"{collective}, {size}")


@pytest.mark.slow
@pytest.mark.parametrize("node", NODES[::3], ids=lambda node: node.id)
def test_of_every_third_node_however_wired(node: Node) -> None:
    for wiring, plan in wirings(node).items():
        asked = Questions(plan, CATALOG)
        for collective in COLLECTIVES:
            found = asked.analysis(Request(collective, 2**36))
            judged(found, f"{wiring}, {collective}")
            assert "above-bound" not in {one.code for one in found.findings}, wiring


def test_of_a_rack_whose_switches_sum_up_it_is_what_each_gpu_takes_in_once() -> None:
    found = analyse(plan_design(EVERY["gb200-nvl72-rack"], PARTS), PARTS)
    # each of 72 GPUs takes the sum in once at 900 GB/s: busbw 900 x 2 x 71 / 72
    assert found.algorithm == "nvls"
    assert found.bound.value == pytest.approx(900 * 2 * 71 / 72)
    assert found.share_of_bound == pytest.approx((found.busbw_GBps or 0) / 1775)
    assert found.other_bound is not None and found.other_bound.value == pytest.approx(900)
    text = analysis_report(found, Request())
    assert f"share of the bound       {percent(found.share_of_bound)}" in text
    assert f"bound on busbw           {bandwidth(1775)} per GPU at line rate, where" in text
    assert "bound without reduction  900 GB/s per GPU at line rate, where no switch reduces" in text


def test_of_a_ring_it_is_what_no_schedule_without_reduction_exceeds() -> None:
    found = analyse(plan_design(EVERY["gb200-nvl72-rack"], PARTS), PARTS, Request(algorithm="ring"))
    assert found.bound.value == pytest.approx(900)
    assert found.share_of_bound == pytest.approx((found.busbw_GBps or 0) / 900)
    assert found.other_bound is not None and found.other_bound.value == pytest.approx(1775)


@pytest.mark.parametrize(("nodes", "algbw"), [(2, 400), (4, 400 * 4 / 6), (16, 400 * 16 / 30)])
def test_of_an_nvlstree_nodes_take_in_all_data_as_of_a_ring(nodes: int, algbw: float) -> None:
    text = f"""toposmith: 2
groups: {{node: {{part: dgx-h100, count: {nodes}}}, leaf: {{part: qm9700, count: 8}}}}
links: [{{between: [node.compute, leaf]}}]
"""
    plan = plan_design(parse_design(text, "test"), PARTS)
    asked = Request(algorithm="nvls_tree")
    found, ranks = analyse(plan, PARTS, asked), 8 * nodes
    # eight NICs of 50 GB/s a node; 2 (m - 1) receptions of each byte by m nodes, once by one
    assert found.algorithm == "nvls_tree"
    assert found.bound.value == pytest.approx(algbw * 2 * (ranks - 1) / ranks)
    assert found.bound.label.kind in ("bound", "assumed")
    text = analysis_report(found, asked)
    assert "where NVSwitches reduce" in text and "where no switch reduces" in text
