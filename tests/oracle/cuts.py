"""Bounds by plain max-flow on the expanded fabric, every GPU distinguished.

Capacities are whole numbers of a unit small enough for all of them, so that every figure is exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import combinations
from math import lcm

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from tests.oracle.expansion import Device, Fabric, Nic, fitted
from tests.oracle.inside import inside, is_joined
from tests.oracle.parts import part
from tests.oracle.traffic import Routes, Vertex, used_slots

Gpu = tuple[Device, str]
"""A GPU by its node and its name inside."""

Edges = Mapping[tuple[Hashable, Hashable], int]
"""Capacities from vertex to vertex, in whole units."""

_SOURCE, _SINK = "source", "sink"
_LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Capacities:
    """Who can send how much to whom; ``unit`` is what one of the whole numbers stands for."""

    graph: nx.DiGraph
    unit: Fraction
    """GB/s."""
    gpus: tuple[Gpu, ...]
    domains: tuple[tuple[Device, ...], ...] = ()
    """Nodes that NVLink joins, together; each alone where it does not."""

    @cached_property
    def edges(self) -> dict[tuple[Hashable, Hashable], int]:
        return {(one, other): many for one, other, many in self.graph.edges.data("capacity")}

    def flow(self, ones: Iterable[Hashable], others: Iterable[Hashable]) -> Fraction:
        """Largest flow from some vertices to others, in GB/s."""
        # as much as the edges of a vertex take together is without limit
        begin = {(_SOURCE, one): self.graph.out_degree(one, "capacity") for one in ones}
        end = {(other, _SINK): self.graph.in_degree(other, "capacity") for other in others}
        return minimum_cut(self.edges | begin | end, _SOURCE, _SINK)[0] * self.unit

    def flow_out(self, gpus: set[Gpu]) -> Fraction:
        """Largest flow from some GPUs to all others."""
        return self.flow(gpus, set(self.gpus) - gpus)

    def leaving(self, within: set[Hashable]) -> int:
        """Capacity of the edges out of a set of vertices, in units."""
        return sum(
            capacity
            for (tail, head), capacity in self.edges.items()
            if tail in within and head not in within
        )


def minimum_cut(edges: Edges, source: Hashable, sink: Hashable) -> tuple[int, set[Hashable]]:
    """Largest flow from one vertex to another, and what is on the side of the first."""
    if sum(edges.values()) > _LARGEST:
        raise OverflowError("capacities beyond what scipy counts in")
    vertices = list(dict.fromkeys(end for edge in edges for end in edge))
    place = {vertex: at for at, vertex in enumerate(vertices)}
    ends = [[place[edge[side]] for edge in edges] for side in (0, 1)]
    capacities = np.fromiter(edges.values(), np.int32)
    graph = csr_array((capacities, ends), shape=(len(vertices), len(vertices)))
    found = maximum_flow(graph, place[source], place[sink])
    left = graph - found.flow
    left.eliminate_zeros()
    reached = breadth_first_order(left, place[source], return_predecessors=False)
    return int(found.flow_value), {vertices[at] for at in reached}


def cluster(fabric: Fabric) -> Capacities:
    """The cluster from GPU to GPU, through its nodes and its fabric."""
    routes = Routes(fabric)
    rates = _fabric_rates(routes)
    gpus: list[Gpu] = []
    domains = tuple(tuple(nodes) for nodes in fabric.domains())
    racks = {node: nodes[0] for nodes in domains for node in nodes}
    for node in fabric.ranked_nodes():
        slots = used_slots(fabric, node.group)
        one = fabric.part_of(node)
        nic = part(fitted(fabric.document, node.group)[slots][0]) if slots else {}
        used = [found.slot for found in routes.nics(node)]
        for (tail, head), rate in inside(one, slots or "", nic, used).items():
            ends = (
                # the trays of a rack hang on the same switches
                (racks[node], end) if end == "nvswitch" else _inner(node, slots or "", end)
                for end in (tail, head)
            )
            rates.append((*ends, rate))
        gpus += [(node, f"gpu{index}") for index in range(one["gpus"])]
    found = capacities_of(rates, tuple(gpus))
    return replace(found, domains=domains)


def network(fabric: Fabric) -> Capacities:
    """Cables, switches and NICs alone."""
    return capacities_of(_fabric_rates(Routes(fabric)), ())


Rates = list[tuple[Hashable, Hashable, Fraction]]


def _fabric_rates(routes: Routes) -> Rates:
    """Cables; between an adapter and its ports, what it takes of all of them together.

    Adapters of storage are on no way: docs/model.md, no NIC passes on what is meant for another.
    """
    nodes = set(routes.fabric.ranked_nodes())
    shared = {
        vertex: rate
        for vertex in routes.graph
        if isinstance(vertex, Nic) and (rate := _shared(routes.fabric, vertex)) is not None
    }
    return [
        *(
            (_outside(one, shared), _outside(other, shared), edge["rate"])
            for one, other, edge in routes.graph.edges(data=True)
            if all(not isinstance(end, Nic) or end.device in nodes for end in (one, other))
        ),
        *((_outside(nic, shared), _vertex(nic), rate) for nic, rate in shared.items()),
    ]


def _shared(fabric: Fabric, nic: Nic) -> Fraction | None:
    gbit = part(fitted(fabric.document, nic.device.group)[nic.slots][0]).get("shared_gbit")
    return None if gbit is None else Fraction(gbit, 8)


def _outside(vertex: Vertex, shared: dict[Nic, Fraction]) -> Hashable:
    """Where the cables of a device end."""
    return (_vertex(vertex), "ports") if vertex in shared else _vertex(vertex)


def _vertex(vertex: Vertex) -> Hashable:
    return (
        _inner(vertex.device, vertex.slots, f"nic{vertex.slot}")
        if isinstance(vertex, Nic)
        else vertex
    )


def _inner(node: Device, slots: str, name: str) -> Hashable:
    return (node, f"{slots} {name}") if name.startswith("nic") else (node, name)


def capacities_of(rates: Rates, gpus: tuple[Gpu, ...]) -> Capacities:
    """What joins two vertices at these rates each way, parallel ones together."""
    unit = Fraction(1, reduce(lcm, (rate.denominator for _, _, rate in rates), 1))
    graph = nx.DiGraph()
    graph.add_nodes_from(gpus)
    for one, other, rate in rates:
        for tail, head in ((one, other), (other, one)):
            before = graph.edges[tail, head]["capacity"] if graph.has_edge(tail, head) else 0
            graph.add_edge(tail, head, capacity=before + int(rate / unit))
    return Capacities(graph, unit, gpus)


def all_gather_busbw(capacities: Capacities) -> Fraction:
    """Most busbw of an all-gather by any schedule, GB/s: the worst cut of all.

    Shards of the GPUs in a set S have to leave it, unless every GPU is in it: algbw is at most
    N B(S) / |S|, and the best schedule meets the least of these (Zhao et al., ForestColl). A rate
    for every GPU is carried where the flow from all of them into each one is N times the rate; a
    cut that is less names the next rate to try.
    """
    edges, gpus = capacities.edges, capacities.gpus
    rate = min(Fraction(capacities.leaving({gpu})) for gpu in gpus)
    unsettled = list(gpus)
    while unsettled:
        scaled = {ends: capacity * rate.denominator for ends, capacity in edges.items()}
        scaled |= {(_SOURCE, gpu): rate.numerator for gpu in gpus}
        value, within = minimum_cut(scaled, _SOURCE, unsettled[-1])
        if value == rate.numerator * len(gpus):
            unsettled.pop()
            continue
        caught = sum(gpu in within for gpu in gpus)
        rate = Fraction(capacities.leaving(within - {_SOURCE}), caught)
    return rate * capacities.unit * (len(gpus) - 1)


def all_gather_busbw_of_every_set(capacities: Capacities) -> Fraction:
    """The same by looking at every set of GPUs."""
    gpus = capacities.gpus
    sets = (set(one) for size in range(1, len(gpus)) for one in combinations(gpus, size))
    return min(capacities.flow_out(one) / len(one) for one in sets) * (len(gpus) - 1)


def with_reduction_busbw(capacities: Capacities) -> Fraction:
    """Most busbw of an all-reduce where switches reduce, GB/s.

    Every GPU and every node still has to send its data once.
    """
    ranks = len(capacities.gpus)
    sets: list[set[Gpu]] = [{gpu} for gpu in capacities.gpus]
    sets += [one for one in _by_domain(capacities) if len(one) < ranks]
    return min(capacities.flow_out(one) for one in sets) * 2 * (ranks - 1) / ranks


def all_to_all_busbw(capacities: Capacities, fabric: Fabric) -> Fraction:
    """Most busbw of an exchange by some cuts, GB/s.

    They are those around a GPU, a node, a value of an axis, half of its values, half of the groups,
    and the GPUs on half of the sockets of every node that NVLink does not join.
    """
    nodes = _by_node(capacities)
    around = [*_values(fabric), *halves(fabric)]
    sets = [{gpu} for gpu in capacities.gpus] + _by_domain(capacities)
    sets.append({gpu for gpu in capacities.gpus if _is_on_first_sockets(fabric, gpu)})
    sets += [{gpu for device in devices for gpu in nodes[device]} for devices in around]
    return min(
        _exchange_over(capacities.flow_out(one), one, capacities)
        for one in _proper(sets, capacities)
    )


def _is_on_first_sockets(fabric: Fabric, gpu: Gpu) -> bool:
    """Whether a GPU is on the first half of the sockets of a node that NVLink does not join."""
    device, name = gpu
    node = fabric.part_of(device)
    if is_joined(node, part(node["gpu"])):
        return False
    socket_of = {
        f"gpu{index}": branch["socket"]
        for branch in node["branches"]
        for index in branch.get("gpus", [])
    }
    sockets = 1 + max(branch["socket"] for branch in node["branches"])
    return bool(socket_of[name] < (sockets + 1) // 2)


def loose_all_to_all_busbw(capacities: Capacities, fabric: Fabric) -> Fraction:
    """The same by the program's way: what is inside nodes limits no cut around several."""
    nodes = _by_node(capacities)
    bare = capacities_of(
        _fabric_rates(Routes(fabric)) + _through_nodes(fabric), tuple(capacities.gpus)
    )
    around = [*_values(fabric), *halves(fabric)]
    several = [{gpu for device in devices for gpu in nodes[device]} for devices in around]
    within = [{gpu} for gpu in capacities.gpus] + _by_domain(capacities)
    return min(
        *(
            _exchange_over(capacities.flow_out(one), one, capacities)
            for one in _proper(within, capacities)
        ),
        *(
            _exchange_over(bare.flow_out(one), one, capacities)
            for one in _proper(several, capacities)
        ),
        Fraction(10**9),
    )


