"""Price lists: what parts cost, by whose word and of which day, apart from the parts themselves.

A price is what somebody was asked on one day; it changes while the part stays what it is. So prices
stand in files of their own, and of several lists the later ones override the earlier.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path

from toposmith.catalog.currencies import CURRENCIES
from toposmith.catalog.folders import user_folder
from toposmith.catalog.library import Catalog
from toposmith.catalog.plain_text import obeyed_sign, shown, visible
from toposmith.catalog.price_file import PRICE_FIELDS, PriceRow, price_rows
from toposmith.text import money

_LIST_ENDINGS = (".csv", ".yaml", ".yml")
_AMOUNT = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,2})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Price:
    """What one piece of a part costs.

    Parameters
    ----------
    amount : Decimal
        In the currency, exactly as the list has it.
    currency : str
        Three letters of ISO 4217, such as ``USD``.
    date : date
        The day of which the price is.
    source : str
        Whose price it is: an offer, a web shop, a framework contract.
    """

    amount: Decimal
    currency: str
    date: date
    source: str


@dataclass(frozen=True)
class PriceList:
    """Prices by part, all in one currency unless they were read to be mixed.

    Parameters
    ----------
    prices : mapping
        By part id.
    faults : tuple of str
        What was wrong with lines that had to be left out, each with file and line.
    notes : tuple of str
        What one should know though nothing is wrong: prices that replace others, and zeros.
    """

    prices: Mapping[str, Price] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def price(self, part_id: str) -> Price | None:
        """Return what a part costs, or None where no list has it."""
        return self.prices.get(part_id)

    @property
    def currency(self) -> str | None:
        """The currency of the first price, which is that of all unless they are mixed."""
        return next((price.currency for price in self.prices.values()), None)


@dataclass(frozen=True)
class _Line:
    """A price that could be understood, and where it stands."""

    part: str
    price: Price
    place: str


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
        CSV files with a header, or YAML files with a list; each price has the fields ``part``,
        ``price``, ``currency``, ``date`` (year-month-day) and ``source``.
    catalog : Catalog
        Which parts there are.
    today : date, optional
        Prices of later days are refused; by default the day it is.
    currency : str, optional
        The one that is wanted; without it the one that most prices are in.
    mixed : bool
        Whether prices of all currencies are kept where none is named, for sums that keep
        currencies apart.

    Returns
    -------
    PriceList
        The sound prices; a part that two lists have costs what the later one says. Prices in
        other currencies than the wanted one are left out, and told.
    """
    faults: list[str] = []
    lists = []
    for path in paths:
        rows, problems = price_rows(path)
        faults += problems
        lists.append(_sound(rows, catalog, today or date.today(), faults))
    wanted = currency
    if wanted is None and not mixed:
        wanted = _usual_currency(line for lines in lists for line in lines)
    found: dict[str, _Line] = {}
    notes: list[str] = []
    for lines in lists:
        for line in lines:
            if wanted is not None and line.price.currency != wanted:
                faults.append(_other_currency(line, wanted, asked=currency is not None))
                continue
            if line.part in found:
                before = found[line.part]
                notes.append(
                    f"{line.place}: {line.part} costs {_money(line.price)} instead of "
                    f"{_money(before.price)} ({before.place})"
                )
            if not line.price.amount:
                notes.append(f"{line.place}: {line.part} costs nothing; is it sold with others?")
            found[line.part] = line
    prices = {part: line.price for part, line in found.items()}
    return PriceList(prices, tuple(faults), tuple(notes))


def user_price_lists() -> list[Path]:
    """A user's own price lists, in the order of their names."""
    folder = user_folder().with_name("prices")
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in _LIST_ENDINGS)


def _sound(
    rows: Iterable[PriceRow], catalog: Catalog, today: date, faults: list[str]
) -> list[_Line]:
    """The rows of one file that are prices, the first of each part; faults of others are added."""
    found: dict[str, _Line] = {}
    for row in rows:
        part = row.fields.get("part", "").strip()
        wrong = _wrong(row, part, catalog, today)
        if part in found:
            wrong.append(f"part: also in {found[part].place}")
        faults += [visible(f"{row.place}: {part or 'price'}: {why}") for why in wrong]
        if not wrong:
            found[part] = _Line(part, _price(row), row.place)
    return list(found.values())


def _wrong(row: PriceRow, part: str, catalog: Catalog, today: date) -> list[str]:
    given = {name: row.fields.get(name, "").strip() for name in PRICE_FIELDS}
    missing = [f"{name}: missing" for name, text in given.items() if not text]
    if missing:
        return missing
    wrong = []
    if part not in catalog:
        near = " or ".join(catalog.nearest(part))
        hint = f"; did you mean {near}?" if near else ""
        wrong.append(f"part: the catalog has no part {shown(part)}{hint}")
    wrong += _wrong_amount(given["price"])
    if given["currency"] not in CURRENCIES:
        why = "three capitals of ISO 4217 as in USD are wanted"
        wrong.append(f"currency: {shown(given['currency'])}, {why}")
    wrong += _wrong_day(given["date"], today)
    if obeyed_sign(given["source"]):
        wrong.append("source: holds signs that a terminal would obey; plain text is wanted")
    return wrong


def _wrong_amount(text: str) -> list[str]:
    if not _AMOUNT.fullmatch(text):
        return [f"price: {shown(text)}, digits are wanted as in 12500 or 12500.50, to the cent"]
    if Decimal(text) < 0:
        return [f"price: {text} is negative"]
    return []


def _wrong_day(text: str, today: date) -> list[str]:
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        return [f"date: {shown(text)}, a day as in 2025-03-31 is wanted"]
    if day > today:
        return [f"date: {text} has not come yet"]
    return []


def _price(row: PriceRow) -> Price:
    """The price of a row in which nothing is wrong."""
    text = {name: row.fields[name].strip() for name in PRICE_FIELDS}
    day = date.fromisoformat(text["date"])
    return Price(Decimal(text["price"]), text["currency"], day, text["source"])


def _usual_currency(lines: Iterable[_Line]) -> str | None:
    """The currency of most prices; of two as frequent, the one that came first."""
    counts = Counter(line.price.currency for line in lines)
    return max(counts, key=lambda currency: counts[currency], default=None)


def _other_currency(line: _Line, wanted: str, *, asked: bool) -> str:
    why = f"{wanted} is asked for" if asked else f"most prices are in {wanted}"
    return (
        f"{line.place}: {line.part}: currency: {line.price.currency}, but {why}; sums need one "
        "currency"
    )


def _money(price: Price) -> str:
    return money(price.amount, price.currency)
