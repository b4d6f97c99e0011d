"""What a change or a fabric costs, compared only where the comparison is certain."""

from __future__ import annotations

from dataclasses import dataclass, field

from toposmith.amount import Amount
from toposmith.bill.totals import PriceTotal
from toposmith.labels import Labelled


@dataclass(frozen=True)
class Outlay:
    """What is paid: a price where a list has any, else counts of parts and their power.

    Parameters
    ----------
    counts : tuple of float
        Parts by kind, in the order of their weight.
    power_w : Amount
        Power, W.
    price : PriceTotal
        Price of all parts.
    """

    counts: tuple[float, ...]
    power_w: Amount
    price: PriceTotal = field(default_factory=PriceTotal)

    def no_more_than(self, other: Outlay) -> bool:
        """Whether it is certainly no more than another cost, whatever is unknown of them.

        Once any part has a price, prices alone decide: fewer parts may cost more.
        """
        if self.price.known or other.price.known:
            return self.price.no_more_than(other.price)
        fewer = all(x <= y for x, y in zip(self.counts, other.counts, strict=True))
        return fewer and self.power_w.no_more_than(other.power_w)

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key: complete prices first, then counts, then known power."""
        only = self.price.only
        price = (0.0, float(only[0])) if only else (1.0, 0.0)
        return (*price, *self.counts, *self.power_w.order)


def no_less(one: Labelled, other: Labelled, share: float = 1.0, of_other: float = 1.0) -> bool:
    """Whether a figure is certainly at least another one.

    Unknown figures are not compared, and one that is at most or at least so much only with its
    like. ``share`` and ``of_other`` are what is kept of the figures.
    """
    if one.value is None or other.value is None:
        return False
    if one.label.kind != other.label.kind and (one.label.sign or other.label.sign):
        return False
    return one.value * share >= other.value * of_other * (1 - 1e-9)
