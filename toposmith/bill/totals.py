"""Sums that name missing figures: an unknown figure never counts as zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal

from toposmith.bill.bill_lines import BillLine
from toposmith.catalog.prices import Price
from toposmith.text import UNKNOWN, plain_number


@dataclass(frozen=True)
class Total:
    """A sum with the parts whose figure is unknown, which never count as zero.

    Parameters
    ----------
    known : float
        The sum of what is known.
    lines_without : tuple of str
        Parts whose figure is not known, each once.
    lines, lacking : int
        Lines that are summed, and how many of them have no figure.
    more : float
        Lower limit of the lines without a figure, where one is known.
    """

    known: float
    lines_without: tuple[str, ...]
    lines: int = 0
    lacking: int = 0
    more: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether every line has its figure."""
        return not self.lines_without

    @property
    def at_least(self) -> float:
        """The known sum plus the known lower limits of the rest."""
        return round(self.known + self.more, 3)

    def amount(self, unit: str = "") -> str:
        """``341,150 W``, ``at least 5,600 W`` or ``unknown``."""
        return self.said(lambda amount: plain_number(amount, unit))

    def said(self, write: Callable[[float], str]) -> str:
        """The sum as ``write`` has amounts; of one that lacks lines what it is at least."""
        if self.complete:
            return write(self.known)
        return f"at least {write(self.at_least)}" if self.at_least else UNKNOWN

    def words(self, unit: str, figure: str) -> str:
        """``341,150 W``; ``at least 5,600 W; incomplete: ...`` or ``unknown; incomplete: ...``."""
        amount = self.amount(unit)
        return amount if self.complete else f"{amount}; {self.state(figure)}"

    def state(self, figure: str) -> str:
        """``complete``, or ``incomplete: 3 of 14 lines have no power``."""
        return _state(self.lacking, self.lines, figure)


@dataclass(frozen=True)
class PriceTotal:
    """Sums of prices, one for each currency: amounts of two are never added.

    Parameters
    ----------
    known : dict of str to Decimal
        By currency, in the order of their names.
    lines_without : tuple of str
        Parts without a price, each once.
    lines, lacking : int
        Lines that are summed, and how many of them have no price.
    """

    known: dict[str, Decimal]
    lines_without: tuple[str, ...]
    lines: int = 0
    lacking: int = 0

    @property
    def complete(self) -> bool:
        """Whether every line has a price."""
        return not self.lines_without

    @property
    def state(self) -> str:
        """``complete``, or ``incomplete: 3 of 14 lines have no price``."""
        return _state(self.lacking, self.lines, "price")

    @property
    def only(self) -> tuple[Decimal, str] | None:
        """The whole sum and its currency; None where prices lack or are in several currencies."""
        if not self.complete or len(self.known) != 1:
            return None
        ((currency, amount),) = self.known.items()
        return amount, currency


def total(
    lines: Iterable[BillLine],
    figure: Callable[[BillLine], float | None],
    least: Callable[[BillLine], float] = lambda line: 0.0,
) -> Total:
    """Sum one figure of some lines; ``least`` is the lower limit of a line without it."""
    known = more = 0.0
    count = lacking = 0
    without: dict[str, None] = {}
    for line in lines:
        count += 1
        value = figure(line)
        if value is None:
            without[line.part] = None
            lacking += 1
            more += least(line)
        else:
            known += value
    return Total(round(known, 3), tuple(without), count, lacking, round(more, 3))


def price_total(lines: Iterable[BillLine], pieces: Callable[[BillLine], int]) -> PriceTotal:
    """Sum the price of some pieces of every line; lines with none are skipped."""
    known: dict[str, Decimal] = {}
    count = lacking = 0
    without: dict[str, None] = {}
    for line in lines:
        many = pieces(line)
        if not many:
            continue
        count += 1
        price: Price | None = line.price
        if price is None:
            without[line.part] = None
            lacking += 1
        else:
            known[price.currency] = known.get(price.currency, Decimal(0)) + many * price.amount
    return PriceTotal(dict(sorted(known.items())), tuple(without), count, lacking)


def _state(lacking: int, lines: int, figure: str) -> str:
    if not lacking:
        return "complete"
    have = "has" if lacking == 1 else "have"
    return f"incomplete: {lacking} of {lines} line{'s' * (lines != 1)} {have} no {figure}"
