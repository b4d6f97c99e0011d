"""Edits of device groups: adding, removing, renaming; their part, count and axes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.design.edits.bound_devices import followed_binding, renamed_binding, repeated_binding
from toposmith.design.edits.edit import (
    Edit,
    altered,
    changed,
    check_axes,
    ends_of,
    free_name,
    group_of,
    links_at,
    made,
    with_cables,
    with_group,
    with_places_moved,
)
from toposmith.design.edits.moved_selectors import (
    Move,
    carried_marks,
    copied_placement,
    follow,
    followed_placement,
    lost_faults_words,
    newer_marks,
    renamed_placement,
)
from toposmith.design.group_positions import copied_view, renamed_view
from toposmith.errors import EditError


def add_group(
    design: Design, part: str, *, name: str, count: int = 1, per: tuple[str, ...] = ()
) -> Edit:
    """Add a device group; ``name`` gets a number behind it where it is taken."""
    free = free_name(design, name)
    group = made(Group, part=part, per=per, count=count)
    check_axes(design, per)
    groups = {**design.groups, free: group}
    return Edit(changed(design, groups=groups), f"add {free}, {count} x {part}")


def remove_group(design: Design, name: str) -> Edit:
    """Remove a group with its links and the selectors that name it."""
    group_of(design, name)
    groups = {key: group for key, group in design.groups.items() if key != name}
    links = tuple(link for link in design.links if name not in ends_of(link))
    without = changed(design, groups=groups, links=links)
    return Edit(
        changed(
            without,
            absent=without_selectors_of(design.absent, name),
            down=without_selectors_of(design.down, name),
            **newer_marks(design, lambda texts: without_selectors_of(texts, name)),
            view=renamed_view(design.view, name, None),
            placement=renamed_placement(design, name, None),
        ),
        f"delete {name}{lost_faults_words(design, without)}",
    )


def set_count(design: Design, name: str, count: int) -> Edit:
    """Change how many devices a group has (for each combination of its ``per`` axes).

    Empty places at the end are kept; faults of removed devices are removed.
    """
    group = altered(group_of(design, name), count=count)
    resized = with_places_moved(design, with_group(design, name, group))
    return Edit(resized, f"{name}: count {count}{lost_faults_words(design, resized)}")


def set_part(design: Design, name: str, part: str) -> Edit:
    """Replace a group's part, keeping its links; NICs fitted by hand stay."""
    group = altered(group_of(design, name), part=part)
    return Edit(with_group(design, name, group), f"{name}: part {part}")


def set_per(design: Design, name: str, per: tuple[str, ...]) -> Edit:
    """Change the axes over which a group repeats."""
    check_axes(design, per)
    after = with_group(design, name, altered(group_of(design, name), per=per))
    after = changed(after, **carried_marks(design, after))
    over = " x ".join(per) or "nothing"
    label = f"{name}: repeat per {over}{lost_faults_words(design, after)}"
    return Edit(after.bound_to(repeated_binding(design, name, per)), label)


def fit_nics(design: Design, name: str, slots: str, part: str, count: int) -> Edit:
    """Fit NICs into a slot group of a node; a count of 0 leaves its slots empty."""
    group = group_of(design, name)
    fitted = made(FittedNics, part=part, count=count)
    with_nics = altered(group, nics={**group.nics, slots: fitted})
    return Edit(with_group(design, name, with_nics), f"{name}.{slots}: fit {count} x {part}")


