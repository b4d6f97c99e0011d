"""Tables of Markdown, and what a page that is made begins with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

MADE = "<!-- Made by `python -m docs.reference.make` from the program; a test holds it to that. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, with an empty one below it."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        cells = (" ".join(cell.split()).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
    yield ""
