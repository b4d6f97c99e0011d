"""Curves drawn as text on logarithmic axes: numbers in, rows of signs out.

Lines are drawn in braille, eight dots a cell, or in ASCII, one sign a cell. What a cell means goes
with it as its ink, so that a screen can colour it; nothing is shown by colour alone: every series
has its own sign or dashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise
from math import log10
from operator import itemgetter

Dot = tuple[int, int]


class PlotInk(StrEnum):
    """What a cell shows."""

    BLANK = "blank"
    AXIS = "axis"
    LABEL = "label"
    FIRST = "first"
    SECOND = "second"
    MARK = "mark"
    CURSOR = "cursor"


PlotRow = tuple[tuple[str, PlotInk], ...]
"""A line as pieces of one ink each."""

SERIES_INKS = (PlotInk.FIRST, PlotInk.SECOND)


@dataclass(frozen=True)
class Signs:
    """The signs of a drawing; ``dots`` are those of one cell, across and down."""

    dots: tuple[int, int]
    series: tuple[str, str]
    mark: str
    cursor: str
    crossings: tuple[str, str]
    corner: str
    across: str
    down: str
    tick_across: str
    tick_down: str


BRAILLE = Signs(
    (2, 4), ("⠤⠤", "⠤ ⠤"), "┊", "│", ("●", "○"),
    corner="└", across="─", down="│", tick_across="┴", tick_down="┤",
)  # fmt: skip
ASCII = Signs(
    (1, 1), ("***", "o o"), ":", "|", ("@", "O"),
    corner="+", across="-", down="|", tick_across="+", tick_down="+",
)  # fmt: skip


def signs(ascii_only: bool) -> Signs:
    """The signs to draw with."""
    return ASCII if ascii_only else BRAILLE


BESIDE = 2
"""Columns from a line to a name that is taken for that line's."""


def place_labels(
    marks: Sequence[tuple[int, str]], columns: int, most_rows: int
) -> list[tuple[int | None, int]]:
    """Find a row and a column for the name of each mark, so that none covers a later one's line.

    A name stands behind its line; where there is no room, above it, or before it.

    Parameters
    ----------
    marks : sequence of (int, str)
        Columns from left to right, with their names.
    columns : int
        Cells of a row.
    most_rows : int
        How many rows there may be.

    Returns
    -------
    list of (int or None, int)
        The row, counted from the top, and the first column; None where there is no room.
    """
    placed: list[tuple[int | None, int]] = []
    ends: list[int] = []  # of each row, the first column that is still free
    before = -1  # the column of the mark before
    for column, name in marks:
        start = min(column + 1, columns - len(name))
        if start <= before + BESIDE and start <= column:
            # so far to the left it would seem to belong there: it ends at its own line instead
            start = column - len(name)
            if before >= 0 and start <= before + BESIDE:  # and still it would
                start = -1
        before = column
        # the line of this mark runs down from its name: no name further down may cover it
        row = next((row for row in range(len(ends)) if max(ends[row:]) <= start), len(ends))
        if row >= most_rows or start < 0:
            placed.append((None, 0))
            continue
        ends[row : row + 1] = [start + len(name) + 1]
        placed.append((row, start))
    return placed


def path(points: Sequence[Dot]) -> Iterator[Dot]:
    """The dots of straight lines from point to point."""
    yield from points[:1]
    for (x0, y0), (x1, y1) in pairwise(points):
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(1, steps + 1):
            yield x0 + round((x1 - x0) * step / steps), y0 + round((y1 - y0) * step / steps)


@dataclass(frozen=True)
class AxisMark:
    """A place on the horizontal axis with its name; ``line`` draws it down to the axis."""

    x: float
    label: str
    line: bool = True


@dataclass(frozen=True)
class Tick:
    """A place on an axis with its words."""

    at: float
    label: str


@dataclass(frozen=True)
class Chart:
    """What is to be drawn; all figures are positive, and both axes logarithmic.

    Parameters
    ----------
    series : sequence of sequences of (float, float)
        One or two curves from left to right. The second is drawn in dashes, and below the first.
    x_ticks, y_ticks : sequence of Tick
        The most important first; those that find no room are left out.
    marks : sequence of AxisMark
        From left to right; their names stand above the drawing.
    cursor : float, optional
        Where a line through all curves is drawn.
    """

    series: Sequence[Sequence[tuple[float, float]]]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    marks: Sequence[AxisMark] = ()
    cursor: float | None = None


