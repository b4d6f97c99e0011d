"""Rails that are crossed, rails that some nodes lack, and rails that no switch joins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.cancellation import go_on
from toposmith.fabric.dealing import port_peer
from toposmith.fabric.device import Device
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan
from toposmith.fabric.single_devices import SingleDevices
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_group
from toposmith.review.findings.subject import Explainers, Find, Subject

_Leaf = tuple[str, tuple[tuple[str, int], ...]]
"""A leaf's group, and its values on the axes that ports are dealt over."""

_End = tuple[str, str]
"""A group of nodes and its slots."""

_Ports = dict[int, _Leaf]
"""Where the ports of a node go."""


def crossed(subject: Subject) -> Iterator[Finding]:
    """Node groups whose ports of one number end at different leaves, of one leaf group or several.

    Only leaves that both reach count: node groups with leaves of their own meet above them anyway.
    """
    deals: dict[tuple[str, str], dict[int, _Leaf]] = defaultdict(dict)
    for link in subject.plan.links:
        for end, other in ((link.a, link.b), (link.b, link.a)):
            if end.ports and subject.network.slots.get(end.group) == end.ports:
                deals[end.group, end.ports] |= _dealt(subject, link, end, other.group)
    # of ends that deal equally the first stands for all, beside those with a leaf group in common
    kinds: set[frozenset[tuple[int, _Leaf]]] = set()
    beside: dict[str, list[tuple[int, _End]]] = defaultdict(list)
    for number, (here, ports) in enumerate(deals.items()):
        groups = {group for group, _ in ports.values()}
        for _, first in sorted({one for group in groups for one in beside[group]}):
            go_on()
            if wrong := _apart(deals[first], ports):
                yield _crossed(here, first, deals, wrong)
                break
        kind = frozenset(ports.items())
        if kind not in kinds:
            kinds.add(kind)
            for group in groups:
                beside[group].append((number, here))


def _apart(straight: _Ports, dealt: _Ports) -> list[int]:
    """Ports of one number that end at different leaves of the leaf groups that both reach."""
    shared = {
        group
        for group in {group for group, _ in straight.values()}
        if _leaves(straight, group) == _leaves(dealt, group)
    }
    return sorted(
        port
        for port in straight.keys() & dealt.keys()
        if straight[port] != dealt[port] and {straight[port][0], dealt[port][0]} & shared
    )


def _leaves(dealt: _Ports, group: str) -> set[_Leaf]:
    return {leaf for leaf in dealt.values() if leaf[0] == group}


def _crossed(end: _End, first: _End, deals: Mapping[_End, _Ports], wrong: list[int]) -> Finding:
    dealt, straight = deals[end], deals[first]
    groups = dict.fromkeys(leaf[0] for leaf in straight.values())
    return found(
        "rails-crossed",
        at_group(*end),
        end=".".join(end),
        other=".".join(first),
        leaves=tuple(groups),
        port=wrong[0],
        wrong_ports=len(wrong),
        ports=len(straight.keys() & dealt.keys()),
    )


def _dealt(subject: Subject, link: LinkPlan, end: LinkEnd, leaf: str) -> _Ports:
    """The leaf, by its group and its values, that each port of a node is dealt to by one link."""
    ports = subject.plan.groups[end.group].port_groups[end.ports].ports
    peers = ((port, port_peer(subject.plan, link, end, port)) for port in range(ports))
    return {port: (leaf, tuple(peer.items())) for port, peer in peers if peer is not None}


def uneven(subject: Subject) -> Iterator[Finding]:
    """Nodes of one group with unlike numbers of cabled NICs, as built."""
    graph = subject.built.graph
    live: dict[str, dict[tuple[int, ...], int]] = defaultdict(dict)
    for vertex in subject.built.vertices("node"):
        live[vertex[1]][vertex[2]] = 0
    for vertex in subject.built.vertices("nic"):
        if any(data["link"] is not None for _, _, data in graph.edges(vertex, data=True)):
            live[vertex[1]][vertex[3]] += len(graph.nodes[vertex]["slots"])
    for group, ports in subject.node_groups():
        counts = live[group.name]
        if not counts or len(set(counts.values())) < 2:
            continue
        fewest, most = min(counts.values()), max(counts.values())
        thin = sum(
            graph.nodes["device", group.name, cells]["size"]
            for cells, many in counts.items()
            if many < most
        )
        missing = sum(
            (most - many) * graph.nodes["device", group.name, cells]["size"]
            for cells, many in counts.items()
        )
        nics = {"fewest": fewest, "most": most, "missing": missing}
        yield found("rails-uneven", at_group(group.name, ports.name), nodes=thin, **nics)


def apart(subject: Subject) -> Iterator[Finding]:
    """Nodes with NICs between which no way leads over switches alone."""
    network = subject.network
    if network.world.nodes < 2 or not network.all_on_switches:
        return
    ways = _Ways(subject.plan, network.devices)
    for group, ports in subject.node_groups():
        if gpus_of(group) < 2:
            continue
        cabled = {
            tuple(frozenset(switch for switch, _ in nic) for nic in at_node if nic)
            for at_node in map(network.devices.at_node, _one_of_each(network, group))
        }
        missed, nics = max(((ways.missed(nics), len(nics)) for nics in cabled), default=(0, 0))
        if missed:
            place = at_group(group.name, ports.name)
            yield found("rails-apart", place, met=nics - missed, nics=nics, missed=missed)


def _one_of_each(network: ComputeNetwork, group: GroupPlan) -> Iterator[Device]:
    """A node of every class of a group."""
    for name, cells in network.live_slots:
        if name == group.name:
            yield name, tuple(network.classes.coordinates(group, cells).values())


class _Ways:
    """Ways over switches alone, walked no further than they may lead.

    Where every link between switches keeps to one value of an axis, as one of spines for each rail
    does, no path leads to another value, and those need no walk over the whole fabric.
    """

    def __init__(self, plan: Plan, devices: SingleDevices) -> None:
        self._devices = devices
        between = [link for link in plan.links if not (link.a.ports or link.b.ports)]
        self._kept = {
            name: [
                (axis, place)
                for place, axis in enumerate(group.axes)
                if not plan.single_cables and all(axis in link.shared for link in between)
            ]
            for name, group in plan.groups.items()
        }

    def missed(self, nics: tuple[frozenset[Device], ...]) -> int:
        """NICs of a node that the first of them that misses any does not reach; 0 if none does.

        Each NIC is named by its switches.
        """
        for nic in nics:
            parts = set(map(self._part, nic))
            near = [other for other in nics if not parts.isdisjoint(map(self._part, other))]
            missed = len(nics) - len(near) + self._walked(nic, near)
            if missed:
                return missed
        return 0

    def _part(self, switch: Device) -> frozenset[tuple[str, int]]:
        """The values that all switches have to which a way leads from this one."""
        group, at = switch
        return frozenset((axis, at[place]) for axis, place in self._kept[group])

    def _walked(self, nic: frozenset[Device], others: list[frozenset[Device]]) -> int:
        """How many of some NICs no way leads to; walked until all are met."""
        reached, waiting = set(nic), list(nic)
        while waiting and any(map(reached.isdisjoint, others)):
            go_on()
            near = self._devices.beside(waiting.pop()).keys() - reached
            reached |= near
            waiting += near
        return sum(map(reached.isdisjoint, others))


FIND: tuple[Find, ...] = (crossed, uneven, apart)
EXPLAIN: Explainers = {}
