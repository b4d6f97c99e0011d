"""Modular switches are ordered as a chassis with its cards and supplies."""

from __future__ import annotations

from typing import Any

import pytest

from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import Module, Switch, load_catalog
from toposmith.catalog.kinds import kind_of
from toposmith.catalog.part_power import power_range
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.racks.placement import place

CATALOG = load_catalog()


def bill_of(groups: dict[str, Any]) -> Bill:
    design = Design.model_validate({"name": "chassis", "groups": groups})
    return make_bill(plan_design(design, CATALOG), CATALOG)


def test_cards_of_unlike_chassis_are_one_line() -> None:
    bill = bill_of({"a": {"part": "7804r3"}, "b": {"part": "7808r3"}})
    (cards,) = [line for line in bill.lines if line.part == "7800r3a-36d-lc"]
    assert (cards.quantity, cards.used_by) == (4 + 8, ("a", "b"))


def test_racks_know_what_a_chassis_draws_between_its_cards_and_its_supplies() -> None:
    bounds = power_range(CATALOG["7808r3"], CATALOG)
    assert (bounds.known_w, bounds.least_w, bounds.most_w) == (None, 10_804, 36_000)


def test_a_chassis_says_what_its_line_cards_cannot_have() -> None:
    switch = CATALOG["7808r3"]
    assert isinstance(switch, Switch)
    few = switch.model_copy(update={"modules": {"7800r3a-36d-lc": 7, "7060x6-32pe": 1}})
    faults = list(kind_of(few).faults(few, CATALOG))
    assert "modules: 7060x6-32pe is no module of this catalog" in faults
    assert "modules: line cards have 252 cages, the switch has 288" in faults


def joined(nodes: int, **more: Any) -> Bill:
    """So many nodes with eight links of 400 Gb/s each on one chassis of 36 cages a card."""
    data = {
        "groups": {
            "node": {"part": "bm-gpu-mi300x-8", "count": nodes},
            "spine": {"part": "7808r3"},
        },
        "links": [{"between": ["node.compute", "spine"]}],
        **more,
    }
    return make_bill(plan_design(Design.model_validate(data), CATALOG), CATALOG)


@pytest.mark.parametrize(("nodes", "cards"), [(1, 1), (4, 1), (5, 2), (9, 2), (10, 3), (36, 8)])
def test_as_many_line_cards_are_ordered_as_the_links_need(nodes: int, cards: int) -> None:
    # by hand: 8 cages a node, 36 cages a card; 9 nodes fill two cards to the last cage
    bill = joined(nodes)
    (chassis,) = [line for line in bill.lines if line.part == "7808r3"]
    ordered = {line.part: line.quantity for line in bill.lines if line.kind == "module"}
    assert ordered["7800r3a-36d-lc"] == cards
    assert (ordered["arista-7800-sup"], ordered["7808r3-fm"], ordered["pwr-d1-3041-ac"]) == (
        2,
        6,
        12,
    )
    words = f"{cards} of 8 line cards are ordered: {8 * nodes} of 288 cages are used"
    assert words in chassis.notes


def test_a_place_that_is_kept_for_an_absent_node_keeps_its_line_card() -> None:
    bill = joined(5, absent=["node[node=4]"])
    (cards,) = [line for line in bill.lines if line.part == "7800r3a-36d-lc"]
    assert cards.quantity == 2


def test_a_chassis_that_no_link_reaches_is_ordered_whole_and_says_why() -> None:
    bill = bill_of({"spine": {"part": "7808r3"}})
    (chassis,) = [line for line in bill.lines if line.part == "7808r3"]
    assert "all 8 line cards are ordered: no link takes a cage" in chassis.notes


def test_racks_reckon_with_the_cards_that_are_ordered() -> None:
    # 2 x 72 + 6 x 778 + 1 x 749 W
    data = {
        "groups": {"node": {"part": "bm-gpu-mi300x-8"}, "spine": {"part": "7808r3"}},
        "links": [{"between": ["node.compute", "spine"]}],
    }
    placement = place(plan_design(Design.model_validate(data), CATALOG), CATALOG)
    assert placement.devices["spine"].power.least_w == 5_561


def test_every_module_belongs_to_a_switch() -> None:
    named = {name for one in CATALOG.of_kind("switch") for name in one.modules}
    assert named == {one.id for one in CATALOG if isinstance(one, Module)}
