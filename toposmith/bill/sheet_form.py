"""The bill as an Excel workbook: lines, scope, totals, links, cages and findings, a sheet each.

Text is written as text, so that none becomes a formula; equal bills give equal bytes. Cells
that depend on others are formulas with stored values, so that a price that is filled in takes
effect at once.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_col_to_name

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.table_forms import COLUMNS, bill_csv, bill_markdown, cell_text
from toposmith.bill.terms import OPTIONS, SIGNED, options_text, signed_words
from toposmith.bill.yaml_form import bill_cyclonedx, bill_data, bill_json, bill_yaml
from toposmith.leaving_text import CellWriter, as_cell
from toposmith.plain_text import visible
from toposmith.text import plain_number

_WIDTHS = {
    "part": 26,
    "part_number": 22,
    "name": 34,
    "value": 60,
    "text": 60,
    "description": 50,
    "used_by": 28,
    "notes": 40,
    "price_source": 30,
}
_WIDTH = 13

# A workbook has a date of creation; this one is the bill's form, not the clock.
_CREATED = datetime(2026, 1, 1)

_A4 = 9  # of the paper sizes that workbooks number

_PAID = "order_price"
"""A column of the workbook alone: the price of the pieces to pay of a line."""

_LETTERS = {column: xl_col_to_name(at) for at, column in enumerate((*COLUMNS, _PAID))}
_TIMES = {
    "power_w": "unit_power_w",
    "rack_units": "unit_rack_units",
    "weight_kg": "unit_weight_kg",
}
"""Columns that are a quantity of those others."""

_LONGEST_CELL = 32_767  # characters that Excel keeps in a cell (Excel specifications and limits)


@dataclass(frozen=True)
class _Formula:
    """A cell's formula, and its current value; None where that is unknown."""

    text: str
    is_now: Any


def bill_xlsx(bill: Bill) -> bytes:
    """The bill as the bytes of an ``.xlsx`` file."""
    data = bill_data(bill)
    comes_with = any("includes" in line for line in data["lines"])
    sheets: tuple[BillSheet, ...] = (
        ("Bill", (*COLUMNS, _PAID), _lines(data, bill)),
        *([("Included", _INCLUDED_COLUMNS, _included(data))] if comes_with else ()),
        ("Scope", ("what", "value"), _scope(data)),
        ("To be settled", _UNSETTLED_COLUMNS, map(dict.values, data["to_settle"])),
        ("Totals", _TOTAL_COLUMNS, _totals(data, len(data["lines"]))),
        ("Links", _LINK_COLUMNS, _links(data)),
        ("Cages", ("end", "cages", "modules"), map(dict.values, data["ends"])),
        ("Findings", _FINDING_COLUMNS, map(dict.values, data["findings"])),
        ("Made from", ("what", "value"), _origin(data)),
    )
    return workbook("Bill of materials", sheets)


_LINK_COLUMNS = ("link", "speed_gbit", "part", "length_m", "connections", "cables")
_INCLUDED_COLUMNS = ("comes with", "name", "part of its own", "with each", "in all")
_UNSETTLED_COLUMNS = ("what", "label", "text", "parts")
_FINDING_COLUMNS = ("code", "severity", "where", "text")
_TOTAL_COLUMNS = ("total", "unit", "known", "at least", "state", "not known for")
_UNITS = {"power_w": "W", "rack_units": "U", "weight_kg": "kg"}


BillSheet = tuple[str, Sequence[str], Iterable[Iterable[Any]]]
"""Its name, its head and its rows."""


def workbook(title: str, sheets: Iterable[BillSheet], filled: Collection[str] = ()) -> bytes:
    """The bytes of an ``.xlsx`` file of sheets; its reader fills the columns ``filled``."""
    out = io.BytesIO()
    # In memory, since temporary files could fill a small disk; no text becomes a link or formula.
    book = Workbook(
        out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    )
    book.set_properties({"title": title, "created": _CREATED})
    bold = book.add_format({"bold": True})
    to_fill = book.add_format({"bold": True, "bg_color": "#FFF2CC"})
    for name, head, rows in sheets:
        sheet = book.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(_A4)
        sheet.fit_to_pages(1, 0)  # one page wide, as many as it takes
        sheet.repeat_rows(0)
        sheet.freeze_panes(1, 0)
        sheet.set_footer("&L&A&Rpage &P of &N")
        for column, heading in enumerate(head):
            sheet.set_column(column, column, _WIDTHS.get(heading, _WIDTH))
            sheet.write_string(0, column, heading, to_fill if heading in filled else bold)
        row = 0
        for row, cells in enumerate(rows, start=1):
            for column, value in enumerate(cells):
                _write(sheet, row, column, value)
        if row:
            sheet.autofilter(0, 0, row, len(head) - 1)
    book.close()
    return out.getvalue()


