"""A rack that is sold with management switches needs no others for the ports within it."""

from __future__ import annotations

import pytest

from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.templates import SettingValue, new_design

CATALOG = load_catalog()


def bill_of(groups: dict[str, object], **more: object) -> Bill:
    data = {"name": "racks", "axes": {"rack": 2}, "groups": groups, **more}
    return make_bill(plan_design(Design.model_validate(data), CATALOG), CATALOG)


def rack_nodes(**values: SettingValue) -> Design:
    return new_design("nvlink-racks", {"racks": 2, **values}, catalog=CATALOG)


@pytest.mark.parametrize(
    ("tray", "ports", "doubt"),
    [
        # by hand: 3 of each of 18 trays, 3 of each of 9 switch trays, 1 of each of 8 shelves
        ("gb200-nvl72-tray", 18 * 3 + 9 * 3 + 8, " (those of a tray are unverified)"),
        # one BlueField-3 in each tray, where the DGX GB200 has two
        ("gb300-nvl72-tray", 18 * 2 + 9 * 3 + 8, ""),
    ],
)
def test_the_ports_of_a_rack_are_set_against_those_of_its_own_switches(
    tray: str, ports: int, doubt: str
) -> None:
    bill = bill_of({"tray": {"part": tray, "per": ["rack"], "count": 18}})
    (rack,) = bill.lines_of("rack-system")
    (note,) = [one for one in rack.notes if "management ports" in one]
    # two SN2201 of 48 ports and 4 uplinks each
    assert note == (
        f"{ports} management ports of each{doubt} are for its 2 management switches, which have "
        "96; their uplinks, 8 cages, lead out of it"
    )
    assert "management (uplinks of 4 switches within racks)" in bill.scope.words


def test_ports_beside_the_racks_are_counted_and_those_of_drawn_switch_trays_are_not() -> None:
    bill = bill_of(
        {
            "tray": {"part": "gb200-nvl72-tray", "per": ["rack"], "count": 18},
            "nvswitch": {"part": "nvlink5-switch-tray", "per": ["rack"], "count": 9},
            "leaf": {"part": "qm9700", "count": 5},
        },
        links=[{"between": ["tray.nvlink", "nvswitch"]}],
    )
    # one port of each QM9700
    assert "management (5 ports, uplinks of 4 switches within racks)" in bill.scope.words


def test_trays_that_make_no_whole_rack_have_their_ports_counted() -> None:
    bill = bill_of({"tray": {"part": "gb300-nvl72-tray", "per": ["rack"], "count": 16}})
    assert f"management ({2 * 16 * 2} ports)" in bill.scope.words


def test_a_rack_sold_without_management_switches_has_its_trays_counted() -> None:
    bill = bill_of({"tray": {"part": "ars-121gl-nb3-lcc", "per": ["rack"], "count": 18}})
    assert f"management ({2 * 18 * 2} ports)" in bill.scope.words


def test_an_out_of_band_network_takes_no_switches_for_racks_that_bring_theirs() -> None:
    alone, managed = rack_nodes(), rack_nodes(out_of_band="sn2201")
    plan = plan_design(managed, CATALOG)
    assert not any("node.management" in link.between for link in managed.links)
    # what is left are the InfiniBand switches, one port each
    switches = sum(
        group.instances for group in plan_design(alone, CATALOG).groups.values() if group.switch
    )
    drawn = plan.groups["out-of-band"]
    assert drawn.instances * 48 >= switches > (drawn.instances - 1) * 48
    bill = make_bill(plan, CATALOG)
    assert "uplinks of 4 management switches within racks" in bill.scope.words
    assert not any("node.management" in one.end for one in bill.scope.uncabled)
