"""The longest of the shortest paths is that of Dijkstra's search between all pairs of devices."""

from __future__ import annotations

from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.traffic.test_node_to_node import with_direct_cables
from tests.expanded import Expanded
from tests.joined_along import plan_along
from tests.small_designs import CATALOG, designs
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction import longest_ways
from toposmith.analysis.prediction.longest_ways import SwitchPath, longest_way
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

MANY = 10**6
"""More than any path adds."""


class Added:
    """What cables and switches add to the slowness of a path, drawn for a plan."""

    def __init__(self, plan: Plan, seed: int) -> None:
        random = Random(seed)
        self.of_link = {link.index: random.randrange(4) for link in plan.every_link}
        self.of_group = {name: random.randrange(3) for name in plan.groups}

    def __call__(self, link: int, switch: str | None) -> int:
        return self.of_link[link] + (0 if switch is None else self.of_group[switch])

    def over(self, way: SwitchPath) -> tuple[int, int]:
        switches, links = way
        groups = sum(self.of_group[name] for name in switches)
        return len(links), groups + sum(self.of_link[link] for link in links)


def one_way(plan: Plan) -> nx.MultiDiGraph:
    """Every cable both ways round; a node is left at one vertex, and reached at another."""
    expanded, graph = Expanded(plan), nx.MultiDiGraph()
    for node in expanded.nodes:
        for nic in expanded.nics(node):
            for peer in expanded.graph.neighbors(nic):
                if peer != node:
                    far = [("to", at) for at in expanded.nodes if peer in expanded.nics(at)]
                    for data in expanded.graph.get_edge_data(nic, peer).values():
                        graph.add_edge(("from", node), *(far or [peer]), link=data["link"])
                        graph.add_edge(peer, ("to", node), link=data["link"])
    for u, v, data in expanded.graph.edges(data=True):
        if all(end[0] == "device" and plan.groups[end[1]].switch for end in (u, v)):
            graph.add_edge(u, v, link=data["link"])
            graph.add_edge(v, u, link=data["link"])
    return graph


def longest_in_expansion(graph: nx.MultiDiGraph, added: Added) -> tuple[int, int] | None:
    """Cables of the longest path, and what the slowest such path adds."""

    def cost(_: object, there: tuple, cables: dict) -> int:
        switch = there[1] if there[0] == "device" else None
        return MANY - max(added(data["link"], switch) for data in cables.values())

    found = []
    for start in (v for v in graph if v[0] == "from"):
        costs = nx.single_source_dijkstra_path_length(graph, start, weight=cost)
        for end, total in costs.items():
            if end[0] == "to" and end[1] != start[1]:
                cables = -(-total // MANY)
                found.append((cables, cables * MANY - total))
    return max(found, default=None)


def assert_longest(plan: Plan, seed: int) -> SwitchPath | None:
    network, added, graph = ComputeNetwork(plan), Added(plan, seed), one_way(plan)
    way = longest_way(network, added)
    assert (None if way is None else added.over(way)) == longest_in_expansion(graph, added)
    if way is not None:
        # cables of these links lead from some node over switches of these groups to a node
        at = {vertex for vertex in graph if vertex[0] == "from"}
        for link, switch in zip(way[1], (*way[0], None), strict=True):
            ways = [(v, data["link"]) for u in at for _, v, data in graph.out_edges(u, data=True)]
            kind = "to" if switch is None else "device"
            at = {v for v, of in ways if of == link and v[0] == kind and switch in (None, v[1])}
        assert at
    return way


@settings(max_examples=37)
@given(st.one_of(designs(), designs(unlike=True), with_direct_cables()), st.integers(0, 1_000))
def test_the_longest_path_is_that_between_all_pairs(plan: Plan, seed: int) -> None:
    assert_longest(plan, seed)


@pytest.mark.parametrize("seed", range(60))
def test_so_it_is_where_switches_are_joined_along_axes(seed: int) -> None:
    assert_longest(plan_along(seed), seed)


def test_more_nodes_than_are_searched_at_once_are_searched_in_turn(monkeypatch) -> None:
    plan = plan_design(parse_design(RING % {"many": 70, "absent": "[]"}, "ring"), CATALOG)
    monkeypatch.setattr(longest_ways, "_AT_ONCE", 1)
    # half of the ring away, and both ends
    assert len(longest_way(ComputeNetwork(plan), Added(plan, 0))[0]) == 36


RING = """\
toposmith: 2
axes: {x: %(many)d}
groups:
  node: {part: node2, per: [x], nics: {compute: {part: nic-1x100, count: 2}}}
  sw: {part: switch, per: [x]}
links:
  - {between: [node.compute, sw]}
  - {between: [sw, sw], along: {x: next}}
absent: %(absent)s
"""


def test_a_ring_that_is_cut_open_is_passed_from_end_to_end() -> None:
    text = RING % {"many": 6, "absent": '["sw[x=0] - sw[x=1]"]'}
    plan = plan_design(parse_design(text, "ring"), CATALOG)
    assert longest_way(ComputeNetwork(plan), Added(plan, 0)) == (("sw",) * 6, (0, 1, 1, 1, 1, 1, 0))


def test_of_equally_many_switches_the_slowest_pair_says_the_path() -> None:
    """Under one spine: cables of 5, 20 and 30 m; the two longest add up."""
    names, metres = ("a", "b", "c"), (5, 20, 30)
    groups = "".join(
        f"  n{name}: {{part: node2, nics: {{compute: {{part: nic-1x100, count: 2}}}}}}\n"
        f"  leaf{name}: {{part: switch}}\n"
        for name in names
    )
    links = "".join(
        f"  - {{between: [n{name}.compute, leaf{name}]}}\n  - {{between: [leaf{name}, spine]}}\n"
        for name in names
    )
    text = f"toposmith: 2\ngroups:\n{groups}  spine: {{part: switch}}\nlinks:\n{links}"
    plan = plan_design(parse_design(text, "star"), CATALOG)
    adds = {2 * number + 1: metres[number] for number in range(3)}
    switches, links = longest_way(ComputeNetwork(plan), lambda link, _: adds.get(link, 0))
    assert set(switches) == {"leafb", "spine", "leafc"}
    assert sum(adds.get(link, 0) for link in links) == 50
