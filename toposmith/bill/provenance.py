"""Where a bill comes from: digests of what it was made of, and what people say of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from toposmith.design.statements import statements
from toposmith.errors import ToposmithError
from toposmith.plain_text import obeyed_sign

if TYPE_CHECKING:
    from toposmith.catalog import Catalog, Part
    from toposmith.catalog.prices import Price, PriceList
    from toposmith.design.document import Design


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
        if key == "date" and not _is_day(text):
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


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
