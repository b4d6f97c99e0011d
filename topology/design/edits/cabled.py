"""Single cables listed and taken off the list, and sets named."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from toposmith.topology.design.document import MAX_SINGLE_CABLES, Design, SingleCable
from toposmith.topology.design.edits.edit import Edit, changed
from toposmith.topology.design.selectors import parse_selector
from toposmith.topology.errors import EditError


def replace_cables(
    design: Design, entries: Collection[int], added: Sequence[SingleCable], label: str
) -> Edit:
    """List single cables in the place of some entries."""
    kept = tuple(cable for at, cable in enumerate(design.cables) if at not in entries)
    if len(kept) + len(added) > MAX_SINGLE_CABLES:
        raise EditError(f"a file lists at most {MAX_SINGLE_CABLES:,} single cables")
    return Edit(changed(design, cables=(*kept, *added)), label)


def put_back(design: Design, entry: int) -> Edit:
    """Take a single cable off the list: its port goes where its link deals it again."""
    if not 0 <= entry < len(design.cables):
        raise EditError(f"there is no single cable {entry}; the design has {len(design.cables)}")
    cable = design.cables[entry]
    return replace_cables(design, {entry}, (), f"{cable.a}: cabled as its link says")


def name_set(design: Design, name: str, selectors: Sequence[str]) -> Edit:
    """Give what fails or is serviced together a name; a set of that name gives way.

    Raises
    ------
    EditError
        If a selector names nothing of the design, there is none, or the name cannot be one.
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
    """Take the name of a set away; what is in it stays."""
    if name not in design.sets:
        known = ", ".join(design.sets) or "none"
        raise EditError(f"there is no set {name!r} (sets: {known})")
    sets = {other: of for other, of in design.sets.items() if other != name}
    return Edit(changed(design, sets=sets), f"set {name} is no more")
