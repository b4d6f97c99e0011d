"""Locks that do not fit their design."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_block
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
    if others := devices_beyond(subject.plan):
        yield found(
            "lock-of-another" if not_of_design(subject.plan) else "lock-larger",
            place,
            file=binding.source,
            devices=len(others),
            first=others[0],
        )


def devices_beyond(plan: Plan) -> list[str]:
    """Names of devices of the lock that the design does not have."""
    known = locked_devices(plan).values()
    names = {device.name for devices in known for device in devices.values()}
    lock = plan.design.lock
    return [device.name for device in lock.devices if device.name not in names] if lock else []


def not_of_design(plan: Plan) -> bool:
    """Whether the lock has devices, and the design none of them."""
    others, lock = devices_beyond(plan), plan.design.lock
    return lock is not None and bool(others) and len(others) == len(lock.devices)


FIND: tuple[Find, ...] = (misfit_locks,)
EXPLAIN: Explainers = {}
