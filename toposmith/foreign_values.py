"""Numbers and JSON out of files from outside, bounded before anything is made of them.

Python refuses integers of thousands of digits with an error of its own, makes floats of 309 digits
infinite, and reads JSON with NaN, infinities and any nesting. Here each is refused with its place.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

from toposmith.errors import ToposmithError
from toposmith.plain_text import visible

MOST_DIGITS = 31
"""Of a whole number: addresses have 20 (64 bit), all else that is counted here far fewer."""

_WHOLE = f"a whole number of at most {MOST_DIGITS} digits"
_LONG = re.compile(rf"\d{{{MOST_DIGITS + 1},}}")

DEEPEST_JSON = 100
"""Levels of JSON; what other programs write has about ten."""


class NumberError(ToposmithError, ValueError):
    """A number that no file of this kind holds; says what was found and what would be right.

    Attributes
    ----------
    found : str
        The number as it is written.
    """

    def __init__(self, found: str, wanted: str, place: str) -> None:
        self.found = found
        start = visible(found[:12])
        what = f"{start}... ({len(found):,} signs)" if len(found) > MOST_DIGITS else visible(found)
        super().__init__(f"{place}: found {what}, expected {wanted}".removeprefix(": "))


class JsonError(ValueError):
    """A text that is no JSON, or none that is read; the text of the error says why.

    Attributes
    ----------
    line, column : int
        Where, from 1.
    is_cut : bool
        Whether the text ends before the JSON does.
    """

    def __init__(self, why: str, text: str, at: int, *, is_cut: bool = False) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        self.is_cut = is_cut
        super().__init__(why)


def whole_number(text: str, place: str = "") -> int:
    """The whole number that digits of a file stand for.

    Raises
    ------
    NumberError
        Where there are more than :data:`MOST_DIGITS`, or other signs.
    """
    if len(text) <= MOST_DIGITS:
        try:
            return int(text)
        except ValueError:
            pass
    raise NumberError(text, _WHOLE, place)


def long_number(text: str) -> str | None:
    """The fault of a text that holds a number of too many digits; None of all others."""
    found = _LONG.search(text)
    return None if found is None else str(NumberError(found[0], _WHOLE, ""))


def require_short_numbers(text: str, place: str) -> None:
    """Raise :class:`NumberError` where a label holds a number of too many digits."""
    if (found := _LONG.search(text)) is not None:
        raise NumberError(found[0], _WHOLE, place)


def finite_number(text: str, place: str = "") -> float:
    """The number that a file has; raises :class:`NumberError` where it is none or has no bound."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise NumberError(text, "a number below 1e308", place)
    return number


def read_json(text: str) -> Any:
    """The value that a JSON text holds; raises :class:`JsonError` where it is none that is read."""
    value, end = read_json_at(text, len(text) - len(text.lstrip()))
    if rest := text[end:].strip():
        raise JsonError("more follows the JSON", text, text.index(rest, end))
    return value


def read_json_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at a place of a text, and where it ends.

    Raises
    ------
    JsonError
        Where it is no JSON, is cut, nested too deeply, or has a number without bound.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as failed:
        is_cut = failed.pos >= len(text.rstrip()) - 1 or "Unterminated" in failed.msg
        raise JsonError(failed.msg, text, failed.pos, is_cut=is_cut) from None
    except NumberError as failed:
        raise JsonError(str(failed), text, text.index(failed.found, start)) from None
    except RecursionError:
        raise JsonError(_DEEP, text, start) from None
    level = [value] if type(value) in (dict, list) else []
    for _ in range(DEEPEST_JSON + 1):
        if not level:
            return value, end
        level = [
            inner
            for holder in level
            for inner in (holder.values() if type(holder) is dict else holder)
            if type(inner) in (dict, list)
        ]
    raise JsonError(_DEEP, text, start)


_DEEP = f"nested more than {DEEPEST_JSON} levels deep"


def _no_constant(found: str) -> float:
    raise NumberError(found, "a number, which JSON writes with digits", "")


_DECODER = json.JSONDecoder(
    parse_int=whole_number, parse_float=finite_number, parse_constant=_no_constant
)
