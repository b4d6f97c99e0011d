"""Locks that do not fit their design."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding, at_block, found
from toposmith.lock.lock_file import LockedDevice
from toposmith.racks.locked_devices import locked_devices
from toposmith.review.findings.subject import Explainers, Find, Subject


def misfit_locks(subject: Subject) -> Iterator[Finding]:
    """A lock that cannot be read, that is of another design, or that is larger than it."""
    binding = subject.plan.design.binding
    if binding is None:
        return
    place = at_block("lock")
    for fault in binding.faults:
        yield found("lock-unusable", place, file=binding.source, fault=fault)
    if binding.lock is None:
        return
    another = not_of_design(subject.plan)
    asked = [] if another else list(renamed_by_hand(subject.plan))
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
    if not asked and (others := devices_beyond(subject.plan)):
        yield found(
            "lock-of-another" if another else "lock-larger",
            place,
            file=binding.source,
            line=binding.line_of(others[0]),
            devices=len(others),
            first=others[0].name,
        )


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
