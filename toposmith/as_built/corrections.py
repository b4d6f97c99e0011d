"""Differences as entries of a design: ``absent:``, ``cables:`` and ``slow:``.

A missing cable is absent, one that goes elsewhere is listed with both ends, one
that runs slower is slow. So the fabric as built is a design like any other.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.bill.link_cages import port_labels
from toposmith.design.document import (
    MAX_SINGLE_CABLES,
    Design,
    SingleCable,
    SlowSpeed,
)
from toposmith.design.edits.edit import Edit, changed
from toposmith.errors import EditError
from toposmith.fabric.plan import DealtCable, PlannedEnd
from toposmith.fabric.single_cables import SWITCH_PORT, port_of
from toposmith.racks.connections import coordinates
from toposmith.racks.locked_devices import port_names
from toposmith.text import natural

if TYPE_CHECKING:
    from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan

OUTSIDE = "a device that the design does not have"
NO_LABEL = "which port of the host it is, the dump does not say"
NO_SPEED = "how fast it runs, the dump does not say"
TWO_CABLES = "the dump has two cables at one port: one is wrong, or they are of different times"
TWO_NODES = "it joins two nodes of one group, or a device to itself, which a design cannot say"


@dataclass
class Correction:
    """Entries that turn a design into the fabric as found.

    Parameters
    ----------
    devices, ports : list of str
        Selectors of ``absent:``.
    pairs : Counter
        Number of absent cables between two devices, by the selectors of both.
    cables : list of SingleCable
        Entries of ``cables:``.
    slow : dict of str to SlowSpeed
        Entries of ``slow:`` for ports of hosts.
    slow_pairs : dict
        Number of cables by speed, by the selectors of both devices.
    left_out : list of tuple
        Differences that entries express in part or not at all, with the reason: the wrong peer of
        a cable may be left out, that it is missing at the right one never is.
    """

    devices: list[str] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    cables: list[SingleCable] = field(default_factory=list)
    slow: dict[str, SlowSpeed] = field(default_factory=dict)
    slow_pairs: dict[tuple[str, str], Counter[SlowSpeed]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    left_out: list[tuple[CablingDifference, str]] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether it changes nothing."""
        parts = (self.devices, self.ports, self.pairs, self.cables, self.slow, self.slow_pairs)
        return not any(parts)

    @property
    def key(self) -> tuple[object, ...]:
        """A key equal for corrections with the same effect."""
        slow_pairs = sorted((pair, str(speed), many) for pair, speeds in self.slow_pairs.items()
                            for speed, many in speeds.items())  # fmt: skip
        return (
            tuple(sorted(self.devices)), tuple(sorted(self.ports)),
            tuple(sorted(self.pairs.items())), tuple(sorted((c.a, c.z) for c in self.cables)),
            tuple(sorted((port, str(speed)) for port, speed in self.slow.items())),
            tuple(slow_pairs),
        )  # fmt: skip


def corrected(design: Design, correction: Correction, label: str = "as built") -> Edit:
    """The design as it was found; entries of a count are added up.

    Raises
    ------
    EditError
        If that needs more single cables than a file may list.
    """
    if len(design.cables) + len(correction.cables) > MAX_SINGLE_CABLES:
        raise EditError(f"a file lists at most {MAX_SINGLE_CABLES:,} single cables")
    absent = _counted(design.absent, correction.pairs, 1)
    absent += [one for one in (*correction.devices, *correction.ports) if one not in absent]
    slow = {**design.slow, **correction.slow}
    for pair, speeds in correction.slow_pairs.items():
        for speed, many in speeds.items():
            slow = _slowed(slow, pair, speed, many)
    cables = (*design.cables, *correction.cables)
    return Edit(changed(design, absent=tuple(absent), cables=cables, slow=slow), label)


