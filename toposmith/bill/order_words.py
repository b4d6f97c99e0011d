"""An order in words and as a table: spares, terms of offers, what has no price, its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.terms import signed_words
from toposmith.bill.totals import WITHOUT_POWER, PriceTotal
from toposmith.bill.unsettled_items import may_count_twice
from toposmith.catalog.kinds import billed_kinds
from toposmith.collectives import collective_name
from toposmith.design.document import Design
from toposmith.design.named_places import places
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.labels import AT_LEAST, Label, inverse
from toposmith.text import UNKNOWN, bandwidth, counted, money, plain_number, power


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


_COLUMNS = (
    Column("pieces", right=True),
    Column("part", wide=40, fill=18),
    Column("part number", rank=2, wide=24, fill=14),
    Column("length m", rank=2, right=True),
    Column("price", rank=1, right=True),
    Column("power W", rank=3, right=True),
    Column("kind", rank=5),
    Column("U", rank=6, right=True),
    Column("spares", rank=9, right=True),
    Column("weight kg", rank=10, right=True),
    Column("for", rank=8, wide=40),
)
_BY_LENGTH = tuple(
    replace(column, rank={"length m": 1, "price": 2}.get(column.title, column.rank))
    for column in _COLUMNS
)
"""Where lines have one name and differ in nothing but their lengths."""


_MOST_NOTES = 5


def bill_table(
    bill: Bill,
    design: Design,
    *,
    bought: Sequence[str] = (),
    of_prices: Sequence[str] = (),
) -> Table:
    """Lines of the bill with their figures; what is not known says so.

    Parameters
    ----------
    bill : Bill
        What is to be bought.
    design : Design
        The design that it is for, to find the places on the canvas.
    bought : sequence of str
        What bandwidth it buys and what that costs.
    of_prices : sequence of str
        What price lists say of their prices: offers that have ended, formulas, macros.
    """
    twice = f"; {bill.within_switches_words}" if bill.within_switches_words else ""
    twice += "; modules may be counted twice" if may_count_twice(bill.lines) else ""
    missing = bill.scope.without_cable_words or "parts of the design"
    sum_of = (
        *(() if bill.listed else (f"incomplete: not on it are {missing} (f says why)",)),
        bill.orderable_words,
        f"price {_known_price(bill.price)}",
        f"power {bill.power_w.words('W', 'power')}",
        f"height {bill.rack_units.words('U', 'height')}",
        bill.scope.words,
    )
    head = [
        Note("; ".join(sum_of), Tone.PLAIN if bill.complete else Tone.WARNING),
        Note(f"price {_price(bill.price)}"),
        *_further(bill),
        *([Note(twice.removeprefix("; "))] if twice else []),
        *([Note(signed_words(bill.signed))] if bill.signed else []),
    ]
    head += [Note(words) for words in bought]
    head += [Note(f"price lists: {note}", Tone.WARNING) for note in of_prices[:_MOST_NOTES]]
    if (more := len(of_prices) - _MOST_NOTES) > 0:
        head.append(Note(f"price lists: {counted(more, 'more note')} (toposmith bom says all)"))
    if bill.to_settle:
        open_ = dict.fromkeys(f"{each.topic} {each.label}" for each in bill.to_settle)
        head.append(Note(f"not complete: {', '.join(open_)}"))
    rows = tuple(_row(line, number, design) for number, line in enumerate(bill.lines))
    alike = len({line.name for line in bill.lines}) < len(bill.lines)
    columns = _BY_LENGTH if alike else _COLUMNS
    return Table(columns, rows, tuple(head), "nothing to buy yet")


def _row(line: BillLine, number: int, design: Design) -> Row:
    groups, links = places(line.used_by, design)
    users = ", ".join(line.used_by)
    cells = (
        Cell(f"{line.quantity:,}", line.quantity),
        Cell(line.name, line.name),
        Cell(line.ordered_as or UNKNOWN, line.ordered_as),
        _figure(line.length_m),
        _amount(line),
        Cell(line.power_cell("within", AT_LEAST.sign).replace(UNKNOWN, "-"), line.power_w),
        Cell(line.kind, billed_kinds().index(line.kind)),
        _figure(line.rack_units),
        _figure(line.spares or None),
        _figure(line.weight_kg),
        Cell(users, users),
    )
    detail = (
        f"{_with_maker(line.manufacturer, line.name)}, {_number(line)}",
        _contents(line) or line.description,
        f"for {users}",
        *line.power_notes,
        *_price_words(line),
        *line.notes,
    )
    return Row(f"{line.part} {line.length_m} {number}", cells, detail, groups, links)


def _contents(line: BillLine) -> str:
    """What comes with a line; empty where nothing does."""
    return f"included: {'; '.join(one.words for one in line.includes)}" if line.includes else ""


def _with_maker(maker: str, name: str) -> str:
    """The name behind its maker's, which some names begin with already."""
    return name if name.startswith(f"{maker} ") else f"{maker} {name}"


def _number(line: BillLine) -> str:
    """What the line is ordered by, and whether its source vouches for it."""
    if line.ordered_as is None:
        return "part number not in this catalog"
    doubt = " (unverified)" if "part_number" in line.unverified else ""
    return f"{line.ordered_as}{doubt}"


def _figure(value: float | None) -> Cell:
    return Cell("-", None) if value is None else Cell(plain_number(value), value)


def _amount(line: BillLine) -> Cell:
    if line.price is None or line.total_price is None:
        return Cell(UNKNOWN, None)
    return Cell(money(line.total_price, line.price.currency), float(line.total_price))


def _price_words(line: BillLine) -> tuple[str, ...]:
    price = line.price
    if price is None:
        return ()
    each = f"{money(price.amount, price.currency)} each, {price.date.isoformat()}"
    return (f"{each}, source: {price.stated}",)


def _further(bill: Bill) -> list[Note]:
    """What is paid where that is more than the design needs, and the longest lead time."""
    lines = []
    if bill.price.known and not bill.price.complete:
        lines.append(Note(f"no price: {unpriced_words(bill)}"))
    if bill.order_price.known and bill.order_price.known != bill.price.known:
        lines.append(Note(f"to pay, with spares and smallest lots: {_price(bill.order_price)}"))
    if words := bill.lead_time_words:
        lines.append(Note(f"lead time {words}"))
    return lines


def _known_price(total: PriceTotal) -> str:
    known = " and ".join(money(amount, currency) for currency, amount in total.known.items())
    return (known if total.complete else f"at least {known}") if known else UNKNOWN


def _price(total: PriceTotal) -> str:
    known = " and ".join(money(amount, currency) for currency, amount in total.known.items())
    if total.complete and known:
        return known
    if known:
        return f"{known} known; {total.state}"
    lists = "price lists (CSV, XLSX, YAML) go into prices/ next to config.yaml (toposmith config); "
    lists += "w writes requests for quotation that become one"
    return f"{UNKNOWN}; {lists}" if total.lines else UNKNOWN
