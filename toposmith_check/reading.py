"""Reading a certificate from a file that may hold anything."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 29
LARGEST = 1 << 50


class Wrong(ValueError):
    """Says what does not hold, or cannot be read."""


def need(holds: object, words: str) -> None:
    """Wrong, in these words, unless something holds."""
    if not holds:
        raise Wrong(words)


def load(path: str) -> dict[str, Any]:
    """The object in a file; Wrong where it is none, or has numbers that nothing here can have."""
    with Path(path).open("rb") as file:
        raw = file.read(MOST_BYTES + 1)
    need(len(raw) <= MOST_BYTES, f"more than {MOST_BYTES >> 20} MiB are not read")
    numbers: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), _number)
    try:
        value = json.loads(raw, object_pairs_hook=_object, **numbers)
    except (ValueError, RecursionError) as why:
        raise Wrong(f"not JSON as a certificate has it: {str(why)[:200]}") from None
    need(isinstance(value, dict), "not a certificate: the file is no object")
    return dict(value)


def _number(text: str) -> int | float:
    need(len(text) <= 40 and abs(float(text)) <= LARGEST, f"the number {text[:40]}")
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    need(len(found) == len(pairs), "a key that is there twice")
    return found


def digest(value: object) -> str:
    """SHA-256 of a value as compact JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def item(of: object, key: str, kind: type) -> Any:
    """A value of an object, of one kind; a number is not below 0, and whole ones are real, too."""
    value = of.get(key) if isinstance(of, dict) else None
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind or (isinstance(value, int | float) and value < 0):
        raise Wrong(f"{key[:40]}: found {json.dumps(value)[:60]}, expected {kind.__name__}")
    return value


def rows(of: object, key: str, width: int) -> list[list[int]]:
    """A list of rows of so many whole numbers, each -1 or more."""
    found: list[list[int]] = item(of, key, list)
    for row in found:
        sound = type(row) is list and len(row) == width
        if not (sound and all(type(number) is int and number >= -1 for number in row)):
            raise Wrong(f"{key}: found {json.dumps(row)[:60]}, expected {width} whole numbers")
    return found


def same(claimed: float, summed: float) -> bool:
    """Whether two figures are equal but for the rounding of sums."""
    return abs(claimed - summed) <= 1e-9 * max(abs(claimed), abs(summed), 1e-9)
