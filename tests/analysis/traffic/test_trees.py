"""The two trees over the nodes: every node in both, inner in at most one."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import pytest

from toposmith.analysis.traffic.trees import busiest_node, double_tree


@pytest.mark.parametrize("nodes", [2, 3, 4, 5, 8, 16, 31, 127, 128])
def test_each_of_the_two_trees_joins_all_nodes(nodes: int) -> None:
    edges = double_tree(nodes)
    assert len(edges) == 2 * (nodes - 1)
    for half in (edges[: nodes - 1], edges[nodes - 1 :]):
        graph = nx.Graph(list(half))
        assert nx.is_tree(graph)
        assert len(graph) == nodes
        assert max(degree for _, degree in graph.degree()) <= 3


@pytest.mark.parametrize("nodes", [4, 8, 16, 128])
def test_inner_nodes_of_one_tree_are_leaves_of_the_other(nodes: int) -> None:
    edges = double_tree(nodes)
    inner = [
        {node for node, degree in Counter(end for e in half for end in e).items() if degree > 1}
        for half in (edges[: nodes - 1], edges[nodes - 1 :])
    ]
    assert not inner[0] & inner[1]


@pytest.mark.parametrize(
    ("nodes", "bytes_out"), [(2, 1.0), (3, 1.5), (4, 2.0), (127, 2.0), (16384, 2.0)]
)
def test_between_two_nodes_a_byte_leaves_once_and_between_many_twice(
    nodes: int, bytes_out: float
) -> None:
    # two nodes: half of the data up and half down; many: three edges in one tree, one in the other
    assert busiest_node(nodes) == bytes_out
