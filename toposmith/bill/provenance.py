"""Digests of the inputs of a bill: the design, the catalog and the prices."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING

from toposmith.design.statements import statements

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
