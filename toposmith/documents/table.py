"""Tables as data: rows under columns, with what is said above them and of each row.

What a value is to its reader is a tone, which each face of the program shows in its own way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

Order = float | str | None
"""The sort key of a cell; None, the unknown, comes last in either direction."""


BAR_CELLS = 10
"""Cells of a bar."""


class Tone(Enum):
    """What words are to their reader."""

    PLAIN = "plain"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"
    QUIET = "quiet"
    DIM = "dim"
    ACCENT = "accent"


class Note(NamedTuple):
    """A sentence, and what it is to its reader."""

    text: str
    tone: Tone = Tone.PLAIN


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
    bar : bool
        Whether its cells are drawn as bars, where that can be: shares, by which they are sorted.
    """

    title: str
    rank: int = 1
    right: bool = False
    wide: int = 0
    fill: int = 0
    wraps: bool = False
    bar: bool = False


@dataclass(frozen=True)
class Cell:
    """What is in one place of a table, and what it is sorted by."""

    text: str
    order: Order = None
    tone: Tone = Tone.PLAIN


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
    of : object
        What it shows, for what can be done with it.
    """

    key: str
    cells: tuple[Cell, ...]
    detail: tuple[str, ...] = ()
    groups: frozenset[str] = frozenset()
    links: frozenset[int] = frozenset()
    of: Any = field(default=None, compare=False)

    @property
    def words(self) -> tuple[str, ...]:
        """What stands in its cells."""
        return tuple(cell.text for cell in self.cells)

    @property
    def text(self) -> str:
        """The line as text: its cells with tabs between, then what else there is to say of it."""
        return "\n".join(("\t".join(self.words), *self.detail))


@dataclass(frozen=True)
class Table:
    """Rows under columns, with what is shown above them.

    Parameters
    ----------
    columns : tuple of Column
        Headings.
    rows : tuple of Row
        In their own order, which is used until another is asked for.
    head : tuple of Note
        Sentences above the table.
    empty : str
        What to say where there are no rows.
    """

    columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = ()
    head: tuple[Note, ...] = ()
    empty: str = ""
    widths: tuple[int, ...] = field(init=False)

    @property
    def in_words(self) -> Table:
        """The table without what can only be drawn."""
        kept = [at for at, column in enumerate(self.columns) if not column.bar]
        return self if len(kept) == len(self.columns) else self.of_columns(kept)

    def of_columns(self, kept: Sequence[int]) -> Table:
        """The table with these of its columns."""
        columns = tuple(self.columns[at] for at in kept)
        rows = (replace(row, cells=tuple(row.cells[at] for at in kept)) for row in self.rows)
        return replace(self, columns=columns, rows=tuple(rows))

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings of its columns."""
        return tuple(column.title for column in self.columns)

    @property
    def right(self) -> tuple[int, ...]:
        """The columns that are aligned right."""
        return tuple(at for at, column in enumerate(self.columns) if column.right)

    def __post_init__(self) -> None:
        """Measure the columns once."""
        widths = []
        for at, column in enumerate(self.columns):
            longest = max((len(row.cells[at].text) for row in self.rows), default=0)
            width = max(longest, len(column.title) + 2)  # with the sign of the order
            width = BAR_CELLS if column.bar else width
            widths.append(min(width, column.wide) if column.wide else width)
        object.__setattr__(self, "widths", tuple(widths))


def table_of_words(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()
) -> Table:
    """A table of nothing but words; columns in ``right`` hold figures."""
    columns = tuple(Column(title, right=at in right) for at, title in enumerate(head))
    cells = (tuple(Cell(text, text) for text in row) for row in rows)
    return Table(columns, tuple(Row(str(at), each) for at, each in enumerate(cells)))


# Which columns of a table there is room for, and how wide they are.

LOW_RANK = 4
"""From this rank on columns come after the whole width of what shares the room."""

GAP = 2
"""Cells between two columns."""

NARROWEST = 8
"""Cells that a column keeps at any width of the screen."""


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
