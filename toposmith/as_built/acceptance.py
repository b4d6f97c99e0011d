"""What lies there becomes the lock: a dump, or a list of cables, with the metal's own names.

What is bound, and what the design would add, are the plan that the dump is compared with. A cable
found at the ports of a line is that line. One that shares an end with a line that is not found is
that cable with its other end moved; any other is new. What was bound and is not seen stays, as
managers omit ports that are down, unless its port is taken or the dump is said to show all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from toposmith.as_built.cable_list import (
    Cabling,
    ListedCable,
    ListedEnd,
    UnreadableError,
    is_management,
    key_of,
)
from toposmith.as_built.device_matches import match
from toposmith.as_built.name_maps import NameMap
from toposmith.as_built.placed_cables import CablePlacement, PlacedCable, PlacedEnd
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.first_lock import lock_of
from toposmith.lock.lock_columns import columns_of, in_order
from toposmith.lock.lock_file import (
    NOTHING_BOUND,
    FabricLock,
    LockedCable,
    LockedDevice,
    PortName,
    is_label,
    natural,
)
from toposmith.lock.wanted_connections import EndPorts
from toposmith.review.findings.locks import why_left_alone
from toposmith.text import counted

_FACT = re.compile(r"[\w:.-]{1,64}")
_NAME = re.compile(r"[\w(][\w ./:()#+-]{0,63}")

_FoundCable = tuple[PortName, PortName, ListedCable]
"""Both ends as a lock names them, and the cable of the dump."""


@dataclass
class Acceptance:
    """The lock of what lies there, and what became of the lines of before.

    Parameters
    ----------
    lock : FabricLock
        What lies there.
    same, moved, new, unseen, gone : int
        Cables found where a line has them, with another end, in no line, bound and not seen, and
        bound of which another cable has the port or which the dump would show.
    left_out : list of str
        Found cables that no line can say, each with the reason.
    notes : list of str
        Devices that are others than before, and how devices were matched.
    """

    lock: FabricLock = field(default_factory=FabricLock)
    same: int = 0
    moved: int = 0
    new: int = 0
    unseen: int = 0
    gone: int = 0
    left_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """How many devices and cables the lock has, and what became of the lines of before."""
        parts = [
            (self.same, "where they were"),
            (self.moved, "with another end"),
            (self.new, "new"),
            (self.unseen, "not seen and kept"),
            (self.gone, "gone"),
        ]
        told = ", ".join(f"{many:,} {what}" for many, what in parts if many)
        devices = counted(len(self.lock.devices), "device")
        return f"{devices}, {counted(len(self.lock.cables), 'connection')}: {told}"


def accept(
    design: EvaluatedDesign,
    dump: Cabling,
    names: NameMap | None = None,
    *,
    shows_all: bool = False,
) -> Acceptance:
    """The lock with the cables of a dump.

    Parameters
    ----------
    design : EvaluatedDesign
        The design, with the lock until now where there is one.
    dump : Cabling
        What lies there.
    names : NameMap, optional
        A map of device names of the dump.
    shows_all : bool
        The dump is all that there is: what it lacks is gone.

    Raises
    ------
    UnreadableError
        Where the two, or the design and its lock, do not go together, or may not.
    """
    if why := why_left_alone(design.plan, design.catalog, odd_ports=True):
        raise UnreadableError(why)
    return _Accepting(design, dump, names, shows_all).accepted()


class _Accepting:
    def __init__(
        self, design: EvaluatedDesign, dump: Cabling, names: NameMap | None, shows_all: bool
    ) -> None:
        self._design, self._dump, self._shows_all = design, dump, shows_all
        self._bound = design.design.lock or NOTHING_BOUND
        self._wanted = lock_of(design)
        self._devices = {one.name: one for one in (*self._wanted.devices, *self._bound.devices)}
        self._own_name = {key_of(name): name for name in self._devices}
        self._known: dict[frozenset[PortName], LockedCable] = {}
        for line in (*self._bound.cables, *self._wanted.cables):
            self._known.setdefault(frozenset(line.ends), line)
        self._match, wires = match(self._as_cabling(), dump, names)
        if self._match.doubt:
            raise UnreadableError(self._match.doubt)
        self._placed = CablePlacement(self._match, wires).cables()
        self._found = {planned: found for found, planned in self._match.pairs.items()}
        self._result = Acceptance(notes=list(self._match.notes))
        self._listed: dict[LockedCable, str] = {}

    def accepted(self) -> Acceptance:
        """The lock of what lies there."""
        seen, odd = self._as_known()
        bound = set(self._bound.cables)
        left = [line for line in self._known.values() if line not in seen]
        cables = [*seen, *self._odd_lines(odd, left)]
        taken = {end for line in cables for end in line.ends}
        for line in left:
            if _is_never_seen(line):
                cables.append(line)
            elif line in bound and not (self._shows_all or taken & {*line.ends}):
                cables.append(line)
                self._result.unseen += 1
            else:
                self._result.gone += line in bound
        called = self._names_on_the_metal()
        lines = [
            one._replace(a=called.get(one.a, one.a), z=called.get(one.z, one.z))
            for one in self._with_listed_labels(cables)
        ]
        devices = [
            self._as_found(device)._replace(name=called.get(name, name))
            for name, device in self._there(cables)
        ]
        self._result.lock = in_order(devices, lines, self._bound)
        self._result.lock.ports = self._called_ports()
        return self._result

    # what is compared with

    def _as_cabling(self) -> Cabling:
        """All lines as a plan, with the names of ports that the metal has."""
        cabling = Cabling("the design", "lock")
        for line in self._known.values():
            if not _is_never_seen(line):
                ends = [self._as_listed(cabling, *end) for end in line.ends]
                cabling.cables.append(ListedCable(ends[0], ends[1], place=line.label))
        if not cabling.cables:
            raise UnreadableError("the design has no cables that a dump could show")
        return cabling

    def _as_listed(self, cabling: Cabling, name: str, port: str) -> ListedEnd:
        device = self._devices[name]
        part = self._design.catalog.get(device.part)
        is_switch = part is not None and part.kind == "switch"
        key = cabling.device(key_of(name), name, "switch" if is_switch else "host")
        cabling.devices[key].group = device.group
        return ListedEnd(key, self._bound.ports.get(device.group, {}).get(port, port))

    # cables

    def _as_known(self) -> tuple[list[LockedCable], list[_FoundCable]]:
        """Lines that are found, and found cables of no line."""
        seen: dict[LockedCable, None] = {}
        odd: list[_FoundCable] = []
        taken: set[PortName] = set()
        for placed in self._placed:
            a, z = (self._end(end) for end in placed.ends)
            if isinstance(a, str) or isinstance(z, str):
                self._leave_out(placed, a if isinstance(a, str) else str(z))
                continue
            if taken & {a, z}:
                self._leave_out(placed, "the dump has another cable at one of its ports")
                continue
            taken |= {a, z}
            line = self._known.get(frozenset((a, z)))
            if line is None:
                odd.append((a, z, placed.cable))
            else:
                seen[line] = None
                self._listed[line] = placed.cable.label
        self._result.same = len(seen)
        return list(seen), odd

    def _leave_out(self, placed: PlacedCable, why: str) -> None:
        devices = self._dump.devices
        words = (f"{devices[end.device].name} {end.port}" for end in placed.cable[:2])
        self._result.left_out.append(f"{placed.cable.place}: {' - '.join(words)}: {why}")

    def _end(self, end: PlacedEnd) -> PortName | str:
        """A found end as a lock names it, or why it has no name there."""
        if end.outside:
            return f"{self._dump.devices[end.found.device].name} is no device of the design"
        name = self._own_name[end.vertex[0]]
        port = self._own_port(name, end.port) if end.port is not None else None
        if port is None or port not in self._ports_of(name):
            return f"which port of {name} {end.found.port} is, is not known"
        return name, port

    def _own_port(self, name: str, port: str) -> str:
        """A port as its part labels it."""
        return self._own_labels.get((self._devices[name].group, port), port)

    @cached_property
    def _own_labels(self) -> dict[PortName, str]:
        return {
            (group, called): port
            for group, names in self._bound.ports.items()
            for port, called in names.items()
        }

    def _ports_of(self, name: str) -> set[str]:
        """Labels of all ports of a device, in any mode, and those of its lines."""
        return self._labels[self._devices[name].group] | self._labels_in_use[name]

    @cached_property
    def _labels(self) -> dict[str, set[str]]:
        labels: dict[str, set[str]] = defaultdict(set)
        for link in self._design.plan.every_link:
            for end in (link.a, link.b):
                labels[end.group].update(EndPorts(self._design.plan, end).labels)
        return labels

    @cached_property
    def _labels_in_use(self) -> dict[str, set[str]]:
        labels: dict[str, set[str]] = defaultdict(set)
        for line in self._bound.cables:
            for name, port in line.ends:
                labels[name].add(port)
        return labels

    def _groups(self, a: PortName, z: PortName) -> frozenset[str]:
        return frozenset(self._devices[name].group for name, _ in (a, z))

    def _odd_lines(self, odd: list[_FoundCable], left: list[LockedCable]) -> Iterator[LockedCable]:
        """Lines of found cables that none has: a moved end of one, else new; ``left`` loses those.

        Half of a twin cable cannot be elsewhere: what is found there is another cable.
        """
        at_end = {(end, self._groups(*one.ends)): one for one in left for end in one.ends}
        free = dict.fromkeys(left)
        twins = Counter(one.label for one in self._known.values())
        last = max(columns_of(lock).last_label for lock in (self._bound, self._wanted))
        for a, z, found in sorted(odd, key=lambda one: [natural(" ".join(end)) for end in one[:2]]):
            groups = self._groups(a, z)
            was = (at_end.get((end, groups)) for end in (a, z))
            line = next((one for one in was if one in free), None)
            if line is not None:
                del free[line]
                flipped = a == line.ends[1] or z == line.ends[0]
                one, other = (z, a) if flipped else (a, z)
                moved = line._replace(a=one[0], a_port=one[1], z=other[0], z_port=other[1])
                if twins[line.label] == 1:
                    self._result.moved += 1
                    self._listed[moved] = found.label
                    yield moved
                    continue
            last += 1
            self._result.new += 1
            new = LockedCable(*a, *z, f"C{last:04d}", "", "", self._rate(groups, found), "", "")
            self._listed[new] = found.label
            yield new
        left[:] = free

    def _rate(self, groups: frozenset[str], found: ListedCable) -> str:
        """Gb/s of a new cable: that between its groups; of several that of the dump, or unknown."""
        rates = self._rates[groups] or set().union(
            *(known for joined, known in self._rates.items() if joined & groups)
        )
        if len(rates) == 1:
            return next(iter(rates))
        told = f"{found.speed_gbit:g}" if found.speed_gbit else ""
        return told if told in rates else ""

    @cached_property
    def _rates(self) -> dict[frozenset[str], set[str]]:
        rates: dict[frozenset[str], set[str]] = defaultdict(set)
        for line in self._known.values():
            rates[self._groups(*line.ends)].add(line.gbit)
        return rates

    def _with_listed_labels(self, cables: list[LockedCable]) -> list[LockedCable]:
        """Lines with the labels of a list of cables, where these are of one cable each."""
        told: dict[str, set[str]] = defaultdict(set)
        for line in cables:
            told[line.body].add(self._listed.get(line, "").partition("-")[0])
        new = {body: next(iter(labels)) for body, labels in told.items() if len(labels) == 1}
        new = {body: label for body, label in new.items() if "+" not in body and label != body}
        many = Counter(new.get(body, body) for body in told)
        new = {body: label for body, label in new.items() if is_label(label) and many[label] == 1}
        return [
            one._replace(label=new.get(one.body, one.body) + one.label[len(one.body) :])
            for one in cables
        ]

    # devices

    def _there(self, cables: list[LockedCable]) -> Iterator[tuple[str, LockedDevice]]:
        """Devices with a cable, those that are bound already, and those that no dump shows."""
        there = {name for line in cables for name in (line.a, line.z)}
        cabled = {name for line in self._known.values() for name in (line.a, line.z)}
        for name, device in self._devices.items():
            if name in there or name in self._bound.by_name or name not in cabled:
                yield name, device

    def _names_on_the_metal(self) -> dict[str, str]:
        """New names by the old ones; not one that two devices would have."""
        called: dict[str, str] = {}
        for planned, found in self._found.items():
            device, own = self._dump.devices[found], self._own_name[planned]
            if not device.unnamed and _is_name(device.name) and device.name != own:
                called[own] = device.name
        while twice := [
            own
            for own, new in called.items()
            if Counter(called.get(name, name) for name in self._devices)[new] > 1
        ]:
            for own in twice:
                del called[own]
        return called

    def _as_found(self, device: LockedDevice) -> LockedDevice:
        """A device with the facts that the dump has; another one is of the part that is wanted."""
        found = self._found.get(key_of(device.name))
        told = self._dump.devices[found].facts if found is not None else {}
        facts = {
            kind: ",".join(sorted(values))
            for kind, values in told.items()
            if all(_FACT.fullmatch(value) for value in values)
        }
        before = dict(fact.partition("=")[::2] for fact in device.facts.split())
        other = [
            kind
            for kind, value in facts.items()
            if kind in before and not {*before[kind].split(",")} & {*value.split(",")}
        ]
        if other:
            kind = other[0]
            self._result.notes.append(
                f"{device.name} is another device: {kind} {before[kind]} -> {facts[kind]}"
            )
            wanted = self._wanted.by_name.get(device.name, device)
            device = device._replace(part=wanted.part)
        words = [f"{kind}={value}" for kind, value in sorted({**before, **facts}.items())]
        return device._replace(facts=" ".join(words))

    def _called_ports(self) -> dict[str, dict[str, str]]:
        """By group what the metal calls its ports, where all of its devices call one the same.

        Numbers alone, by which subnet managers count, are no names.
        """
        told: dict[PortName, set[str]] = defaultdict(set)
        for placed in self._placed:
            for end in placed.ends:
                if not end.outside and end.port is not None and _is_name(end.found.port):
                    name = self._own_name[end.vertex[0]]
                    port = self._own_port(name, end.port)
                    told[self._devices[name].group, port].add(end.found.port)
        ports = {group: dict(names) for group, names in self._bound.ports.items()}
        for (group, port), labels in told.items():
            (label, *others) = labels
            names = ports.get(group, {})
            if (
                not others
                and label != port
                and label not in {*names.values()} | self._labels[group]
            ):
                ports.setdefault(group, {})[port] = label
        return ports


def _is_never_seen(line: LockedCable) -> bool:
    """Whether a cable is of the management network, which dumps leave out."""
    return is_management(line.a_port) or is_management(line.z_port)


def _is_name(text: str) -> bool:
    """Whether a text names a device or port in a lock: with a letter, and no field's end."""
    return bool(_NAME.fullmatch(text)) and any(sign.isalpha() for sign in text)
