"""Every change that a person can make to a design: values in, a new design out.

Each edit returns an :class:`Edit`, the changed design with a sentence for the history, and raises
:class:`~topology.errors.EditError` where the document itself forbids the change. Whether the parts
fit (ports, speeds) is judged with the catalog, by the workbench.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from topology.design.document import Design, FittedNics, Group, Link
from topology.design.view import renamed_view
from topology.errors import EditError

_SUFFIX = re.compile(r"^(?P<stem>.*?)(?P<number>\d*)$")


@dataclass(frozen=True)
class Edit:
    """A design after a change, and the change in words ("wire leaf to spine, 2 cables")."""

    design: Design
    label: str


def add_group(
    design: Design, part: str, *, name: str, count: int = 1, per: tuple[str, ...] = ()
) -> Edit:
    """Add a device group; ``name`` gets a number behind it where it is taken."""
    free = free_name(design, name)
    group = _made(Group, part=part, per=per, count=count)
    _check_axes(design, per)
    groups = {**design.groups, free: group}
    return Edit(_changed(design, groups=groups), f"add {free}, {count} x {part}")


def remove_group(design: Design, name: str) -> Edit:
    """Remove a group with its links and the selectors that name it."""
    _group(design, name)
    groups = {key: group for key, group in design.groups.items() if key != name}
    links = tuple(link for link in design.links if name not in _ends(link))
    return Edit(
        _changed(
            design,
            groups=groups,
            links=links,
            absent=_without(design.absent, name),
            down=_without(design.down, name),
            view=renamed_view(design.view, name, None),
        ),
        f"delete {name}",
    )


def set_count(design: Design, name: str, count: int) -> Edit:
    """Change how many devices a group has (for each combination of its ``per`` axes)."""
    group = _with(_group(design, name), count=count)
    return Edit(_with_group(design, name, group), f"{name}: count {count}")


def set_part(design: Design, name: str, part: str) -> Edit:
    """Replace a group's part, keeping its links; NICs fitted by hand stay."""
    group = _with(_group(design, name), part=part)
    return Edit(_with_group(design, name, group), f"{name}: part {part}")


def set_per(design: Design, name: str, per: tuple[str, ...]) -> Edit:
    """Change the axes over which a group repeats."""
    _check_axes(design, per)
    group = _with(_group(design, name), per=per)
    over = " x ".join(per) or "nothing"
    return Edit(_with_group(design, name, group), f"{name}: repeat per {over}")


def fit_nics(design: Design, name: str, slots: str, part: str, count: int) -> Edit:
    """Fit NICs into a slot group of a node; a count of 0 leaves its slots empty."""
    group = _group(design, name)
    fitted = _made(FittedNics, part=part, count=count)
    changed = _with(group, nics={**group.nics, slots: fitted})
    return Edit(_with_group(design, name, changed), f"{name}.{slots}: fit {count} x {part}")


def rename_group(design: Design, name: str, new: str) -> Edit:
    """Give a group another name, in its links and selectors too."""
    group = _group(design, name)
    if new == name:
        return Edit(design, f"rename {name}")
    if new in design.groups or new in design.axes:
        raise EditError(f"the name {new!r} is taken; choose another")
    groups = {(new if key == name else key): value for key, value in design.groups.items()}
    groups[new] = group
    pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    links = tuple(
        link.model_copy(update={"between": tuple(_renamed(e, name, new) for e in link.between)})
        for link in design.links
    )
    return Edit(
        _changed(
            design,
            groups=groups,
            links=links,
            absent=tuple(pattern.sub(new, text) for text in design.absent),
            down=tuple(pattern.sub(new, text) for text in design.down),
            view=renamed_view(design.view, name, new),
        ),
        f"rename {name} to {new}",
    )


def add_link(design: Design, a: str, b: str, *, cables: int | None = None) -> Edit:
    """Wire two groups; without ``cables`` a node's ports are dealt evenly over its peers."""
    for end in (a, b):
        _group(design, end.partition(".")[0])
    if a.partition(".")[0] == b.partition(".")[0]:
        raise EditError(f"{a} cannot be wired to itself; wire it to another group")
    link = _made(Link, between=(a, b), cables=cables)
    how = "" if cables is None else f", {cables} cable{'s' if cables > 1 else ''}"
    return Edit(_changed(design, links=(*design.links, link)), f"wire {a} to {b}{how}")


