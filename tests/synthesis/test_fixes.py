"""The smallest changes that lift a figure, and what could be left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings

from tests.review.findings.test_rails_apart import apart_by_hand
from tests.small_designs import CATALOG as PARTS
from tests.small_designs import designs
from toposmith.analysis.request import Request, Routing
from toposmith.bill.terms import Terms
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.edits import set_cables, set_count
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.planned_design import PlannedDesign
from toposmith.saved_designs import saved_designs, saved_path
from toposmith.synthesis.left_out import what_can_be_left_out
from toposmith.synthesis.needs import read_needs
from toposmith.synthesis.next_change import order_words
from toposmith.synthesis.purchases import purchase, purchase_words
from toposmith.synthesis.raising_moves import raising_moves
from toposmith.synthesis.ranked_fixes import RankedFixes, by_purchase, ranked_fixes
from toposmith.synthesis.search_state import SearchState

CATALOG = load_catalog()


@cache
def saved(name: str, collective: str = "all_reduce") -> EvaluatedDesign:
    path = saved_path(name)
    assert path is not None
    return EvaluatedDesign(load_file(path).design, CATALOG, Request(collective=collective))


@cache
def fixes_of(name: str, collective: str = "all_reduce") -> RankedFixes:
    return ranked_fixes(saved(name, collective))


def analysed_anew(of: EvaluatedDesign, fix: object) -> float | None:
    """The figure of a fix's design, by a fresh analysis that shares nothing with the search."""
    fresh = EvaluatedDesign(fix.design, CATALOG, fix.request)  # type: ignore[attr-defined]
    return fresh.analysis.busbw_GBps


@pytest.mark.parametrize("name", [one.name for one in saved_designs() if "131072" not in one.name])
def test_a_fix_says_in_its_row_where_it_leaves_rails_apart(name: str) -> None:
    """Held against the fabric after it, device by device."""
    before = saved(name)
    if before.analysis.gpus > 4096 or apart_by_hand(before.plan):
        return
    for fix in fixes_of(name).fixes:
        after = PlannedDesign.of(fix.design, CATALOG).plan
        assert ("rails not joined" in fix.label) == bool(apart_by_hand(after)), fix.label


def test_what_joins_the_rails_stands_behind_what_leaves_them_apart() -> None:
    """Eight NICs a node on several leaves: as much busbw with spines, at their price."""
    fixes = fixes_of("a100-rack-1x100gbe").fixes
    places = [at for at, fix in enumerate(fixes) if fix.needs.apart]
    assert places
    for at in places:
        apart, joined = fixes[at], fixes[at + 1]
        assert "spine" in joined.label and not joined.needs.apart
        assert joined.after.value == pytest.approx(apart.after.value)
        assert joined.purchase.bought("switch") > apart.purchase.bought("switch")


def test_seven_uplinks_a_spine_carry_what_sixteen_200gbe_nics_send() -> None:
    """16 NICs of 25 GB/s below; of all-to-all 3/4 leaves a rack of 2 nodes of 8, NICs see 7/8.

    The NICs are full at t, where each sends t; of that 48/56 = 6/7 leaves the rack. 16 x 6/7 = 13.7
    uplinks: with two spines 7 cables each, and not 6.
    """
    found = fixes_of("hgx-a100-64gpu-roce-2to1", "all_to_all")
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
    for fix in fixes_of(name, collective).fixes:
        assert analysed_anew(of, fix) == fix.after.value
        assert fix.after.value > fix.before.value
        plan = EvaluatedDesign(fix.design, CATALOG).plan
        assert not [f for f in (*plan.findings, *port_findings(plan)) if f.severity == "error"]


ONE_NIC = """\
toposmith: 1
groups:
  node: {part: %s, count: 4, nics: {compute: {part: %s, count: 1}}}
  leaf: {part: %s}
links:
  - {between: [node.compute, leaf], cables: 1}
"""
"""Nodes of eight slots with one NIC, of which one port is cabled."""

