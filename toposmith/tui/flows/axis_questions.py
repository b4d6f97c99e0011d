"""Axes: new ones, their sizes, and what repeats over them."""

from __future__ import annotations

import re
from math import prod

from toposmith.design.document import Design
from toposmith.design.edits import Edit, set_axis, set_count, set_per
from toposmith.errors import EditError
from toposmith.foreign_values import whole_number
from toposmith.tui.asking import Asking, Here, TextQuestion, ask, number

_AXIS = re.compile(r"^(?P<axis>[A-Za-z][\w-]*)(?:\s*=\s*(?P<size>\d+))?$")


def new_axis(here: Here) -> Asking:
    """Give the design an axis and its size."""
    return (
        yield from ask(
            TextQuestion(
                "new axis and its size",
                "su=2",
                lambda text: _new_axes(here.design, text),
                "as su=4 or rail=8",
            )
        )
    )


def resize_axis(here: Here, axis: str) -> Asking:
    """Give an axis another size, or take it away."""
    hint = "0 removes an axis that nothing uses"
    now = here.design.axes[axis]
    size = yield from number(f"size of axis {axis}", now, hint=hint, lowest=0)
    return set_axis(here.design, axis, size or None)


def repeat(here: Here, name: str) -> Asking:
    """Say over which axes a group repeats."""
    design = here.design

    def read(text: str) -> Edit:
        edit = _repeated(design, name, text)
        here.bench.judge(edit)
        return edit

    axes = ", ".join(f"{axis}={size}" for axis, size in design.axes.items()) or "none yet"
    hint = f"axes: {axes}; write {_new_axis_example(design)} for a new one, nothing for none; "
    hint += f"there are as many {name} in all, unless you add 'each'"
    now = ", ".join(design.groups[name].per)
    return (yield from ask(TextQuestion(f"{name} repeats over", now, read, hint)))


def _new_axis_example(design: Design) -> str:
    """An axis as one would write it that the design does not have."""
    free = (axis for axis in ("su", "rail", "pod", "plane", "rack") if axis not in design.axes)
    return f"{next(free, 'row')}=2"


EACH = "each"
"""Said after axes: as many devices in each unit as there were, not in all."""


def _repeated(design: Design, name: str, text: str) -> Edit:
    words = text.replace(",", " ").split()
    each = EACH in words
    with_axes, per = _with_axes(design, " ".join(word for word in words if word != EACH))
    after = with_axes.design
    edit = set_per(after, name, per)
    group = after.groups[name]
    units = prod(after.axes[axis] for axis in per)
    before = group.count * prod(design.axes[axis] for axis in group.per)
    if each or units * group.count == before:
        return edit
    count, rest = divmod(before, units)
    if rest:
        raise EditError(
            f"{before:,} {name} do not divide evenly into {units:,}; "
            f"add '{EACH}' for {group.count:,} in each"
        )
    sized = set_count(edit.design, name, count)
    return Edit(sized.design, f"{edit.label}, {count:,} in each")


def _with_axes(design: Design, text: str) -> tuple[Edit, tuple[str, ...]]:
    """The design with the axes that a text like ``su=4, rail`` sizes, and the axes it names."""
    step = Edit(design, "axes unchanged")
    per: list[str] = []
    for word in filter(None, re.split(r"[,\s]+", text.strip())):
        match = _AXIS.match(word.strip())
        if match is None:
            raise EditError(f"{word!r} is no axis; write su or su=4")
        if match["size"] is not None:
            step = set_axis(step.design, match["axis"], whole_number(match["size"]))
        per.append(match["axis"])
    return step, tuple(per)


def _new_axes(design: Design, text: str) -> Edit:
    """The design with these axes; raises EditError where one is new and has no size."""
    edit, named = _with_axes(design, text)
    for axis in named:
        if axis not in edit.design.axes:
            raise EditError(f"{axis} is new: write its size, too, such as {axis}=4")
    return edit
