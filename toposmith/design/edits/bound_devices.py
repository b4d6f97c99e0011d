"""The lock of a design follows its edits: a device keeps its line under another group or place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from toposmith.design.document import Design
from toposmith.design.edits.moved_selectors import Move
from toposmith.lock.binding import Binding
from toposmith.lock.lock_file import LockedDevice


def renamed_binding(design: Design, name: str, new: str) -> Binding | None:
    """The lock after a group was renamed."""

    def renamed(device: LockedDevice) -> LockedDevice:
        at = ",".join(
            new + part.removeprefix(name) if part.startswith(f"{name}=") else part
            for part in device.at.split(",")
        )
        return device._replace(group=new if device.group == name else device.group, at=at)

    return _with_devices(design, renamed, {name: (new,)})


def repeated_binding(design: Design, name: str, per: Sequence[str]) -> Binding | None:
    """The lock after a group repeats over other axes.

    A new axis in the place of one of the same size is that one under another name.
    """
    own, sizes = design.groups[name].per, design.axes
    names = {
        old: new
        for old, new in zip(own, per, strict=False)
        if old not in per and new not in own and sizes[old] == sizes[new]
    }
    if not names or len(own) != len(per):
        return design.binding

    def renamed(device: LockedDevice) -> LockedDevice:
        return _over(device, names) if device.group == name else device

    return _with_devices(design, renamed, {})


def told_binding(design: Design, old: str, new: str) -> Binding | None:
    """The lock after a group or an axis was renamed by hand."""
    if design.lock is not None and any(one.group == old for one in design.lock.devices):
        return renamed_binding(design, old, new)
    return _with_devices(design, lambda device: _over(device, {old: new}), {})


def _over(device: LockedDevice, names: Mapping[str, str]) -> LockedDevice:
    """A device whose axes have other names."""
    values = (part.partition("=") for part in device.at.split(","))
    at = ",".join(f"{names.get(axis, axis)}{sign}{value}" for axis, sign, value in values)
    return device._replace(at=at)


def followed_binding(design: Design, move: Move) -> Binding | None:
    """The lock after devices got other groups or axis values."""

    def followed(device: LockedDevice) -> LockedDevice:
        if device.group != move.group:
            return device
        values = dict(part.partition("=")[::2] for part in device.at.split(","))
        if not all(values.get(axis, "").isdecimal() for axis in move.axes):
            return device
        group, place = move.to(tuple(int(values.pop(axis)) for axis in move.axes))
        new = {axis: str(value) for (axis, _), value in zip(move.sizes[group], place, strict=True)}
        if move.group in values:  # its own count, which bears the name of the group
            new[group] = values.pop(move.group)
        at = ",".join(f"{axis}={value}" for axis, value in {**values, **new}.items())
        return device._replace(group=group, at=at)

    return _with_devices(design, followed, {move.group: tuple(move.sizes)})


def _with_devices(
    design: Design,
    change: Callable[[LockedDevice], LockedDevice],
    groups: Mapping[str, Sequence[str]],
) -> Binding | None:
    """The lock with the lines of devices changed; one that cannot be used stays as it is.

    ``groups`` are the new names of a group, which has its names of ports under each.
    """
    if design.binding is None or design.lock is None:
        return design.binding
    devices = [change(device) for device in design.lock.devices]
    from toposmith.lock.lock_columns import in_order  # numpy, for locks alone

    lock = in_order(devices, design.lock.cables, design.lock)
    lock.ports = {
        new: names for old, names in lock.ports.items() for new in groups.get(old, (old,))
    }
    return Binding(design.binding.source, held=lock)
