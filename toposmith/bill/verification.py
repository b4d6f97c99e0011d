"""Comparison of a bill's file with its design: every difference."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from xlsxwriter.utility import xl_col_to_name

from toposmith.bill.bill import Bill
from toposmith.bill.bill_reader import ReadBill
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.table_forms import csv_lines
from toposmith.bill.terms import OPTIONS, options_text, read_options
from toposmith.bill.yaml_form import bill_cyclonedx, bill_data, component_lines
from toposmith.catalog.workbook_text import sheets_of
from toposmith.design.loader import LONGEST_SHOWN, shown

_CENT = Decimal("0.005")


def wrong_sums(data: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Find line prices that are not quantity times unit price, and totals that are no sums.

    Parameters
    ----------
    data : dict
        A bill as read; tables have text instead of numbers.

    Yields
    ------
    tuple
        Its place, by keys and indices, and a text with the value of the file and the right one.
    """
    sums: dict[str, dict[str, Decimal]] = {"price": defaultdict(Decimal)}
    sums["spares_price"] = defaultdict(Decimal)
    for number, line in enumerate(data["lines"]):
        one, whole = _number(line.get("unit_price")), _number(line.get("price"))
        quantity, spares = _number(line.get("quantity")), _number(line.get("spares"))
        if one is None or quantity is None:
            if whole is not None:
                yield ("lines", number, "price"), f"the file has {whole}, and no price of one"
            continue
        comes_to = one * quantity
        if "price" in line and (whole is None or abs(whole - comes_to) > _CENT):
            yield (
                ("lines", number, "price"),
                f"the file has {'none' if whole is None else whole}, {quantity} x {one} is "
                f"{comes_to}",
            )
        currency = str(line.get("currency") or "")
        sums["price"][currency] += comes_to
        sums["spares_price"][currency] += one * (spares or 0)
    for name, added in sums.items():
        known = data.get("totals", {}).get(name, {}).get("known", {})
        for currency, amount in known.items():
            stated = _number(amount)
            if stated is None or abs(stated - added.get(currency, Decimal())) > _CENT:
                yield (
                    ("totals", name, "known", currency),
                    f"the file has {stated}, its lines add up to {added.get(currency, 0)}",
                )


def _number(value: Any) -> Decimal | None:
    try:
        number = Decimal(str(value)) if value not in (None, "") else None
        return number if number is not None and number.is_finite() else None
    except InvalidOperation:
        return None


_CONTEXT = LONGEST_SHOWN // 3


def value_words(value: Any) -> str:
    """A value of a bill; long texts are cut.

    Parameters
    ----------
    value : object
        As plain data has it.
    """
    if isinstance(value, list):
        return f"[{', '.join(value_words(item) for item in value)}]"
    if isinstance(value, float):
        return f"{value:.12g}"
    return shown(value)


def words_apart(old: Any, new: Any) -> tuple[str, str]:
    """Two different values; long texts begin at the difference, lists skip equal items.

    Parameters
    ----------
    old, new : object
        As plain data has them.
    """
    if isinstance(old, str) and isinstance(new, str):
        if max(len(old), len(new)) <= LONGEST_SHOWN:
            return shown(old), shown(new)
        pairs = enumerate(zip(old, new, strict=False))
        alike = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
        begins = old.rfind(" ", 0, alike) + 1  # the word that differs is whole where it is short
        begins = begins if alike - begins <= _CONTEXT else alike
        dots = "..." if begins else ""
        return f"{dots}{shown(old[begins:])}", f"{dots}{shown(new[begins:])}"
    was, is_now = value_words(old), value_words(new)
    if was == is_now and isinstance(old, list) and isinstance(new, list):
        both = [words_apart(a, b) for a, b in zip(old, new, strict=False) if a != b]
        return f"[{', '.join(a for a, _ in both)}]", f"[{', '.join(b for _, b in both)}]"
    return was, is_now


