"""A place in a design: the whole fabric, one unit of it, or one device in that unit.

All numbers count from 0 and are written as in the file's selectors: ``su=3``, ``node=31``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from toposmith.errors import ToposmithError
from toposmith.fabric.dealing import Coordinates
from toposmith.fabric.plan import Plan
from toposmith.tui.canvas.tier_rows import tier_rows

FABRIC = "Fabric"


class NoSuchPlace(ToposmithError):
    """What was typed names no unit and no device here."""


@dataclass(frozen=True)
class DeviceInstance:
    """One instance of a group: its values on the group's axes, outermost first."""

    group: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class DepthPlace:
    """A unit of the fabric, entered by one of its groups, or one device in it.

    Parameters
    ----------
    group : str
        The group that was entered.
    fixed : tuple of (axis, value)
        What makes the unit: devices that share these values, ``su=3``. Nothing is fixed for a
        group whose instances are all in one place, such as spines.
    device : tuple of int, optional
        The values of the one device that is opened, on all axes of the group.
    """

    group: str
    fixed: tuple[tuple[str, int], ...] = ()
    device: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Crumb:
    """One step of the way here, in words, and where it leads back to; None is the fabric."""

    text: str
    place: DepthPlace | None


def coordinates(plan: Plan, device: DeviceInstance) -> Coordinates:
    """The values of a device by axis."""
    return dict(zip(plan.groups[device.group].axes, device.values, strict=True))


def device_at(plan: Plan, group: str, at: Coordinates) -> DeviceInstance:
    """The device of a group that has these values."""
    return DeviceInstance(group, tuple(at[axis] for axis in plan.groups[group].axes))


def selector(plan: Plan, device: DeviceInstance) -> str:
    """The device as the file names it: ``node[su=3,node=31]``; an own axis of one is left out."""
    at = coordinates(plan, device)
    named = {axis: v for axis, v in at.items() if axis != device.group or plan.size(axis) > 1}
    inside = ",".join(f"{axis}={value}" for axis, value in (named or at).items())
    return f"{device.group}[{inside}]"


def unit_axes(plan: Plan, group: str) -> tuple[str, ...]:
    """The axes whose values make one unit of a group.

    A node's are all that it repeats over. A switch belongs to the unit of what hangs below it: the
    leaves of one SU, rail by rail, stand together, because a node shares the SU with them and not
    the rail. Switches in sets that dealt cables join, as in a dragonfly, belong to their set.
    """
    own = plan.design.groups[group].per
    sets = {
        axis
        for link in plan.links_of(group)
        for axis, word in link.along
        if link.bundle and word == "other"
    }
    if sets and plan.groups[group].node is None:
        return tuple(axis for axis in own if axis in sets)
    if plan.groups[group].node is not None:
        return own
    tier = {name: level for level, row in enumerate(tier_rows(plan)) for name in row}
    below = [
        other
        for link in plan.links_of(group)
        for other in (link.a.group, link.b.group)
        if tier[other] < tier[group]
    ]
    return tuple(axis for axis in own if any(axis in plan.design.groups[b].per for b in below))


def enter(plan: Plan, group: str) -> DepthPlace:
    """The first unit of a group, or its device where there is only one."""
    whole = plan.groups[group]
    if whole.instances == 1:
        return enter_device(plan, DeviceInstance(group, (0,) * len(whole.axes)))
    return DepthPlace(group, tuple((axis, 0) for axis in unit_axes(plan, group)))


def enter_device(plan: Plan, device: DeviceInstance) -> DepthPlace:
    """The inside of a device, in the unit that it is in."""
    at = coordinates(plan, device)
    fixed = tuple((axis, at[axis]) for axis in unit_axes(plan, device.group))
    return DepthPlace(device.group, fixed, device.values)


def out_of(plan: Plan, place: DepthPlace) -> DepthPlace | None:
    """The place that Esc goes to: from a device its unit, from a unit the fabric (None)."""
    if place.device is None or plan.groups[place.group].instances == 1:
        return None
    return DepthPlace(place.group, place.fixed)


def groups_in(plan: Plan, place: DepthPlace) -> list[str]:
    """The groups with devices in a unit: the one that was entered, then the others from below."""
    fixed = {axis for axis, _ in place.fixed}
    if not fixed:
        return [place.group]
    names = [name for row in tier_rows(plan) for name in row]
    others = [name for name in names if fixed <= set(plan.design.groups[name].per)]
    return [place.group, *(name for name in others if name != place.group)]


def stepped(plan: Plan, place: DepthPlace, by: int) -> DepthPlace:
    """The neighbour at the same depth: the next unit, or the next device; around at the end."""
    if place.device is not None:
        sizes = plan.groups[place.group].sizes
        values = _values(sizes, _number(sizes, place.device) + by)
        return enter_device(plan, DeviceInstance(place.group, values))
    axes = tuple(axis for axis, _ in place.fixed)
    sizes = tuple(plan.size(axis) for axis in axes)
    here = _number(sizes, tuple(value for _, value in place.fixed))
    values = _values(sizes, here + by)
    return DepthPlace(place.group, tuple(zip(axes, values, strict=True)))


