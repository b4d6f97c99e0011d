"""The signs and inks of a drawing, and what its cells need to know about dots and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

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
