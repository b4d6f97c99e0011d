"""The sheets of a bill's workbook other than its lines, compared with those of the design."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from xlsxwriter.utility import xl_col_to_name

from toposmith.bill.bill import Bill
from toposmith.bill.options_text import OPTIONS, options_text, read_options
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.value_words import words_apart
from toposmith.catalog.workbook_text import sheets_of
from toposmith.design.safe_text import shown

_NAMED_BY = {
    "Included": ("comes with", "name", "part of its own"),
    "Scope": ("what",),
    "To be settled": ("what", "label"),
    "Totals": ("total", "unit"),
    "Links": ("link", "part", "length_m"),
    "Cages": ("end",),
    "Findings": ("code", "severity", "where", "text"),
    "Made from": ("what",),
}
"""Columns that name a row of a sheet."""

_PRICES = ("price", "spares_price", "order_price", "prices_sha256", "price-list", "complete")
"""First cells of rows that depend on a price list."""

_OF_PEOPLE = ("signed",)
_OF_PROGRAM = ("program", "catalog parts", "catalog sha256")

_Row = tuple[int, list[str]]


def sheet_differences(
    sheets: Mapping[str, list[list[str]]], bill: Bill
) -> Iterator[tuple[str, str, bool]]:
    """Differences of all sheets but the lines, which are compared as those of any other form.

    Parameters
    ----------
    sheets : mapping
        Rows of the file by the title of their sheet; sheets and columns of other names are left
        alone, and so are formulas whose value was not saved.
    bill : Bill
        Made of the design. Where it was made without prices, rows of prices are left alone.

    Yields
    ------
    tuple
        Where, such as ``Totals!C2``; what the file has and what the design gives; and whether it
        counts, which the versions of program and catalog do not.
    """
    raw = bill_xlsx(bill)
    fresh = {sheet.title: sheet.rows for sheet in sheets_of(raw)}
    skipped = (*_OF_PEOPLE, *(_PRICES if bill.prices_sha256 is None else ()))
    for title, columns in _NAMED_BY.items():
        head, *rows = fresh.get(title) or [[]]
        old = sheets.get(title) or [[]]
        if title not in sheets and not rows:
            continue
        if missing := [column for column in head if column not in old[0]]:
            yield title, f"the file has no column {', '.join(missing)} in this sheet", True
            continue
        of_name = [head.index(column) for column in columns if head]
        places = [old[0].index(column) for column in head]
        was = _by_name([_of_columns(row, places) for row in old[1:]], of_name, skipped)
        is_now = _by_name(rows, of_name, skipped)
        for name in dict.fromkeys([*is_now, *was]):
            said = " ".join(part for part in name if part)
            if name not in was:
                yield title, f"{shown(said)} is not in the file; the design gives it", True
                continue
            row, cells = was[name]
            if name not in is_now:
                yield f"{title}!A{row}", f"{shown(said)} is in the file alone", True
                continue
            expected = _of_columns(is_now[name][1], range(len(head)))
            for at, (a, b) in enumerate(zip(cells, expected, strict=True)):
                if bill.prices_sha256 is None and name == (OPTIONS,):
                    a = _without_currency(a)
                if not _alike(a, b):
                    was_said, now_said = words_apart(a, b)
                    text = f"the file has {was_said}, the design gives {now_said} ({said})"
                    counts = title != "Made from" or name[0] not in _OF_PROGRAM
                    yield f"{title}!{xl_col_to_name(places[at])}{row}", text, counts


def stated_prices(sheets: Mapping[str, list[list[str]]]) -> dict[str, dict[str, dict[str, str]]]:
    """Sums of prices that the sheet of totals has by currency, as a bill's ``totals``."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in sheets.get("Totals", ()):
        name, unit, known = [*row, "", "", ""][:3]
        if name in _PRICES and unit and known and not f"{unit}{known}".count("="):
            found.setdefault(name, {"known": {}})["known"][unit] = known
    return found


def _of_columns(row: Sequence[str], places: Sequence[int]) -> list[str]:
    return [row[at] if at < len(row) else "" for at in places]


def _by_name(
    rows: Sequence[list[str]], of_name: Sequence[int], skipped: Sequence[str]
) -> dict[tuple[str, ...], _Row]:
    """Rows with their number by the cells that name them; a second of one name is numbered."""
    named: dict[tuple[str, ...], _Row] = {}
    for number, row in enumerate(rows, start=2):
        name = tuple(_of_columns(row, of_name))
        if not any(row) or (name and name[0] in skipped):
            continue
        while name in named:
            name = (*name[: len(of_name)], f"number {number}")
        named[name] = (number, row)
    return named


def _without_currency(options: str) -> str:
    """The options of a bill as they would be without a price list; as they are if unreadable."""
    with suppress(ValueError):
        policy = read_options(options)
        return options if policy is None else options_text({**policy, "currency": None})
    return options


def _alike(old: str, new: str) -> bool:
    """Whether two cells say the same; 512 and 512.0 do, and 2% and 2 %."""
    if old.startswith("=") or old.replace(" ", "") == new.replace(" ", ""):
        return True
    try:
        return f"{float(old):.12g}" == f"{float(new):.12g}"
    except ValueError:
        return False
