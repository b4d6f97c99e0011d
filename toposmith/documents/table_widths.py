"""Which columns of a table there is room for, and how wide they are."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.documents.table import Table

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
