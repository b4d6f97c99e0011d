"""Racks are filled by what devices draw, by what bounds it, or by an assumption; never by nothing.

Figures are worked out by hand from the catalog's GPUs and power supplies.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest

from tests.every import for_every
from tests.racks.fabrics import CATALOG, planned
from toposmith.catalog import Node, Storage, Switch
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.racks.placement import Placement, place
from toposmith.racks.rack_checks import rack_findings
from toposmith.racks.rack_loads import (
    count_words,
    elevations,
    power_words,
    rack_assumptions,
    rack_loads,
)
from toposmith.saved_designs import saved_designs
from toposmith.templates import TEMPLATES, new_design

DEVICES = [part for part in CATALOG if isinstance(part, Node | Storage | Switch)]


def placed(part: str, count: int = 1, **block: Any) -> Placement:
    data = {"groups": {"box": {"part": part, "count": count}}, "placement": block}
    return place(planned(Design.model_validate(data)), CATALOG)


def per_rack(placement: Placement) -> list[int]:
    return list(Counter(placement.rack_of["box"]).values())


def test_nodes_without_a_published_power_fill_racks_by_their_power_supplies() -> None:
    # Six of 2,800 W, of which N+1 redundant: 14 kW; two of them in 40.8 kW, seven by height.
    placement = placed("xe9680-h100", 32)
    assert per_rack(placement) == [2] * 16
    power = placement.devices["box"].power
    assert (power.known_w, power.least_w, power.most_w) == (None, 8 * 700, 5 * 2800)


def test_a_limit_that_a_person_sets_holds_for_nodes_of_unknown_power() -> None:
    assert per_rack(placed("xe9680-h100", 32, max_power_w=20_000)) == [1] * 32


def test_nodes_without_supplies_are_assumed_to_draw_as_the_hungriest_do_for_their_gpus() -> None:
    # A DGX-2 draws 10,000 W with 16 GPUs of 300 W: 2.083 times as much.
    power = placed("mi355x-8").devices["box"].power
    assert (power.least_w, power.most_w, power.basis) == (8 * 1400, None, "assumed")
    assert power.filled_w == pytest.approx(8 * 1400 * 10_000 / (16 * 300))


def test_nodes_whose_gpus_have_no_power_either_take_the_most_of_any_for_each_gpu() -> None:
    # An ASUS XA NB3I-E12 draws 15,400 W with 8 GPUs.
    power = placed("gh200-quad").devices["box"].power
    assert (power.least_w, power.filled_w) == (0, 4 * 15_400 / 8)


def test_switches_without_a_published_power_take_that_of_the_densest_in_each_unit() -> None:
    # A QM9700 draws 1,720 W in 1 U.
    assert placed("sn5600").devices["box"].power.filled_w == 2 * 1720


def test_nics_of_unknown_power_take_the_most_of_any_nic() -> None:
    # Two ConnectX-7 in the storage slots of a GB200 tray of 6,667 W; a BlueField-3 draws 150 W.
    nics = {"storage": {"part": "connectx-7-ndr", "count": 2}}
    data = {"groups": {"box": {"part": "gb200-nvl72-tray", "nics": nics}}}
    placement = place(planned(Design.model_validate(data)), CATALOG)
    power = placement.devices["box"].power
    assert (power.known_w, power.least_w, power.filled_w) == (None, 6667, 6667 + 2 * 150)


@for_every([part.id for part in DEVICES])
def test_no_device_is_taken_to_draw_nothing(part: str) -> None:
    power = placed(part, units=60).devices["box"].power
    assert power.filled_w > 0
    assert power.least_w <= power.filled_w
    if CATALOG[part].power_w is None:
        assert power.known_w is None and power.basis != "catalog"


@for_every(product([part.id for part in DEVICES], [5_000, 20_000, 45_000]))
def test_what_is_known_of_devices_never_exceeds_a_limit_that_two_of_them_share(
    device: tuple[str, int],
) -> None:
    part, limit = device
    placement = placed(part, 9, units=60, max_power_w=limit)
    over = [load for load in rack_loads(placement) if load.least_w > limit]
    assert all(load.devices == 1 for load in over)
    plan = planned(
        Design.model_validate(
            {
                "groups": {"box": {"part": part, "count": 9}},
                "placement": {"units": 60, "max_power_w": limit},
            }
        )
    )
    found = rack_findings(plan, CATALOG, placement)
    assert bool(over) == any(one.code == "rack-over-power" for one in found)


def test_a_limit_that_unknown_power_may_exceed_is_named() -> None:
    # Three nodes of 5.6 to 14 kW in one rack: 16.8 to 42 kW.
    data = {
        "groups": {"box": {"part": "xe9680-h100", "count": 3}},
        "placement": {"max_power_w": 20_000, "nodes_per_rack": 3},
    }
    plan = planned(Design.model_validate(data))
    found = rack_findings(plan, CATALOG, place(plan, CATALOG))
    (open_,) = [one for one in found if one.code == "rack-power-open"]
    assert "at least 16.8 kW, at most 42.0 kW, its limit is 20.0 kW" in open_.text
    data["placement"]["max_power_w"] = 16_000
    plan = planned(Design.model_validate(data))
    found = rack_findings(plan, CATALOG, place(plan, CATALOG))
    assert [one.severity for one in found if one.code == "rack-over-power"] == ["error"]


def designs() -> dict[str, Design]:
    saved = {
        one.name: parse_design(one.path.read_text("utf-8"), one.name) for one in saved_designs()
    }
    made = {name: new_design(name, {}, catalog=CATALOG) for name in TEMPLATES}
    return saved | made


DESIGNS = designs()


@pytest.mark.parametrize("name", DESIGNS)
def test_a_count_of_racks_says_what_of_the_catalog_it_lacks(name: str) -> None:
    plan = planned(DESIGNS[name])
    placement = place(plan, CATALOG)
    assumed = rack_assumptions(placement)
    parts = [group.part for group in plan.groups.values() if group.part]
    powerless = {part.id for part in parts if part.power_w is None}
    assert powerless <= {*assumed.power, *assumed.supplies, *assumed.without_power}
    heightless = {part.id for part in parts if part.rack_units is None}
    assert set(assumed.heights) == (heightless if not placement.block.heights else set())
    words = count_words(placement, 5)
    for part in (*powerless, *assumed.heights):
        assert part in words
    assert ("(assumed)" in words) == bool(assumed.words)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_power_of_a_rack_is_a_figure_only_where_all_of_it_is_known(name: str) -> None:
    plan = planned(DESIGNS[name])
    placement = place(plan, CATALOG)
    if len(placement.racks) > 2000:
        return  # one by one, thousands of racks take long and show nothing more
    for one in elevations(plan, placement):
        words = power_words(one)
        groups = {box.group for box in one.boxes}
        known = all(placement.devices[group].power.known_w is not None for group in groups)
        (rack,) = (n for n, _ in enumerate(placement.racks) if placement.label(n) == one.label)
        if (standing := placement.whole.get(rack)) is not None and standing.whole:
            known = standing.system.power_w is not None
        assert ("not in this catalog" in words) == (not known)
        assert words.startswith(("at least", "power unknown")) == (not known)
