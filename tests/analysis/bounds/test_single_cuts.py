"""Cuts over switches taken one by one are as narrow as those that networkx finds."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.joined_along import plan_along
from toposmith.analysis.bounds import bisection
from toposmith.analysis.bounds.array_cuts import Joined
from toposmith.analysis.bounds.single_cuts import nodes_in, single_cuts
from toposmith.analysis.network import ComputeNetwork

ENDS = st.lists(st.integers(0, 4), min_size=5, max_size=5)
CABLES = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda two: two[0] < two[1]),
    st.integers(1, 4),
)


@settings(max_examples=100)
@given(ENDS, ENDS, CABLES, st.booleans())
def test_a_cut_over_arrays_is_the_narrowest(
    inside: list[int], outside: list[int], cables: dict[tuple[int, int], int], directly: bool
) -> None:
    between = [(*ends, many) for ends, many in cables.items()]
    between += [(v, u, many) for u, v, many in between]
    tails, heads, carried = np.array(between, int).reshape(-1, 3).T
    joined = Joined(5, tails, heads, carried)
    if directly:
        side = joined.met_directly(np.array(inside), np.array(outside))
    else:
        side = joined.narrowest(np.array(inside), np.array(outside))
    if side is None:
        return
    graph = nx.DiGraph()
    graph.add_nodes_from("st")
    for at in range(5):
        graph.add_edge("s", at, capacity=inside[at])
        graph.add_edge(at, "t", capacity=outside[at])
    graph.add_weighted_edges_from(between, "capacity")
    width = sum((outside if within else inside)[at] for at, within in enumerate(side))
    width += sum(many for u, v, many in between if side[u] and not side[v])
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
            within = nodes_in(singly, cuts, inside)
            gpus, leaving, links = single_cuts(singly).severed(within)
            assert (gpus, leaving) == (expected.gpus, expected.leaving), seed
            direct += bool(links)
    assert looked_at > 60
    assert direct > 30
