"""The hops of a ring in rank order, alike ones counted together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from topology.analysis.network import Network
from topology.analysis.ranks import Block
from topology.fabric.classes import Coordinates


@dataclass(frozen=True)
class Hop:
    """A kind of hop: two nodes, and how many hops of the ring are just like it."""

    source: Block
    start: Coordinates
    target: Block
    end: Coordinates
    alike: int = 1

    @property
    def groups(self) -> tuple[str, str]:
        """The groups of its two nodes."""
        return self.source.group.name, self.target.group.name


def ring_hops(network: Network) -> Iterator[Hop]:
    """Every hop of the ring: those inside each block, and those from one block to the next."""
    blocks = network.world.blocks
    for block in blocks:
        yield from _inner_hops(network, block)
    if network.world.nodes < 2:
        return
    for source, target in [*pairwise(blocks), (blocks[-1], blocks[0])]:
        yield Hop(source, source.last, target, target.first)


def _inner_hops(network: Network, block: Block) -> Iterator[Hop]:
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
