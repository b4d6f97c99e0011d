"""The longest of the shortest ways between nodes, searched switch by switch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from toposmith.topology.analysis.network import Network
from toposmith.topology.fabric.class_builder import link_of
from toposmith.topology.fabric.plan import LinkPlan, Plan
from toposmith.topology.fabric.translations import Device
from toposmith.topology.stopping import go_on

Way = tuple[tuple[str, ...], tuple[int, ...]]
"""A way: the groups of its switches, and the links of its cables by index."""

_Beside = frozenset[tuple[Device, int]]
"""What the fabric sees of a node: its switches, each with the link that leads there."""

_Layer = list[tuple[Way, set[Device]]]
"""Switches that are equally far, by the slowest of the shortest ways to them."""


def longest_ways(
    network: Network, slowness: Callable[[tuple[str, ...], tuple[int, ...]], tuple[int, float]]
) -> set[Way]:
    """The longest of the shortest ways between any two nodes of the world.

    Parameters
    ----------
    network : Network
        The compute network.
    slowness : callable
        What ways with equally many switches are ordered by.
    """
    kinds = {link.index: _kind(network.plan, link) for link in network.plan.every_link}
    nodes = _nodes(network, kinds)
    found: set[Way] = set()
    for kind, many in nodes.items():
        go_on()
        others = [other for other in nodes if other != kind or many > 1]
        found |= _from(network, kind, others, kinds, lambda way: slowness(*way))
    most = max((len(switches) for switches, _ in found), default=0)
    return {way for way in found if len(way[0]) == most}


def _nodes(network: Network, kinds: Mapping[int, object]) -> Counter[_Beside]:
    """The nodes of the world, counted by the switches that they are cabled to.

    Of links of one kind the first stands for all, so that groups of one beside one leaf are alike.
    """
    nodes: Counter[_Beside] = Counter()
    first: dict[object, int] = {}
    alike = {index: first.setdefault(kind, index) for index, kind in kinds.items()}
    for block in network.world.blocks:
        if block.group.name not in network.slots:
            continue
        for low, high in block.runs:
            for own in range(low, high + 1):
                at = network.devices.at_node((block.group.name, (*block.outer, own)))
                nodes[
                    frozenset(
                        (switch, alike[link_of(key)]) for nic in at for switch, (key, _, _) in nic
                    )
                ] += 1
    return nodes


def _from(
    network: Network,
    start: _Beside,
    others: list[_Beside],
    kinds: Mapping[int, object],
    slowness: Callable[[Way], tuple[int, float]],
) -> set[Way]:
    """The slowest of the shortest ways to the nodes that are farthest."""
    first: dict[Way, set[Device]] = defaultdict(set)
    for switch, link in start:
        first[(switch[0],), (link,)].add(switch)
    seen: set[Device] = set()
    layer = _apart(first, seen, slowness)
    waiting = {other: frozenset(switch for switch, _ in other) for other in others if other}
    last: set[Way] = set()
    while layer and waiting:
        newest = set[Device]().union(*(switches for _, switches in layer))
        reached = [other for other, at in waiting.items() if not at.isdisjoint(newest)]
        if reached:
            last = _into(layer, reached, kinds)
        for other in reached:
            del waiting[other]
        further: dict[Way, set[Device]] = {}
        for (switches, links), devices in layer:
            beside: dict[tuple[int, str], dict[int, frozenset[Device]]] = defaultdict(dict)
            for device in devices:
                for kind, peers in network.devices.by_link(device).items():
                    beside[kind][id(peers)] = peers
            for (link, group), sets in beside.items():
                way = (*switches, group), (*links, link)
                further[way] = further.get(way, set()).union(*sets.values())
        layer = _apart(further, seen, slowness)
    return last


def _apart(
    found: Mapping[Way, set[Device]],
    seen: set[Device],
    slowness: Callable[[Way], tuple[int, float]],
) -> _Layer:
    """Each switch that is new under the slowest of its ways only."""
    ways = sorted(found, key=slowness, reverse=True) if len(found) > 1 else list(found)
    layer: _Layer = []
    for way in ways:
        new = found[way] - seen
        seen |= new
        if new:
            layer.append((way, new))
    return layer


def _into(layer: _Layer, nodes: Iterable[_Beside], kinds: Mapping[int, object]) -> set[Way]:
    """The ways from a layer of switches into nodes, one over each kind of link."""
    at = {device: number for number, (_, devices) in enumerate(layer) for device in devices}
    ways: dict[object, Way] = {}
    for node in nodes:
        for device, link in node:
            if device in at and (at[device], kinds[link]) not in ways:
                (switches, links), _ = layer[at[device]]
                ways[at[device], kinds[link]] = (switches, (*links, link))
    return set(ways.values())


def _kind(plan: Plan, link: LinkPlan) -> object:
    """What the latency of a cable and of the NICs at its ends depends on."""
    ports = (plan.groups[end.group].port_groups.get(end.ports) for end in (link.a, link.b))
    nics = tuple(one.nic.id for one in ports if one is not None and one.nic is not None)
    return link.length_m, link.protocol, nics
