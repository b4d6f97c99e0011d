"""Compute trays that are sold in whole racks say which, and what these hold besides."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.catalog import load_catalog
from toposmith.topology.bill.bill import make_bill
from toposmith.topology.design.document import Design
from toposmith.topology.fabric.planning import plan_design

CATALOG = load_catalog()


def note_of(part: str, racks: int, trays: int, absent: Sequence[str] = ()) -> str:
    design = Design.model_validate(
        {
            "name": "racks",
            "axes": {"rack": racks},
            "groups": {"tray": {"part": part, "per": ["rack"], "count": trays}},
            "absent": list(absent),
        }
    )
    bill = make_bill(plan_design(design, CATALOG), CATALOG)
    assert not bill.complete  # switch trays and shelves are not on it
    (line,) = bill.lines
    assert line.quantity == racks * (trays - len(absent))
    (note,) = [one for one in line.notes if one.startswith("sold as racks")]
    return note


def test_eight_full_racks_are_eight_to_order_with_what_they_hold_and_draw() -> None:
    assert note_of("gb300-nvl72-tray", 8, 18) == (
        "sold as racks GB300 NVL72 of 18: 8 of them; each also holds 9 x NVLink switch tray, "
        "8 x power shelf of 33 kW, 2 x SN2201 management switch, which are not on this bill; "
        "a rack as a whole: 142.0 kW"
    )


def test_a_rack_whose_power_nobody_published_says_so() -> None:
    note = note_of("gb200-nvl72-tray", 2, 18)
    assert "DGX GB200 of 18: 2 of them" in note
    assert note.endswith("power not in this catalog")


def test_racks_filled_in_part_are_no_count_to_order() -> None:
    # 9 racks of 16 trays are as many trays as 8 full racks have, and are not those
    assert "of 18: not drawn as whole ones" in note_of("gb300-nvl72-tray", 9, 16)


def test_a_rack_without_one_of_its_trays_is_not_whole() -> None:
    assert "not drawn as whole ones" in note_of("gb300-nvl72-tray", 18, 18, ["tray[tray=0]"])
