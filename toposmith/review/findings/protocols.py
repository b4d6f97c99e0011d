"""Ends of links that do not suit each other: protocols, speeds, cages of cloud providers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toposmith.catalog import Nic, Switch
from toposmith.catalog.part_text import slower
from toposmith.catalog.parts import Node, Pcie, Protocol
from toposmith.fabric.inside import pcie_GBps
from toposmith.fabric.plan import GroupPlan, LinkPlan, PortGroup
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, Place, at_group, found
from toposmith.review.findings.ports import smallest_switch
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject
from toposmith.units import line_rate_GBps


def mismatch(subject: Subject, finding: Finding) -> Explained:
    """The NIC that the switch and the slot take, else the switch that the NIC takes."""
    ends = _ends(subject, finding.place)
    if ends is None:
        return {}
    index, sides = ends
    switches = [group.switch for group, slots in sides if group.switch and not slots]
    nodes = [(group, slots) for group, slots in sides if group.node]
    if len(switches) == 2:
        return {
            "switches": tuple(switch.name for switch in switches),
            "switch_protocols": tuple(switch.protocol for switch in switches),
        }
    if not switches or not nodes:
        return {}
    switch, (group, slots) = switches[0], nodes[0]
    ports = group.port_groups[slots]
    if group.node is None or ports.nic is None or slots not in group.node.slots:
        return {}  # a management port is what it is
    wanted = subject.plan.design.links[index].speed
    speeds = [mode.speed_gbit for mode in switch.cages.modes]
    values: dict[str, Fact] = {
        "nic_protocols": tuple(ports.nic.protocols),
        "switch_protocol": switch.protocol,
        "switch_speeds_gbit": tuple(speeds),
        "wanted_gbit": wanted or ports.nic.speed_gbit,
    }
    common = _common_speeds(ports.nic, switch)
    if wanted is not None and common and switch.protocol in ports.nic.protocols:
        return {**values, "both_run_gbit": max(common)}
    nic = best_nic(subject, switch.protocol, speeds, group.node.slots[slots].pcie)
    if nic is not None:
        values |= {"nic_id": nic.id, "nic_gbit": nic.speed_gbit}
    needed = {ports.nic.speed_gbit: switch.ports}
    others = (smallest_switch(subject.catalog, each, needed) for each in ports.nic.protocols)
    other = next((each for each in others if each is not None), None)
    return {**values, "switch_id": other.id if other else None}


def best_nic(subject: Subject, protocol: Protocol, speeds: list[int], slot: Pcie) -> Nic | None:
    """The fastest single-port NIC of these speeds that the slot can feed; None without one."""
    room = [
        nic
        for nic in subject.catalog.of_kind("nic")
        if isinstance(nic, Nic)
        and nic.cage not in ("virtual", "unknown")
        and protocol in nic.protocols
        and nic.ports == 1
        and nic.speed_gbit in speeds
        and pcie_GBps(slower(nic.pcie, slot)) >= line_rate_GBps(nic.together_gbit)
    ]
    return max(room, key=lambda nic: (nic.speed_gbit, nic.id), default=None)


def slowed(subject: Subject, finding: Finding) -> Explained:
    """The speed that the NIC runs at, and the smallest switch that would run it in full."""
    index = finding.place.index
    link = next((link for link in subject.plan.links if link.index == index), None)
    if link is None or "node" in finding.values:
        return {}  # the NIC of another node is what slows this one
    for end in (link.a, link.b):
        nic = subject.plan.groups[end.group].port_groups[end.ports].nic
        if nic is None:
            continue
        other = link.b if end is link.a else link.a
        uses = subject.uses[other.group, ""].used
        switch = smallest_switch(subject.catalog, link.protocol, {nic.speed_gbit: uses})
        return {"switch_id": switch.id, "at": other.group} if switch else {}
    return {}


def lowered(subject: Subject) -> Iterator[Finding]:
    """Links between switches that are set below the fastest speed that both ends run.

    Where the lower of them has as much capacity up as down, and less than one of the fast cables
    for each switch above, its cages are split to reach more of those, and nothing is lost.
    """
    for link in subject.plan.links:
        groups = [subject.plan.groups[end.group] for end in (link.a, link.b)]
        if link.a.ports or link.b.ports or any(group.switch is None for group in groups):
            continue
        offers = [{m.speed_gbit for m in g.switch.cages.modes} for g in groups if g.switch]
        fastest = max(offers[0] & offers[1])
        natives = [g.switch.native.speed_gbit for g in groups if g.switch]
        if link.speed_gbit < min(fastest, *natives):
            if link.cables_per_pair * link.speed_gbit < fastest and _balanced(subject, link):
                continue
            speeds = {"speed_gbit": link.speed_gbit, "fastest_gbit": fastest}
            yield found("speed-lowered", link.place, **speeds)


def _balanced(subject: Subject, link: LinkPlan) -> bool:
    """Whether the lower switch of a link has as much capacity up as down."""
    lower = min((link.a.group, link.b.group), key=lambda name: subject.heights.get(name, 0))
    up, down = (
        sum(each.cables_at(lower) * each.line_GBps for each in links)
        for links in (subject.links_up(lower), subject.links_down(lower))
    )
    return 0 < down <= up


def providers_nics(subject: Subject) -> Iterator[Finding]:
    """NICs behind which only their cloud provider can add cables."""
    for link in subject.plan.links:
        for end in (link.a, link.b):
            group = subject.plan.groups[end.group]
            nic = group.port_groups[end.ports].nic
            if nic is not None and nic.cage == "virtual":
                yield found("provider-nic", at_group(end.group, end.ports), nic=nic.name)


def _ends(subject: Subject, place: Place) -> tuple[int, list[tuple[GroupPlan, str]]] | None:
    index = place.index
    if index is None:
        return None
    sides: list[tuple[GroupPlan, str]] = []
    for text in subject.plan.design.links[index].between:
        name, _, slots = text.partition(".")
        group = subject.plan.groups[name]
        fitted = [key for key, ports in group.port_groups.items() if ports.ports]
        sides.append((group, slots or (fitted[0] if group.node and fitted else "")))
    return index, sides


def _common_speeds(nic: Nic, switch: Switch) -> list[int]:
    own = {nic.speed_gbit, nic.speed_gbit // 2 if nic.lanes > 1 else nic.speed_gbit}
    return [mode.speed_gbit for mode in switch.cages.modes if mode.speed_gbit in own]


def fewer_than_gpus(subject: Subject, finding: Finding) -> Explained:
    """NICs for each GPU, and what the policy's count would give."""
    node, ports = _of(subject, finding.place)
    if node is None or ports is None or ports.nic is None:
        return {}
    enough = min(ports.slots, node.gpus)
    if enough <= ports.nics:
        return {"slots": ports.slots}
    each = enough * line_rate_GBps(ports.nic.together_gbit) / node.gpus
    return {"slots": ports.slots, "enough": enough, "enough_GBps": each}


