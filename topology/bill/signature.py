"""Who made a bill, of which day and revision: what people say of it, and no clock does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from toposmith.plain_text import obeyed_sign
from toposmith.topology.errors import ToposmithError

SIGNED = "signed"
"""The key, column and property that the words stand under."""

KEYS = ("date", "revision", "commit", "author", "approver")
_LONGEST = 200
_UNSIGNED = "It carries no date, revision or approval."


class SigningError(ToposmithError):
    """Something that a bill cannot be signed with; says what would be right."""


def read_signing(settings: Iterable[str]) -> dict[str, str]:
    """Read settings such as ``author=Ann`` and ``date=2026-03-31``, in the order of :data:`KEYS`.

    Raises
    ------
    SigningError
        For a key that is not known or said twice, an empty text, a date that is none.
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
    """Read what was typed on one line: ``date=2026-03-31; author=Ann``; nothing of an empty one.

    Raises
    ------
    SigningError
        As of :func:`read_signing`.
    """
    return read_signing(word for word in text.split(";") if word.strip())


def signed_text(signed: Mapping[str, str]) -> str:
    """As it is typed on one line."""
    return "; ".join(f"{key}={text}" for key, text in signed.items())


def signed_words(signed: Mapping[str, str]) -> str:
    """``Signed: date 2026-03-31, author Ann.``; that it carries nothing, where it does not."""
    said = ", ".join(f"{key} {text}" for key, text in signed.items())
    return f"Signed: {said}." if said else _UNSIGNED


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
