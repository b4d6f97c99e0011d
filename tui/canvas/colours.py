"""The colours of the picture: what each ink and each mark looks like, from theme variables."""

from __future__ import annotations

from enum import StrEnum

from toposmith.tui.canvas.glyphs import Ink


class Mark(StrEnum):
    """What an item is at the moment, beyond what it always is."""

    NONE = "none"
    SELECTED = "selected"
    LIT = "lit"
    MARKED = "marked"
    CANDIDATE = "candidate"
    TARGET = "target"


class Look(StrEnum):
    """A colour and weight of the picture; each is a component class ``canvas--<look>``.

    A widget's styles are worked out for each of its component classes whenever the focus moves, so
    inks that look alike share one.
    """

    LINE = "line"
    PLAIN = "plain"
    STRONG = "strong"
    MUTED = "muted"
    PART = "part"
    KEY = "key"
    COMMENT = "comment"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"
    WORST = "worst"
    SELECTED = "selected"
    LIT = "lit"
    MARKED = "marked"
    CANDIDATE = "candidate"
    TARGET = "target"

    @property
    def component(self) -> str:
        """The name of its component class."""
        return f"canvas--{self.value}"


LOOK_OF_INK = {
    Ink.BLANK: Look.PLAIN,
    Ink.BOX: Look.LINE,
    Ink.TITLE: Look.STRONG,
    Ink.COUNT: Look.PLAIN,
    Ink.PART: Look.PART,
    Ink.DETAIL: Look.MUTED,
    Ink.PIP: Look.LINE,
    Ink.ERROR: Look.WORST,
    Ink.WARNING: Look.WARNING,
    Ink.COMMENT: Look.COMMENT,
    Ink.IDLE: Look.MUTED,
    Ink.CALM: Look.GOOD,
    Ink.BUSY: Look.WARNING,
    Ink.FULL: Look.BAD,
    Ink.LIMIT: Look.WORST,
    Ink.BROKEN: Look.BAD,
    Ink.CABLES: Look.PLAIN,
    Ink.RATIO: Look.MUTED,
    Ink.OVER: Look.WARNING,
    Ink.HINT: Look.MUTED,
    Ink.KEY: Look.KEY,
    Ink.BAND: Look.KEY,
}

LOOK_OF_MARK = {
    Mark.SELECTED: Look.SELECTED,
    Mark.LIT: Look.LIT,
    Mark.MARKED: Look.MARKED,
    Mark.CANDIDATE: Look.CANDIDATE,
    Mark.TARGET: Look.TARGET,
}
"""How the border of a marked box looks; all else of a marked item takes its background."""

COMPONENT_CLASSES = {look.component for look in Look}


def css_of(widget: str) -> str:
    """The colours for a kind of widget that paints in these inks."""
    return CSS.replace("Canvas ", f"{widget} ")


# The text variants of a theme's colours are those that can be read on its background.
CSS = """
Canvas {
    background: $background;
    scrollbar-size: 1 1;
}
Canvas > .canvas--line { color: $primary; }
Canvas > .canvas--plain { color: $foreground; }
Canvas > .canvas--strong { color: $foreground; text-style: bold; }
Canvas > .canvas--muted { color: $text-muted; }
Canvas > .canvas--part { color: $text-primary; }
Canvas > .canvas--key { color: $text-accent; text-style: bold; }
Canvas > .canvas--comment { color: $text-secondary; text-style: bold; }
Canvas > .canvas--good { color: $text-success; }
Canvas > .canvas--warning { color: $text-warning; }
Canvas > .canvas--bad { color: $text-error; }
Canvas > .canvas--worst { color: $text-error; text-style: bold; }
Canvas > .canvas--selected { color: $text-accent; background: $accent 15%; text-style: bold; }
Canvas > .canvas--lit { color: $text-success; background: $success 15%; text-style: bold; }
Canvas > .canvas--marked { color: $text-warning; text-style: bold; }
Canvas > .canvas--candidate { color: $text-accent; }
Canvas > .canvas--target { color: $text-accent; background: $accent 30%; text-style: bold; }
"""