def stands_in(design: Design, correction: Correction) -> bool:
    """Whether a design has all entries of a correction."""
    if correction.empty:
        return False
    slow = _speeds_of(design.slow)
    return (
        set(correction.devices) | set(correction.ports) <= set(design.absent)
        and all(_count_of(design.absent, *pair) >= many for pair, many in correction.pairs.items())
        and all(one in design.cables for one in correction.cables)
        and all(design.slow.get(port) == speed for port, speed in correction.slow.items())
        and all(
            slow[frozenset(pair), str(speed)] >= many
            for pair, speeds in correction.slow_pairs.items()
            for speed, many in speeds.items()
        )
    )


def without_correction(design: Design, correction: Correction) -> Design:
    """The design without the entries of a correction that it has."""
    gone = {*correction.devices, *correction.ports}
    absent = [one for one in _counted(design.absent, correction.pairs, -1) if one not in gone]
    slow = {port: speed for port, speed in design.slow.items() if port not in correction.slow}
    for pair, speeds in correction.slow_pairs.items():
        for speed, many in speeds.items():
            slow = _slowed(slow, pair, speed, -many)
    cables = list(design.cables)
    for one in correction.cables:
        cables.remove(one)
    return changed(design, absent=tuple(absent), cables=tuple(cables), slow=slow)


_SOME_OF = re.compile(r"(\d+) of (.+) - (.+)")


def _counted(absent: Sequence[str], pairs: Counter[tuple[str, str]], sign: int) -> list[str]:
    """Entries with so many more, or fewer, cables of some pairs."""
    left = {frozenset(pair): sign * many for pair, many in pairs.items()}
    entries: list[str] = []
    for entry in absent:
        found = _SOME_OF.fullmatch(entry)
        more = left.pop(frozenset(found.groups()[1:]), 0) if found else 0
        if found and more:
            many = int(found.group(1)) + more
            entry = f"{many} of {found.group(2)} - {found.group(3)}" if many > 0 else ""
        if entry:
            entries.append(entry)
    for (a, z), many in pairs.items():
        if sign > 0 and frozenset((a, z)) in left:
            entries.append(f"{many} of {a} - {z}")
    return entries


def _count_of(absent: Sequence[str], a: str, z: str) -> int:
    found = (_SOME_OF.fullmatch(entry) for entry in absent)
    return sum(int(one.group(1)) for one in found if one and {*one.groups()[1:]} == {a, z})


def _speeds_of(slow: Mapping[str, SlowSpeed]) -> Counter[tuple[frozenset[str], str]]:
    many: Counter[tuple[frozenset[str], str]] = Counter()
    for text, speed in slow.items():
        if found := _SOME_OF.fullmatch(text):
            many[frozenset(found.groups()[1:]), str(speed)] += int(found.group(1))
    return many


def _slowed(
    slow: Mapping[str, SlowSpeed], pair: tuple[str, str], speed: SlowSpeed, more: int
) -> dict[str, SlowSpeed]:
    """Entries of ``slow:`` with more, or fewer, cables of a pair at this speed.

    Two speeds between the same two differ by the order of the ends.
    """
    entries: dict[str, SlowSpeed] = {}
    for text, held in slow.items():
        found = _SOME_OF.fullmatch(text)
        if found and {*found.groups()[1:]} == set(pair) and str(held) == str(speed) and more:
            many, more = int(found.group(1)) + more, 0
            text = f"{many} of {found.group(2)} - {found.group(3)}" if many > 0 else ""
        if text:
            entries[text] = held
    if more > 0:
        a, z = pair
        text = f"{more} of {a} - {z}"
        entries[f"{more} of {z} - {a}" if text in entries else text] = speed
    return entries