def _write(sheet: Any, row: int, column: int, value: Any) -> None:
    """An unknown figure stays an empty cell."""
    if isinstance(value, _Formula):
        sheet.write_formula(
            row, column, value.text, None, "" if value.is_now is None else value.is_now
        )
        return
    if isinstance(value, list):
        value = "; ".join(str(item) for item in value)
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, (int, float)):
        sheet.write_number(row, column, value)
    elif value is not None:
        sheet.write_string(row, column, as_cell(str(value))[:_LONGEST_CELL])


def _lines(data: dict[str, Any], bill: Bill) -> Iterable[list[Any]]:
    for row, (line, of_bill) in enumerate(zip(data["lines"], bill.lines, strict=True), start=2):
        one, pieces = f"{_LETTERS['unit_price']}{row}", f"{_LETTERS['order']}{row}"
        price = of_bill.price
        if price is not None and price.minimum_order is not None:
            pieces = f"MAX({pieces},{price.minimum_order})"
        paid = None if price is None else float(of_bill.paid_pieces * price.amount)
        yield [
            *(_cell(column, line[column], row) for column in COLUMNS),
            _Formula(f'=IF({one}="","",{pieces}*{one})', paid),
        ]


def _cell(column: str, value: Any, row: int) -> Any:
    """The value of a column, or the formula that gives it."""
    quantity = f"{_LETTERS['quantity']}{row}"
    if column == "order":
        return _Formula(f"={quantity}+{_LETTERS['spares']}{row}", value)
    if column == "price":
        one = f"{_LETTERS['unit_price']}{row}"
        return _Formula(f'=IF({one}="","",{quantity}*{one})', value)
    if column in _TIMES and value is not None:
        return _Formula(f"={quantity}*{_LETTERS[_TIMES[column]]}{row}", value)
    return value


def _column(name: str, lines: int) -> str:
    """The cells of a column over all lines."""
    letter = _LETTERS[name]
    return f"Bill!${letter}$2:${letter}${lines + 1}"


def _sum_of(name: str, currency: str, lines: int, amount: Any) -> _Formula:
    """What a currency adds up to over all lines; ``currency`` is a text or a cell."""
    of_it = _column("currency", lines)
    if name == "spares_price":
        pieces = f"{_column('spares', lines)}*{_column('unit_price', lines)}"
        return _Formula(f"=SUMPRODUCT(({of_it}={currency})*{pieces})", amount)
    return _Formula(f"=SUMIF({of_it},{currency},{_column(name, lines)})", amount)


def _without_price(name: str, lines: int) -> tuple[str, str]:
    """How many lines a total of prices is of, and how many of these have none."""
    counts = f"({_column('spares' if name == 'spares_price' else 'order', lines)}>0)"
    bare = f'({_column("unit_price", lines)}="")'
    return f"SUMPRODUCT(--{counts})", f"SUMPRODUCT({counts}*{bare})"


def _state_of(name: str, currencies: Sequence[str], lines: int, is_now: str) -> _Formula:
    """Whether every line that counts has a price, in a currency that is summed."""
    of, lacking = _without_price(name, lines)
    summed = "+".join(f"({_column('currency', lines)}={each})" for each in currencies)
    priced = f'({_column("unit_price", lines)}<>"")'
    other = f"SUMPRODUCT({priced}*(({summed})=0))"
    return _Formula(
        f'=IF({lacking}>0,"incomplete: "&{lacking}&" of "&{of}&IF({of}=1," line"," lines")&'
        f'IF({lacking}=1," has"," have")&" no price",IF({other}>0,"incomplete: "&{other}&'
        '" in another currency, or in none","complete"))',
        is_now,
    )


