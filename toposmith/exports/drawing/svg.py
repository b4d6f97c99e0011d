"""A sheet as SVG: no scripts, nothing fetched, light or dark as the reader's screen is.

Colours are attributes, which every program that shows SVG understands. Rules of CSS come before
attributes: a browser whose user wants it dark, or the page around the drawing, recolours by class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Literal

from toposmith.plain_text import visible

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


LIGHT = {
    "paper": "#ffffff",
    "text": "#1b2430",
    "muted": "#5c6b7a",
    "edge": "#8a97a5",
    "box": "#f3f5f8",
    "switch": "#e3edf9",
    "node": "#e8f3e6",
    "idle": "#667482",
    "busy": "#96620f",
    "hot": "#c0392b",
    "error": "#c0392b",
}
DARK = {
    "paper": "#14181d",
    "text": "#e6eaef",
    "muted": "#9aa7b4",
    "edge": "#6b7885",
    "box": "#1e242b",
    "switch": "#1d2c40",
    "node": "#1e3323",
    "idle": "#7d8a97",
    "busy": "#e0a84a",
    "hot": "#ff6b5b",
    "error": "#ff6b5b",
}
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


def svg_text(sheet: DrawingSheet, *, follows_page: bool = False) -> str:
    """Write a sheet as SVG.

    Parameters
    ----------
    sheet : DrawingSheet
        What is drawn.
    follows_page : bool
        Whether the drawing stands in a page, which has a ground and rules of its own
        (:func:`ink_rules`).
    """
    size = f'viewBox="0 0 {_n(sheet.width)} {_n(sheet.height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{_n(sheet.width)}" '
        f'height="{_n(sheet.height)}" role="img" font-family="{escape(_FONT)}">',
        f"<title>{_safe(sheet.title)}</title>",
    ]
    if not follows_page:
        # LibreOffice passes over "@media", and would apply a rule whose selector is a class alone
        dark = ink_rules(DARK, within=":root ")
        lines.append(f"<style>@media (prefers-color-scheme:dark){{{dark}}}</style>")
        paper = f'class="fill-paper" fill="{LIGHT["paper"]}"'
        lines.append(f'<rect width="100%" height="100%" {paper}/>')
    for part in sheet.parts:
        lines += _part(part)
    return "\n".join([*lines, "</svg>\n"])


def ink_rules(colours: Mapping[str, str], within: str = "") -> str:
    """Rules of CSS that recolour a drawing; a colour for each ink."""
    return "".join(
        f"{within}.fill-{ink}{{fill:{colour}}}{within}.line-{ink}{{stroke:{colour}}}"
        for ink, colour in colours.items()
    )


def _part(part: ShapeGroup) -> list[str]:
    shapes = [_shape(shape) for shape in part.shapes]
    head = f'<g data-{part.kind}="{_safe(part.name)}">'
    return [head, f"<title>{_safe(part.title)}</title>", *shapes, "</g>"]


def _shape(shape: DrawnShape) -> str:
    if isinstance(shape, Rect):
        return (
            f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" '
            f'height="{_n(shape.height)}" rx="{_n(shape.radius)}" '
            f'class="fill-{shape.fill} line-edge" fill="{LIGHT[shape.fill]}" '
            f'stroke="{LIGHT["edge"]}"/>'
        )
    if isinstance(shape, Polyline):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        dashes = ' stroke-dasharray="6 4"' if shape.dashed else ""
        return (
            f'<polyline points="{points}" class="line-{shape.ink}" fill="none" '
            f'stroke="{LIGHT[shape.ink]}" stroke-width="{_n(shape.width)}"{dashes}/>'
        )
    return _text(shape)


def _text(shape: Text) -> str:
    weight = ' font-weight="600"' if shape.bold else ""
    return (
        f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}" '
        f'text-anchor="{shape.anchor}" class="fill-{shape.ink}" fill="{LIGHT[shape.ink]}"{weight}>'
        f"{_safe(shape.text)}</text>"
    )


def _safe(text: str) -> str:
    return escape(visible(text), quote=True)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
