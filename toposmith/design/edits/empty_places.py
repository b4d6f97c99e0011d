"""Places of devices that stay empty, as in published designs that use the ports otherwise."""

from __future__ import annotations

from toposmith.design.document import Design
from toposmith.design.edits.edit import Edit, changed, group_of
from toposmith.design.edits.moved_selectors import carried, carried_marks, names_something
from toposmith.design.edits.racked import kept_placement
from toposmith.design.selectors import Selection, parse_selector
from toposmith.errors import EditError
from toposmith.text import counted


def set_empty_places(design: Design, name: str, empty: int) -> Edit:
    """Leave the last devices of a group's last unit out (``absent:``); 0 fills all places again.

    So a DGX H100 SuperPOD has 127 nodes: the ports of the last are used by the fabric manager
    (RA-11333-001).

    Raises
    ------
    EditError
        If the number is out of range.
    """
    group = group_of(design, name)
    if not 0 <= empty < group.count:
        raise EditError(f"{name} can have 0 to {group.count - 1} empty places, found {empty}")
    kept = tuple(text for text in design.absent if not _is_last(text, design, name))
    last = [(axis, design.axes[axis] - 1, design.axes[axis] - 1) for axis in group.per]
    words = [f"{axis}={low}" for axis, low, _ in last]
    span = f"{group.count - empty}" + f"..{group.count - 1}" * (empty > 1)
    added = (f"{name}[{','.join([*words, f'{name}={span}'])}]",) if empty else ()
    places = counted(empty, "empty place")
    return Edit(changed(design, absent=(*kept, *added)), f"{name}: {places}")


def empty_places(design: Design, name: str) -> int:
    """The number of empty places at the end of a group's last unit."""
    group = group_of(design, name)
    for text in design.absent:
        if _is_last(text, design, name):
            selection = parse_selector(text, design).first
            low = next(low for axis, low, _ in selection.ranges if axis == name)
            return group.count - low
    return 0


def with_places_moved(before: Design, after: Design, *, always: bool = False) -> Design:
    """The design after a change of counts or axes: what was empty at the end is so still.

    Empty places stay where they are as long as there is such a place, unless they ``always`` move
    to the new end. Other selectors keep what they name of the devices that are still there.
    """
    own = [
        text
        for text in before.absent
        if any(_is_last(text, before, name) for name in before.groups)
        and (always or not names_something(text, after))
    ]
    lost = before.model_copy(update={"absent": tuple(own)})
    empties = {name: empty_places(lost, name) for name in before.groups}
    rest = tuple(text for text in after.absent if text not in own)
    moved = changed(
        after,
        **{**carried_marks(before, after), "absent": carried(rest, before, after)},
        placement=kept_placement(before, after),
    )
    for name, empty in empties.items():
        if empty and name in moved.groups:
            most = moved.groups[name].count - 1
            moved = set_empty_places(moved, name, min(empty, most)).design
    return moved


def _is_last(text: str, design: Design, name: str) -> bool:
    try:
        selector = parse_selector(text, design)
    except ValueError:
        return False
    return not selector.is_cable and _ends_last_unit(selector.first, design, name)


def _ends_last_unit(selection: Selection, design: Design, name: str) -> bool:
    group = design.groups[name]
    if selection.group != name or selection.ports is not None:
        return False
    ranges = {axis: (low, high) for axis, low, high in selection.ranges}
    if set(ranges) != {*group.per, name} or ranges[name][1] != group.count - 1:
        return False
    return all(ranges[axis] == (design.axes[axis] - 1,) * 2 for axis in group.per)
