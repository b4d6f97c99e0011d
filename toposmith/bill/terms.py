"""The terms of a bill (prices, media, spares, lengths), its digests, and what people sign."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from toposmith.bill.recipes import Recipe
from toposmith.catalog import Cable, Catalog
from toposmith.catalog.currencies import CURRENCIES
from toposmith.catalog.prices import PriceList, read_prices, user_price_lists
from toposmith.design.consistency import is_date
from toposmith.design.document import CablingChoice, Design, SpareKind, SpareRate
from toposmith.design.statements import statements
from toposmith.errors import ToposmithError
from toposmith.foreign_values import whole_number
from toposmith.plain_text import obeyed_sign
from toposmith.text import plain_number

if TYPE_CHECKING:
    from datetime import date

    from toposmith.catalog import Part
    from toposmith.catalog.prices import Price


COPPER = ("dac", "acc", "aec")

Lengths = Literal["racks", "given"]
"""Where the length of a link is from that does not say its own: measured along the racks, or
nowhere."""


@dataclass(frozen=True)
class CablingPolicy:
    """Allowed media of cables.

    Parameters
    ----------
    cabling : {"one-medium", "cheapest", "all-optical", "copper-within-rack"}
        ``one-medium``: all cables of a link are of the medium that its longest takes.
        ``cheapest``: each cable of any medium that reaches, by price where all prices are known,
        else copper before active optical cables before transceivers. ``all-optical``: no copper.
        ``copper-within-rack``: copper only between devices that are known to share a rack.
    stock_lengths_m : tuple of float
        Lengths kept in stock, m; empty where each cable is ordered as short as it is sold.
    """

    cabling: CablingChoice = "one-medium"
    stock_lengths_m: tuple[float, ...] = ()

    def allows(self, recipe: Recipe, within_rack: bool | None) -> bool:
        """Whether the policy lets a link be built so; ``within_rack`` None is not known."""
        copper = isinstance(recipe.body, Cable) and recipe.body.medium in COPPER
        if not copper or self.cabling in ("one-medium", "cheapest"):
            return True
        return self.cabling == "copper-within-rack" and within_rack is True


def policy_of(design: Design) -> CablingPolicy:
    """The policy of a design's ``bill:`` block; the usual one where it says nothing."""
    block = design.bill
    if block is None:
        return CablingPolicy()
    return CablingPolicy(block.cabling or CablingPolicy().cabling, block.stock_lengths_m)


SPARE_KINDS: tuple[SpareKind, ...] = get_args(SpareKind)

_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,2})?) ?%")
_PIECES = re.compile(r"[0-9]{1,6}")


class SparesError(ToposmithError):
    """An invalid policy of spares; says what is accepted."""


@dataclass(frozen=True)
class SparePolicy:
    """Spares by kind of part.

    Parameters
    ----------
    rates : mapping of str to int or str
        By ``nodes``, ``switches``, ``nics``, ``cables``, ``transceivers`` and ``fibres``: pieces
        for each line of the bill (3), or a share of it (``2 %``), rounded up line by line. A cable
        of another length is no spare, so each length has its own.
    """

    rates: Mapping[SpareKind, SpareRate] = field(default_factory=dict)

    def spares(self, kind: str, quantity: int) -> int:
        """Spares of a line with this quantity of parts of one kind (``cable``)."""
        rate = next((self.rates[name] for name in self.rates if _singular(name) == kind), 0)
        if isinstance(rate, int):
            return rate if quantity else 0
        found = _PERCENT.fullmatch(rate)
        return ceil(quantity * Fraction(found[1]) / 100) if found else 0

    def without_effect(self, kinds: Iterable[str]) -> list[SpareKind]:
        """Kinds with a rate but without a line among these kinds, so that no spares are ordered."""
        there = set(kinds)
        named = [kind for kind in SPARE_KINDS if self.rates.get(kind)]
        return [kind for kind in named if _singular(kind) not in there]

    def stated(self) -> dict[str, SpareRate]:
        """The rates as they are written, in the order of the kinds."""
        return {name: self.rates[name] for name in SPARE_KINDS if name in self.rates}

    def words(self) -> str:
        """The policy in a sentence."""
        each = [
            f"{name} {rate}{'' if isinstance(rate, str) else ' of each'}"
            for name, rate in self.stated().items()
        ]
        return ", ".join(each) if each else "none"


def spares_of(design: Design) -> SparePolicy:
    """The policy of a design's ``bill:`` block; no spares where it says nothing."""
    given = design.bill.spares.model_dump(exclude_none=True) if design.bill else {}
    return SparePolicy({kind: given[kind] for kind in SPARE_KINDS if kind in given})


