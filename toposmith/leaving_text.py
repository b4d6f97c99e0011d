"""Text that leaves the program for others: nothing in it is obeyed where it is opened.

Names, notes and labels are anybody's words. No cell of a table begins with what a spreadsheet takes
for a formula, and no form has a sign that a terminal or an editor would obey.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from toposmith.plain_text import visible

if TYPE_CHECKING:
    from yaml import SafeDumper

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_BEFORE = "'"
_BATCH = 256


def as_cell(text: str) -> str:
    """The text for a cell, with an apostrophe before what would be read as a formula."""
    if text[:1].isalnum() and text.isprintable():
        return text  # by far the most
    shown = visible(text)
    return f"{_BEFORE}{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def of_cell(text: str) -> str:
    """What a cell stands for: the inverse of :func:`as_cell`, as far as a formula goes."""
    is_guarded = text.startswith(_BEFORE) and text[1:].lstrip().startswith(_FORMULA)
    return text[1:] if is_guarded else text


class CellWriter:
    """Writes rows of CSV; text passes through :func:`as_cell`, figures as they are.

    Parameters
    ----------
    out : text stream
        What is written to.
    line_end : str
        After every row.
    """

    def __init__(self, out: IO[str], line_end: str = "\n") -> None:
        self._rows = csv.writer(out, lineterminator=line_end)

    def write_row(self, cells: Iterable[object]) -> None:
        """Write one row."""
        self._rows.writerow([as_cell(c) if isinstance(c, str) else c for c in cells])

    def write_rows(self, rows: Iterable[Sequence[Hashable]]) -> None:
        """Write many rows."""
        rows = iter(rows)
        while batch := list(islice(rows, _BATCH)):
            # names, parts and racks repeat from row to row: each is looked at once
            texts = (cell for cell in set().union(*batch) if isinstance(cell, str))
            if all(as_cell(text) == text for text in texts):
                self._rows.writerows(batch)
                continue
            for cells in batch:
                self.write_row(cells)


def csv_pieces(head: Sequence[str], rows: Iterable[Sequence[Hashable]]) -> Iterator[str]:
    """A table as CSV, in pieces, its head first; cells that would be obeyed are guarded."""
    rows = iter(rows)
    batch = [head, *islice(rows, _BATCH)]
    while batch:
        held = io.StringIO(newline="")
        CellWriter(held).write_rows(batch)
        yield held.getvalue()
        batch = list(islice(rows, _BATCH))


def json_text(
    data: Any, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """Data as JSON; where a sign of it would be obeyed, all beyond ASCII is escaped."""
    text = json.dumps(data, indent=indent, separators=separators, ensure_ascii=False)
    if _is_harmless(text):
        return text
    return json.dumps(data, indent=indent, separators=separators)


def yaml_text(data: Any, dumper: type[SafeDumper] | None = None) -> str:
    """Data as YAML in the order of its keys; signs are escaped as in :func:`json_text`."""
    # YAML is loaded only where it is written
    import yaml

    how: dict[str, Any] = {"Dumper": dumper or yaml.SafeDumper, "sort_keys": False, "width": 100}
    text = str(yaml.dump(data, allow_unicode=True, **how))
    return text if _is_harmless(text) else str(yaml.dump(data, **how))


def _is_harmless(text: str) -> bool:
    return text.replace("\n", "").isprintable()
