"""The author, date and revision of a bill, as given by people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from toposmith.errors import ToposmithError
from toposmith.plain_text import obeyed_sign

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
