"""What is worked out once and turned along axes is what each place gives by itself."""

from __future__ import annotations

import pytest

from tests.joined_along import plan_along
from tests.node_hops import packed
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic import detour_loads, exchange_limit, row_symmetry
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.row_hops import loads_and_flows
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()

HEAD = """\
toposmith: 2
axes: {axes}
groups:
  node: {{part: gh200-quad, per: [{per}], count: 2}}
  sw: {{part: slingshot-64p, per: [{per}]}}
links:
  - {{between: [node.compute, sw]}}
"""
DRAGONFLY = HEAD.format(axes="{g: 9, r: 4}", per="g, r") + (
    "  - {between: [sw, sw], along: {r: other}}\n"
    "  - {between: [sw, sw], along: {g: other, r: dealt}, cables: 3}\n"
)
TORUS = HEAD.format(axes="{x: 4, y: 3, z: 5}", per="x, y, z") + "".join(
    f"  - {{between: [sw, sw], along: {{{axis}: next}}, cables: 2}}\n" for axis in "xyz"
)
SMALL_TORUS = TORUS.replace("{x: 4, y: 3, z: 5}", "{x: 4, y: 3, z: 2}")
"""The same with rings of two to four, by classes in a fraction of the time."""


def network(text: str, *down: str) -> ComputeNetwork:
    faults = "down:\n" + "".join(f'  - "{each}"\n' for each in down) if down else ""
    return ComputeNetwork(plan_design(parse_design(text + faults, "test"), CATALOG))


def unlike(found: dict, expected: dict) -> list[object]:
    keys = {key for loads in (found, expected) for key, load in loads.items() if load}
    return [
        key for key in keys if found.get(key, 0) != pytest.approx(expected.get(key, 0), rel=1e-9)
    ]


def routed(of: ComputeNetwork) -> int:
    """How many targets an all-to-all routes."""
    found: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        ways = RowRoutes.ways
        patch.setattr(
            RowRoutes, "ways", lambda self, ends: found.append(len(ends)) or ways(self, ends)
        )
        all_to_all_loads(of, weighted=True)
    return sum(found)


def of_every_target(of: ComputeNetwork, *, weighted: bool) -> dict:
    """Loads of an all-to-all of which every target is routed by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_symmetry, "axis_turns", lambda rows: iter(()))
        patch.setattr(row_symmetry, "axis_swaps", lambda rows: iter(()))
        return all_to_all_loads(of, weighted=weighted)


MESHES = SMALL_TORUS.replace("next", "other")


@pytest.mark.parametrize(
    ("text", "down", "targets"),
    [
        (TORUS, [], 1),
        (MESHES, [], 1),
        # of a ring of n values with one hit, those on either side of it are equal
        (TORUS, ["sw[x=1,y=2,z=0]", "node[x=1,y=2,z=0]"], 3 * 2 * 3 - 1),
        # of full meshes all but the value that is hit are
        (MESHES, ["sw[x=1,y=2,z=0]", "node[x=1,y=2,z=0]"], 2 * 2 * 2 - 1),
        # cables between two values of x, at one place of the others: x is mirrored between the two
        (TORUS, ["sw[x=1,y=2,z=0] - sw[x=2,y=2,z=0]"], 2 * 2 * 3),
    ],
)
def test_one_target_stands_for_all_that_turns_and_mirrors_take_it_to(
    text: str, down: list[str], targets: int
) -> None:
    of = network(text, *down)
    assert routed(of) == targets
    assert unlike(all_to_all_loads(of, weighted=True), of_every_target(of, weighted=True)) == []


def test_random_fabrics_carry_what_all_targets_one_by_one_say() -> None:
    looked_at = 0
    for seed in range(120):
        of = ComputeNetwork(plan_along(seed))
        try:
            found = all_to_all_loads(of, weighted=bool(seed % 2))
        except (Unreachable, ValueError):
            continue
        expected = of_every_target(of, weighted=bool(seed % 2))
        assert unlike(found, expected) == []
        looked_at += 1
    assert looked_at > 60


def test_too_many_kinds_of_switches_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    of = network(TORUS, "sw[x=1,y=2,z=0]", "node[x=1,y=2,z=0]")
    monkeypatch.setattr(exchange_limit, "MOST_ROUTED", 10)
    with pytest.raises(ValueError, match="59 switches joined along axes"):
        all_to_all_loads(of)


@pytest.mark.parametrize("most", [0, detour_loads.MOST_PATHS])
def test_detours_of_one_group_stand_for_those_of_all_that_turn_onto_it(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    of = network(DRAGONFLY)
    monkeypatch.setattr(detour_loads, "MOST_PATHS", most)
    minimal, flows = loads_and_flows(of, packed(of, "ring"), busiest=1.0, nics=4)
    found = detour_loads.split_over_detours(of, flows, minimal)
    assert detour_loads._Turns(of, flows).alike
    monkeypatch.setattr(detour_loads._Turns, "_axis", None)
    of_every_flow = detour_loads.split_over_detours(of, flows, minimal)
    rates = of.classes.graph.edges
    for loads in (found.loads, of_every_flow.loads):
        assert max(loads.values()) < max(minimal.values())
    worst = [
        max(load / rates[arc]["GBps"] for arc, load in loads.items())
        for loads in (found.loads, of_every_flow.loads)
    ]
    assert worst[0] == pytest.approx(worst[1])
