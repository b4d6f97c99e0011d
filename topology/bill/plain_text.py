"""Text from a design shown so that no terminal, spreadsheet or Markdown reader obeys it."""

from __future__ import annotations

import re

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def visible(text: str) -> str:
    r"""The text with control and invisible characters written out, such as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _escape(sign) for sign in text)


def as_cell(text: str) -> str:
    """The text for a CSV cell: an apostrophe stands before what would be taken for a formula."""
    shown = visible(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def as_markdown(text: str) -> str:
    """The text for a Markdown table: signs of the language are escaped."""
    return _MARKUP.sub(r"\\\1", visible(text))


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
