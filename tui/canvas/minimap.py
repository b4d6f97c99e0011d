"""A small map of the whole sheet with the part in view, for pictures larger than the view."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tui.canvas.captions import Line
from tui.canvas.glyphs import Glyphs, Ink
from tui.canvas.items import Item
from tui.canvas.layout import Layout
from tui.canvas.scene import Area

MOST_COLUMNS, MOST_ROWS = 24, 8
LEAST_VIEW = (40, 12)
"""A view smaller than this has no room for a map."""


@dataclass(frozen=True)
class Minimap:
    """A map and the corner of the view that it lies in; its rows are whole lines."""

    x: int
    y: int
    rows: tuple[Line, ...]

    @property
    def area(self) -> Area:
        """The cells that it takes of the view."""
        return Area(self.x, self.y, sum(len(text) for text, _ in self.rows[0]), len(self.rows))


def minimap(
    layout: Layout, view: Area, glyphs: Glyphs, raised: Collection[Item] = ()
) -> Minimap | None:
    """The map of a sheet for a view on it; None where all is in view, or there is no room.

    It lies in the corner of the view where it covers the fewest boxes.
    """
    whole = view.width >= layout.width and view.height >= layout.height
    if whole or view.width < LEAST_VIEW[0] or view.height < LEAST_VIEW[1] or not layout.boxes:
        return None
    columns = min(MOST_COLUMNS, view.width // 3)
    rows = min(MOST_ROWS, max(view.height // 4, 3))
    cells = [[(" ", Ink.DETAIL)] * columns for _ in range(rows)]

    def scaled(area: Area) -> Area:
        left = min(area.x * columns // layout.width, columns - 1)
        top = min(area.y * rows // layout.height, rows - 1)
        right = max(-(-area.right * columns // layout.width), left + 1)
        bottom = max(-(-area.bottom * rows // layout.height), top + 1)
        return Area(left, top, min(right, columns) - left, min(bottom, rows) - top)

    for box in layout.boxes:
        place = scaled(Area(box.x, box.y, box.width, box.height))
        ink = Ink.KEY if box.item in raised else Ink.BOX
        sign = glyphs.knob if box.item in raised else glyphs.pip
        for row in range(place.y, place.bottom):
            for column in range(place.x, place.right):
                cells[row][column] = (sign, ink)
    seen = scaled(view)
    for row in range(seen.y, seen.bottom):
        for column, sign in ((seen.x, "["), (seen.right - 1, "]")):
            cells[row][column] = (sign, Ink.KEY)
    across = glyphs.line((0, 1, 0, 1)) * columns
    down = glyphs.line((1, 0, 1, 0))
    corners = [
        glyphs.line(arms) for arms in ((0, 1, 1, 0), (0, 0, 1, 1), (1, 1, 0, 0), (1, 0, 0, 1))
    ]
    lines: list[Line] = [((corners[0] + across + corners[1], Ink.HINT),)]
    lines += [((down, Ink.HINT), *row, (down, Ink.HINT)) for row in cells]
    lines.append(((corners[2] + across + corners[3], Ink.HINT),))
    x, y = _corner(layout, view, columns + 2, rows + 2)
    return Minimap(x, y, tuple(lines))


def _corner(layout: Layout, view: Area, width: int, height: int) -> tuple[int, int]:
    """The corner of the view where a map of this size covers the least."""
    places = [
        (view.width - width, view.height - height),
        (view.width - width, 0),
        (0, view.height - height),
        (0, 0),
    ]
    return min(
        places, key=lambda at: _covered(layout, Area(view.x + at[0], view.y + at[1], width, height))
    )


def _covered(layout: Layout, area: Area) -> int:
    cells = 0
    for box in layout.boxes:
        wide = min(area.right, box.x + box.width) - max(area.x, box.x)
        tall = min(area.bottom, box.y + box.height) - max(area.y, box.y)
        cells += max(wide, 0) * max(tall, 0)
    for trunk in layout.trunks:
        inside = area.x <= trunk.label_x < area.right and area.y <= trunk.label_y < area.bottom
        cells += 20 * inside
    return cells
