"""Checks of the sums in a bill's file, which need no price list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

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
