"""A selector of cables names one where the expanded fabric has a cable between two devices."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.expansion import expand
from tests.joined_along import plan_along
from tests.small_designs import CATALOG
from toposmith.design.parser import parse_design
from toposmith.design.selectors import parse_selector
from toposmith.fabric.named_cables import names_a_cable
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

MOVED = """\
toposmith: 2
name: the only cable of a rack's leaf to a spine goes to the other spine instead
axes: {rack: 2}
groups:
  leaf: {part: switch, per: [rack]}
  spine: {part: switch, count: 2}
links:
  - {between: [leaf, spine]}
cables:
  - {a: "leaf[rack=0].port[0]", z: "spine[spine=1]"}
"""


def _named(plan: Plan, group: str, at: tuple[int, ...]) -> str:
    axes = zip(plan.groups[group].axes, at, strict=True)
    return f"{group}[{','.join(f'{axis}={value}' for axis, value in axes)}]"


def _joined(plan: Plan) -> dict[frozenset[str], bool]:
    """Every two devices by their selectors, and whether a cable is between them."""
    graph = expand(plan)
    devices = [vertex for vertex in graph if vertex[0] == "device"]
    names = {device: _named(plan, device[1], device[2]) for device in devices}
    owner = {vertex: ("device", vertex[1], vertex[3]) for vertex in graph if vertex[0] == "nic"} | {
        device: device for device in devices
    }
    cables = {frozenset((owner[u], owner[v])) for u, v, d in graph.edges(data=True)}
    return {
        frozenset((names[one], names[other])): frozenset((one, other)) in cables
        for one, other in combinations(devices, 2)
    }


@pytest.mark.parametrize("seed", range(24))
def test_devices_that_a_cable_joins_are_those_whose_cables_can_be_named(seed: int) -> None:
    plan = plan_along(seed, faults=False)
    joined = _joined(plan)
    dealt = {link.a.group for link in plan.links if link.bundle}
    for ends, has_cable in joined.items():
        selector = parse_selector(" - ".join(sorted(ends)), plan.design)
        if {selector.first.group} == dealt and not has_cable:
            continue  # which members of two sets a dealt cable joins is not asked
        assert names_a_cable(plan, selector) == has_cable, selector.text


def test_a_cable_that_was_moved_is_named_where_it_goes_now() -> None:
    plan = plan_design(parse_design(MOVED, "moved"), CATALOG)
    assert len(plan.single_cables) == 1
    for ends, has_cable in _joined(plan).items():
        selector = parse_selector(" - ".join(sorted(ends)), plan.design)
        assert names_a_cable(plan, selector) == has_cable, selector.text
