"""Price lists for a bill: a user's own, those that are named, and the indicative one on request."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from toposmith.catalog import Catalog
from toposmith.catalog.prices import PriceList, read_prices, user_price_lists
from toposmith.design.document import Design

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
        Its ``bill:`` block may name the currency.
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
    files = [*user_price_lists(), *(_file(name) for name in named)]
    if not files:
        return None
    wanted = currency or (design.bill.currency if design.bill else None)
    return read_prices(*files, catalog=catalog, today=today, currency=wanted, mixed=True)


def _file(name: str) -> Path:
    return INDICATIVE_FILE if name == INDICATIVE else Path(name)
