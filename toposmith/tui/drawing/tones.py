"""How the app shows what words are to their reader: colours of the theme."""

from __future__ import annotations

from toposmith.documents.table import Tone

_COLOURS = {
    Tone.GOOD: "text-success",
    Tone.WARNING: "text-warning",
    Tone.BAD: "text-error",
    Tone.QUIET: "text-muted",
    Tone.DIM: "text-disabled",
    Tone.ACCENT: "text-accent",
}


def colour_name(tone: Tone) -> str:
    """The variable of the theme that has its colour; empty where that is the usual one."""
    return _COLOURS.get(tone, "")


def style_of(tone: Tone) -> str:
    """The style of content in this tone; empty for the usual one."""
    return f"${_COLOURS[tone]}" if tone in _COLOURS else ""
