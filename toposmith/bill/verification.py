"""Comparison of a bill's file with its design: every difference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from toposmith.bill.arithmetic import wrong_sums
from toposmith.bill.bill import Bill
from toposmith.bill.bill_reader import ReadBill
from toposmith.bill.cyclonedx_form import bill_cyclonedx, component_lines
from toposmith.bill.options_text import options_text, read_options
from toposmith.bill.sheet_comparison import sheet_differences, stated_prices
from toposmith.bill.table_forms import csv_lines
from toposmith.bill.value_words import value_words, words_apart
from toposmith.bill.yaml_form import bill_data

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
