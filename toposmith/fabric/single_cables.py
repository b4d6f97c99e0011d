"""Single cables of a design: the ports that each joins, and the dealt cable that it replaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toposmith.design.document import Link, Relation, SingleCable
from toposmith.design.selectors import axis_size, group_axes, parse_selector
from toposmith.fabric.dealing import peer_axes
from toposmith.fabric.link_cabling import Unsound, settled_link
from toposmith.fabric.plan import (
    DealtCable,
    GroupPlan,
    LinkEnd,
    LinkPlan,
    Plan,
    PlannedCable,
    PlannedEnd,
)
from toposmith.fabric.relations import peers_at
from toposmith.findings.finding import Finding, at_block, found

SWITCH_PORT = "port"
"""What stands for the slots where a port of a switch is named."""


class _Wrong(Exception):
    """An invalid entry; carries the reason."""


def with_single_cables(plan: Plan) -> Plan:
    """The plan with its ``cables:``, and a finding for each invalid one."""
    if not plan.design.cables:
        return plan
    cabling = _Cabling(plan)
    for number, cable in enumerate(plan.design.cables):
        try:
            cabling.place(number, cable)
        except _Wrong as wrong:
            place = at_block(f"cables[{number}]")
            cabling.findings.append(found("bad-cable", place, reason=str(wrong)))
    return replace(
        plan,
        single_cables=tuple(cabling.cables),
        replaced=frozenset(cabling.replaced),
        own_links=tuple(cabling.own.values()),
        findings=(*plan.findings, *cabling.findings),
    )


class _Cabling:
    """The cables so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.cables: list[PlannedCable] = []
        self.replaced: set[DealtCable] = set()
        self.own: dict[tuple[str, str, int, float | None], LinkPlan] = {}
        self.findings: list[Finding] = []
        self._named: set[PlannedEnd] = set()

    def place(self, number: int, cable: SingleCable) -> None:
        """Place one cable; raises _Wrong with the reason where that is impossible."""
        a, z = (self._end(text) for text in (cable.a, cable.z))
        if a.group == z.group and (a.at == z.at or a.ports):
            which = "one device" if a.at == z.at else f"nodes of {a.group}"
            raise _Wrong(f"both ends are at {which}; a cable joins two groups, or two switches")
        for end, text in ((a, cable.a), (z, cable.z)):
            if end.port is not None and end in self._named:
                raise _Wrong(f"{text!r} has a cable already; a port is named once")
        link, turned = self._link(cable, a, z)
        self._named |= {end for end in (a, z) if end.port is not None}
        self.replaced |= {
            dealt for end in (a, z) if (dealt := dealt_at(self.plan, end)) is not None
        }
        self.cables.append(PlannedCable(link.index, *((z, a) if turned else (a, z)), number))

    def _end(self, text: str) -> PlannedEnd:
        plan = self.plan
        try:
            selector = parse_selector(text, plan.design)
        except ValueError as error:
            raise _Wrong(str(error)) from None
        first = selector.first
        group = plan.groups[first.group]
        if selector.is_cable or group.part is None:
            raise _Wrong(f"{text!r}: name one device of a known part, and its port")
        at: list[int] = []
        for axis in group_axes(plan.design, first.group):
            low, high = next(
                ((low, high) for name, low, high in first.ranges if name == axis),
                (0, axis_size(plan.design, axis) - 1),
            )
            if low != high:
                raise _Wrong(f"{text!r} is several devices; give {axis} one value")
            at.append(low)
        return PlannedEnd(first.group, tuple(at), *self._port(text, group, first.ports, first.port))

    def _port(
        self, text: str, group: GroupPlan, ports: str | None, port: int | None
    ) -> tuple[str, int | None]:
        if group.switch is not None and not (ports and ports in group.port_groups):
            most = max(mode.ports for mode in group.switch.cages.modes) * group.switch.cages.count
            if ports is None:
                return "", None
            if ports != SWITCH_PORT or port is None:
                raise _Wrong(f"{text!r}: write a port of a switch as .port[12]")
            if port >= most:
                raise _Wrong(f"{text!r}: {group.switch.name} has ports 0 to {most - 1}")
            return "", port
        fitted = group.port_groups.get(ports or "")
        if ports is None or port is None or fitted is None:
            known = " or ".join(f".{name}[0]" for name in group.port_groups) or "none fitted"
            raise _Wrong(f"{text!r}: name the port of the device, such as {known}")
        if port >= fitted.ports:
            has = f"ports 0 to {fitted.ports - 1}" if fitted.ports else "no ports"
            raise _Wrong(f"{text!r}: {group.name}.{ports} has {has}")
        return ports, port

    def _link(self, cable: SingleCable, a: PlannedEnd, z: PlannedEnd) -> tuple[LinkPlan, bool]:
        """The link that a cable counts as one of, and whether that names its ends the other way."""
        ends = ((a.group, a.ports), (z.group, z.ports))
        for link in self.plan.links if cable.length is None else ():
            of = ((link.a.group, link.a.ports), (link.b.group, link.b.ports))
            if cable.speed not in (None, link.speed_gbit) or of not in (ends, ends[::-1]):
                continue
            turned = a.at > z.at if link.is_self else of != ends
            first, second = (z, a) if turned else (a, z)
            # a cable between devices that a relation does not join is not of the link
            meet = not link.bundle and second.at in peers_at(self.plan, link, link.a, first.at)
            if meet or not link.along:
                return link, turned
        return self._own(cable, a, z), a.group == z.group and a.at > z.at

    def _own(self, cable: SingleCable, a: PlannedEnd, z: PlannedEnd) -> LinkPlan:
        """A link for cables that are of none of the design's."""
        labels = tuple(f"{end.group}.{end.ports}" if end.ports else end.group for end in (a, z))
        joined = LinkEnd(a.group, a.ports), LinkEnd(z.group, z.ports)
        group = self.plan.groups[a.group]
        within = [axis for axis in group.axes if a.group == z.group and self.plan.size(axis) > 1]
        anywhere: dict[str, Relation] = dict.fromkeys(within, "any")
        try:
            link = settled_link(
                self.plan.design,
                len(self.plan.design.links) + len(self.own),
                Link(between=(labels[0], labels[1]), along=anywhere, speed=cable.speed),
                joined,
                self.plan.groups,
                cables=0,
            )
        except Unsound as unsound:
            said = found(unsound.code, at_block("cables"), **unsound.values)
            raise _Wrong(said.text) from None
        key = (labels[0], labels[1], link.speed_gbit, cable.length)
        return self.own.setdefault(key, replace(link, length_m=cable.length))


