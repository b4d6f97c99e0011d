"""Price lists: what parts cost, with source and date, kept apart from the parts themselves.

A price is an offer of one day; it changes while the part stays the same. So prices are in files of
their own, and of several lists the later ones override the earlier,
unless the later offer has expired.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain
from pathlib import Path

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.currencies import CURRENCIES
from toposmith.catalog.part_numbers import OrderedAs, ordered_by
from toposmith.catalog.parts import Cable, Fibre, Part
from toposmith.catalog.price_file import (
    PATTERNS,
    PRICE_FIELDS,
    RATE_FIELDS,
    PriceRow,
    fields_of,
    price_rows,
)
from toposmith.plain_text import obeyed_sign, shown, visible
from toposmith.text import counted, money, plain_number
from toposmith.user_folders import is_there, settings_folder, why_unusable

_LIST_ENDINGS = (".csv", ".xlsx", ".xlsm", ".yaml", ".yml", ".xls", ".ods")
"""Suffixes that are read, and suffixes that look like price lists but are reported instead."""
_OLD = timedelta(days=366)
"""Age in days from which a price without an end date is reported as old."""
_CENT = Decimal("0.01")

_Day = date  # in Price, `date` is the day of the price


@dataclass(frozen=True)
class Price:
    """What one piece of a part costs.

    Parameters
    ----------
    amount : Decimal
        In ``currency``, to the cent: the listed price less the discount, converted where another
        currency was asked for.
    currency : str
        Three letters of ISO 4217, such as ``USD``.
    date : date
        The day of the price.
    source : str
        Whose price it is: an offer, a web shop, a framework contract.
    valid_until : date, optional
        The last day of an offer.
    minimum_order : int, optional
        The fewest pieces that are sold.
    lead_time_days : int, optional
        From order to delivery, days.
    conversions : tuple of str
        How the amount came from what the list has: a discount, a rate of exchange.
    pieces : int, optional
        The quantity that the offer is for, where its list says.
    ended : bool
        Whether the offer had expired when it was read.
    """

    amount: Decimal
    currency: str
    date: date
    source: str
    valid_until: _Day | None = None
    minimum_order: int | None = None
    lead_time_days: int | None = None
    conversions: tuple[str, ...] = ()
    pieces: int | None = None
    ended: bool = False

    @property
    def stated(self) -> str:
        """Its source with its terms: ``quote 815; 10 % off 100 USD; sold from 20 pieces``."""
        words = [self.source, *self.conversions]
        if self.valid_until is not None:
            words.append(f"valid until {self.valid_until}")
        if self.minimum_order is not None:
            words.append(f"sold from {counted(self.minimum_order, 'piece')}")
        if self.lead_time_days is not None:
            words.append(f"lead time {counted(self.lead_time_days, 'day')}")
        return "; ".join(words)


@dataclass(frozen=True)
class PriceList:
    """Prices by part, all in one currency unless they were read to be mixed.

    Parameters
    ----------
    prices : mapping
        By part id, of any length.
    faults : tuple of str
        What was wrong with lines that had to be left out, each with file and line.
    notes : tuple of str
        What to know though nothing is wrong: prices that replace others, zeros, formulas,
        and offers that have ended or are old.
    by_length : mapping
        By part id and length in m, for cables and fibres priced by length.
    wanted : str, optional
        The currency that was asked for.
    """

    prices: Mapping[str, Price] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    by_length: Mapping[tuple[str, float], Price] = field(default_factory=dict)
    wanted: str | None = None

    def price(self, part_id: str, length_m: float | None = None) -> Price | None:
        """Return what a part costs at a length, else at any; None where no list has it."""
        if length_m is not None and (part_id, length_m) in self.by_length:
            return self.by_length[part_id, length_m]
        return self.prices.get(part_id)

    @property
    def currency(self) -> str | None:
        """The currency of the first price, that of all unless mixed; None without prices."""
        every = chain(self.prices.values(), self.by_length.values())
        return next((price.currency for price in every), None)


@dataclass(frozen=True)
class _Rate:
    """A rate of exchange, with its file and line."""

    rate: Decimal
    day: _Day
    source: str
    place: str


_Rates = dict[tuple[str, str], _Rate]


@dataclass(frozen=True)
class _Line:
    """A valid price, with its file and line."""

    part: str
    length_m: float | None
    price: Price
    place: str
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The part, with its length."""
        return _with_length(self.part, self.length_m)


