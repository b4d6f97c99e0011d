"""The signs that the screens draw, and text from files made safe to show."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from toposmith.labels import ASCII_SIGNS

_CONTROL_PICTURES = 0x2400
_DELETE = 0x7F
_PLAIN = {"µ": "u", "×": "x", "–": "-", "…": "...", **ASCII_SIGNS}
"""ASCII replacements of the program's own signs; those of others are unknown."""


@dataclass(frozen=True)
class Glyphs:
    """One set of signs; :data:`UNICODE` for UTF-8 terminals, :data:`ASCII` for all others."""

    ascii_only: bool
    full: str
    empty: str
    error: str
    warning: str
    info: str
    done: str
    limits: str
    arrow: str
    times: str
    dash: str
    dot: str
    cut: str
    open: str
    closed: str
    back: str
    on: str
    differs: str
    marked: str
    rising: str
    falling: str

    def bar(self, share: float, width: int) -> str:
        """Draw a bar of ``width`` cells, filled up to ``share`` (0 to 1)."""
        filled = round(min(max(share, 0.0), 1.0) * width)
        if share > 0:
            filled = max(filled, 1)
        return self.full * filled + self.empty * (width - filled)

    def shown(self, text: str) -> str:
        """Make text from a file fit for the screen: control signs become visible placeholders."""
        if text.isascii() and text.isprintable():
            return text
        return "".join(self._shown_sign(sign) for sign in text)

    def shortened(self, text: str, width: int) -> str:
        """Text of at most ``width`` cells, with a mark where it was cut."""
        if len(text) <= width:
            return text
        return text[: max(width - len(self.cut), 0)] + self.cut

    def apart(self, text: str, others: Iterable[str], width: int) -> str:
        """Text of at most ``width`` cells, cut so that what tells it from others is in it."""
        if len(text) <= width:
            return text
        differs = max((_shared(text, other) for other in others if other != text), default=0)
        told = text[text.rfind(" ", 0, differs + 1) + 1 :]
        head = max(width - len(self.cut) - len(told), width // 3)
        return text[:head] + self.cut + self.shortened(told, width - head - len(self.cut))

    def mark(self, severity: str) -> str:
        """The sign of a finding's severity."""
        return {"error": self.error, "warning": self.warning}.get(severity, self.info)

    def _shown_sign(self, sign: str) -> str:
        code = ord(sign)
        if self.ascii_only:
            return sign if 0x20 <= code < _DELETE else _PLAIN.get(sign, "?")
        if code < 0x20:
            return chr(_CONTROL_PICTURES + code)
        if code == _DELETE:
            return "\u2421"
        hidden = unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")
        return "\ufffd" if hidden else sign


UNICODE = Glyphs(
    ascii_only=False,
    full="█",
    empty="░",
    error="✗",
    warning="!",
    info="i",
    done="✓",
    limits="◀",
    arrow="→",
    times="×",
    dash="–",
    dot="·",
    cut="…",
    open="▾",
    closed="▸",
    back="‹",
    on="›",
    differs="≠",
    marked="◆",
    rising="▲",
    falling="▼",
)

ASCII = Glyphs(
    ascii_only=True,
    full="#",
    empty=".",
    error="x",
    warning="!",
    info="i",
    done="*",
    limits="<",
    arrow="->",
    times="x",
    dash="-",
    dot="-",
    cut="..",
    open="v",
    closed=">",
    back="<",
    on=">",
    differs="#",
    marked="*",
    rising="^",
    falling="v",
)


def glyphs_for(ascii_only: bool) -> Glyphs:
    """The signs to draw with."""
    return ASCII if ascii_only else UNICODE


def _shared(one: str, other: str) -> int:
    """How many of their first letters two texts share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
