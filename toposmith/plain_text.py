"""Text from files with control characters escaped, so that no terminal obeys it."""

from __future__ import annotations

import reprlib
import unicodedata


def visible(text: str) -> str:
    r"""The text with control and invisible characters escaped, such as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        for sign in text
    )


def shown(value: object) -> str:
    """A value from a file as a message shows it: short, on one line, quoted where it is text."""
    # reprlib looks at a few elements only: YAML aliases can stand for millions of them.
    text = visible(_REPR.repr(value))
    return text if len(text) <= 60 else f"{text[:57]}..."


def obeyed_sign(text: str) -> str:
    """The first control or invisible formatting sign of a text other than a line end, or none."""
    if text.isprintable():
        return ""
    return next((s for s in text if unicodedata.category(s)[0] == "C" and s != "\n"), "")


_REPR = reprlib.Repr()
_REPR.maxlevel = 2
