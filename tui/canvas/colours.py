"""The colours of the picture: one component class per ink and per mark, from theme variables."""

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


BOX_CLASSES = {
    Mark.SELECTED: "canvas--box-selected",
    Mark.LIT: "canvas--box-lit",
    Mark.MARKED: "canvas--box-marked",
    Mark.CANDIDATE: "canvas--box-candidate",
    Mark.TARGET: "canvas--box-target",
}
"""Classes for the border of a marked box."""

TEXT_CLASSES = {
    Mark.SELECTED: "canvas--selected",
    Mark.LIT: "canvas--lit",
    Mark.MARKED: "canvas--marked",
    Mark.CANDIDATE: "canvas--candidate",
    Mark.TARGET: "canvas--target",
}
"""Classes added to the ink of all else that belongs to a marked item."""

INK_CLASSES = {ink: f"canvas--{ink}" for ink in Ink}

COMPONENT_CLASSES = {*INK_CLASSES.values(), *BOX_CLASSES.values(), *TEXT_CLASSES.values()}


def css_of(widget: str) -> str:
    """The colours for a kind of widget that paints in these inks."""
    return CSS.replace("Canvas ", f"{widget} ")


# The text variants of a theme's colours are those that can be read on its background.
CSS = """
Canvas {
    background: $background;
    scrollbar-size: 1 1;
}
Canvas > .canvas--box { color: $primary; }
Canvas > .canvas--title { color: $foreground; text-style: bold; }
Canvas > .canvas--count { color: $foreground; }
Canvas > .canvas--part { color: $text-primary; }
Canvas > .canvas--detail { color: $text-muted; }
Canvas > .canvas--pip { color: $primary; }
Canvas > .canvas--error { color: $text-error; text-style: bold; }
Canvas > .canvas--warning { color: $text-warning; }
Canvas > .canvas--comment { color: $text-secondary; text-style: bold; }
Canvas > .canvas--trunk-idle { color: $text-muted; }
Canvas > .canvas--trunk-calm { color: $text-success; }
Canvas > .canvas--trunk-busy { color: $text-warning; }
Canvas > .canvas--trunk-full { color: $text-error; }
Canvas > .canvas--trunk-limit { color: $text-error; text-style: bold; }
Canvas > .canvas--trunk-broken { color: $text-error; }
Canvas > .canvas--cables { color: $foreground; }
Canvas > .canvas--ratio { color: $text-muted; }
Canvas > .canvas--ratio-over { color: $text-warning; }
Canvas > .canvas--hint { color: $text-muted; }
Canvas > .canvas--hint-key { color: $text-accent; text-style: bold; }
Canvas > .canvas--band { color: $text-accent; text-style: bold; }
Canvas > .canvas--box-selected { color: $text-accent; background: $accent 15%; text-style: bold; }
Canvas > .canvas--box-lit { color: $text-success; background: $success 15%; text-style: bold; }
Canvas > .canvas--box-marked { color: $text-warning; text-style: bold; }
Canvas > .canvas--box-candidate { color: $text-accent; }
Canvas > .canvas--box-target { color: $text-accent; background: $accent 30%; text-style: bold; }
Canvas > .canvas--selected { background: $accent 15%; }
Canvas > .canvas--lit { background: $success 15%; }
Canvas > .canvas--marked { background: transparent; }
Canvas > .canvas--candidate { background: transparent; }
Canvas > .canvas--target { background: $accent 30%; }
"""
