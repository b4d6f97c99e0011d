"""How the switches that a hop goes over lie to its own two nodes."""

from __future__ import annotations

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.hop_entries import (
    END,
    FIXED,
    OTHERS,
    START,
    HopEntry,
    Where,
    described,
)
from toposmith.analysis.traffic.hops import Hop
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

RACKS = """\
toposmith: 1
axes: {rack: 4}
groups:
  node: {part: hgx-h100-8, per: [rack], nics: {compute: {part: connectx-7-ndr, count: 1}}}
  leaf: {part: qm9700, per: [rack]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node, leaf]}
  - {between: [leaf, spine]}
"""

NETWORK = ComputeNetwork(plan_design(parse_design(RACKS, "four racks"), load_catalog()))
HOP = Hop(
    NETWORK.world.blocks[0], {"rack": 0, "node": 0}, NETWORK.world.blocks[1], {"rack": 1, "node": 0}
)
CLASSES = NETWORK.classes_with(NETWORK.classes.cuts.with_points({"rack": [0, 1]}))


def lies(group: str, **at: int) -> list[list[Where]]:
    """How a switch lies to the hop from rack 0 to rack 1."""
    cells = CLASSES.cells_at(NETWORK.plan.groups[group], at)
    return described(NETWORK, CLASSES.cuts, ("device", group, cells), HOP, None)


def test_leaves_of_the_two_nodes_are_told_by_these() -> None:
    assert lies("leaf", rack=0, leaf=0)[0] == [(START, "rack")]
    assert lies("leaf", rack=1, leaf=0)[0] == [(END, "rack")]


def test_leaves_of_two_other_racks_are_any_but_those_of_the_nodes() -> None:
    assert lies("leaf", rack=2, leaf=0)[0] == lies("leaf", rack=3, leaf=0)[0] == [(OTHERS, "rack")]
    elsewhere = Hop(HOP.source, {"rack": 2, "node": 0}, HOP.target, {"rack": 3, "node": 0})
    entry = HopEntry((("device",), ("device",), 0), ((OTHERS, "rack"), (START, "rack")), 1.0, False)
    assert entry.place(HOP) == ((0, 1), 0)
    assert entry.place(elsewhere) == ((2, 3), 2)


def test_two_spines_that_nothing_tells_apart_are_both_meant() -> None:
    assert lies("spine", spine=0) == lies("spine", spine=1) == [[(FIXED, ())]]


def test_a_spine_of_a_kind_of_its_own_is_that_one() -> None:
    apart = NETWORK.classes_with(CLASSES.cuts.with_points({"spine": [1]}))
    for spine in (0, 1):
        cells = apart.cells_at(NETWORK.plan.groups["spine"], {"spine": spine})
        vertex = ("device", "spine", cells)
        assert described(NETWORK, apart.cuts, vertex, HOP, None) == [[(FIXED, spine)]]
