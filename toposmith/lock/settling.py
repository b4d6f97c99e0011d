"""A lock of two branches put together: no line of the base is lost, what is twice is settled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeVar

from toposmith.lock.clashes import Clash, clashes_of
from toposmith.lock.lock_columns import columns_of, in_order
from toposmith.lock.lock_file import (
    FabricLock,
    LockedCable,
    LockedDevice,
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
        last = columns_of(lock).last_label
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


class MergedLock(NamedTuple):
    """A lock of two branches.

    ``clashes`` were put right, ``same`` are lines that both branches added alike.
    """

    lock: FabricLock
    clashes: list[Clash]
    same: list[LockedDevice | LockedCable]


def merged(
    base: FabricLock, ours: FabricLock, theirs: FabricLock, heights: Mapping[str, int]
) -> MergedLock:
    """What two branches make of a lock: each line that one took out is out, each new one is in.

    Parameters
    ----------
    base : FabricLock
        The lock from which both began.
    ours, theirs : FabricLock
        The locks of both branches.
    heights : mapping
        U of a device by its part.
    """
    devices = _united(base.devices, ours.devices, theirs.devices)
    cables = _united(base.cables, ours.cables, theirs.cables)
    kept = FabricLock(kits={**theirs.kits, **ours.kits}, ports={**theirs.ports, **ours.ports})
    lock, clashes = settled(in_order(devices, cables, kept), base, heights)
    added: set[LockedDevice | LockedCable] = {*theirs.devices, *theirs.cables}
    added -= {*base.devices, *base.cables}
    same = [one for one in (*ours.devices, *ours.cables) if one in added]
    return MergedLock(lock, clashes, same)


def _united(base: Iterable[Line], ours: Iterable[Line], theirs: Iterable[Line]) -> list[Line]:
    """Lines of both sides, each once, without those of the base that one took out."""
    in_ours, in_theirs = dict.fromkeys(ours), dict.fromkeys(theirs)
    gone = {line for line in base if line not in in_ours or line not in in_theirs}
    return [line for line in {**in_ours, **in_theirs} if line not in gone]
