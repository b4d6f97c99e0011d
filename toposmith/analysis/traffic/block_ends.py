"""The hops of all nodes by the numbers of the blocks that they start and end in, as arrays.

As :func:`toposmith.analysis.traffic.hops.ring_hops` and ``tree_hops`` have them, where
nothing distinguishes the nodes of a block; hops inside a block are left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from toposmith.analysis.jobs.world import World
from toposmith.fabric.dealt_sets import Whole

Ends = Callable[[World], tuple[Whole, Whole]]
"""The start and end block of every hop between two blocks."""


def ring_ends(world: World) -> tuple[Whole, Whole]:
    """The hops of the ring of all nodes."""
    at = np.arange(len(world.blocks))
    return (at, np.roll(at, -1)) if len(at) > 1 else (at[:0], at[:0])


def tree_ends(world: World) -> tuple[Whole, Whole]:
    """Both ways along every edge of both trees, as in ``trees.double_tree``."""
    nodes, sizes = world.nodes, world.nodes_of_blocks
    child = np.arange(1, nodes)
    bit = child & -child
    up = (child ^ bit) | (bit << 1)
    first = np.stack((child, np.where(up < nodes, up, child ^ bit)))
    second = (first + 1) % nodes if nodes % 2 else nodes - 1 - first
    block = np.repeat(np.arange(len(sizes)), sizes)
    below, above = block[np.concatenate((first, second), axis=1)]
    apart = below != above
    below, above = below[apart], above[apart]
    return np.concatenate((below, above)), np.concatenate((above, below))


def coordinates(world: World) -> Whole:
    """The values of every block on the axes of its group but the last, a row each."""
    outer = [block.outer for block in world.blocks]
    return np.array(outer, np.intp).reshape(len(outer), -1)
