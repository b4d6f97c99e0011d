"""A table as data: which rows are shown, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.documents.table import Order, Row, Table
from toposmith.search_words import rank


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
    ranks = [(rank(wish.words, _searched(row)), row) for row in table.rows]
    rows = [row for at, row in ranks if at is not None and at < LETTERS]
    if wish.column is None or wish.column >= len(table.columns):
        return list(reversed(rows)) if wish.falling else rows
    at = wish.column
    known = [row for row in rows if row.cells[at].order is not None]
    unknown = [row for row in rows if row.cells[at].order is None]
    known.sort(key=lambda row: _sorted_by(row.cells[at].order), reverse=wish.falling)
    return known + unknown


def lines_of_rows(needed: Sequence[int], room: int) -> list[int]:
    """Lines that each row takes: what it needs where all have room, at least 1, the first more."""
    most = max(needed, default=1)
    while most > 1 and sum(min(lines, most) for lines in needed) > room:
        most -= 1
    taken = [min(lines, most) for lines in needed]
    left = room - sum(taken)
    for at, lines in enumerate(needed):
        if left > 0 and taken[at] < lines:
            taken[at] += 1
            left -= 1
    return taken


def next_column(columns: Sequence[int], at: int | None, by: int) -> int | None:
    """The shown column to sort by next; None, the table's own order, lies before the first."""
    places: list[int | None] = [None, *columns]
    here = places.index(at) if at in places else 0
    return places[(here + by) % len(places)]


LETTERS = 4
"""The rank of what a query finds by letters in order alone, which tables of figures leave out."""


def _searched(row: Row) -> str:
    return "\n".join((*(cell.text for cell in row.cells), *row.detail)).lower()


def _sorted_by(order: Order) -> tuple[int, float, str]:
    """Figures before words."""
    return (1, 0.0, order.lower()) if isinstance(order, str) else (0, float(order or 0), "")
