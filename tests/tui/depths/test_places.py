"""Where one is in a fabric, and how one gets from there to the next place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.small_designs import designs
from tests.tui.canvas.fabrics import SUPERPOD, TWO_SORTS, plan_of
from toposmith.fabric.plan import Plan
from toposmith.tui.depths.places import (
    DepthPlace,
    DeviceInstance,
    NoSuchPlace,
    crumbs,
    device_of_row,
    enter,
    enter_device,
    groups_in,
    instances,
    kept,
    out_of,
    read_place,
    row_of_device,
    selector,
    stepped,
    unit_axes,
)

SU_0 = DepthPlace("node", (("su", 0),))


def test_a_superpods_units_are_its_scalable_units() -> None:
    plan = plan_of(SUPERPOD)
    assert unit_axes(plan, "node") == ("su",)
    assert unit_axes(plan, "leaf") == ("su",), "the eight leaves of one SU stand together"
    assert unit_axes(plan, "spine") == ()


def test_a_scalable_unit_holds_its_nodes_and_its_leaves() -> None:
    plan = plan_of(SUPERPOD)
    assert groups_in(plan, SU_0) == ["node", "leaf"]
    assert groups_in(plan, enter(plan, "leaf")) == ["leaf", "node"]
    assert [instances(plan, SU_0, name) for name in ("node", "leaf")] == [32, 8]
    assert groups_in(plan, enter(plan, "spine")) == ["spine"]


def test_a_breadcrumb_says_every_step_of_the_way() -> None:
    plan = plan_of(SUPERPOD)
    node = enter_device(plan, DeviceInstance("node", (2, 5)))
    assert [crumb.text for crumb in crumbs(plan, node)] == ["Fabric", "su=2 of 4", "node=5 of 32"]
    leaf = enter_device(plan, DeviceInstance("leaf", (2, 7, 0)))
    assert [c.text for c in crumbs(plan, leaf)] == ["Fabric", "su=2 of 4", "leaf rail=7 of 8"]
    assert [crumb.place for crumb in crumbs(plan, node)] == [None, out_of(plan, node), node]


def test_the_way_out_leads_from_a_node_to_its_unit_to_the_fabric() -> None:
    plan = plan_of(SUPERPOD)
    node = enter_device(plan, DeviceInstance("node", (2, 5)))
    assert out_of(plan, node) == DepthPlace("node", (("su", 2),))
    assert out_of(plan, DepthPlace("node", (("su", 2),))) is None


def test_a_group_of_one_is_entered_and_left_in_one_step() -> None:
    plan = plan_of({"groups": {"leaf": {"part": "qm9700"}}})
    assert enter(plan, "leaf") == DepthPlace("leaf", (), (0,))
    assert out_of(plan, enter(plan, "leaf")) is None


def test_neighbours_follow_each_other_around_and_from_unit_to_unit() -> None:
    plan = plan_of(SUPERPOD)
    assert stepped(plan, SU_0, -1).fixed == (("su", 3),)
    last = enter_device(plan, DeviceInstance("node", (0, 31)))
    assert stepped(plan, last, 1) == enter_device(plan, DeviceInstance("node", (1, 0)))


@pytest.mark.parametrize(
    ("typed", "device"),
    [("7", (0, 7)), ("2,7", (2, 7)), ("su=2, node=7", (2, 7)), ("su=3", (3, 5)), ("1 2", (1, 2))],
)
def test_a_node_is_reached_by_its_numbers(typed: str, device: tuple[int, ...]) -> None:
    plan = plan_of(SUPERPOD)
    here = enter_device(plan, DeviceInstance("node", (0, 5)))
    assert read_place(plan, here, typed).device == device


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("4", "su runs from 0 to 3, found 4"),
        ("x", "'x' is not a number; write it like su=3"),
        ("rail=1", "no axis 'rail' here; write it like su=3"),
        ("", "'' names no place here; write it like su=3"),
        ("1,2", "'1,2' names no place here; write it like su=3"),
        ("²", "'²' is not a number; write it like su=3"),
    ],
)
def test_a_unit_that_is_not_there_is_refused_with_what_would_be_right(
    typed: str, said: str
) -> None:
    with pytest.raises(NoSuchPlace) as refused:
        read_place(plan_of(SUPERPOD), SU_0, typed)
    assert str(refused.value) == said


def test_one_stays_in_a_place_as_long_as_something_of_it_is_left() -> None:
    plan = plan_of(SUPERPOD)
    node = enter_device(plan, DeviceInstance("node", (3, 31)))
    smaller = plan_of({**SUPERPOD, "axes": {"su": 2, "rail": 8}, "absent": []})
    assert kept(smaller, node) == enter_device(smaller, DeviceInstance("node", (1, 31)))
    assert kept(plan, node) == node
    assert kept(plan_of(TWO_SORTS), node) is None


@settings(deadline=None, max_examples=60)
@given(designs())
def test_every_device_has_one_row_in_its_unit(plan: Plan) -> None:
    for name, group in plan.groups.items():
        seen = set()
        place = enter(plan, name)
        units = 1
        for axis, _ in place.fixed:
            units *= plan.size(axis)
        for _ in range(units):
            for row in range(instances(plan, place, name)):
                device = device_of_row(plan, place, name, row)
                assert row_of_device(plan, place, device) == row
                seen.add(selector(plan, device))
            place = stepped(plan, place, 1)
        assert len(seen) == group.instances
        assert place == enter(plan, name), "after the last unit comes the first"