def rename_group(design: Design, name: str, new: str) -> Edit:
    """Rename a group, also in its links and selectors.

    Raises
    ------
    EditError
        If the name is taken, or there is no such group.
    """
    group = group_of(design, name)
    if new == name:
        return Edit(design, f"rename {name}")
    if new in design.groups or new in design.axes:
        raise EditError(f"the name {new!r} is taken; choose another")
    groups = {(new if key == name else key): value for key, value in design.groups.items()}
    groups[new] = group
    pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")

    def renamed(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(pattern.sub(new, text) for text in texts)

    links = tuple(
        link.model_copy(
            update={
                "between": tuple(renamed_end(e, name, new) for e in link.between),
                "along": {new if axis == name else axis: w for axis, w in link.along.items()},
            }
        )
        for link in design.links
    )
    waivers = tuple(
        waiver.model_copy(update={"where": pattern.sub(new, waiver.where)})
        if waiver.where
        else waiver
        for waiver in design.waivers
    )
    after = changed(
        design,
        groups=groups,
        links=links,
        absent=renamed(design.absent),
        down=renamed(design.down),
        **newer_marks(design, renamed),
        waivers=waivers,
        view=renamed_view(design.view, name, new),
        placement=renamed_placement(design, name, new),
    )
    return Edit(
        after.bound_to(renamed_binding(design, name, new)),
        f"rename {name} to {new}",
    )


def renamed_end(end: str, name: str, new: str) -> str:
    """The end of a link with its group renamed where it is of this name."""
    group, dot, slots = end.partition(".")
    return f"{new if group == name else group}{dot}{slots}"


def without_selectors_of(selectors: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The selectors that do not name a group."""
    pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    return tuple(text for text in selectors if not pattern.search(text))


def remove_groups(design: Design, names: Sequence[str]) -> Edit:
    """Remove several groups with their links, as one step."""
    after = design
    for name in names:
        after = remove_group(after, name).design
    return Edit(after, f"delete {', '.join(names)}{lost_faults_words(design, after)}")


def set_counts(design: Design, names: Sequence[str], count: int) -> Edit:
    """Give several groups the same count, as one step."""
    after = design
    for name in names:
        after = set_count(after, name, count).design
    return Edit(after, f"{', '.join(names)}: count {count}{lost_faults_words(design, after)}")


def set_parts(design: Design, names: Sequence[str], part: str) -> Edit:
    """Give several groups the same part, as one step."""
    for name in names:
        design = set_part(design, name, part).design
    return Edit(design, f"{', '.join(names)}: part {part}")


def replace_part(design: Design, old: str, new: str) -> Edit:
    """Replace a part wherever it is used: as the part of groups, and among NICs fitted.

    Raises
    ------
    EditError
        If no group uses it.
    """
    groups, where = dict(design.groups), []
    for name, group in design.groups.items():
        nics = {
            slots: altered(fitted, part=new) if fitted.part == old else fitted
            for slots, fitted in group.nics.items()
        }
        part = new if group.part == old else group.part
        if part != group.part or nics != group.nics:
            groups[name] = altered(group, part=part, nics=nics)
            where.append(name)
    if not where:
        raise EditError(f"no group uses {old!r}")
    return Edit(changed(design, groups=groups), f"replace {old} by {new} in {', '.join(where)}")


# Splitting a group in two, and merging two equal ones.


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


# Copies of groups, within a design and from one design into another.


def copy_groups(design: Design, names: Sequence[str]) -> Design:
    """A design of some groups alone: their places, the links among them, the axes they use."""
    groups = {name: group_of(design, name) for name in names}
    used = {axis for group in groups.values() for axis in group.per}
    return Design(
        name=design.name,
        axes={axis: size for axis, size in design.axes.items() if axis in used},
        groups=groups,
        links=tuple(link for link in design.links if set(ends_of(link)) <= set(groups)),
        view=copied_view(None, {name: name for name in groups}, design.view),
    )


def paste(design: Design, copied: Design) -> Edit:
    """Add the groups of a copy with the links among them; names that are taken get a number.

    An axis of the same name and size is shared; one of another size gets a new name.

    Raises
    ------
    EditError
        If nothing was copied.
    """
    if not copied.groups:
        raise EditError("nothing was copied yet")
    axes = dict(design.axes)
    axis_names: dict[str, str] = {}
    for axis, size in copied.axes.items():
        shares = axis in axes and axes[axis] == size
        axis_names[axis] = axis if shares else free_name(changed(design, axes=axes), axis)
        axes[axis_names[axis]] = size
    after = changed(design, axes=axes)
    names: dict[str, str] = {}
    for name, group in copied.groups.items():
        names[name] = free_name(after, name)
        per = tuple(axis_names[axis] for axis in group.per)
        after = _with_groups(after, {names[name]: altered(group, per=per)})
    renamed = {**axis_names, **names}
    links = tuple(_between(link, names, renamed) for link in copied.links)
    view = copied_view(after.view, names, copied.view)
    after = changed(after, links=(*after.links, *links), view=view)
    wires = f" with {len(links)} link{'s' if len(links) > 1 else ''}" if links else ""
    return Edit(after, f"paste {', '.join(names.values())}{wires}")


def duplicate_groups(design: Design, names: Sequence[str], *, wired: bool = True) -> Edit:
    """Copy groups of a design, with the links among them.

    Parameters
    ----------
    design : Design
        The design.
    names : sequence of str
        The groups.
    wired : bool
        Whether a copy is wired to the rest of the fabric as its original is.
    """
    copies: dict[str, str] = {}
    after = design
    for name in names:
        copies[name] = free_name(after, name)
        after = _with_groups(after, {copies[name]: group_of(design, name)})
    links = [
        _between(link, copies, copies if len(set(ends_of(link))) == 1 else {})
        for link in design.links
        if (touched := copies.keys() & set(ends_of(link)))
        and (wired or len(touched) == len(set(ends_of(link))))
    ]
    how = "" if wired else ", not wired to the rest"
    words = f"duplicate {', '.join(names)} as {', '.join(copies.values())}{how}"
    placement = copied_placement(design, copies)
    view = copied_view(design.view, copies, design.view)
    after = changed(after, links=(*after.links, *links), placement=placement, view=view)
    return Edit(after, words)


def fill(design: Design, filling: Design, label: str) -> Edit:
    """Fill an empty design with the groups of another; it keeps its name and note.

    Raises
    ------
    EditError
        If the design has groups already.
    """
    if design.groups:
        raise EditError("the canvas is not empty; begin with a new one (N)")
    kept = {"name": design.name or filling.name, "note": design.note or filling.note}
    return Edit(changed(filling, **kept, view=design.view), label)


def _between(link: Link, names: Mapping[str, str], axes: Mapping[str, str]) -> Link:
    between = link.between
    along = {axes.get(axis, axis): word for axis, word in link.along.items()}
    for old, new in names.items():
        if old in ends_of(link):
            between = (_end(between[0], link.between[0], old, new),
                       _end(between[1], link.between[1], old, new))  # fmt: skip
    wire: Link = altered(link, between=between, along=along)
    return wire


def _end(now: str, before: str, old: str, new: str) -> str:
    return renamed_end(before, old, new) if before.partition(".")[0] == old else now


def _with_groups(design: Design, groups: Mapping[str, Group]) -> Design:
    return changed(design, groups={**design.groups, **groups})