def read_prices(
    *paths: Path,
    catalog: Catalog,
    today: date | None = None,
    currency: str | None = None,
    mixed: bool = False,
) -> PriceList:
    """Read price lists; later ones override earlier ones.

    Parameters
    ----------
    *paths : Path
        CSV files with a header, or YAML files with a list; each price has the fields ``part`` (an
        id, or a number that it is ordered by), ``price``, ``currency``, ``date`` (year-month-day)
        and ``source``, and may have ``length_m``, ``valid_until``, ``discount_percent``,
        ``minimum_order`` and ``lead_time_days``. A file with ``currency``, ``to``, ``rate``,
        ``date`` and ``source`` has rates of exchange.
    catalog : Catalog
        Which parts there are.
    today : date, optional
        Prices of later days are refused; by default the current day.
    currency : str, optional
        The one that is wanted; without it the one that most prices are in.
    mixed : bool
        Whether prices of all currencies are kept where none is named, for sums that keep
        currencies apart.

    Returns
    -------
    PriceList
        The valid prices; a part that two lists have costs what the later one says, unless only
        that offer has expired, which is noted. Prices in other currencies than the wanted one are
        converted where a rate is given, else left out and noted.
    """
    day = today or date.today()
    faults: list[str] = []
    notes: list[str] = []
    lists: list[list[_Line]] = []
    rates: _Rates = {}
    for path in paths:
        rows, problems = price_rows(path)
        faults += problems
        kinds: dict[tuple[str, ...], list[PriceRow]] = {PRICE_FIELDS: [], RATE_FIELDS: []}
        for row in rows:
            kinds[fields_of(row.fields)].append(row)
        rates |= _sound_rates(kinds[RATE_FIELDS], day, faults)
        lists.append(_sound(kinds[PRICE_FIELDS], catalog, day, faults))
    wanted = currency
    if wanted is None and not mixed:
        wanted = _usual_currency(line for lines in lists for line in lines)
    found: dict[tuple[str, float | None], _Line] = {}
    for lines in lists:
        for read in lines:
            notes += read.notes
            line = read if wanted is None else _converted(read, wanted, rates)
            if wanted is not None and line.price.currency != wanted:
                faults.append(_other_currency(line, wanted, asked=currency is not None))
                continue
            before = found.get((line.part, line.length_m))
            if (
                line is not read
                and day - rates[read.price.currency, line.price.currency].day >= _OLD
            ):
                used = rates[read.price.currency, line.price.currency]
                notes.append(
                    f"{used.place}: the rate of exchange from {read.price.currency} to {wanted} is "
                    f"of {used.day}"
                )
            if before is not None and line.price.ended and not before.price.ended:
                notes.append(_ended(line, before))
                continue
            if before is not None:
                notes.append(
                    f"{line.place}: {line.words} costs {_money(line.price)} instead of "
                    f"{_money(before.price)} ({before.place})"
                )
            if not line.price.amount:
                notes.append(f"{line.place}: {line.words} costs nothing; is it sold with others?")
            found[line.part, line.length_m] = line
    notes += [_ended(line) for line in found.values() if line.price.ended]
    notes += [
        f"{line.place}: {line.words}: the price is of {line.price.date}, and says no end"
        for line in found.values()
        if line.price.valid_until is None and day - line.price.date >= _OLD
    ]
    prices = {part: line.price for (part, length), line in found.items() if length is None}
    by_length = {
        (part, length): line.price for (part, length), line in found.items() if length is not None
    }
    said = tuple(dict.fromkeys(notes))
    return PriceList(prices, tuple(faults), said, by_length, currency)