def read_spares(settings: Iterable[str]) -> SparePolicy:
    """Read a policy from settings such as ``cables=2%`` and ``nodes=1``.

    Raises
    ------
    SparesError
        Where a kind is not known, or a rate is neither a share nor a whole number.
    """
    rates: dict[SpareKind, SpareRate] = {}
    for setting in settings:
        for one in setting.split(","):
            name, equals, text = (word.strip() for word in one.partition("="))
            kind = next((known for known in SPARE_KINDS if known == name), None)
            if kind is None:
                known = ", ".join(SPARE_KINDS)
                raise SparesError(f"spares: found {name!r}, expected one of {known}")
            if not equals or not (_PERCENT.fullmatch(text) or _PIECES.fullmatch(text)):
                raise SparesError(
                    f"spares: {name}: found {text!r}, expected a share such as 2% or pieces such "
                    "as 3"
                )
            if kind in rates:
                raise SparesError(
                    f"spares: {name}: found twice ({rates[kind]} and {text}), expected once"
                )
            rates[kind] = whole_number(text) if text.isdecimal() else text
    return SparePolicy(rates)


def _singular(kind: str) -> str:
    return "switch" if kind == "switches" else kind.removesuffix("s")


@dataclass(frozen=True)
class Terms:
    """Options of a bill beyond its design.

    Parameters
    ----------
    prices : PriceList or None
        Prices; without it no line has one.
    policy : CablingPolicy or None
        Allowed media; by default that of the design's ``bill:`` block.
    spares : SparePolicy or None
        Spares; by default those of the design's ``bill:`` block.
    lengths : str
        ``racks``: links without a length get that along the racks; ``given``: it is unknown.
    signed : mapping
        Author, date and revision of the bill, as given by people.
    """

    prices: PriceList | None = None
    policy: CablingPolicy | None = None
    spares: SparePolicy | None = None
    lengths: Lengths = "racks"
    signed: Mapping[str, str] = field(default_factory=dict)


INDICATIVE = "indicative"
"""The name of the built-in list of published prices."""

INDICATIVE_FILE = Path(__file__).parent / "indicative-prices.yaml"
"""Published prices of exactly one part of the catalog each."""


def bill_prices(
    design: Design,
    catalog: Catalog,
    named: Iterable[str] = (),
    *,
    currency: str | None = None,
    today: date | None = None,
) -> PriceList | None:
    """Read all price lists that a bill is asked to use, the later over the earlier.

    Parameters
    ----------
    design : Design
        Its ``bill:`` block may name the currency; lists beside its file come before named ones.
    catalog : Catalog
        Which parts there are.
    named : iterable of str
        Files, and ``indicative``; they override the user's own lists.
    currency : str, optional
        The requested one; by default that of the design, else all currencies side by side.
    today : date, optional
        Prices of later days are refused; by default the current day.

    Returns
    -------
    PriceList or None
        None where there is no list at all.
    """
    files = [
        *user_price_lists(),
        *design.price_lists,
        *((INDICATIVE_FILE if name == INDICATIVE else Path(name)) for name in named),
    ]
    if not files:
        return None
    wanted = currency or (design.bill.currency if design.bill else None)
    return read_prices(*files, catalog=catalog, today=today, currency=wanted, mixed=True)


OPTIONS = "options"
"""What the column, row or property is called."""

_COMMAND = "bom"
_KNOWN = ("cabling", "lengths", "stock", "spares", "currency")


def options_text(policy: Mapping[str, Any]) -> str:
    """``bom --cabling cheapest --lengths racks --stock 5,10``, of a bill's policy as plain data."""
    words = [_COMMAND, "--cabling", policy["cabling"], "--lengths", policy["lengths"]]
    if stock := policy.get("stock_lengths_m"):
        words += ["--stock", ",".join(plain_number(each).replace(",", "") for each in stock)]
    if rates := policy["spares"]:
        each = (f"{kind}={str(rate).replace(' ', '')}" for kind, rate in rates.items())
        words += ["--spares", ",".join(each)]
    if currency := policy.get("currency"):
        words += ["--currency", currency]
    return " ".join(words)


def read_options(text: str) -> dict[str, Any] | None:
    """The policy that such a text states; None for a text of another kind.

    Raises
    ------
    ValueError
        Of one that begins like it and cannot be read; says what was found.
    """
    words = shlex.split(text) if text.startswith(f"{_COMMAND} ") else []
    if not words:
        return None
    given = dict(zip((word.removeprefix("--") for word in words[1::2]), words[2::2], strict=False))
    unknown = next((name for name in given if name not in _KNOWN), None)
    if unknown is not None or len(words) % 2 == 0 or 2 * len(given) != len(words) - 1:
        raise ValueError(f"found {text!r}, expected options such as --{' --'.join(_KNOWN)}")
    policy: dict[str, Any] = {"cabling": "cheapest", "lengths": "racks", "spares": {}}
    for name, known in (("cabling", get_args(CablingChoice)), ("lengths", get_args(Lengths))):
        policy[name] = given.get(name, policy[name])
        if policy[name] not in known:
            raise ValueError(f"--{name}: found {policy[name]!r}, expected {' or '.join(known)}")
    if "stock" in given:
        policy["stock_lengths_m"] = [_metres(word) for word in given["stock"].split(",")]
    if "spares" in given:
        try:
            policy["spares"] = read_spares([given["spares"]]).stated()
        except ToposmithError as error:
            raise ValueError(str(error)) from None
    if (currency := given.get("currency")) is not None:
        if currency not in CURRENCIES:
            raise ValueError(f"--currency: found {currency!r}, expected one of ISO 4217 as in USD")
        policy["currency"] = currency
    return policy


