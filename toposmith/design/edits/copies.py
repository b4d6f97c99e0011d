"""Copies of groups, within a design and from one design into another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toposmith.design.document import Design, Group, Link
from toposmith.design.edits.edit import (
    Edit,
    altered,
    changed,
    ends_of,
    free_name,
    group_of,
)
from toposmith.design.edits.groups import renamed_end
from toposmith.design.edits.moved_selectors import copied_placement
from toposmith.design.group_positions import copied_view
from toposmith.errors import EditError


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
