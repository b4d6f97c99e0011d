"""Fabrics analysed in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from toposmith.analysis.request import Collective
from toposmith.design.document import Design
from toposmith.labels import Labelled
from toposmith.synthesis.fabrics import Fabric
from toposmith.synthesis.outlays import Outlay

Item = TypeVar("Item")

COMPARED = ("switch", "nic", "cable", "transceiver")
"""Parts that are counted where prices are unknown; fibres count as cables."""


@dataclass(frozen=True)
class Proposal:
    """A fabric analysed in full.

    Parameters
    ----------
    fabric : Fabric
        The fabric by its numbers.
    design : Design
        The fabric as a design.
    figures : dict of str to Labelled
        Busbw of a GPU, GB/s, by collective; after one that misses its need the others are not
        predicted.
    counts : dict of str to int
        Parts of the bill by kind, fibres among the cables; where the needs are not met there is
        no bill, and these are those of the fabric's numbers.
    cost : Outlay
        Price and power of the whole bill, and those counts that are compared.
    racks : int or None
        Racks; None where there are too many devices to place.
    longest_m : float or None
        The longest cable; None where the length of any is unknown.
    free_ports : int
        Ports of all switches that nothing takes.
    listed : bool
        Whether the catalog has cables and modules for all of its links.
    broken : tuple of str
        Which requirements it does not meet, by their keys.
    after_failure : float or None
        The least share kept of any figure, times that of the GPUs, after any one cable or switch
        of the fabric fails; None where that was not computed.
    gpus_cut_off : int
        GPUs that the worst of these failures cuts off.
    replugged : int or None
        Cables to be plugged elsewhere at growth; None where it cannot grow so, or need not.
    """

    fabric: Fabric
    design: Design
    figures: dict[Collective, Labelled]
    counts: dict[str, int]
    cost: Outlay
    racks: int | None = None
    longest_m: float | None = None
    free_ports: int = 0
    listed: bool = True
    broken: tuple[str, ...] = ()
    after_failure: float | None = None
    gpus_cut_off: int = 0
    replugged: int | None = None

    @property
    def price(self) -> tuple[Decimal, str] | None:
        """Of the whole bill; None where a part has no price, or they are in several currencies."""
        return self.cost.price.only

    @property
    def order(self) -> tuple[object, ...]:
        """By what rows are ranked: price where there is one, else switches, NICs, cables."""
        return (not self.listed, *self.cost.order, self.fabric.words, self.fabric.part_words)


def spread(items: Sequence[Item], most: int) -> tuple[Item, ...]:
    """The first and some evenly up to the last, where there are too many."""
    if len(items) <= most:
        return tuple(items)
    step = (len(items) - 1) / (most - 1)
    return tuple(items[round(at * step)] for at in range(most))
