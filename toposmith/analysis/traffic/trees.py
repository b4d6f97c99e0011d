"""The two binary trees over the nodes of a communicator that NCCL reduces and broadcasts along.

After ``ncclGetBtree`` and ``ncclGetDtree`` of NVIDIA/nccl, src/graph/trees.cc: the second tree is
the first one mirrored (even number of nodes) or shifted by one (odd), so that inner nodes of one
are leaves of the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
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
def crossing_edges(nodes: int, boundaries: tuple[int, ...]) -> tuple[Edge, ...]:
    """The edges of both trees that lead over a boundary, each once.

    A boundary is the position of the first node behind it. A tree has at most one edge per level
    over each, so that this takes no walk through all nodes.
    """
    if len(boundaries) * nodes.bit_length() > nodes:
        return tuple(edge for edge in double_tree(nodes) if _crosses(edge, boundaries))
    found: dict[Edge, None] = {}
    for at in boundaries:
        found.update(dict.fromkeys(_over(at, nodes)))
    shifted: dict[Edge, None] = {}
    if nodes % 2:
        # the last node of the first tree is node 0 of the second
        last = nodes - 1
        around = [(child, last) for child in range(1, last) if _parent(child, nodes) == last]
        around += [(last, _parent(last, nodes))] if last else []
        shifted = dict.fromkeys(
            edge for edge in (_second(e, nodes) for e in around) if _crosses(edge, boundaries)
        )
        mirrored = [at - 1 for at in boundaries if at > 1]
    else:
        mirrored = [nodes - at for at in boundaries]
    for at in mirrored:
        shifted.update((_second(edge, nodes), None) for edge in _over(at, nodes))
    return (*found, *(edge for edge in shifted if _crosses(edge, boundaries)))


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


def _over(boundary: int, nodes: int) -> Iterator[Edge]:
    """The edges of the first tree over a boundary, level by level."""
    if not 0 < boundary < nodes:
        return
    # below this level no edge leads over a multiple of it
    bit = max(1, (boundary & -boundary) >> 1)
    while bit < nodes:
        below = (boundary - 1) // bit
        for multiple in (below, below + 1):
            child = multiple * bit
            if multiple % 2 and child < nodes:
                parent = _parent(child, nodes)
                if min(child, parent) < boundary <= max(child, parent):
                    yield child, parent
        bit <<= 1


def _crosses(edge: Edge, boundaries: tuple[int, ...]) -> bool:
    low, high = sorted(edge)
    at = bisect_right(boundaries, low)
    return at < len(boundaries) and boundaries[at] <= high