def kept(plan: Plan, place: DepthPlace | None) -> DepthPlace | None:
    """The same place after a change of the design, or the nearest that is left of it."""
    if place is None or place.group not in plan.groups:
        return None
    group = plan.groups[place.group]
    if group.instances == 1:
        return enter(plan, place.group)
    known = dict(place.fixed)
    if place.device is not None and len(place.device) == len(group.axes):
        values = tuple(min(v, n - 1) for v, n in zip(place.device, group.sizes, strict=True))
        return enter_device(plan, DeviceInstance(place.group, values))
    axes = unit_axes(plan, place.group)
    return DepthPlace(
        place.group, tuple((axis, min(known.get(axis, 0), plan.size(axis) - 1)) for axis in axes)
    )


def crumbs(plan: Plan, place: DepthPlace | None) -> tuple[Crumb, ...]:
    """The path from the fabric to here."""
    way = [Crumb(FABRIC, None)]
    if place is None:
        return tuple(way)
    group = plan.groups[place.group]
    unit = DepthPlace(place.group, place.fixed)
    if group.instances > 1:  # else there is no unit on the way to it
        words = ", ".join(f"{axis}={v} of {plan.size(axis)}" for axis, v in place.fixed)
        way.append(Crumb(words or f"{place.group}, {group.instances:,}", unit))
    if place.device is not None:
        known = dict(place.fixed)
        own = [
            f"{axis}={value} of {size:,}"
            for axis, value, size in zip(group.axes, place.device, group.sizes, strict=True)
            if axis not in known and not (size == 1 and axis == place.group and len(group.axes) > 1)
        ]
        name = ", ".join(own) or place.group
        shows = place.group in name or not own
        way.append(Crumb(name if shows else f"{place.group} {name}", place))
    return tuple(way)


def read_place(plan: Plan, place: DepthPlace, text: str) -> DepthPlace:
    """The unit or device at this depth that was typed: ``3``, ``0,31`` or ``su=3,node=31``.

    Raises
    ------
    NoSuchPlace
        With what was found and what would be right.
    """
    group = plan.groups[place.group]
    if place.device is not None:
        axes, now = group.axes, place.device
    else:
        axes, now = tuple(a for a, _ in place.fixed), tuple(v for _, v in place.fixed)
    if not axes:
        raise NoSuchPlace(f"all of {place.group} is shown here; there is no other unit")
    values = dict(zip(axes, now, strict=True))
    words = [word for word in re.split(r"[,\s]+", text.strip()) if word]
    many = [axis for axis in axes if plan.size(axis) > 1] or list(axes)
    unnamed = many[-len(words) :] if words else []
    example = ",".join(f"{axis}={plan.size(axis) - 1}" for axis in axes)
    if not words or len(words) > len(axes):
        raise NoSuchPlace(f"{text!r} names no place here; write it like {example}")
    for position, word in enumerate(words):
        axis, equals, number = word.rpartition("=")
        if not equals:
            axis = unnamed[min(position, len(unnamed) - 1)]
        if axis not in values:
            raise NoSuchPlace(f"no axis {axis!r} here; write it like {example}")
        if not (number.isascii() and number.isdigit()) or len(number) > 7:
            raise NoSuchPlace(f"{word!r} is not a number; write it like {example}")
        if int(number) >= plan.size(axis):
            raise NoSuchPlace(f"{axis} runs from 0 to {plan.size(axis) - 1}, found {number}")
        values[axis] = int(number)
    if place.device is not None:
        return enter_device(plan, DeviceInstance(place.group, tuple(values[a] for a in axes)))
    return DepthPlace(place.group, tuple(values.items()))


def instances(plan: Plan, place: DepthPlace, group: str) -> int:
    """How many devices of a group the unit has places for."""
    fixed = dict(place.fixed)
    return prod(plan.size(axis) for axis in plan.groups[group].axes if axis not in fixed)


def free_axes(plan: Plan, place: DepthPlace, group: str) -> tuple[str, ...]:
    """The axes along which devices of a group differ within the unit."""
    fixed = dict(place.fixed)
    axes = tuple(axis for axis in plan.groups[group].axes if axis not in fixed)
    return tuple(axis for axis in axes if plan.size(axis) > 1) or axes[-1:]


def device_of_row(plan: Plan, place: DepthPlace, group: str, row: int) -> DeviceInstance:
    """The ``row``-th device of a group in the unit."""
    fixed = dict(place.fixed)
    axes = tuple(axis for axis in plan.groups[group].axes if axis not in fixed)
    values = _values(tuple(plan.size(axis) for axis in axes), row)
    return device_at(plan, group, fixed | dict(zip(axes, values, strict=True)))


def row_of_device(plan: Plan, place: DepthPlace, device: DeviceInstance) -> int:
    """The row at which a device stands in its unit."""
    fixed = dict(place.fixed)
    at = coordinates(plan, device)
    axes = [axis for axis in at if axis not in fixed]
    return _number(tuple(plan.size(a) for a in axes), tuple(at[a] for a in axes))


def _number(sizes: tuple[int, ...], values: tuple[int, ...]) -> int:
    number = 0
    for size, value in zip(sizes, values, strict=True):
        number = number * size + value
    return number


def _values(sizes: tuple[int, ...], number: int) -> tuple[int, ...]:
    number %= max(prod(sizes), 1)
    values: list[int] = []
    for size in reversed(sizes):
        number, value = divmod(number, size)
        values.append(value)
    return tuple(reversed(values))