def within_policy(subject: Subject, finding: Finding) -> bool:
    """Whether a count of NICs is one that the policy allows."""
    if finding.code != "fewer-nics-than-gpus" or finding.value is None:
        return False
    return not finding.value.beyond(subject.policy.limits.nics_per_gpu)


def slot_too_slow(subject: Subject, finding: Finding) -> Explained:
    """The NIC that the slot can feed."""
    node, ports = _of(subject, finding.place)
    if node is None or ports is None or ports.nic is None:
        return {}
    ends = ((one, end) for one in subject.plan.links for end in (one.a, one.b))
    here = (finding.place.group, finding.place.slots)
    link = next((one for one, end in ends if (end.group, end.ports) == here), None)
    speeds = sorted({ports.nic.speed_gbit, ports.nic.speed_gbit // 2, ports.nic.speed_gbit // 4})
    protocol = link.protocol if link else ports.nic.protocols[0]
    nic = best_nic(subject, protocol, speeds, node.slots[ports.name].pcie)
    return {"nic_that_fits": nic.id if nic else ""}


def uneven(subject: Subject) -> Iterator[Finding]:
    """Nodes whose GPUs do not divide over their NICs."""
    for group, ports in subject.node_groups():
        node = group.node
        if node is None or ports.nics >= node.gpus or subject.network.world.nodes < 2:
            continue
        if node.gpus % ports.nics:
            most = -(-node.gpus // ports.nics)
            works = [n for n in range(1, ports.slots + 1) if _suits(node, ports.name, n)]
            more = [n for n in works if n > ports.nics]
            yield found(
                "nics-uneven",
                at_group(group.name, ports.name),
                gpus=node.gpus,
                nics=ports.nics,
                most_gpus=most,
                more=more[0] if more else None,
                fewer=max(works, default=None),
            )


def far_socket(subject: Subject) -> Iterator[Finding]:
    """Nodes with enough NICs for every socket with GPUs, but none below one of them."""
    for group, ports in subject.node_groups():
        if group.node is None or subject.network.world.nodes < 2:
            continue
        gpus = Counter({s: n for s, n in _per_socket(group.node, None, 0).items() if n})
        nics = _per_socket(group.node, ports.name, ports.nics)
        bare = [socket for socket in gpus if not nics[socket]]
        if not bare or ports.nics < len(gpus):
            continue
        far = sum(gpus[socket] for socket in bare)
        more = range(ports.nics + 1, ports.slots + 1)
        enough = next((n for n in more if _suits(group.node, ports.name, n)), None)
        yield found(
            "nic-far-socket",
            at_group(group.name, ports.name),
            nics=ports.nics,
            far_gpus=far,
            gpus=group.node.gpus,
            enough=enough,
        )


def idle(subject: Subject) -> Iterator[Finding]:
    """Ports of NICs that collectives use, or that the design itself fits, without a cable."""
    compute = subject.network.slots
    for (name, slots), use in subject.uses.items():
        group = subject.plan.groups[name]
        ports = group.port_groups[slots]
        chosen = slots in group.spec.nics or compute.get(name) == slots
        if group.node is None or not chosen or ports.nic is None or use.free <= 0:
            continue
        if not use.used and name not in compute:
            continue  # the whole node is unwired, which is said elsewhere
        yield found(
            "nics-idle",
            at_group(name, slots),
            nic=ports.nic.name,
            free=use.free,
            ports=use.cages,
            used=use.used,
            nics=ports.nics,
            on_board=bool(group.node.slots[slots].cages),
            nics_needed=-(-use.used // ports.nic.ports),
        )


def _suits(node: Node, slots: str, nics: int) -> bool:
    """Whether GPUs divide over so many NICs, and every socket with GPUs has one where it could."""
    gpus = Counter({s: n for s, n in _per_socket(node, None, 0).items() if n})
    below = _per_socket(node, slots, nics)
    bare = nics >= len(gpus) and any(not below[socket] for socket in gpus)
    return not bare and (nics >= node.gpus or node.gpus % nics == 0)


def _per_socket(node: Node, slots: str | None, fitted: int) -> Counter[int]:
    """NICs of a slot group below each socket, the first slots filled; GPUs without a group."""
    count: Counter[int] = Counter()
    for branch in node.branches:
        if slots is None:
            count[branch.socket] += len(branch.gpus)
        else:
            count[branch.socket] += sum(n < fitted for n in branch.slots.get(slots, ()))
    return count


def _of(subject: Subject, place: Place) -> tuple[Node | None, PortGroup | None]:
    group = subject.plan.groups.get(place.group)
    if group is None:
        return None, None
    return group.node, group.port_groups.get(place.slots)


FIND: tuple[Find, ...] = (
    lowered,
    providers_nics,
    uneven,
    far_socket,
    idle,
)
EXPLAIN: Explainers = {
    "protocol-mismatch": mismatch,
    "speed-mismatch": mismatch,
    "nic-slowed": slowed,
    "fewer-nics-than-gpus": fewer_than_gpus,
    "slot-slower-than-nic": slot_too_slow,
}
