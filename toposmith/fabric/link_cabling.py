"""Planning a link: its peers, its number of cables, its speed and protocol."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from toposmith.catalog.parts import Protocol
from toposmith.design.document import Design, Link
from toposmith.design.selectors import axis_size
from toposmith.fabric.plan import MANAGEMENT, UPLINK, GroupPlan, LinkEnd, LinkPlan
from toposmith.fabric.relations import many_related, most_dealt
from toposmith.findings.codes.code import Fact, Values
from toposmith.findings.finding import Finding, at_link, found


class Unsound(Exception):
    """A link that cannot be built; carries the code and the values of its finding."""

    def __init__(self, code: str, **values: Fact) -> None:
        self.code = code
        self.values = Values(values)
        super().__init__(code)


def plan_link(
    design: Design,
    index: int,
    groups: Mapping[str, GroupPlan],
    taken: Mapping[tuple[str, str], int],
) -> LinkPlan:
    """Plan one link of a design.

    Parameters
    ----------
    design : Design
        The document.
    index : int
        Which of its links.
    groups : mapping
        Its groups with their parts.
    taken : mapping
        Ports of each slot group used by links before this one.

    Raises
    ------
    Unsound
        If the link cannot be built, with the code and the values of a finding.
    """
    link = design.links[index]
    _refuse_relations_at_nodes(link, groups)
    ends = tuple(_end(text, groups, taken) for text in link.between)
    return settled_link(design, index, link, (ends[0], ends[1]), groups)


def settled_link(
    design: Design,
    index: int,
    link: Link,
    ends: tuple[LinkEnd, LinkEnd],
    groups: Mapping[str, GroupPlan],
    *,
    cables: int | None = None,
) -> LinkPlan:
    """Plan a link whose ends are known; ``cables`` of each pair are the link's own if not given.

    Raises
    ------
    Unsound
        If the link cannot be built.
    """
    a, b = ends
    if a.ports and b.ports and any(groups[end.group].switch for end in ends):
        raise Unsound("nodes-meshed")
    group_a, group_b = groups[a.group], groups[b.group]
    common = [axis for axis in group_a.axes if axis in group_b.axes]
    said = {axis: link.along.get(axis, "same") for axis in common}
    along = {axis: word for axis, word in said.items() if word != "same"}
    lacking = [axis for axis in link.along if axis not in common]
    if lacking or (a.group == b.group and not along):
        raise Unsound(
            "relation-without-axis", ends=(a.label, b.label), axis=lacking[0] if lacking else None
        )
    shared = tuple(axis for axis in common if axis not in along)
    a_only = tuple(axis for axis in group_a.axes if axis not in common)
    b_only = tuple(axis for axis in group_b.axes if axis not in common)
    bundle = (link.cables or 1) if "dealt" in along.values() else 0
    met = 1
    if bundle:
        sets = prod(axis_size(design, axis) for axis, word in along.items() if word == "other")
        members = prod(axis_size(design, axis) for axis, word in along.items() if word == "dealt")
        if bundle > members:
            raise Unsound("dealt-too-many", cables=bundle, members=members)
        met, cables = most_dealt(bundle, sets, members), 1
    elif along:
        met = prod(many_related(word, axis_size(design, axis)) for axis, word in along.items())
        met -= a.group == b.group and set(along.values()) == {"any"}
    peers_of_a = met * prod(axis_size(design, axis) for axis in b_only)
    peers_of_b = met * prod(axis_size(design, axis) for axis in a_only)
    if cables is None:
        if a.ports and b.ports and (peers_of_a, peers_of_b) != (1, 1):
            raise Unsound("nodes-meshed")
        cables = _cables_per_pair(link, [(a, peers_of_a), (b, peers_of_b)], groups)
    speed, protocol = _speed(link, a, b, groups)
    return LinkPlan(
        index=index,
        a=_with_breakout(a, group_a, speed, _lanes(b, group_b, speed)),
        b=_with_breakout(b, group_b, speed, _lanes(a, group_a, speed)),
        shared=shared,
        a_only=a_only,
        b_only=b_only,
        peers_of_a=peers_of_a,
        peers_of_b=peers_of_b,
        cables_per_pair=cables,
        speed_gbit=speed,
        protocol=protocol,
        length_m=link.length,
        along=tuple(along.items()),
        bundle=bundle,
        wants=link.wants,
    )


def _refuse_relations_at_nodes(link: Link, groups: Mapping[str, GroupPlan]) -> None:
    """Refuse relations along an axis at nodes, on any of their ports."""
    along = [(axis, word) for axis, word in link.along.items() if word != "same"]
    of_nodes = [text for text in link.between if groups[text.partition(".")[0]].host]
    for axis, word in along[:1] if of_nodes else ():
        raise Unsound("relation-at-node", end=of_nodes[0], axis=axis, word=word)


def slowed_nics(design: Design, link: LinkPlan, groups: Mapping[str, GroupPlan]) -> list[Finding]:
    """Warnings for NICs that run below their speed on a link that does not ask for that."""
    if design.links[link.index].speed is not None:
        return []
    findings: list[Finding] = []
    for end in (link.a, link.b):
        nic = groups[end.group].port_groups[end.ports].nic
        if nic is not None and link.speed_gbit < nic.speed_gbit:
            place = at_link(link.index, design.links[link.index].between)
            speeds = {"speed_gbit": link.speed_gbit, "nic_gbit": nic.speed_gbit}
            other = link.b if end is link.a else link.a
            node = {"node": other.group} if other.ports else {}
            findings.append(found("nic-slowed", place, nic=nic.name, **speeds, **node))
    return findings


def _end(
    text: str, groups: Mapping[str, GroupPlan], taken: Mapping[tuple[str, str], int]
) -> LinkEnd:
    name, _, slots = text.partition(".")
    group = groups[name]
    if group.part is None:
        raise Unsound("unknown-part", group=name)
    if group.cages:
        if not slots:
            return LinkEnd(name, "")
        if slots not in group.port_groups:
            raise Unsound("unknown-slots", group=name, written=text)
    beside = (MANAGEMENT, UPLINK)
    fitted = [key for key, ports in group.port_groups.items() if ports.ports and key not in beside]
    if not slots:
        if len(fitted) == 1:
            slots = fitted[0]
        elif fitted:
            ends = tuple(f"{name}.{key}" for key in fitted)
            raise Unsound("which-slots", group=name, ends=ends)
        else:
            raise Unsound("no-nic", group=name)
    ports = group.port_groups.get(slots)
    if ports is None:
        known = tuple(f"{name}.{s}" for s in group.port_groups)
        raise Unsound("unknown-slots", group=name, slots=slots, known=known)
    if not ports.ports:
        raise Unsound("no-nic", group=name, slots=slots)
    return LinkEnd(name, slots, taken.get((name, slots), 0))


def _cables_per_pair(
    link: Link, reach: list[tuple[LinkEnd, int]], groups: Mapping[str, GroupPlan]
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
        raise Unsound("too-few-ports", end=end.label, ports=ports, peers=peers)
    if ports % peers:
        raise Unsound("uneven-ports", end=end.label, ports=ports, peers=peers)
    return ports // peers


def _speed(
    link: Link, a: LinkEnd, b: LinkEnd, groups: Mapping[str, GroupPlan]
) -> tuple[int, Protocol]:
    """The speed and protocol of a link: as written, or the best that both ends run."""
    protocols_a, speeds_a = _offers(a, groups)
    protocols_b, speeds_b = _offers(b, groups)
    ends = {"a": _described(a, groups), "b": _described(b, groups)}
    protocols: list[Protocol] = [p for p in protocols_a if p in protocols_b]
    if not protocols:
        spoken: dict[str, Fact] = {
            "protocols_a": tuple(protocols_a),
            "protocols_b": tuple(protocols_b),
        }
        raise Unsound("protocol-mismatch", **ends, **spoken)
    common = [speed for speed in speeds_a if speed in speeds_b]
    if link.speed is not None and link.speed not in common:
        asked: dict[str, Fact] = {"speed_gbit": link.speed, "common_gbit": tuple(common)}
        raise Unsound("speed-mismatch", **ends, **asked)
    if not common:
        raise Unsound("speed-mismatch", **ends)
    return link.speed or max(common), protocols[0]


def _offers(end: LinkEnd, groups: Mapping[str, GroupPlan]) -> tuple[list[Protocol], list[int]]:
    """Protocols and speeds of an end; a NIC also runs half its lanes (HDR as HDR100)."""
    group = groups[end.group]
    if group.cages and not end.ports:
        protocol = group.switch.protocol if group.switch else "nvlink"
        return [protocol], [mode.speed_gbit for mode in group.cages.modes]
    nic = group.port_groups[end.ports].nic
    assert nic is not None
    half = [nic.speed_gbit // 2] if nic.lanes > 1 else []
    return list(nic.protocols), [nic.speed_gbit, *half]


def _described(end: LinkEnd, groups: Mapping[str, GroupPlan]) -> str:
    group = groups[end.group]
    if group.part and group.cages and not end.ports:
        speeds = "/".join(str(mode.speed_gbit) for mode in group.cages.modes)
        return f"{end.label} ({group.part.name}, {speeds} Gb/s)"
    nic = group.port_groups[end.ports].nic
    assert nic is not None
    return f"{end.label} ({nic.name}, {nic.speed_gbit} Gb/s)"


def _lanes(end: LinkEnd, group: GroupPlan, speed: int) -> int | None:
    """Lanes that a NIC uses at a speed; None for a switch, which adapts."""
    nic = group.port_groups[end.ports].nic
    return None if nic is None else max(1, nic.lanes * speed // nic.speed_gbit)


def _with_breakout(end: LinkEnd, group: GroupPlan, speed: int, peer_lanes: int | None) -> LinkEnd:
    """How many ports of this speed a cage of a switch gives, by its mode and its lanes.

    A port at half the rate of a cage's lanes takes as many lanes as its NIC: an HDR NIC (4 lanes
    of 50 Gb/s) takes half of an OSFP cage that NDR200 (2 lanes of 100) would take a quarter of.
    """
    mode = group.mode_for(speed) if not end.ports else None
    if group.cages is None or mode is None:
        return end
    ports = mode.ports
    if peer_lanes is not None:
        ports = max(1, min(ports, group.cages.lanes // peer_lanes))
    return LinkEnd(end.group, end.ports, end.first_port, ports)
