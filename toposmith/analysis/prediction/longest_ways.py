"""The longest of the shortest paths between nodes, searched switch by switch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import inf

from toposmith.analysis.network import ComputeNetwork
from toposmith.cancellation import go_on
from toposmith.fabric.class_builder import link_of
from toposmith.fabric.device import Device
from toposmith.fabric.plan import LinkPlan, Plan

SwitchPath = tuple[tuple[str, ...], tuple[int, ...]]
"""A path: the groups of its switches, and the links of its cables by index."""

_Beside = frozenset[tuple[Device, int]]
"""The attachment of a node: its switches, each with the link that leads there."""

_Layer = list[tuple[SwitchPath, set[Device]]]
"""Switches at equal distance, by the slowest of the shortest paths to them."""


def longest_ways(
    network: ComputeNetwork,
    slowness: Callable[[tuple[str, ...], tuple[int, ...]], tuple[int, float]],
) -> set[SwitchPath]:
    """The longest of the shortest paths between any two nodes of the world.

    None of them where faults leave nodes at more than :data:`MOST_PLACES` switches.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    slowness : callable
        Sort key of paths with the same number of switches.
    """
    kinds = {link.index: _kind(network.plan, link) for link in network.plan.every_link}
    nodes = _nodes(network, kinds)
    pairs: Iterable[tuple[_Beside, list[_Beside]]] = (
        (kind, [other for other in nodes if other != kind or many > 1])
        for kind, many in nodes.items()
    )
    if len(nodes) > FEW_PLACES and all(len(beside) == 1 for beside in nodes):
        if len(nodes) > MOST_PLACES:
            return set()
        if len({link for beside in nodes for _, link in beside}) == 1:
            pairs = farthest_pair(network, nodes, slowness)
    found: set[SwitchPath] = set()
    for kind, others in pairs:
        go_on(2 * len(others))
        found |= _from(network, kind, others, kinds, lambda way: slowness(*way))
    most = max((len(switches) for switches, _ in found), default=0)
    return {way for way in found if len(way[0]) == most}


FEW_PLACES = 64
"""Up to this many leaf switches, a search from each of them is fast."""

MOST_PLACES = 4_000
"""The most leaf switches between which all paths are searched: some seconds' work."""

_LONGER = 1e6
"""Cost of one more switch on a path; exceeds all latencies of a path."""

_UNKNOWN = 1e3
"""Cost of an unknown latency, compared with microseconds."""


def farthest_pair(
    network: ComputeNetwork,
    nodes: Mapping[_Beside, int],
    slowness: Callable[[tuple[str, ...], tuple[int, ...]], tuple[int, float]],
) -> list[tuple[_Beside, list[_Beside]]]:
    """The two nodes that are farthest apart by the slowest of the shortest paths; none of one node.

    Each node is on one switch, by links of one kind. A cable costs a large number minus its
    latency, so that the cheapest path is the slowest of those with the fewest switches.
    """
    # numpy takes a tenth of a second to load, and other fabrics do not need it
    from toposmith.analysis.prediction.cheapest_ways import cheapest

    devices, places = network.devices, list(nodes)
    (last,) = {link for beside in places for _, link in beside}
    unknown, known_us = slowness((), (last, last))
    costs: dict[tuple[int, str], float] = {}

    def cost(link: int, group: str) -> float:
        if (link, group) not in costs:
            more, us = slowness((group,), (last, link, last))
            costs[link, group] = _LONGER - _UNKNOWN * (more - unknown) - (us - known_us)
        return costs[link, group]

    number = {switch: at for at, ((switch, _),) in enumerate(map(tuple, places))}
    waiting, arcs = list(number), dict[tuple[int, int], float]()
    while waiting:
        switch = waiting.pop()
        for near, bundles in devices.beside(switch).items():
            if near not in number:
                number[near] = len(number)
                waiting.append(near)
            costs_of = [cost(link_of(key), near[0]) for key, _, _ in bundles]
            arcs[number[switch], number[near]] = min(costs_of)
    best, pair = -1.0, (0, 0)
    # of switches that some shift takes to each other one says all
    symmetry = devices.symmetry
    unlike = [
        at
        for switch, at in number.items()
        if at < len(places) and not any(symmetry.shift_to(switch))
    ]
    for first in range(0, len(unlike), _AT_ONCE):
        go_on(_AT_ONCE * len(arcs) // 10)
        starts = unlike[first : first + _AT_ONCE]
        apart = cheapest(arcs, len(number), starts)[:, : len(places)]
        apart[apart == inf] = -1.0  # partitions are reported elsewhere
        for row, start in enumerate(starts):
            apart[row, start] = 0.0 if nodes[places[start]] > 1 else -1.0
        at = int(apart.argmax())
        if float(apart.flat[at]) > best:
            best, pair = float(apart.flat[at]), (starts[at // len(places)], at % len(places))
    return [] if best < 0 else [(places[pair[0]], [places[pair[1]]])]


_AT_ONCE = 64
"""Switches from which paths are searched in one call."""


def _nodes(network: ComputeNetwork, kinds: Mapping[int, object]) -> Counter[_Beside]:
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
    network: ComputeNetwork,
    start: _Beside,
    others: list[_Beside],
    kinds: Mapping[int, object],
    slowness: Callable[[SwitchPath], tuple[int, float]],
) -> set[SwitchPath]:
    """The slowest of the shortest paths to the nodes that are farthest."""
    first: dict[SwitchPath, set[Device]] = defaultdict(set)
    for switch, link in start:
        first[(switch[0],), (link,)].add(switch)
    seen: set[Device] = set()
    layer = _apart(first, seen, slowness)
    waiting = {other: frozenset(switch for switch, _ in other) for other in others if other}
    last: set[SwitchPath] = set()
    while layer:
        newest = set[Device]().union(*(switches for _, switches in layer))
        reached = [other for other, at in waiting.items() if not at.isdisjoint(newest)]
        if reached:
            last = _into(layer, reached, kinds)
        for other in reached:
            del waiting[other]
        if not waiting:
            break  # no node is farther
        further: dict[SwitchPath, set[Device]] = {}
        for (switches, links), devices in layer:
            beside: dict[tuple[int, str], dict[int, frozenset[Device]]] = defaultdict(dict)
            for device in devices:
                go_on(2)
                for kind, peers in network.devices.by_link(device).items():
                    beside[kind][id(peers)] = peers
            for (link, group), sets in beside.items():
                way = (*switches, group), (*links, link)
                further[way] = further.get(way, set()).union(*sets.values())
        layer = _apart(further, seen, slowness)
    return last


def _apart(
    found: Mapping[SwitchPath, set[Device]],
    seen: set[Device],
    slowness: Callable[[SwitchPath], tuple[int, float]],
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


def _into(layer: _Layer, nodes: Iterable[_Beside], kinds: Mapping[int, object]) -> set[SwitchPath]:
    """The ways from a layer of switches into nodes, one over each kind of link."""
    at = {device: number for number, (_, devices) in enumerate(layer) for device in devices}
    ways: dict[object, SwitchPath] = {}
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
