"""The smallest changes that lift a figure, and what could be left out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings

from tests.topology.small_designs import CATALOG as PARTS
from tests.topology.small_designs import designs
from toposmith.catalog import load_catalog
from toposmith.saved_designs import saved_path
from toposmith.topology.analysis.request import Request, Routing
from toposmith.topology.bill.terms import Terms
from toposmith.topology.design.edits import set_cables, set_count
from toposmith.topology.design.stored_files import load_file
from toposmith.topology.errors import EditError
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.fabric.ports import port_findings
from toposmith.topology.planned_design import PlannedDesign
from toposmith.topology.synthesis.left_out import what_can_be_left_out
from toposmith.topology.synthesis.needs import read_needs
from toposmith.topology.synthesis.purchases import purchase, purchase_words
from toposmith.topology.synthesis.raising import raising_edits
from toposmith.topology.synthesis.ranked_fixes import ranked_fixes

CATALOG = load_catalog()


@cache
def saved(name: str, collective: str = "all_reduce") -> EvaluatedDesign:
    path = saved_path(name)
    assert path is not None
    return EvaluatedDesign(load_file(path).design, CATALOG, Request(collective=collective))


def analysed_anew(of: EvaluatedDesign, fix: object) -> float | None:
    """The figure of a fix's design, by a fresh analysis that shares nothing with the search."""
    fresh = EvaluatedDesign(fix.design, CATALOG, fix.request)  # type: ignore[attr-defined]
    return fresh.analysis.busbw_GBps


def test_seven_uplinks_a_spine_carry_what_sixteen_200gbe_nics_send() -> None:
    """16 NICs of 25 GB/s below; of all-to-all 3/4 leaves a rack of 2 nodes of 8, NICs see 7/8.

    The NICs are full at t, where each sends t; of that 48/56 = 6/7 leaves the rack. 16 x 6/7 = 13.7
    uplinks: with two spines 7 cables each, and not 6.
    """
    found = ranked_fixes(saved("hgx-a100-64gpu-roce-2to1", "all_to_all"))
    cables = [fix for fix in found.fixes if "cables" in fix.label]
    assert [fix.label for fix in cables] == [
        "5 cables instead of 4 for each leaf - spine",
        "6 cables instead of 4 for each leaf - spine",
        "7 cables instead of 4 for each leaf - spine",
    ]
    assert [fix.purchase.bought("cable") for fix in cables] == [8, 16, 24]
    assert "node.compute - leaf" in cables[-1].limit


@pytest.mark.parametrize("collective", ["all_reduce", "all_to_all"])
@pytest.mark.parametrize("name", ["a100-rack-1x100gbe", "hgx-a100-64gpu-roce-2to1"])
def test_a_fix_analysed_anew_gives_what_it_said_to_the_digit(name: str, collective: str) -> None:
    of = saved(name, collective)
    for fix in ranked_fixes(of).fixes:
        assert analysed_anew(of, fix) == fix.after.value
        assert fix.after.value > fix.before.value
        plan = EvaluatedDesign(fix.design, CATALOG).plan
        assert not [f for f in (*plan.findings, *port_findings(plan)) if f.severity == "error"]


def test_a_dearer_fix_gives_more() -> None:
    fixes = ranked_fixes(saved("a100-rack-1x100gbe")).fixes
    assert len(fixes) >= 3
    for one in fixes:
        for other in fixes:
            if one is not other and one.after.value >= other.after.value:
                counts = zip(one.purchase.order[2:], other.purchase.order[2:], strict=True)
                assert any(mine > theirs for mine, theirs in counts)


def test_two_ports_of_100gbe_a_node_carry_twice_as_much() -> None:
    """The least that lifts it: a second port in the slot, of a node whose one NIC limits."""
    found = ranked_fixes(saved("a100-rack-1x100gbe"))
    first = found.fixes[0]
    assert first.after.value == pytest.approx(2 * first.before.value, rel=0.01)
    assert first.purchase.bought("nic") == 8


def test_static_routing_is_helped_by_settings_before_anything_is_bought() -> None:
    of = saved("hgx-a100-64gpu-roce-2to1")
    found = ranked_fixes(replace(of, request=Request(routing=Routing("static"))))
    assert "NCCL_IB_QPS_PER_CONNECTION=2" in found.fixes[0].label
    assert found.fixes[0].purchase.parts == ()
    assert analysed_anew(of, found.fixes[0]) == found.fixes[0].after.value


