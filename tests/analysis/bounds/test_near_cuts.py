"""Cuts near nodes are those found on the expanded fabric, one switch after the other."""

from __future__ import annotations

from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.traffic.test_row_exchange import pods
from tests.expanded import Expanded, Vertex
from tests.joined_along import plan_along
from tests.small_designs import CATALOG, designs
from toposmith.analysis.bounds.near_cuts import cuts_near
from toposmith.analysis.network import ComputeNetwork
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design


def joined(plan: Plan) -> tuple[Expanded, nx.Graph]:
    """Nodes and switches, and the MB/s between any two."""
    expanded, found = Expanded(plan), nx.Graph()
    found.add_nodes_from(expanded.nodes)
    compute = {nic: node for node in expanded.nodes for nic in expanded.nics(node)}
    for u, v, data in expanded.graph.edges(data=True):
        ends = [compute.get(end, end) for end in (u, v)]
        if data["link"] is None or any(end[0] == "nic" for end in ends):
            continue
        before = found.get_edge_data(*ends, {"MBps": 0})["MBps"]
        found.add_edge(*ends, MBps=before + round(data["GBps"] * 1000))
    return expanded, found


def cut_near(graph: nx.Graph, nodes: set[Vertex], switches: set[Vertex]) -> int:
    """What leaves nodes and the switches that take as much from their side as from elsewhere."""
    side = set(nodes)

    def taken(switch: Vertex, within: bool) -> int:
        cables = graph.adj[switch].items()
        return sum(data["MBps"] for peer, data in cables if (peer in side) == within)

    while nearer := {
        switch for switch in switches - side if taken(switch, True) >= max(1, taken(switch, False))
    }:
        side.add(min(nearer))
    return nx.cut_size(graph, side, weight="MBps")


def assert_near(plan: Plan) -> int:
    """Checks every value of every axis of nodes; how many."""
    network = ComputeNetwork(plan)
    if network.world.nodes < 2 or not network.all_on_switches:
        return 0
    (expanded, graph), looked_at = joined(plan), 0
    switches = {v for v in graph if plan.groups[v[1]].switch}
    cabled = [group for group in network.world.groups if group.name in network.slots]
    for axis in {axis for group in cabled for axis in group.axes}:
        expected = {}
        names = {group.name: group.axes.index(axis) for group in cabled if axis in group.axes}
        own = [node for node in expanded.nodes if node[1] in names]
        for value in {node[2][names[node[1]]] for node in own}:
            nodes = {node for node in own if node[2][names[node[1]]] == value}
            gpus = sum(expanded.gpus[node] for node in nodes)
            expected[value] = gpus, cut_near(graph, nodes, switches)
        assert cuts_near(network, axis) == expected
        looked_at += len(expected)
    return looked_at


@settings(max_examples=25)
@given(st.one_of(designs(), designs(unlike=True)))
def test_cuts_near_the_nodes_of_a_value_are_those_of_the_expansion(plan: Plan) -> None:
    assert_near(plan)


def test_so_they_are_where_switches_are_joined_along_axes() -> None:
    assert sum(assert_near(plan_along(seed)) for seed in range(40)) > 100


@pytest.mark.parametrize("seed", range(4))
def test_so_they_are_over_three_tiers(seed: int) -> None:
    assert assert_near(pods(Random(seed), 1 + seed % 2)) > 4


def test_a_rack_is_left_over_its_trunk_if_that_is_thinner_than_its_nodes() -> None:
    """Three racks of two nodes of two ports; one cable of 12.5 GB/s from a leaf to the spine."""
    text = (
        "toposmith: 2\naxes: {rack: 3}\ngroups:\n"
        "  node: {part: node2, per: [rack], count: 2,"
        " nics: {compute: {part: nic-1x100, count: 2}}}\n"
        "  leaf: {part: switch, per: [rack]}\n  spine: {part: switch}\n"
        "links:\n  - {between: [node.compute, leaf]}\n  - {between: [leaf, spine]}\n"
    )
    network = ComputeNetwork(plan_design(parse_design(text, "racks"), CATALOG))
    assert cuts_near(network, "rack") == dict.fromkeys(range(3), (4, 12500))
    # a node leaves by its two ports: its leaf takes as much from the other node
    assert cuts_near(network, "node") == dict.fromkeys(range(2), (6, 75000))
