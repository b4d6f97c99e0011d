"""A table as data: which rows are shown, in which order, and which columns there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LOW_RANK = 4
"""From this rank on columns come after the whole width of what shares the room."""

Order = float | str | None
"""The sort key of a cell; None, the unknown, comes last in either direction."""

GAP = 2
"""Cells between two columns."""

NARROWEST = 8
"""Cells that a column keeps at any width of the screen."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    title : str
        Its heading, with the unit of its figures.
    rank : int
        Its claim to a place where there is not room for all; 1 is never left out.
    right : bool
        Whether its figures are aligned right.
    wide : int
        Cells that it takes at most; 0 for as many as it needs.
    fill : int
        Cells that it takes at least, where it shares what the others leave; 0 for one that
        keeps its width.
    wraps : bool
        Whether its words wrap, where all rows have room for that.
    """

    title: str
    rank: int = 1
    right: bool = False
    wide: int = 0
    fill: int = 0
    wraps: bool = False


@dataclass(frozen=True)
class Cell:
    """What is in one place of a table, and what it is sorted by."""

    text: str
    order: Order = None
    style: str = ""


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Parameters
    ----------
    key : str
        Its identity in any order; unique in its table.
    cells : tuple of Cell
        One for each column.
    detail : tuple of str
        What else there is to say of it while it is selected.
    groups, links : frozenset
        The places on the canvas that it is about.
    """

    key: str
    cells: tuple[Cell, ...]
    detail: tuple[str, ...] = ()
    groups: frozenset[str] = frozenset()
    links: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """The line as text: its cells with tabs between, then what else there is to say of it."""
        return "\n".join(("\t".join(cell.text for cell in self.cells), *self.detail))


@dataclass(frozen=True)
class Table:
    """Rows under columns, with what is shown above them.

    Parameters
    ----------
    columns : tuple of Column
        Headings.
    rows : tuple of Row
        In their own order, which is used until another is asked for.
    head : tuple of (str, str)
        Lines above the table, each with its style.
    empty : str
        What to say where there are no rows.
    """

    columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = ()
    head: tuple[tuple[str, str], ...] = ()
    empty: str = ""
    widths: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Measure the columns once."""
        widths = []
        for at, column in enumerate(self.columns):
            longest = max((len(row.cells[at].text) for row in self.rows), default=0)
            width = max(longest, len(column.title) + 2)  # with the sign of the order
            widths.append(min(width, column.wide) if column.wide else width)
        object.__setattr__(self, "widths", tuple(widths))


@dataclass(frozen=True)
class Arrangement:
    """How the user wants to see a table: by which column, which way, and filtered by which words.

    ``column`` is None for the table's own order.
    """

    column: int | None = None
    falling: bool = False
    words: str = ""


def arranged(table: Table, wish: Arrangement) -> list[Row]:
    """The rows that have all words, in the order that is wished."""
    words = wish.words.lower().split()
    rows = [row for row in table.rows if all(word in _searched(row) for word in words)]
    if wish.column is None or wish.column >= len(table.columns):
        return list(reversed(rows)) if wish.falling else rows
    at = wish.column
    known = [row for row in rows if row.cells[at].order is not None]
    unknown = [row for row in rows if row.cells[at].order is None]
    known.sort(key=lambda row: _sorted_by(row.cells[at].order), reverse=wish.falling)
    return known + unknown


def fitting_columns(table: Table, width: int) -> list[int]:
    """The columns that there is room for, those of the first rank always.

    What shares the room is shown whole before columns of a low rank are there at all.
    """
    chosen: list[int] = []
    room = width
    whole = sum(
        table.widths[at] - least_width(table, at)
        for at, column in enumerate(table.columns)
        if column.rank == 1
    )
    by_claim = sorted(range(len(table.columns)), key=lambda at: table.columns[at].rank)
    for at in by_claim:
        cells = least_width(table, at) + GAP
        rank = table.columns[at].rank
        if rank > 1 and cells > room - (whole if rank >= LOW_RANK else 0):
            continue
        chosen.append(at)
        room -= cells
    return sorted(chosen)


def least_width(table: Table, at: int) -> int:
    """Cells that a column needs at least."""
    fill = table.columns[at].fill
    return min(table.widths[at], fill) if fill else table.widths[at]


def shown_widths(table: Table, columns: Sequence[int], width: int) -> dict[int, int]:
    """Cells of the columns that are shown: those that fill share what the others leave.

    Where there is too little room even for the least of all, the widest of them shrink.
    """
    widths = {at: least_width(table, at) for at in columns}
    room = width - sum(cells + GAP for cells in widths.values())
    filling = [at for at in columns if table.columns[at].fill]
    while room < 0 and filling:
        widest = max(filling, key=lambda at: widths[at])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
        room += 1
    while room > 0 and filling:
        wanting = [at for at in filling if widths[at] < table.widths[at]]
        if not wanting:
            break
        for at in wanting:
            more = min(table.widths[at] - widths[at], max(room // len(wanting), 1), room)
            widths[at] += more
            room -= more
    return widths


def most_lines(needed: Sequence[int], room: int) -> int:
    """Lines that a row may take at most, so that all rows together have room; 1 at least."""
    most = max(needed, default=1)
    while most > 1 and sum(min(lines, most) for lines in needed) > room:
        most -= 1
    return most


def next_column(columns: Sequence[int], at: int | None, by: int) -> int | None:
    """The shown column to sort by next; None, the table's own order, lies before the first."""
    places: list[int | None] = [None, *columns]
    here = places.index(at) if at in places else 0
    return places[(here + by) % len(places)]


def _searched(row: Row) -> str:
    return "\n".join((*(cell.text for cell in row.cells), *row.detail)).lower()


def _sorted_by(order: Order) -> tuple[int, float, str]:
    """Figures before words."""
    return (1, 0.0, order.lower()) if isinstance(order, str) else (0, float(order or 0), "")
