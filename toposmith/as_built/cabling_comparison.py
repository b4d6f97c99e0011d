"""Cables of a dump against those of a plan, device by device and then port by port.

What counts is which switch a port of a host is on, and how many cables join two switches: cables
crossed inside a bundle, or on one switch between equivalent hosts, work as planned and are
distinguished from those that do not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from toposmith.as_built.adapters import adapter_ports
from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.cable_pairs import paired
from toposmith.as_built.device_matches import Match, Wires
from toposmith.text import counted, natural

DifferenceKind = Literal["moved", "swapped", "missing", "extra", "degraded", "outside"]

WHOLE_DEVICE = 3
"""So many missing cables of a device that is not seen are one difference; fewer are listed
singly."""

_ALL_ALIKE = 0.5

Vertex = tuple[str, ...]
"""A switch, or one port of a host; what the plan lacks begins with ``?``."""


@dataclass
class CablingDifference:
    """One difference.

    Parameters
    ----------
    kind : str
        moved, swapped, missing, extra, degraded or outside.
    harmful : bool
        Whether it changes the fabric's behaviour.
    a, z : ListedEnd or None
        The ends as found; as planned where nothing was found. Names are those of labels.
    expected : tuple of ListedEnd or None
        Both ends as planned.
    instruction : str
        What to do or to check.
    moves : int
        Ends of cables to move.
    add, remove : int
        Cables to add, or to take out.
    cables : int
        The number of cables affected.
    group : str
        A key shared by differences that are corrected together.
    planned : list of ListedCable
        The planned cables that are missing because of it, by keys of the plan.
    device : str
        The planned device that is not seen, by key.
    place : str
        Its file and line in the dump.
    spot : str
        The rack to go to first.
    runs_at : float, str or None
        The rate of a degraded cable: Gb/s, or a share of the planned rate.
    leaves, goes : ListedEnd or None
        For an end to be moved: its current port, and its planned one.
    """

    kind: DifferenceKind
    harmful: bool
    a: ListedEnd | None
    z: ListedEnd | None
    expected: tuple[ListedEnd, ListedEnd] | None
    instruction: str
    moves: int = 0
    add: int = 0
    remove: int = 0
    cables: int = 1
    group: str = ""
    planned: list[ListedCable] = field(default_factory=list)
    device: str = ""
    place: str = ""
    spot: str = ""
    runs_at: float | str | None = None
    leaves: ListedEnd | None = None
    goes: ListedEnd | None = None

    @property
    def steps(self) -> int:
        """Ends to move, cables to add and to take out."""
        return self.moves + self.add + self.remove


@dataclass
class CablingComparison:
    """A dump against its plan.

    Parameters
    ----------
    planned, found, agree : int
        Cables of the plan (those that the dump could show), of the dump, and those that are the
        same port by port.
    missing, extra, unnamed : list of str
        Devices of the plan that are not seen, of the dump that are not planned, and those of the
        dump whose names say nothing.
    differences : list of CablingDifference
        Harmful ones first, by rack.
    notes : list of str
        Remarks on the method.
    """

    plan: Cabling
    dump: Cabling
    match: Match
    planned: int
    found: int
    agree: int
    missing: list[str]
    extra: list[str]
    unnamed: list[str]
    differences: list[CablingDifference]
    notes: list[str]

    @property
    def moves(self) -> int:
        """Ends of cables to move."""
        return sum(one.moves for one in self.differences)

    @property
    def add(self) -> int:
        """Cables to add."""
        return sum(one.add for one in self.differences)

    @property
    def remove(self) -> int:
        """Cables to take out."""
        return sum(one.remove for one in self.differences)

    @property
    def same(self) -> bool:
        """Whether nothing differs within the scope of the plan."""
        return not any(one.kind != "outside" for one in self.differences)


@dataclass
class _Placed:
    """A found cable in names of the plan."""

    cable: ListedCable
    a: Vertex
    z: Vertex
    port_a: str | None
    port_z: str | None

    @property
    def pair(self) -> frozenset[Vertex]:
        return frozenset((self.a, self.z))


class _Comparing:
    def __init__(self, match: Match, wires: Wires) -> None:
        self.match, self.wires = match, wires
        self.plan, self.dump = wires.plan, wires.found
        self.notes = list(match.notes)
        self.differences: list[CablingDifference] = []
        self._ports: dict[str, dict[str, str]] = {}
        self._names = self._shown_names()

    # Words of the plan

    def _shown_names(self) -> dict[str, str]:
        """Planned devices as a technician finds them: by the plan's name, and the dump's beside."""
        names = {key: device.name for key, device in self.plan.devices.items()}
        for found, planned in self.match.pairs.items():
            own, label = self.plan.devices[planned].name, self.dump.devices[found].name
            if own.casefold() != label.casefold() and not self.dump.devices[found].unnamed:
                names[planned] = f"{own} ({label})"
        return names

    def words(self, end: ListedEnd) -> str:
        """``leaf-su0-rail0 port 33``, ``node-su0-3 OSFP1 P2``."""
        name = self._names.get(end.device) or self.dump.devices[end.device].name
        port = f"port {end.port}" if end.port[:1].isdigit() else end.port
        return f"{name} {port}".strip()

    def vertex(self, end: ListedEnd) -> Vertex:
        return (end.device, end.port) if self._is_host(end.device) else (end.device,)

    def _is_host(self, planned: str) -> bool:
        return self.plan.devices[planned].kind == "host"

    def _switch_port(self, end: ListedEnd) -> str | None:
        """The planned port that the port of a found switch is."""
        if end.device not in self._ports:
            self._ports[end.device] = self.wires.ports(end.device, self.match.pairs[end.device])
        return self._ports[end.device].get(end.port)

    def place_cables(self) -> list[_Placed]:
        """Every found cable in words of the plan; unnamed adapters by the port that they are on."""
        adapters = adapter_ports(self.match, self.wires, self._switch_port)
        placed: list[_Placed] = []
        claimed: Counter[Vertex] = Counter()
        waiting: list[tuple[ListedCable, bool]] = []
        for cable in self.dump.cables:
            ends: list[tuple[Vertex, str | None]] = []
            for end in (cable.a, cable.z):
                planned = self.match.pairs.get(end.device)
                if planned is None:
                    ends.append((("?", end.device, end.port), None))
                elif self._is_host(planned):
                    port = adapters.get((end.device, end.port))
                    ends.append(((planned, port) if port else (planned, "?", end.port), port))
                else:
                    ends.append(((planned,), self._switch_port(end)))
            (a, port_a), (z, port_z) = ends
            one = _Placed(cable, a, z, port_a, port_z)
            for vertex in (a, z):
                claimed[vertex] += 1
            placed.append(one)
            for side, end in enumerate((cable.a, cable.z)):
                if self.dump.devices[end.device].unnamed and end.device not in self.match.pairs:
                    waiting.append((cable, bool(side)))
        by_cable = {id(one.cable): one for one in placed}
        for cable, second in waiting:
            self._place(by_cable[id(cable)], second, claimed)
        return placed

    def _place(self, one: _Placed, second: bool, claimed: Counter[Vertex]) -> None:
        """An adapter without a name is the one that is planned at the port that it is on."""
        vertex, port = (one.a, one.port_a) if second else (one.z, one.port_z)
        if len(vertex) != 1 or port is None:
            return
        expected = self.wires.planned_at.get(vertex[0], {}).get(port)
        if expected is None or not self._is_host(expected.device):
            return
        meant = self.vertex(expected)
        if claimed[meant]:
            return
        claimed[meant] += 1
        if second:
            one.z, one.port_z = meant, expected.port
        else:
            one.a, one.port_a = meant, expected.port
        self.match.ways["position"] += 1


def compare(match: Match, wires: Wires) -> CablingComparison:
    """All differences between a plan and a dump that was matched to it."""
    work = _Comparing(match, wires)
    plan, dump = work.plan, work.dump
    placed = work.place_cables()
    planned = _visible(work)
    outside = [one for one in placed if any(v[0] == "?" for v in (one.a, one.z))]
    inside = [one for one in placed if not any(v[0] == "?" for v in (one.a, one.z))]
    by_pair: dict[frozenset[Vertex], list[ListedCable]] = defaultdict(list)
    for cable in planned:
        by_pair[frozenset((work.vertex(cable.a), work.vertex(cable.z)))].append(cable)
    found_by_pair: dict[frozenset[Vertex], list[_Placed]] = defaultdict(list)
    for one in inside:
        found_by_pair[one.pair].append(one)
    agree, surplus, lacking = 0, [], []
    crossed: list[tuple[_Placed, ListedCable]] = []
    met: list[tuple[_Placed, ListedCable]] = []
    for pair in sorted(by_pair.keys() | found_by_pair.keys(), key=lambda p: sorted(p)):
        exact, across, more, less = _within(by_pair.get(pair, []), found_by_pair.get(pair, []))
        agree += len(exact)
        met += exact + across
        crossed += across
        surplus += more
        lacking += less
    slips, surplus, lacking = _by_device(work, surplus, lacking)
    met += [(one, cable) for one, cable in slips]
    gone, lacking = _gone(work, lacking)
    _Differing(work, placed).tell(crossed, slips, surplus, lacking, gone, outside)
    _degraded(work, met)
    seen = {vertex[0] for one in placed for vertex in (one.a, one.z)}
    missing = [device.name for key, device in plan.devices.items() if key not in seen]
    if dump.observed is not None:
        missing = [plan.devices[key].name for key in gone]
    extra = [device.name for key, device in dump.devices.items()
             if key not in match.pairs and not device.unnamed]  # fmt: skip
    unnamed = [device.name for device in dump.devices.values() if device.unnamed]
    first: dict[str, str] = {}
    for differing in work.differences:
        first.setdefault(differing.group, differing.spot)
    differences = sorted(work.differences, key=lambda each: _order(each, first))
    return CablingComparison(
        plan, dump, match, len(planned), len(dump.cables), agree,
        sorted(missing, key=natural), sorted(extra, key=natural), sorted(unnamed, key=natural),
        differences, work.notes,
    )  # fmt: skip


def _order(one: CablingDifference, first: dict[str, str]) -> tuple[object, ...]:
    """Harmful ones first, rack by rack; those put right together stay together, in their order."""
    kinds = ("missing", "swapped", "moved", "extra", "degraded", "outside")
    spot = first[one.group] if one.group else one.spot
    return (not one.harmful, one.kind == "outside", natural(spot), kinds.index(one.kind),
            natural(one.group))  # fmt: skip


def _visible(work: _Comparing) -> list[ListedCable]:
    """Planned cables that the dump could show: all, or those of the devices that tell of theirs."""
    observed = work.dump.observed
    if observed is None:
        return work.plan.cables
    told = {work.match.pairs[key] for key in observed if key in work.match.pairs}
    seen = [one for one in work.plan.cables if one.a.device in told or one.z.device in told]
    if len(seen) < len(work.plan.cables):
        work.notes.append(
            f"the dump is of {counted(len(told), 'device')}, and "
            f"{counted(len(work.plan.cables) - len(seen), 'planned cable', 'join')} others: not "
            "looked at"
        )
    return seen


def _within(
    planned: list[ListedCable], found: list[_Placed]
) -> tuple[
    list[tuple[_Placed, ListedCable]],
    list[tuple[_Placed, ListedCable]],
    list[_Placed],
    list[ListedCable],
]:
    """Cables between the same two: those on their ports, those on others', and what is over."""
    by_ports: dict[frozenset[ListedEnd], ListedCable] = {cable.ends(): cable for cable in planned}
    exact: list[tuple[_Placed, ListedCable]] = []
    rest: list[_Placed] = []
    for one in found:
        meant = by_ports.pop(_ends(one), None)
        if meant is None:
            rest.append(one)
        else:
            exact.append((one, meant))
    free = sorted(by_ports.values(), key=lambda one: natural(one.a.port))
    # A cable that has one of its ends right belongs to that planned cable.
    across: list[tuple[_Placed, ListedCable]] = []
    for one in list(rest):
        ends = _ends(one)
        meant = next((cable for cable in free if ends & cable.ends()), None)
        if meant is not None:
            free.remove(meant)
            rest.remove(one)
            across.append((one, meant))
    while rest and free:
        one, meant = rest.pop(0), free.pop(0)
        # Where the dump's port labels say nothing, ports are not compared.
        known = one.port_a is not None and one.port_z is not None
        (across if known else exact).append((one, meant))
    return exact, across, rest, free


