"""An order in words: spares, terms of offers, what has no price, the price of bandwidth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.rack_lines import WITHOUT_POWER
from toposmith.bill.totals import PriceTotal
from toposmith.collectives import collective_name
from toposmith.labels import Label, inverse
from toposmith.text import UNKNOWN, bandwidth, counted, money, power


def order_lines(bill: Bill) -> Iterator[str]:
    """Spares, the sum to pay, delivery times and expired offers.

    Empty where the order is just what the design needs and no offer has terms.
    """
    if bill.spares.stated():
        yield f"Spares: {bill.spares.words()}"
        if bill.spares_price.lines:
            yield f"Price of spares: {price_total_words(bill.spares_price)}"
    if paid := to_pay_words(bill):
        yield paid
    if wait := bill.lead_time_words:
        yield f"Lead time: {wait}"
    if ended := ended_words(bill):
        yield ended


def to_pay_words(bill: Bill) -> str:
    """What the order costs, where that is more than the design needs."""
    if not bill.order_price.known or bill.order_price.known == bill.price.known:
        return ""
    words = price_total_words(bill.order_price)
    return f"To pay, with spares and what is sold in no smaller lots: {words}"


def ended_words(bill: Bill) -> str:
    """Sources of offers that had expired when their list was read; their prices are still used."""
    over = [
        (line.part, line.price.valid_until)
        for line in bill.lines
        if line.price and line.price.ended
    ]
    if not over:
        return ""
    each = ", ".join(dict.fromkeys(f"{part} on {day}" for part, day in over if day))
    lines = counted(len(bill.lines), "line")
    return f"Offers that ended, of {len(over):,} of {lines}: {each}"


def price_total_words(total: PriceTotal) -> str:
    """A price by currency, with the lines that have none."""
    known = " and ".join(money(amount, currency) for currency, amount in total.known.items())
    if not total.lines:
        return "none"
    if total.complete:
        return known
    return f"{known or 'none'} known; {total.state} ({', '.join(total.lines_without)})"


def unpriced(bill: Bill) -> list[BillLine]:
    """Lines with pieces to order but without a price."""
    return [line for line in bill.lines if line.order and line.price is None]


def unpriced_words(bill: Bill) -> str:
    """``2 of 4 lines, 9 of 80 pieces, 4 of 45 kW; their share of the value is unknown``."""
    bare = unpriced(bill)
    pieces, of = sum(line.order for line in bare), sum(line.order for line in bill.lines)
    return (
        f"{len(bare):,} of {counted(len(bill.lines), 'line')}, {pieces:,} of "
        f"{counted(of, 'piece')}{_power_share(bill, bare)}; their share of the value is unknown"
    )


def _power_share(bill: Bill, bare: Sequence[BillLine]) -> str:
    """``, 40.8 kW of 81.6 kW``: what lines draw by themselves, ``at least`` where some lack it."""
    drawing = [line for line in bare if line.kind not in WITHOUT_POWER]
    known = sum(line.added_power_w or line.least_power_w for line in drawing)
    if not known:
        return ""
    least = any(line.added_power_w is None for line in drawing)
    share = f"{'at least ' * least}{power(known)}"
    whole = f"{'at least ' * (not bill.power_w.complete)}{power(bill.power_w.at_least)}"
    return f", {share} of {whole}"


@dataclass(frozen=True)
class UnitCost:
    """The price of a design per GPU, or per GB/s (10^9 bytes/s) of delivered bandwidth."""

    amount: float
    currency: str

    @property
    def words(self) -> str:
        """``1,234 USD``; small amounts with two decimals."""
        return money(round(self.amount, 0 if self.amount >= 100 else 2), self.currency)


def unit_cost(price: PriceTotal, units: float) -> UnitCost | None:
    """The cost of each unit: the price of everything on the bill, without spares, over the units.

    Parameters
    ----------
    price : PriceTotal
        Of the bill.
    units : float
        GPUs; or the bus bandwidth that all of them get together, GB/s: busbw x GPUs.

    Returns
    -------
    UnitCost or None
        None where a line has no price, prices are in several currencies, or there are no units.
    """
    if price.only is None or units <= 0:
        return None
    amount, currency = price.only
    return UnitCost(float(amount / Decimal(repr(units))), currency)


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

    def cost(self, price: PriceTotal) -> UnitCost | None:
        """:func:`unit_cost` of each GB/s by a bill's price; None where either is not known."""
        return None if self.busbw_GBps is None else unit_cost(price, self.busbw_GBps * self.gpus)

    def shares(self, price: PriceTotal) -> tuple[UnitCost | None, UnitCost | None]:
        """The cost of each GPU, and of each GB/s; None where it is not known."""
        return unit_cost(price, self.gpus), self.cost(price)

    def share_amounts(self, price: PriceTotal) -> tuple[float | None, float | None]:
        """Both costs as numbers, in the currency of the price."""
        per_gpu, cost = self.shares(price)
        return per_gpu.amount if per_gpu else None, cost.amount if cost else None

    def share_words(self, price: PriceTotal) -> tuple[str, str]:
        """Both costs; ``unknown`` until every line has a price."""
        per_gpu, cost = self.shares(price)
        return per_gpu.words if per_gpu else UNKNOWN, self.cost_words(cost) if cost else UNKNOWN

    def each_words(self, price: PriceTotal) -> str:
        """``32,100 USD per GPU, 1,234 USD per GB/s of all-to-all``."""
        each = self.share_words(price)
        return f"{each[0]} per GPU, {each[1]} per GB/s of {collective_name(self.collective)}"

    def cost_words(self, cost: UnitCost) -> str:
        """A cost with the sign that the bandwidth gives it, ``≤ 1,234 USD``."""
        return inverse(self.label).marked(cost.words)

    def words(self, price: PriceTotal) -> str:
        """``all-reduce of all 8 GPUs 369 GB/s per GPU; ...``, with what is unknown stated."""
        name = collective_name(self.collective)
        if self.busbw_GBps is None:
            return f"{name} of all {self.gpus:,} GPUs unknown; cost per GB/s unknown"
        cost = self.cost(price)
        why = "a line has no price" if not price.complete else "prices are in several currencies"
        each = self.cost_words(cost) if cost else f"unknown ({why})"
        rate = self.label.marked(bandwidth(self.busbw_GBps))
        delivers = f"{name} of all {self.gpus:,} GPUs {rate} per GPU"
        return f"{delivers}; cost per GB/s of all GPUs {each}"
