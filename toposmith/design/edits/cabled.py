"""Edits of the lists of single cables and of named sets."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from toposmith.design.document import MAX_SINGLE_CABLES, Design, SingleCable
from toposmith.design.edits.edit import Edit, changed
from toposmith.design.selectors import parse_selector
from toposmith.errors import EditError


def replace_cables(
    design: Design, entries: Collection[int], added: Sequence[SingleCable], label: str
) -> Edit:
    """Replace entries of the list of single cables by others.

    Raises
    ------
    EditError
        If the list would be too long.
    """
    kept = tuple(cable for at, cable in enumerate(design.cables) if at not in entries)
    if len(kept) + len(added) > MAX_SINGLE_CABLES:
        raise EditError(f"a file lists at most {MAX_SINGLE_CABLES:,} single cables")
    return Edit(changed(design, cables=(*kept, *added)), label)


def put_back(design: Design, entry: int) -> Edit:
    """Remove a single cable from the list: its link deals its port again.

    Raises
    ------
    EditError
        If there is no such entry.
    """
    if not 0 <= entry < len(design.cables):
        raise EditError(f"there is no single cable {entry}; the design has {len(design.cables)}")
    cable = design.cables[entry]
    return replace_cables(design, {entry}, (), f"{cable.a}: cabled as its link says")


def name_set(design: Design, name: str, selectors: Sequence[str]) -> Edit:
    """Name a set of things that fail or are serviced together; replaces a set of that name.

    Raises
    ------
    EditError
        If a selector matches nothing, there is none, or the name is invalid.
    """
    for selector in selectors:
        try:
            parse_selector(selector, design)
        except ValueError as error:
            raise EditError(str(error)) from None
    if not selectors:
        raise EditError("a set has at least one selector, like node[node=0]")
    sets = {**design.sets, name: tuple(selectors)}
    return Edit(changed(design, sets=sets), f"set {name}: {', '.join(selectors)}")


def drop_set(design: Design, name: str) -> Edit:
    """Remove the name of a set; its devices stay.

    Raises
    ------
    EditError
        If there is no such set.
    """
    if name not in design.sets:
        known = ", ".join(design.sets) or "none"
        raise EditError(f"there is no set {name!r} (sets: {known})")
    sets = {other: of for other, of in design.sets.items() if other != name}
    return Edit(changed(design, sets=sets), f"set {name} is no more")
