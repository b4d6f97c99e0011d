"""A drawing as plain shapes, which SVG and PNG are both written from. Measures are pixels."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Literal

DrawingInk = Literal[
    "paper", "text", "muted", "edge", "box", "switch", "node", "idle", "busy", "hot", "error"
]
Anchor = Literal["start", "middle", "end"]

# A sign of the sans-serif faces that readers have takes at most this part of the size, on average
# over names and figures: room is planned for by it, so that no text runs into another.
_SIGN_WIDTH = 0.6


@dataclass(frozen=True)
class Rect:
    """A box, filled and framed."""

    x: float
    y: float
    width: float
    height: float
    fill: DrawingInk
    radius: float = 4


@dataclass(frozen=True)
class Polyline:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    ink: DrawingInk
    width: float = 2
    dashed: bool = False


@dataclass(frozen=True)
class Text:
    """A line of text; ``y`` is its baseline."""

    x: float
    y: float
    text: str
    size: float = 13
    ink: DrawingInk = "text"
    anchor: Anchor = "start"
    bold: bool = False


DrawnShape = Rect | Polyline | Text


@dataclass(frozen=True)
class ShapeGroup:
    """Shapes that belong together: a group, a link, a device; named so that a reader finds it."""

    kind: Literal["node", "link", "rack", "note"]
    name: str
    title: str
    shapes: tuple[DrawnShape, ...]


@dataclass(frozen=True)
class DrawingSheet:
    """A whole drawing."""

    title: str
    width: float
    height: float
    parts: tuple[ShapeGroup, ...]


def text_width(text: str, size: float = 13, *, bold: bool = False) -> float:
    """Room to plan for a line of text."""
    return len(text) * size * (_SIGN_WIDTH + 0.03 * bold)


def wrapped(text: str, width: float, size: float = 13) -> list[str]:
    """The text in lines that fit."""
    return wrap(text, _most_signs(width, size))


def cut(text: str, width: float, size: float = 13) -> str:
    """The text as far as it fits, with two dots where it does not."""
    most = _most_signs(width, size)
    return text if len(text) <= most else f"{text[: most - 2].rstrip()}.."


def _most_signs(width: float, size: float) -> int:
    return max(3, int(width / (size * _SIGN_WIDTH)))
