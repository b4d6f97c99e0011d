"""Locks that do not fit their design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from toposmith.bill.link_cages import labels_of
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding, at_block, found
from toposmith.lock.lock_columns import columns_of
from toposmith.lock.lock_file import LockedCable, LockedDevice
from toposmith.racks.locked_devices import locked_devices
from toposmith.review.findings.subject import Explainers, Find, Subject


def misfit_locks(subject: Subject) -> Iterator[Finding]:
    """A lock that cannot be read, that is of another design, or that says more than it has."""
    return misfits(subject.plan)


def misfits(plan: Plan) -> Iterator[Finding]:
    """What the lock of a design says that cannot be true of it, each with its line."""
    binding = plan.design.binding
    if binding is None:
        return
    place = at_block("lock")
    for fault in binding.faults:
        yield found("lock-unusable", place, file=binding.source, fault=fault)
    if binding.lock is None:
        return
    another = not_of_design(plan)
    asked = [] if another else list(renamed_by_hand(plan))
    for one in asked:
        yield found(
            "lock-renamed",
            place,
            file=binding.source,
            line=binding.line_of(one.device),
            what=one.what,
            old=one.old,
            new=" or ".join(one.new),
            first_new=one.new[0],
        )
    if not asked and (others := devices_beyond(plan)):
        yield found(
            "lock-of-another" if another else "lock-larger",
            place,
            file=binding.source,
            line=binding.line_of(others[0]),
            devices=len(others),
            first=others[0].name,
        )
    for odd in ports_beyond(plan):
        yield found(
            "lock-odd-port",
            place,
            file=binding.source,
            line=binding.line_of(odd.cable),
            group=odd.device.group,
            part=odd.device.part,
            first=f"{odd.device.name} {odd.port}",
            ends=odd.ends,
        )


class OddPort(NamedTuple):
    """A port that a locked device has not; ``ends`` are those of all cables at such of its group.

    ``cable`` is the first line that names it.
    """

    device: LockedDevice
    port: str
    cable: LockedCable
    ends: int


def ports_beyond(plan: Plan) -> Iterator[OddPort]:
    """By group, the first port of the lock that the part of its devices lacks.

    A device that the design gives another part, or a node that loses a NIC in each device of its
    group, loses ports by an edit: these are no fault of the lock.
    """
    lock = plan.design.lock
    if lock is None:
        return
    columns, known = columns_of(lock), locked_devices(plan)
    place = {device.name: at for at, device in enumerate(lock.devices)}
    for name, devices in known.items():
        group = plan.groups[name]
        labels = labels_of(group) if group.part is not None else frozenset(columns.ports)
        lacks = np.array([port not in labels for port in columns.ports], dtype=bool)
        own = np.zeros(len(lock.devices) + 1, dtype=bool)
        own[[place[one.name] for one in devices.values() if one.part == group.spec.part]] = True
        found_at: list[tuple[int, int]] = []
        for side, port in enumerate(columns.port):
            rows = np.flatnonzero(own[columns.device[side]] & lacks[port])
            found_at += ((row, side) for row in rows.tolist())
        if group.host is not None:
            many = Counter(int(columns.port[side][row]) for row, side in found_at)
            found_at = [
                (row, side)
                for row, side in found_at
                if many[int(columns.port[side][row])] < own.sum()
            ]
        if found_at:
            row, side = min(found_at)
            name, label = lock.cables[row].ends[side]
            yield OddPort(lock.by_name[name], label, lock.cables[row], len(found_at))


def devices_beyond(plan: Plan) -> list[LockedDevice]:
    """Devices of the lock that the design does not have."""
    known = locked_devices(plan).values()
    names = {device.name for devices in known for device in devices.values()}
    lock = plan.design.lock
    return [device for device in lock.devices if device.name not in names] if lock else []


class Renamed(NamedTuple):
    """A group or an axis of the lock that may have another name in the design now.

    ``new`` are the names that it may have, that of a group of the same part first; ``device`` is
    one of those that it is about.
    """

    what: Literal["group", "axis"]
    old: str
    new: tuple[str, ...]
    device: LockedDevice


def renamed_by_hand(plan: Plan) -> Iterator[Renamed]:
    """Groups and axes of the lock that the design lacks, where it has others that the lock lacks.

    Whether these are the same cannot be known: it is asked.
    """
    lock = plan.design.lock
    groups = {one.group: one for one in reversed(lock.devices)} if lock is not None else {}
    fresh = [name for name in plan.groups if name not in groups]
    for name, device in groups.items():
        group = plan.groups.get(name)
        if group is None and fresh:
            alike = sorted(fresh, key=lambda new: plan.groups[new].spec.part != device.part)
            yield Renamed("group", name, tuple(alike), device)
        elif group is not None:
            axes = [part.partition("=")[0] for part in device.at.split(",")]
            new = tuple(axis for axis in group.axes if axis not in axes)
            for axis in axes if new else ():
                if axis not in group.axes:
                    yield Renamed("axis", axis, new, device)


def not_of_design(plan: Plan) -> bool:
    """Whether the lock has devices, and the design none of them."""
    others, lock = devices_beyond(plan), plan.design.lock
    return lock is not None and bool(others) and len(others) == len(lock.devices)


FIND: tuple[Find, ...] = (misfit_locks,)
EXPLAIN: Explainers = {}
