"""The bill and the cable schedule agree in cables by length, in cages and in modules."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings

from tests.bill.test_bill_properties import designs
from toposmith.bill import link_counts as straight_counts
from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.link_cages import cage_of_port
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.racks.lengths import runs
from toposmith.racks.placement import place
from toposmith.saved_designs import SavedDesign, saved_designs
from toposmith.templates import new_design

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


def plugged(plan: Plan, schedule: Schedule) -> dict[str, tuple[int, int, int]]:
    """Cages taken, modules in them, and most cages of a switch, off the ports of the rows."""
    cages: dict[str, dict[tuple[object, ...], set[str | None]]] = defaultdict(dict)
    for row in schedule:
        for end, own in ((row.link.a, row.a), (row.link.b, row.z)):
            group = plan.groups[end.group]
            held = cage_of_port(group, end.ports).get(own.place) if end.ports else None
            place = held[0] if held else own.place // end.breakout
            # names of ports that the device does not have are marked by their number
            cage = (own.number, "shared" if held else end.breakout, place)
            cages[end.label].setdefault(cage, set()).add(own.module)
    for end_label, found in cages.items():
        assert all(len(plugs) == 1 for plugs in found.values()), f"{end_label}: two plugs in a cage"
    return {
        label: (
            len(found),
            sum(None not in plugs for plugs in found.values()),
            0 if "." in label else max(Counter(cage[0] for cage in found).values()),
        )
        for label, found in cages.items()
    }


def require_agreement(design: Design) -> None:
    bill, schedule = both(design)
    assert billed(bill) == scheduled(schedule)
    taken = {one.end: (one.cages, one.modules, one.most_cages) for one in bill.ends if one.cages}
    assert taken == plugged(plan_design(design, CATALOG), schedule)
    assert not [one for one in bill.findings if one.code == "mixed-parts"]
    over = {one.where for one in bill.findings if one.code == "ports-overused"}
    of_bill, of_schedule = (
        {(one.where, one.text) for one in said if one.code == "cages-short"}
        for said in (bill.findings, schedule.findings)
    )
    assert of_bill == {one for one in of_schedule if one[0] not in over}


@pytest.mark.parametrize("saved", saved_designs(), ids=lambda saved: saved.name)
def test_saved_designs_buy_what_their_schedule_plugs(saved: SavedDesign) -> None:
    design = load_file(saved.path).design
    if sum(cable_counts(plan_design(design, CATALOG)).values()) > 20_000:
        return  # minutes, and nothing that the small ones do not have
    require_agreement(design)


@pytest.mark.parametrize("node", ["dgx-h100", "dgx-b200", "dgx-a100", "dgx-b300"])
@pytest.mark.parametrize("su", [1, 2])
@pytest.mark.parametrize("nodes", [6, 16])
def test_storage_and_management_buy_what_their_schedule_plugs(
    node: str, su: int, nodes: int
) -> None:
    settings = {"su": su, "nodes": nodes, "node": node, "storage": 4, "in_band": "sn5600"}
    management = {"out_of_band": "sn2201", "out_of_band_core": "sn4600c"}
    require_agreement(new_design("leaf-spine", {**settings, **management}, catalog=CATALOG))


def test_half_used_splitters_take_whole_cages() -> None:
    # 17 splitters of 400 Gb/s at each in-band switch, two in a twin module: 9 modules, not 8
    settings = {"su": 2, "nodes": 16, "node": "dgx-h100", "storage": 4, "in_band": "sn5600"}
    bill, _ = both(new_design("leaf-spine", settings, catalog=CATALOG))
    in_band = next(one for one in bill.ends if one.end == "in-band")
    splitters = next(one for one in bill.links if one.link == "node.storage - in-band").cables
    assert (splitters, in_band.cages, in_band.modules) == (34, 18, 18)


@given(designs())
@settings(max_examples=20)
def test_drawn_designs_buy_what_their_schedule_plugs_also_where_cables_differ(
    design: Design,
) -> None:
    links = tuple(link.model_copy(update={"length": None}) for link in design.links)
    require_agreement(design.model_copy(update={"links": links}))


MANY_ROWS = """\
toposmith: 1
axes: {su: 64}
groups:
  node: {part: dgx-b200, per: [su], count: 4}
  leaf: {part: qm9700, per: [su]}
  spine: {part: qm9700, count: 1}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 1}
placement: {racks_per_row: 4}
"""


def test_cables_in_arrays_are_counted_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # near leaves come in by multimode fibre, others by singlemode: cages of the spine differ
    design = parse_design(MANY_ROWS, "test")
    require_agreement(design)
    fast, _ = both(design)
    asked: list[object] = []
    monkeypatch.setattr(straight_counts, "count_straight", lambda *given: asked.append(given))
    slow, _ = both(design)
    assert asked, "no link of this design has cables of several kinds"
    assert (fast.lines, fast.ends, fast.links) == (slow.lines, slow.ends, slow.links)
