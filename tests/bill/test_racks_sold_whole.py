"""Trays that make whole racks are ordered as these, each one line with what it holds beneath it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from toposmith.bill.bill import Bill, make_bill, placed_bill
from toposmith.bill.bill_reader import read_bill, read_bill_workbook
from toposmith.bill.sheet_form import BILL_ENDINGS, bill_bytes, requests
from toposmith.bill.terms import Terms
from toposmith.bill.verification import differences
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import read_prices
from toposmith.design.document import Design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.racks.placement import place
from toposmith.racks.rack_checks import rack_findings
from toposmith.racks.rack_loads import elevations

CATALOG = load_catalog()


def planned(part: str, racks: int, trays: int, absent: Sequence[str] = (), **more: object) -> Plan:
    data = {
        "name": "racks",
        "axes": {"rack": racks},
        "groups": {"tray": {"part": part, "per": ["rack"], "count": trays}},
        "absent": list(absent),
        **more,
    }
    return plan_design(Design.model_validate(data), CATALOG)


def bill_of(part: str, racks: int, trays: int, absent: Sequence[str] = ()) -> Bill:
    return make_bill(planned(part, racks, trays, absent), CATALOG)


def quantities(bill: Bill) -> dict[str, int]:
    return {line.part: line.quantity for line in bill.lines}


def test_eight_full_racks_are_one_line_with_what_they_hold_and_draw() -> None:
    bill = bill_of("gb300-nvl72-tray", 8, 18)
    (line,) = bill.lines
    assert (line.part, line.kind, line.quantity) == ("gb300-nvl72", "rack-system", 8)
    held = {one.name: one.quantity for one in line.includes if one.each}
    # by hand: 8 racks of 18 compute trays, 9 switch trays, 8 shelves and 2 management switches
    assert held == {
        "GB300 NVL72 compute tray": 144,
        "NVLink switch tray": 72,
        "power shelf of 33 kW": 64,
        "SN2201 management switch": 16,
    }
    assert bill.power_w.complete and bill.power_w.known == 8 * 142_000
    assert bill.rack_units.known == 8 * (18 + 9 + 8 + 2)
    assert bill.listed and "NVLink switch trays" not in bill.scope.words
    assert any("the power of the rack as a whole is 142.0 kW" in note for note in line.notes)


def test_a_rack_whose_power_nobody_published_draws_at_least_what_its_trays_do() -> None:
    bill = bill_of("gb200-nvl72-tray", 2, 18)
    (line,) = bill.lines
    assert line.part == "dgx-gb200" and line.power_w is None
    assert bill.power_w.at_least == 2 * (18 * 6667 + 9 * 400)
    (note,) = [one for one in line.notes if "as a whole" in one]
    assert note.startswith("18 trays draw 120.0 kW;") and note.endswith("not in this catalog")


def test_racks_filled_in_part_stay_trays_and_say_so() -> None:
    # 9 racks of 16 trays are as many trays as 8 full racks have, and are not those
    bill = bill_of("gb300-nvl72-tray", 9, 16)
    assert quantities(bill) == {"gb300-nvl72-tray": 144}
    assert not bill.listed  # the switch trays between them are on no line
    assert any("in no whole one: 16 of 18 trays in 9 racks" in n for n in bill.lines[0].notes)


def test_a_rack_without_one_of_its_trays_is_the_remainder() -> None:
    bill = bill_of("gb300-nvl72-tray", 18, 18, ["tray[rack=3,tray=0]"])
    assert quantities(bill) == {"gb300-nvl72-tray": 17, "gb300-nvl72": 17}
    assert not bill.listed


def test_a_tray_that_is_down_is_bought_with_its_rack() -> None:
    plan = planned("gb300-nvl72-tray", 2, 18, down=["tray[rack=0,tray=1]"])
    assert quantities(make_bill(plan, CATALOG)) == {"gb300-nvl72": 2}


def test_management_switches_that_the_racks_hold_are_told_where_some_are_drawn() -> None:
    data = {
        "groups": {
            "tray": {"part": "gb300-nvl72-tray", "count": 18},
            "mgmt": {"part": "sn2201", "count": 3},
        }
    }
    bill = make_bill(plan_design(Design.model_validate(data), CATALOG), CATALOG)
    assert quantities(bill) == {"gb300-nvl72": 1, "sn2201": 3}
    (rack,) = bill.lines_of("rack-system")
    assert any("those that mgmt draws are listed besides" in note for note in rack.notes)


def test_a_price_list_prices_the_rack_and_nothing_in_it(tmp_path: Path) -> None:
    path = tmp_path / "offer.csv"
    path.write_text(
        "part,price,currency,date,source\n"
        "gb300-nvl72,3000000,USD,2026-01-02,offer\n"
        "gb300-nvl72-tray,1,USD,2026-01-02,offer\n"
        "SRS-GB300-NVL72,2500000,USD,2026-01-02,offer\n"
    )
    prices = read_prices(path, catalog=CATALOG, today=date(2026, 2, 1))
    assert not prices.faults
    bill = make_bill(planned("gb300-nvl72-tray", 2, 18), CATALOG, prices=prices)
    assert bill.price.known == {"USD": Decimal(6_000_000)}
    other = make_bill(planned("ars-121gl-nb3-lcc", 2, 18), CATALOG, prices=prices)
    assert other.price.known == {"USD": Decimal(5_000_000)}


@pytest.mark.parametrize("form", ["yaml", "json", "csv", "xlsx", "cyclonedx"])
def test_every_form_is_read_back_and_a_changed_count_is_found(form: str) -> None:
    bill = bill_of("gb300-nvl72-tray", 8, 18)
    raw = bill_bytes(bill, form)
    name = f"a{BILL_ENDINGS[form]}"
    read = read_bill_workbook(raw, name) if form == "xlsx" else read_bill(raw.decode(), name)
    assert differences(read, bill) == []
    fewer = bill_of("gb300-nvl72-tray", 7, 18)
    assert any("quantity" in each.where for each in differences(read, fewer))


def test_what_comes_with_a_rack_is_beneath_it_in_yaml_markdown_and_cyclonedx() -> None:
    bill = bill_of("gb300-nvl72-tray", 8, 18)
    (line,) = yaml.safe_load(bill_bytes(bill, "yaml"))["lines"]
    trays = line["includes"][0]
    assert (trays["part"], trays["each"], trays["quantity"]) == ("gb300-nvl72-tray", 18, 144)
    assert "included: 72 x NVLink switch tray, 9 with each" in bill_bytes(bill, "md").decode()
    (component,) = json.loads(bill_bytes(bill, "cyclonedx"))["components"]
    assert [one["name"] for one in component["components"]][:2] == [
        "GB300 NVL72 compute tray",
        "NVLink switch tray",
    ]
    ((_, pieces),) = requests(bill, "csv")
    assert b"9 x NVLink switch tray" in b"".join(pieces)


def test_a_bill_without_racks_says_nothing_of_what_is_included() -> None:
    design = Design.model_validate({"groups": {"node": {"part": "dgx-h100", "count": 2}}})
    bill = make_bill(plan_design(design, CATALOG), CATALOG)
    assert b"    includes:" not in bill_bytes(bill, "yaml")


def test_the_trays_and_switch_trays_of_a_rack_stand_in_one_rack() -> None:
    plan = planned("gb300-nvl72-tray", 3, 18)
    placement = place(plan, CATALOG)
    (one,) = elevations(plan, placement)
    assert len(one.alike) == 3
    names = [box.name for box in one.boxes]
    assert sum(box.part == "GB300 NVL72 compute tray" for box in one.boxes) == 18
    assert sum(name.startswith("NVLink switch tray") for name in names) == 9
    taken = [unit for box in one.boxes for unit in range(box.unit, box.unit + box.units)]
    assert len(taken) == len(set(taken)) == one.load.units == 37
    assert one.load.least_w == 142_000
    # 40.8 kW is what is assumed of a rack for air-cooled nodes, and none of this one
    assert not [each for each in rack_findings(plan, CATALOG, placement) if "power" in each.code]


def test_a_limit_that_a_person_states_holds_for_racks_sold_whole() -> None:
    plan = planned("gb300-nvl72-tray", 3, 18, placement={"max_power_w": 120_000})
    found = rack_findings(plan, CATALOG, place(plan, CATALOG))
    assert [(each.code, each.severity) for each in found] == [("rack-over-power", "error")]


def test_a_rack_that_lacks_trays_still_stands_in_one_place() -> None:
    plan = planned("gb300-nvl72-tray", 3, 16)
    placement = place(plan, CATALOG)
    assert sorted(map(placement.rack_of["tray"].count, (0, 1, 2))) == [16, 16, 16]


def test_racks_sold_whole_need_no_cabinet_and_no_pdu() -> None:
    block = {"rack": "apc-ar3300", "feeds": {"pdu": "apc-ap8888", "count": 2}}
    data = {
        "groups": {
            "tray": {"part": "gb300-nvl72-tray", "count": 18},
            "leaf": {"part": "q3400-ra", "count": 4},
        },
        "placement": block,
    }
    plan = plan_design(Design.model_validate(data), CATALOG)
    bill = placed_bill(plan, CATALOG, Terms())
    assert bill.racks is not None and (bill.racks.count, bill.racks.whole) == (2, 1)
    assert quantities(bill)["apc-ar3300"] == 1 and quantities(bill)["apc-ap8888"] == 2
