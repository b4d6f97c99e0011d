"""What failures of a dragonfly cost is the same by what they change and by looking at all anew."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.analysis.traffic.test_row_sets import FABRICS
from tests.analysis.traffic.test_turned_fabrics import network
from toposmith.analysis.request import Request, Routing
from toposmith.catalog import load_catalog
from toposmith.review.failures import without as without_module
from toposmith.review.failures.breakable import Failure, Pick, failure_classes
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.without import DegradedDesign, Intact, intact, without

CATALOG = load_catalog()
FIGURES = ("all_reduce", "all_to_all", "broadcast", "send_recv")


def both_ways(start: Intact, *failures: Failure) -> tuple[DegradedDesign, DegradedDesign, bool]:
    """The outcome, what looking at all anew finds, and whether the first went by difference."""
    kept = without_module._by_difference(start, [s for f in failures for s in f.selectors], {})
    outcome = without(start, failures)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(without_module, "_by_difference", lambda *_: None)
        return outcome, without(start, failures), kept is not None


def same(one: DegradedDesign, other: DegradedDesign) -> None:
    assert (one.gpus_cut_off, one.parts) == (other.gpus_cut_off, other.parts)
    for found, expected in zip(one.kept, other.kept, strict=True):
        assert found.after_GBps == pytest.approx(expected.after_GBps, rel=1e-9)
        assert replace(found, after_GBps=None) == replace(expected, after_GBps=None)


@pytest.mark.parametrize(
    ("name", "size"),
    [("dragonfly", 2**16), ("even", 2**30), ("rings", 2**30), ("planes", 2**30)],
)
def test_every_single_failure_costs_the_same_both_ways(name: str, size: int) -> None:
    plan = network(FABRICS[name]).plan
    start = intact(plan, CATALOG, Request(message_bytes=size), FIGURES)
    assert start.by_difference
    kinds: set[str] = set()
    for each in failure_classes(start.network, CATALOG)[::3]:
        found, expected, by_difference = both_ways(start, each.member())
        same(found, expected)
        kinds |= {each.kind} if by_difference else set()
    assert {"node", "NIC", "cable", "leaf"} <= kinds


def test_adaptive_routing_loses_nothing_more_where_cables_are_single() -> None:
    request = Request(routing=Routing("adaptive"))
    start = intact(network(FABRICS["dragonfly"]).plan, CATALOG, request, FIGURES[:2])
    assert start.by_difference
    classes = failure_classes(start.network, CATALOG)
    for each in classes[:: len(classes) // 12]:
        found, expected, by_difference = both_ways(start, each.member())
        same(found, expected)
        assert by_difference
    parallel = intact(network(FABRICS["even"]).plan, CATALOG, request, FIGURES[:2])
    assert not parallel.by_difference


@pytest.mark.parametrize("text", [FABRICS["even"], FABRICS["rings"]], ids=["even", "rings"])
def test_failures_on_top_of_others_cost_the_same_both_ways(text: str) -> None:
    down = ["sw[g=1,r=1] - sw[g=1,r=2]", "node[g=2,r=0,node=0]", "node[g=3,r=2,node=1].compute[1]"]
    start = intact(network(text, *down).plan, CATALOG, Request(), FIGURES)
    classes = failure_classes(start.network, CATALOG)
    rng, looked_at = Random(7), 0
    for _ in range(25):
        pair = [each.member(Pick(rng)) for each in rng.sample(classes, 2)]
        found, expected, by_difference = both_ways(start, *pair)
        same(found, expected)
        looked_at += by_difference
    assert looked_at > 12


def test_a_node_that_keeps_one_nic_of_four_holds_an_exchange_back() -> None:
    start = intact(network(FABRICS["even"]).plan, CATALOG, Request(), FIGURES)
    ports = tuple(f"node[g=3,r=1,node=1].compute[{port}]" for port in (0, 1, 3))
    found, expected, by_difference = both_ways(start, Failure("set", "NICs", ports, 1))
    assert by_difference
    same(found, expected)
    assert found.kept[1].share < 0.6


def test_what_falls_apart_or_is_routed_otherwise_is_looked_at_anew() -> None:
    plan = network(FABRICS["dragonfly"]).plan
    start = intact(plan, CATALOG, Request(), FIGURES)
    lone = [f"sw[g=0,r=0] - sw[g={g}]" for g in range(9)]
    found, expected, by_difference = both_ways(start, Failure("set", "all", tuple(lone), 1))
    assert not by_difference
    same(found, expected)
    assert found.parts == 2
    for mode in ("detour", "static"):
        request = Request(routing=Routing(mode))
        assert not intact(plan, CATALOG, request, FIGURES[:1]).by_difference


def test_a_large_dragonfly_lets_many_more_classes_fail_by_difference() -> None:
    text = (
        "toposmith: 2\naxes: {g: 16, r: 10}\ngroups:\n"
        "  node: {part: gh200-quad, per: [g, r], count: 2}\n"
        "  sw: {part: slingshot-64p, per: [g, r]}\n"
        "links:\n  - {between: [node.compute, sw]}\n"
        "  - {between: [sw, sw], along: {r: other}}\n"
        "  - {between: [sw, sw], along: {g: other, r: dealt}, cables: 2}\n"
    )
    found = sweep(network(text).plan, CATALOG)
    assert found.complete
    assert not any("classes are looked at" in said for said in found.unseen)
    assert len(found.singles) > 100
