"""A small map of the whole sheet with the part in view, for pictures larger than the view."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from toposmith.tui.canvas.canvas_glyphs import CanvasGlyphs, Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.items import Item
from toposmith.tui.canvas.layout import CanvasLayout
from toposmith.tui.canvas.scene import Area

MOST_COLUMNS, MOST_ROWS = 24, 8
TITLE = " map "
MOST_SEEN = 2 / 3
"""Where more of the sheet than this is in view, a map would hide more than it shows."""

LEAST_VIEW = (40, 12)
"""A view smaller than this has no room for a map."""


@dataclass(frozen=True)
class Minimap:
    """A map and the corner of the view that it lies in; its rows are whole lines."""

    x: int
    y: int
    rows: tuple[StyledLine, ...]

    @property
    def area(self) -> Area:
        """The cells that it takes of the view."""
        return Area(self.x, self.y, sum(len(text) for text, _ in self.rows[0]), len(self.rows))


def minimap(
    layout: CanvasLayout, view: Area, glyphs: CanvasGlyphs, raised: Collection[Item] = ()
) -> Minimap | None:
    """The map of a sheet for a view on it; None where most is in view, or there is no room.

    It lies in the corner of the view where it covers the fewest boxes, and never on what is
    selected: where there is no other place, there is no map.
    """
    if MOST_SEEN * layout.width * layout.height <= view.width * view.height:
        return None
    if view.width < LEAST_VIEW[0] or view.height < LEAST_VIEW[1] or not layout.boxes:
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
    top = corners[0] + TITLE + across[len(TITLE) :] + corners[1]
    lines: list[StyledLine] = [((top, Ink.HINT),)]
    lines += [((down, Ink.HINT), *row, (down, Ink.HINT)) for row in cells]
    lines.append(((corners[2] + across + corners[3], Ink.HINT),))
    corner = _corner(layout, view, columns + 2, rows + 2, raised)
    if corner is None:
        return None
    x, y = corner
    return Minimap(x, y, tuple(lines))


def _corner(
    layout: CanvasLayout, view: Area, width: int, height: int, raised: Collection[Item]
) -> tuple[int, int] | None:
    """The corner of the view where a map of this size covers the least; None where none is free."""
    places = [
        (view.width - width, view.height - height),
        (view.width - width, 0),
        (0, view.height - height),
        (0, 0),
    ]

    def area(at: tuple[int, int]) -> Area:
        return Area(view.x + at[0], view.y + at[1], width, height)

    free = [at for at in places if not _hides(layout, area(at), raised)]
    return min(free, key=lambda at: _covered(layout, area(at)), default=None)


def _hides(layout: CanvasLayout, area: Area, raised: Collection[Item]) -> bool:
    """Whether an area lies on a box, or on the label of a trunk, that is selected."""
    boxes = any(
        box.item in raised
        and box.x < area.right
        and area.x < box.x + box.width
        and box.y < area.bottom
        and area.y < box.y + box.height
        for box in layout.boxes
    )
    labels = any(
        trunk.item in raised
        and area.x <= trunk.label_x < area.right
        and area.y <= trunk.label_y < area.bottom
        for trunk in layout.trunks
    )
    return boxes or labels


def _covered(layout: CanvasLayout, area: Area) -> int:
    cells = 0
    for box in layout.boxes:
        wide = min(area.right, box.x + box.width) - max(area.x, box.x)
        tall = min(area.bottom, box.y + box.height) - max(area.y, box.y)
        cells += max(wide, 0) * max(tall, 0)
    for trunk in layout.trunks:
        inside = area.x <= trunk.label_x < area.right and area.y <= trunk.label_y < area.bottom
        cells += 20 * inside
    return cells