def user_price_lists() -> list[Path]:
    """A user's own price lists, in the order of their names."""
    folder = settings_folder() / "prices"
    if not is_there(folder) or why_unusable(folder):
        return []
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in _LIST_ENDINGS)


def _sound(
    rows: Iterable[PriceRow], catalog: Catalog, today: date, faults: list[str]
) -> list[_Line]:
    """The rows of one file that are prices, the first of each part; faults of others are added."""
    found: dict[tuple[str, float | None], _Line] = {}
    numbers = ordered_by([*catalog, *catalog.of_kind("rack"), *catalog.of_kind("pdu")])
    for row in rows:
        written = row.fields.get("part", "").strip()
        part, length_m, wrong = _meant(row, written, catalog, numbers)
        if part in catalog:
            length_m, disagrees = _numbered(row, catalog[part], length_m, numbers)
            wrong += disagrees
        wrong = _wrong(row, wrong, today)
        if (part, length_m) in found:
            wrong.append(f"part: also in {found[part, length_m].place}")
        faults += [visible(f"{row.place}: {written or 'price'}: {why}") for why in wrong]
        if not wrong:
            found[part, length_m] = _Line(part, length_m, _price(row, today), row.place, row.notes)
    return list(found.values())


def _meant(
    row: PriceRow, written: str, catalog: Catalog, numbers: Mapping[str, set[OrderedAs]]
) -> tuple[str, float | None, list[str]]:
    """The part and length of a row, by id or by the number that it is ordered by."""
    given = row.fields.get("length_m", "").strip()
    length_m = float(given) if PATTERNS["length_m"].fullmatch(given) else None
    wrong = []
    if given and length_m is None:
        wrong.append(f"length_m: {shown(given)}, metres are wanted as in 5 or 1.5")
    if written in catalog:
        wrong += _not_sold(catalog, written, length_m)
        return written, length_m, wrong
    meant = numbers.get(written, set())
    if len(meant) == 1:
        ((part, own_m),) = meant
        if own_m is not None and length_m not in (None, own_m):
            wrong.append(f"length_m: {given}, but {written} is {own_m:g} m long")
        elif own_m is None:
            wrong += _not_sold(catalog, part, length_m)
        return part, own_m if own_m is not None else length_m, wrong
    if meant:
        parts = " and ".join(sorted(_with_length(*each) for each in meant))
        wrong.append(f"part: {shown(written)} orders {parts}; give the id of one, and its length_m")
    elif written:
        near = " or ".join(catalog.nearest(written))
        hint = f"; did you mean {near}?" if near else ""
        wrong.append(f"part: the catalog has no part {shown(written)}{hint}")
    return written, length_m, wrong


def _numbered(
    row: PriceRow, part: Part, length_m: float | None, numbers: Mapping[str, set[OrderedAs]]
) -> tuple[float | None, list[str]]:
    """The length of a row that has a part number, too, and why it is not that of its part.

    A part of which the catalog has no number may be offered by one that orders nothing else.
    """
    stated = row.fields.get("part_number", "").strip().removeprefix("'")
    if not stated or stated in (part.part_number, part.ordering_number):
        return length_m, []
    orders = numbers.get(stated, set()) or numbers.get(stated.upper(), set())
    lengths = {length for other, length in orders if other == part.id}
    if lengths & {None, length_m}:
        return length_m, []
    if len(lengths) == 1 and length_m is None:
        return lengths.pop(), []
    known = sorted(
        number
        for number, ways in numbers.items()
        for one, at in ways
        if one == part.id and (at is None or length_m in (None, at))
    )
    if not orders and not known:
        return length_m, []
    whose = " and ".join(sorted(_with_length(*each) for each in orders))
    of_number = f", which orders {whose}" if whose else ""
    of_part = f"; its number is {' or '.join(known[:3])}" if known else ""
    what = _with_length(part.id, length_m)
    return length_m, [
        f"part and part_number disagree: {what} is not {shown(stated)}{of_number}{of_part}"
    ]