def _exchange_over(flow: Fraction, within: set[Gpu], capacities: Capacities) -> Fraction:
    ranks = len(capacities.gpus)
    return flow * (ranks - 1) / (len(within) * (ranks - len(within)))


def _proper(sets: list[set[Gpu]], capacities: Capacities) -> list[set[Gpu]]:
    return [one for one in sets if 0 < len(one) < len(capacities.gpus)]


def _through_nodes(fabric: Fabric) -> Rates:
    """Every GPU joined to every NIC of its node, without limit."""
    routes = Routes(fabric)
    return [
        ((node, f"gpu{index}"), _vertex(nic), Fraction(10**4))
        for node in fabric.ranked_nodes()
        for index in range(fabric.part_of(node)["gpus"])
        for nic in routes.nics(node)
    ]


def _by_node(capacities: Capacities) -> dict[Device, set[Gpu]]:
    found: dict[Device, set[Gpu]] = {}
    for gpu in capacities.gpus:
        found.setdefault(gpu[0], set()).add(gpu)
    return found


def _by_domain(capacities: Capacities) -> list[set[Gpu]]:
    nodes = _by_node(capacities)
    return [{gpu for node in domain for gpu in nodes[node]} for domain in capacities.domains]


def _between_domains(fabric: Fabric) -> dict[Device, tuple[tuple[str, int], ...]]:
    """The coordinates of every node but those along which a domain would be split."""
    domains = fabric.domains()
    racks = any(len(domain) > 1 for domain in domains)
    return {node: node.at[:-1] if racks else node.at for node in fabric.ranked_nodes()}


