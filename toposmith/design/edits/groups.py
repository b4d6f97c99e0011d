"""Edits of device groups: adding, removing, renaming; their part, count and axes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toposmith.design.document import Design, FittedNics, Group
from toposmith.design.edits.bound_devices import renamed_binding, repeated_binding
from toposmith.design.edits.edit import (
    Edit,
    altered,
    changed,
    check_axes,
    ends_of,
    free_name,
    group_of,
    made,
    with_group,
    with_places_moved,
)
from toposmith.design.edits.moved_selectors import (
    carried_marks,
    lost_faults_words,
    newer_marks,
    renamed_placement,
)
from toposmith.design.group_positions import renamed_view
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