def _not_sold(catalog: Catalog, part_id: str, length_m: float | None) -> list[str]:
    """What is wrong with a length that a part does not come in."""
    if length_m is None:
        return []
    part = catalog[part_id]
    if not isinstance(part, Cable | Fibre):
        return [f"length_m: {part_id} is no cable, and has no length"]
    if part.lengths_m and length_m not in part.lengths_m:
        sold = ", ".join(f"{each:g}" for each in part.lengths_m)
        return [f"length_m: {part_id} is not sold in {length_m:g} m, but in {sold}"]
    return []


def _wrong(row: PriceRow, of_part: list[str], today: date) -> list[str]:
    given = {name: row.fields.get(name, "").strip() for name in PRICE_FIELDS}
    missing = [name for name, text in given.items() if not text]
    if missing:
        return [f"{', '.join(missing)}: missing"]
    wrong = [*of_part, *_wrong_amount(given["price"])]
    if given["currency"] not in CURRENCIES:
        why = "three capitals of ISO 4217 as in USD are wanted"
        wrong.append(f"currency: {shown(given['currency'])}, {why}")
    wrong += _wrong_day(given["date"], today)
    wrong += _wrong_terms(row)
    until = row.fields.get("valid_until", "").strip()
    if until and _day(until) is None:
        wrong.append(f"valid_until: {shown(until)}, a day as in 2025-03-31 is wanted")
    elif (ends := _day(until)) and (begun := _day(given["date"])) and ends < begun:
        wrong.append(f"valid_until: {until} is before the day of the price, {begun}")
    if obeyed_sign(given["source"]):
        wrong.append("source: holds signs that a terminal would obey; plain text is wanted")
    return wrong


_TERMS = {
    "discount_percent": "per cent from 0 to 99.99 are wanted, as in 10 or 12.5",
    "minimum_order": "pieces are wanted, from 1 to 999,999",
    "lead_time_days": "days are wanted, as in 84",
}


def _wrong_terms(row: PriceRow) -> list[str]:
    given = {name: row.fields.get(name, "").strip() for name in _TERMS}
    return [
        f"{name}: {shown(text)}, {_TERMS[name]}"
        for name, text in given.items()
        if text and not PATTERNS[name].fullmatch(text)
    ]


def _sound_rates(rows: Iterable[PriceRow], today: date, faults: list[str]) -> _Rates:
    """The rates of exchange of one file, by the two currencies; faults of others are added."""
    found: _Rates = {}
    for row in rows:
        given = {name: row.fields.get(name, "").strip() for name in RATE_FIELDS}
        pair = given["currency"], given["to"]
        if missing := [name for name, text in given.items() if not text]:
            wrong = [f"{', '.join(missing)}: missing"]
        else:
            wrong = [
                f"{name}: {shown(given[name])}, three capitals of ISO 4217 as in USD are wanted"
                for name in ("currency", "to")
                if given[name] not in CURRENCIES
            ]
            if not PATTERNS["rate"].fullmatch(given["rate"]) or not Decimal(given["rate"]):
                wrong.append(f"rate: {shown(given['rate'])}, digits above 0 are wanted as in 1.08")
            wrong += _wrong_day(given["date"], today)
            if obeyed_sign(given["source"]):
                wrong.append("source: holds signs that a terminal would obey; plain text is wanted")
            if pair[0] == pair[1]:
                wrong.append(f"to: {pair[1]} is the same currency; no rate converts it")
            if pair in found:
                wrong.append(f"currency: {' to '.join(pair)} is also in {found[pair].place}")
        faults += [visible(f"{row.place}: rate of exchange: {why}") for why in wrong]
        if not wrong:
            day = date.fromisoformat(given["date"])
            found[pair] = _Rate(Decimal(given["rate"]), day, given["source"], row.place)
    return found