def _included(data: dict[str, Any]) -> Iterable[list[Any]]:
    """What comes with lines of the bill, and is neither counted nor priced again."""
    for line in data["lines"]:
        for one in line.get("includes", ()):
            yield [line["part"], *one.values()]


def _scope(data: dict[str, Any]) -> list[list[Any]]:
    """What the bill is of, and how much of it can be ordered as it is."""
    ready, scope = data["orderable"], data["scope"]
    return [
        ["scope", scope["text"]],
        ["covers", scope["covers"]],
        ["not on it", scope["not_on_it"]],
        ["orderable", ready["text"]],
        ["complete", data["complete"]],
        ["all parts listed", data["listed"]],
        [SIGNED, signed_words(data.get(SIGNED, {}))],
    ]


def _totals(data: dict[str, Any], lines: int) -> Iterable[list[Any]]:
    for name, total in data["totals"].items():
        without = total["lines_without"]
        if name in _UNITS:
            most = (total["known"], total["at_least"])
            yield [name, _UNITS[name], *most, total["state"], without]
            if within := total.get("within_switches"):
                state = "within the switches' figures, not added again"
                yield ["power_w of modules and cables", "W", within, within, state, []]
        else:
            yield from _price_rows(name, total, lines)


def _price_rows(name: str, total: dict[str, Any], lines: int) -> Iterable[list[Any]]:
    """A row for each currency; where none is known yet, one for the first that is filled in."""
    if not lines:
        yield [name, None, None, None, total["state"], []]
        return
    column = _column("currency", lines)
    first = f'IFERROR(INDEX({column},MATCH("?*",{column},0)),"")'
    known = [(f'"{unit}"', unit, amount) for unit, amount in total["known"].items()]
    rows = known or [(first, _Formula(f"={first}", None), None)]
    _, lacking = _without_price(name, lines)
    parts = "; ".join(total["lines_without"])
    bare = _Formula(f'=IF({lacking}=0,"","see unit_price in Bill")', parts) if parts else None
    state = _state_of(name, [currency for currency, _, _ in rows], lines, total["state"])
    for currency, unit, amount in rows:
        added = _sum_of(name, currency, lines, amount)
        if not known:
            priced = f"COUNT({_column('unit_price', lines)})"
            added = _Formula(f'=IF({priced}=0,"",{added.text[1:]})', None)
        yield [name, unit, added, added, state, bare]


def _links(data: dict[str, Any]) -> Iterable[list[Any]]:
    for link in data["links"]:
        for run in link["runs"]:
            yield [
                *(link["link"], link["speed_gbit"], run["part"], run["length_m"]),
                *(run["connections"], run["cables"]),
            ]


def _origin(data: dict[str, Any]) -> list[list[Any]]:
    policy, racks = data["policy"], data["racks"] or {}
    stock = policy.get("stock_lengths_m")
    spares = "; ".join(f"{kind} {rate}" for kind, rate in policy["spares"].items())
    named = ("design", "design_sha256", "program", "prices_sha256", "complete")
    return [
        *([name, data[name]] for name in named),
        ["catalog parts", data["catalog"]["parts"]],
        ["catalog sha256", data["catalog"]["sha256"]],
        [OPTIONS, options_text(policy)],
        ["cabling", policy["cabling"]],
        ["lengths", policy["lengths"]],
        *([["lengths in stock, m", ", ".join(map(plain_number, stock))]] if stock else []),
        ["racks", racks.get("count")],
        ["racks are", racks.get("state")],
        ["rack units of each", racks.get("units")],
        ["spares", spares or "none"],
    ]


# A bill in its forms by name; and requests for quotation, a file of lines for each vendor.
#
# Prices, their currency, day and end are left empty; a request that comes back with them is a price
# list (:mod:`toposmith.catalog.price_file`), and lines left empty are no offer.

REQUESTED = (
    *("part", "part_number", "manufacturer", "description", "length_m", "order"),
    *("unit_price", "discount_percent", "currency", "price_date", "valid_until", "price_source"),
    *("minimum_order", "lead_time_days", "notes"),
)
"""Columns that a vendor fills have the names of a bill, by which price lists are read."""

FILLED = REQUESTED[6:-1]

_LONGEST_STEM = 60


