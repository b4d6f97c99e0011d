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


@pytest.mark.parametrize(
    ("chassis", "fabric", "cards", "supplies"),
    [("7804r3", "arista-7804-fm", 4, 8), ("7808r3", "7808r3-fm", 8, 12)],
)
def test_a_chassis_is_ordered_with_its_cards_and_supplies(
    chassis: str, fabric: str, cards: int, supplies: int
) -> None:
    bill = bill_of({"spine": {"part": chassis, "count": 3}})
    assert {line.part: line.quantity for line in bill.lines} == {
        chassis: 3,
        "arista-7800-sup": 3 * 2,
        fabric: 3 * 6,
        "7800r3a-36d-lc": 3 * cards,
        "pwr-d1-3041-ac": 3 * supplies,
    }
    assert all(line.used_by == ("spine",) for line in bill.lines)
    assert bill.rack_units.known == 3 * {"7804r3": 10, "7808r3": 16}[chassis]


def test_a_chassis_of_juniper_is_ordered_with_its_boards_and_supplies() -> None:
    bill = bill_of({"spine": {"part": "ptx10008", "count": 2}})
    assert {line.part_number: line.quantity for line in bill.lines} == {
        "JNP10008": 2,
        "JNP10K-RE1-E": 4,
        "JNP10008-SF3": 12,
        "PTX10K-LC1201-36CD": 16,
        "JNP10K-PWR-AC2": 12,
    }
    assert bill.rack_units.known == 2 * 13 and not bill.power_w.complete


def test_a_smaller_chassis_of_juniper_takes_as_many_boards_for_cards_of_14_tbps() -> None:
    # "a system populated with 14.4Tbps line cards requires 6 SIBs"; their number is not public
    bill = bill_of({"spine": {"part": "ptx10004", "count": 2}})
    assert {line.part: (line.quantity, line.part_number) for line in bill.lines} == {
        "ptx10004": (2, "PTX10004"),
        "jnp10k-re1-e": (4, "JNP10K-RE1-E"),
        "ptx10004-sib": (12, None),
        "ptx10k-lc1201-36cd": (8, "PTX10K-LC1201-36CD"),
        "jnp10k-pwr-ac2": (6, "JNP10K-PWR-AC2"),
    }
    assert bill.rack_units.known == 2 * 7 and not bill.power_w.complete


def test_cards_of_unlike_chassis_are_one_line() -> None:
    bill = bill_of({"a": {"part": "7804r3"}, "b": {"part": "7808r3"}})
    (cards,) = [line for line in bill.lines if line.part == "7800r3a-36d-lc"]
    assert (cards.quantity, cards.used_by) == (4 + 8, ("a", "b"))


def test_the_power_of_a_chassis_is_that_of_its_cards_once_and_at_least() -> None:
    # 2 x 72 + 6 x 778 + 8 x 749 W; what the chassis and its supplies draw is not known
    bill = bill_of({"spine": {"part": "7808r3"}})
    assert bill.power_w.known == bill.power_w.at_least == 10_804
    assert set(bill.power_w.lines_without) == {"7808r3", "pwr-d1-3041-ac"}


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
