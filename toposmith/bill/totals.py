"""Sums that name missing figures: an unknown figure never counts as zero."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import floor

from toposmith.amount import Amount, Piece
from toposmith.bill.bill_lines import BillLine, part_line
from toposmith.catalog import Catalog, Part, Pdu, Rack
from toposmith.catalog.prices import Price
from toposmith.fabric.plan import Plan
from toposmith.racks.placement import Placement, occupied_racks, too_many_devices
from toposmith.racks.rack_loads import RackAssumptions, feed_power, rack_assumptions, rack_loads
from toposmith.text import UNKNOWN, counted, plain_number


@dataclass(frozen=True)
class Total(Amount):
    """The sum of a figure of lines.

    Parameters
    ----------
    lines, lacking : int
        Lines that are summed, and how many of them have no figure.
    """

    lines: int = 0
    lacking: int = 0

    @property
    def lines_without(self) -> tuple[str, ...]:
        """Parts whose figure is not known, each once."""
        return tuple(dict.fromkeys(part for part, _ in self.unknown))

    def amount(self, unit: str = "") -> str:
        """``341,150 W``, ``at least 5,600 W`` or ``unknown``; from 100 on in whole units."""
        whole = round if self.complete else floor  # more than is known would be no lower limit
        return self.said(
            lambda amount: plain_number(whole(amount) if amount >= 100 else amount, unit)
        )

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
    unknown : mapping of Piece to float
        How many pieces have no price, by part and length.
    lines, lacking : int
        Lines that are summed, and how many of them have no price.
    """

    known: dict[str, Decimal] = field(default_factory=dict)
    unknown: Mapping[Piece, float] = field(default_factory=dict)
    lines: int = 0
    lacking: int = 0

    @property
    def lines_without(self) -> tuple[str, ...]:
        """Parts without a price, each once."""
        return tuple(dict.fromkeys(part for part, _ in self.unknown))

    @property
    def complete(self) -> bool:
        """Whether every line has a price."""
        return not self.unknown

    def no_more_than(self, other: PriceTotal) -> bool:
        """Whether it is certainly no more than another price, in every currency."""
        return all(
            self._amount(currency).no_more_than(other._amount(currency))
            for currency in {*self.known, *other.known} or {""}
        )

    def _amount(self, currency: str) -> Amount:
        return Amount(float(self.known.get(currency, 0)), self.unknown)

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
    known, count, lacking = 0.0, 0, 0
    pieces: Counter[Piece] = Counter()
    limits: Counter[Piece] = Counter()
    for line in lines:
        count += 1
        value = figure(line)
        if value is None:
            lacking += 1
            pieces[line.part, None] += line.quantity
            limits[line.part, None] += least(line)  # type: ignore[assignment]
        else:
            known += value
    each = {piece: limits[piece] / many for piece, many in pieces.items() if many}
    return Total(round(known, 3), pieces, each, count, lacking)


def price_total(lines: Iterable[BillLine], pieces: Callable[[BillLine], int]) -> PriceTotal:
    """Sum the price of some pieces of every line; lines with none are skipped."""
    known: dict[str, Decimal] = {}
    count = lacking = 0
    without: Counter[Piece] = Counter()
    for line in lines:
        many = pieces(line)
        if not many:
            continue
        count += 1
        price: Price | None = line.price
        if price is None:
            without[line.part, line.length_m] += many
            lacking += 1
        else:
            known[price.currency] = known.get(price.currency, Decimal(0)) + many * price.amount
    return PriceTotal(dict(sorted(known.items())), without, count, lacking)


def _state(lacking: int, lines: int, figure: str) -> str:
    if not lacking:
        return "complete"
    have = "has" if lacking == 1 else "have"
    return f"incomplete: {lacking} of {lines} line{'s' * (lines != 1)} {have} no {figure}"


# Racks on the bill: their number, and lines for the racks and PDUs that a design names.

WITHOUT_POWER = ("rack", "pdu")
"""Kinds without a draw of their own: a PDU's power is drawn by the devices behind it."""


@dataclass(frozen=True)
class RackCount:
    """The racks of a design.

    Parameters
    ----------
    count : int
        Racks in use.
    units : int
        Height of each for devices, in U.
    part : str or None
        Part of the racks where the design names one; None where a default is used for lengths.
    feeds : int or None
        PDUs in each, each on a feed of its own; None where the design states none.
    assumptions : RackAssumptions
        Heights, power and defaults that the count depends on.
    over_limit : int
        Racks above the power limit, by the known power of their devices.
    unplaced : bool
        Whether there are too many devices to put each of them into a rack.
    whole : int
        Racks that are sold whole, included in ``count``.
    """

    count: int
    units: int
    part: str | None
    feeds: int | None
    assumptions: RackAssumptions
    over_limit: int = 0
    unplaced: bool = False
    whole: int = 0

    @property
    def to_furnish(self) -> int:
        """Racks that need a cabinet and PDUs; those sold whole have their own."""
        return self.count - self.whole

    @property
    def complete(self) -> bool:
        """Whether the count depends on nothing that is unknown, assumed or a default."""
        return not (self.assumptions.words or self.over_limit or self.unplaced)

    @property
    def parts_known(self) -> bool:
        """Whether height and power of all devices in racks are known."""
        return self.assumptions.parts_known and not self.unplaced

    @property
    def state(self) -> str:
        """``complete``, or ``assumed: the height of hgx-h100-8; 40.8 kW a rack``."""
        if self.unplaced:
            return "unknown: too many devices to put each into a rack"
        said = []
        if self.over_limit:
            racks = counted(self.over_limit, "rack", "draw")
            said.append(f"over the limit: {racks} more than it allows")
        if self.assumptions.words:
            said.append(f"assumed: {self.assumptions.words}")
        return "; ".join(said) or "complete"


def rack_count(plan: Plan, placement: Placement) -> RackCount:
    """Count the racks in use."""
    feeds = placement.block.feeds
    named = placement.block.rack is not None and placement.floor.part is not None
    limit = placement.floor.max_power_w
    return RackCount(
        count=len(occupied_racks(placement)),
        units=placement.floor.units,
        part=placement.floor.part.id if named and placement.floor.part else None,
        feeds=feeds.count if feeds else None,
        assumptions=rack_assumptions(placement),
        over_limit=sum(load.over(limit) for load in rack_loads(placement)),
        whole=sum(standing.whole for standing in placement.whole.values()),
        unplaced=bool(too_many_devices(plan)),
    )


def rack_lines(racks: RackCount, placement: Placement, catalog: Catalog) -> Iterator[BillLine]:
    """Lines for racks and PDUs; only what the ``placement:`` block names is bought."""
    if racks.part is not None and racks.to_furnish:
        part = catalog.get(racks.part)
        if isinstance(part, Rack):
            yield _line(part, catalog, racks.to_furnish)
    feeds = feed_power(placement, catalog)
    if feeds is not None and racks.to_furnish:
        pdu = catalog.get(feeds.pdu)
        if isinstance(pdu, Pdu):
            yield _line(pdu, catalog, racks.to_furnish * feeds.count)


def _line(part: Part, catalog: Catalog, quantity: int) -> BillLine:
    return part_line(part, catalog, quantity, ["placement"])