CARDS = [
    ("hgx-a100-8", "connectx-6-dx-100gbe", "sn2700"),
    ("hgx-a100-8", "connectx-4-100gbe-2p", "sn2700"),
    ("hgx-a100-8", "connectx-6-hdr", "qm8700"),
    ("hgx-h100-8", "connectx-7-ndr", "qm9700"),
]
"""Nodes, a NIC of one port or of two, and a switch with 32 ports of its speed and more."""


@cache
def one_nic(node: str, nic: str, leaf: str) -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(ONE_NIC % (node, nic, leaf), "test"), CATALOG)


@cache
def fixes_of_one_nic(node: str, nic: str, leaf: str) -> RankedFixes:
    return ranked_fixes(one_nic(node, nic, leaf))


@pytest.mark.parametrize(("node", "nic", "leaf"), CARDS)
def test_more_of_the_same_card_into_free_slots_is_among_the_fixes(
    node: str, nic: str, leaf: str
) -> None:
    """2, 4 and 8 cards carry as many times what one does, where 32 ports take all of their cables.

    The card of two ports is held to one of them by its PCIe 3 slot.
    """
    of, ports = one_nic(node, nic, leaf), 2 if nic.endswith("-2p") else 1
    same = {
        fix.design.groups["node"].nics["compute"].count: fix
        for fix in fixes_of_one_nic(node, nic, leaf).fixes
        if fix.design.groups["node"].nics["compute"].part == nic
        and fix.design.groups["leaf"] == of.design.groups["leaf"]
    }
    assert sorted(same) == [many for many in (2, 4, 8) if 4 * ports * many <= 32]
    for many, fix in same.items():
        assert fix.design.links[0].cables == ports * many
        assert fix.purchase.bought("nic") == 4 * (many - 1)
        assert not any(fix.purchase.returned(kind) for kind in ("switch", "nic"))
        if "channels" not in fix.limit:
            assert fix.after.value == pytest.approx(many * (fix.before.value or 0), rel=0.01)
        assert fix.after.value == analysed_anew(of, fix)


def test_seven_more_of_the_same_card_are_proposed_to_the_commonest_mistake() -> None:
    counts = [
        fix.design.groups["node"].nics["compute"].count
        for fix in fixes_of("a100-rack-1x100gbe").fixes
        if fix.purchase.returned("nic") == fix.purchase.returned("switch") == 0
    ]
    assert counts[:2] == [2, 4]  # eight would take 64 ports of a switch that has 32


@pytest.mark.parametrize(("node", "nic", "leaf"), CARDS)
def test_a_card_below_its_speed_stands_after_one_that_gives_the_same_at_its_own(
    node: str, nic: str, leaf: str
) -> None:
    fixes = fixes_of_one_nic(node, nic, leaf).fixes
    slowed = ["nic-slowed" in [one.code for one in fix.added] for fix in fixes]
    for at, fix in enumerate(fixes):
        same = [
            place
            for place, other in enumerate(fixes)
            if not slowed[place] and other.after.value == pytest.approx(fix.after.value, rel=1e-3)
        ]
        assert not slowed[at] or not same or same[0] < at
    assert not slowed[0]


RAILS_3_TO_1 = """\
toposmith: 1
axes: {su: 2, rail: 4}
groups:
  node:
    part: hgx-h100-8
    per: [su]
    count: 12
    nics: {compute: {part: connectx-7-ndr, count: 4}}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
"""
"""Four NICs of eight GPUs on four rails, 3:1: 12 cables down, 4 up. With eight NICs it is 6:1."""


def rails_3_to_1(collective: str) -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(RAILS_3_TO_1, "test"), CATALOG, Request(collective))


def bought(fix: object) -> tuple[int, ...]:
    """Nodes, switches, NICs, cables with fibres and modules that a fix buys, by its own parts."""
    of = fix.purchase  # type: ignore[attr-defined]
    kinds = (("node",), ("switch",), ("nic",), ("cable", "fibre"), ("transceiver",))
    return tuple(
        sum(part.buy for part in of.parts if of.kinds[part.part] in kind and part.buy > 0)
        for kind in kinds
    )


