"""Text from a design escaped for spreadsheets and Markdown."""

from __future__ import annotations

import re

from toposmith.plain_text import visible

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def as_cell(text: str) -> str:
    """The text for a CSV cell, with an apostrophe before what would be read as a formula."""
    shown = visible(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def as_markdown(text: str) -> str:
    """The text for a Markdown table: signs of the language are escaped."""
    return _MARKUP.sub(r"\\\1", visible(text))
