"""Aligned columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


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
