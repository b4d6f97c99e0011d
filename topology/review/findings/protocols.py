"""Ends of links that do not suit each other: protocols, speeds, cages of cloud providers."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Nic, Switch
from toposmith.catalog.links import slower
from toposmith.catalog.parts import Pcie, Protocol
from toposmith.topology.fabric.inside import pcie_GBps
from toposmith.topology.fabric.plan import Finding, GroupPlan, LinkPlan, Value
from toposmith.topology.review.findings.ports import smallest_switch
from toposmith.topology.review.findings.subject import (
    Explained,
    Explainers,
    Find,
    Subject,
    found,
    index_of,
)
from toposmith.topology.units import line_rate_GBps


def mismatch(subject: Subject, finding: Finding) -> Explained:
    """The NIC that the switch and the slot take, else the switch that the NIC takes."""
    ends = _ends(subject, finding.where)
    if ends is None:
        return None, None
    index, sides = ends
    switches = [group.switch for group, _ in sides if group.switch]
    nodes = [(group, slots) for group, slots in sides if group.node]
    if len(switches) == 2:
        return (
            f"{switches[0].protocol} and {switches[1].protocol}",
            f"take {switches[0].name} at both ends, or {switches[1].name}",
        )
    if not switches or not nodes:
        return None, None
    switch, (group, slots) = switches[0], nodes[0]
    ports = group.port_groups[slots]
    if group.node is None or ports.nic is None:
        return None, None
    wanted = subject.plan.design.links[index].speed
    figure = _figure(ports.nic, switch, wanted)
    common = _common_speeds(ports.nic, switch)
    if wanted is not None and common and switch.protocol in ports.nic.protocols:
        return figure, f"say speed: {max(common)}, the fastest that both run"
    speeds = [mode.speed_gbit for mode in switch.cages.modes]
    nic = best_nic(subject, switch.protocol, speeds, group.node.slots[slots].pcie)
    fit = f"fit {nic.id} ({nic.speed_gbit} Gb/s)" if nic else None
    for protocol in ports.nic.protocols:
        needed = {ports.nic.speed_gbit: switch.ports}
        other = smallest_switch(subject.catalog, protocol, needed)
        if other is not None:
            take = f"take {other.id} as the switch"
            return figure, f"{fit}, or {take}" if fit else take
    return figure, fit or "take another switch"


def best_nic(
    subject: Subject, protocol: Protocol, speeds: list[int], slot: Pcie, ports: int = 1
) -> Nic | None:
    """The fastest NIC of a protocol that runs one of these speeds and that the slot can feed."""
    room = [
        nic
        for nic in subject.catalog.of_kind("nic")
        if isinstance(nic, Nic)
        and nic.cage not in ("virtual", "unknown")
        and protocol in nic.protocols
        and nic.ports == ports
        and nic.speed_gbit in speeds
        and pcie_GBps(slower(nic.pcie, slot)) >= line_rate_GBps(nic.together_gbit)
    ]
    return max(room, key=lambda nic: (nic.speed_gbit, nic.id), default=None)


def slowed(subject: Subject, finding: Finding) -> Explained:
    """The speed that the NIC runs at, and the smallest switch that would run it in full."""
    index = index_of(finding.where)
    link = next((link for link in subject.plan.links if link.index == index), None)
    if link is None:
        return None, None
    for end in (link.a, link.b):
        nic = subject.plan.groups[end.group].port_groups[end.ports].nic
        if nic is None:
            continue
        other = link.b if end is link.a else link.a
        uses = subject.uses[other.group, ""].used
        switch = smallest_switch(subject.catalog, link.protocol, {nic.speed_gbit: uses})
        meant = f"say speed: {link.speed_gbit} if it is meant"
        remedy = f"take {switch.id} at {other.group}, or {meant}" if switch else meant
        return f"{link.speed_gbit} of {nic.speed_gbit} Gb/s", remedy
    return None, None


def lowered(subject: Subject) -> Iterator[Finding]:
    """Links between switches that are set below the fastest speed that both ends run.

    Where the lower of them has as much capacity up as down, and less than one of the fast cables
    for each switch above, its cages are split to reach more of those, and nothing is lost.
    """
    for link in subject.plan.links:
        groups = [subject.plan.groups[end.group] for end in (link.a, link.b)]
        if any(group.switch is None for group in groups):
            continue
        offers = [{m.speed_gbit for m in g.switch.cages.modes} for g in groups if g.switch]
        fastest = max(offers[0] & offers[1])
        natives = [g.switch.native.speed_gbit for g in groups if g.switch]
        if link.speed_gbit < min(fastest, *natives):
            if link.cables_per_pair * link.speed_gbit < fastest and _balanced(subject, link):
                continue
            text = f"its cables run {link.speed_gbit} Gb/s where both ends run {fastest}"
            figure = f"{link.speed_gbit} of {fastest} Gb/s"
            value = Value(link.speed_gbit, "Gb/s", "less")
            yield found("speed-lowered", link.label, text, figure, "leave speed: out", value)


def _balanced(subject: Subject, link: LinkPlan) -> bool:
    """Whether the lower switch of a link has as much capacity up as down."""
    lower = min((link.a.group, link.b.group), key=lambda name: subject.heights.get(name, 0))
    up, down = (
        sum(each.cables_at(lower) * each.line_GBps for each in links)
        for links in (subject.links_up(lower), subject.links_down(lower))
    )
    return 0 < down <= up


def providers_nics(subject: Subject) -> Iterator[Finding]:
    """NICs behind which only their cloud provider can lay cables."""
    for link in subject.plan.links:
        for end in (link.a, link.b):
            group = subject.plan.groups[end.group]
            nic = group.port_groups[end.ports].nic
            if nic is not None and nic.cage == "virtual":
                text = f"{nic.name} has no cage: its provider's network cannot be cabled by others"
                remedy = "fit NICs that have cages, or read the figures as a study"
                yield found("provider-nic", end.label, text, "no cage", remedy)


def _ends(subject: Subject, where: str) -> tuple[int, list[tuple[GroupPlan, str]]] | None:
    index = index_of(where)
    if index is None:
        return None
    sides: list[tuple[GroupPlan, str]] = []
    for text in subject.plan.design.links[index].between:
        name, _, slots = text.partition(".")
        group = subject.plan.groups[name]
        fitted = [key for key, ports in group.port_groups.items() if ports.ports]
        sides.append((group, slots or (fitted[0] if group.node and fitted else "")))
    return index, sides


def _figure(nic: Nic, switch: Switch, wanted: int | None) -> str:
    if switch.protocol not in nic.protocols:
        return f"{' or '.join(nic.protocols)} against {switch.protocol}"
    speeds = "/".join(str(mode.speed_gbit) for mode in switch.cages.modes)
    return f"{wanted or nic.speed_gbit} Gb/s against {speeds}"


def _common_speeds(nic: Nic, switch: Switch) -> list[int]:
    own = {nic.speed_gbit, nic.speed_gbit // 2 if nic.lanes > 1 else nic.speed_gbit}
    return [mode.speed_gbit for mode in switch.cages.modes if mode.speed_gbit in own]


FIND: tuple[Find, ...] = (lowered, providers_nics)
EXPLAIN: Explainers = {
    "protocol-mismatch": mismatch,
    "speed-mismatch": mismatch,
    "nic-slowed": slowed,
}
