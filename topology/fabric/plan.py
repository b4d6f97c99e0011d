"""What the document means with the catalog's parts in hand: devices, ports and cables per link.

Nothing is expanded here: a group of 2,048 nodes is one :class:`GroupPlan`. What does not fit is
said as a finding and left out of the plan's sound links, so that the rest can still be analysed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from catalog import Catalog, Nic, Node, Switch
from catalog.parts import Protocol
from topology.design.document import Design, Group, Link
from topology.design.selectors import Selector, axis_size, group_axes, parse_selector
from topology.units import line_rate_GBps

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True)
class Finding:
    """Something a person should know: a stable code, how bad, where, and why in a sentence."""

    code: str
    severity: Severity
    where: str
    text: str


@dataclass(frozen=True)
class PortGroup:
    """Ports of one device that serve one network: a node's fitted slots, or a switch's cages."""

    name: str
    ports: int
    nic: Nic | None = None
    nics: int = 0
    slots: int = 0


@dataclass(frozen=True)
class GroupPlan:
    """A device group with its part and its axes; ``part`` is None where the catalog has none."""

    name: str
    spec: Group
    part: Node | Switch | None
    axes: tuple[str, ...]
    sizes: tuple[int, ...]
    port_groups: dict[str, PortGroup]

    @property
    def instances(self) -> int:
        """Devices of the group before any is marked absent."""
        return prod(self.sizes)

    @property
    def node(self) -> Node | None:
        """The part as a node, or None."""
        return self.part if isinstance(self.part, Node) else None

    @property
    def switch(self) -> Switch | None:
        """The part as a switch, or None."""
        return self.part if isinstance(self.part, Switch) else None


@dataclass(frozen=True)
class LinkEnd:
    """One end of a link, as written: the group, and the slot group where it is a node."""

    group: str
    ports: str
    first_port: int = 0
    breakout: int = 1

    @property
    def label(self) -> str:
        """``node.compute`` for a node, ``leaf`` for a switch."""
        return f"{self.group}.{self.ports}" if self.ports else self.group


@dataclass(frozen=True)
class LinkPlan:
    """A link that can be built: who it joins, with how many cables, at what speed.

    ``a_only`` are the axes along which one instance of ``b`` meets many of ``a``, and the reverse.
    """

    index: int
    a: LinkEnd
    b: LinkEnd
    shared: tuple[str, ...]
    a_only: tuple[str, ...]
    b_only: tuple[str, ...]
    peers_of_a: int
    peers_of_b: int
    cables_per_pair: int
    speed_gbit: int
    protocol: Protocol

    @property
    def label(self) -> str:
        """``node.compute - leaf``: the name of the link everywhere."""
        return f"{self.a.label} - {self.b.label}"

    @property
    def line_GBps(self) -> float:
        """Line rate of one cable, GB/s per direction."""
        return line_rate_GBps(self.speed_gbit)

    def end_of(self, group: str) -> LinkEnd:
        """The end at this group."""
        return self.a if self.a.group == group else self.b

    def cables_at(self, group: str) -> int:
        """Cables that one device of this group takes."""
        peers = self.peers_of_a if self.a.group == group else self.peers_of_b
        return peers * self.cables_per_pair


@dataclass(frozen=True)
class Plan:
    """A design understood: its groups, its sound links, what is absent or down, and findings."""

    design: Design
    groups: dict[str, GroupPlan]
    links: tuple[LinkPlan, ...]
    absent: tuple[Selector, ...]
    down: tuple[Selector, ...]
    findings: tuple[Finding, ...]

    def size(self, axis: str) -> int:
        """How many values an axis has."""
        return axis_size(self.design, axis)

    def links_of(self, group: str) -> list[LinkPlan]:
        """The sound links that end at a group."""
        return [link for link in self.links if group in (link.a.group, link.b.group)]


@dataclass
class _Notes:
    findings: list[Finding] = field(default_factory=list)

    def error(self, code: str, where: str, text: str) -> None:
        self.findings.append(Finding(code, "error", where, text))

    def warning(self, code: str, where: str, text: str) -> None:
        self.findings.append(Finding(code, "warning", where, text))


class _Unsound(Exception):
    """A link that cannot be built; carries its finding."""

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        self.text = text
        super().__init__(text)


def plan_design(design: Design, catalog: Catalog) -> Plan:
    """Understand a design: look its parts up, deal its ports, settle speed and protocol of links.

    Parameters
    ----------
    design : Design
        The document; its names are taken to be consistent (the reader checks them).
    catalog : Catalog
        Where the parts are looked up.

    Returns
    -------
    Plan
        Every group, every link that can be built, and findings for what cannot.
    """
    notes = _Notes()
    groups = {name: _plan_group(design, name, catalog, notes) for name in design.groups}
    links: list[LinkPlan] = []
    taken: dict[tuple[str, str], int] = {}
    for index, link in enumerate(design.links):
        where = f"links[{index}] {' - '.join(link.between)}"
        try:
            planned = _plan_link(design, index, link, groups, taken, notes, where)
        except _Unsound as unsound:
            notes.error(unsound.code, where, unsound.text)
            continue
        links.append(planned)
        for end in (planned.a, planned.b):
            if end.ports:
                key = (end.group, end.ports)
                taken[key] = taken.get(key, 0) + planned.cables_at(end.group)
    absent = _selectors("absent", design.absent, design, notes)
    down = _selectors("down", design.down, design, notes)
    return Plan(design, groups, tuple(links), absent, down, tuple(notes.findings))


def _plan_group(design: Design, name: str, catalog: Catalog, notes: _Notes) -> GroupPlan:
    spec = design.groups[name]
    axes = group_axes(design, name)
    sizes = tuple(axis_size(design, axis) for axis in axes)
    part = catalog.get(spec.part)
    if part is None:
        near = catalog.nearest(spec.part)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        notes.error("unknown-part", name, f"the catalog has no part {spec.part!r}{hint}")
    if isinstance(part, Node):
        ports = _node_ports(name, spec, part, catalog, notes)
        return GroupPlan(name, spec, part, axes, sizes, ports)
    if isinstance(part, Switch):
        if spec.nics:
            notes.error("not-a-node", name, f"{part.name} is a switch; it has no slots for NICs")
        return GroupPlan(name, spec, part, axes, sizes, {"": PortGroup("", part.ports)})
    if part is not None:
        notes.error(
            "not-a-device", name, f"{part.name} is a {part.kind}; a group is of nodes or switches"
        )
    return GroupPlan(name, spec, None, axes, sizes, {})


def _node_ports(
    name: str, spec: Group, node: Node, catalog: Catalog, notes: _Notes
) -> dict[str, PortGroup]:
    ports: dict[str, PortGroup] = {}
    for slots in spec.nics:
        if slots not in node.slots:
            known = ", ".join(node.slots) or "none"
            notes.error(
                "unknown-slots", name, f"{node.name} has no {slots!r} slots (it has: {known})"
            )
    for slots, room in node.slots.items():
        fitted = spec.nics.get(slots)
        part_id = fitted.part if fitted else room.nic
        count = fitted.count if fitted else room.fitted
        nic = catalog.get(part_id) if part_id else None
        where = f"{name}.{slots}"
        if part_id and not isinstance(nic, Nic):
            near = catalog.nearest(part_id)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            what = "is not a NIC" if nic is not None else "is not in the catalog"
            notes.error("unknown-part", where, f"{part_id!r} {what}{hint}")
            nic = None
        if count > room.count:
            notes.error(
                "slots-overfilled",
                where,
                f"{count} NICs for {room.count} slots; fit at most {room.count}",
            )
            count = room.count
        if isinstance(nic, Nic) and count:
            ports[slots] = PortGroup(slots, count * nic.ports, nic, count, room.count)
        else:
            ports[slots] = PortGroup(slots, 0, None, 0, room.count)
    return ports


def _plan_link(
    design: Design,
    index: int,
    link: Link,
    groups: dict[str, GroupPlan],
    taken: dict[tuple[str, str], int],
    notes: _Notes,
    where: str,
) -> LinkPlan:
    a, b = (_end(text, groups, taken) for text in link.between)
    group_a, group_b = groups[a.group], groups[b.group]
    shared = tuple(axis for axis in group_a.axes if axis in group_b.axes)
    a_only = tuple(axis for axis in group_a.axes if axis not in shared)
    b_only = tuple(axis for axis in group_b.axes if axis not in shared)
    peers_of_a = prod(axis_size(design, axis) for axis in b_only)
    peers_of_b = prod(axis_size(design, axis) for axis in a_only)
    if a.ports and b.ports and (peers_of_a, peers_of_b) != (1, 1):
        raise _Unsound(
            "nodes-meshed", "nodes are cabled to each other only in pairs; put a switch between"
        )
    cables = _cables_per_pair(link, [(a, peers_of_a), (b, peers_of_b)], groups)
    speed, protocol = _speed(link, a, b, groups, notes, where)
    return LinkPlan(
        index,
        _with_breakout(a, group_a, speed),
        _with_breakout(b, group_b, speed),
        shared,
        a_only,
        b_only,
        peers_of_a,
        peers_of_b,
        cables,
        speed,
        protocol,
    )


def _end(text: str, groups: dict[str, GroupPlan], taken: dict[tuple[str, str], int]) -> LinkEnd:
    name, _, slots = text.partition(".")
    group = groups[name]
    if group.part is None:
        raise _Unsound("unknown-part", f"{name} has an unknown part, so its ports are unknown")
    if group.switch:
        if slots:
            raise _Unsound("unknown-slots", f"{name} is a switch; write {name!r}, not {text!r}")
        return LinkEnd(name, "")
    fitted = [key for key, ports in group.port_groups.items() if ports.ports]
    if not slots:
        if len(fitted) == 1:
            slots = fitted[0]
        elif fitted:
            raise _Unsound(
                "which-slots",
                f"say which ports of {name}: {' or '.join(f'{name}.{s}' for s in fitted)}",
            )
        else:
            raise _Unsound("no-nic", f"{name} has no NIC fitted; fit one into its slots first")
    ports = group.port_groups.get(slots)
    if ports is None:
        known = ", ".join(f"{name}.{s}" for s in group.port_groups) or "none"
        raise _Unsound("unknown-slots", f"{name} has no slots {slots!r} (it has: {known})")
    if not ports.ports:
        raise _Unsound("no-nic", f"{name}.{slots} has no NIC fitted; fit one first")
    return LinkEnd(name, slots, taken.get((name, slots), 0))


def _cables_per_pair(
    link: Link, reach: list[tuple[LinkEnd, int]], groups: dict[str, GroupPlan]
) -> int:
    """Cables between two peers: as written, or a node's ports dealt evenly over its peers."""
    if link.cables is not None:
        return link.cables
    dealt = [
        _deal(end, groups[end.group].port_groups[end.ports].ports, peers)
        for end, peers in reach
        if end.ports
    ]
    return min(dealt, default=1)


