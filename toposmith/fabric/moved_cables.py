"""The far end of the cable at a port, and edits that move it."""

from __future__ import annotations

from toposmith.design.document import SingleCable
from toposmith.design.edits.edit import Edit
from toposmith.design.edits.links import replace_cables
from toposmith.errors import EditError
from toposmith.fabric.plan import Plan, PlannedEnd
from toposmith.fabric.single_cables import dealt_at, end_at, far_end


def swap_cables(plan: Plan, one: str, other: str) -> Edit:
    """Exchange the far ends of the cables at two ports.

    Raises
    ------
    EditError
        If either is no port, has no cable, or both go to the same place.
    """
    ends = _port(plan, one), _port(plan, other)
    if ends[0] == ends[1]:
        raise EditError(f"{one!r} and {other!r} are one port; name two")
    there = [goes_to(plan, text) for text in (one, other)]
    if there[0] == there[1]:
        raise EditError(f"both cables go to {there[0]}; there is nothing to exchange")
    wanted = zip((one, other), ends, reversed(there), strict=True)
    # a port that goes where its link deals it needs no entry
    added = [SingleCable(a=text, z=far) for text, end, far in wanted if far != _dealt(plan, end)]
    return replace_cables(plan.design, _entries_at(plan, ends), added, f"{one} and {other} swapped")


def move_cable(plan: Plan, port: str, there: str) -> Edit:
    """Move the cable at a port to another device.

    Raises
    ------
    EditError
        If the port or the device does not exist, or the cable goes there already.
    """
    end, far = _port(plan, port), _end(plan, there)
    if far.group == end.group and (end.ports or far.at == end.at):
        which = "the same device" if far.at == end.at else f"a node, too, of {end.group}"
        raise EditError(f"{there!r} is {which}; a cable joins two groups, or two switches")
    dealt = _dealt(plan, end)
    entries = _entries_at(plan, (end,))
    as_dealt = far.port is None and dealt is not None and _end(plan, there) == _end(plan, dealt)
    if as_dealt and not entries:
        raise EditError(f"the cable at {port} goes to {there} already")
    added = () if as_dealt else (SingleCable(a=port, z=there),)
    return replace_cables(plan.design, entries, added, f"{port} goes to {there}")


def goes_to(plan: Plan, port: str) -> str:
    """The device at the far end of a port's cable, as a selector; with the port if it is named.

    Raises
    ------
    EditError
        If it is no port, or has no cable.
    """
    end = _port(plan, port)
    for cable in plan.single_cables:
        if end in (cable.a, cable.b):
            written = plan.design.cables[cable.entry]
            return written.z if _end(plan, written.a) == end else written.a
    there = None if dealt_at(plan, end) in plan.replaced else _dealt(plan, end)
    if there is None:
        raise EditError(f"there is no cable at {port}")
    return there


def _dealt(plan: Plan, end: PlannedEnd) -> str | None:
    """The device that a link deals the cable at a port to, as a selector."""
    dealt = dealt_at(plan, end)
    if dealt is None:
        return None
    name, values = far_end(plan, dealt, end)
    axes = plan.groups[name].axes
    return f"{name}[{','.join(f'{axis}={at}' for axis, at in zip(axes, values, strict=True))}]"


def _entries_at(plan: Plan, ends: tuple[PlannedEnd, ...]) -> frozenset[int]:
    """The entries of ``cables:`` that name one of these ports."""
    return frozenset(cable.entry for cable in plan.single_cables if {cable.a, cable.b} & set(ends))


def _port(plan: Plan, text: str) -> PlannedEnd:
    end = _end(plan, text)
    if end.port is None or not end.ports:
        raise EditError(f"{text!r}: name the port of a node, like node[node=0].compute[0]")
    return end


def _end(plan: Plan, text: str) -> PlannedEnd:
    try:
        return end_at(plan, text)
    except ValueError as wrong:
        raise EditError(str(wrong)) from None
