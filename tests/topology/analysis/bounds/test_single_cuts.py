"""Cuts over switches taken one by one are as narrow as those that networkx finds."""

from __future__ import annotations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.topology.joined_along import plan_along
from toposmith.topology.analysis.bounds import bisection
from toposmith.topology.analysis.bounds.single_cuts import _met_directly, single_cuts
from toposmith.topology.analysis.network import ComputeNetwork

ENDS = st.lists(st.integers(0, 4), min_size=5, max_size=5)
CABLES = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda two: two[0] < two[1]),
    st.integers(1, 4),
)


@settings(max_examples=400)
@given(ENDS, ENDS, CABLES)
def test_a_cut_that_one_cable_each_fills_is_the_narrowest(
    inside: list[int], outside: list[int], cables: dict[tuple[int, int], int]
) -> None:
    near: dict = {(at,): {} for at in range(5)}
    for (u, v), many in cables.items():
        near[u,][v,] = near[v,][u,] = many
    pull = {True: {}, False: {}}
    for at in range(5):
        pull[True][at,], pull[False][at,] = inside[at], outside[at]
    side = _met_directly(near, pull)
    if side is None:
        return
    graph = nx.DiGraph()
    graph.add_nodes_from("st")
    for u, peers in near.items():
        graph.add_edge("s", u, capacity=pull[True][u])
        graph.add_edge(u, "t", capacity=pull[False][u])
        for v, many in peers.items():
            graph.add_edge(u, v, capacity=many)
    width = sum(pull[not within][u] for u, within in side.items()) + sum(
        many for u, peers in near.items() for v, many in peers.items() if side[u] and not side[v]
    )
    assert width == nx.maximum_flow_value(graph, "s", "t")


def test_as_much_leaves_half_of_the_nodes_of_fabrics_along_axes() -> None:
    looked_at = direct = 0
    for seed in range(60):
        plan = plan_along(seed)
        by_classes, singly = ComputeNetwork(plan), ComputeNetwork(plan)
        if by_classes.world.nodes < 2 or not by_classes.all_on_switches or by_classes.singly:
            continue
        for cuts, inside in bisection._halves(by_classes):
            looked_at += 1
            expected = bisection._severed(by_classes, cuts, inside)
            chosen = bisection._chooser(singly, cuts, inside)
            gpus, leaving, links = single_cuts(singly).severed(chosen)
            assert (gpus, leaving) == (expected.gpus, expected.leaving), seed
            direct += bool(links)
    assert looked_at > 60
    assert direct > 30
