"""A sheet of cells: lines merged where they meet, text on top, and who owns each cell."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len

from tui.canvas.captions import Line
from tui.canvas.glyphs import HEAVY, LIGHT, NONE, Arms, Glyphs, Ink
from tui.canvas.items import GroupItem, Item

Point = tuple[int, int]


class Run(NamedTuple):
    """Neighbouring cells of one row with the same ink and the same owner."""

    text: str
    ink: Ink
    owner: Item | None


@dataclass(slots=True)
class Cell:
    """One cell: a character, or the arms of lines; arms across and along may have two owners."""

    arms: Arms = (NONE, NONE, NONE, NONE)
    across: Item | None = None
    along: Item | None = None
    across_ink: Ink = Ink.BLANK
    along_ink: Ink = Ink.BLANK
    text: str | None = None

    @property
    def owner(self) -> Item | None:
        """Who is hit here: a box on its border, else the line that runs up and down."""
        if isinstance(self.across, GroupItem):
            return self.across
        return self.along if self.along is not None else self.across

    @property
    def ink(self) -> Ink:
        """What the cell is drawn as: the line that runs up and down is seen before the other."""
        return self.across_ink if self.along is None else self.along_ink

    def sign(self, glyphs: Glyphs, raised: Collection[Item]) -> str:
        """The character to show; lines of raised items are heavy."""
        if self.text is not None:
            return self.text
        north, east, south, west = self.arms
        if self.along in raised:
            north, south = _raise(north), _raise(south)
        if self.across in raised:
            east, west = _raise(east), _raise(west)
        return glyphs.line((north, east, south, west))


def _raise(arm: int) -> int:
    return HEAVY if arm == LIGHT else arm


class Raster:
    """The cells of a sheet; only those that something was drawn on exist."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows: list[dict[int, Cell]] = [{} for _ in range(height)]

    def cell(self, x: int, y: int) -> Cell | None:
        """The cell at a place, or None where nothing was drawn or the sheet ends."""
        return self._rows[y].get(x) if 0 <= y < self.height else None

    def fill(self, x: int, y: int, width: int, height: int, ink: Ink, owner: Item) -> None:
        """Claim a rectangle of blanks."""
        for row in self._rows[y : y + height]:
            for column in range(x, x + width):
                row[column] = Cell(
                    across=owner, along=owner, across_ink=ink, along_ink=ink, text=" "
                )

    def path(self, points: Collection[Point], weight: int, ink: Ink, owner: Item) -> None:
        """Draw a line from corner to corner; it merges with the lines that it meets."""
        corners = list(points)
        for (x0, y0), (x1, y1) in pairwise(corners):
            if x0 == x1:
                low, high = sorted((y0, y1))
                for y in range(low, high + 1):
                    north, south = weight * (y > low), weight * (y < high)
                    self._merge(x0, y, (north, 0, south, 0), ink, owner)
            else:
                low, high = sorted((x0, x1))
                for x in range(low, high + 1):
                    east, west = weight * (x < high), weight * (x > low)
                    self._merge(x, y0, (0, east, 0, west), ink, owner)

    def frame(self, x: int, y: int, width: int, height: int, ink: Ink, owner: Item) -> None:
        """Draw a box's border."""
        right, bottom = x + width - 1, y + height - 1
        corners = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)]
        self.path(corners, LIGHT, ink, owner)

    def write(self, x: int, y: int, line: Line, owner: Item | None, glyphs: Glyphs) -> None:
        """Write pieces of text on a row, from column ``x`` on."""
        row = self._rows[y]
        for text, ink in line:
            for sign in glyphs.text(text):
                for column, shown in enumerate([sign] + [""] * (cell_len(sign) - 1)):
                    row[x + column] = Cell(
                        across=owner, along=owner, across_ink=ink, along_ink=ink, text=shown
                    )
                x += cell_len(sign)

    def runs(self, y: int, glyphs: Glyphs, raised: Collection[Item] = ()) -> list[Run]:
        """A row as runs of like cells, from the left edge of the sheet to its right."""
        row = self._rows[y]
        runs: list[Run] = []
        at = 0
        for x in sorted(row):
            if x > at:
                runs.append(Run(" " * (x - at), Ink.BLANK, None))
            cell = row[x]
            sign, ink, owner = cell.sign(glyphs, raised), cell.ink, cell.owner
            if runs and runs[-1].ink == ink and runs[-1].owner == owner:
                runs[-1] = Run(runs[-1].text + sign, ink, owner)
            else:
                runs.append(Run(sign, ink, owner))
            at = x + 1
        if at < self.width:
            runs.append(Run(" " * (self.width - at), Ink.BLANK, None))
        return runs

    def _merge(self, x: int, y: int, arms: Arms, ink: Ink, owner: Item) -> None:
        cell = self._rows[y].setdefault(x, Cell())
        north, east, south, west = (max(pair) for pair in zip(cell.arms, arms, strict=True))
        cell.arms = (north, east, south, west)
        cell.text = None
        if arms[0] or arms[2]:
            cell.along, cell.along_ink = owner, ink
        if arms[1] or arms[3]:
            cell.across, cell.across_ink = owner, ink
