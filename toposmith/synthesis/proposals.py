"""Fabrics analysed in full, and those that no other beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from toposmith.analysis.request import Collective
from toposmith.design.document import Design
from toposmith.labels import Labelled
from toposmith.synthesis.closed_forms import Candidate
from toposmith.synthesis.outlays import Outlay, no_less

Item = TypeVar("Item")

COMPARED = ("switch", "nic", "cable", "transceiver")
"""Parts that are counted where prices are unknown; fibres count as cables."""


@dataclass(frozen=True)
class Proposal:
    """A fabric analysed in full.

    Parameters
    ----------
    candidate : Candidate
        The fabric by its numbers.
    design : Design
        The fabric as a design.
    figures : dict of str to Labelled
        Busbw of a GPU, GB/s, by collective; after one that misses its need the others are not
        predicted.
    counts : dict of str to int
        Parts of the bill by kind, fibres among the cables; where the needs are not met there is
        no bill, and these are those of the closed form.
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

    candidate: Candidate
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
        names = (self.candidate.words, self.candidate.part_words)
        return (not self.listed, *self.cost.order, *names)


# The front


def beats(one: Proposal, other: Proposal) -> bool:
    """Whether a proposal is certainly nowhere worse than another, in cost and figures.

    What a failure leaves of them counts where it was computed of both.
    """
    shares = [(1.0, 1.0)]
    if one.after_failure is not None and other.after_failure is not None:
        shares.append((one.after_failure, other.after_failure))
    for name, figure in one.figures.items():
        if not all(no_less(figure, other.figures[name], *share) for share in shares):
            return False
    if other.listed and not one.listed:
        return False  # cables that are not listed are not saved
    return one.cost.no_more_than(other.cost)


def front(proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Those that no other beats, the cheapest first; one of those that are alike."""
    kept: list[Proposal] = []
    for one in sorted(proposals, key=lambda each: each.order):
        if not any(beats(other, one) for other in kept):
            kept = [other for other in kept if not beats(one, other)]
            kept.append(one)
    return tuple(sorted(kept, key=lambda each: each.order))


def spread(items: Sequence[Item], most: int) -> tuple[Item, ...]:
    """The first and some evenly up to the last, where there are too many."""
    if len(items) <= most:
        return tuple(items)
    step = (len(items) - 1) / (most - 1)
    return tuple(items[round(at * step)] for at in range(most))
