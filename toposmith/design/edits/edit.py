"""The type of an edit, and helpers of all edits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from pydantic import BaseModel, ValidationError

from toposmith.cancellation import go_on
from toposmith.design.document import LATER_KEYS, Design, Group, Link, version_needed
from toposmith.design.edits.moved_selectors import (
    carried,
    carried_marks,
    kept_placement,
)
from toposmith.design.selectors import (
    axis_size,
    group_axes,
    readable_selector,
)
from toposmith.errors import EditError
from toposmith.text import counted

_ENTRIES_A_STEP = 4
"""Groups, links and selectors of a document that are checked again in a step, as by each edit."""

_SUFFIX = re.compile(r"^(?P<stem>.*?)(?P<number>\d*)$")


@dataclass(frozen=True)
class Edit:
    """A design after a change, and the change in words ("wire leaf to spine, 2 cables")."""

    design: Design
    label: str


def free_name(design: Design, wanted: str) -> str:
    """``wanted``, or with the first free number where a group or axis has this name."""
    taken = {*design.groups, *design.axes}
    if wanted not in taken:
        return wanted
    match = _SUFFIX.match(wanted)
    stem = match["stem"] if match else wanted
    number = 2
    while f"{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


def group_of(design: Design, name: str) -> Group:
    """The group of this name; raises EditError with the names that there are."""
    if name not in design.groups:
        known = ", ".join(design.groups) or "none yet"
        raise EditError(f"there is no group {name!r} (groups: {known})")
    return design.groups[name]


def link_of(design: Design, index: int) -> Link:
    """The link at this place; raises EditError where there is none."""
    if not 0 <= index < len(design.links):
        raise EditError(f"there is no link {index}; the design has {len(design.links)}")
    return design.links[index]


def check_dealt(design: Design, dealt: object, what: str) -> None:
    """Raise EditError where links that deal node ports are not named by their places."""
    if not isinstance(dealt, Collection) or isinstance(dealt, str):
        raise EditError(f"{what} has links by their places, such as {{0}}, found {dealt!r}")
    for index in dealt:
        if not isinstance(index, int):
            raise EditError(f"{what} has links by their places, 0 for the first, found {index!r}")
        link_of(design, index)


def with_group(design: Design, name: str, group: Group) -> Design:
    """The design with a group added or replaced."""
    return changed(design, groups={**design.groups, name: group})


def check_axes(design: Design, per: tuple[str, ...]) -> None:
    """Raise EditError where a group cannot repeat over these axes."""
    missing = [axis for axis in per if axis not in design.axes]
    if missing:
        known = ", ".join(design.axes) or "none yet"
        raise EditError(f"there is no axis {missing[0]!r} (axes: {known})")
    if len(set(per)) != len(per):
        raise EditError("an axis can be named once only")


def ends_of(link: Link) -> list[str]:
    """The groups at the two ends of a link."""
    return [end.partition(".")[0] for end in link.between]


def changed(design: Design, **changes: Any) -> Design:
    """The design with other values; raises EditError where the document forbids them."""
    blocks = (design.groups, design.links, design.absent, design.down, design.slow, design.cables)
    go_on(1 + sum(map(len, blocks)) // _ENTRIES_A_STEP)
    new: Design = made(Design, **{**dict(design), **changes})
    if not {*LATER_KEYS, "links"}.isdisjoint(changes):
        new = new.model_copy(update={"toposmith": version_needed(new)})
    return new.bound_to(design.binding).priced_by(design.price_lists)


def altered(block: BaseModel, **changes: Any) -> Any:
    """A group or link with other values; raises EditError where the document forbids them."""
    return made(type(block), **{**dict(block), **changes})


def made(kind: Any, **values: Any) -> Any:
    """Build a block; raises EditError with a sentence for what pydantic refuses."""
    try:
        return kind(**values)
    except ValidationError as error:
        raise EditError(_sentence(error, values)) from error


def _sentence(error: ValidationError, values: Mapping[str, Any]) -> str:
    first = error.errors()[0]
    key = ".".join(str(step) for step in first["loc"]) or "value"
    limits = first.get("ctx", {})
    if "ge" in limits:
        return f"{key} must be at least {limits['ge']}, found {first['input']!r}"
    if "le" in limits:
        return f"{key} can be at most {limits['le']}, found {first['input']!r}"
    if first["type"].startswith("int_"):
        return f"{key} is a whole number, found {first['input']!r}"
    if "pattern" in limits:
        return f"{first['input']!r} is not a name: a letter, then letters, digits, - or _"
    return f"{key}: {first['msg']}, found {first['input']!r}"


def pairs(design: Design, index: int) -> int:
    """The number of pairs of devices that a link joins."""
    a, b = ends_of(design.links[index])
    axes = {*group_axes(design, a), *group_axes(design, b)}
    return prod(axis_size(design, axis) for axis in axes)


def links_at(design: Design, name: str) -> list[int]:
    """The links that end at a group, by their places."""
    return [index for index, link in enumerate(design.links) if name in ends_of(link)]


def other_end(design: Design, index: int, name: str) -> str:
    """The group at the other end of a link."""
    a, b = ends_of(design.links[index])
    return b if a == name else a


def with_cables(design: Design, cables: dict[int, int | None]) -> Design:
    """The design with other cables between each pair of some links."""
    links = tuple(
        altered(link, cables=cables[index]) if index in cables else link
        for index, link in enumerate(design.links)
    )
    return changed(design, links=links)


def with_totals_kept(before: Design, after: Design, links: Iterable[int]) -> Design:
    """The design ``after`` with the total of cables of its links as before, rounded to whole ones.

    So the capacity between two tiers stays, and with it the oversubscription.
    """
    cables: dict[int, int | None] = {}
    for index in links:
        each = before.links[index].cables or 1
        now = max(1, round(each * pairs(before, index) / pairs(after, index)))
        cables[index] = before.links[index].cables if now == each else now
    return with_cables(after, cables)


def without_unused_axes(before: Design, after: Design) -> Design:
    """The design after without the axes that groups used before and none uses now."""
    used_before = {axis for group in before.groups.values() for axis in group.per}
    used = {axis for group in after.groups.values() for axis in group.per}
    axes = {k: size for k, size in after.axes.items() if k in used or k not in used_before}
    return after if axes == after.axes else changed(after, axes=axes)


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
    kept = tuple(text for text in design.absent if not _emptied(text, design, name))
    last = [(axis, design.axes[axis] - 1, design.axes[axis] - 1) for axis in group.per]
    words = [f"{axis}={low}" for axis, low, _ in last]
    span = f"{group.count - empty}" + f"..{group.count - 1}" * (empty > 1)
    added = (f"{name}[{','.join([*words, f'{name}={span}'])}]",) if empty else ()
    places = counted(empty, "empty place")
    return Edit(changed(design, absent=(*kept, *added)), f"{name}: {places}")


def empty_places(design: Design, name: str) -> int:
    """The number of empty places at the end of a group's last unit."""
    group_of(design, name)
    return next(filter(None, (_emptied(text, design, name) for text in design.absent)), 0)


def with_places_moved(before: Design, after: Design, *, always: bool = False) -> Design:
    """The design after a change of counts or axes: what was empty at the end is so still.

    Empty places stay where they are as long as there is such a place, unless they ``always`` move
    to the new end. Other selectors keep what they name of the devices that are still there.
    """
    own = [
        text
        for text in before.absent
        if any(_emptied(text, before, name) for name in before.groups)
        and (always or readable_selector(text, after) is None)
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


def _emptied(text: str, design: Design, name: str) -> int:
    """The empty places that a selector makes at the end of the last unit, and nowhere else."""
    selector = readable_selector(text, design)
    if selector is None or selector.is_cable or selector.first.ports is not None:
        return 0
    ranges = {axis: (low, high) for axis, low, high in selector.first.ranges}
    last = {axis: axis_size(design, axis) - 1 for axis in group_axes(design, name)}
    if selector.first.group != name or {axis: high for axis, (_, high) in ranges.items()} != last:
        return 0
    own = ranges.pop(name)
    return own[1] - own[0] + 1 if all(low == high for low, high in ranges.values()) else 0
