"""Hops of trees, groups and scattered ranks load rows of cables as they load the expansion."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expanded import Expanded
from tests.joined_along import plan_along
from tests.small_designs import CATALOG, designs
from toposmith.analysis.jobs.communicator import Groups, NodeOrder
from toposmith.analysis.jobs.parallel_layout import PLACEMENTS, WORLD, RankPlacement
from toposmith.analysis.jobs.world import NodeBlock
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.node_pairs import (
    NodePairs,
    all_pairs,
    numbers_of,
    ring_pairs,
    tree_pairs,
)
from toposmith.analysis.traffic.row_hops import hops_on_rows
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.design.parser import parse_design
from toposmith.fabric.classes import Arc
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

PATTERNS = {"ring": ring_pairs, "trees": tree_pairs, "pairs": all_pairs}


def worst_per_link(network: ComputeNetwork, loads: dict[Arc, float]) -> dict[int, float]:
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        if index is not None:
            worst[index] = max(worst.get(index, 0.0), load)
    return worst


def position(expanded: Expanded, block: NodeBlock, own: int) -> int:
    """Where the expansion has a node of the order."""
    return expanded.nodes.index(("device", block.group.name, (*block.outer, own)))


def sets_of_nodes(nodes: int) -> list[int]:
    return [size for size in range(2, nodes + 1) if nodes % size == 0]


def on_rows(
    network: ComputeNetwork, order: NodeOrder, pairs: NodePairs, *, busiest: float, weighted: bool
) -> dict[Arc, float]:
    routing = Routing("ideal" if weighted else "static")
    pairs, nics = numbers_of(order)[pairs], network.ring_nics
    return hops_on_rows(network, pairs, busiest=busiest, nics=nics, routing=routing)


@settings(max_examples=37)
@given(
    designs(),
    st.sampled_from(sorted(PATTERNS)),
    st.sampled_from(PLACEMENTS),
    st.booleans(),
    st.data(),
)
def test_groups_of_nodes_load_the_worst_cable_as_the_expansion_does(
    plan: Plan, pattern: str, placement: RankPlacement, weighted: bool, data: st.DataObject
) -> None:
    network, expanded = ComputeNetwork(plan), Expanded(plan, weighted=weighted)
    nodes = network.world.nodes
    if nodes < 2 or not network.ring_nics:
        return
    size = data.draw(st.sampled_from(sets_of_nodes(nodes)), label="nodes of a group")
    stride = data.draw(
        st.sampled_from([s for s in range(1, nodes + 1) if nodes % (s * size) == 0]), label="stride"
    )
    groups = Groups("dp", size, nodes // size, 1, 1, size, stride)
    order = NodeOrder(network.world, placement, seed=3)
    pairs = PATTERNS[pattern](groups, nodes)
    at = [position(expanded, block, own) for block, own in order.nodes]
    expected = expanded.hops((at[a], at[b]) for a, b in pairs.tolist())
    busiest = max(Counter(a for a, _ in pairs.tolist()).values())
    if expected is None:
        with pytest.raises(Unreachable):
            on_rows(network, order, pairs, busiest=busiest, weighted=weighted)
        return
    found = worst_per_link(
        network, on_rows(network, order, pairs, busiest=busiest, weighted=weighted)
    )
    faults = plan.down or plan.absent or plan.slow
    alike = len(network.world.groups) == 1 and not faults
    if pattern == "ring" or alike:
        assert found == pytest.approx(expected)
    else:
        # the busiest node is taken to be one whose cables are loaded most by a single hop
        assert all(found[link] >= load - 1e-9 for link, load in expected.items())
        assert all(found[link] <= busiest * load + 1e-9 for link, load in expected.items())


@settings(max_examples=15)
@given(st.integers(0, 100_000), st.sampled_from(["ring", "pairs"]), st.booleans())
def test_along_axes_hops_load_the_worst_cable_as_the_expansion_does(
    seed: int, pattern: str, weighted: bool
) -> None:
    network = ComputeNetwork(plan_along(seed))
    nodes, nics = network.world.nodes, network.ring_nics
    if nodes < 2 or not nics:
        return
    groups, order = Groups(WORLD, nodes, 1, 1, 1, nodes), NodeOrder(network.world)
    expanded, pairs = Expanded(network.plan, weighted=weighted), PATTERNS[pattern](groups, nodes)
    at = [position(expanded, block, own) for block, own in order.nodes]
    expected = expanded.hops((at[a], at[b]) for a, b in pairs.tolist())
    if expected is None:
        with pytest.raises(Unreachable):
            on_rows(network, order, pairs, busiest=1.0, weighted=weighted)
        return
    busiest = 1.0 if pattern == "ring" else nodes - 1.0
    found = on_rows(network, order, pairs, busiest=busiest, weighted=weighted)
    between = {link.index for link in network.plan.links if not (link.a.ports or link.b.ports)}
    for link in expected.keys() if pattern == "ring" else between & expected.keys():
        assert worst_per_link(network, found)[link] == pytest.approx(expected[link])


def test_uplinks_carry_the_same_where_the_cables_of_one_unit_are_slow() -> None:
    """Three nodes send to a fourth below the other leaf: over each of three spines one of three."""
    design = parse_design(
        """\
toposmith: 2
axes: {rail: 2, su: 3}
groups:
  leaf: {part: switch, per: [rail], count: 2}
  node: {part: node1, per: [su], nics: {compute: {part: nic-1x100, count: 2}}}
  other: {part: node1, nics: {compute: {part: nic-2x100, count: 2}}}
  spine: {part: switch, per: [su]}
links:
  - {between: [node.compute, leaf], cables: 1}
  - {between: [other.compute, leaf], cables: 1}
  - {between: [leaf, spine], cables: 1}
slow: {"node[su=0]": 50}
""",
        "pod",
    )
    network = ComputeNetwork(plan_design(design, CATALOG))
    groups = Groups(WORLD, 4, 1, 1, 1, 4)
    order, pairs = NodeOrder(network.world), all_pairs(groups, 4)
    found = on_rows(network, order, pairs, busiest=1.0, weighted=False)
    assert worst_per_link(network, found)[2] == pytest.approx(1)