def test_a_network_that_does_not_limit_has_no_fix_but_can_lose_spines() -> None:
    of = saved("dgx-h100-superpod-4su")
    found = ranked_fixes(of)
    assert found.now.limited_by == "channels"
    assert found.fixes == ()
    spares = what_can_be_left_out(of)
    spines = next(one for one in spares.left_out if one.what == "spine")
    least = spines.design.groups["spine"].count
    fewer = set_count(of.design, "spine", least - 1).design
    assert EvaluatedDesign(spines.design, CATALOG).analysis.busbw_GBps == of.analysis.busbw_GBps
    assert EvaluatedDesign(fewer, CATALOG).analysis.busbw_GBps < of.analysis.busbw_GBps
    assert [pair.collective for pair in spines.suffers] == ["all_to_all"]


def test_both_figures_held_leave_every_spine_where_it_is() -> None:
    of = saved("hgx-a100-64gpu-roce-2to1")
    needs = {"all_reduce": 189.0, "all_to_all": 15.7}
    found = what_can_be_left_out(of, needs)
    for left in found.left_out:
        for collective, floor in needs.items():
            fresh = EvaluatedDesign(left.design, CATALOG, Request(collective=collective))
            assert fresh.analysis.busbw_GBps >= floor
    # 8 uplinks a leaf are needed, and one spine has the 32 ports for all four leaves
    assert [left.design.groups["spine"].count for left in found.left_out] == [1]


def test_a_need_that_is_not_met_is_said() -> None:
    found = what_can_be_left_out(saved("a100-rack-1x100gbe"), {"all_reduce": 100.0})
    assert list(found.unmet) == ["all_reduce"]
    assert found.left_out == ()


def test_the_worst_failure_of_one_spine_is_named() -> None:
    found = what_can_be_left_out(saved("hgx-a100-64gpu-roce-2to1"), failures=True)
    assert "cuts off 48 of 64 GPUs" in found.left_out[0].after_failure


def test_what_a_change_buys_is_the_difference_of_two_bills() -> None:
    of = saved("hgx-a100-64gpu-roce-2to1")
    more = EvaluatedDesign(set_cables(of.design, 1, 5).design, CATALOG)
    assert purchase(of, more).bought("cable") == 4 * 2
    assert purchase(more, of).returned("cable") == 4 * 2
    assert purchase_words(purchase(of, of)) == "nothing to buy"


def test_prices_decide_where_there_are_some() -> None:
    from datetime import date
    from decimal import Decimal

    from toposmith.catalog.prices import Price, PriceList

    of = saved("hgx-a100-64gpu-roce-2to1", "all_to_all")
    lines = {part.id for part in CATALOG if part.kind in ("switch", "cable", "nic")}
    price = Price(Decimal(100), "USD", date(2026, 1, 1), "test")
    priced = replace(of, terms=Terms(prices=PriceList(dict.fromkeys(lines, price))))
    found = ranked_fixes(priced)
    assert [fix.purchase.price for fix in found.fixes][:3] == [
        (Decimal(800), "USD"),
        (Decimal(1600), "USD"),
        (Decimal(2400), "USD"),
    ]


@given(designs())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_fixes_of_random_designs_hold_when_analysed_anew(plan: Plan) -> None:
    of = EvaluatedDesign(plan.design, PARTS)
    for fix in ranked_fixes(of, most_tried=12).fixes:
        fresh = EvaluatedDesign(fix.design, PARTS, fix.request)
        assert fresh.analysis.busbw_GBps == fix.after.value


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["all_reduce"], "write COLLECTIVE=GB/s"),
        (["fly=3"], "all_reduce"),
        (["all_reduce=-1"], "above 0"),
        (["all_reduce=nan"], "above 0"),
        (["all_reduce=1", "all-reduce=2"], "twice"),
    ],
)
def test_a_need_that_cannot_be_read_says_what_would_be_right(texts: list[str], words: str) -> None:
    with pytest.raises(EditError, match=words):
        read_needs(texts)


def test_planes_are_tried_and_each_has_half_of_a_nodes_ports() -> None:
    planned = saved("hgx-a100-64gpu-roce-2to1").planned
    tried = {edit.label: edit for edit in raising_edits(planned, ())}
    after = PlannedDesign.of(tried["divide leaf, spine into 2 planes"].design, CATALOG)
    link = after.plan.links[0]
    assert after.devices["leaf"] == 2 * planned.devices["leaf"]
    assert link.cables_per_pair == 4  # of eight NICs, on two leaves of a rack
