"""What raises a figure where ports have run out: more leaves, a tier of spines, planes."""

from __future__ import annotations

import pytest

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.design.edits import set_count
from toposmith.evaluation import EvaluatedDesign
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.needs import figure_at_hand, sound_after
from toposmith.synthesis.raising_moves import more_uplinks, raising_moves, relieving_moves
from toposmith.synthesis.ranked_fixes import RankedFixes, ranked_fixes
from toposmith.synthesis.search_state import SearchState, twice_or_full

CATALOG = load_catalog()
EXCHANGE = Request(collective="all_to_all")


def racks(many: int, nodes: int, spines: int = 0, cables: int = 4) -> Design:
    """Racks of DGX H100, eight ports each, with one QM9700 of 64 ports in every rack."""
    groups = {
        "node": Group(part="dgx-h100", per=("rack",), count=nodes),
        "leaf": Group(part="qm9700", per=("rack",)),
    }
    links = [Link(between=("node.compute", "leaf"))]
    if spines:
        groups["spine"] = Group(part="qm9700", count=spines)
        links.append(Link(between=("leaf", "spine"), cables=cables))
    return Design(axes={"rack": many}, groups=groups, links=tuple(links))


def fixes(design: Design) -> RankedFixes:
    return ranked_fixes(EvaluatedDesign(design, CATALOG, EXCHANGE))


def test_racks_that_nothing_joins_get_spines_with_a_port_for_each_node_port() -> None:
    """4 leaves with 32 ports down: 32 up each, 128 in all, two spines of 64 ports."""
    found = {fix.label: fix for fix in fixes(racks(4, 4)).fixes}
    fix = found["add 2 spines, 16 cables from each leaf"]
    assert fix.purchase.bought("switch") == 2
    assert fix.limit == "node.compute - leaf"
    assert fix.design.links[-1].between == ("leaf", "spine")
    half = found["add 1 spine, 16 cables from each leaf"]
    assert half.after.value is not None
    assert fix.after.value is not None
    assert half.after.value < fix.after.value
    assert any(one.code == "single-spine" for one in half.added)


def test_full_leaves_are_doubled_below_the_new_spines() -> None:
    """128 nodes of 8 ports at 1:1 take 32 leaves and 16 spines of 64 ports (k = 64)."""
    last = fixes(racks(16, 8)).fixes[-1]
    counts = PlannedDesign.of(last.design, CATALOG).devices
    assert (counts["leaf"], counts["spine"]) == (32, 16)
    assert last.limit == "node.compute - leaf"


def test_leaves_whose_uplinks_have_run_out_of_ports_get_more_leaves() -> None:
    """48 of 64 ports are down and 16 up, 3:1; twice the leaves have 24 down and 32 up at most."""
    found = fixes(racks(16, 6, spines=8, cables=2))
    assert found.now.limit == "leaf - spine"
    double, whole = found.fixes[0], found.fixes[-1]
    assert double.purchase.bought("switch") == 16
    assert double.gain == pytest.approx(found.now.amount.value, rel=0.01)
    assert whole.limit == "node.compute - leaf"


def test_every_fix_gives_what_was_said_when_it_is_analysed_anew() -> None:
    for design in (racks(4, 4), racks(16, 8), racks(16, 6, spines=8, cables=2)):
        for fix in fixes(design).fixes:
            again = figure_at_hand(PlannedDesign.of(fix.design, CATALOG), EXCHANGE)
            assert again.amount.value == fix.after.value, fix.label


def test_planes_come_with_uplinks_in_the_ports_that_their_leaves_have_left() -> None:
    """In two planes a leaf has 24 of 48 ports down and 8 of 16 up: 32 are free."""
    before = PlannedDesign.of(racks(4, 6, spines=4), CATALOG)
    state = SearchState(before, frozenset({1}))
    edit = next(one for one in raising_moves(state) if one.label.endswith("into 2 planes"))
    more = [one.design for one in more_uplinks(state.after(edit), twice_or_full)]
    now = figure_at_hand(before, EXCHANGE)
    better = [
        (design.groups["spine"].count, design.links[1].cables)
        for design in more
        if (after := sound_after(before.plan, design, CATALOG)) is not None
        and figure_at_hand(after, EXCHANGE).exceeds(now)
    ]
    assert (edit.design.groups["spine"].count, edit.design.links[1].cables) == (2, 4)
    assert {(2, 8), (4, 4)} <= set(better)


def test_half_as_many_uplinks_carry_ports_of_half_their_speed() -> None:
    """48 ports of 200 Gb/s a leaf: twice the leaves have 24, which 12 uplinks of 400 carry.

    That is two to each of 8 spines; 8 to each are more than the leaves have ports for.
    """
    design = racks(2, 6, spines=8, cables=8)
    hdr = {"compute": FittedNics(part="connectx-6-hdr", count=8)}
    node = design.groups["node"].model_copy(update={"nics": hdr})
    slow = design.model_copy(update={"groups": {**design.groups, "node": node}})
    state = SearchState(PlannedDesign.of(slow, CATALOG), frozenset({1}))
    assert [link.speed_gbit for link in state.plan.links] == [200, 400]
    doubled = state.after(set_count(slow, "leaf", 2))
    assert doubled.overrun == {"leaf"}
    designs = [one.design for one in relieving_moves(doubled)]
    thinner = {one.links[1].cables for one in designs} - {8}
    assert 2 in thinner and not thinner & {1, 3}
