"""The signs that the picture is made of, each with an ASCII twin of the same width.

A line cell is four arms (north, east, south, west), each with a weight; where lines meet, their
arms are merged and the sign is looked up here.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from rich.cells import cell_len

NONE, LIGHT, HEAVY, BROKEN = range(4)
"""Weights of an arm; a broken line is of a link that cannot be built."""

# Indexed by north, east, south, west in base 3.
_LINES = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"

Arms = tuple[int, int, int, int]


class Ink(StrEnum):
    """The kinds of cells; ``colours`` has the style of each."""

    BLANK = "blank"
    BOX = "box"
    TITLE = "title"
    COUNT = "count"
    PART = "part"
    DETAIL = "detail"
    PIP = "pip"
    ERROR = "error"
    WARNING = "warning"
    COMMENT = "comment"
    IDLE = "trunk-idle"
    CALM = "trunk-calm"
    BUSY = "trunk-busy"
    FULL = "trunk-full"
    LIMIT = "trunk-limit"
    BROKEN = "trunk-broken"
    CABLES = "cables"
    RATIO = "ratio"
    OVER = "ratio-over"
    HINT = "hint"
    KEY = "hint-key"
    BAND = "band"


@dataclass(frozen=True)
class CanvasGlyphs:
    """One set of signs: how lines and marks look."""

    ascii_only: bool
    limits: str
    pip: str
    gone: str
    knob: str
    placeholder: str

    def line(self, arms: Arms) -> str:
        """The sign of a line cell with these arms."""
        north, east, south, west = arms
        if BROKEN in arms:
            if not east and not west:
                return ":" if self.ascii_only else "┆"
            if not north and not south:
                return "." if self.ascii_only else "┄"
            north, east, south, west = (LIGHT if arm == BROKEN else arm for arm in arms)
        if not self.ascii_only:
            return _LINES[((north * 3 + east) * 3 + south) * 3 + west]
        if HEAVY in arms:
            return "#" if (north or south) else "="
        if not north and not south:
            return "-" if east or west else " "
        return "+" if east or west else "|"

    def text(self, text: str) -> str:
        """A text in these signs: what ASCII cannot say becomes placeholders of the same width."""
        if not self.ascii_only or text.isascii():
            return text
        return "".join(_TWINS.get(c, c if c.isascii() else "?" * cell_len(c)) for c in text)


UNICODE = CanvasGlyphs(
    False, limits="◀━ limits", pip="▪", gone="×", knob="●", placeholder="\N{REPLACEMENT CHARACTER}"
)
ASCII = CanvasGlyphs(True, limits="<- limits", pip="o", gone="x", knob="o", placeholder="?")

ERROR, WARNING = "✗", "!"
"""Marks of findings, the same as everywhere in the app."""

COMMENT = "»"
"""Mark of what reviewers said."""

_TWINS = {
    ERROR: "x",
    COMMENT: ">",
    UNICODE.pip: ASCII.pip,
    UNICODE.gone: ASCII.gone,
    UNICODE.knob: ASCII.knob,
    UNICODE.placeholder: ASCII.placeholder,
    "◀": "<",
    "━": "-",
    "·": "-",
    "…": "~",
}


def clean(text: str) -> str:
    """Text from a file as it may be shown: nothing in it can steer the terminal.

    Control, format and unassigned characters become a visible placeholder; combining marks that do
    not compose are dropped.
    """
    shown = []
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if category[0] == "C" or category in ("Zl", "Zp"):
            shown.append(UNICODE.placeholder)
        elif cell_len(character) > 0:
            shown.append(character)
    return "".join(shown)