@pytest.mark.parametrize("collective", ["all_reduce", "all_to_all"])
@pytest.mark.parametrize("text", [RAILS_3_TO_1, ONE_NIC % CARDS[0], ONE_NIC % CARDS[3]])
def test_without_prices_fixes_stand_by_what_they_buy_the_dearest_parts_first(
    text: str, collective: str
) -> None:
    of = EvaluatedDesign(parse_design(text, "test"), CATALOG, Request(collective=collective))
    fixes = [fix for fix in ranked_fixes(of).fixes if not fix.needs.slowed]
    assert len(fixes) > 1 or text is RAILS_3_TO_1
    assert [bought(fix) for fix in fixes] == sorted(bought(fix) for fix in fixes)


def test_the_order_of_fixes_is_said_where_there_are_several() -> None:
    several, one = fixes_of_one_nic(*CARDS[0]), ranked_fixes(rails_3_to_1("all_reduce"))
    assert order_words(several).startswith("the smallest first: by switches to buy, then NICs")
    assert (len(one.fixes), order_words(one)) == (1, "")
    parts = {part.id for part in CATALOG}
    price = Price(Decimal(100), "USD", date(2026, 1, 1), "test")
    terms = Terms(prices=PriceList(dict.fromkeys(parts, price)))
    priced = ranked_fixes(replace(several.of, terms=terms))
    assert order_words(priced) == "the cheapest first"


@pytest.mark.parametrize("name", ["a100-rack-1x100gbe", "hgx-a100-64gpu-roce-2to1"])
@pytest.mark.parametrize("collective", ["all_reduce", "all_to_all"])
def test_what_does_not_stand_in_the_order_that_is_said_is_said(name: str, collective: str) -> None:
    found = fixes_of(name, collective)
    said = order_words(found)
    assert ("; " in said) == (list(found.fixes) != sorted(found.fixes, key=by_purchase)), said
    joins = "right behind what leaves rails unjoined, what joins them and gives as much"
    assert (joins in said) == (name == "a100-rack-1x100gbe")


def test_a_fibre_with_its_modules_counts_as_the_cable_that_it_is() -> None:
    """Six cables to a spine are pairs in twin-port cables; seven are modules and fibres."""
    each = EvaluatedDesign(
        parse_design(RAILS_3_TO_1 + "bill: {cabling: cheapest}\n", "test"),
        CATALOG,
        Request("all_to_all"),
    )
    thicker = [fix for fix in ranked_fixes(each).fixes if "NIC" not in fix.label]
    labels = [fix.label[:8] for fix in thicker if "ConnectX" not in fix.label]
    assert labels == ["6 cables", "7 cables"]  # five buy more than six and give less


def test_a_dearer_fix_gives_more() -> None:
    """Or keeps devices that the cheaper one gives back, its cards their speed, its rails joined."""
    fixes = fixes_of("a100-rack-1x100gbe").fixes
    assert len(fixes) >= 3
    for one in fixes:
        for other in fixes:
            if one is not other and one.after.value >= other.after.value:
                counts = zip(costs(one), costs(other), strict=True)
                assert any(mine > theirs for mine, theirs in counts)


def costs(fix: object) -> tuple[int, ...]:
    returned = fix.purchase.returned  # type: ignore[attr-defined]
    devices = (returned("switch"), returned("nic"))
    return (*bought(fix), *devices, int(fix.needs.slowed), int(fix.needs.apart))  # type: ignore[attr-defined]


def test_two_ports_of_100gbe_a_node_carry_twice_as_much() -> None:
    """The least that lifts it: a second port in the slot, of a node whose one NIC limits."""
    found = fixes_of("a100-rack-1x100gbe")
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
    tried = {edit.label: edit for edit in raising_moves(SearchState(planned))}
    after = PlannedDesign.of(tried["divide leaf, spine into 2 planes"].design, CATALOG)
    link = after.plan.links[0]
    assert after.devices["leaf"] == 2 * planned.devices["leaf"]
    assert link.cables_per_pair == 4  # of eight NICs, on two leaves of a rack
