"""Devices, ports and cables of a design, one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod

import networkx as nx

from tests.oracle import selectors
from tests.oracle.document import Document, End, Link, SingleCable, read
from tests.oracle.parts import (
    Part,
    nic_speeds,
    part,
    ports_a_cage,
    protocols,
    switch_speeds,
)

FIRST_SINGLE = 10_000
"""The rank of the first single cable; links deal fewer to a pair."""


class CannotExpand(ValueError):
    """The design asks for cables that cannot be."""


@dataclass(frozen=True, order=True)
class Device:
    """One device: its group, and its coordinates, the slowest axis first, the own one last."""

    group: str
    at: tuple[tuple[str, int], ...]

    @property
    def coordinates(self) -> dict[str, int]:
        return dict(self.at)


@dataclass(frozen=True, order=True)
class Nic:
    """The NIC in one slot of one device."""

    device: Device
    slots: str
    slot: int


@dataclass(frozen=True)
class PortOfNode:
    """A port by the slots it is in and its number there, counted NIC by NIC."""

    slots: str
    number: int


@dataclass(frozen=True)
class Cable:
    """One cable; an end at a switch has no port of its own until labels are given."""

    link: int
    a: Device
    a_port: PortOfNode | None
    b: Device
    b_port: PortOfNode | None
    gbit: int
    rank: int
    """Number of this cable among those of its link between these two devices."""

    def end(self, device: Device) -> PortOfNode | None:
        return self.a_port if device == self.a else self.b_port

    def other(self, device: Device) -> Device:
        return self.b if device == self.a else self.a


@dataclass
class Fabric:
    """A design, expanded. What is absent is not in it; what is down is in it and named."""

    document: Document
    devices: list[Device] = field(default_factory=list)
    cables: list[Cable] = field(default_factory=list)
    down_devices: set[Device] = field(default_factory=set)
    down_cables: set[Cable] = field(default_factory=set)
    speeds: dict[int, int] = field(default_factory=dict)
    """Gb/s of the cables of each link."""
    own_links: dict[int, Link] = field(default_factory=dict)
    """Links that stand for single cables of none of the document's, by number."""
    slow: dict[Cable, Fraction] = field(default_factory=dict)
    """What cables run that do not run at the speed of their link, Gb/s."""

    def runs_gbit(self, cable: Cable) -> Fraction:
        return self.slow.get(cable, Fraction(cable.gbit))

    def part_of(self, device: Device) -> Part:
        return part(self.document.groups[device.group].part)

    def kind(self, device: Device) -> str:
        return str(self.part_of(device)["kind"])

    def is_live(self, cable: Cable) -> bool:
        ends_up = cable.a not in self.down_devices and cable.b not in self.down_devices
        return ends_up and cable not in self.down_cables

    def nic_of(self, device: Device, port: PortOfNode) -> Nic:
        nic, count = fitted(self.document, device.group)[port.slots]
        each = part(nic)["ports"]
        across = self.part_of(device)["slots"][port.slots].get("ports_across_nics", False)
        return Nic(device, port.slots, port.number % count if across else port.number // each)

    def ports_a_cage(self, switch: Device, cable: Cable) -> int:
        """Ports that a cage has which takes a cable of this kind."""
        peer = cable.other(switch)
        port = cable.end(peer)
        nic = None if port is None else part(fitted(self.document, peer.group)[port.slots][0])
        return ports_a_cage(self.part_of(switch), cable.gbit, nic)

    def graph(self) -> nx.MultiGraph:
        """Every device and cable, the dead ones too."""
        graph = nx.MultiGraph()
        graph.add_nodes_from(self.devices)
        for cable in self.cables:
            graph.add_edge(cable.a, cable.b, cable=cable, gbit=cable.gbit, live=self.is_live(cable))
        return graph

    def ranked_nodes(self) -> list[Device]:
        """Nodes with GPUs that take part, in the order in which ranks fill them."""
        return [
            device
            for device in self.devices
            if self.kind(device) == "node" and device not in self.down_devices
        ]

    def domains(self) -> list[list[Device]]:
        """The nodes that take part, those together that NVLink switches of a rack join.

        The count of a group at each place of its per axes is a rack, where its GPUs find room in
        one domain and every node of the job is in such a rack; else each node is alone.
        """
        nodes = self.ranked_nodes()
        if not self.is_of_racks:
            return [[node] for node in nodes]
        racks: dict[object, list[Device]] = {}
        for node in nodes:
            racks.setdefault((node.group, node.at[:-1]), []).append(node)
        return list(racks.values())

    @property
    def is_of_racks(self) -> bool:
        groups = {node.group for node in self.ranked_nodes()}
        return bool(groups) and all(map(self._is_tray, groups))

    def _is_tray(self, group: str) -> bool:
        one = part(self.document.groups[group].part)
        axes = self.document.axes_of(group)
        places = prod(size for _, size in axes[:-1])
        many = axes[-1][1]
        room = (one.get("nvlink") or {}).get("domain_gpus", 0)
        return one["gpus"] < room >= many * one["gpus"] and (many > 1 or places == 1)


def fitted(document: Document, group: str) -> dict[str, tuple[str, int]]:
    """NIC and number of NICs by the slots of a node or storage, those without any left out."""
    one = document.groups[group]
    found = {}
    for slots, body in (part(one.part).get("slots") or {}).items():
        nic, count = one.nics.get(slots, (body.get("nic"), body.get("fitted", 0)))
        if nic is not None and count:
            found[slots] = (nic, min(count, body["count"]))
    return found


def port_count(document: Document, group: str, slots: str) -> int:
    nic, count = fitted(document, group)[slots]
    return count * int(part(nic)["ports"])


def instances(document: Document, group: str) -> list[Device]:
    """All places of a group; the last axis varies fastest."""
    axes = document.axes_of(group)
    names = [name for name, _ in axes]
    return [
        Device(group, tuple(zip(names, values, strict=True)))
        for values in product(*(range(size) for _, size in axes))
    ]


def expand(text: str | Document) -> Fabric:
    """Expand a design; CannotExpand where a link cannot be cabled as written."""
    document = text if isinstance(text, Document) else read(text)
    fabric = Fabric(document)
    laid = _with_single_cables(fabric, list(_lay(document, fabric.speeds)))
    absent = _Marks(document, document.absent, laid)
    down = _Marks(document, document.down, laid)
    for group in document.groups:
        fabric.devices += [one for one in instances(document, group) if one not in absent.devices]
    standing = set(fabric.devices)
    short = _take(absent.counts, laid)
    fabric.cables = [
        cable
        for cable in laid
        if cable.a in standing
        and cable.b in standing
        and cable not in absent.cables
        and cable not in short
    ]
    left = set(fabric.cables)
    fabric.down_devices = down.devices & standing
    fabric.down_cables = (down.cables & left) | _take(
        down.counts, [cable for cable in fabric.cables if cable not in down.cables]
    )
    fabric.slow = _slow(document, [one for one in fabric.cables if fabric.is_live(one)])
    return fabric


def _with_single_cables(fabric: Fabric, dealt: list[Cable]) -> list[Cable]:
    """Dealt cables without those at ports that single cables name, and the single cables."""
    at_switch: dict[Device, list[Cable]] = defaultdict(list)
    at_node: dict[tuple[Device, PortOfNode], Cable] = {}
    document = fabric.document
    order = {
        device: at
        for group in document.groups
        for at, device in enumerate(instances(document, group))
    }
    for cable in sorted(dealt, key=lambda one: one.link):
        for device, port in ((cable.a, cable.a_port), (cable.b, cable.b_port)):
            if port is None:
                at_switch[device].append(cable)
            else:
                at_node[device, port] = cable
    for device, mine in at_switch.items():
        mine.sort(key=lambda one: (one.link, order[one.other(device)], one.rank))
    gone: set[Cable] = set()
    single: list[Cable] = []
    own: dict[tuple[object, ...], int] = {}
    for place, entry in enumerate(document.cables):
        ends = [_single_end(document, text) for text in (entry.a, entry.z)]
        for device, slots, number in ends:
            if slots is not None and number is not None:
                found = at_node.get((device, PortOfNode(slots, number)))
                gone |= {found} if found else set()
            elif number is not None and number < len(at_switch[device]):
                gone.add(at_switch[device][number])
        single.append(_single_cable(entry, ends, fabric, own, FIRST_SINGLE + place))
    return [cable for cable in dealt if cable not in gone] + single


SingleEnd = tuple[Device, str | None, int | None]


def _single_end(document: Document, text: str) -> SingleEnd:
    """Device, slots where it is a node, number of the port."""
    selector = selectors.parse(text)
    devices = selector.devices if isinstance(selector, selectors.Port) else selector
    assert isinstance(devices, selectors.Devices)
    (device,) = (
        one
        for one in instances(document, devices.group)
        if devices.match(one.group, one.coordinates)
    )
    if not isinstance(selector, selectors.Port):
        return device, None, None
    is_switch = part(document.groups[device.group].part)["kind"] == "switch"
    return device, None if is_switch else selector.slots, selector.number


def _single_cable(
    entry: SingleCable,
    ends: list[SingleEnd],
    fabric: Fabric,
    own: dict[tuple[object, ...], int],
    rank: int,
) -> Cable:
    document, speeds = fabric.document, fabric.speeds
    names = [(device.group, slots) for device, slots, _ in ends]
    for number, link in enumerate(document.links):
        of = [(end.group, slots_of(document, end)) for end in (link.a, link.b)]
        is_like = entry.length_m is None and entry.speed_gbit in (None, speeds[number])
        if is_like and names in (of, of[::-1]):
            ends = ends if of == names else ends[::-1]
            break
    else:
        link = Link(*(End(*name) for name in names), None, entry.speed_gbit, entry.length_m)
        speed = _speed(document, link)
        key = (*names, speed, entry.length_m)
        number = own.setdefault(key, len(document.links) + len(own))
        speeds[number] = speed
        fabric.own_links[number] = link
    (a, a_slots, a_number), (b, b_slots, b_number) = ends
    return Cable(
        number,
        a,
        None if a_slots is None or a_number is None else PortOfNode(a_slots, a_number),
        b,
        None if b_slots is None or b_number is None else PortOfNode(b_slots, b_number),
        speeds[number],
        rank,
    )


def _slow(document: Document, cables: list[Cable]) -> dict[Cable, Fraction]:
    """What cables run that are named as slow; those that are counted go from the last port on."""
    found: dict[Cable, Fraction] = {}
    counted: set[Cable] = set()
    for text, speed in document.slow:
        marks = _Marks(document, (text,), cables)
        some = _take(marks.counts, [one for one in cables if one not in counted])
        counted |= some
        at_devices = {one for one in cables if one.a in marks.devices or one.b in marks.devices}
        for cable in marks.cables | at_devices | some:
            gbit = (
                cable.gbit * Fraction(speed.rstrip(" %")) / 100
                if speed.endswith("%")
                else Fraction(speed)
            )
            found[cable] = min(found.get(cable, Fraction(cable.gbit)), gbit)
    return found


def _lay(document: Document, speeds: dict[int, int]) -> Iterator[Cable]:
    """All cables, as if nothing were absent, link after link."""
    taken: dict[tuple[str, str], int] = defaultdict(int)
    for number, link in enumerate(document.links):
        speeds[number] = _speed(document, link)
        yield from _lay_link(document, number, link, speeds[number], taken)


def _lay_link(
    document: Document,
    number: int,
    link: Link,
    gbit: int,
    taken: dict[tuple[str, str], int],
) -> Iterator[Cable]:
    a_slots, b_slots = (slots_of(document, end) for end in (link.a, link.b))
    shared = set(document.groups[link.a.group].per) & set(document.groups[link.b.group].per)
    ones, others = (instances(document, end.group) for end in (link.a, link.b))

    def peers(device: Device, among: list[Device]) -> list[Device]:
        here = device.coordinates
        return [one for one in among if all(one.coordinates[axis] == here[axis] for axis in shared)]

    if link.along:
        if a_slots is not None or b_slots is not None:
            raise CannotExpand("relations join switches")
        yield from _lay_along(document, number, link, gbit)
        return
    if a_slots is None and b_slots is None:
        for device in ones:
            for peer in peers(device, others):
                for rank in range(link.cables or 1):
                    yield Cable(number, device, None, peer, None, gbit, rank)
        return
    if a_slots is not None and b_slots is not None:
        yield from _lay_pairs(
            document, number, link, gbit, taken, [(one, peers(one, others)) for one in ones]
        )
        return
    node_first = a_slots is not None
    end, slots = (link.a, a_slots) if node_first else (link.b, b_slots)
    assert slots is not None
    first = taken[end.group, slots]
    ports = port_count(document, end.group, slots)
    for device in ones if node_first else others:
        reached = peers(device, others if node_first else ones)
        if link.cables is None and ports % len(reached):
            raise CannotExpand(f"{ports} ports over {len(reached)} peers")
        used = ports if link.cables is None else link.cables * len(reached)
        if first + used > ports:
            raise CannotExpand(f"{first + used} of {ports} ports")
        for index in range(used):
            port = PortOfNode(slots, first + index)
            peer = reached[index % len(reached)]
            rank = index // len(reached)
            if node_first:
                yield Cable(number, device, port, peer, None, gbit, rank)
            else:
                yield Cable(number, peer, None, device, port, gbit, rank)
        taken[end.group, slots] = first + used


def _lay_along(document: Document, number: int, link: Link, gbit: int) -> Iterator[Cable]:
    """Cables of every pair of devices whose values are in the relations; pair by pair."""
    words, sizes = dict(link.along), dict(document.axes_of(link.a.group))
    if "dealt" in words.values():
        for a, b, rank in _dealt_over_members(document, link, words):
            yield Cable(number, a, None, b, None, gbit, rank)
        return
    ones, others = (instances(document, end.group) for end in (link.a, link.b))
    common = set(sizes) & {axis for axis, _ in document.axes_of(link.b.group)}
    seen: set[frozenset[Device]] = set()

    def meet(one: Device, other: Device) -> bool:
        for axis in common:
            here, there, size = one.coordinates[axis], other.coordinates[axis], sizes[axis]
            word = words.get(axis, "same")
            steps = (here - there) % size, (there - here) % size
            holds = {
                "same": here == there,
                "any": True,
                "other": here != there,
                "next": here != there and 1 in steps,
            }
            if not holds[word]:
                return False
        return one != other

    for one in ones:
        for other in others:
            if meet(one, other) and frozenset((one, other)) not in seen:
                seen.add(frozenset((one, other)))
                for rank in range(link.cables or 1):
                    yield Cable(number, one, None, other, None, gbit, rank)


def _dealt_over_members(
    document: Document, link: Link, words: dict[str, str]
) -> Iterator[tuple[Device, Device, int]]:
    """Each cable once: position p of a set, and the mirrored position of the set it leads to."""
    (of_sets,) = (axis for axis, word in words.items() if word == "other")
    rest: dict[object, dict[int, list[Device]]] = defaultdict(lambda: defaultdict(list))
    for device in instances(document, link.a.group):
        at = device.coordinates
        alike = tuple(
            (axis, value)
            for axis, value in device.at
            if axis != of_sets and words.get(axis, "same") == "same"
        )
        rest[alike][at[of_sets]].append(device)
    cables = link.cables or 1
    for sets in rest.values():
        positions = (len(sets) - 1) * cables
        for one, members in sets.items():
            for p in range(positions):
                other = (one + p // cables + 1) % len(sets)
                if one < other:
                    far = sets[other]
                    mirrored = positions - 1 - p
                    yield members[p % len(members)], far[mirrored % len(far)], 0


def _lay_pairs(
    document: Document,
    number: int,
    link: Link,
    gbit: int,
    taken: dict[tuple[str, str], int],
    pairs: list[tuple[Device, list[Device]]],
) -> Iterator[Cable]:
    """Nodes cabled to nodes or storage: one peer each, port i to port i."""
    a, b = ((end.group, slots_of(document, end) or "") for end in (link.a, link.b))
    first_a, first_b = taken[a], taken[b]
    seen = [peer for _, peers in pairs for peer in peers]
    if any(len(peers) != 1 for _, peers in pairs) or len(set(seen)) != len(seen):
        raise CannotExpand("nodes are cabled to each other only in pairs")
    room = min(port_count(document, *a), port_count(document, *b))
    used = room if link.cables is None else link.cables
    if first_a + used > port_count(document, *a) or first_b + used > port_count(document, *b):
        raise CannotExpand("more cables than ports")
    for device, (peer,) in pairs:
        for rank in range(used):
            ends = PortOfNode(a[1], first_a + rank), PortOfNode(b[1], first_b + rank)
            yield Cable(number, device, ends[0], peer, ends[1], gbit, rank)
    taken[a], taken[b] = first_a + used, first_b + used


def slots_of(document: Document, end: End) -> str | None:
    """Slots that an end of a link means; None for a switch."""
    if part(document.groups[end.group].part)["kind"] == "switch":
        return None
    found = fitted(document, end.group)
    if end.slots is not None:
        if end.slots not in found:
            raise CannotExpand(f"{end.group}.{end.slots} has no NIC")
        return end.slots
    if len(found) != 1:
        raise CannotExpand(f"which slots of {end.group}?")
    return next(iter(found))


def _speed(document: Document, link: Link) -> int:
    speeds, spoken = [], []
    for end in (link.a, link.b):
        slots = slots_of(document, end)
        if slots is None:
            one = part(document.groups[end.group].part)
            speeds.append(switch_speeds(one))
        else:
            one = part(fitted(document, end.group)[slots][0])
            speeds.append(nic_speeds(one))
        spoken.append(protocols(one))
    common = speeds[0] & speeds[1]
    if not spoken[0] & spoken[1]:
        raise CannotExpand("no protocol in common")
    if link.speed_gbit is not None:
        common &= {link.speed_gbit}
    if not common:
        raise CannotExpand("no speed in common")
    return max(common)


Counts = dict[tuple[int, Device, Device], int]
"""By link, and by its ends as the link names them: how many of their cables are meant."""


class _Marks:
    """What a list of selectors names: devices, whole cables, and numbers of cables."""

    def __init__(self, document: Document, texts: tuple[str, ...], laid: list[Cable]) -> None:
        self.devices: set[Device] = set()
        self.cables: set[Cable] = set()
        self.counts: Counts = defaultdict(int)
        for text in texts:
            self._mark(document, selectors.parse(text), laid)

    def _mark(self, document: Document, selector: selectors.Selector, laid: list[Cable]) -> None:
        if isinstance(selector, selectors.Devices):
            self.devices |= {
                one
                for one in instances(document, selector.group)
                if selector.match(one.group, one.coordinates)
            }
        elif isinstance(selector, selectors.Port):
            self.cables |= {cable for cable in laid if _has_port(cable, selector)}
        else:
            named = [cable for cable in laid if _is_between(cable, selector)]
            if selector.count is None:
                self.cables |= set(named)
            else:
                for link, a, b in {(cable.link, cable.a, cable.b) for cable in named}:
                    self.counts[link, a, b] += selector.count


def _has_port(cable: Cable, selector: selectors.Port) -> bool:
    return any(
        port is not None
        and selector.devices.match(device.group, device.coordinates)
        and port.slots == selector.slots
        and selector.number in (None, port.number)
        for device, port in ((cable.a, cable.a_port), (cable.b, cable.b_port))
    )


def _is_between(cable: Cable, selector: selectors.Cables) -> bool:
    def match(one: Device, other: Device) -> bool:
        return selector.one.match(one.group, one.coordinates) and selector.other.match(
            other.group, other.coordinates
        )

    return match(cable.a, cable.b) or match(cable.b, cable.a)


def _take(counts: Counts, cables: list[Cable]) -> set[Cable]:
    """The last so many cables of each link and pair."""
    bundles: dict[tuple[int, Device, Device], list[Cable]] = defaultdict(list)
    for cable in cables:
        bundles[cable.link, cable.a, cable.b].append(cable)
    return {
        cable
        for key, count in counts.items()
        if (bundle := bundles.get(key))
        for cable in bundle[max(len(bundle) - count, 0) :]
    }