def set_cables(design: Design, index: int, cables: int | None) -> Edit:
    """Change the cables from each instance to each peer; None deals a node's ports evenly."""
    link = _with(_link(design, index), cables=cables)
    links = tuple(link if i == index else old for i, old in enumerate(design.links))
    how = "even" if cables is None else str(cables)
    return Edit(_changed(design, links=links), f"{' - '.join(link.between)}: cables {how}")


def remove_link(design: Design, index: int) -> Edit:
    """Remove a link; the groups stay."""
    gone = _link(design, index)
    links = tuple(link for i, link in enumerate(design.links) if i != index)
    return Edit(_changed(design, links=links), f"unwire {' - '.join(gone.between)}")


def set_axis(design: Design, axis: str, size: int | None) -> Edit:
    """Add an axis, change how many values it has, or (None) remove one that nothing uses."""
    if axis in design.groups:
        raise EditError(f"{axis!r} is a group; change its count instead")
    if size is None:
        if axis not in design.axes:
            known = ", ".join(design.axes) or "none yet"
            raise EditError(f"there is no axis {axis!r} (axes: {known})")
        users = [name for name, group in design.groups.items() if axis in group.per]
        if users:
            raise EditError(f"axis {axis!r} is used by {', '.join(users)}")
        axes = {key: value for key, value in design.axes.items() if key != axis}
        return Edit(_changed(design, axes=axes), f"remove axis {axis}")
    changed = _changed(design, axes={**design.axes, axis: size})
    return Edit(changed, f"axis {axis}: {size}")


def set_name(design: Design, name: str) -> Edit:
    """Give the design another name."""
    return Edit(_changed(design, name=name), f"name the design {name!r}")


def set_note(design: Design, note: str | None, *, group: str | None = None) -> Edit:
    """Change the note of the design, or of one of its groups."""
    if group is None:
        return Edit(_changed(design, note=note), "change the design's note")
    changed = _with(_group(design, group), note=note)
    return Edit(_with_group(design, group, changed), f"change the note of {group}")


def free_name(design: Design, wanted: str) -> str:
    """``wanted``, or the same with the first free number where a group or axis bears it."""
    taken = {*design.groups, *design.axes}
    if wanted not in taken:
        return wanted
    match = _SUFFIX.match(wanted)
    stem = match["stem"] if match else wanted
    number = 2
    while f"{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


def _group(design: Design, name: str) -> Group:
    if name not in design.groups:
        known = ", ".join(design.groups) or "none yet"
        raise EditError(f"there is no group {name!r} (groups: {known})")
    return design.groups[name]


def _link(design: Design, index: int) -> Link:
    if not 0 <= index < len(design.links):
        raise EditError(f"there is no link {index}; the design has {len(design.links)}")
    return design.links[index]


def _with_group(design: Design, name: str, group: Group) -> Design:
    return _changed(design, groups={**design.groups, name: group})


def _check_axes(design: Design, per: tuple[str, ...]) -> None:
    missing = [axis for axis in per if axis not in design.axes]
    if missing:
        known = ", ".join(design.axes) or "none yet"
        raise EditError(f"there is no axis {missing[0]!r} (axes: {known})")
    if len(set(per)) != len(per):
        raise EditError("an axis can be named once only")


def _ends(link: Link) -> list[str]:
    return [end.partition(".")[0] for end in link.between]


def _renamed(end: str, name: str, new: str) -> str:
    group, dot, slots = end.partition(".")
    return f"{new if group == name else group}{dot}{slots}"


def _without(selectors: tuple[str, ...], name: str) -> tuple[str, ...]:
    pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    return tuple(text for text in selectors if not pattern.search(text))


def _changed(design: Design, **changes: Any) -> Design:
    changed: Design = _made(Design, **{**dict(design), **changes})
    return changed


def _with(block: Group | Link, **changes: Any) -> Any:
    return _made(type(block), **{**dict(block), **changes})


def _made(kind: Any, **values: Any) -> Any:
    """Build a block, turning what pydantic refuses into a sentence."""
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
    if "pattern" in limits:
        return f"{first['input']!r} is not a name: a letter, then letters, digits, - or _"
    return f"{key}: {first['msg']}, found {first['input']!r}"
