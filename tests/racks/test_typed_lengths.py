"""Lengths that a design types against the way between its racks."""

from __future__ import annotations

import pytest

from tests.every_design import EVERY
from tests.review.reviewing import CATALOG, reviewed
from toposmith.design.document import Design
from toposmith.design.placement_block import PlacementBlock
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.racks.rack_checks import short_lengths

PLACED = """\
groups:
  node: {{part: dgx-h100, count: 1}}
  leaf: {{part: qm9700}}
links: [{{between: [node.compute, leaf], length: {length}}}]
placement:
  units: 42
  devices:
    "node[node=0]": {{rack: A01, unit: 1}}
    "leaf": {{rack: {rack}, unit: {unit}}}
"""


def short_in(text: str) -> list[Finding]:
    return [one for one in reviewed(text) if one.code == "length-short"]


# From the middle of the node, 8 U from U 1 on, to the tray: (42 - 4) x 44.45 mm + 0.3 m = 1.99 m;
# from the leaf in U 1: (42 - 0.5) x 44.45 mm + 0.3 m = 2.14 m; four racks of 0.6 m between them,
# half of one at each end: 1.99 + 2.14 + 2.4 + 0.6 = 7.13 m, with 0.5 m of slack 7.63, sold as 8.
@pytest.mark.parametrize(("length", "is_short"), [(1, True), (6, True), (7.2, False), (8, False)])
def test_seven_metres_join_racks_four_apart_and_six_do_not(length: float, is_short: bool) -> None:
    found = short_in(PLACED.format(length=length, rack="A05", unit=1))
    assert bool(found) == is_short
    for one in found:
        assert one.severity == "error"
        assert one.figure == f"{length:g} m of 8 m"
        assert "up to 8 m, and 8 of 8 cables" in one.text
        assert one.fix and one.fix.startswith("`length: 8`")


# in one rack: middles 4.0 U and 9.5 U are 0.24 m apart
@pytest.mark.parametrize(("length", "is_short"), [(0.3, False), (0.5, False)])
def test_half_a_metre_joins_a_leaf_above_its_node(length: float, is_short: bool) -> None:
    assert bool(short_in(PLACED.format(length=length, rack="A01", unit=10))) == is_short


FILLED = """\
axes: {{rail: 8}}
groups:
  node: {{part: dgx-h100, count: {nodes}}}
  leaf: {{part: qm9700, per: [rail]}}
links: [{{between: [node.compute, leaf], length: {length}}}]
"""


def test_one_metre_is_an_error_where_no_racks_hold_all_nodes_so_near() -> None:
    # 32 x 8 U are six racks of 48 U; within a metre of a leaf stand its own rack and two more
    (one,) = short_in(FILLED.format(nodes=32, length=1))
    assert one.severity == "error"
    assert "node x 32, to which one device is cabled, take 8 racks by default" in one.text


def test_three_metres_are_a_warning_where_taller_racks_could_stand_so_near() -> None:
    # eight racks of four nodes: up and down 2 x 0.3 m, past three nodes of 8 U 1.07 m; with the
    # 1.33 m that are left five racks are reached
    (one,) = short_in(FILLED.format(nodes=32, length=3))
    assert one.severity == "warning"
    # four racks to either side, 2.4 m: 0.6 + 1.07 + 2.4 m, and 0.5 m of slack, as 5 m; but 2.4 m
    # is also the way to the next row
    assert one.figure == "3 m of 5 m"
    assert short_in(FILLED.format(nodes=32, length=5)) == []
    assert short_in(FILLED.format(nodes=4, length=1)) == []


def short(planned: PlannedDesign) -> list[Finding]:
    given = planned.plan, CATALOG, planned.placement, planned.runs
    return list(short_lengths(*given))


def typed(design: Design, lengths: dict[int, float]) -> Design:
    links = [
        link.model_copy(update={"length": lengths.get(at, link.length)})
        for at, link in enumerate(design.links)
    ]
    return design.model_copy(update={"links": tuple(links)})


@pytest.mark.parametrize("name", EVERY)
def test_no_design_that_comes_along_is_said_to_be_short(name: str) -> None:
    planned = PlannedDesign.of(EVERY[name], CATALOG)
    assert "length-short" not in {one.code for one in planned.bill().findings}
    # nor is it with the longest way of each link typed, as a cautious buyer does
    longest: dict[int, float] = {}
    for run in planned.runs:
        longest[run.link] = max(run.length_m, longest.get(run.link, 0.0))
    same = PlannedDesign.of(typed(EVERY[name], longest), CATALOG)
    assert not short(same)


@pytest.mark.parametrize(
    "name", ["dgx-h100-superpod-1su", "leaf-spine", "hgx-a100-64gpu-roce-2to1"]
)
def test_in_placed_racks_less_than_the_longest_way_but_slack_is_short(name: str) -> None:
    block = EVERY[name].placement or PlacementBlock(units=42)
    placed = EVERY[name].model_copy(update={"placement": block})
    planned = PlannedDesign.of(placed, CATALOG)
    for link in planned.plan.links:
        ways = [run.length_m for run in planned.runs if run.link == link.index]
        if max(ways) <= 5:  # may go straight to the next rack
            continue
        # of a way 0.5 m are slack, 0.6 m the sides of racks, and less than 1 m is rounded up
        for less, is_short in ((0.0, False), (0.5, False), (2.2, True)):
            tried = PlannedDesign.of(typed(placed, {link.index: max(ways) - less}), CATALOG)
            found = short(tried)
            assert bool(found) == is_short, (link.label, less)


@pytest.mark.parametrize("name", ["dgx-h100-superpod-4su", "leaf-spine"])
def test_in_racks_filled_by_default_more_than_three_metres_less_is_a_warning(name: str) -> None:
    unplaced = EVERY[name].model_copy(update={"placement": None})
    planned = PlannedDesign.of(unplaced, CATALOG)
    said = 0
    for link in planned.plan.links:
        ways = [run for run in planned.runs if run.link == link.index]
        longest = max(run.length_m for run in ways)  # 0.5 m of it are slack
        for less, is_short in ((3.5, False), (3.6, True)):
            length = longest - less
            tried = PlannedDesign.of(typed(unplaced, {link.index: length}), CATALOG)
            found = short(tried)
            default = [one for one in found if "by_default" in one.values]
            if found and not default:
                continue  # fewer racks would do that, and are named
            assert bool(default) == is_short, (link.label, less)
            for one in default:
                said += 1
                reach = sum(run.connections for run in ways if run.length_m > length)
                assert one.severity == "warning"
                assert one.figure == f"{length:g} m of {longest:g} m"
                assert f"filled by default, is up to {longest:g} m" in one.text
                assert f" {reach:,} of " in one.text
    assert said