def requests(bill: Bill, form: str) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The files of all vendors, by the names of the vendors.

    Parameters
    ----------
    bill : Bill
        What is to be bought, with its spares.
    form : str
        One of :data:`REQUEST_FORMS`.

    Yields
    ------
    tuple of str and iterable of bytes
        The name of a file, and what it holds.
    """
    taken: set[str] = set()
    for vendor, lines in sorted(lines_by_vendor(bill).items()):
        stem = plain = re.sub(r"[^a-z0-9]+", "-", vendor.lower()).strip("-")[:_LONGEST_STEM]
        number = 1
        while not stem or stem in taken:
            number += 1
            stem = f"{plain or 'vendor'}-{number}"
        taken.add(stem)
        yield f"{stem}.{form}", [REQUEST_FORMS[form](lines)]


def why_requests_kept(folder: Path) -> str:
    """Why requests are not written into an existing folder; empty for one without files."""
    if not folder.is_dir():
        return "is a file, and requests are written into a folder, a file for each vendor"
    held = min((one.name for one in folder.iterdir()), default=None)
    if held is None:
        return ""
    return f"holds {visible(held)}; prices may be in it, so name another folder"


def lines_by_vendor(bill: Bill) -> dict[str, list[BillLine]]:
    """The lines of a bill by the manufacturer of their parts."""
    found: dict[str, list[BillLine]] = {}
    for line in bill.lines:
        found.setdefault(line.manufacturer, []).append(line)
    return found


def _cells(line: BillLine) -> list[object]:
    notes = [note for note in line.notes if note]
    if line.part_number is None and line.family is not None:
        notes.append(f"of the family {line.family}")
    if line.part_number is not None and not line.orderable:
        notes.append("part number unverified: please confirm it")
    given = (line.part, line.part_number, line.manufacturer, line.description)
    return [*given, line.length_m, line.order, *([None] * len(FILLED)), "; ".join(notes) or None]


def _csv(lines: Iterable[BillLine]) -> bytes:
    out = io.StringIO()
    writer = CellWriter(out, "\r\n")
    writer.write_row(REQUESTED)
    for line in lines:
        writer.write_row([cell_text(cell) for cell in _cells(line)])
    return out.getvalue().encode()


def _xlsx(lines: Iterable[BillLine]) -> bytes:
    return workbook("Request for quotation", [("Request", REQUESTED, map(_cells, lines))], FILLED)


REQUEST_FORMS: dict[str, Callable[[Iterable[BillLine]], bytes]] = {"csv": _csv, "xlsx": _xlsx}
"""The forms of a request, by how its files end."""


BILL_ENDINGS = {
    "yaml": ".yaml",
    "csv": ".csv",
    "md": ".md",
    "json": ".json",
    "xlsx": ".xlsx",
    "cyclonedx": ".cdx.json",
}
"""The file suffix of each format, in the order in which they are offered."""

Writer = Callable[["Bill", Sequence[str]], bytes]


def bill_bytes(bill: Bill, form: str, bought: Sequence[str] = ()) -> bytes:
    """A bill in one of its forms.

    Parameters
    ----------
    bill : Bill
        What to write.
    form : str
        One of :data:`BILL_ENDINGS`.
    bought : sequence of str
        What bandwidth it buys and what that costs, for formats that people read.

    Returns
    -------
    bytes
        A workbook, or UTF-8.
    """
    return _WRITERS[form](bill, bought)


def form_of(name: str) -> str | None:
    """The format by a file's suffix; None where the suffix is unknown."""
    endings = {".yml": "yaml"} | {ending: form for form, ending in BILL_ENDINGS.items()}
    longest_first = sorted(endings, key=len, reverse=True)
    return next((endings[one] for one in longest_first if name.lower().endswith(one)), None)


_WRITERS: dict[str, Writer] = {
    "yaml": lambda bill, _: bill_yaml(bill).encode(),
    "csv": lambda bill, _: bill_csv(bill).encode(),
    "md": lambda bill, bought: bill_markdown(bill, bought).encode(),
    "json": lambda bill, _: bill_json(bill).encode(),
    "xlsx": lambda bill, _: bill_xlsx(bill),
    "cyclonedx": lambda bill, _: bill_cyclonedx(bill).encode(),
}