def end_at(plan: Plan, text: str) -> PlannedEnd:
    """The end of a cable that a text names: one device, with its port; ValueError if it is none."""
    try:
        return _Cabling(plan)._end(text)
    except _Wrong as wrong:
        raise ValueError(str(wrong)) from None


def dealt_at(plan: Plan, end: PlannedEnd) -> DealtCable | None:
    """The cable that a link deals to a port; None where the port is free."""
    if end.port is None:
        return None
    group = plan.groups[end.group]
    here = dict(zip(group.axes, end.at, strict=True))
    free = end.port
    for link in plan.links_of(end.group):
        own = link.end_of(end.group)
        if own.ports != end.ports:
            continue
        if link.along:
            met = peers_at(plan, link, own, end.at)
            if free >= len(met) * link.cables_per_pair:
                free -= len(met) * link.cables_per_pair
                continue
            rank, turn = divmod(free, link.cables_per_pair)
            far = met[rank]
            swapped = own is not link.a or (link.is_self and far < end.at)
            ends = (far, end.at) if swapped else (end.at, far)
            return DealtCable(link.index, *ends, turn)
        peers = link.peers_of_a if own is link.a else link.peers_of_b
        card = (end.port - own.first_port) if own.ports else free
        if not 0 <= card < peers * link.cables_per_pair:
            free -= peers * link.cables_per_pair
            continue
        # nodes' ports go round the peers, those of switches serve one peer after the other
        turn, rank = (
            divmod(card, peers) if own.ports else reversed(divmod(card, link.cables_per_pair))
        )
        other = plan.groups[(link.b if own is link.a else link.a).group]
        there = {axis: here[axis] for axis in link.shared}
        for axis in reversed(peer_axes(link, own)):
            rank, there[axis] = divmod(rank, plan.size(axis))
        far = tuple(there[axis] for axis in other.axes)
        ends = (end.at, far) if own is link.a else (far, end.at)
        return DealtCable(link.index, *ends, turn)
    return None


def far_end(plan: Plan, dealt: DealtCable, end: PlannedEnd) -> tuple[str, tuple[int, ...]]:
    """The group and the values of the device at the other end of a dealt cable."""
    link = plan.link(dealt.link)
    here = (link.a.group, dealt.a) == (end.group, end.at)
    return (link.b.group, dealt.b) if here else (link.a.group, dealt.a)


def port_of(plan: Plan, dealt: DealtCable, group: str) -> int | None:
    """The number of the port to which a link deals a cable at this group; None if it deals none."""
    free = 0
    at, far = (dealt.a, dealt.b) if plan.link(dealt.link).a.group == group else (dealt.b, dealt.a)
    for link in plan.links_of(group):
        own = link.end_of(group)
        peers = link.peers_of_a if own is link.a else link.peers_of_b
        if link.index != dealt.link:
            free += peers * link.cables_per_pair
            continue
        other = plan.groups[(link.b if own is link.a else link.a).group]
        values = dict(zip(other.axes, far, strict=True))
        rank = 0
        for axis in peer_axes(link, own):
            rank = rank * plan.size(axis) + values[axis]
        if own.ports:
            port = own.first_port + dealt.turn * peers + rank
        else:
            port = free + rank * link.cables_per_pair + dealt.turn
        return port if dealt_at(plan, PlannedEnd(group, at, own.ports, port)) == dealt else None
    return None


def touched(plan: Plan) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every device at an end of a single cable, or of one that was replaced."""
    for cable in plan.single_cables:
        for end in (cable.a, cable.b):
            yield end.group, end.at
    for dealt in plan.replaced:
        link = plan.link(dealt.link)
        yield link.a.group, dealt.a
        yield link.b.group, dealt.b
