"""A bill in its forms by name; and requests for quotation, a file of lines for each vendor.

Prices, their currency, day and end are left empty; a request that comes back with them is a price
list (:mod:`toposmith.catalog.price_file`), and lines left empty are no offer.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from xlsxwriter import Workbook

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.table_forms import bill_csv, bill_markdown, cell_text
from toposmith.bill.yaml_form import bill_cyclonedx, bill_json, bill_yaml
from toposmith.leaving_text import CellWriter, as_cell
from toposmith.plain_text import visible

COLUMNS = (
    *("part", "part_number", "manufacturer", "description", "length_m", "order"),
    *("unit_price", "discount_percent", "currency", "price_date", "valid_until", "price_source"),
    *("minimum_order", "lead_time_days", "notes"),
)
"""Columns that a vendor fills have the names of a bill, by which price lists are read."""

FILLED = COLUMNS[6:-1]

_WIDTHS = {"part": 26, "part_number": 22, "description": 60, "price_source": 30, "notes": 40}
_WIDTH = 13
_LONGEST_STEM = 60
_CREATED = datetime(2026, 1, 1)  # of the form; the same bill gives the same bytes


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
    return [*given, line.length_m, line.order, *([None] * len(FILLED)), "; ".join(notes)]


def _csv(lines: Iterable[BillLine]) -> bytes:
    out = io.StringIO()
    writer = CellWriter(out, "\r\n")
    writer.write_row(COLUMNS)
    for line in lines:
        writer.write_row([cell_text(cell) for cell in _cells(line)])
    return out.getvalue().encode()


def _xlsx(lines: Iterable[BillLine]) -> bytes:
    out = io.BytesIO()
    book = Workbook(
        out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    )
    book.set_properties({"title": "Request for quotation", "created": _CREATED})
    bold = book.add_format({"bold": True})
    to_fill = book.add_format({"bold": True, "bg_color": "#FFF2CC"})
    sheet = book.add_worksheet("Request")
    for column, title in enumerate(COLUMNS):
        sheet.set_column(column, column, _WIDTHS.get(title, _WIDTH))
        sheet.write_string(0, column, title, to_fill if title in FILLED else bold)
    sheet.freeze_panes(1, 0)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    for row, line in enumerate(lines, start=1):
        for column, cell in enumerate(_cells(line)):
            if isinstance(cell, (int, float)):
                sheet.write_number(row, column, cell)
            elif cell:
                sheet.write_string(row, column, as_cell(str(cell)))
    book.close()
    return out.getvalue()


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


def _yaml(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_yaml(bill).encode()


def _json(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_json(bill).encode()


def _csv_bytes(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_csv(bill).encode()


def _markdown(bill: Bill, bought: Sequence[str]) -> bytes:
    return bill_markdown(bill, bought).encode()


def _workbook(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_xlsx(bill)


def _cyclonedx(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_cyclonedx(bill).encode()


_WRITERS: dict[str, Writer] = {
    "yaml": _yaml,
    "csv": _csv_bytes,
    "md": _markdown,
    "json": _json,
    "xlsx": _workbook,
    "cyclonedx": _cyclonedx,
}
