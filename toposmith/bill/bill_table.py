"""The bill of materials as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.order_words import unpriced_words
from toposmith.bill.provenance import signed_words
from toposmith.bill.totals import PriceTotal
from toposmith.bill.unsettled_items import may_count_twice
from toposmith.catalog.kinds import billed_kinds
from toposmith.design.document import Design
from toposmith.design.named_places import places
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.text import UNKNOWN, counted, money, plain_number

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
        Cell("-" if line.power_w is None else line.power_cell("within"), line.power_w),
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
