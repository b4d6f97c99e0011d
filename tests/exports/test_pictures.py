"""Drawings show in programs that are no browser: coloured boxes, dark text on a light ground.

rsvg is what GNOME, GitLab and many converters show SVG by, CairoSVG what Python programs do. Both
ignore what only browsers know of CSS, each in its own way.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TypeVar

import pytest
from PIL import Image

from tests.exports.neighbours.written import saved
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.png import png_bytes
from toposmith.exports.drawing.rack_fronts import elevations_sheet
from toposmith.exports.drawing.svg import (
    DARK,
    LIGHT,
    DrawingSheet,
    Rect,
    Text,
    svg_text,
    text_width,
)
from toposmith.exports.report.markup import document
from toposmith.saved_designs import saved_designs

Colour = tuple[int, int, int]
Shape = TypeVar("Shape")
SAVED = [each.name for each in saved_designs()]
DRAWN = ("a100-rack-1x100gbe", "dgx-h100-superpod-1su", "gb200-nvl36x2-pair")
"""One rack, rails with spines, and racks that cables join: all kinds of shapes there are."""
MOST_TEXTS = 40
"""Of a drawing that are looked at: racks differ by their names alone."""


@cache
def sheet_of(name: str, form: str) -> DrawingSheet:
    design = saved(name)
    if form == "fabric":
        return fabric_sheet(design.plan, design.analysis)
    title = design.design.name
    return elevations_sheet(title, design.placement, design.elevations, design.rack_words)


def by_rsvg(sheet: DrawingSheet) -> bytes:
    rsvg = shutil.which("rsvg-convert")
    if rsvg is None:
        pytest.skip("rsvg-convert is not installed (Debian: librsvg2-bin)")
    text = svg_text(sheet).encode()
    return subprocess.run([rsvg], input=text, capture_output=True, check=True, timeout=60).stdout


def by_cairo(sheet: DrawingSheet) -> bytes:
    try:
        import cairosvg
    except OSError:
        pytest.skip("the library of cairo is not installed (Debian: libcairo2)")
    made: bytes = cairosvg.svg2png(bytestring=svg_text(sheet).encode())
    return made


VIEWERS = {"rsvg": by_rsvg, "CairoSVG": by_cairo, "PNG": png_bytes}


def rgb(colour: str) -> Colour:
    return (int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16))


def brightness(colour: Colour) -> float:
    """Relative luminance (WCAG 2.2)."""
    linear = [
        share / 12.92 if (share := sign / 255) <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for sign in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    dark, light = sorted((brightness(one), brightness(other)))
    return (light + 0.05) / (dark + 0.05)


def nearly(one: Colour, other: Colour) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 3


def shapes(sheet: DrawingSheet, kind: type[Shape]) -> Iterator[Shape]:
    return (shape for part in sheet.parts for shape in part.shapes if isinstance(shape, kind))


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("form", ["fabric", "racks"])
@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_shows_its_boxes_and_words_on_a_light_ground(
    name: str, form: str, viewer: str
) -> None:
    sheet = sheet_of(name, form)
    image = Image.open(io.BytesIO(VIEWERS[viewer](sheet))).convert("RGB")
    scale = image.width / sheet.width

    def at(x: float, y: float) -> Colour:
        found = image.getpixel((round(x * scale), round(y * scale)))
        assert isinstance(found, tuple)
        return (found[0], found[1], found[2])

    assert nearly(at(2, 2), rgb(LIGHT["paper"]))
    assert nearly(at(sheet.width - 3, sheet.height - 3), rgb(LIGHT["paper"]))
    for box in shapes(sheet, Rect):
        if box.fill != "paper":  # racks: their devices lie on them
            assert nearly(at(box.x + 4, box.y + 2.5), rgb(LIGHT[box.fill])), box
    for text in islice(shapes(sheet, Text), MOST_TEXTS):
        width = text_width(text.text, text.size)
        left = text.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * width
        edges = (left, text.y - text.size * 0.75, left + width, text.y + 1)
        seen = image.crop(tuple(round(edge * scale) for edge in edges)).getcolors(1 << 20) or []
        ground = max(seen)[1]
        ink = min((colour for _, colour in seen), key=sum)
        assert brightness(ground) > 0.7, text
        assert contrast(ground, ink) > 3, text


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read_on_what_they_stand_on(palette: dict[str, str]) -> None:
    """The contrast that WCAG 2.2 asks for text of this size, 4.5:1."""
    for ground, inks in {
        "paper": ("text", "muted", "idle", "busy", "hot", "error"),
        "box": ("text", "muted", "error"),
        "switch": ("text", "muted"),
        "node": ("text", "muted"),
    }.items():
        for ink in inks:
            assert contrast(rgb(palette[ground]), rgb(palette[ink])) >= 4.5, (ground, ink)


def classes(svg: str) -> set[str]:
    return {word for found in re.findall(r'class="([^"]*)"', svg) for word in found.split()}


@pytest.mark.parametrize("form", ["fabric", "racks"])
def test_a_browser_recolours_every_shape_where_it_is_asked_for_dark(form: str) -> None:
    svg = svg_text(sheet_of("dgx-h100-superpod-1su", form))
    (style,) = re.findall(r"<style>(.*)</style>", svg)
    assert style.startswith("@media (prefers-color-scheme:dark){")
    for name in classes(svg):
        way, ink = name.split("-")
        put = "fill" if way == "fill" else "stroke"
        assert f":root .{name}{{{put}:{DARK[ink]}}}" in style
    assert "style=" not in svg and "var(" not in svg


@pytest.mark.parametrize("form", ["fabric", "racks"])
def test_a_drawing_in_a_page_takes_the_colours_of_the_page(form: str) -> None:
    drawn = svg_text(sheet_of("dgx-h100-superpod-1su", form), follows_page=True)
    page = document("title", drawn)
    assert "<style" not in drawn
    for name in classes(drawn):
        way, ink = name.split("-")
        assert f".{name}{{{'fill' if way == 'fill' else 'stroke'}:var(--{ink})}}" in page
    for ink, colour in DARK.items():
        dark = page.partition("@media(prefers-color-scheme:dark)")[2]
        assert f"--{ink}:{colour};" in dark


def test_every_line_above_a_rack_is_whole() -> None:
    sheet = sheet_of("hgx-a100-64gpu-roce-2to1", "racks")
    above = " ".join(t.text for t in shapes(sheet, Text) if t.size == 11)
    assert ".." not in above
    assert "heat at least 21,838 BTU/h, incomplete: the power of 3 of 3 devices" in above


@pytest.mark.parametrize("name", SAVED)
def test_words_of_a_device_stay_inside_its_box(name: str) -> None:
    """A letter reaches three quarters of its size above its line, and a quarter below."""
    for part in sheet_of(name, "racks").parts:
        boxes = [s for s in part.shapes if isinstance(s, Rect) and s.fill != "paper"]
        words = [s for s in part.shapes if isinstance(s, Text) and s.anchor == "start"]
        for box in boxes:
            for text in words:
                if box.x < text.x and box.y < text.y < box.y + box.height:
                    assert text.y + 0.25 * text.size <= box.y + box.height, text
                    assert text.y - 0.75 * text.size >= box.y, text
