"""A sheet of cells: lines merged where they meet, text on top, and who owns each cell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len

from toposmith.tui.canvas.canvas_glyphs import HEAVY, LIGHT, NONE, Arms, CanvasGlyphs, Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.items import GroupItem, Item

Point = tuple[int, int]

BLOCK = 128
"""Columns of a row that are made, and painted, together."""


class CellRun(NamedTuple):
    """Neighbouring cells of one row with the same ink and owner, all text or all lines.

    ``spared`` lines keep their usual look though their owner is raised.
    """

    text: str
    ink: Ink
    owner: Item | None
    lines: bool = False
    spared: bool = False


_RunKind = tuple[Ink, Item | None, bool, bool]
_BLANK: _RunKind = (Ink.BLANK, None, False, False)


@dataclass(slots=True)
class CanvasCell:
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

    def sign(self, glyphs: CanvasGlyphs, raised: Collection[Item]) -> str:
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


@dataclass(frozen=True, slots=True)
class _Line:
    """A piece of a line on one row: these arms in every cell, fewer at its two ends."""

    start: int
    end: int
    arms: Arms
    ink: Ink
    owner: Item


@dataclass(frozen=True, slots=True)
class _Text:
    """Text on one row; it covers the lines drawn before it."""

    start: int
    end: int
    text: str
    ink: Ink
    owner: Item | None


class Raster:
    """The cells of a sheet. What is drawn is noted by row; cells are made when asked for.

    A large sheet is seen through a small view, so most cells are never made: those of a row are
    made in blocks of :data:`BLOCK` columns.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._drawn: list[list[_Line | _Text]] = [[] for _ in range(height)]
        self._made: dict[tuple[int, int], dict[int, CanvasCell]] = {}

    def cell(self, x: int, y: int) -> CanvasCell | None:
        """The cell at a place, or None where nothing was drawn or the sheet ends."""
        return self._block(y, x // BLOCK).get(x) if 0 <= y < self.height else None

    def same_row(self, other: Raster, y: int) -> bool:
        """Whether the same was drawn on a row of another sheet."""
        return y < min(self.height, other.height) and self._drawn[y] == other._drawn[y]

    def fill(self, x: int, y: int, width: int, height: int, ink: Ink, owner: Item) -> None:
        """Claim a rectangle of blanks."""
        for row in range(y, y + height):
            self._note(row, _Text(x, x + width - 1, " " * width, ink, owner))

    def path(self, points: Iterable[Point], weight: int, ink: Ink, owner: Item) -> None:
        """Draw a line from corner to corner; it merges with the lines that it meets."""
        for (x0, y0), (x1, y1) in pairwise(points):
            if x0 != x1:
                arms = (NONE, weight, NONE, weight)
                self._note(y0, _Line(min(x0, x1), max(x0, x1), arms, ink, owner))
                continue
            low, high = min(y0, y1), max(y0, y1)
            for y in range(low, high + 1):
                arms = (weight * (y > low), NONE, weight * (y < high), NONE)
                self._note(y, _Line(x0, x0, arms, ink, owner))

    def frame(self, x: int, y: int, width: int, height: int, ink: Ink, owner: Item) -> None:
        """Draw a box's border."""
        right, bottom = x + width - 1, y + height - 1
        corners = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)]
        self.path(corners, LIGHT, ink, owner)

    def write(
        self, x: int, y: int, line: StyledLine, owner: Item | None, glyphs: CanvasGlyphs
    ) -> None:
        """Write pieces of text on a row, from column ``x`` on."""
        for text, ink in line:
            after = x + cell_len(text)
            self._note(y, _Text(x, after - 1, glyphs.text(text), ink, owner))
            x = after

    def runs(
        self,
        y: int,
        glyphs: CanvasGlyphs,
        raised: Collection[Item] = (),
        spared: Mapping[Item, range] | None = None,
        columns: range | None = None,
    ) -> list[CellRun]:
        """A row as runs of like cells.

        Parameters
        ----------
        y : int
            The row.
        glyphs : CanvasGlyphs
            The signs to draw with.
        raised : collection of Item
            Whose lines are heavy.
        spared : mapping of Item to range, optional
            Columns where the lines of a raised item stay as they are.
        columns : range, optional
            The columns of the row; all of them if not given.
        """
        seen = range(self.width) if columns is None else columns
        usual = spared or {}
        runs: list[CellRun] = []
        signs: list[str] = []
        last: _RunKind = _BLANK
        at = seen.start
        for x, cell in self._cells(y, seen):
            owner, lines = cell.owner, cell.text is None
            calm = lines and owner is not None and x in usual.get(owner, ())
            kind = (cell.ink, owner, lines, calm)
            if x > at:
                runs += _run(signs, last)
                signs, last = [" " * (x - at)], _BLANK
            if kind != last:
                runs += _run(signs, last)
                signs, last = [], kind
            signs.append(cell.sign(glyphs, () if calm else raised))
            at = x + 1
        runs += _run(signs, last)
        return runs + _run([" " * (seen.stop - at)], _BLANK) if at < seen.stop else runs

    def _note(self, y: int, drawn: _Line | _Text) -> None:
        self._drawn[y].append(drawn)
        for block in range(drawn.start // BLOCK, drawn.end // BLOCK + 1) if self._made else ():
            self._made.pop((y, block), None)

    def _cells(self, y: int, columns: range) -> Iterator[tuple[int, CanvasCell]]:
        """The cells of a row within some columns, from left to right."""
        for block in range(columns.start // BLOCK, -(-columns.stop // BLOCK)):
            made = self._block(y, block)
            yield from ((x, made[x]) for x in sorted(made) if x in columns)

    def _block(self, y: int, block: int) -> dict[int, CanvasCell]:
        made = self._made.get((y, block))
        if made is None:
            made = self._made[y, block] = {}
            columns = range(block * BLOCK, (block + 1) * BLOCK)
            for drawn in self._drawn[y]:
                if drawn.end < columns.start or drawn.start >= columns.stop:
                    continue
                if isinstance(drawn, _Line):
                    _merge(made, drawn, columns)
                else:
                    _cover(made, drawn, columns)
        return made


def _cover(made: dict[int, CanvasCell], text: _Text, columns: range) -> None:
    ink, owner = text.ink, text.owner
    for x, sign in _signs(text, columns):
        made[x] = CanvasCell(across=owner, along=owner, across_ink=ink, along_ink=ink, text=sign)


def _signs(text: _Text, columns: range) -> Iterator[tuple[int, str]]:
    """The signs of a text within some columns; a wide one is followed by empty cells."""
    if text.text.isascii():  # by far the most, and every sign is one cell wide
        first = max(text.start, columns.start)
        yield from enumerate(text.text[first - text.start : columns.stop - text.start], first)
        return
    x = text.start
    for sign in text.text:
        for column, shown in enumerate([sign] + [""] * (cell_len(sign) - 1), x):
            if column in columns:
                yield column, shown
        x += cell_len(sign)


def _merge(row: dict[int, CanvasCell], line: _Line, columns: range) -> None:
    north, east, south, west = line.arms
    owner, ink = line.owner, line.ink
    for x in range(max(line.start, columns.start), min(line.end + 1, columns.stop)):
        cell = row.get(x)
        if cell is None:
            cell = row[x] = CanvasCell()
        cell.text = None
        n, e, s, w = cell.arms
        if north or south:
            cell.along, cell.along_ink = owner, ink
            cell.arms = (max(n, north), max(e, east), max(s, south), max(w, west))
            continue
        cell.across, cell.across_ink = owner, ink
        if x < line.end and east > e:
            e = east
        if x > line.start and west > w:
            w = west
        cell.arms = (n, e, s, w)


def _run(signs: list[str], kind: _RunKind) -> list[CellRun]:
    """The signs as a run; none where there are no signs."""
    return [CellRun("".join(signs), *kind)] if signs else []
