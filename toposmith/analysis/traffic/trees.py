"""The two binary trees over the nodes of a communicator that NCCL reduces and broadcasts along.

After ``ncclGetBtree`` and ``ncclGetDtree`` of NVIDIA/nccl, src/graph/trees.cc: the second tree is
the first one mirrored (even number of nodes) or shifted by one (odd), so that inner nodes of one
are leaves of the other.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

SHARE_OF_TREE = 0.5
"""Each tree carries half of the data."""

Edge = tuple[int, int]
"""Child and parent, as positions in the order of nodes."""

_ENUMERATED = 64
"""Beyond so many nodes the busiest one is always an inner node of one tree and a leaf of the
other; the tests compare."""


@lru_cache(maxsize=64)
def double_tree(nodes: int) -> tuple[Edge, ...]:
    """Every edge of both trees."""
    first = [(child, _parent(child, nodes)) for child in range(1, nodes)]
    return (*first, *(_second(edge, nodes) for edge in first))


@lru_cache(maxsize=64)
def busiest_node(nodes: int) -> float:
    """What the busiest node sends, per byte reduced: half a byte for every edge that it is on."""
    few = nodes if nodes <= _ENUMERATED else _ENUMERATED
    ends = Counter(end for edge in double_tree(few) for end in edge)
    return SHARE_OF_TREE * max(ends.values(), default=0)


def _parent(node: int, nodes: int) -> int:
    """The parent in the first tree, whose root is node 0."""
    bit = node & -node
    up = (node ^ bit) | (bit << 1)
    return up if up < nodes else node ^ bit


def _second(edge: Edge, nodes: int) -> Edge:
    child, parent = edge
    if nodes % 2:
        return (child + 1) % nodes, (parent + 1) % nodes
    return nodes - 1 - child, nodes - 1 - parent
