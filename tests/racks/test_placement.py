"""Where devices stand: the default filling, what a design says itself, and what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.racks.fabrics import CATALOG, designs, planned
from toposmith.catalog import Switch
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.errors import DesignFileError
from toposmith.racks.connections import absent_instances
from toposmith.racks.placement import NOWHERE, Placement, place
from toposmith.racks.rack_checks import rack_findings
from toposmith.racks.rack_loads import elevations, feed_power, held_in, rack_loads
from toposmith.templates import new_design


def placed(design: Design | dict[str, Any], **block: Any) -> Placement:
    return place(planned(with_block(design, **block)), CATALOG)


def with_block(design: Design | dict[str, Any], **block: Any) -> Design:
    data = (
        design.model_dump(mode="json", exclude_defaults=True)
        if isinstance(design, Design)
        else design
    )
    return Design.model_validate({**data, "placement": block} if block else data)


def codes(design: Design | dict[str, Any], **block: Any) -> list[str]:
    plan = planned(with_block(design, **block))
    return [one.code for one in rack_findings(plan, CATALOG, place(plan, CATALOG))]


def superpod(su: int = 1) -> Design:
    return new_design("leaf-spine", {"su": su, "empty_slots": 1}, catalog=CATALOG)


def test_four_dgx_h100_fill_a_rack_as_nvidia_recommends() -> None:
    # NVIDIA's data center design: 4 of 10.2 kW, 40.8 kW a rack.
    placement = placed(superpod())
    racks = placement.rack_of["node"]
    assert [racks.count(rack) for rack in dict.fromkeys(racks[:31])] == [4] * 7 + [3]
    assert placement.unit_of["node"][:4] == [1, 9, 17, 25]
    assert racks[31] == NOWHERE


def test_a_superpod_of_four_units_takes_a_rack_less_than_published_with_management() -> None:
    # RA-11333-001, table 7: 38 racks, one and more of them with management and storage.
    assert len(placed(superpod(4)).racks) == 37


def test_leaves_stand_between_the_nodes_of_their_unit_and_spines_at_the_end() -> None:
    placement = placed(superpod(4))
    leaves = placement.rack_of["leaf"]
    assert [placement.label(leaves[su * 8]) for su in range(4)] == ["A05", "A14", "B03", "B12"]
    assert placement.label(placement.rack_of["spine"][0]) == "B17"


def test_of_three_racks_two_stand_before_their_switches() -> None:
    groups = {"node": {"part": "dgx-h100", "count": 3}, "leaf": {"part": "qm9700"}}
    plan = planned({"groups": groups, "placement": {"nodes_per_rack": 1, "switches": "in-row"}})
    placement = place(plan, CATALOG)
    racks = [placement.label(rack) for rack in placement.rack_of["node"]]
    assert (racks, placement.label(placement.rack_of["leaf"][0])) == (["A01", "A02", "A04"], "A03")


def test_switches_close_their_rows_where_that_is_asked_for() -> None:
    # 8 racks of nodes a unit: 17 of them fill row A, the last 15 row B; the 16 leaves of the units
    # that end in a row share the rack that closes it.
    placement = placed(superpod(4), switches="end-of-row", racks_per_row=18)
    leaves = placement.rack_of["leaf"]
    assert [placement.label(leaves[su * 8]) for su in range(4)] == ["A18", "A18", "B16", "B16"]


def test_switches_go_on_top_of_the_racks_that_they_serve_while_power_lasts() -> None:
    placement = placed(superpod(), switches="top-of-rack", max_power_w=50_000)
    assert placement.rack_of["leaf"] == list(range(8))
    assert set(placement.unit_of["leaf"]) == {42}
    assert "rack-switches-moved" in codes(superpod(), switches="top-of-rack")


def test_a_rack_of_nodes_takes_its_leaf_along() -> None:
    design = {
        "axes": {"rack": 3},
        "groups": {
            "node": {"part": "dgx-a100", "per": ("rack",), "count": 2},
            "leaf": {"part": "qm8700", "per": ("rack",)},
        },
        "links": [{"between": ("node.compute", "leaf")}],
    }
    placement = placed(design)
    assert placement.rack_of["leaf"] == [0, 1, 2]
    assert len(placement.racks) == 3


def test_nodes_per_rack_are_as_the_design_says() -> None:
    racks = placed(superpod(), nodes_per_rack=2).rack_of["node"]
    assert len(set(racks[:31])) == 16


@settings(max_examples=40)
@given(designs())
def test_every_device_stands_once_and_no_two_in_one_unit(design: Design) -> None:
    plan = planned(design)
    placement = place(plan, CATALOG)
    gone = absent_instances(plan)
    taken: set[tuple[int, int]] = set()
    for name, racks in placement.rack_of.items():
        for number, rack in enumerate(racks):
            assert (rack == NOWHERE) == (number in gone[name])
            if rack == NOWHERE:
                continue
            low = placement.unit_of[name][number]
            units = {(rack, low + step) for step in range(placement.devices[name].units)}
            assert not units & taken
            assert 1 <= low <= low + len(units) - 1 <= placement.floor.units
            taken |= units
    assert len(set(placement.racks)) == len(placement.racks)
    assert sum(load.units for load in rack_loads(placement)) == len(taken)


@settings(max_examples=20)
@given(designs())
def test_elevations_show_every_rack_once_and_its_devices(design: Design) -> None:
    plan = planned(design)
    placement = place(plan, CATALOG)
    shown = elevations(plan, placement)
    labels = [label for one in shown for label in one.alike]
    filled = [n for n in range(len(placement.racks)) if list(held_in(placement, n))]
    assert sorted(labels) == sorted(placement.label(rack) for rack in filled)
    devices = sum(len(one.boxes) * len(one.alike) for one in shown)
    assert devices == sum(load.devices for load in rack_loads(placement))


def test_two_boxes_in_one_unit_are_named() -> None:
    where = {
        "node[su=0,node=4]": {"rack": "A01", "unit": 8},
        "node[su=0,node=5]": {"rack": "A01", "unit": 10},
    }
    plan = planned(with_block(superpod(), devices=where))
    found = rack_findings(plan, CATALOG, place(plan, CATALOG))
    taken = [one for one in found if one.code == "rack-unit-taken"]
    assert [one.where for one in taken] == ["rack A01"]
    assert "node[su=0,node=4] and node[su=0,node=5] both take U10" in taken[0].text


def test_nodes_of_unknown_height_take_the_most_of_nodes_with_as_many_gpus() -> None:
    # DGX B200 and the like are 10 U, the most of 8-GPU nodes; a rack of 42 U holds four of them.
    design = {"groups": {"node": {"part": "hgx-h100-8", "count": 5}}}
    placement = placed(design, max_power_w=60_000)
    assert placement.unit_of["node"] == [1, 11, 21, 31, 1]
    assert placement.devices["node"].height_assumed


def test_switches_of_unknown_height_take_the_most_of_switches_with_no_more_cages() -> None:
    # The director of 29 U (CS8500, 800 cages) is no measure for one of 36.
    units = placed({"groups": {"leaf": {"part": "7280cr3-32d4"}}}).devices["leaf"].units
    known = [
        part.rack_units
        for part in CATALOG
        if isinstance(part, Switch) and part.cages.count <= 36 and part.rack_units
    ]
    assert units == max(known) < 29


def test_a_height_for_a_part_that_states_its_own_is_not_used_and_said() -> None:
    assert placed(ONE_RACK, heights={"node": 10}).devices["node"].units == 8
    assert "rack-height-published" in codes(ONE_RACK, heights={"node": 10})


ONE_RACK = {
    "groups": {"node": {"part": "dgx-h100", "count": 4}, "leaf": {"part": "qm9700"}},
    "links": [{"between": ("node.compute", "leaf")}],
}


def test_nodes_go_round_one_that_the_design_places() -> None:
    # 8 U each, node 0 has U20 to U27: two fit below it (U1, U9), and the last above it.
    where = {"node[node=0]": {"rack": "A01", "unit": 20}}
    placement = placed(ONE_RACK, max_power_w=50_000, devices=where)
    assert placement.unit_of["node"] == [20, 1, 9, 28]
    assert placement.unit_of["leaf"] == [42]
    assert len(placement.racks) == 1


def test_nodes_stand_on_a_switch_that_the_design_places_at_the_floor() -> None:
    placement = placed(ONE_RACK, max_power_w=50_000, devices={"leaf": {"rack": "A01", "unit": 1}})
    assert placement.unit_of["node"] == [2, 10, 18, 26]


def test_what_finds_no_room_beside_placed_devices_moves_behind_the_last_rack() -> None:
    # U1 to U8, U17 to U24 and U33 to U40 are taken: one 8 U gap is left to the fourth node of A01.
    where = {
        f"node[node={number}]": {"rack": "A01", "unit": unit}
        for number, unit in enumerate((1, 17, 33))
    }
    where["node[node=3]"] = {"rack": "A02", "unit": 1}
    design = {"groups": {"node": {"part": "dgx-h100", "count": 8}}}
    placement = placed(design, max_power_w=90_000, nodes_per_rack=4, devices=where)
    # 4 others would share A01; nodes_per_rack leaves one of them there, A02 three.
    labels = [placement.label(rack) for rack in placement.rack_of["node"]]
    assert labels == ["A01", "A01", "A01", "A02", "A01", "A02", "A02", "A02"]
    assert placement.unit_of["node"] == [1, 17, 33, 1, 9, 9, 17, 25]


def test_a_rack_over_its_power_is_named_with_both_figures() -> None:
    plan = planned(with_block(superpod(), max_power_w=30_000, nodes_per_rack=4))
    found = rack_findings(plan, CATALOG, place(plan, CATALOG))
    over = [one for one in found if one.code == "rack-over-power"]
    assert [one.severity for one in over] == ["error", "error"]
    assert over[0].where == "racks A01 and 6 more"
    assert "40.8 kW, its limit is 30.0 kW" in over[0].text


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ({"rack": "no-such-rack"}, "rack-part-unknown"),
        ({"rack": "qm9700"}, "rack-part-unknown"),
        ({"rack": "legrand-nvidpd13"}, "rack-units-unknown"),
        ({"units": 7}, "rack-too-tall"),
        ({"devices": {"nodes[0]": {"rack": "A01", "unit": 1}}}, "rack-bad-selector"),
        ({"devices": {"leaf - spine": {"rack": "A01", "unit": 1}}}, "rack-bad-selector"),
        ({"devices": {"leaf": {"rack": "A00", "unit": 1}}}, "rack-bad-selector"),
        ({"devices": {"spine": {"rack": "A21", "unit": 1}}}, "rack-beyond-row"),
        ({"devices": {"node[node=0]": {"rack": "Z09", "unit": 40}}}, "rack-over-height"),
        (
            {
                "devices": {
                    "leaf": {"rack": "Z01", "unit": 1},
                    "leaf[rail=0]": {"rack": "Z02", "unit": 1},
                }
            },
            "rack-placed-twice",
        ),
        ({"heights": {"nodes": 4}}, "rack-unknown-group"),
        ({"feeds": {"pdu": "no-such-pdu"}}, "rack-feed-unknown"),
        ({"feeds": {"pdu": "apc-ap8858", "count": 2}}, "rack-feed-short"),
        ({"feeds": {"pdu": "apc-ap8886", "count": 2}}, "rack-feed-not-redundant"),
    ],
)
def test_what_does_not_fit_is_a_finding_and_the_rest_goes_on(
    block: dict[str, Any], code: str
) -> None:
    assert code in codes(superpod(), **block)


def test_three_feeds_survive_the_loss_of_one() -> None:
    # 2 x 22 kW are left for 40.8 kW.
    assert not codes(superpod(), feeds={"pdu": "apc-ap8886", "count": 3})
    power = feed_power(placed(superpod(), feeds={"pdu": "apc-ap8886", "count": 3}), CATALOG)
    assert power is not None
    assert (power.all_w, power.one_lost_w) == (66_000, 44_000)


def test_devices_of_unknown_height_or_power_are_said_and_never_counted_as_nothing() -> None:
    design = {"groups": {"node": {"part": "hgx-a100-8", "count": 2}}}
    assert codes(design) == ["rack-height-unknown", "rack-power-unknown"]
    assert codes(design, heights={"node": 4}) == ["rack-power-unknown"]
    (load,) = rack_loads(placed(design, heights={"node": 4}))
    assert (load.devices, load.without_power, load.power_w) == (2, 2, 0.0)


def test_watts_are_heat() -> None:
    # 1 kW is 3,412 BTU/h.
    load = rack_loads(placed(superpod()))[0]
    assert load.power_w == 40_800
    assert load.heat_btu_per_hour == pytest.approx(40.8 * 3412.142)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("{rak: x}", "unknown key 'rak'; did you mean 'rack'?"),
        ("{switches: middle}", "expected in-row, end-of-row or top-of-rack"),
        ("{nodes_per_rack: 0}", "expected a whole number from 1 to 100"),
        ("{devices: {leaf: {rack: seven, unit: 1}}}", "the label of a rack"),
        ("{devices: {leaf: {rack: A01}}}", "the key 'unit' is missing"),
        ("{feeds: 2}", "expected keys with values"),
        ("[1]", "expected keys with values"),
    ],
)
def test_a_wrong_placement_block_is_told_where_and_what_would_be_right(
    block: str, words: str
) -> None:
    with pytest.raises(DesignFileError) as caught:
        parse_design(f"toposmith: 1\nplacement: {block}\n", "f.yaml")
    (line,) = caught.value.lines()
    assert line.startswith("f.yaml:2:")
    assert words in line
