"""What a lock must not say twice: a port, a label, a name, a place, a U."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from toposmith.lock.lock_file import (
    FabricLock,
    LockedCable,
    LockedDevice,
    PortName,
    line_numbers,
)

MOST_SAID = 20
"""Clashes that are said one by one."""


class Clash(NamedTuple):
    """Something said twice, with both lines; an unknown device has the same line twice."""

    kind: Literal["device", "U", "port", "label", "unknown device"]
    what: str
    first: LockedDevice | LockedCable
    second: LockedDevice | LockedCable

    @property
    def said(self) -> str:
        """``port leaf-0 5/1 twice``."""
        if self.kind == "unknown device":
            return f"device {self.what} has no line"
        return f"{self.what} twice"

    def words(self, lines: Mapping[str, int]) -> str:
        """``port leaf-0 5/1 twice: line 12 (...) and line 40 (...)``, and what to do."""
        both = [f"line {_number(one, lines)} ({' '.join(one[:5])})" for one in self[2:]]
        if self.kind == "unknown device":
            return f"{both[0]}: no line is of the device {self.what}; add it, or take this one out"
        return f"{self.said}: {both[0]} and {both[1]}; {_FIX[self.kind]}"


_FIX = {
    "device": "take one out, or give it another name and place",
    "U": "give one another U, or none",
    "port": "give one another port, or take it out",
    "label": "give one another label",
}


def _number(line: LockedDevice | LockedCable, lines: Mapping[str, int]) -> object:
    kind, fields = ("d", 7) if isinstance(line, LockedDevice) else ("c", 6)
    return lines.get("\t".join((kind, *line[:fields])), "?")


def contradictions(lock: FabricLock, text: str) -> Iterator[str]:
    """Clashes in words, the first of them with their lines in the text; and how many more."""
    clashes = clashes_of(lock)
    lines = line_numbers(text) if clashes else {}
    yield from (clash.words(lines) for clash in clashes[:MOST_SAID])
    if len(clashes) > MOST_SAID:
        yield f"and {len(clashes) - MOST_SAID:,} more"


def clashes_of(lock: FabricLock, heights: Mapping[str, int] | None = None) -> list[Clash]:
    """Everything that is said twice.

    Parameters
    ----------
    lock : FabricLock
        As read.
    heights : mapping, optional
        U of a device by its part; 1 where a part is not known.
    """
    return [*_of_devices(lock, heights or {}), *_of_cables(lock)]


def _of_devices(lock: FabricLock, heights: Mapping[str, int]) -> Iterator[Clash]:
    names: dict[str, LockedDevice] = {}
    places: dict[tuple[str, str], LockedDevice] = {}
    units: dict[tuple[str, int], LockedDevice] = {}
    for device in lock.devices:
        if (other := names.setdefault(device.name, device)) is not device:
            yield Clash("device", f"device {device.name}", other, device)
            continue
        place = (device.group, device.at)
        if (other := places.setdefault(place, device)) is not device:
            yield Clash("device", f"{device.group}[{device.at}]", other, device)
        if not device.rack:
            continue
        low = int(device.unit)
        for unit in range(low, low + heights.get(device.part, 1)):
            if (other := units.setdefault((device.rack, unit), device)) is not device:
                yield Clash("U", f"{device.rack} U{unit}", other, device)
                break


def _of_cables(lock: FabricLock) -> Iterator[Clash]:
    from toposmith.lock.lock_columns import columns_of  # numpy, for locks alone

    if columns_of(lock).says_nothing_twice:
        return
    names = lock.by_name
    ports: dict[PortName, LockedCable] = {}
    labels: dict[str, LockedCable] = {}
    for cable in lock.cables:
        for end in cable.ends:
            if (other := ports.setdefault(end, cable)) is not cable:
                yield Clash("port", f"port {end[0]} {end[1]}", other, cable)
            if end[0] not in names:
                yield Clash("unknown device", end[0], cable, cable)
        for label in cable.label.split("+"):
            if (other := labels.setdefault(label, cable)) is not cable and not _twin(other, cable):
                yield Clash("label", f"label {label}", other, cable)


def _twin(one: LockedCable, other: LockedCable) -> bool:
    """Whether two lines are the two connections of one straight cable."""
    alike = one.part == other.part and one.metres == other.metres
    return alike and (other.a, other.z) in ((one.a, one.z), (one.z, one.a))
