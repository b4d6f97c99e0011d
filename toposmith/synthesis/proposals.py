"""Fabrics analysed in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from toposmith.analysis.request import Collective
from toposmith.collectives import collective_name
from toposmith.design.document import Design
from toposmith.exports.text_plot.curves import LEAST_ROWS, Axis, scatter
from toposmith.labels import Labelled
from toposmith.synthesis.fabrics import Fabric
from toposmith.synthesis.purchases import Outlay
from toposmith.text import bandwidth, counted, money

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


def front_plot(
    proposals: Sequence[Proposal],
    width: int,
    height: int,
    *,
    chosen: int | None = None,
    ascii_only: bool = False,
) -> list[str]:
    """Draw each proposal as its number: its exchange by its price.

    Where a price is unknown, by the number of parts: switches, NICs, cables and modules. Empty
    where there are fewer than two points, or there is no room.
    """
    figures = [_exchange(one) for one in proposals]
    if len(proposals) < 2 or None in figures:
        return []
    costs, across = _costs(proposals)
    ups = [figure or 0.0 for figure in figures]
    name = (
        "all_to_all" if "all_to_all" in proposals[0].figures else next(iter(proposals[0].figures))
    )
    if min(ups) == max(ups):
        height = min(height, LEAST_ROWS)  # the points lie on one line
    up = Axis(collective_name(name), bandwidth(min(ups)), bandwidth(max(ups)))
    points = list(zip(costs, ups, strict=True))
    return scatter(points, across, up, width, height, chosen=chosen, ascii_only=ascii_only)


def _exchange(one: Proposal) -> float | None:
    """All-to-all, which feels every tier; else the first figure."""
    figures = dict(one.figures)
    return figures.get("all_to_all", next(iter(figures.values()))).value


def _costs(proposals: Sequence[Proposal]) -> tuple[list[float], Axis]:
    prices = [one.price for one in proposals if one.price is not None]
    if len(prices) == len(proposals) and len({currency for _, currency in prices}) == 1:
        values = [float(amount) for amount, _ in prices]
        least, most = min(prices), max(prices)
        return values, Axis("price", money(*least), money(*most))
    parts = [float(sum(one.counts.get(kind, 0) for kind in COMPARED)) for one in proposals]
    least_words, most_words = (counted(int(edge), "part") for edge in (min(parts), max(parts)))
    return parts, Axis("number of parts", least_words, most_words)
