"""The colours of the picture: one component class per ink and per mark, from theme variables."""

from __future__ import annotations

from enum import StrEnum

from tui.canvas.glyphs import Ink


class Mark(StrEnum):
    """What an item is at the moment, beyond what it always is."""

    NONE = "none"
    SELECTED = "selected"
    CANDIDATE = "candidate"
    TARGET = "target"


BOX_CLASSES = {
    Mark.SELECTED: "canvas--box-selected",
    Mark.CANDIDATE: "canvas--box-candidate",
    Mark.TARGET: "canvas--box-target",
}
"""Classes for the border of a marked box."""

TEXT_CLASSES = {
    Mark.SELECTED: "canvas--selected",
    Mark.CANDIDATE: "canvas--candidate",
    Mark.TARGET: "canvas--target",
}
"""Classes laid over the ink of all else that belongs to a marked item."""

INK_CLASSES = {ink: f"canvas--{ink}" for ink in Ink}

COMPONENT_CLASSES = {*INK_CLASSES.values(), *BOX_CLASSES.values(), *TEXT_CLASSES.values()}

CSS = """
Canvas {
    background: $background;
    scrollbar-size: 1 1;
}
Canvas > .canvas--box { color: $primary; }
Canvas > .canvas--title { color: $foreground; text-style: bold; }
Canvas > .canvas--count { color: $foreground; }
Canvas > .canvas--part { color: $text-primary; }
Canvas > .canvas--detail { color: $foreground 70%; }
Canvas > .canvas--pip { color: $primary 70%; }
Canvas > .canvas--error { color: $error-lighten-1; text-style: bold; }
Canvas > .canvas--warning { color: $warning; }
Canvas > .canvas--trunk-idle { color: $foreground 60%; }
Canvas > .canvas--trunk-calm { color: $success; }
Canvas > .canvas--trunk-busy { color: $warning; }
Canvas > .canvas--trunk-full { color: $error-lighten-1; }
Canvas > .canvas--trunk-limit { color: $error-lighten-1; text-style: bold; }
Canvas > .canvas--trunk-broken { color: $error-lighten-1; }
Canvas > .canvas--cables { color: $foreground 80%; }
Canvas > .canvas--ratio { color: $foreground 70%; }
Canvas > .canvas--ratio-over { color: $warning; }
Canvas > .canvas--hint { color: $foreground 70%; }
Canvas > .canvas--hint-key { color: $accent; text-style: bold; }
Canvas > .canvas--band { color: $accent; text-style: bold; }
Canvas > .canvas--box-selected { color: $accent; background: $accent 15%; text-style: bold; }
Canvas > .canvas--box-candidate { color: $accent 70%; }
Canvas > .canvas--box-target { color: $accent; background: $accent 30%; text-style: bold; }
Canvas > .canvas--selected { background: $accent 15%; }
Canvas > .canvas--candidate { text-style: none; }
Canvas > .canvas--target { background: $accent 30%; }
Canvas:light > .canvas--trunk-calm { color: $success-darken-3; }
Canvas:light > .canvas--trunk-busy { color: $warning-darken-3; }
Canvas:light > .canvas--trunk-full { color: $error-darken-1; }
Canvas:light > .canvas--trunk-limit { color: $error-darken-1; }
Canvas:light > .canvas--error { color: $error-darken-1; }
Canvas:light > .canvas--warning { color: $warning-darken-3; }
Canvas:light > .canvas--ratio-over { color: $warning-darken-3; }
Canvas:light > .canvas--box-selected { color: $accent-darken-3; }
Canvas:light > .canvas--box-target { color: $accent-darken-3; }
Canvas:light > .canvas--band { color: $accent-darken-3; }
"""
