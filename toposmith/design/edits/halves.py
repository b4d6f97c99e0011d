"""Splitting a group in two, and merging two equal ones."""

from __future__ import annotations

from collections.abc import Mapping

from toposmith.design.document import Design, Link
from toposmith.design.edits.bound_devices import followed_binding
from toposmith.design.edits.edit import (
    Edit,
    altered,
    changed,
    ends_of,
    free_name,
    group_of,
    links_at,
    with_cables,
)
from toposmith.design.edits.groups import renamed_end
from toposmith.design.edits.moved_selectors import Move, follow, followed_placement, newer_marks
from toposmith.design.group_positions import copied_view, renamed_view
from toposmith.errors import EditError


def split_group(
    design: Design, name: str, first: int, *, cables: Mapping[int, int] | None = None
) -> Edit:
    """Split a group in two with the same wiring, so that each can be edited separately.

    Parameters
    ----------
    design : Design
        The design.
    name : str
        The group; it keeps its first devices.
    first : int
        Devices that it keeps for each combination of its axes.
    cables : mapping of int to int, optional
        For links whose node ports are dealt over this group, the cables of each pair: they are
        stated in the design, since they would be dealt over fewer devices.

    Raises
    ------
    EditError
        If nothing would be left on one side.
    """
    group = group_of(design, name)
    if group.count < 2:
        each = f" for each {' and '.join(group.per)}" if group.per else ""
        raise EditError(f"{name} has only one device{each}: nothing to split")
    if not 1 <= first < group.count:
        raise EditError(f"the first part can have 1 to {group.count - 1}, found {first}")
    second, rest = free_name(design, name), group.count - first
    written = with_cables(design, {**(cables or {})})
    groups = {}
    for key, value in design.groups.items():
        groups[key] = altered(value, count=first) if key == name else value
        if key == name:
            groups[second] = altered(group, count=rest)
    links = [_with_end(written.links[index], name, second) for index in links_at(design, name)]
    move = Move(
        name,
        (name,),
        lambda at: (name, at) if at[0] < first else (second, (at[0] - first,)),
        {name: ((name, first),), second: ((second, rest),)},
    )
    after = changed(
        written,
        groups=groups,
        links=(*written.links, *links),
        absent=follow(design.absent, design, move),
        down=follow(design.down, design, move),
        **newer_marks(design, lambda texts: follow(texts, design, move)),
        view=copied_view(design.view, {name: second}, design.view),
        placement=followed_placement(design, move),
    )
    after = after.bound_to(followed_binding(design, move))
    return Edit(after, f"split {name} into {first} and {rest} ({second})")


def merge_groups(design: Design, first: str, second: str) -> Edit:
    """Merge a group into another with the same part, axes, NICs and links.

    Raises
    ------
    EditError
        If the two differ; says in what.
    """
    a, b = group_of(design, first), group_of(design, second)
    if first == second:
        raise EditError(f"{first} is only one group; mark another")
    for what, one, other in (
        ("part", a.part, b.part),
        ("axes", " x ".join(a.per) or "none", " x ".join(b.per) or "none"),
        ("NICs", a.nics, b.nics),
        ("note", a.note, b.note),
    ):
        if one != other:
            found = f": {one} and {other}" if isinstance(one, str) else ""
            raise EditError(f"{first} and {second} differ in their {what}{found}")
    if any(set(ends_of(link)) == {first, second} for link in design.links):
        raise EditError(f"{first} and {second} are wired to each other")
    mine = [_with_end(design.links[index], first, second) for index in links_at(design, first)]
    theirs = [design.links[index] for index in links_at(design, second)]
    if sorted(map(repr, mine)) != sorted(map(repr, theirs)):
        raise EditError(f"{first} and {second} differ in their links; give both the same first")
    count = a.count + b.count
    groups = {key: value for key, value in design.groups.items() if key != second}
    groups[first] = altered(a, count=count)
    move = Move(
        second, (second,), lambda at: (first, (a.count + at[0],)), {first: ((first, count),)}
    )
    # a selector of the first without its own axis meant the first alone
    own = Move(first, (first,), lambda at: (first, at), {first: ((first, count),)})

    def merged(texts: tuple[str, ...]) -> tuple[str, ...]:
        return follow(follow(texts, design, own), _wider(design, first, count), move)

    after = changed(
        design,
        groups=groups,
        links=tuple(link for link in design.links if second not in ends_of(link)),
        absent=merged(design.absent),
        down=merged(design.down),
        **newer_marks(design, merged),
        view=renamed_view(design.view, second, None),
        placement=followed_placement(design, move),
    )
    after = after.bound_to(followed_binding(design, move))
    return Edit(after, f"merge {second} into {first}")


def _wider(design: Design, name: str, count: int) -> Design:
    group = altered(design.groups[name], count=count)
    return changed(design, groups={**design.groups, name: group})


def _with_end(link: Link, old: str, new: str) -> Link:
    between = tuple(
        renamed_end(end, old, new) if end.partition(".")[0] == old else end for end in link.between
    )
    wire: Link = altered(link, between=between)
    return wire
