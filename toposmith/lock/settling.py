"""A lock of two branches put together: no line of the base is lost, what is twice is settled."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

from toposmith.lock.clashes import Clash, clashes_of
from toposmith.lock.lock_file import (
    FabricLock,
    LockedCable,
    LockedDevice,
    in_order,
    read_lock,
)

Line = TypeVar("Line", LockedDevice, LockedCable)


def united_text(text: str) -> str:
    """A lock that git has half merged, with the lines of both sides, each once, and no marks.

    What was there before (between ``|||||||`` and ``=======``) is left out.
    """
    lines: dict[str, None] = {}
    in_base = False
    for line in text.split("\n"):
        if line.startswith("|||||||"):
            in_base = True
        elif line.startswith(("<<<<<<<", ">>>>>>>", "=======")):
            in_base = False
        elif line and not in_base:
            lines[line] = None
    kinds = ("d\t", "p\t", "k\t", "c\t")
    head = [line for line in lines if not line.startswith(kinds)]
    # kits stand before the cables that name them, wherever the sides had them
    sorted_lines = [line for kind in kinds for line in lines if line.startswith(kind)]
    return "\n".join([*head, *sorted_lines, ""])


def settled(
    lock: FabricLock, older: FabricLock, heights: Mapping[str, int]
) -> tuple[FabricLock, list[Clash]]:
    """The lock with every clash put right on the newer line, and what was put right.

    Of two lines that say the same thing the one that the older lock has stays, of two that it lacks
    the first in order. The other device loses its place, the other cable gets another label; one
    whose port is taken goes, and the next plan gives it a free one, as the design wants it still.

    Parameters
    ----------
    lock : FabricLock
        The lines of both sides.
    older : FabricLock
        The lock from which both began.
    heights : mapping
        U of a device by its part.
    """
    known: set[LockedDevice | LockedCable] = {*older.devices, *older.cables}
    done: list[Clash] = []
    while clashes := clashes_of(lock, heights):
        last = lock.last_label
        devices: dict[LockedDevice, LockedDevice | None] = {}
        cables: dict[LockedCable, LockedCable | None] = {}
        for clash in clashes:
            newer = _newer(clash, known)
            if {clash.first, clash.second} & (devices.keys() | cables.keys()):
                continue
            done.append(clash)
            if isinstance(newer, LockedDevice):
                placeless = newer._replace(rack="", unit="")
                devices[newer] = placeless if clash.kind == "U" else None
            elif clash.kind == "label":
                last += 1
                cables[newer] = newer._replace(label=f"C{last:04d}")
            else:
                cables[newer] = None
        lock = in_order(_after(lock.devices, devices), _after(lock.cables, cables), lock)
    return lock, done


def _newer(
    clash: Clash, known: Collection[LockedDevice | LockedCable]
) -> LockedDevice | LockedCable:
    first_is_newer = clash.second in known and clash.first not in known
    return clash.first if first_is_newer else clash.second


def _after(lines: list[Line], changed: Mapping[Line, Line | None]) -> list[Line]:
    """Lines after a change of some; None takes one out."""
    new = (changed.get(line, line) for line in lines)
    return [line for line in new if line is not None]


def read_united(text: str) -> FabricLock:
    """The lines of both sides of a half-merged lock; raises LockError where one is unreadable."""
    return read_lock(united_text(text))
