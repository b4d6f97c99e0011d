"""The cost of bandwidth: the price of a design over its bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from toposmith.bill.totals import PriceTotal
from toposmith.collectives import collective_name
from toposmith.labels import Label, inverse
from toposmith.text import bandwidth, money


@dataclass(frozen=True)
class CostPerBandwidth:
    """Price per GB/s (10^9 bytes/s) of delivered bandwidth."""

    amount: float
    currency: str

    @property
    def words(self) -> str:
        """``1,234 USD``; small amounts with two decimals."""
        return money(round(self.amount, 0 if self.amount >= 100 else 2), self.currency)


def cost_per_GBps(price: PriceTotal, busbw_GBps: float, gpus: int) -> CostPerBandwidth | None:
    """The cost of each GB/s of a collective.

    Defined as the price of everything on the bill, without spares, over the bus bandwidth that all
    GPUs get together: price / (busbw x GPUs).

    Parameters
    ----------
    price : PriceTotal
        Of the bill.
    busbw_GBps : float
        Bus bandwidth of each GPU, GB/s, such as ``Analysis.busbw_GBps`` of an all-reduce.
    gpus : int
        GPUs that take part.

    Returns
    -------
    CostPerBandwidth or None
        None where a line has no price, prices are in several currencies, or nothing is delivered.
    """
    if price.only is None or busbw_GBps <= 0 or gpus <= 0:
        return None
    amount, currency = price.only
    return CostPerBandwidth(float(amount / (Decimal(repr(busbw_GBps)) * gpus)), currency)


@dataclass(frozen=True)
class Delivered:
    """The bandwidth that a design delivers to all its GPUs, for comparison with its price.

    It is that of the world, one group of all GPUs, regardless of the design's jobs: the same
    hardware then costs the same for each GB/s.

    Parameters
    ----------
    collective : str
        The collective, such as ``all_reduce``.
    busbw_GBps : float or None
        Bus bandwidth of each GPU, GB/s; None where it could not be predicted.
    gpus : int
        GPUs that take part.
    label : Label
        The label of the bandwidth; that of the cost per GB/s is its inverse.
    """

    collective: str
    busbw_GBps: float | None
    gpus: int
    label: Label

    def cost(self, price: PriceTotal) -> CostPerBandwidth | None:
        """:func:`cost_per_GBps` of a bill's price; None where either is not known."""
        if self.busbw_GBps is None:
            return None
        return cost_per_GBps(price, self.busbw_GBps, self.gpus)

    def cost_words(self, cost: CostPerBandwidth) -> str:
        """A cost with the sign that the bandwidth gives it, ``≤ 1,234 USD``."""
        return inverse(self.label).marked(cost.words)

    def words(self, price: PriceTotal) -> str:
        """``all-reduce of all 8 GPUs 369 GB/s per GPU; ...``, with what is unknown said."""
        name = collective_name(self.collective)
        if self.busbw_GBps is None:
            return f"{name} of all {self.gpus:,} GPUs unknown; cost per GB/s unknown"
        cost = self.cost(price)
        why = "a line has no price" if not price.complete else "prices are in several currencies"
        each = self.cost_words(cost) if cost else f"unknown ({why})"
        rate = self.label.marked(bandwidth(self.busbw_GBps))
        delivers = f"{name} of all {self.gpus:,} GPUs {rate} per GPU"
        return f"{delivers}; cost per GB/s of all GPUs {each}"
