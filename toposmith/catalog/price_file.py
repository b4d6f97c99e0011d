"""The rows of one price list, from CSV, XLSX or YAML, each with its line; figures remain text.

A list holds prices of parts, or rates of exchange: its columns say which.

A bill of materials whose ``unit_price``, ``currency``, ``price_date`` and ``price_source`` are
filled in is a price list, too: it goes out as a request and comes back as an offer.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import yaml

from toposmith.catalog.part_file import LARGEST_FILE, PartFile, read_part_file
from toposmith.catalog.workbook_text import (
    SheetCells,
    WorkbookError,
    has_macros,
    is_workbook,
    sheets_of,
)
from toposmith.plain_text import shown, visible

PRICE_FIELDS = ("part", "price", "currency", "date", "source")
TERM_FIELDS = ("length_m", "valid_until", "discount_percent", "minimum_order", "lead_time_days")
"""What a price may have besides."""

RATE_FIELDS = ("currency", "to", "rate", "date", "source")
"""Columns of a list of exchange rates: one of ``currency`` costs ``rate`` of ``to``."""
MEANINGS = {
    "part": "The id of a part in the catalog, or a number that it is ordered by.",
    "price": "Of one piece, with a point for cents, without separators for thousands.",
    "currency": "Three capitals of ISO 4217.",
    "to": "The currency that the rate converts to.",
    "rate": "What one of `currency` costs, in `to`.",
    "date": "The day of the price or rate: year-month-day.",
    "source": "Whose price it is: an offer, a shop, a contract.",
    "length_m": "Of a cable or fibre: the length that costs so much, m.",
    "valid_until": "The last day of an offer: year-month-day.",
    "discount_percent": "Taken off the price, which is then rounded to the cent.",
    "minimum_order": "The fewest pieces that are sold.",
    "lead_time_days": "From order to delivery, days.",
}
"""What each field of a list is."""

PATTERNS = {
    "price": re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,2})?"),
    "rate": re.compile(r"[0-9]{1,8}(\.[0-9]{1,8})?"),
    "date": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "valid_until": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "length_m": re.compile(r"[0-9]{1,6}(\.[0-9]{1,3})?"),
    "discount_percent": re.compile(r"[0-9]{1,2}(\.[0-9]{1,2})?"),
    "minimum_order": re.compile(r"[1-9][0-9]{0,5}"),
    "lead_time_days": re.compile(r"[1-9][0-9]{0,5}"),
}
"""How figures and days are written."""

_OF_BILLS = {"unit_price": "price", "price_date": "date", "price_source": "source"}
"""Columns of a bill of materials that hold what a price list has, by their names there."""
_FIRST_DAY = date(1899, 12, 30)  # day 0 of workbooks (ECMA-376 part 1, 18.17.4.1)


@dataclass(frozen=True)
class PriceRow:
    """One price as written; ``place`` is file and line, without terminal escapes.

    ``notes`` are what to know of how it was written.
    """

    place: str
    fields: dict[str, str]
    notes: tuple[str, ...] = ()


def price_rows(path: Path) -> tuple[list[PriceRow], list[str]]:
    """Read the rows of a price list, and what is wrong with the file."""
    try:
        text = read_part_file(path)
    except OSError as error:
        return [], [visible(f"{path}:1: cannot be read: {error.strerror or error}")]
    if is_workbook(text):
        return _workbook_rows(str(path), text)
    if path.suffix.lower() in (".yaml", ".yml"):
        return _yaml_rows(str(path), text)
    if path.suffix.lower() == ".xlsx" and text:
        return [], [visible(f"{path}:1: no workbook, though it is called one; was it renamed?")]
    if not text.strip():
        return [], [visible(f"{path}:1: the file is empty; a list begins with its columns")]
    if len(text) > LARGEST_FILE:
        return [], [visible(f"{path}:1: more than the {LARGEST_FILE} bytes allowed")]
    try:
        lines = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = text.count(b"\n", 0, error.start) + 1
        return [], [visible(f"{path}:{number}: no UTF-8 text; save the list as CSV in UTF-8")]
    return _csv_rows(str(path), lines)


def _csv_rows(name: str, text: str) -> tuple[list[PriceRow], list[str]]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1

    def lines() -> Iterator[tuple[int, list[str]]]:
        nonlocal line
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1

    rows: list[PriceRow] = []
    try:
        problems = _table_rows(name, lines(), rows)
    except csv.Error as error:
        return rows, [visible(f"{name}:{line}: not readable as CSV: {error}")]
    return rows, problems


def _workbook_rows(name: str, raw: bytes) -> tuple[list[PriceRow], list[str]]:
    """Rows of all sheets with price columns; formulas count with their stored values."""
    try:
        sheets = list(sheets_of(raw))
        macros = has_macros(raw)
    except WorkbookError as error:
        return [], [visible(f"{name}:1: {error}")]
    offers = [sheet for sheet in sheets if _is_of_prices(sheet.rows)]
    rows: list[PriceRow] = []
    problems: list[str] = []
    for sheet in offers or sheets[:1]:
        place = f"{name}:{sheet.title}" if len(offers) > 1 else name
        read: list[PriceRow] = []
        problems += _table_rows(place, enumerate(sheet.rows, start=1), read)
        rows += _with_notes(place, sheet, read)
        problems += [_merged(place, area) for area in sheet.merged if read]
    if rows and macros:
        whole = f"{visible(name)}: has macros, which are never run"
        rows = [replace(row, notes=(whole, *row.notes)) for row in rows]
    return rows, problems


def _is_of_prices(sheet: list[list[str]]) -> bool:
    """Whether the head of a sheet names prices of parts, or rates of exchange."""
    head = next((cells for cells in sheet if any(map(str.strip, cells))), [])
    names = {cell.strip().lower() for cell in head}
    return ("part" in names and bool({"price", "unit_price"} & names)) or {"to", "rate"} <= names


def _with_notes(name: str, sheet: SheetCells, rows: Iterable[PriceRow]) -> Iterator[PriceRow]:
    """The rows of a sheet with their days, and the notes on formulas."""
    head = next((cells for cells in sheet.rows if any(map(str.strip, cells))), [])
    names = [cell.strip().lower() for cell in head]
    read = {*PRICE_FIELDS, *TERM_FIELDS, *RATE_FIELDS, *_OF_BILLS}
    if _OF_BILLS.keys() <= set(names):
        read.discard("price")  # of a bill that of the line, which is computed
    columns = {_letters(at) for at, title in enumerate(names) if title in read}
    formulas: dict[str, list[str]] = {}
    for line, cell in sheet.formulas:
        if cell.rstrip("0123456789") not in columns:
            continue
        formulas.setdefault(visible(f"{name}:{line}"), []).append(cell)
    for row in rows:
        said = [
            f"{row.place}: cell {cell} is a formula; the value that was saved with it counts"
            for cell in formulas.get(row.place, ())
        ]
        yield PriceRow(row.place, _with_days(row.fields), tuple(said))


def _letters(number: int) -> str:
    """The letters of a column, from 0: ``A``, ``Z``, ``AA``."""
    ahead, last = divmod(number, 26)
    return (_letters(ahead - 1) if ahead else "") + chr(ord("A") + last)


def _with_days(fields: dict[str, str]) -> dict[str, str]:
    """Dates as they are written, where the workbook keeps them as days since 1899-12-30."""
    days = {
        key: (_FIRST_DAY + timedelta(days=int(fields[key]))).isoformat()
        for key in ("date", "valid_until")
        if re.fullmatch(r"[0-9]{4,6}", fields.get(key, ""))
    }
    return {**fields, **days}


def _table_rows(
    name: str, lines: Iterable[tuple[int, list[str]]], rows: list[PriceRow]
) -> list[str]:
    """Add the rows below a head to ``rows``; what is wrong with the head."""
    names: list[str] = []
    is_bill, head = False, 1
    for line, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if names:
            fields = dict(zip(names, cells, strict=False))
            # a row without an offer is no price
            if not is_bill or fields.get("price", "").strip():
                rows.append(PriceRow(visible(f"{name}:{line}"), fields))
            continue
        names, head = [cell.strip().lower() for cell in cells], line
        is_bill = _OF_BILLS.keys() <= set(names)
        if is_bill:
            names = [
                _OF_BILLS.get(each, "line price" if each == "price" else each) for each in names
            ]
        wanted = fields_of(names)
        if missing := [each for each in wanted if each not in names]:
            return [_no_columns(name, line, missing, wanted)]
        if twice := [each for each in (*wanted, *TERM_FIELDS) if names.count(each) > 1]:
            return [visible(f"{name}:{line}: two columns {', '.join(twice)}; which one counts?")]
    if not names:
        return [_no_columns(name, 1, PRICE_FIELDS, PRICE_FIELDS)]
    return [] if rows else [visible(f"{name}:{head}: no prices below the names of the columns")]


def fields_of(names: Collection[str]) -> tuple[str, ...]:
    """The fields that a row with such columns has to have: those of a rate, or of a price."""
    return RATE_FIELDS if "part" not in names and {"to", "rate"} <= set(names) else PRICE_FIELDS


def _no_columns(name: str, line: int, missing: Iterable[str], wanted: Iterable[str]) -> str:
    known = ", ".join(wanted)
    return visible(f"{name}:{line}: no column {', '.join(missing)}; the columns are {known}")


def _merged(name: str, area: str) -> str:
    """Of merged cells only the first has a value: which lines it is meant for is a guess."""
    return visible(
        f"{name}: cells {area} are merged, and only the first has a value; split them, so that "
        "each line has its own"
    )


def _yaml_rows(name: str, text: bytes) -> tuple[list[PriceRow], list[str]]:
    # Everything stays text: 1250.10 as a number would become 1250.1, and 2025-03-31 a date.
    file = PartFile(name, text, loader=_TextLoader, wanted="a list of prices")
    rows: list[PriceRow] = []
    for number, entry in file.entries():
        place = visible(f"{name}:{file.line(number)}")
        if isinstance(entry, dict):
            rows.append(PriceRow(place, dict(_texts(entry))))
        else:
            why = f"price number {number + 1}: fields were expected, found {shown(entry)}"
            file.complain(file.line(number), why)
    return rows, file.problems


def _texts(entry: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    for key, value in entry.items():
        yield str(key), value if isinstance(value, str) else shown(value)


_TextLoader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
