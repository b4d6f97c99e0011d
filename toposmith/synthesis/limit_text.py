"""Limits of a search for fabrics as they are typed: ``switch=qm9700 survive=switch``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from toposmith.catalog.currencies import CURRENCIES
from toposmith.errors import EditError
from toposmith.synthesis.fabric_requirements import shape_named

SURVIVED = ("cable", "switch")


def read_limits(words: Iterable[str]) -> dict[str, Any]:
    """Fields of :class:`Requirements` from words such as ``oversubscription=2``, ``align=4``.

    Several parts, shapes or failures are parted by commas.

    Raises
    ------
    EditError
        With what was found and what would be right.
    """
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = map(str.strip, word.partition("="))
        read = LIMITS.get(name)
        if read is None or not equals or not value:
            raise EditError(f"{word!r} is no limit; there are {', '.join(LIMITS)}, as in align=4")
        field, of = read
        if field in found:
            raise EditError(f"{name} is given twice")
        found[field] = of(value)
    return found


def read_budget(text: str) -> tuple[Decimal, str]:
    """An amount with its currency, ``2500000 USD`` or ``2500000USD``.

    Raises
    ------
    EditError
        If the text is no amount above 0 with a known currency.
    """
    plain = text.strip().replace(",", "").replace(" ", "")
    try:
        value = Decimal(plain[:-3])
    except InvalidOperation:
        value = Decimal(0)
    currency = plain[-3:].upper()
    if not value.is_finite() or value <= 0 or currency not in CURRENCIES:
        raise EditError(f"{text!r} is no budget; write an amount and its currency, as 2500000 USD")
    return value, currency


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise EditError(f"a number above 0 is needed, found {text!r}")
    return value


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not int(text):
        raise EditError(f"a whole number above 0 is needed, found {text!r}")
    return int(text)


def _several(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _survived(text: str) -> frozenset[str]:
    for each in _several(text):
        if each not in SURVIVED:
            raise EditError(f"what may fail is {' or '.join(SURVIVED)}, found {each!r}")
    return frozenset(_several(text))


LIMITS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "survive": ("survive", _survived),
    "switch": ("switches", _several),
    "nic": ("nics", _several),
    "nics": ("nics_per_node", _whole),
    "shape": ("shapes", lambda text: tuple(map(shape_named, _several(text)))),
    "oversubscription": ("oversubscription", _amount),
    "budget": ("budget", read_budget),
    "kw-per-rack": ("kw_per_rack", _amount),
    "longest": ("longest_m", _amount),
    "align": ("align", _whole),
    "later": ("later", _whole),
}