def _deal(end: LinkEnd, ports: int, peers: int) -> int:
    if ports < peers:
        raise _Unsound(
            "too-few-ports",
            f"{end.label} has {ports} ports for {peers} peers; "
            f"fit more NICs or let it reach at most {ports}",
        )
    if ports % peers:
        fits = [str(n) for n in range(1, ports + 1) if ports % n == 0]
        raise _Unsound(
            "uneven-ports",
            f"{ports} ports of {end.label} cannot be dealt evenly over {peers} peers; "
            f"{' or '.join(fits)} peers work, or say cables: {ports // peers}",
        )
    return ports // peers


def _speed(
    link: Link,
    a: LinkEnd,
    b: LinkEnd,
    groups: dict[str, GroupPlan],
    notes: _Notes,
    where: str,
) -> tuple[int, Protocol]:
    protocols_a, speeds_a = _offers(a, groups)
    protocols_b, speeds_b = _offers(b, groups)
    protocols: list[Protocol] = [p for p in protocols_a if p in protocols_b]
    if not protocols:
        raise _Unsound(
            "protocol-mismatch",
            f"{_describe(a, groups)} cannot be joined to {_describe(b, groups)}: "
            f"one speaks {' or '.join(protocols_a)}, the other {' or '.join(protocols_b)}",
        )
    common = [speed for speed in speeds_a if speed in speeds_b]
    if link.speed is not None:
        if link.speed not in common:
            offered = " or ".join(str(s) for s in common) or "none"
            raise _Unsound(
                "speed-mismatch",
                f"{link.speed} Gb/s does not run between {_describe(a, groups)} and "
                f"{_describe(b, groups)}; common speeds: {offered}",
            )
        return link.speed, protocols[0]
    if not common:
        raise _Unsound(
            "speed-mismatch",
            f"{_describe(a, groups)} and {_describe(b, groups)} have no speed in common; "
            "take a NIC or a switch of the other's speed",
        )
    best = max(common)
    for end in (a, b):
        nic = groups[end.group].port_groups[end.ports].nic
        if nic is not None and best < nic.speed_gbit:
            notes.warning(
                "nic-slowed",
                where,
                f"{nic.name} runs at {best} of its {nic.speed_gbit} Gb/s on this switch",
            )
    return best, protocols[0]