_ASCII_DOTS = ("*", "o")
_BRAILLE_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_DASH, _DASH_PERIOD = 3, 6
_LEAST_COLUMNS, _LEAST_ROWS = 12, 4
_MOST_LABEL_ROWS = 4

TOO_SMALL = "too small to draw"


def plot(chart: Chart, width: int, height: int, *, ascii_only: bool = False) -> list[PlotRow]:
    """Draw a chart.

    Parameters
    ----------
    chart : Chart
        What to draw.
    width, height : int
        Cells that it may take, with its labels.
    ascii_only : bool
        Whether to draw with ASCII signs only.

    Returns
    -------
    list of PlotRow
        ``height`` rows, none wider than ``width``; a line with the reason where there is no room.
    """
    margin = _margin(chart)
    columns = width - margin
    if columns < _LEAST_COLUMNS or height < _LEAST_ROWS + 2 or not any(chart.series):
        return [((TOO_SMALL[:width], PlotInk.LABEL),)]
    return _Drawing(chart, columns, height, signs(ascii_only)).rows(margin)


def x_at(chart: Chart, width: int, column: int) -> float:
    """What stands on the horizontal axis at a column of a drawing of this width."""
    margin = _margin(chart)
    share = (column - margin) / max(width - margin - 1, 1)
    return _range([x for points in chart.series for x, _ in points]).at(min(max(share, 0.0), 1.0))


def as_text(rows: Sequence[PlotRow]) -> str:
    """The rows as plain text."""
    return "\n".join("".join(piece for piece, _ in row).rstrip() for row in rows)


@dataclass(frozen=True)
class Range:
    """A logarithmic axis: what stands at its two ends."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value lies between the ends, 0 to 1."""
        return (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))

    def at(self, share: float) -> float:
        """What stands at such a place."""
        return float(10 ** (log10(self.low) + share * (log10(self.high) - log10(self.low))))


def _margin(chart: Chart) -> int:
    """Columns left of the drawing: the longest label, a gap, the axis."""
    return max((len(tick.label) for tick in chart.y_ticks), default=0) + 2


def _range(values: Sequence[float]) -> Range:
    low, high = min(values), max(values)
    return Range(low / 2, high * 2) if low == high else Range(low, high)


