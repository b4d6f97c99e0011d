"""The cables of a lock as columns of numbers, worked out once for every edit of its design."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from toposmith.fabric.once import once
from toposmith.lock.lock_file import FabricLock, Kit

Numbers = npt.NDArray[np.int64]
Value = TypeVar("Value", bound=Hashable)


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
            np.fromiter((place.get(name, -1) for name in end), np.int64, len(end)) for end in (a, z)
        )
        self.ports, both = _numbered([*port_a, *port_z])
        self.port = (both[: len(a)], both[len(a) :])
        self.labels, self.label = _numbered(label)
        self.many = np.bincount(self.label, minlength=len(self.labels))
        self.lengths, self.metres = _numbered(metres)
        kits: list[Kit] = list(zip(part, gbit, plug_a, plug_z, strict=True))
        self.kits, self.kit = _numbered(kits)


def _numbered(values: Sequence[Value]) -> tuple[list[Value], Numbers]:
    """The distinct values in order of appearance, and which of them each is."""
    distinct = list(dict.fromkeys(values))
    place = {value: at for at, value in enumerate(distinct)}
    return distinct, np.fromiter(map(place.__getitem__, values), np.int64, len(values))


@once
def columns_of(lock: FabricLock) -> LockColumns:
    """The columns of a lock."""
    return LockColumns(lock)