def _ends(one: _Placed) -> frozenset[ListedEnd]:
    return frozenset(
        ListedEnd(vertex[0], port or "?")
        for vertex, port in ((one.a, one.port_a), (one.z, one.port_z))
    )


def _by_device(
    work: _Comparing, surplus: list[_Placed], lacking: list[ListedCable]
) -> tuple[list[tuple[_Placed, ListedCable]], list[_Placed], list[ListedCable]]:
    """Adapters whose label the plan does not know, where a cable of that host is lacking there."""
    open_: dict[frozenset[str], list[ListedCable]] = defaultdict(list)
    for cable in lacking:
        open_[frozenset((cable.a.device, cable.z.device))].append(cable)
    slips: list[tuple[_Placed, ListedCable]] = []
    rest: list[_Placed] = []
    for one in surplus:
        unknown = any(len(vertex) == 3 for vertex in (one.a, one.z))
        held = open_.get(frozenset((one.a[0], one.z[0])), []) if unknown else []
        if not held:
            rest.append(one)
            continue
        ends = _ends(one)
        meant = next((cable for cable in held if ends & cable.ends()), held[0])
        held.remove(meant)
        slips.append((one, meant))
    used = {id(cable) for _, cable in slips}
    return slips, rest, [cable for cable in lacking if id(cable) not in used]