def _values(fabric: Fabric) -> list[list[Device]]:
    """Nodes of each value of each axis."""
    found: dict[tuple[str, int], list[Device]] = {}
    for node, at in _between_domains(fabric).items():
        for item in at:
            found.setdefault(item, []).append(node)
    return list(found.values())


def halves(fabric: Fabric) -> list[list[Device]]:
    """The first half of the nodes along each axis, and of the groups by name, shorter ones first.

    The middle one of an odd number belongs to the first half.
    """
    nodes = fabric.ranked_nodes()
    found = []
    places = _between_domains(fabric)
    for axis in dict.fromkeys(axis for at in places.values() for axis, _ in at):
        along = [node for node in nodes if axis in dict(places[node])]
        values = sorted({node.coordinates[axis] for node in along})
        first = set(values[: (len(values) + 1) // 2])
        if len(values) > 1:
            found.append([node for node in along if node.coordinates[axis] in first])
    groups = sorted({node.group for node in nodes}, key=lambda name: (len(name), name))
    first_groups = set(groups[: (len(groups) + 1) // 2])
    found.append([node for node in nodes if node.group in first_groups])
    if all(len(domain) == 1 for domain in fabric.domains()):
        found += filled_halves(nodes)
    even = [half for half in found if abs(len(nodes) - 2 * len(half)) <= 1]
    return even or [half for half in found if len(nodes) <= 3 * len(half) <= 2 * len(nodes)]


def filled_halves(nodes: list[Device]) -> list[list[Device]]:
    """Half of the nodes, rounded down, in the order of each axis; those without it come last."""
    found = []
    for axis in {axis for node in nodes for axis in node.coordinates}:

        def order(node: Device, axis: str = axis) -> tuple[object, ...]:
            rest = [value for name, value in node.at if name != axis]
            value = node.coordinates.get(axis, 10**9)
            return value, len(node.group), node.group, rest

        found.append(sorted(nodes, key=order)[: len(nodes) // 2])
    return found


def bisection_GBps(fabric: Fabric) -> Fraction | None:
    """Least flow from such a half to all other nodes over cables; None for a lone node."""
    capacities = network(fabric)
    routes = Routes(fabric)
    nodes = fabric.ranked_nodes()
    found = []
    for half in halves(fabric):
        sides = half, [node for node in nodes if node not in half]
        if all(sides):
            ends = [[_vertex(nic) for node in side for nic in routes.nics(node)] for side in sides]
            found.append(capacities.flow(*ends) if all(ends) else Fraction())
    return min(found, default=None)
