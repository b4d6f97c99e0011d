"""What is worked out once and moved along axes is what each place gives by itself."""

from __future__ import annotations

import pytest

from tests.joined_along import plan_along
from tests.node_hops import carried, packed
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic import (
    all_to_all,
    dealt_exchange,
    detour_loads,
)
from toposmith.analysis.traffic.block_ends import ring_ends, tree_ends
from toposmith.analysis.traffic.moved_hops import moved_hop_loads
from toposmith.analysis.traffic.row_hops import loads_and_flows
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.analysis.traffic.whole_grid import whole_grid
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.axis_symmetry import AxisSymmetry
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


ENDS = {"ring": ring_ends, "trees": tree_ends}


def moved(of: ComputeNetwork, pattern: str, *, weighted: bool) -> dict | None:
    """Loads of hops that are translated along axes."""
    ends, nics = ENDS[pattern], of.ring_nics
    return moved_hop_loads(of, ends, busiest=2.0, nics=nics, weighted=weighted)


def one_by_one(of: ComputeNetwork, pattern: str, *, weighted: bool) -> dict:
    """Loads of hops that are each routed on rows."""
    return carried(of, pattern, busiest=2.0, mode="ideal" if weighted else "static")


@pytest.mark.parametrize("text", [DRAGONFLY, TORUS])
@pytest.mark.parametrize("pattern", ["ring", "trees"])
@pytest.mark.parametrize("weighted", [True, False])
def test_a_hop_loads_the_same_cables_wherever_it_starts(
    text: str, pattern: str, weighted: bool
) -> None:
    of = network(text)
    found = moved(of, pattern, weighted=weighted)
    assert found is not None
    assert unlike(found, one_by_one(of, pattern, weighted=weighted)) == []
    assert any(load for arc, load in found.items() if arc[0][0] == arc[1][0] == "device")


@pytest.mark.parametrize(
    "down",
    [
        ["sw[g=3,r=1]", "node[g=3,r=1]"],
        ["sw[g=3,r=1] - sw[g=3,r=2]"],
        ["sw[g=0,r=1] - sw[g=4,r=2]", "node[g=6,r=0,node=1]"],
        ["node[g=2..3,r=1]"],
        ["1 of sw[g=1] - sw[g=2]", "sw[g=8,r=3]", "node[g=8,r=3]"],
    ],
)
def test_groups_of_a_dragonfly_without_a_fault_exchange_as_before(
    monkeypatch: pytest.MonkeyPatch, down: list[str]
) -> None:
    monkeypatch.setattr(dealt_exchange, "_between_sets", lambda *_, **__: None)
    of = network(DRAGONFLY, *down)
    found = dealt_exchange.dealt_exchange_loads(of, weighted=True)
    monkeypatch.setattr(dealt_exchange, "_whole_sets", lambda *_: frozenset())
    assert unlike(found, dealt_exchange.dealt_exchange_loads(of, weighted=True)) == []


@pytest.mark.parametrize(
    "down",
    [
        ["sw[x=1,y=2,z=0]", "node[x=1,y=2,z=0]"],
        ["1 of sw[x=1,y=2,z=0] - sw[x=2,y=2,z=0]", "node[x=0,y=0,z=0].compute[3]"],
        ["sw[x=1] - sw[x=2]"],
    ],
)
def test_an_all_to_all_over_a_faulted_torus_is_the_same_by_switches_and_by_classes(
    monkeypatch: pytest.MonkeyPatch, down: list[str]
) -> None:
    of = network(SMALL_TORUS, *down)
    found = dealt_exchange.exchange_by_class(of, weighted=True)
    assert found is not None
    monkeypatch.setattr(all_to_all, "MOST_CLASSES", 10**9)
    monkeypatch.setattr(ComputeNetwork, "singly", False)
    assert unlike(found, all_to_all.all_to_all_loads(of)) == []


def test_too_many_kinds_of_switches_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    of = network(TORUS, "sw[x=1,y=2,z=0]", "node[x=1,y=2,z=0]")
    monkeypatch.setattr(dealt_exchange, "MOST_PAIRS", 10)
    with pytest.raises(ValueError, match="59 switches joined along axes"):
        dealt_exchange.exchange_by_class(of, weighted=True)


def test_a_fabric_with_faults_is_not_moved() -> None:
    assert AxisSymmetry(network(TORUS).plan).axes == ("x", "y", "z", "sw")
    assert AxisSymmetry(network(DRAGONFLY).plan).axes == ("g", "sw")
    assert not AxisSymmetry(network(TORUS, "sw[x=0]").plan)


def test_random_fabrics_carry_the_same_rings() -> None:
    looked_at = 0
    for seed in range(40):
        of = ComputeNetwork(plan_along(seed, faults=False))
        found = moved(of, "ring", weighted=True) if of.world.nodes > 1 and of.ring_nics else None
        if found is not None:
            assert unlike(found, one_by_one(of, "ring", weighted=True)) == []
            looked_at += 1
    assert looked_at > 4


@pytest.mark.parametrize("pattern", ["ring", "trees"])
def test_detours_taken_evenly_are_moved_as_hops_are(
    monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    of = network(DRAGONFLY)
    monkeypatch.setattr(detour_loads, "MOST_PATHS", 0)
    minimal, flows = loads_and_flows(of, packed(of, pattern), busiest=2.0, nics=4)
    # one sends more than its peers in other groups
    some = next(ends for ends in flows if ends[0] != ends[1])
    flows[some] *= 1.5
    found = detour_loads.split_over_detours(of, flows, minimal)
    assert found.not_best
    monkeypatch.setattr(AxisSymmetry, "__bool__", lambda _: False)
    unmoved = detour_loads.split_over_detours(of, flows, minimal)
    assert unlike(found.loads, unmoved.loads) == []
    assert found.loads != minimal


@pytest.mark.parametrize(
    "down",
    [
        ["sw[x=1,y=2,z=0]", "node[x=1,y=2,z=0]"],
        ["1 of sw[x=1,y=2,z=0] - sw[x=2,y=2,z=0]", "node[x=0,y=0,z=0,node=1]"],
        ["sw[x=1,y=2,z=0] - sw[x=1,y=2]", "sw[x=3,y=0,z=4]", "node[x=3,y=0,z=4]"],
    ],
)
@pytest.mark.parametrize("pattern", ["ring", "trees"])
@pytest.mark.parametrize("weighted", [True, False])
def test_hops_that_pass_by_all_faults_of_a_torus_are_routed_as_in_a_whole_one(
    down: list[str], pattern: str, weighted: bool
) -> None:
    of = network(TORUS, *down)
    whole = whole_grid(of)
    assert whole is not None and whole.hit
    found = moved(of, pattern, weighted=weighted)
    if found is None:  # the nodes of a block are not all there
        assert any("node=1" in each for each in down)
        return
    assert unlike(found, one_by_one(of, pattern, weighted=weighted)) == []


def test_random_faulted_fabrics_carry_the_same_rings() -> None:
    looked_at = 0
    for seed in range(300):
        of = ComputeNetwork(plan_along(seed))
        if of.world.nodes < 2 or not of.ring_nics or whole_grid(of) is None:
            continue
        try:
            found = moved(of, "ring", weighted=True)
        except Unreachable:
            continue
        if found is not None:
            assert unlike(found, one_by_one(of, "ring", weighted=True)) == []
            looked_at += 1
    assert looked_at > 8
