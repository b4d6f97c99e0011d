"""Cables in the bill are those of the cable schedule, part by part and length by length."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from tests.topology.bill.test_bill_properties import designs
from toposmith.catalog import load_catalog
from toposmith.saved_designs import find_saved
from toposmith.topology.bill.bill import Bill, make_bill
from toposmith.topology.design.document import Design
from toposmith.topology.design.stored_files import load_file
from toposmith.topology.exports.cable_schedule.schedule_rows import Schedule
from toposmith.topology.fabric.planner import plan_design
from toposmith.topology.racks.lengths import runs
from toposmith.topology.racks.placement import place

CATALOG = load_catalog()


def both(design: Design) -> tuple[Bill, Schedule]:
    plan = plan_design(design, CATALOG)
    placement = place(plan, CATALOG)
    bill = make_bill(plan, CATALOG, runs=runs(plan, placement), placement=placement)
    return bill, Schedule(plan, CATALOG, placement)


def billed(bill: Bill) -> Counter[tuple[str | None, float | None]]:
    lines = (*bill.lines_of("cable"), *bill.lines_of("fibre"))
    return Counter({(line.part, line.length_m): line.quantity for line in lines})


def scheduled(schedule: Schedule) -> Counter[tuple[str | None, float | None]]:
    return Counter({row.cable: (row.part, row.length_m) for row in schedule}.values())


@pytest.mark.parametrize(
    "name", ["dgx-h100-superpod-1su", "dgx-h100-superpod-4su", "dgx-a100-su", "a100-rack-1x100gbe"]
)
def test_cables_of_saved_designs_are_the_rows_of_their_schedule(name: str) -> None:
    found = find_saved(name)
    assert found is not None
    bill, schedule = both(load_file(found.path).design)
    assert billed(bill) == scheduled(schedule)


@given(designs())
@settings(max_examples=40, deadline=None)
def test_cables_are_the_rows_of_the_schedule_also_where_splitters_differ_in_length(
    design: Design,
) -> None:
    links = tuple(link.model_copy(update={"length": None}) for link in design.links)
    bill, schedule = both(design.model_copy(update={"links": links}))
    assert billed(bill) == scheduled(schedule)
