"""What is drawn over the picture while one works on it: the rubber band, tags and knobs."""

from __future__ import annotations

from toposmith.tui.canvas.canvas_glyphs import BROKEN, CanvasGlyphs, Ink
from toposmith.tui.canvas.layout import Box, Trunk
from toposmith.tui.canvas.raster import Point, Raster
from toposmith.tui.canvas.scene import Scene


def band(scene: Scene, box: Box, pointer: Point, glyphs: CanvasGlyphs) -> dict[Point, str]:
    """The cells of the band and what they show; none while the pointer is over the box."""
    x, y = pointer
    right, bottom = box.x + box.width - 1, box.y + box.height - 1
    if not (0 <= x < scene.width and 0 <= y < scene.height):
        return {}
    if box.x <= x <= right and box.y <= y <= bottom:
        return {}
    middle = min(max(x, box.x + 1), right - 1) if box.x < x < right else (box.x + right) // 2
    if y < box.y:
        path = [(middle, box.y - 1), (middle, y), (x, y)]
    elif y > bottom:
        path = [(middle, bottom + 1), (middle, y), (x, y)]
    else:
        path = [(right + 1 if x > right else box.x - 1, y), (x, y)]
    raster = Raster(scene.width, scene.height)
    raster.path(path, BROKEN, Ink.BAND, box.item)
    cells = {}
    for row in range(min(at[1] for at in path), max(at[1] for at in path) + 1):
        for column in range(min(at[0] for at in path), max(at[0] for at in path) + 1):
            cell = raster.cell(column, row)
            if cell is not None:
                cells[column, row] = cell.sign(glyphs, ())
    cells[x, y] = glyphs.knob
    return cells


def tag(box: Box, text: str) -> dict[Point, str]:
    """The cells of a short word on the upper border of a box; none where it has no room."""
    if len(text) + 4 > box.width:
        return {}
    return {(box.x + 1 + column, box.y): sign for column, sign in enumerate(f" {text} ")}


def knob(trunk: Trunk, glyphs: CanvasGlyphs, tip: str, width: int) -> dict[Point, str]:
    """The cell that shows that a trunk is selected, without need of colour, and a tip beside it."""
    x, y = trunk.label_x, trunk.label_y
    text = f" {tip} " if tip else ""
    left = x + 1 if x + 1 + len(text) <= width else max(x - len(text), 0)
    cells = {(left + column, y): sign for column, sign in enumerate(text)}
    return cells | {(x, y): glyphs.knob}
