"""Hops between nodes in a ring, along trees, or in pairs; equivalent ones are counted.

Nodes of one block whose own coordinates lie in one cell are a bucket. Hops between the same two
buckets load the same switches, so they are one hop with a count; their NICs differ, but every node
has its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from toposmith.analysis.jobs.communicator import NodeOrder
from toposmith.analysis.jobs.world import NodeBlock
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.trees import crossing_edges, double_tree
from toposmith.fabric.classes import Coordinates


@dataclass(frozen=True)
class Hop:
    """A kind of hop: two nodes, and the number of equivalent hops."""

    source: NodeBlock
    start: Coordinates
    target: NodeBlock
    end: Coordinates
    alike: int = 1

    @property
    def groups(self) -> tuple[str, str]:
        """The groups of its two nodes."""
        return self.source.group.name, self.target.group.name

    @property
    def inside_block(self) -> bool:
        """Whether its nodes differ in their own axis only."""
        return self.source is self.target


def nic_pairs(network: ComputeNetwork, hop: Hop, many: int) -> list[tuple[int, int]]:
    """Which slots of its two nodes send to which: equal ones first, then what is left, in order."""
    live, at = network.live_slots, network.classes.cells_at
    source = live[hop.groups[0], at(hop.source.group, hop.start)]
    target = live[hop.groups[1], at(hop.target.group, hop.end)]
    return slot_pairs(source, target, many)


def slot_pairs(source: list[int], target: list[int], many: int) -> list[tuple[int, int]]:
    """Which of the cabled slots of a node send to which of another."""
    common = [slot for slot in source if slot in target]
    left = [[slot for slot in slots if slot not in common] for slots in (source, target)]
    return [*((slot, slot) for slot in common), *zip(*left, strict=False)][:many]


def ring_hops(network: ComputeNetwork) -> Iterator[Hop]:
    """The ring of all nodes, packed: inside each block, and from one block to the next."""
    blocks = network.world.blocks
    for block in blocks:
        yield from _inner_hops(network, block)
    if network.world.nodes < 2:
        return
    for source, target in [*pairwise(blocks), (blocks[-1], blocks[0])]:
        yield Hop(source, source.last, target, target.first)


def _inner_hops(network: ComputeNetwork, block: NodeBlock) -> Iterator[Hop]:
    """Hops inside a block, alike ones counted: those between values of one cell."""
    own = block.group.axes[-1]
    pieces: list[tuple[int, int]] = []
    for low, high in block.runs:
        for cell in network.classes.cuts.cells(own):
            pieces += [
                (max(low, a), min(high, b)) for a, b in cell.intervals if a <= high and low <= b
            ]
    pieces.sort()
    for low, high in pieces:
        if high > low:
            yield Hop(block, block.at(low), block, block.at(low + 1), high - low)
    for (_, last), (first, _) in pairwise(pieces):
        yield Hop(block, block.at(last), block, block.at(first))


def tree_hops(network: ComputeNetwork) -> Iterator[Hop]:
    """Both trees over all nodes, packed: few of their edges leave a block."""
    blocks = network.world.blocks
    if not one_bucket_each(network, blocks):
        edges = double_tree(network.world.nodes)
        pairs = (pair for child, parent in edges for pair in ((child, parent), (parent, child)))
        yield from counted(network, NodeOrder(network.world), pairs)
        return
    first = [block.first for block in blocks]
    for a, b, many in _tree_ends(network):
        if a == b:
            yield Hop(blocks[a], first[a], blocks[a], _second_node(blocks[a]), many)
        else:
            yield Hop(blocks[a], first[a], blocks[b], first[b], many)


def _tree_ends(network: ComputeNetwork) -> Iterator[tuple[int, int, int]]:
    """The hops of both trees: from which block to which, and how many.

    For blocks whose nodes are interchangeable.
    """
    nodes, of_block = network.world.nodes, network.world.nodes_of_blocks
    starts = list(accumulate(of_block, initial=0))[:-1]
    each = of_block[0] if len(set(of_block)) == 1 else 0
    inside = [2 * many for many in of_block]
    for root in (0, nodes - 1 if nodes % 2 == 0 else 1):
        inside[bisect_right(starts, root) - 1] -= 1
    up: Counter[tuple[int, int]] = Counter(
        (child // each, parent // each)
        if each
        else (bisect_right(starts, child) - 1, bisect_right(starts, parent) - 1)
        for child, parent in crossing_edges(nodes, tuple(starts[1:]))
    )
    between: Counter[tuple[int, int]] = Counter()
    for (below, above), many in up.items():
        inside[below] -= many
        between[below, above] += many
        between[above, below] += many
    for at, many in enumerate(inside):
        if many:
            yield at, at, 2 * many
    for (a, b), many in between.items():
        yield a, b, many


def one_bucket_each(network: ComputeNetwork, blocks: Sequence[NodeBlock]) -> bool:
    """Whether the nodes of each block are equivalent, and none is missing."""
    own_axes = {block.group.axes[-1] for block in blocks}
    together = own_axes.isdisjoint(_axes_of_switches(network)) and all(
        len(network.classes.cuts.cells(own)) == 1 for own in own_axes
    )
    return together and all(len(block.runs) == 1 for block in blocks)


def _axes_of_switches(network: ComputeNetwork) -> set[str]:
    groups = network.plan.groups.values()
    return {axis for group in groups if group.switch for axis in group.axes}


def _second_node(block: NodeBlock) -> Coordinates:
    return block.at(block.runs[0][0] + 1)


def counted(
    network: ComputeNetwork, order: NodeOrder, pairs: Iterable[tuple[int, int]]
) -> Iterator[Hop]:
    """Hops between nodes given by their positions, with equivalent ones merged."""
    buckets = _buckets(network, order.nodes)
    numbers = [number for number, _ in buckets]
    examples = dict(reversed(buckets))
    counts = Counter((numbers[sender], numbers[receiver]) for sender, receiver in pairs)
    others = _second_examples(buckets)
    for (source, target), many in counts.items():
        block, own = examples[source]
        peer, peer_own = examples[target] if source != target else others[source]
        yield Hop(block, block.at(own), peer, peer.at(peer_own), many)


def _buckets(
    network: ComputeNetwork, nodes: Sequence[tuple[NodeBlock, int]]
) -> list[tuple[int, tuple[NodeBlock, int]]]:
    """For every node the number of its bucket, and the node."""
    cuts = network.classes.cuts
    by_value = _axes_of_switches(network)
    numbers: dict[tuple[int, int], int] = {}
    found: list[tuple[int, tuple[NodeBlock, int]]] = []
    for block, own in nodes:
        axis = block.group.axes[-1]
        cell = own if axis in by_value else cuts.cell_of(axis, own)
        number = numbers.setdefault((id(block), cell), len(numbers))
        found.append((number, (block, own)))
    return found


def _second_examples(
    buckets: Sequence[tuple[int, tuple[NodeBlock, int]]],
) -> dict[int, tuple[NodeBlock, int]]:
    """Another node of every bucket that has more than one."""
    seen: set[int] = set()
    second: dict[int, tuple[NodeBlock, int]] = {}
    for number, node in buckets:
        if number in seen:
            second.setdefault(number, node)
        seen.add(number)
    return second
