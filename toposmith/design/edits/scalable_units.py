"""Repeating part of a fabric: one scalable unit becomes several, and the tiers above grow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import ceil

from toposmith.design.document import Design
from toposmith.design.edits.edit import (
    Edit,
    altered,
    changed,
    check_dealt,
    free_name,
    group_of,
    links_at,
    other_end,
    with_cables,
    with_places_moved,
)
from toposmith.errors import EditError
from toposmith.text import counted

UNIT_AXIS = "su"
"""How the axis of scalable units is called where its name is free."""


def repeat_groups(
    design: Design,
    names: Sequence[str],
    axis: str,
    size: int,
    *,
    dealt: Collection[int] = (),
) -> Edit:
    """Repeat groups over an axis; the tiers above grow as needed.

    A device keeps its uplinks: they are spread over more devices of the tier above, such that
    none of these uses more ports than before, and all get the same number of cables. Thus
    1 SU of a DGX H100 SuperPOD with 4 spines becomes 3 SU with 16 (RA-11333-001, Table 4).

    Parameters
    ----------
    design : Design
        The design.
    names : sequence of str
        The groups that repeat; all that repeat over the axis already follow.
    axis : str
        The axis; added where there is none of this name.
    size : int
        The number of repetitions afterwards.
    dealt : collection of int
        The links whose node ports are dealt over leaves.

    Raises
    ------
    EditError
        If the name is a group's, or the uplinks do not reach all devices above.
    """
    check_dealt(design, dealt, "dealt")
    for name in names:
        group_of(design, name)
    if axis in design.groups:
        raise EditError(f"{axis!r} is a group; the axis needs another name")
    had = design.axes.get(axis, 1)
    users = {name for name, group in design.groups.items() if axis in group.per}
    repeated = [name for name in design.groups if name in users or name in names]
    groups = dict(design.groups)
    for name in repeated:
        if name not in users:
            groups[name] = altered(groups[name], per=(axis, *groups[name].per))
    axes = {**design.axes, axis: size}
    after = changed(design, axes=axes, groups=groups)
    growth = {name: Fraction(size, had if name in users else 1) for name in repeated}
    grown = with_places_moved(design, _with_more_above(design, after, growth, dealt), always=True)
    more = [
        f"{name} {design.groups[name].count} to {group.count}"
        for name, group in grown.groups.items()
        if group.count != design.groups[name].count
    ]
    words = f"repeat {' and '.join(repeated)} as {size} {axis}"
    return Edit(grown, "; ".join([words, *more]))


def axis_for_units(design: Design, names: Sequence[str]) -> str:
    """The axis that groups repeat over already, or a free name for one."""
    shared = [
        axis for axis in design.axes if all(axis in design.groups[name].per for name in names)
    ]
    if UNIT_AXIS in shared:
        return UNIT_AXIS
    return shared[0] if shared and names else free_name(design, UNIT_AXIS)


def _with_more_above(
    before: Design, after: Design, growth: dict[str, Fraction], dealt: Collection[int]
) -> Design:
    """Let every tier above grow with the one below it, from the repeated groups upwards."""
    waiting = list(growth)
    settled: set[int] = set()
    while waiting:
        name = waiting.pop(0)
        for index in links_at(after, name):
            above = other_end(after, index, name)
            if index in dealt or index in settled or above in growth:
                continue
            settled.add(index)
            after, factor = _spread(before, after, index, above, growth[name])
            growth[above] = factor
            waiting.append(above)
    return after


def _spread(
    before: Design, after: Design, index: int, above: str, factor: Fraction
) -> tuple[Design, Fraction]:
    """Spread the uplinks of a link over as many devices as its growth needs."""
    group = before.groups[above]
    uplinks = group.count * (before.links[index].cables or 1)
    least = ceil(group.count * factor)
    fits = [count for count in range(least, uplinks + 1) if uplinks % count == 0]
    if not fits:
        raise EditError(
            f"{counted(uplinks, 'uplink')} cannot reach the {least} {above} that it takes; "
            f"a further tier above, or pods, would"
        )
    count = fits[0]
    if count == group.count:
        return after, Fraction(1)
    grown = changed(after, groups={**after.groups, above: altered(group, count=count)})
    return with_cables(grown, {index: uplinks // count}), Fraction(count, group.count)