class Corrections:
    """Converts differences to entries of a design.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    cabling : Cabling
        Its cables as they were compared (:func:`planned_cabling`).
    """

    def __init__(self, plan: Plan, cabling: Cabling) -> None:
        self._plan, self._cabling = plan, cabling
        self._ports: dict[str, dict[str, tuple[str, int]]] = {}
        for link in plan.every_link:
            for end in (link.a, link.b):
                if end.ports:
                    given = port_names(plan, end.group)
                    known = self._ports.setdefault(end.group, {})
                    for place, label in enumerate(port_labels(plan.groups[end.group], end).labels):
                        known[given.get(label, label)] = (end.ports, place)
        self._bundles: dict[frozenset[str], list[ListedCable]] | None = None

    def of(self, differences: Iterable[CablingDifference]) -> Correction:
        """All entries for some differences together; harmless ones need none."""
        result = Correction()
        for one in differences:
            if not one.harmful:
                continue
            why = self._add(result, one)
            if why:
                result.left_out.append((one, why))
        # what goes elsewhere is not absent, whichever difference said that it is not where it was
        named = {text for entry in result.cables for text in (entry.a, entry.z)}
        result.ports = [port for port in result.ports if port not in named]
        return result

    def _add(self, result: Correction, one: CablingDifference) -> str:
        """Add the entries of one difference; the reason where there can be none."""
        if one.kind == "degraded":
            return self._slow(result, one)
        if one.device:
            result.devices.append(self.device(one.device))
            return ""
        lacking, why = list(one.planned), ""
        if one.kind in ("moved", "swapped", "extra"):
            entry = self._entry(one, lacking)
            if isinstance(entry, str):
                why = entry
            elif _ports_named(entry) & {end for held in result.cables for end in (held.a, held.z)}:
                why = TWO_CABLES
            else:
                result.cables.append(entry)
        # what cannot be said of where a cable goes, can be said of where it is lacking
        for cable in lacking:
            self._absent(result, cable)
        return why

    def _entry(self, one: CablingDifference, lacking: list[ListedCable]) -> SingleCable | str:
        """The found cable; the planned one whose port it names is replaced, and so not lacking."""
        assert one.a is not None and one.z is not None
        found = [one.a, one.z]
        if any(end.device not in self._cabling.devices for end in found):
            return OUTSIDE
        groups = [self._cabling.devices[end.device].group for end in found]
        if groups[0] == groups[1] and (self._is_host(one.a) or one.a.device == one.z.device):
            return TWO_NODES
        words = []
        for end in found:
            text = self._host_port(end) if self._is_host(end) else self.device(end.device)
            if text is None:
                return NO_LABEL
            words.append(text)
        # a host's port that is named has lost the cable that was dealt to it
        lacking[:] = [
            cable for cable in lacking
            if not any(self._is_host(end) and end in found for end in (cable.a, cable.z))
        ]  # fmt: skip
        if not any(self._is_host(end) for end in found):
            for cable in list(lacking):
                for at, end in enumerate(found):
                    port = self._switch_port(cable, end.device)
                    if port is not None:
                        words[at] += f".{SWITCH_PORT}[{port}]"
                        lacking.remove(cable)
                        break
        label = next((cable.place for cable in one.planned), "")
        note = f"found{f', planned {label}' if label else ''}"
        return SingleCable(a=words[0], z=words[1], note=note)

    def _slow(self, result: Correction, one: CablingDifference) -> str:
        if one.runs_at is None or not one.planned:
            return NO_SPEED
        cable = one.planned[0]
        for end in (cable.a, cable.z):
            if self._is_host(end):
                port = self._host_port(end)
                if port is None:
                    return NO_LABEL
                result.slow[port] = one.runs_at
                return ""
        pair = self.device(cable.a.device), self.device(cable.z.device)
        result.slow_pairs[pair][one.runs_at] += 1
        return ""

    def _absent(self, result: Correction, cable: ListedCable) -> None:
        for end in (cable.a, cable.z):
            port = self._host_port(end) if self._is_host(end) else None
            if port is not None:
                result.ports.append(port)
                return
        result.pairs[self.device(cable.a.device), self.device(cable.z.device)] += 1

    def device(self, key: str) -> str:
        """``leaf[su=0,rail=1]``."""
        device = self._cabling.devices[key]
        return instance(self._plan.groups[device.group], device.number)

    def ports(self, one: CablingDifference) -> list[PlannedEnd]:
        """The places of a difference: devices with ports, as the design deals them.

        Of ports of switches those are named that a link deals; others are the device alone.
        """
        seen: list[PlannedEnd] = []
        ends = [end for end in (one.a, one.z) if end is not None]
        if one.move is not None:
            ends += [one.move.leaves, one.move.goes]
        for cable in one.planned:
            for end in (cable.a, cable.z):
                if not self._is_host(end):
                    port = self._switch_port(cable, end.device)
                    group = self._cabling.devices[end.device].group
                    seen.append(PlannedEnd(group, self._at(end.device), "", port))
                else:
                    ends.append(end)
        for end in ends:
            device = self._cabling.devices.get(end.device)
            if device is None:
                continue
            ports, port = self._ports.get(device.group, {}).get(end.port, ("", None))
            if port is not None or not any(
                (held.group, held.at) == (device.group, self._at(end.device)) for held in seen
            ):
                seen.append(PlannedEnd(device.group, self._at(end.device), ports, port))
        return list(dict.fromkeys(seen))

    def groups(self, one: CablingDifference) -> frozenset[str]:
        """The groups at both ends, as far as the design has them."""
        keys = [end.device for end in (one.a, one.z) if end is not None]
        keys += [end.device for cable in one.planned[:1] for end in (cable.a, cable.z)]
        devices = self._cabling.devices
        return frozenset(devices[key].group for key in keys if key in devices) - {""}

    def _is_host(self, end: ListedEnd) -> bool:
        device = self._cabling.devices.get(end.device)
        return device is not None and device.kind == "host"

    def _host_port(self, end: ListedEnd) -> str | None:
        """``node[su=0,node=3].compute[2]``; None where the label is of no port."""
        device = self._cabling.devices[end.device]
        held = self._ports.get(device.group, {}).get(end.port)
        return None if held is None else f"{self.device(end.device)}.{held[0]}[{held[1]}]"

    def _switch_port(self, cable: ListedCable, key: str) -> int | None:
        """The port by number that the link deals a planned cable to, at the switch of this key."""
        if key not in (cable.a.device, cable.z.device):
            return None
        if self._bundles is None:
            self._bundles = defaultdict(list)
            for one in self._cabling.cables:
                self._bundles[frozenset((one.a.device, one.z.device))].append(one)
        bundle = self._bundles[frozenset((cable.a.device, cable.z.device))]
        turn = sorted(bundle, key=lambda one: natural(one.a.port)).index(cable)
        device = self._cabling.devices[key]
        at = self._at(key)
        other = cable.z.device if key == cable.a.device else cable.a.device
        far = self._cabling.devices[other].group
        for link in self._plan.links:
            if {link.a.group, link.b.group} != {device.group, far}:
                continue
            ends = (at, self._at(other)) if link.a.group == device.group else (self._at(other), at)
            left = self._turns(link, *ends)
            if turn < len(left):
                return port_of(self._plan, left[turn], device.group)
            turn -= len(left)
        return None

    def _turns(self, link: LinkPlan, a: tuple[int, ...], b: tuple[int, ...]) -> list[DealtCable]:
        """The cables that a link deals to two devices and that no entry has replaced."""
        dealt = (DealtCable(link.index, a, b, turn) for turn in range(link.cables_per_pair))
        return [one for one in dealt if one not in self._plan.replaced]

    def _at(self, key: str) -> tuple[int, ...]:
        device = self._cabling.devices[key]
        return tuple(coordinates(self._plan.groups[device.group], device.number))


def _ports_named(entry: SingleCable) -> set[str]:
    """The ends of an entry that name a port, which can have one cable."""
    return {end for end in (entry.a, entry.z) if "." in end}


def instance(group: GroupPlan, number: int) -> str:
    """The selector of one instance of a group."""
    values = ",".join(
        f"{axis}={value}"
        for axis, value in zip(group.axes, coordinates(group, number), strict=True)
    )
    return f"{group.name}[{values}]"


def together(
    differences: Sequence[CablingDifference], one: CablingDifference
) -> list[CablingDifference]:
    """A difference with those that are corrected together with it."""
    if not one.group:
        return [one]
    return [other for other in differences if other.group == one.group and other.harmful]