def _metres(word: str) -> float:
    try:
        metres = float(word)
    except ValueError:
        metres = 0.0
    if not 0 < metres < float("inf"):
        raise ValueError(f"--stock: found {word!r}, expected metres as in 5,10,30")
    return metres


def design_digest(design: Design) -> str:
    """SHA-256 of what a design says, without its ``view`` and ``pins``.

    It does not depend on the order, the spelling or the comments of the file: designs that
    ``diff`` finds no change between have one digest.
    """
    return _sha256(json.dumps(sorted(statements(design)), ensure_ascii=True))


def all_parts(catalog: Catalog) -> list[Part]:
    """Every part that decides a bill: what is placed and wired, and racks and PDUs besides."""
    return [*catalog, *catalog.of_kind("rack"), *catalog.of_kind("pdu")]


def part_digest(part: Part) -> str:
    """SHA-256 of the figures of a part; unused fields do not affect it."""
    return _sha256(part.model_dump_json(exclude_defaults=True))


@lru_cache(maxsize=4)
def catalog_digest(catalog: Catalog) -> str:
    """SHA-256 of every part of a catalog, whichever files they are in; computed once."""
    parts = sorted(all_parts(catalog), key=lambda part: part.id)
    return _sha256("\n".join(part.model_dump_json(exclude_defaults=True) for part in parts))


def prices_digest(prices: PriceList) -> str:
    """SHA-256 of every price of a list, whichever files they are in."""
    of_any = sorted(prices.prices.items(), key=lambda one: one[0])
    of_one = sorted(prices.by_length.items(), key=lambda one: one[0])
    lines = [_price_line(part, price) for part, price in of_any]
    lines += [_price_line(f"{part} {length:g} m", price) for (part, length), price in of_one]
    return _sha256("\n".join(lines))


def _price_line(what: str, price: Price) -> str:
    until = f" until {price.valid_until}" if price.valid_until else ""
    return f"{what} {price.amount} {price.currency} {price.date} {price.stated}{until}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


SIGNED = "signed"
"""The name of the key, column and property of the signature."""

KEYS = ("date", "revision", "commit", "author", "approver")
_LONGEST = 200
_UNSIGNED = "It carries no date, revision or approval."


class SigningError(ToposmithError):
    """An invalid signature of a bill; says what is accepted."""


def read_signing(settings: Iterable[str]) -> dict[str, str]:
    """Read settings such as ``author=Ann`` and ``date=2026-03-31``, in the order of :data:`KEYS`.

    Raises
    ------
    SigningError
        For a key that is unknown or repeated, an empty text, or an invalid date.
    """
    found: dict[str, str] = {}
    for setting in settings:
        key, _, text = (word.strip() for word in setting.partition("="))
        if key not in KEYS:
            raise SigningError(f"signed: found {key!r}, expected one of {', '.join(KEYS)}")
        if key in found:
            raise SigningError(f"signed: {key}: found twice, expected once")
        if not text or len(text) > _LONGEST or obeyed_sign(text):
            raise SigningError(
                f"signed: {key}: found {text[:40]!r}, expected up to {_LONGEST} plain characters"
            )
        if key == "date" and not is_date(text):
            raise SigningError(f"signed: date: found {text!r}, expected a day as in 2026-03-31")
        found[key] = text
    return {key: found[key] for key in KEYS if key in found}


def read_signed_text(text: str) -> dict[str, str]:
    """Read one line such as ``date=2026-03-31; author=Ann``; empty for an empty line.

    Raises
    ------
    SigningError
        As of :func:`read_signing`.
    """
    return read_signing(word for word in text.split(";") if word.strip())


def signed_text(signed: Mapping[str, str]) -> str:
    """The signature as one line."""
    return "; ".join(f"{key}={text}" for key, text in signed.items())


def signed_words(signed: Mapping[str, str]) -> str:
    """``Signed: date 2026-03-31, author Ann.``; or the sentence that it is not signed."""
    said = ", ".join(f"{key} {text}" for key, text in signed.items())
    return f"Signed: {said}." if said else _UNSIGNED
