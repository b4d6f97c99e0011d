"""The cables of a lock as columns of numbers, worked out once for every edit of its design."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from itertools import chain, repeat
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from toposmith.lock.lock_file import (
    NOTHING_BOUND,
    FabricLock,
    Kit,
    LockedCable,
    LockedDevice,
    named_kits,
    natural,
    places_of,
    uncollected,
)

_NUMBER_OF_LABEL = re.compile(r"(?:^|[\n+]).([0-9]{1,9})(?=[\n+-]|$)")

Numbers = npt.NDArray[np.int64]
Value = TypeVar("Value", bound=Hashable)


class LabelledCables(NamedTuple):
    """What labels are of.

    ``bodies`` are the labels without a leg, ``place`` where each stands there and ``cables`` how
    many cables each is of; ``body`` and ``leg`` are by label.
    """

    bodies: list[str]
    place: dict[str, int]
    cables: Numbers
    body: Numbers
    leg: Numbers


class LockColumns:
    """By row of a cable, in the order of the lock.

    Parameters
    ----------
    lock : FabricLock
        The lock; its lines do not change any more.

    Attributes
    ----------
    device : tuple of array
        By end, the place of its device among the devices of the lock; -1 for one without a line.
    port, label, metres, kit : arrays of int
        Places in ``ports`` (by end), in ``labels``, in ``lengths`` and in ``kits``.
    many : array of int
        Lines that bear a label, by its place.
    """

    def __init__(self, lock: FabricLock) -> None:
        columns: list[Sequence[str]] = list(zip(*lock.cables, strict=True)) or [()] * 10
        a, port_a, z, port_z, label, metres, part, gbit, plug_a, plug_z = columns
        place = {device.name: at for at, device in enumerate(lock.devices)}
        self.device = tuple(
            np.fromiter(map(place.get, end, repeat(-1)), np.int64, len(end)) for end in (a, z)
        )
        self.ports, both = _numbered([*port_a, *port_z])
        self.port = (both[: len(a)], both[len(a) :])
        self.labels, self.label = _numbered(label)
        self.many = np.bincount(self.label, minlength=len(self.labels))
        self.lengths, self.metres = _numbered(metres)
        kits: Iterable[Kit] = zip(part, gbit, plug_a, plug_z, strict=True)
        self.kits, self.kit = _numbered(kits, len(a))

    @cached_property
    def labelled(self) -> LabelledCables:
        """Which cables and which of their legs the labels are."""
        parts = [label.partition("-") for label in self.labels]
        bodies, body = _numbered(body for body, _, _ in parts)
        leg = np.fromiter((int(leg or 0) for _, _, leg in parts), np.int64, len(parts))
        place = {one: at for at, one in enumerate(bodies)}
        cables = np.fromiter((1 + one.count("+") for one in bodies), np.int64, len(bodies))
        return LabelledCables(bodies, place, cables, body, leg)

    @cached_property
    def last_label(self) -> int:
        """The highest number of a label, 0 without one."""
        return max(map(int, _NUMBER_OF_LABEL.findall("\n".join(self.labels))), default=0)

    @property
    def says_nothing_twice(self) -> bool:
        """Whether no port and no label is said twice, and all devices have a line.

        False, too, where labels of two fibres would have to be looked at one by one.
        """
        ends = [self.device[end] * len(self.ports) + self.port[end] for end in (0, 1)]
        if any((end < 0).any() for end in self.device) or "+" in "".join(self.labels):
            return False
        rows = np.flatnonzero(self.many[self.label] > 1)
        rows = rows[np.argsort(self.label[rows], kind="stable")]
        first = rows[np.searchsorted(self.label[rows], self.label[rows])]
        a, z = (np.minimum(*self.device), np.maximum(*self.device))
        _, part = _numbered([part for part, *_ in self.kits])
        twins = all((one[rows] == one[first]).all() for one in (a, z, self.metres, part[self.kit]))
        ports = np.sort(np.concatenate(ends))
        return twins and not (ports[1:] == ports[:-1]).any()


def _numbered(values: Iterable[Value], many: int = -1) -> tuple[list[Value], Numbers]:
    """The distinct values in order of appearance, and which of them each is."""
    place: dict[Value, int] = {}
    add = place.setdefault
    numbers = np.fromiter((add(value, len(place)) for value in values), np.int64, many)
    return list(place), numbers


@uncollected()
def with_new(
    before: FabricLock,
    rows: Numbers | Sequence[int],
    new: Sequence[LockedCable],
    devices: Iterable[LockedDevice],
) -> FabricLock:
    """A lock with some of the cables of another and new ones, in its order.

    Parameters
    ----------
    before : FabricLock
        The other lock.
    rows : array or sequence of int
        Its cables that stay.
    new : sequence of LockedCable
        Lines that it does not have.
    devices : iterable of LockedDevice
        All devices.
    """
    columns, rows = columns_of(before), np.asarray(rows, dtype=np.int64)
    rank = places_of([*(one.name for one in before.devices), *(line.a for line in new)])
    turn = places_of([*columns.ports, *(line.a_port for line in new)])
    device = np.array([rank[one.name] for one in before.devices], dtype=np.int64)
    port = np.array([turn[name] for name in columns.ports], dtype=np.int64)
    keys = device[columns.device[0][rows]] * len(turn) + port[columns.port[0][rows]]
    fresh = [rank[line.a] * len(turn) + turn[line.a_port] for line in new]
    order = np.argsort(np.concatenate([keys, np.array(fresh, dtype=np.int64)]), kind="stable")
    lines = [*map(before.cables.__getitem__, rows.tolist()), *new]
    kept = map(columns.kits.__getitem__, np.unique(columns.kit[rows]).tolist())
    added = (new[at - len(rows)][6:10] for at in order[order >= len(rows)].tolist())
    kits = named_kits(chain(kept, added), before)
    cables = list(map(lines.__getitem__, order.tolist()))
    ordered = sorted(devices, key=lambda device: (device.group, natural(device.name)))
    return FabricLock(ordered, cables, kits, before.ports)


def in_order(
    devices: Iterable[LockedDevice],
    cables: Iterable[LockedCable],
    before: FabricLock = NOTHING_BOUND,
) -> FabricLock:
    """A lock in its one order: devices by group and name, cables by device and port of A.

    Kits keep their names of before, so that no line changes for another's sake, and ports theirs;
    kits of no cable go.
    """
    return with_new(before, (), [*cables], devices)


@uncollected()
def columns_of(lock: FabricLock) -> LockColumns:
    """The columns of a lock, worked out once."""
    known = lock.result_cache
    if LockColumns not in known:
        known[LockColumns] = LockColumns(lock)
    found: LockColumns = known[LockColumns]
    return found
