"""Locks that do not fit their design."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from toposmith.bill.link_cages import labels_of
from toposmith.catalog import Cable, Catalog, Fibre, Part, Transceiver
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding, at_block, found
from toposmith.lock.binding import Binding
from toposmith.lock.lock_columns import columns_of
from toposmith.lock.lock_file import FabricLock, Kit, LockedCable, LockedDevice
from toposmith.programs import git
from toposmith.racks.connections import connection_array, missing
from toposmith.racks.locked_devices import locked_devices
from toposmith.review.findings.subject import Explainers, Find, Subject


def misfit_locks(subject: Subject) -> Iterator[Finding]:
    """A lock that cannot be read, that is of another design, or that says more than it has."""
    return misfits(subject.plan, subject.catalog)


def why_left_alone(plan: Plan, catalog: Catalog, *, odd_ports: bool = False) -> str:
    """Why the lock of a design is left alone: what is wrong with it, and the fix; empty if nothing.

    With ``odd_ports`` a port that a part lacks is no reason: the metal may call it so.
    """
    for one in misfits(plan, catalog):
        if one.severity == "error" and not (odd_ports and one.code == "lock-odd-port"):
            return f"{one.text}; {one.fix}"
    return ""


def misfits(plan: Plan, catalog: Catalog) -> Iterator[Finding]:
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
            line=binding.line_of("d", *one.device),
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
            line=binding.line_of("d", *others[0]),
            devices=len(others),
            first=others[0].name,
        )
    for odd in ports_beyond(plan):
        yield found(
            "lock-odd-port",
            place,
            file=binding.source,
            line=binding.line_of("c", *odd.cable[:6]),
            group=odd.device.group,
            part=odd.device.part + (f" at {odd.gbit} Gb/s" if odd.gbit else ""),
            first=f"{odd.device.name} {odd.port}",
            ends=odd.ends,
        )
    for kit, part in kits_beyond(binding.lock, catalog):
        name = binding.lock.kits[kit]
        yield found(
            "lock-odd-kit",
            place,
            file=binding.source,
            line=binding.line_of("k", name, *kit),
            kit=name,
            part=part,
            gbit=kit[1] or "unknown",
        )
    if bare := uncabled(plan):
        yield found(
            "lock-uncabled",
            place,
            file=binding.source,
            line=binding.line_of("d", *bare[0]),
            devices=len(bare),
            first=bare[0].name,
        )
    yield from added_by_both(binding)


def added_by_both(binding: Binding) -> Iterator[Finding]:
    """What both branches of a merge added alike to a lock: git unites it without asking anybody."""
    both = _lines_of_both(binding)
    devices = sum(one.startswith("d\t") for one in both)
    if devices:
        yield found(
            "lock-added-twice",
            at_block("lock"),
            file=binding.source,
            devices=devices,
            connections=len(both) - devices,
        )


@lru_cache(maxsize=8)
def _lines_of_both(binding: Binding) -> frozenset[str]:
    """Lines of new devices and of cables that both sides of a merge have, and their base has not.

    The merge is that under way, else the last commit where it is one. Empty where git cannot tell.
    """
    place = Path(binding.source)

    def told(*words: str) -> str:
        try:
            done = git(*words, folder=place.parent)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return ""
        return "" if done.returncode else done.stdout.decode("utf-8", "replace")

    if binding.held is not None:
        return frozenset()
    merging = told("rev-parse", "--verify", "--quiet", "MERGE_HEAD").strip()
    ours, theirs = ("HEAD", merging) if merging else ("HEAD^1", "HEAD^2")
    base = told("merge-base", ours, theirs).strip()
    if not base:
        return frozenset()
    sides = (told("cat-file", "blob", f"{one}:./{place.name}") for one in (base, ours, theirs))
    before, *after = ({*text.split("\n")} for text in sides)
    known = {line.split("\t")[1] for line in before if line.startswith("d\t")}
    both = after[0] & after[1] & {*binding.text.split("\n")} - before
    return frozenset(
        line
        for line in both
        if line.startswith("c\t") or (line.startswith("d\t") and line.split("\t")[1] not in known)
    )


class OddPort(NamedTuple):
    """A port that a locked device has not; ``ends`` are those of all cables at such of its group.

    ``gbit`` is the rate at which it has no such port, empty where it has none at any; ``cable`` is
    the first line that names it.
    """

    device: LockedDevice
    port: str
    gbit: str
    cable: LockedCable
    ends: int


def ports_beyond(plan: Plan) -> Iterator[OddPort]:
    """By group, the first port of the lock that the part of its devices lacks at its rate.

    A device that the design gives another part, or a node that loses a NIC in each device of its
    group, loses ports by an edit: these are no fault of the lock.
    """
    lock = plan.design.lock
    if lock is None:
        return
    columns, locked = columns_of(lock), locked_devices(plan)
    place = {device.name: at for at, device in enumerate(lock.devices)}
    rates = sorted({kit[1] for kit in columns.kits})
    rate = np.array([rates.index(kit[1]) for kit in columns.kits], dtype=np.int64)[columns.kit]
    for name, devices in locked.items():
        group = plan.groups[name]
        if group.part is None:
            continue
        known = [labels_of(group, gbit) for gbit in rates]
        lack = [[port not in one for port in columns.ports] for one in known]
        lacks = np.array(lack or [[]], dtype=bool)
        own = np.zeros(len(lock.devices) + 1, dtype=bool)
        own[[place[one.name] for one in devices.values() if one.part == group.spec.part]] = True
        found_at: list[tuple[int, int]] = []
        for side, port in enumerate(columns.port):
            rows = np.flatnonzero(own[columns.device[side]] & lacks[rate, port])
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
            cable = lock.cables[row]
            name, label = cable.ends[side]
            gbit = cable.gbit if label in labels_of(group) else ""
            yield OddPort(lock.by_name[name], label, gbit, cable, len(found_at))


def kits_beyond(lock: FabricLock, catalog: Catalog) -> Iterator[tuple[Kit, str]]:
    """Kits that no cable can be, each with the first part of which none of that rate is made.

    A part that the catalog does not know may be one.
    """
    for kit in lock.kits:
        body, rate = catalog.get(kit[0]), int(kit[1] or 0)
        splits = not isinstance(body, Fibre) or body.ends_b > 1
        parts = (kit[0], *kit[2:])
        if odd := [one for one in parts if not _carries(catalog.get(one), rate, splits)]:
            yield kit, odd[0]


def _carries(part: Part | None, gbit: int, splits: bool) -> bool:
    """Whether connections of so many Gb/s, 0 where unknown, can be made of a part.

    One is of one or several ports of a module, or of half a port that splits.
    """
    if isinstance(part, Transceiver) and gbit:
        return gbit % part.speed_gbit == 0 or (splits and part.speed_gbit == 2 * gbit)
    if isinstance(part, Cable) and gbit:
        return not any(end.speed_gbit % gbit for end in (part.a, part.b))
    return isinstance(part, Cable | Fibre | Transceiver | None)


def uncabled(plan: Plan) -> list[LockedDevice]:
    """Devices of the lock that the design cables, of which the lock has not a single cable."""
    lock = plan.design.lock
    cabled = {name for one in lock.cables for name in (one.a, one.z)} if lock else ()
    bare = {
        (name, number): device
        for name, devices in locked_devices(plan).items()
        for number, device in devices.items()
        if device.name not in cabled
    }
    if not bare:
        return []
    gone, wired = missing(plan), set[tuple[str, int]]()
    for link in plan.every_link:
        for end, numbers in zip((link.a, link.b), connection_array(plan, link, gone), strict=False):
            wired.update((end.group, number) for number in np.unique(numbers).tolist())
    return [device for key, device in bare.items() if key in wired]


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
