"""Breaking text into lines."""

from __future__ import annotations

import re

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|[kMGT]?[Bb]/s|(?:[KMGT]i)?B\b|[mµu]?s\b)")


def whole_figures(text: str) -> str:
    """The text with no-break spaces between figures and their units."""
    return _BEFORE_UNIT.sub("\u00a0", text)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells, broken between words where possible.

    A no-break space holds words together; it is shown as a plain one. Where there is no width,
    as before a screen is laid out, a line holds one cell.
    """
    width = max(width, 1)
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        while len(word) > width:
            if line:
                lines.append(line)
                line = ""
            lines.append(word[:width])
            word = word[width:]
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return [line.replace("\u00a0", " ") for line in lines]
