"""Each failure's figure is that of the fabric expanded device by device without what failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given, settings

from tests.asking import ring_at_large_sizes
from tests.expanded import Expanded, Vertex
from tests.small_designs import CATALOG, designs
from toposmith.analysis.analyse import Questions
from toposmith.collectives import busbw_factor
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.breakable import Pick, failure_classes
from toposmith.review.failures.sweep import COLLECTIVES, sweep
from toposmith.review.failures.without import DegradedDesign, intact, without


def parts_of(expanded: Expanded) -> list[set[Vertex]]:
    """For each node, itself and the nodes that it can send to."""
    found: dict[Vertex, set[Vertex]] = {node: {node} for node in expanded.nodes}
    for target in expanded.nodes:
        for nic in [v for v in expanded.graph.neighbors(target) if v[0] == "nic"]:
            if nic in expanded.nics(target):
                for sender in set(expanded.nodes) & set(expanded.reaching(nic)):
                    found[sender].add(target)
    return list(found.values())


def also_down(plan: Plan, selectors: Iterator[str] | tuple[str, ...]) -> Plan:
    down = (*plan.design.down, *selectors)
    return plan_design(plan.design.model_copy(update={"down": down}), CATALOG)


def alike(found: Sequence[float | None], answer: Sequence[float | None]) -> bool:
    def known(figures: Sequence[float | None]) -> list[float]:
        return [-1.0 if figure is None else figure for figure in figures]

    return known(found) == pytest.approx(known(answer), rel=1e-6)


def instance(plan: Plan, node: Vertex) -> str:
    axes = zip(plan.groups[node[1]].axes, node[2], strict=True)
    return f"{node[1]}[{','.join(f'{axis}={value}' for axis, value in axes)}]"


def check(plan: Plan, whole: Expanded, outcome: DegradedDesign) -> None:
    selectors = tuple(text for failure in outcome.failures for text in failure.selectors)
    failed = also_down(plan, selectors)
    assert failed.findings == plan.findings  # every selector can be read
    expanded = Expanded(failed)
    parts = parts_of(expanded)
    gpus = [sum(expanded.gpus[node] for node in part) for part in parts]
    assert outcome.gpus_cut_off == whole.total - max(gpus, default=0)
    largest = {frozenset(p) for p, many in zip(parts, gpus, strict=True) if many == max(gpus)}
    if not largest:
        return
    # equal parts may differ in their figures; any of them is an answer
    apart = len(whole.nodes) > 1
    answers = [
        # what one node does by itself is nothing of what ran between nodes
        tuple(None for _ in COLLECTIVES)
        if apart and len(part) == 1
        else figures(failed, expanded, part)
        for part in largest
    ]
    found = tuple(kept.after_GBps for kept in outcome.kept)
    assert any(alike(found, answer) for answer in answers), (found, answers)


def figures(failed: Plan, expanded: Expanded, part: frozenset[Vertex]) -> tuple[float | None, ...]:
    """All-reduce and all-to-all of the nodes of a part, their links' loads held to the oracle."""
    others = tuple(instance(failed, node) for node in expanded.nodes if node not in part)
    alone = also_down(failed, others) if others else failed
    oracle = Expanded(alone) if others else expanded
    questions = Questions(alone, CATALOG)
    answers: list[float | None] = []
    for collective in COLLECTIVES:
        asked = ring_at_large_sizes(collective)
        answers.append(questions.prediction(asked).busbw_GBps)
        predictor = questions.of(asked).predictor
        if predictor is None or len(oracle.nodes) < 2:
            continue
        outcome = predictor.at(asked.message_bytes)
        nics = min(len(oracle.nics(node)) for node in oracle.nodes)
        if collective == "all_to_all":
            loads, unit = oracle.all_to_all(), 1.0
        else:
            loads, unit = oracle.ring(), busbw_factor("all_reduce", oracle.total) / nics
        assert loads is not None
        fullest: dict[int, float] = {}
        for load in (demand.load(outcome.algbw_GBps) for demand in outcome.demands):
            assert load.utilization <= 1 + 1e-9
            if load.index is not None:  # slow cables of a link have a row of their own
                fullest[load.index] = max(fullest.get(load.index, 0.0), load.load_GBps)
        for index, found in fullest.items():
            expected = loads.get(index, 0.0) * unit * outcome.algbw_GBps
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    return tuple(answers)


@pytest.mark.slow
@settings(max_examples=10)
@given(designs())
def test_every_single_failure_is_that_of_the_expansion(plan: Plan) -> None:
    whole = Expanded(plan)
    for outcome in sweep(plan, CATALOG, ring_at_large_sizes()).singles:
        check(plan, whole, outcome)


@pytest.mark.slow
@settings(max_examples=10)
@given(designs())
def test_double_failures_are_those_of_the_expansion(plan: Plan) -> None:
    whole = Expanded(plan)
    for outcome in sweep(plan, CATALOG, ring_at_large_sizes(), doubles=3, seed=1).doubles:
        check(plan, whole, outcome)


@pytest.mark.slow
@settings(max_examples=20)
@given(designs())
def test_any_member_of_a_class_fails_as_the_first_does(plan: Plan) -> None:
    start = intact(plan, CATALOG, ring_at_large_sizes(), COLLECTIVES)
    if not start.gpus:
        return
    for each in failure_classes(start.network, CATALOG):
        one, another = each.member(), each.member(Pick(Random(1)))
        if one != another:
            first, other = without(start, [one]), without(start, [another])
            assert other.gpus_cut_off == first.gpus_cut_off, (first, other)
            assert other.parts == first.parts
            shares = [kept.after_GBps for kept in other.kept]
            assert alike(shares, [kept.after_GBps for kept in first.kept]), (first, other)
