"""What the lines of `absent` and `down` name."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DEVICES = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\[([^\]]*)\])?\s*")
_PORT = re.compile(r"\.([A-Za-z][\w-]*)(?:\[\s*(\d+)\s*\])?\s*")
_COUNT = re.compile(r"\s*(\d+)\s+of\s+(.*)", re.DOTALL)


@dataclass(frozen=True)
class Devices:
    """Instances of a group: each axis that is named, with its first and last value."""

    group: str
    ranges: tuple[tuple[str, int, int], ...]

    def match(self, group: str, at: dict[str, int]) -> bool:
        return group == self.group and all(
            first <= at[axis] <= last for axis, first, last in self.ranges
        )


@dataclass(frozen=True)
class Port:
    """One port of some nodes, or all ports of the slots."""

    devices: Devices
    slots: str
    number: int | None


@dataclass(frozen=True)
class Cables:
    """Cables between some devices and others, or so many of each link of each pair."""

    one: Devices
    other: Devices
    count: int | None


Selector = Devices | Port | Cables


def parse(text: str) -> Selector:
    """Read one selector; a text that is none is a ValueError."""
    counted = _COUNT.fullmatch(text)
    count, rest = (int(counted[1]), counted[2]) if counted else (None, text)
    ends = re.split(r"\s+-\s+", rest.strip())
    if len(ends) == 2:
        one, other = (_devices(end) for end in ends)
        return Cables(one, other, count)
    if len(ends) != 1 or count is not None:
        raise ValueError(text)
    head = _DEVICES.match(text)
    if head is None:
        raise ValueError(text)
    devices = _devices(head[0])
    tail = text[head.end() :]
    if not tail:
        return devices
    port = _PORT.fullmatch(tail)
    if port is None:
        raise ValueError(text)
    return Port(devices, port[1], None if port[2] is None else int(port[2]))


def _devices(text: str) -> Devices:
    found = _DEVICES.fullmatch(text)
    if found is None:
        raise ValueError(text)
    ranges = []
    for item in (found[2] or "").split(","):
        if not item.strip():
            continue
        axis, value = (side.strip() for side in item.split("="))
        first, _, last = value.partition("..")
        ranges.append((axis, int(first), int(last or first)))
    return Devices(found[1], tuple(ranges))
