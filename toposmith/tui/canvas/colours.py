"""The colours of the picture: what each ink and each mark looks like, from theme variables."""

from __future__ import annotations

from enum import StrEnum

from toposmith.tui.canvas.canvas_glyphs import Ink


class ItemMark(StrEnum):
    """The state of an item, such as selected or lit."""

    NONE = "none"
    SELECTED = "selected"
    LIT = "lit"
    MARKED = "marked"
    CANDIDATE = "candidate"
    TARGET = "target"


class CanvasLook(StrEnum):
    """A colour and weight of the picture; each is a component class ``canvas--<look>``.

    A widget's styles are computed for each of its component classes whenever the focus moves, so
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
    Ink.BLANK: CanvasLook.PLAIN,
    Ink.BOX: CanvasLook.LINE,
    Ink.TITLE: CanvasLook.STRONG,
    Ink.COUNT: CanvasLook.PLAIN,
    Ink.PART: CanvasLook.PART,
    Ink.DETAIL: CanvasLook.MUTED,
    Ink.PIP: CanvasLook.LINE,
    Ink.ERROR: CanvasLook.WORST,
    Ink.WARNING: CanvasLook.WARNING,
    Ink.COMMENT: CanvasLook.COMMENT,
    Ink.IDLE: CanvasLook.MUTED,
    Ink.CALM: CanvasLook.GOOD,
    Ink.BUSY: CanvasLook.GOOD,
    Ink.FULL: CanvasLook.WARNING,
    Ink.LIMIT: CanvasLook.WORST,
    Ink.BROKEN: CanvasLook.BAD,
    Ink.CABLES: CanvasLook.PLAIN,
    Ink.RATIO: CanvasLook.MUTED,
    Ink.OVER: CanvasLook.WARNING,
    Ink.HINT: CanvasLook.MUTED,
    Ink.KEY: CanvasLook.KEY,
    Ink.BAND: CanvasLook.KEY,
}

LOOK_OF_MARK = {
    ItemMark.SELECTED: CanvasLook.SELECTED,
    ItemMark.LIT: CanvasLook.LIT,
    ItemMark.MARKED: CanvasLook.MARKED,
    ItemMark.CANDIDATE: CanvasLook.CANDIDATE,
    ItemMark.TARGET: CanvasLook.TARGET,
}
"""How the border of a marked box looks; all else of a marked item takes its background."""

COMPONENT_CLASSES = {look.component for look in CanvasLook}


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
