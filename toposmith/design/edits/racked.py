"""The ``placement:`` block after groups are renamed, removed, copied or moved."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from toposmith.design.document import Design
from toposmith.design.edits.moved_selectors import Move, carried, follow
from toposmith.design.placement_block import PlacementBlock
from toposmith.lock.binding import Binding
from toposmith.lock.lock_file import LockedDevice, in_order


def renamed_placement(design: Design, name: str, new: str | None) -> PlacementBlock | None:
    """The block after a group was renamed, or (None) removed."""
    block = design.placement
    if block is None:
        return None
    pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    heights = {(new if key == name else key): units for key, units in block.heights.items()}
    devices = {
        (pattern.sub(new, text) if new else text): position
        for text, position in block.devices.items()
        if new or not pattern.search(text)
    }
    kept = {key: units for key, units in heights.items() if key is not None}
    return _with(block, heights=kept, devices=devices)


def copied_placement(design: Design, copies: Mapping[str, str]) -> PlacementBlock | None:
    """The block with the heights of groups for their copies too; None without a block.

    Copies do not get the rack and U of their originals: two devices cannot share a place.
    """
    block = design.placement
    if block is None:
        return None
    own = {copies[name]: units for name, units in block.heights.items() if name in copies}
    return _with(block, heights={**block.heights, **own}, devices=block.devices)


def followed_placement(design: Design, move: Move) -> PlacementBlock | None:
    """The block after devices got other groups or axis values; None without a block.

    Where the devices of one selector are no longer one selector, the first keeps the place and
    the others are left to the default filling: the block cannot say how high they stand above it.
    """
    block = design.placement
    if block is None:
        return None
    heights = dict(block.heights)
    for name in move.sizes:
        if move.group in heights:
            heights.setdefault(name, heights[move.group])
    if move.group not in move.sizes:
        heights.pop(move.group, None)
    return _with(block, heights, _each(block, lambda text: follow([text], design, move)))


def kept_placement(before: Design, after: Design) -> PlacementBlock | None:
    """The block without selectors that matched devices before and match none after."""
    block = after.placement
    if block is None:
        return None
    return _with(block, block.heights, _each(block, lambda one: carried([one], before, after)))


def _each(block: PlacementBlock, written: Callable[[str], Iterable[str]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for text, position in block.devices.items():
        first = next(iter(written(text)), None)
        if first is not None:
            found.setdefault(first, position)
    return found


def _with(
    block: PlacementBlock, heights: Mapping[str, int], devices: Mapping[str, object]
) -> PlacementBlock:
    return block.model_copy(update={"heights": dict(heights), "devices": dict(devices)})


def renamed_binding(design: Design, name: str, new: str) -> Binding | None:
    """The lock after a group was renamed."""

    def renamed(device: LockedDevice) -> LockedDevice:
        at = ",".join(
            new + part.removeprefix(name) if part.startswith(f"{name}=") else part
            for part in device.at.split(",")
        )
        return device._replace(group=new if device.group == name else device.group, at=at)

    return _with_devices(design, renamed)


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

    return _with_devices(design, followed)


def _with_devices(design: Design, change: Callable[[LockedDevice], LockedDevice]) -> Binding | None:
    """The lock with the lines of devices changed; one that cannot be used stays as it is."""
    if design.binding is None or design.lock is None:
        return design.binding
    devices = [change(device) for device in design.lock.devices]
    lock = in_order(devices, design.lock.cables, design.lock.kits)
    return Binding(design.binding.source, held=lock)
