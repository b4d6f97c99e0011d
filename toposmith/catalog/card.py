"""A part as text: the rows of its card and its one line in a list."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.folders import part_warnings
from toposmith.catalog.kinds import kind_of
from toposmith.catalog.parts import Part

UNVERIFIED = "unverified"

_ORDERED_BY = {
    *("vendor", "part_number", "part_numbers", "family"),
    *("ordering_number", "ordering_numbers", "end_of_sale"),
}
"""Fields that say how a part is ordered, behind what it can do."""


def part_card(part: Part, catalog: Catalog) -> list[tuple[str, str, str]]:
    """Return the rows of a part's card.

    Parameters
    ----------
    part : Part
        The part to show.
    catalog : Catalog
        Where the GPU and the NICs of a node get their names from.

    Returns
    -------
    list of tuple of str
        Label with its unit, value or "unknown", and a mark: the figure's own source where it has
        one, "unverified" before it where that source may be wrong, empty where the part's source
        applies. That source is a row near the end, after conflicting sources and notes.
    """
    rows = [(label, value, _mark(part, field)) for field, label, value in _rows(part, catalog)]
    rows += [("Disagrees", f"{field}: {said}", "") for field, said in part.conflicts.items()]
    rows += [("Mind", warning, "") for warning in part_warnings(part, catalog)]
    rows.append(("Source", part.source, ""))
    if part.note:
        rows.append(("Note", part.note, ""))
    return rows


def one_line(part: Part, catalog: Catalog | None = None) -> str:
    """Say in a few words what a part is, such as ``64 x 400 Gb/s, OSFP``.

    With a catalog, a node's GPUs and NICs show by name and rate instead of by id.
    """
    return kind_of(part).line(part, catalog)


def _mark(part: Part, field: str) -> str:
    """Say where a figure is from when that is not simply the part's source."""
    steps = field.split(".")
    # What is said of "slots" holds for "slots.compute" too.
    paths = [".".join(steps[:n]) for n in range(len(steps), 0, -1)]
    own = next((part.sources[path] for path in paths if path in part.sources), "")
    doubt = UNVERIFIED if any(path in part.unverified for path in paths) else ""
    return ": ".join(filter(None, [doubt, own]))


def _rows(part: Part, catalog: Catalog) -> Iterator[tuple[str, str, str]]:
    yield "name", "Name", part.name
    rows = [("vendor", "Vendor", part.vendor), *kind_of(part).rows(part, catalog)]
    for field, label, value in sorted(rows, key=lambda row: row[0] in _ORDERED_BY):
        if value is not None:
            yield field, label, value
