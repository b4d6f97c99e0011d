"""How often bytes cross from node to node, against walks over rings and trees."""

from __future__ import annotations

import pytest

from toposmith.nccl.latency import crossings


def walked(nodes: int, per_node: int, steps: int) -> int:
    """Crossings of the bytes that cross most often in so many steps around a ring of ranks."""
    ranks = nodes * per_node

    def crossed(first: int) -> int:
        return sum((rank + 1) % per_node == 0 for rank in range(first, first + steps))

    return max(crossed(first) for first in range(ranks))


@pytest.mark.parametrize("nodes", [2, 3, 4, 16])
@pytest.mark.parametrize("per_node", [1, 2, 8])
def test_a_ring_crosses_as_often_as_its_slowest_bytes(nodes: int, per_node: int) -> None:
    ranks = nodes * per_node
    gathered = walked(nodes, per_node, ranks - 1)
    assert crossings("ring", "all_gather", nodes, per_node) == gathered
    assert crossings("ring", "reduce_scatter", nodes, per_node) == gathered
    # an all-reduce goes on from where it has scattered: two steps fewer than twice around
    assert crossings("ring", "all_reduce", nodes, per_node) == walked(
        nodes, per_node, 2 * (ranks - 1)
    )
    assert crossings("ring", "broadcast", nodes, per_node) == nodes - 1


@pytest.mark.parametrize(("nodes", "levels"), [(2, 1), (3, 2), (4, 2), (5, 3), (16, 4), (17, 5)])
def test_a_tree_crosses_once_a_level_up_and_down(nodes: int, levels: int) -> None:
    assert crossings("tree", "all_reduce", nodes, 8) == 2 * levels
    assert crossings("nvls_tree", "all_reduce", nodes, 8) == 2 * levels


def test_nothing_crosses_inside_a_node() -> None:
    assert crossings("ring", "all_reduce", 1, 8) == 0
