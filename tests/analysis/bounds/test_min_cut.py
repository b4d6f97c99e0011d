"""Cuts of small flow networks, beside those that networkx finds."""

from __future__ import annotations

from math import inf

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposmith.analysis.bounds.min_cut import min_cut

ARCS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 9)).filter(
        lambda arc: arc[0] != arc[1]
    ),
    max_size=25,
)


@given(ARCS)
def test_as_much_flows_as_networkx_sends_and_the_cut_carries_just_that(
    arcs: list[tuple[int, int, int]],
) -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from((0, 1))
    for u, v, capacity in arcs:
        before = graph.get_edge_data(u, v, {"capacity": 0})["capacity"]
        graph.add_edge(u, v, capacity=before + capacity)
    cut = min_cut(arcs, 0, 1)
    value, side = cut.value, cut.side
    assert value == sum(s for s, (u, _, _) in zip(cut.sent, arcs, strict=True) if u == 0) - sum(
        s for s, (_, v, _) in zip(cut.sent, arcs, strict=True) if v == 0
    )
    assert value == nx.maximum_flow_value(graph, 0, 1)
    assert 0 in side and 1 not in side
    assert value == sum(capacity for u, v, capacity in arcs if u in side and v not in side)


def test_two_ports_of_50_between_two_ends_without_limit_carry_100() -> None:
    arcs = [("s", "a", inf), ("a", "b", 50), ("a", "b", 50), ("b", "t", inf)]
    cut = min_cut(arcs, "s", "t")
    assert (cut.value, cut.side, cut.sent) == (100, {"s", "a"}, [100, 50, 50, 100])


def test_a_flow_that_nothing_limits_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing limits"):
        min_cut([("s", "t", inf)], "s", "t")
