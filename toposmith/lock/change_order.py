"""The change order: what to do between two locks; the old lock and the order give the new one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Literal

from toposmith.lock.lock_file import FabricLock, LockedCable, LockedDevice

Verb = Literal["add", "replace", "shift", "note", "lay", "move", "pull", "take out"]
"""Of devices: add, replace by another part, shift to another place, note (a fact), take out; of
cables: lay, move one end, pull."""

_FIRST, _LEAVE, _JOIN_SWITCHES, _MOVE, _JOIN_NODES, _LAST = range(6)
"""Phases: devices are added; nodes leave; switches are cabled; cables move; nodes join; switches
that nothing needs are taken out."""


@dataclass(frozen=True)
class ChangeAct:
    """One act: a device or a cable before and after; None where there is none.

    ``shares`` is the other connection of a twin cable, which stays where this one goes: the cable
    is left plugged, and the ports of this connection are shut.
    """

    verb: Verb
    before: LockedDevice | LockedCable | None
    after: LockedDevice | LockedCable | None
    shares: LockedCable | None = None

    @property
    def cables(self) -> tuple[LockedCable | None, LockedCable | None]:
        """The cable before and after; None for a device."""
        before = self.before if isinstance(self.before, LockedCable) else None
        return before, self.after if isinstance(self.after, LockedCable) else None

    @property
    def subject(self) -> LockedDevice | LockedCable:
        """What it is done to: as it is afterwards, else as it was."""
        subject = self.after if self.after is not None else self.before
        assert subject is not None
        return subject

    @property
    def ends(self) -> tuple[str, str]:
        """Where a plug comes from and where it goes; for a device its place before and after.

        Of a move these are the old and the new end, of others both ends of the cable.
        """
        before, after = self.cables
        if before is not None and after is not None:
            which = 1 if before.ends[0] == after.ends[0] else 0
            return " ".join(before.ends[which]), " ".join(after.ends[which])
        cable = after or before
        if cable is not None:
            return " ".join(cable.ends[0]), " ".join(cable.ends[1])
        sides = (self.before, self.after)
        return tuple(  # type: ignore[return-value]
            f"{one.rack} U{one.unit}" if isinstance(one, LockedDevice) and one.rack else ""
            for one in sides
        )

    @property
    def words(self) -> str:
        """``move C0007: leaf-0 5/1 to leaf-0 6/1``."""
        subject, (first, second) = self.subject, self.ends
        if isinstance(subject, LockedDevice):
            where = " to ".join(dict.fromkeys(place for place in (first, second) if place))
            return f"{self.verb} {subject.name} ({subject.part}) {where}".rstrip()
        made = " ".join(
            word for word in (subject.part, subject.metres and f"{subject.metres} m") if word
        )
        parts = f" ({made})" if made and self.verb != "move" else ""
        if self.shares is not None:
            parts += f"; by its ports alone, the cable stays for {' '.join(self.shares.ends[0])}"
        return f"{self.verb} {subject.label}: {first} to {second}{parts}"


@dataclass(frozen=True)
class ChangePhase:
    """Acts that are done together: what is unplugged in one is plugged in again at its end."""

    acts: tuple[ChangeAct, ...]
    takes_down: bool
    """Whether anything that runs is touched."""


def change_phases(
    old: FabricLock, new: FabricLock, nodes: Collection[str], most_down: float
) -> list[ChangePhase]:
    """The acts in phases that keep the cluster running.

    Devices are added first. Nodes that leave go, then new switches are cabled where ports are free,
    then cables move, then new nodes join; switches that nothing needs go last. Where cables wait
    for one another's ports in a ring, one is pulled and laid anew under its label.

    Parameters
    ----------
    old, new : FabricLock
        What lies there, and what shall lie there.
    nodes : collection of str
        Names of devices that are no switches.
    most_down : float
        The share of a device's cables to one group, and of the devices of a group, that one phase
        may touch; one of each at least.
    """
    return _Ordering(old, nodes, acts_between(old, new)).phases(most_down)


def acts_between(old: FabricLock, new: FabricLock) -> list[ChangeAct]:
    """All that one lock is changed by to be the other, in no order of work."""
    acts: list[ChangeAct] = []
    was, now = old.by_name, new.by_name
    for device in new.devices:
        before = was.get(device.name)
        if before is None:
            acts.append(ChangeAct("add", None, device))
        elif before != device:
            acts.append(ChangeAct(_changed(before, device), before, device))
    had, have = set(old.cables), set(new.cables)
    by_label: dict[str, list[LockedCable]] = defaultdict(list)
    for cable in old.cables:
        if cable not in have:
            by_label[cable.label].append(cable)
    for cable in new.cables:
        if cable in had:
            continue
        same = by_label[cable.label]
        lies = next((one for one in same if set(one.ends) & set(cable.ends)), None)
        if lies is None:
            acts.append(ChangeAct("lay", None, cable))
        else:
            same.remove(lies)
            acts.append(ChangeAct("move", lies, cable))
    kept = {cable.label: cable for cable in old.cables if cable in have}
    acts += [
        ChangeAct("pull", cable, None, kept.get(label))
        for label, same in by_label.items()
        for cable in same
    ]
    acts += [
        ChangeAct("take out", device, None) for device in old.devices if device.name not in now
    ]
    return acts


def _changed(before: LockedDevice, after: LockedDevice) -> Verb:
    if before.part != after.part:
        return "replace"
    return "note" if (before.rack, before.unit) == (after.rack, after.unit) else "shift"


class _Ordering:
    """Acts with what each waits for, and when in the work it belongs."""

    def __init__(self, old: FabricLock, nodes: Collection[str], acts: list[ChangeAct]) -> None:
        self._old, self._nodes, self._acts = old, nodes, acts
        self._group_of = {device.name: device.group for device in old.devices}
        self._leaving = _nodes_of("take out", acts, nodes)
        self._joining = _nodes_of("add", acts, nodes)
        leaving = (act.subject for act in acts if act.verb == "take out")
        self._gone = {one.name for one in leaving if isinstance(one, LockedDevice)}
        self._waits = self._what_each_waits_for()

    def _what_each_waits_for(self) -> list[set[int]]:
        """For each act those that free its ports, bring its devices, or clear the device first."""
        holder: dict[tuple[str, str], int] = {}
        brings: dict[str, int] = {}
        clears: dict[str, list[int]] = defaultdict(list)
        for at, act in enumerate(self._acts):
            before, after = act.cables
            if before is not None:
                holder |= dict.fromkeys(before.ends, at)
                if after is None:
                    for name, _ in before.ends:
                        clears[name].append(at)
                elif after.a != before.a or after.z != before.z:
                    for name in {before.a, before.z} - {after.a, after.z}:
                        clears[name].append(at)
            elif isinstance(act.after, LockedDevice) and act.verb in ("add", "replace"):
                brings[act.after.name] = at
        waits: list[set[int]] = []
        for at, act in enumerate(self._acts):
            _, after = act.cables
            needed: set[int] = set()
            if after is not None:
                needed = {holder[end] for end in after.ends if end in holder}
                needed |= {brings[name] for name, _ in after.ends if name in brings}
            elif isinstance(act.subject, LockedDevice) and act.verb in ("take out", "replace"):
                needed = set(clears[act.subject.name])
            waits.append(needed - {at})
        return waits

    def _own_phase(self, act: ChangeAct) -> int:
        subject = act.subject
        if isinstance(subject, LockedDevice):
            if act.verb in ("add", "note"):
                return _FIRST
            if act.verb != "take out":
                return _MOVE
            return _LEAVE if subject.name in self._nodes else _LAST
        names = {subject.a, subject.z}
        if act.verb == "pull" and names & self._leaving:
            return _LEAVE
        if act.verb == "lay":
            return _JOIN_NODES if names & self._joining else _JOIN_SWITCHES
        return _MOVE

    def _in_sequence(self) -> list[tuple[int, int]]:
        """Acts with their phases, each after what it waits for and not before its phase."""
        left = [len(needed) for needed in self._waits]
        asked: dict[int, list[int]] = defaultdict(list)
        for at, needed in enumerate(self._waits):
            for other in needed:
                asked[other].append(at)
        phase = [self._own_phase(act) for act in self._acts]
        ready = [(phase[at], at) for at, count in enumerate(left) if not count]
        heapify(ready)
        waiting = {at for at, count in enumerate(left) if count}
        sequence: list[tuple[int, int]] = []

        def done(at: int, when: int) -> None:
            for other in asked.pop(at, ()):
                left[other] -= 1
                phase[other] = max(phase[other], when)
                if not left[other] and other in waiting:
                    waiting.remove(other)
                    heappush(ready, (phase[other], other))

        while ready or waiting:
            if ready:
                when, at = heappop(ready)
                sequence.append((at, when))
                done(at, when)
                continue
            at = min(one for one in waiting if self._acts[one].cables[0] is not None)
            act, when = self._acts[at], max(phase[at], _MOVE)
            pull = len(self._acts)
            self._acts.append(ChangeAct("pull", act.before, None))
            self._waits.append(set())
            for other in (*asked[at], at):
                self._waits[other].add(pull)
            sequence.append((pull, when))
            self._acts[at] = ChangeAct("lay", None, act.after)
            done(at, when)
        return sequence

    def _touched(self, act: ChangeAct) -> Sequence[tuple[str, str]]:
        """What lacks something: a device of its cables to a group, or a group of its devices.

        A node that leaves has no jobs any more, so that its cables are nobody's loss. Of a move it
        is the end that stays: all leaves turn away from one spine together, and keep the others.
        """
        before, after = act.cables
        if before is not None and after is not None:
            return (self._sides(before)[0 if before.ends[0] in after.ends else 1],)
        if before is not None:
            if {before.a, before.z} & self._leaving:
                return ()
            return tuple(side for side in self._sides(before) if side[0] not in self._gone)
        if act.verb in ("replace", "shift") and isinstance(act.subject, LockedDevice):
            return (("", act.subject.group),)
        return ()

    def _sides(self, cable: LockedCable) -> tuple[tuple[str, str], tuple[str, str]]:
        """Each device of a cable, with the group of the other."""
        groups = self._group_of
        return (cable.a, groups[cable.z]), (cable.z, groups[cable.a])

    def phases(self, most_down: float) -> list[ChangePhase]:
        """Acts in their sequence, divided so that no phase takes down more than a share."""
        has = Counter(side for cable in self._old.cables for side in self._sides(cable))
        has.update(("", device.group) for device in self._old.devices)
        room: dict[tuple[int, int], Counter[tuple[str, str]]] = defaultdict(Counter)
        spot: dict[int, tuple[int, int]] = {}
        held: dict[tuple[int, int], list[ChangeAct]] = defaultdict(list)
        for at, when in self._in_sequence():
            level = max(
                (spot[one][1] for one in self._waits[at] if one in spot and spot[one][0] == when),
                default=0,
            )
            touched = self._touched(self._acts[at])
            while any(
                room[when, level][one] + 1 > max(1, int(has[one] * most_down)) for one in touched
            ):
                level += 1
            for one in touched:
                room[when, level][one] += 1
            spot[at] = (when, level)
            held[when, level].append(self._acts[at])
        return [
            ChangePhase(tuple(held[key]), any(self._touched(act) for act in held[key]))
            for key in sorted(held)
        ]


def _nodes_of(verb: Verb, acts: Iterable[ChangeAct], nodes: Collection[str]) -> set[str]:
    """Names of the nodes that something is done to."""
    devices = (act.subject for act in acts if act.verb == verb)
    return {one.name for one in devices if isinstance(one, LockedDevice)} & set(nodes)