class _Drawing:
    """The cells of a chart: labels of marks above, the curves, and the axis below."""

    def __init__(self, chart: Chart, columns: int, height: int, signs: Signs) -> None:
        self._chart = chart
        self._signs = signs
        self._columns = columns
        self._xs = _range([x for points in chart.series for x, _ in points])
        self._ys = _range([y for points in chart.series for _, y in points])
        shown = [mark for mark in chart.marks if self._xs.low <= mark.x <= self._xs.high]
        most = min(_MOST_LABEL_ROWS, height - 2 - _LEAST_ROWS)
        self._labels = place_labels(
            [(self._column(mark.x), mark.label) for mark in shown], columns, most
        )
        self._marks = shown
        self._above = max((row for row, _ in self._labels if row is not None), default=-1) + 1
        self._height = height - self._above - 2
        self._cells: list[list[tuple[str, PlotInk]]] = [
            [(" ", PlotInk.BLANK)] * columns for _ in range(self._above + self._height)
        ]

    def rows(self, margin: int) -> list[PlotRow]:
        """All rows, with labels and axes."""
        self._draw_marks()
        self._draw_series()
        self._draw_cursor()
        ticks = self._y_ticks()
        rows: list[PlotRow] = []
        for y, cells in enumerate(self._cells):
            label = ticks.get(y - self._above)
            sign = self._signs.tick_down if label is not None else self._signs.down
            left = f"{label or '':>{margin - 1}}"
            axis = sign if y >= self._above else " "
            rows.append(_row([(left, PlotInk.LABEL), (axis, PlotInk.AXIS), *cells]))
        return [*rows, *self._x_axis(margin)]

    def _column(self, x: float) -> int:
        return round(self._xs.share(x) * (self._columns - 1))

    def _dot(self, x: float, y: float) -> Dot:
        """The dot of a point, counted from the left and from the bottom."""
        across, down = self._signs.dots
        return (
            round(self._xs.share(x) * (self._columns * across - 1)),
            round(self._ys.share(y) * (self._height * down - 1)),
        )

    def _draw_marks(self) -> None:
        for mark, (row, _) in zip(self._marks, self._labels, strict=True):
            column = self._column(mark.x)
            if mark.line:
                for y in range(0 if row is None else row, len(self._cells)):
                    self._cells[y][column] = (self._signs.mark, PlotInk.MARK)
        for mark, (row, start) in zip(self._marks, self._labels, strict=True):
            if row is not None:
                for offset, sign in enumerate(mark.label):
                    self._cells[row][start + offset] = (sign, PlotInk.MARK)

    def _draw_series(self) -> None:
        """The last first, so that the first stays whole where they meet."""
        numbered = list(enumerate(self._chart.series))[: len(SERIES_INKS)]
        for number, points in reversed(numbered):
            dots = list(path([self._dot(x, y) for x, y in points]))
            if number and self._signs is BRAILLE:
                dots = [dot for step, dot in enumerate(dots) if step % _DASH_PERIOD < _DASH]
            for (column, row), sign in self._cells_of(dots, number):
                self._cells[row][column] = (sign, SERIES_INKS[number])

    def _cells_of(self, dots: Sequence[Dot], number: int) -> Iterator[tuple[Dot, str]]:
        across, down = self._signs.dots
        bits: dict[Dot, int] = {}
        for x, y in dots:
            below = self._height * down - 1 - y
            cell = (x // across, self._above + below // down)
            bit = 0 if across == 1 else _BRAILLE_BITS[x % across][below % down]
            bits[cell] = bits.get(cell, 0) | bit
        for cell, lit in bits.items():
            yield cell, chr(0x2800 + lit) if lit else _ASCII_DOTS[number]

    def _draw_cursor(self) -> None:
        at = self._chart.cursor
        if at is None or not self._xs.low <= at <= self._xs.high:
            return
        column = self._column(at)
        for y in range(self._above, len(self._cells)):
            if self._cells[y][column][1] in (PlotInk.BLANK, PlotInk.MARK):
                self._cells[y][column] = (self._signs.cursor, PlotInk.CURSOR)
        numbered = list(enumerate(self._chart.series))[: len(SERIES_INKS)]
        for number, points in reversed(numbered):
            value = next((y for x, y in points if x == at), None)
            if value is not None:
                y = self._above + self._height - 1 - self._dot(at, value)[1] // self._signs.dots[1]
                self._cells[y][column] = (self._signs.crossings[number], PlotInk.CURSOR)

    def _y_ticks(self) -> dict[int, str]:
        """The words at each row, as many as stand apart."""
        found: dict[int, str] = {}
        for tick in self._chart.y_ticks:
            if self._ys.low <= tick.at <= self._ys.high:
                row = self._height - 1 - round(self._ys.share(tick.at) * (self._height - 1))
                if not {row - 1, row, row + 1} & found.keys():
                    found[row] = tick.label
        return found

    def _x_axis(self, margin: int) -> list[PlotRow]:
        """The axis and the words below it, as many as stand apart."""
        width = margin + self._columns
        words = [" "] * width
        places: set[int] = set()
        for tick in self._chart.x_ticks:
            if not self._xs.low <= tick.at <= self._xs.high:
                continue
            column = self._column(tick.at)
            start = min(margin + column - len(tick.label) // 2, width - len(tick.label))
            room = words[max(start - 1, 0) : start + len(tick.label) + 1]
            if start >= 0 and not "".join(room).strip():
                words[start : start + len(tick.label)] = tick.label
                places.add(column)
        signs = self._signs
        line = "".join(
            signs.tick_across if x in places else signs.across for x in range(self._columns)
        )
        axis = f"{signs.corner:>{margin}}{line}"
        return [((axis, PlotInk.AXIS),), (("".join(words).rstrip(), PlotInk.LABEL),)]


def _row(cells: Sequence[tuple[str, PlotInk]]) -> PlotRow:
    """Cells as pieces of one ink."""
    return tuple(
        ("".join(sign for sign, _ in piece), ink)
        for ink, piece in groupby(cells, key=itemgetter(1))
    )