_ROWS_NAMED_BY = {
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

_SHEET_PRICES = ("price", "spares_price", "order_price", "prices_sha256", "price-list", "complete")
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
    skipped = (*_OF_PEOPLE, *(_SHEET_PRICES if bill.prices_sha256 is None else ()))
    for title, columns in _ROWS_NAMED_BY.items():
        head, *rows = fresh.get(title) or [[]]
        old = sheets.get(title) or [[]]
        if title not in sheets and not rows:
            continue
        if missing := [column for column in head if column not in old[0]]:
            yield title, f"the file has no column {', '.join(missing)} in this sheet", True
            continue
        of_name = [head.index(column) for column in columns if head]
        places = [old[0].index(column) for column in head]
        was = _rows_by_name([_of_columns(row, places) for row in old[1:]], of_name, skipped)
        is_now = _rows_by_name(rows, of_name, skipped)
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
        if name in _SHEET_PRICES and unit and known and not f"{unit}{known}".count("="):
            found.setdefault(name, {"known": {}})["known"][unit] = known
    return found


def _of_columns(row: Sequence[str], places: Sequence[int]) -> list[str]:
    return [row[at] if at < len(row) else "" for at in places]


def _rows_by_name(
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


_PRICES = (
    *("unit_price", "price", "currency", "price_date", "price_source", "prices_sha256"),
    *("spares_price", "order_price"),
)
_SAID = ("signed",)
"""What people say, which does not follow from a design."""

_MADE_BY = ("program", "catalog.parts", "catalog.sha256")

# What names an entry of each list, at any place in it.
_NAMED_BY = {
    "lines": ("part", "length_m"),
    "links": ("link",),
    "runs": ("part", "length_m"),
    "ends": ("end",),
    "findings": ("code", "where", "text"),
    "includes": ("name",),
    "to_settle": ("what", "label"),
}

_Place = tuple[str | int, ...]


@dataclass(frozen=True)
class BillDifference:
    """One difference between a file and its design.

    Parameters
    ----------
    where : str
        Such as ``lines[mfp7e10 20 m].quantity``.
    text : str
        What the file has, and what the design gives.
    line : int or None
        Of the file, where it is known.
    counts : bool
        False where only the version of the program or the catalog differs.
    """

    where: str
    text: str
    line: int | None = None
    counts: bool = True


def differences(read: ReadBill, bill: Bill) -> list[BillDifference]:
    """Compare a file with the bill of its design.

    Parameters
    ----------
    read : ReadBill
        The file; of CSV and CycloneDX the lines are compared, of workbooks all sheets of a bill.
    bill : Bill
        Made of the design. Where it was made without prices, prices are not compared.

    Returns
    -------
    list of BillDifference
        In the order of the file's form; empty where both say the same.
    """
    expected = _expected(read, bill)
    skipped: tuple[str, ...] = _SAID
    wrong: list[tuple[tuple[str | int, ...], str]] = []
    if bill.prices_sha256 is None:
        skipped += _PRICES
        wrong += wrong_sums({"totals": stated_prices(read.sheets)} | read.data)
    sums = [
        BillDifference(_where(_named(read.data, place)), text, _line_of(read, place))
        for place, text in wrong
    ]
    sums += _other_currencies(read) if bill.prices_sha256 is None else ()
    if read.sheets:
        sums += [
            BillDifference(where, text, counts=counts)
            for where, text, counts in sheet_differences(read.sheets, bill)
        ]
    if bill.prices_sha256 is None:
        read = replace(read, data=_as_unpriced(read.data))
    return [*sums, *_compare((), (), read.data, expected, read, skipped)]


def _named(data: dict[str, Any], place: _Place) -> tuple[str, ...]:
    """A place with its line called by its part."""
    if place[0] != "lines":
        return tuple(str(step) for step in place)
    line = data["lines"][place[1]]
    name = (_word(key, line.get(key)) for key in _NAMED_BY["lines"])
    return (f"lines[{' '.join(filter(None, name))}]", *(str(step) for step in place[2:]))


def _line_of(read: ReadBill, place: _Place) -> int | None:
    number = place[1]
    known = read.line_of(*place)
    if known is None and place[0] == "lines" and isinstance(number, int):
        return read.lines[number]
    return known


def _other_currencies(read: ReadBill) -> Iterator[BillDifference]:
    """Lines in another currency than the one that a bill says was asked for."""
    asked = read.data.get("policy", {}).get("currency")
    others = dict.fromkeys(line.get("currency") or asked for line in read.data["lines"])
    if asked and (named := [str(one) for one in others if one != asked]):
        others_said = ", ".join(map(value_words, named))
        text = f"the file has {value_words(asked)}, its lines are in {others_said}"
        yield BillDifference("policy.currency", text, read.line_of("policy", "currency"))


def _as_unpriced(data: dict[str, Any]) -> dict[str, Any]:
    """A bill as it would be without a price list: nothing of prices is open, and none is asked."""
    policy = {key: value for key, value in data.get("policy", {}).items() if key != "currency"}
    kept = {**data, "policy": policy} if "policy" in data else data
    if "findings" in data:
        of_design = [one for one in data["findings"] if one["code"] != "price-list"]
        kept = {**kept, "findings": of_design}
    if "to_settle" not in data:
        return kept
    open_ = [one for one in data["to_settle"] if one["what"] != "price"]
    only_prices = bool(data["to_settle"]) and not open_
    return {**kept, "to_settle": open_, "complete": data["complete"] or only_prices}


def _expected(read: ReadBill, bill: Bill) -> dict[str, Any]:
    """The bill of today, in the form of the file."""
    fresh = bill_data(bill)
    if read.form == "bill":
        return fresh
    policy = read_options(options_text(fresh["policy"])) if "policy" in read.data else None
    stated = {} if policy is None else {"policy": policy}
    if read.form == "table":
        return {"lines": csv_lines(fresh), **stated}
    return {"lines": component_lines(json.loads(bill_cyclonedx(bill))) or [], **stated}


def _compare(
    path: tuple[str, ...],
    place: _Place,
    old: Any,
    new: Any,
    read: ReadBill,
    skipped: tuple[str, ...],
) -> Iterator[BillDifference]:
    """Differences below a path; ``place`` is where the file has it, by keys and numbers."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*new, *old]):
            if key not in skipped:
                yield from _compare(
                    (*path, key), (*place, key), old.get(key), new.get(key), read, skipped
                )
    elif path and path[-1] == "notes" and (added := _added(old, new)):
        text = f"added by somebody: {value_words(added)}"
        yield BillDifference(_where(path), text, read.line_of(*place), counts=False)
    elif path and path[-1] in _NAMED_BY and isinstance(old, list) and isinstance(new, list):
        yield from _compare_lists(path, place, old, new, read, skipped)
    elif old != new:
        where = _where(path)
        text = "the file has {}, the design gives {}".format(*words_apart(old, new))
        yield BillDifference(where, text, read.line_of(*place), where not in _MADE_BY)


def _added(old: Any, new: Any) -> list[str]:
    """Notes that people wrote beside those of the bill; none where one of these is gone."""
    was, is_now = ([*one] if isinstance(one, list) else _notes(one) for one in (old, new))
    more = [note for note in was if note not in is_now]
    return more if all(note in was for note in is_now) else []


def _notes(cell: Any) -> list[str]:
    """The notes in a cell of a table."""
    return [note for note in str(cell or "").split("; ") if note]


def _compare_lists(
    path: tuple[str, ...],
    at: _Place,
    old: list[dict[str, Any]],
    new: list[dict[str, Any]],
    read: ReadBill,
    skipped: tuple[str, ...],
) -> Iterator[BillDifference]:
    kind = path[-1]
    was, is_now = _by_name(kind, old), _by_name(kind, new)
    for name in dict.fromkeys([*is_now, *was]):
        place = (*path[:-1], f"{kind}[{' '.join(part for part in name if part)}]")
        line = None
        if name in was:
            number = was[name][0]
            line = read.lines[number] if path == ("lines",) else read.line_of(*at, number)
        if kind == "to_settle" and (name not in was or name not in is_now):
            text = is_now[name][1]["text"] if name in is_now else was[name][1]["text"]
            whose = "the file lacks" if name in is_now else "the file alone has"
            yield BillDifference(
                _where(place), f"{whose} {value_words(text)}", line or read.line_of(*at)
            )
        elif name not in was:
            yield BillDifference(_where(place), _lacking(is_now[name][1]), read.line_of(*at))
        elif name not in is_now:
            yield BillDifference(_where(place), "in the file, but not needed by the design", line)
        else:
            there = (*at, was[name][0])
            for found in _compare(place, there, was[name][1], is_now[name][1], read, skipped):
                begins = line if path == ("lines",) else found.line or line
                yield BillDifference(found.where, found.text, begins, found.counts)


def _by_name(kind: str, entries: list[dict[str, Any]]) -> dict[tuple[str, ...], Any]:
    """Entries with their places, by name; of two with one name the second has its number, too."""
    named: dict[tuple[str, ...], Any] = {}
    for place, entry in enumerate(entries):
        name = tuple(_word(key, entry.get(key)) for key in _NAMED_BY[kind])
        if name in named:
            name = (*name, f"number {place + 1}")
        named[name] = (place, entry)
    return named


def _word(key: str, value: Any) -> str:
    if value in (None, ""):
        return ""
    return f"{value if isinstance(value, str) else f'{value:g}'} m" if key == "length_m" else value


def _lacking(entry: dict[str, Any]) -> str:
    many = f": {entry['quantity']} of it" if "quantity" in entry else ""
    return f"not in the file, but needed by the design{many}"


def _where(path: tuple[str, ...]) -> str:
    return ".".join(path)
