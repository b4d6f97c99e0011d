"""Lengths of cables: by hand, and all of them against the fabric drawn out cable by cable."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings

from tests.expansion import expand
from tests.racks.fabrics import CATALOG, designs, planned
from toposmith.design.document import Design
from toposmith.fabric.plan import Plan
from toposmith.racks.lengths import METRE, CableLengths, in_metres, runs
from toposmith.racks.placement import Placement, place
from toposmith.templates import new_design

U_MM = 44.45


def measured(plan: Plan, placement: Placement, ends: list[tuple[str, int]]) -> tuple[float, bool]:
    """Metres of one cable, worked out in millimetres from rack, U and the sizes of racks."""
    floor = placement.floor
    width, row_pitch = floor.pitch / 100, floor.row_pitch / 100
    tray, slack = floor.tray / 100, floor.slack / 100
    spots = [placement.spot(*end) for end in ends]
    middles = []
    for (name, _), spot in zip(ends, spots, strict=True):
        assert spot is not None
        middles.append((spot.unit - 1 + placement.devices[name].units / 2) * U_MM)
    one, other = (placement.racks[spot.rack] for spot in spots if spot)
    within = one == other
    if within:
        way = abs(middles[0] - middles[1]) + width + slack
    else:
        top = floor.units * U_MM
        drops = sum(max(0.0, top - middle) + tray for middle in middles)
        way = drops + abs(one[1] - other[1]) * width + abs(one[0] - other[0]) * row_pitch
        way += width + slack
    return sold(way / 1000), within


def sold(metres: float) -> float:
    step = 0.5 if metres <= 5 else 1.0 if metres <= 30 else 5.0
    return ceil(round(metres / step, 6)) * step


def number_of(plan: Plan, vertex: tuple[Any, ...]) -> tuple[str, int]:
    group = plan.groups[vertex[1]]
    at = vertex[3] if vertex[0] == "nic" else vertex[2]
    number = 0
    for value, size in zip(at, group.sizes, strict=True):
        number = number * size + value
    return group.name, number


@settings(max_examples=30)
@given(designs())
def test_runs_are_the_lengths_of_all_cables_of_the_expanded_fabric(design: Design) -> None:
    plan = planned(design)
    placement = place(plan, CATALOG)
    wanted: Counter[tuple[int, float, bool]] = Counter()
    lengths = CableLengths(placement)
    for u, v, data in expand(plan, without_down=False).edges(data=True):
        if data["link"] is not None:
            ends = [number_of(plan, u), number_of(plan, v)]
            wanted[data["link"], *measured(plan, placement, ends)] += 1
            assert lengths.between(*ends[0], *ends[1]) == measured(plan, placement, ends)
    found = Counter(
        {
            (run.link, run.length_m, run.within_rack): run.connections
            for run in runs(plan, placement)
        }
    )
    assert found == wanted


def test_a_cable_runs_up_to_the_tray_along_it_and_down_again() -> None:
    # Node at U1 to U8: 38 U up, 1689.1 mm; leaf at U42: half a U, 22.2 mm; tray 300 mm above both;
    # four racks of 600 mm on; half a rack at each end; half a metre of slack: 5.81 m, so 6 m.
    plan = planned(new_design("leaf-spine", {"su": 1}, catalog=CATALOG))
    placement = place(plan, CATALOG)
    assert placement.label(placement.rack_of["leaf"][0]) == "A05"
    assert CableLengths(placement).between("node", 0, "leaf", 0) == (6.0, False)


def test_a_cable_between_neighbours_in_a_rack_stays_there() -> None:
    # One U apart, 44.45 mm; to the side and back, 600 mm; half a metre of slack: 1.14 m.
    plan = planned(new_design("leaf-spine", {"su": 1}, catalog=CATALOG))
    placement = place(plan, CATALOG)
    assert CableLengths(placement).between("leaf", 0, "leaf", 1) == (1.5, True)


@pytest.mark.parametrize("aisle", [1.0, 2.5])
def test_rows_are_a_rack_and_an_aisle_apart(aisle: float) -> None:
    design = new_design("leaf-spine", {"su": 1}, catalog=CATALOG)
    where = {
        f"spine[spine={n}]": {"rack": rack, "unit": 42} for n, rack in enumerate(("A01", "B01"))
    }
    block = {"aisle_m": aisle, "slack_m": 10, "devices": where}
    placement = place(planned(as_placed(design, block)), CATALOG)
    # 2 x (0.022 + 0.3) m up and down, 0.6 m to the sides, 10 m of slack: 11.24 m, and across.
    across = 1.2 + aisle
    assert CableLengths(placement).between("spine", 0, "spine", 1) == (
        sold(11.24445 + across),
        False,
    )


def as_placed(design: Design, block: dict[str, Any]) -> Design:
    data = design.model_dump(mode="json", exclude_defaults=True)
    return Design.model_validate({**data, "placement": block})


def test_what_stands_nowhere_has_no_length() -> None:
    groups = {"node": {"part": "hgx-a100-8"}, "leaf": {"part": "qm8700"}}
    plan = planned({"groups": groups, "absent": ("node[node=0]",)})
    assert CableLengths(place(plan, CATALOG)).between("node", 0, "leaf", 0) is None


@pytest.mark.parametrize(
    ("millimetres", "metres"),
    [(3000, 3.0), (3001, 3.5), (5000, 5.0), (5001, 6.0), (30_000, 30.0), (30_001, 35.0)],
)
def test_a_length_that_is_on_sale_is_taken_as_it_is(millimetres: int, metres: float) -> None:
    assert in_metres(millimetres * METRE // 1000) == metres
