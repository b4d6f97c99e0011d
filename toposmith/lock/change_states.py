"""The fabric at any moment of a change, as a design that can be analysed.

Everything that is there before or after is in one frame: groups and axes as large as ever, as many
cables of a pair as ever. What a moment lacks is ``absent:`` in it, and a cable that no link deals
is a single one. While a group is of two parts, those of the rarer one are a group of their own,
with single cables.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from toposmith.bill.link_cages import cage_of_port, port_labels
from toposmith.design.document import MAX_SELECTORS, Design, Group, Link, SingleCable
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import LinkEnd, Plan
from toposmith.fabric.planner import plan_design
from toposmith.lock.lock_file import FabricLock, LockedCable, LockedDevice
from toposmith.lock.wanted_connections import DeviceKey, EndPorts
from toposmith.racks.connections import connections, missing
from toposmith.racks.locked_devices import coordinates_text, number_at

MOST_SINGLE = 1_000
"""Single cables of a moment; of more nothing is worked out."""

MOST_CONNECTIONS = 30_000
"""Connections of a fabric whose moments are worked out: each takes its time."""

_Connection = tuple[int, int, int, int, int]
"""Place of a link, instances of both ends, and their ports; -1 for a switch."""


_OTHER_PART = "-of-other-part"
"""Behind the name of a group, those of it that are of its rarer part meanwhile."""


class NoMomentError(Exception):
    """Why a moment cannot be written as a design."""


@dataclass(frozen=True, eq=False)
class ChangeFrame:
    """A frame around a lock before a change and the lock after it.

    Parameters
    ----------
    new : EvaluatedDesign
        The design after the change.
    before, after : FabricLock
        What lies there, and what shall lie there.
    """

    new: EvaluatedDesign
    before: FabricLock
    after: FabricLock

    def moment(self, lock: FabricLock) -> Design:
        """The design of what lies there at one moment.

        Raises
        ------
        NoMomentError
            Where no design can say it.
        """
        if len(lock.cables) > MOST_CONNECTIONS:
            raise NoMomentError(f"more than {MOST_CONNECTIONS:,} connections")
        return _Moment(self._framed(*_parts_of(lock)), lock).design()

    def modules(self, lock: FabricLock) -> Counter[str] | None:
        """Transceivers of a lock by part, one for each cage; None where the frame lacks a port."""
        try:
            return _Moment(self._framed(*_parts_of(lock)), lock).modules()
        except NoMomentError:
            return None

    def _framed(self, parts: dict[str, str], rarer: dict[str, str]) -> Plan:
        """The frame with these parts of its groups, and of those that have two the rarer one."""
        key = (*sorted(parts.items()), *sorted(rarer.items()))
        if key not in self._known:
            self._known[key] = self._planned(parts, rarer)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[tuple[str, str], ...], Plan]:
        return {}

    def _planned(self, parts: dict[str, str], rarer: dict[str, str]) -> Plan:
        design = self._design
        groups: dict[str, Group] = {}
        for name, group in design.groups.items():
            groups[name] = group.model_copy(update={"part": parts.get(name, group.part)})
            if name in rarer:
                groups[name + _OTHER_PART] = group.model_copy(update={"part": rarer[name]})
            if group.nics and {group.part} != {
                parts.get(name, group.part),
                rarer.get(name, group.part),
            }:
                raise NoMomentError(f"which NICs {name} had is not in the lock")
        plan = plan_design(design.model_copy(update={"groups": groups}), self.new.catalog)
        wrong = [one for one in plan.findings if one.severity == "error"]
        if wrong or len(plan.links) < len(design.links):
            why = f": {wrong[0].where}: {wrong[0].text}" if wrong else ""
            raise NoMomentError(f"both fabrics together cannot be planned{why}")
        return plan

    @cached_property
    def _design(self) -> Design:
        """All groups, axes and links of both, each as large as in either."""
        new = self.new.design
        axes = dict(new.axes)
        groups = dict(new.groups)
        for device in (*self.before.devices, *self.after.devices):
            values = dict(_coordinates(device))
            own = values.pop(device.group, 0)
            known = groups.get(device.group)
            if known is None:
                known = Group(part=device.part, per=tuple(values))
            for axis, value in values.items():
                if axis not in known.per and value:
                    raise NoMomentError(f"{device.group} repeats over other axes")
                axes[axis] = max(axes.get(axis, 1), value + 1)
            groups[device.group] = known.model_copy(update={"count": max(known.count, own + 1)})
        links = {
            frozenset(end.partition(".")[0] for end in link.between): link for link in new.links
        }
        if len(links) < len(new.links):
            raise NoMomentError("two groups are joined by several links")
        for ends, most in self._most_of_pairs().items():
            link = links.get(ends)
            if link is None:
                links[ends] = self._other_link(ends, groups, most)
            elif not any("." in end for end in link.between) and (link.cables or most > 1):
                links[ends] = link.model_copy(update={"cables": max(link.cables or 1, most)})
        kept: dict[str, object] = {"axes": axes, "groups": groups, "links": tuple(links.values())}
        kept |= {"absent": (), "down": (), "slow": {}, "sets": {}, "jobs": (), "cables": ()}
        kept |= {"placement": None, "waivers": (), "view": None, "pins": None}
        return new.model_copy(update=kept).bound_to(None)

    def _most_of_pairs(self) -> dict[frozenset[str], int]:
        """By two groups, the most cables that two of their devices ever have."""
        most: dict[frozenset[str], int] = defaultdict(int)
        for lock in (self.before, self.after):
            group = {device.name: device.group for device in lock.devices}
            between = Counter(frozenset((one.a, one.z)) for one in lock.cables)
            for names, count in between.items():
                ends = frozenset(group[name] for name in names)
                most[ends] = max(most[ends], count)
        return most

    def _other_link(self, ends: frozenset[str], groups: dict[str, Group], most: int) -> Link:
        """A link that only the fabric before has, between switches."""
        kinds = [self.new.catalog.get(groups[name].part) for name in ends]
        if len(ends) < 2 or any(kind is None or kind.kind != "switch" for kind in kinds):
            raise NoMomentError(f"{' - '.join(sorted(ends))} is no link any more")
        first, second = sorted(ends, key=list(groups).index)
        return Link(between=(first, second), cables=most)


def _coordinates(device: LockedDevice) -> Iterator[tuple[str, int]]:
    for part in device.at.split(",") if device.at else ():
        axis, _, value = part.partition("=")
        if not (value.isascii() and value.isdigit() and len(value) < 7):
            raise NoMomentError(f"{device.name} has no coordinates")
        yield axis, int(value)


def _parts_of(lock: FabricLock) -> tuple[dict[str, str], dict[str, str]]:
    """The part of each group, and of those that have two the one that fewer devices are of."""
    cabled = {name for cable in lock.cables for name in (cable.a, cable.z)}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for device in lock.devices:
        if device.name in cabled:
            counts[device.group][device.part] += 1
    parts: dict[str, str] = {}
    rarer: dict[str, str] = {}
    for name, count in counts.items():
        ranked = sorted(count, key=lambda part: (-count[part], part))
        if len(ranked) > 2:
            raise NoMomentError(f"{name} is of three parts meanwhile")
        parts[name] = ranked[0]
        if len(ranked) == 2:
            rarer[name] = ranked[1]
    return parts, rarer


class _Moment:
    def __init__(self, plan: Plan, lock: FabricLock) -> None:
        self._plan, self._lock = plan, lock
        self._keys: dict[str, DeviceKey] = {}
        for device in lock.devices:
            name = device.group
            if name + _OTHER_PART in plan.groups and device.part != plan.groups[name].spec.part:
                name += _OTHER_PART
            number = number_at(plan.groups[device.group], device.at)
            assert number is not None
            self._keys[device.name] = (name, number)
        self._ports = [(EndPorts(plan, one.a), EndPorts(plan, one.b)) for one in plan.every_link]

    def design(self) -> Design:
        cabled = {name for cable in self._lock.cables for name in (cable.a, cable.z)}
        there = {key for name, key in self._keys.items() if name in cabled}
        dealt = Counter[_Connection]()
        gone = missing(self._plan)
        for place, link in enumerate(self._plan.every_link):
            for a, b, port_a, port_b in connections(self._plan, link, gone):
                if (link.a.group, a) in there and (link.b.group, b) in there:
                    dealt[place, a, b, port_a, port_b] += 1
        others = [cable for cable in self._lock.cables if self._is_of_other_part(cable)]
        lies = Counter(
            self._connection(cable)
            for cable in self._lock.cables
            if not self._is_of_other_part(cable)
        )
        absent = [*self._absent_devices(there), *self._absent_cables(dealt, dealt - lies)]
        single = [self._single(one) for one in (lies - dealt).elements()]
        single += [self._of_ports(cable) for cable in others]
        if len(single) > MOST_SINGLE or len(absent) > MAX_SELECTORS:
            raise NoMomentError("too many cables lie otherwise than links deal them")
        return self._plan.design.model_copy(
            update={"absent": tuple(absent), "cables": tuple(single)}
        )

    def modules(self) -> Counter[str]:
        """Transceivers by part: ports of one cage share one."""
        plugged = {
            (name, self._cage(name, port, cable.gbit), plug)
            for cable in self._lock.cables
            for (name, port), plug in zip(cable.ends, (cable.a_plug, cable.z_plug), strict=True)
            if plug and plug != cable.part
        }
        return Counter(plug for _, _, plug in plugged)

    def _cage(self, name: str, port: str, gbit: str) -> object:
        """The cage of a port, by place on a switch, by slot and place on a node."""
        key = self._keys[name][0]
        if key.endswith(_OTHER_PART):
            raise NoMomentError(f"{key} has no links")
        for link, both in zip(self._plan.every_link, self._ports, strict=True):
            for end, ports in zip((link.a, link.b), both, strict=True):
                place = ports.place.get(port)
                if end.group != key or place is None or gbit not in ("", str(link.speed_gbit)):
                    continue
                if ports.of_switch:
                    return place // ports.breakout
                held = cage_of_port(self._plan.groups[key], end.ports).get(place)
                return (end.ports, "port", place) if held is None else (end.ports, held[0])
        raise NoMomentError(f"{name} has no port {port}")

    def _is_of_other_part(self, cable: LockedCable) -> bool:
        return any(self._keys[name][0].endswith(_OTHER_PART) for name in (cable.a, cable.z))

    def _of_ports(self, cable: LockedCable) -> SingleCable:
        """A cable from port to port, of no link."""
        first, second = (self._end_text(*self._keys[name], port) for name, port in cable.ends)
        return SingleCable(a=first, z=second, speed=int(cable.gbit) if cable.gbit else None)

    def _end_text(self, name: str, number: int, label: str) -> str:
        """A device, and of a node the port with this label."""
        group = self._plan.groups[name]
        device = f"{name}[{coordinates_text(group, number)}]"
        if group.host is None:
            return device
        for slots in group.port_groups:
            labels = port_labels(group, LinkEnd(name, slots)).labels
            if label in labels:
                return f"{device}.{slots}[{labels.index(label)}]"
        raise NoMomentError(f"{name} has no port {label}")

    def _connection(self, cable: LockedCable) -> _Connection:
        """A cable as one of a link of the frame."""
        (name_a, a), (name_z, z) = self._keys[cable.a], self._keys[cable.z]
        for place, link in enumerate(self._plan.every_link):
            if cable.gbit not in ("", str(link.speed_gbit)):
                continue
            for ends in ((name_a, a, cable.a_port, name_z, z, cable.z_port),
                         (name_z, z, cable.z_port, name_a, a, cable.a_port)):  # fmt: skip
                if (ends[0], ends[3]) == (link.a.group, link.b.group):
                    ports = [
                        -1 if known.of_switch else known.place.get(port, -2)
                        for known, port in zip(self._ports[place], (ends[2], ends[5]), strict=True)
                    ]
                    if -2 not in ports and not (link.is_self and ends[1] > ends[4]):
                        return place, ends[1], ends[4], ports[0], ports[1]
        raise NoMomentError(f"no link of both fabrics has the cable {cable.label}")

    def _text(self, end: LinkEnd, number: int) -> str:
        at = coordinates_text(self._plan.groups[end.group], number)
        return f"{end.group}[{at}]"

    def _absent_devices(self, there: set[DeviceKey]) -> Iterator[str]:
        for name, group in self._plan.groups.items():
            lacking = [n for n in range(group.instances) if (name, n) not in there]
            if len(lacking) == group.instances:
                yield name
                continue
            for number in lacking:
                yield f"{name}[{coordinates_text(group, number)}]"

    def _absent_cables(
        self, dealt: Counter[_Connection], lacking: Counter[_Connection]
    ) -> Iterator[str]:
        """Selectors of cables that are not there: of switches by pair, of nodes by port."""
        by_pair: dict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
        for (place, a, b, port_a, port_b), count in lacking.items():
            link = self._plan.every_link[place]
            if port_a >= 0:
                yield f"{self._text(link.a, a)}.{link.a.ports}[{port_a}]"
            elif port_b >= 0:
                yield f"{self._text(link.b, b)}.{link.b.ports}[{port_b}]"
            else:
                by_pair[place][a, b] += count
        for place, counts in by_pair.items():
            yield from self._of_pairs(place, counts, dealt)

    def _of_pairs(
        self, place: int, counts: Counter[tuple[int, int]], dealt: Counter[_Connection]
    ) -> Iterator[str]:
        link = self._plan.every_link[place]
        whole = {(a, b): count for (at, a, b, _, _), count in dealt.items() if at == place}

        def some(count: int, of: int) -> str:
            return "" if count == of else f"{count} of "

        alike = len(set(counts.values())) == len(set(whole.values())) == 1
        if alike and counts.keys() == whole.keys():
            pair, count = next(iter(counts.items()))
            yield f"{some(count, whole[pair])}{link.a.group} - {link.b.group}"
            return
        for (a, b), count in counts.items():
            ends = f"{self._text(link.a, a)} - {self._text(link.b, b)}"
            yield f"{some(count, whole[a, b])}{ends}"

    def _single(self, one: _Connection) -> SingleCable:
        place, a, b, port_a, port_b = one
        link = self._plan.every_link[place]
        ends = []
        for end, number, port in ((link.a, a, port_a), (link.b, b, port_b)):
            of_node = f".{end.ports}[{port}]" if port >= 0 else ""
            ends.append(self._text(end, number) + of_node)
        return SingleCable(a=ends[0], z=ends[1])


def nodes_of(new: EvaluatedDesign, locks: Iterable[FabricLock]) -> frozenset[str]:
    """Names of the devices of some locks that are no switches, by their parts."""
    kinds = new.catalog
    return frozenset(
        device.name
        for lock in locks
        for device in lock.devices
        if (part := kinds.get(device.part)) is not None and part.kind in ("node", "storage")
    )