def _gone(
    work: _Comparing, lacking: list[ListedCable]
) -> tuple[dict[str, list[ListedCable]], list[ListedCable]]:
    """Devices that are not seen at all, with their cables: one difference each."""
    many = Counter(end.device for cable in lacking for end in (cable.a, cable.z))
    planned = Counter(end.device for cable in work.plan.cables for end in (cable.a, cable.z))
    whole = [key for key in many if many[key] == planned[key] and many[key] >= WHOLE_DEVICE]
    whole.sort(key=lambda key: (work._is_host(key), -many[key], natural(key)))
    gone: dict[str, list[ListedCable]] = {}
    rest = lacking
    for key in whole:
        mine = [cable for cable in rest if key in (cable.a.device, cable.z.device)]
        if len(mine) < max(WHOLE_DEVICE, many[key] // 2 + 1):
            continue
        gone[key] = mine
        taken = {id(cable) for cable in mine}
        rest = [cable for cable in rest if id(cable) not in taken]
    return gone, rest


class _Differing:
    """Puts differences into words and moves."""

    def __init__(self, work: _Comparing, placed: list[_Placed]) -> None:
        self.work, self.placed = work, placed
        self.at: dict[ListedEnd, _Placed] = {}
        self.seen = {vertex[0] for one in placed for vertex in (one.a, one.z)}
        for one in placed:
            for vertex, port in ((one.a, one.port_a), (one.z, one.port_z)):
                if port is not None and vertex[0] != "?":
                    self.at[ListedEnd(vertex[0], port)] = one

    def tell(
        self,
        crossed: list[tuple[_Placed, ListedCable]],
        slips: list[tuple[_Placed, ListedCable]],
        surplus: list[_Placed],
        lacking: list[ListedCable],
        gone: dict[str, list[ListedCable]],
        outside: list[_Placed],
    ) -> None:
        for one, meant in crossed:
            self._crossed(one, meant)
        for one, meant in slips:
            self._slip(one, meant)
        for key, cables in gone.items():
            self._whole(key, cables)
        self._moves(surplus, lacking)
        self._outside(outside)

    def _far(self, one: _Placed, first: bool) -> ListedEnd:
        """One end of a found cable, in words of the plan where they are known."""
        vertex, port = (one.a, one.port_a) if first else (one.z, one.port_z)
        end = one.cable.a if first else one.cable.z
        if vertex[0] == "?":
            return end
        return ListedEnd(vertex[0], port or end.port)

    def found_ends(self, one: _Placed) -> tuple[ListedEnd, ListedEnd]:
        return self._far(one, True), self._far(one, False)

    def _crossed(self, one: _Placed, meant: ListedCable) -> None:
        """Another port of the same two devices: works as planned."""
        words = self.work.words
        ends = self.found_ends(one)
        wrong = [end for end in (meant.a, meant.z) if end not in ends]
        there = [self.at.get(end) for end in wrong]
        holder = next((held for held in there if held is not None and held is not one), None)
        planned = " - ".join(words(end) for end in (meant.a, meant.z))
        found = " - ".join(words(end) for end in ends)
        held = ""
        kind: DifferenceKind = "moved"
        if holder is not None:
            taken = next(end for end, by in zip(wrong, there, strict=True) if by is holder)
            other = next(end for end in self.found_ends(holder) if end != taken)
            held = f"; {words(taken)} holds {words(other)}"
            kind = "swapped"
        self._add(CablingDifference(
            kind, False, ends[0], ends[1], (meant.a, meant.z),
            f"works as planned: {found}, planned {planned}{held}: correct the plan instead?",
            place=one.cable.place,
        ))  # fmt: skip

    def _slip(self, one: _Placed, meant: ListedCable) -> None:
        words = self.work.words
        ends = self.found_ends(one)
        self._add(CablingDifference(
            "moved", False, ends[0], ends[1], (meant.a, meant.z),
            f"found {words(ends[0])} - {words(ends[1])} where the plan says "
            f"{words(meant.a)} - {words(meant.z)}: the host has no such port; a slip of the plan? "
            "correct the plan instead?", place=one.cable.place,
        ))  # fmt: skip

    def _whole(self, key: str, cables: list[ListedCable]) -> None:
        device = self.work.plan.devices[key]
        named = key in self.work.match.pairs.values()
        many = f"none of its {counted(len(cables), 'cable')} is seen" + (
            "" if named else ", nor is it"
        )
        likely = "is it powered, and in the fabric? A dump shows no ports that are down"
        self._add(CablingDifference(
            "missing", True, cables[0].a, cables[0].z, (cables[0].a, cables[0].z),
            f"{self.work._names[key]}: {many}: {likely}",
            cables=len(cables), planned=cables, device=key, group=device.name,
        ))  # fmt: skip

    def _moves(self, surplus: list[_Placed], lacking: list[ListedCable]) -> None:
        """The fewest ends to move: found cables paired with lacking ones that share an end."""
        work, words = self.work, self.work.words
        wanted = [frozenset((work.vertex(one.a), work.vertex(one.z))) for one in lacking]

        def alike(have: int, want: int) -> bool:
            return sorted(map(len, surplus[have].pair)) == sorted(map(len, wanted[want]))

        def in_place(have: int, want: int, end: Vertex) -> bool:
            """Whether the end that stays is on the port that is planned for it."""
            one, meant = surplus[have], lacking[want]
            port = one.port_a if one.a == end else one.port_z
            return port is not None and ListedEnd(end[0], port) in meant.ends()

        # A host's cable stays the host's; else the end that is on its port stays.
        preferred = (
            lambda have, want, end: len(end) > 1 and alike(have, want),
            lambda have, want, end: alike(have, want) and in_place(have, want, end),
            lambda have, want, _end: alike(have, want),
        )
        pairs = paired([one.pair for one in surplus], wanted, preferred)
        leaving = {id(one) for one in surplus}
        free: dict[str, list[str]] = {}

        def port_at(end: ListedEnd) -> str:
            """The planned port, or another of the device that will be free where it is taken."""
            holder = self.at.get(end)
            if holder is None or id(holder) in leaving or work._is_host(end.device):
                taken = free.setdefault(end.device, [])
                if end.port not in taken:
                    taken.append(end.port)
                    return end.port
            for port in sorted(work.wires.planned_at[end.device], key=natural):
                held = self.at.get(ListedEnd(end.device, port))
                taken = free.setdefault(end.device, [])
                if port not in taken and (held is None or id(held) in leaving):
                    taken.append(port)
                    return port
            return end.port

        steps: list[tuple[_Placed, ListedCable, ListedEnd, ListedEnd]] = []
        both: list[tuple[_Placed, ListedCable]] = []
        for have, want in pairs.items():
            one, meant = surplus[have], lacking[want]
            shared = max(one.pair & wanted[want], key=len, default=None)
            if shared is None:
                both.append((one, meant))
                continue
            first_stays = one.a == shared
            leaves = self._far(one, not first_stays)
            goes = meant.z if work.vertex(meant.a) == shared else meant.a
            steps.append((one, meant, leaves, ListedEnd(goes.device, port_at(goes))))
        self._chains(steps)
        for one, meant in both:
            ends = self.found_ends(one)
            self._add(CablingDifference(
                "moved", True, ends[0], ends[1], (meant.a, meant.z),
                f"take the cable out at {words(ends[0])} and {words(ends[1])}; "
                f"it belongs between {words(meant.a)} and {words(meant.z)}",
                moves=2, planned=[meant], place=one.cable.place,
            ))  # fmt: skip
        for at, meant in enumerate(lacking):
            if at not in pairs.values():
                self._missing(meant)
        for at, one in enumerate(surplus):
            if at not in pairs:
                ends = self.found_ends(one)
                self._add(CablingDifference(
                    "extra", True, ends[0], ends[1], None,
                    f"{words(ends[0])} - {words(ends[1])}: not planned: take the cable out, "
                    "or add it to the plan", remove=1, place=one.cable.place,
                ))  # fmt: skip

    def _missing(self, meant: ListedCable) -> None:
        words = self.work.words
        held = [(end, self.at.get(end)) for end in (meant.a, meant.z)]
        known = [(end, one) for end, one in held if one is not None]
        beside = ""
        for end, one in known:
            other = next((e for e in self.found_ends(one) if e != end), end)
            beside += f"; {words(end)} holds {words(other)}"
        for end in (meant.a, meant.z):
            if end.device not in self.seen:
                beside += f"; {self.work._names[end.device]} is not in the dump{self._similar(end)}"
        self._add(CablingDifference(
            "missing", True, meant.a, meant.z, (meant.a, meant.z),
            f"add a cable from {words(meant.a)} to {words(meant.z)}"
            f" (or find out why the port is down){beside}",
            add=1, planned=[meant],
        ))  # fmt: skip

    def _similar(self, end: ListedEnd) -> str:
        """A device that is in the dump and is called almost the same."""
        names = {
            self.work.plan.devices[key].name for key in self.seen if key in self.work.plan.devices
        }
        near = get_close_matches(self.work.plan.devices[end.device].name, sorted(names), 1, 0.95)
        return (
            f" ({near[0]} is: a slip of the plan?)"
            if near and self.work.plan.devices[end.device].kind != "host"
            else ""
        )

    def _chains(self, steps: list[tuple[_Placed, ListedCable, ListedEnd, ListedEnd]]) -> None:
        """Order moves so that ports are free when they are needed; circles are unplugged first."""
        leaving = {step[2]: at for at, step in enumerate(steps)}
        follows = {at: leaving[step[3]] for at, step in enumerate(steps) if step[3] in leaving}
        done: set[int] = set()
        number = 0
        for start in range(len(steps)):
            if start in done:
                continue
            path, at = [], start
            while at not in path and at not in done:
                path.append(at)
                if at not in follows:
                    break
                at = follows[at]
            circle = path[path.index(at) :] if at in path and at in follows else []
            chain = [one for one in path if one not in circle]
            number += 1
            for place, one in enumerate([*circle, *reversed(chain)]):
                done.add(one)
                self._step(steps[one], number, place, circle if one in circle else [])

    def _step(
        self,
        step: tuple[_Placed, ListedCable, ListedEnd, ListedEnd],
        number: int,
        place: int,
        circle: list[int],
    ) -> None:
        one, meant, leaves, goes = step
        words = self.work.words
        ends = self.found_ends(one)
        stays = ends[0] if leaves == ends[1] else ends[1]
        text = f"{words(leaves)}: move the cable to {words(goes)} (from {words(stays)})"
        if len(circle) > 1:
            many = "both" if len(circle) == 2 else f"all {len(circle)}"
            text += f"; unplug {many} of this group first" if place == 0 else ", as above"
        self._add(CablingDifference(
            "swapped" if len(circle) > 1 else "moved", True, ends[0], ends[1], (meant.a, meant.z),
            text, moves=1, planned=[meant], group=f"move {number}", place=one.cable.place,
            spot=self._spot(leaves), leaves=leaves, goes=goes,
        ))  # fmt: skip

    def _spot(self, end: ListedEnd) -> str:
        device = self.work.plan.devices.get(end.device)
        return device.spot if device is not None else ""

    def _outside(self, outside: list[_Placed]) -> None:
        """What the plan does not hold: a difference for each device, none of them a fault."""
        by_device: dict[str, list[_Placed]] = defaultdict(list)
        strange = [one for one in outside if one.a[0] == one.z[0] == "?"]
        if strange:
            ends = self.found_ends(strange[0])
            first = " - ".join(self.work.words(end) for end in ends)
            self.work.notes.append(
                f"{counted(len(strange), 'cable')} between devices of the dump that the plan "
                "does not hold, the "
                f"first {first}: are these two fabrics in one dump?"
            )
            self._add(
                CablingDifference(
                    "outside",
                    False,
                    *ends,
                    None,
                    f"{counted(len(strange), 'cable')} among devices that are not in the plan, "
                    "the first "
                    f"{first}",
                    cables=len(strange),
                    place=strange[0].cable.place,
                )
            )
        for one in outside:
            if one.a[0] == one.z[0] == "?":
                continue
            vertex = one.a if one.a[0] == "?" else one.z
            by_device[vertex[1]].append(one)
        unnamed = [key for key in by_device if self.work.dump.devices[key].unnamed]
        if len(unnamed) > 1:
            for key in unnamed[1:]:
                by_device[unnamed[0]] += by_device.pop(key)
        for key, cables in by_device.items():
            one = cables[0]
            ends = self.found_ends(one)
            name = self.work.dump.devices[key].name
            if key in unnamed:
                several = counted(len(cables), "cable")
                what = f"{several} of adapters without a name, the first {name}"
            else:
                what = f"{name} ({len(cables)} cable{'s' if len(cables) > 1 else ''})"
            at = ends[1] if one.a[0] == "?" else ends[0]
            self._add(CablingDifference(
                "outside", False, ends[0], ends[1], None,
                f"{what} at {self.work.words(at)}: not in the plan", cables=len(cables),
                place=one.cable.place,
            ))  # fmt: skip

    def _add(self, one: CablingDifference) -> None:
        if not one.spot:
            keys = [end.device for end in (one.z, one.a) if end is not None]
            devices = self.work.plan.devices
            one.spot = next((devices[k].spot for k in keys if k in devices and devices[k].spot), "")
        self.work.differences.append(one)


def _degraded(work: _Comparing, met: list[tuple[_Placed, ListedCable]]) -> None:
    """Links that are slower than planned; where most of a speed are, that is one note instead."""
    slow: dict[float, list[tuple[_Placed, ListedCable]]] = defaultdict(list)
    many: Counter[float] = Counter()
    usual: dict[float, Counter[float]] = defaultdict(Counter)
    marked: list[tuple[_Placed, ListedCable]] = []
    for one, meant in met:
        if one.cable.degraded:
            marked.append((one, meant))
        wanted, got = meant.speed_gbit, one.cable.speed_gbit
        if wanted is None or got is None:
            continue
        many[wanted] += 1
        usual[wanted][got] += 1
        # Nominal rates of SDR to QDR and FDR are rounded in plans: 14.0625 x 4 is called 56.
        if got < 0.97 * wanted:
            slow[wanted].append((one, meant))
    told: set[int] = set()
    generation: dict[float, float] = {}
    for wanted, speeds in usual.items():
        common, times = speeds.most_common(1)[0]
        if common < 0.97 * wanted and times > _ALL_ALIKE * many[wanted]:
            generation[wanted] = common
    if len(marked) <= _ALL_ALIKE * len(met):
        for one, meant in marked:
            _slow(work, one, meant, one.cable.degraded, generation)
            told.add(id(one))
    elif marked:
        work.notes.append(
            f"{counted(len(marked), 'link', 'say')} that they could be faster "
            f"({marked[0][0].cable.degraded})"
        )
    for wanted, links in slow.items():
        lower = generation.get(wanted)
        if lower is not None:
            work.notes.append(
                f"{counted(len(links), 'link')} planned at {wanted:g} Gb/s below that speed, most "
                "of them at "
                f"{lower:g} Gb/s: a simulated fabric, or the plan is of another generation?"
            )
            links = [pair for pair in links if (pair[0].cable.speed_gbit or 0) < 0.97 * lower]
        for one, meant in links:
            if id(one) not in told:
                why = f"{one.cable.speed_gbit:g} of {lower or wanted:g} Gb/s"
                _slow(work, one, meant, why, generation)


def _runs_at(
    one: ListedCable, meant: ListedCable, generation: dict[float, float]
) -> float | str | None:
    """What a cable runs at: Gb/s, or a share where all of its kind are of another generation."""
    got, wanted = one.speed_gbit, meant.speed_gbit
    if got is None or wanted is None:
        return None
    common = generation.get(wanted)
    if common is not None:
        return f"{100 * got / common:g} %" if got < common else None
    return got if got < 0.97 * wanted else None


def _slow(
    work: _Comparing, one: _Placed, meant: ListedCable, why: str, generation: dict[float, float]
) -> None:
    spot = next((work.plan.devices[e.device].spot for e in (meant.z, meant.a)), "")
    work.differences.append(CablingDifference(
        "degraded", True, meant.a, meant.z, (meant.a, meant.z),
        f"{work.words(meant.a)} - {work.words(meant.z)}: runs degraded ({why}): "
        "reseat or replace the cable, check both plugs", planned=[meant], place=one.cable.place,
        spot=spot, runs_at=_runs_at(one.cable, meant, generation),
    ))  # fmt: skip