def _converted(line: _Line, wanted: str, rates: _Rates) -> _Line:
    """The line in another currency, to the cent; itself where it is so, or no rate is given."""
    price = line.price
    rate = rates.get((price.currency, wanted))
    if rate is None or price.currency == wanted:
        return line
    how = f"{_money(price)} at {rate.rate} {wanted} for 1 {price.currency}"
    worked = (*price.conversions, f"{how} ({rate.source}, {rate.day})")
    amount = (price.amount * rate.rate).quantize(_CENT, ROUND_HALF_UP)
    return replace(line, price=replace(price, amount=amount, currency=wanted, conversions=worked))


def _wrong_amount(text: str) -> list[str]:
    if not PATTERNS["price"].fullmatch(text):
        wanted = "digits are wanted as in 12500 or 12500.50, to the cent"
        if re.fullmatch(r"[0-9]{13,}(\.[0-9]*)?", text):
            wanted = "at most 999,999,999,999.99 is a price"
        elif re.fullmatch(r"[0-9]+([.,' ][0-9]+)+", text):
            wanted += ", with a point for cents and nothing between thousands"
        return [f"price: {shown(text)}, {wanted}"]
    if Decimal(text) < 0:
        return [f"price: {text} is negative"]
    return []


def _wrong_day(text: str, today: date) -> list[str]:
    day = _day(text)
    if day is None:
        return [f"date: {shown(text)}, a day as in 2025-03-31 is wanted"]
    if day > today:
        return [f"date: {text} has not come yet"]
    return []


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if PATTERNS["date"].fullmatch(text) else None
    except ValueError:
        return None


def _price(row: PriceRow, today: _Day) -> Price:
    """The price of a row in which nothing is wrong."""
    text = {name: row.fields[name].strip() for name in PRICE_FIELDS}
    day = date.fromisoformat(text["date"])
    terms = {name: row.fields.get(name, "").strip() for name in ("valid_until", *_TERMS)}
    until = _day(terms["valid_until"])
    pieces = row.fields.get("order", "").strip()
    amount = Decimal(text["price"])
    worked: tuple[str, ...] = ()
    if off := Decimal(terms["discount_percent"] or 0):
        listed = money(amount, text["currency"])
        amount = (amount * (100 - off) / 100).quantize(_CENT, ROUND_HALF_UP)
        worked = (f"{plain_number(float(off))} % off {listed}",)
    return Price(
        amount,
        text["currency"],
        day,
        text["source"],
        until,
        int(terms["minimum_order"]) if terms["minimum_order"] else None,
        int(terms["lead_time_days"]) if terms["lead_time_days"] else None,
        worked,
        int(pieces) if PATTERNS["minimum_order"].fullmatch(pieces) else None,
        ended=until is not None and until < today,
    )


def _ended(line: _Line, instead: _Line | None = None) -> str:
    taken = "its price is taken all the same"
    if instead is not None:
        taken = f"{_money(instead.price)} ({instead.place}) is taken, which has not"
    return f"{line.place}: {line.words}: the offer ended on {line.price.valid_until}; {taken}"


def _with_length(part: str, length_m: float | None) -> str:
    return part if length_m is None else f"{part} of {length_m:g} m"


def _usual_currency(lines: Iterable[_Line]) -> str | None:
    """The currency of most prices; of two as frequent, the one that came first."""
    counts = Counter(line.price.currency for line in lines)
    return max(counts, key=lambda currency: counts[currency], default=None)


def _other_currency(line: _Line, wanted: str, *, asked: bool) -> str:
    why = f"{wanted} is asked for" if asked else f"most prices are in {wanted}"
    return (
        f"{line.place}: {line.words}: currency: {line.price.currency}, but {why}; sums need one "
        f"currency. A list with the columns {', '.join(RATE_FIELDS)} and a rate of yours from "
        f"{line.price.currency} to {wanted} converts it"
    )


def _money(price: Price) -> str:
    return money(price.amount, price.currency)
