"""Text from a design escaped for Markdown."""

from __future__ import annotations

import re

from toposmith.plain_text import visible

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def as_markdown(text: str) -> str:
    """The text for a Markdown table: signs of the language are escaped."""
    return _MARKUP.sub(r"\\\1", visible(text))