def _offers(end: LinkEnd, groups: dict[str, GroupPlan]) -> tuple[list[Protocol], list[int]]:
    """Protocols and speeds of an end; a NIC also runs half its lanes (HDR as HDR100)."""
    group = groups[end.group]
    if group.switch:
        return [group.switch.protocol], [mode.speed_gbit for mode in group.switch.cages.modes]
    nic = group.port_groups[end.ports].nic
    assert nic is not None
    half = [nic.speed_gbit // 2] if nic.lanes > 1 else []
    return list(nic.protocols), [nic.speed_gbit, *half]


def _describe(end: LinkEnd, groups: dict[str, GroupPlan]) -> str:
    group = groups[end.group]
    if group.switch:
        speeds = "/".join(str(mode.speed_gbit) for mode in group.switch.cages.modes)
        return f"{end.label} ({group.switch.name}, {speeds} Gb/s)"
    nic = group.port_groups[end.ports].nic
    assert nic is not None
    return f"{end.label} ({nic.name}, {nic.speed_gbit} Gb/s)"


def _with_breakout(end: LinkEnd, group: GroupPlan, speed: int) -> LinkEnd:
    mode = group.switch.mode_for(speed) if group.switch else None
    return LinkEnd(end.group, end.ports, end.first_port, mode.ports) if mode else end


def _selectors(
    key: str, texts: Iterable[str], design: Design, notes: _Notes
) -> tuple[Selector, ...]:
    read: list[Selector] = []
    for text in texts:
        try:
            read.append(parse_selector(text, design))
        except ValueError as error:
            notes.error("bad-selector", key, str(error))
    return tuple(read)
