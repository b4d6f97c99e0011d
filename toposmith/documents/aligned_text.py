"""Tables as text of a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from toposmith.documents.table import Table, fitting_columns, shown_widths
from toposmith.plain_text import visible
from toposmith.text import wrapped

MOST_CELL = 100
"""The most characters of a cell, except in the last column; notes can be long."""


def table_lines(table: Table, room: int = 0) -> list[str]:
    """A table with aligned columns, indented; below a row that is cut, all that it says.

    In a ``room`` of so many cells, if not 0, words wrap, and what there is no room for goes below.
    """
    table = table.in_words
    lines = _aligned(table)
    return lines if not room or max(map(len, lines)) <= room else list(_folded(table, room))


def _aligned(table: Table) -> list[str]:
    first, *others = table.titles
    rows = [
        (f"  {visible(start)}", *map(_short, cells), visible(last))
        for start, *cells, last in (row.words for row in table.rows)
    ]
    head, *lines = columns((f"  {first}", *others), rows, right=table.right)
    told = [head]
    for row, line in zip(table.rows, lines, strict=True):
        told.append(line)
        if any(len(visible(text)) > MOST_CELL for text in row.words[1:-1]):
            told += [f"      {visible(each)}" for each in row.detail]
    return told


def _folded(table: Table, room: int) -> Iterator[str]:
    """The lines of a table where words wrap in their columns; others go below their row."""
    kept = fitting_columns(table, room)
    widths = shown_widths(table, kept, room)
    left = [at for at in range(len(table.columns)) if at not in kept]
    yield from _in_columns(table, table.titles, widths)
    for row in table.rows:
        yield from _in_columns(table, row.words, widths)
        below = ", ".join(f"{table.titles[at]} {row.words[at]}" for at in left if row.words[at])
        cut = any(len(visible(text)) > MOST_CELL for text in row.words[1:-1])
        for said in (*([below] if below else []), *(row.detail if cut else ())):
            yield from (f"      {line}" for line in wrapped(visible(said), room - 6))


def _in_columns(table: Table, words: Sequence[str], widths: Mapping[int, int]) -> Iterator[str]:
    wrapping = (wrapped(_short(words[at]), width) for at, width in widths.items())
    for line in zip_longest(*wrapping, fillvalue=""):
        cells = (
            cell.rjust(width) if table.columns[at].right else cell.ljust(width)
            for cell, (at, width) in zip(line, widths.items(), strict=True)
        )
        yield f"  {'  '.join(cells)}".rstrip()


def listed(title: str, table: Table, *more: str) -> str:
    """A title, what is said above a table, then each row by its number with all said of it."""
    lines = [visible(title), *(visible(note.text) for note in table.head), ""]
    for number, row in enumerate(table.rows, 1):
        first, *others = map(visible, row.detail)
        lines += [f"{number:>2}  {first}", *(f"    {line}" for line in others)]
    lines += [*([] if table.rows else [visible(table.empty)]), *more]
    return "".join(f"{line}\n" for line in lines)


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= MOST_CELL else f"{shown[: MOST_CELL - 3]}..."


def columns(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()
) -> Iterator[str]:
    """Lines of a table with aligned columns; columns in ``right`` are right-aligned."""
    table = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    to_right = set(right)
    for row in table:
        cells = (
            cell.rjust(width) if i in to_right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
