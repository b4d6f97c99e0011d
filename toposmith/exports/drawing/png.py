"""A sheet as PNG, by Pillow, which brings its own typeface: no fonts of the system are needed."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from toposmith.errors import ToposmithError
from toposmith.exports.drawing.svg import (
    LIGHT,
    DrawingSheet,
    DrawnShape,
    Polyline,
    Rect,
    Text,
)
from toposmith.plain_text import visible

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

_SCALE = 2
# Above this, a picture is no longer looked at, and takes gigabytes.
_MOST_PIXELS = 120_000_000


_NOT_IN_TYPEFACE = {"≤ ": "at most ", "≥ ": "at least ", "→": "->", "…": "..."}
"""Signs that Pillow's own typeface lacks, and what is written for them."""


def _in_words(text: str) -> str:
    for sign, words in _NOT_IN_TYPEFACE.items():
        text = text.replace(sign, words)
    return text


def png_bytes(sheet: DrawingSheet) -> bytes:
    """Write a sheet as PNG, twice as large as its measures where that is not too large.

    Raises
    ------
    ToposmithError
        If the sheet is too large for a picture.
    """
    # here and below: no other form waits for Pillow
    from PIL import Image, ImageDraw

    scale = _SCALE
    while scale * scale * sheet.width * sheet.height > _MOST_PIXELS:
        if scale == 1:
            size = f"{sheet.width:.0f} x {sheet.height:.0f}"
            raise ToposmithError(f"a picture of {size} pixels is too large for PNG; write SVG")
        scale -= 1
    pixels = (round(sheet.width * scale), round(sheet.height * scale))
    image = Image.new("RGB", pixels, LIGHT["paper"])
    draw = ImageDraw.Draw(image)
    for part in sheet.parts:
        for shape in part.shapes:
            _draw(draw, shape, scale)
    held = io.BytesIO()
    image.save(held, "PNG")
    return held.getvalue()


def _draw(draw: ImageDraw, shape: DrawnShape, scale: int) -> None:
    if isinstance(shape, Rect):
        right, bottom = shape.x + shape.width, shape.y + shape.height
        draw.rounded_rectangle(
            (shape.x * scale, shape.y * scale, right * scale, bottom * scale),
            shape.radius * scale,
            LIGHT[shape.fill],
            LIGHT["edge"],
            scale,
        )
    elif isinstance(shape, Polyline):
        points = [(x * scale, y * scale) for x, y in shape.points]
        draw.line(points, LIGHT[shape.ink], round(shape.width * scale), "curve")
    else:
        _write(draw, shape, scale)


def _write(draw: ImageDraw, shape: Text, scale: int) -> None:
    from PIL import ImageFont

    font = ImageFont.load_default(shape.size * scale)
    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
    # The typeface that Pillow brings has the signs of Western Europe and no others.
    text = _in_words(visible(shape.text)).encode("latin-1", "replace").decode("latin-1")
    at = (shape.x * scale, shape.y * scale)
    stroke = scale / 4 if shape.bold else 0
    colour = LIGHT[shape.ink]
    draw.text(at, text, colour, font, anchor=anchor, stroke_width=stroke, stroke_fill=colour)
