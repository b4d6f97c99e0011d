"""The best that any schedule could do on the wiring, with the cut that binds.

Capacities are those of the hardware as specified: line rates, NVLink and PCIe per direction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import networkx as nx

from toposmith.analysis.bounds.cut_links import PER_GBPS, cut_links, inside_name
from toposmith.analysis.bounds.grid_flow import carries_to_one
from toposmith.analysis.bounds.intake import TakenIn, taken_in
from toposmith.analysis.bounds.optimum import FlowTarget, optimum
from toposmith.analysis.bounds.symmetry import (
    is_paired,
    nodes_lie_whole,
    one_class,
    why_unlike,
    why_unproven,
)
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import CutLink
from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.fabric.classes import ClassGraph, ClassVertex, Marked, class_graph
from toposmith.fabric.inside import rests_on_assumed, with_nothing_assumed
from toposmith.fabric.nvlink_domains import outside, over_switches
from toposmith.fabric.once import once


@dataclass(frozen=True)
class Bound:
    """Rate per rank of the optimal all-gather and the cut that limits it.

    Parameters
    ----------
    rate : Fraction
        x*, GB/s: no rank's shard can spread faster. All-gather and reduce-scatter then have a busbw
        of at most (N - 1) x*.
    cut : tuple of CutLink
        The links that leave the worst set found.
    why_unproven : str
        Why another cut may be worse; empty where the rate is proven optimal.
    nodes_whole : bool
        Whether the set has all GPUs of a node or none.
    """

    rate: Fraction
    cut: tuple[CutLink, ...]
    why_unproven: str
    nodes_whole: bool


@once
def all_gather_bound(flows: FlowNetworks) -> Bound | None:
    """The most that an all-gather over all GPUs of the design can reach.

    One GPU of every class is the target of max-flows; see
    :mod:`toposmith.analysis.bounds.optimum`. That is the throughput optimum where one GPU
    provably stands for its class (:mod:`toposmith.analysis.bounds.symmetry`), and at least
    it elsewhere.

    Returns
    -------
    Bound or None
        None for fewer than two ranks, or if a rank cannot be reached at all.
    """
    if flows.network.world.gpus < 2:
        return None
    over_grid = _bound_over_grid(flows)
    if over_grid is not None:
        return over_grid
    return _worst_of(flows, flows.quotients)


def _bound_over_grid(flows: FlowNetworks) -> Bound | None:
    """The same where rings and meshes carry all that enters one node as a single switch would.

    A flow that all switches could pass on to each other bounds what the fabric can; where the grid
    carries it, too, both are the optimum. None where it may not.
    """
    network = flows.network
    grid = network.grid
    if grid is None:
        return None
    others = tuple(link for link in network.plan.links if not link.is_self)
    apart = ComputeNetwork(replace(network.plan, links=others), ranks=network.world)
    marks = _gpu_classes(network, flows.classes, flows.colours)
    joined = [_Quotient(apart, flows.catalog, mark, one_switch=True) for mark in marks]
    bound = _worst_of(flows, joined)
    if bound is None:
        return None
    each = bound.rate * grid.nodes_per_switch * gpus_of(grid.node)
    return bound if carries_to_one(grid, each) else None


def _worst_of(flows: FlowNetworks, quotients: Sequence[_Quotient]) -> Bound | None:
    """The bound of the worst of some flow networks."""
    best = optimum([quotient.target for quotient in quotients])
    if best is None:
        return None
    quotient = next(quotient for quotient in quotients if quotient.target is best.target)
    inside = quotient.chosen(best.inside)
    return Bound(
        best.rate / PER_GBPS,
        cut_links(quotient.classes, inside, quotient.labels),
        flows.why_unproven,
        nodes_lie_whole(quotient.classes, inside),
    )


def is_connected(flows: FlowNetworks) -> bool:
    """Whether every rank can reach every other.

    With many faults, or dealt cables between many switches, the check is on classes: identical
    islands are not detected.
    """
    network = flows.network
    if not (network.singly or network.all_apart):
        return all_gather_bound(flows) is not None
    nodes = set(network.live_slots)
    parts = nx.connected_components(network.classes.graph)
    return sum(any(v[0] == "device" and v[1:3] in nodes for v in part) for part in parts) == 1


@dataclass(frozen=True)
class FlowNetworks:
    """The compute network as one flow network for each class of GPUs, made once."""

    network: ComputeNetwork
    parts: Catalog

    @cached_property
    def catalog(self) -> Catalog:
        """The parts, GPUs with the NVLinks that are up."""
        return self.network.with_nvlinks_up(self.parts)

    @cached_property
    def result_cache(self) -> dict[object, Any]:
        """Results computed so far; see :mod:`toposmith.fabric.once`."""
        return {}

    @cached_property
    def quotients(self) -> list[_Quotient]:
        """Each with one GPU distinguished."""
        marks = _gpu_classes(self.network, self.classes, self.colours)
        return [_Quotient(self.network, self.catalog, mark) for mark in marks]

    @cached_property
    def classes(self) -> ClassGraph:
        """The class graph of the compute network with the insides of nodes."""
        network = self.network
        return class_graph(network.plan, network.classes.cuts, self.catalog, only=network.slots)

    @cached_property
    def colours(self) -> Mapping[ClassVertex, int]:
        """Colours of its classes, equal where two are equivalent."""
        return refined(self.classes, None)

    @cached_property
    def why_unproven(self) -> str:
        """Why one GPU of each class may not represent it; empty where it provably does."""
        unlike = why_unlike(self.network)
        return unlike or why_unproven(self.network, self.classes, self.colours)

    @cached_property
    def gpus_alike(self) -> bool:
        """Whether any GPU can be swapped for any other without changing the wiring."""
        paired = any(is_paired(group) for group in self.network.world.groups)
        return not self.why_unproven and one_class(self.classes) and not paired

    @cached_property
    def nodes_alike(self) -> bool:
        """Whether any node can be swapped for any other without changing the wiring."""
        nodes = {vertex[1:3] for vertex in self.classes.vertices("gpu")}
        return not self.why_unproven and len(nodes) == 1

    @cached_property
    def healed(self) -> FlowNetworks | None:
        """The wiring with all faults repaired; None without faults, or where nodes have them.

        Removing links never raises the throughput of the same ranks.
        """
        plan = self.network.plan
        with_gpus = {name for name, group in plan.groups.items() if gpus_of(group)}
        faults = (*plan.absent, *plan.down)
        takes_nodes = any(
            fault.first.group in with_gpus and not fault.is_cable and fault.first.ports is None
            for fault in faults
        )
        if not (faults or plan.slow) or takes_nodes:
            return None
        return FlowNetworks(ComputeNetwork(replace(plan, absent=(), down=(), slow=())), self.parts)

    @cached_property
    def assumed_links(self) -> frozenset[str]:
        """Names of links between sockets whose rate the part does not give."""
        return frozenset(
            inside_name(group.name, "socket")
            for group in self.network.world.groups
            if rests_on_assumed(group, self.catalog, self.network.slots.get(group.name))
        )

    @cached_property
    def without_assumed(self) -> FlowNetworks | None:
        """The wiring without links between such sockets; None where there are none."""
        if not self.assumed_links:
            return None
        network, names = self.network, {group.name for group in self.network.world.groups}
        groups = {
            name: with_nothing_assumed(group) if name in names else group
            for name, group in network.plan.groups.items()
        }
        plan = replace(network.plan, groups=groups)
        return FlowNetworks(ComputeNetwork(plan, network.one_by_one), self.parts)

    @cached_property
    def _taken_in(self) -> list[TakenIn] | None:
        """The intake of nodes, where that depends on the nodes alone."""
        return taken_in(self.network, self.catalog)

    @cached_property
    def gpu_GBps(self) -> tuple[float, float]:
        """GB/s that all others can send to a GPU: the least and the most of any."""
        if self._taken_in is not None:
            least, most = zip(*(each.gpu_GBps for each in self._taken_in), strict=True)
            return min(least), max(most)
        rates = [q.target.entering(frozenset({q.target.target})) for q in self.quotients]
        return min(rates, default=0) / PER_GBPS, max(rates, default=0) / PER_GBPS

    @cached_property
    def node_GBps(self) -> float:
        """GB/s that all others can send to the node with the least intake: NICs and their slots."""
        return min((rate for rate, _ in self.into_nodes), default=0)

    @cached_property
    def into_nodes(self) -> list[tuple[float, int]]:
        """GB/s that all others can send to a node, and its GPUs, for each class of GPUs."""
        if self._taken_in is not None:
            return [(each.node_GBps, each.gpus) for each in self._taken_in]
        return [
            (q.target.entering(q.target.own_node) / PER_GBPS, q.gpus_of_node)
            for q in self.quotients
        ]


class _Quotient:
    """The class graph as a flow network with one GPU distinguished.

    Classes that are equivalent despite the target's own coordinates are merged by colour
    refinement, which preserves every max-flow (Grohe et al., arXiv 1307.5697).
    """

    def __init__(
        self, network: ComputeNetwork, catalog: Catalog, mark: Marked, *, one_switch: bool = False
    ) -> None:
        at = dict(mark.coordinates or ())
        cuts = network.classes.cuts.with_points({axis: [v] for axis, v in at.items()})
        self.classes = class_graph(network.plan, cuts, catalog, marked=(mark,), only=network.slots)
        self.labels = {link.index: link.label for link in network.plan.every_link}
        cells = self.classes.cells_at(network.plan.groups[mark.group], at)
        target = next(
            vertex
            for vertex in self.classes.vertices("gpu")
            if vertex[1:3] == (mark.group, cells)
            and mark.vertex[1] in self.classes.graph.nodes[vertex]["members"]
        )
        self.colours = refined(self.classes, target)
        if one_switch:
            # all switches as one that never limits
            switches = self.classes.vertices("switch")
            self.colours |= dict.fromkeys(switches, self.colours[switches[0]])
        ranks: dict[Hashable, int] = defaultdict(int)
        for vertex in self.classes.vertices("gpu"):
            ranks[self.colours[vertex]] += self.classes.graph.nodes[vertex]["size"]
        # a node as NCCL counts: all trays of a rack that share its NVLink switches
        own = network.plan.groups[mark.group]
        apart = outside(own) if network.world.joined else len(cells)
        rack_switches = own.nvlink.switches if own.nvlink and over_switches(own) else None
        whole = [
            vertex
            for vertex in self.classes.graph
            if vertex[1] in (mark.group, rack_switches)
            and vertex[3 if vertex[0] == "nic" else 2][:apart] == cells[:apart]
        ]
        own_node = frozenset(self.colours[vertex] for vertex in whole)
        graph = self.classes.graph
        self.gpus_of_node = sum(graph.nodes[v]["size"] for v in whole if v[0] == "gpu")
        flow = _capacities(self.classes, self.colours)
        self.target = FlowTarget(flow, ranks, self.colours[target], own_node)

    def chosen(self, inside: frozenset[Hashable]) -> set[ClassVertex]:
        """The classes of these colours."""
        return {vertex for vertex, number in self.colours.items() if number in inside}


def _gpu_classes(
    network: ComputeNetwork, classes: ClassGraph, colours: Mapping[ClassVertex, int]
) -> list[Marked]:
    """One GPU of every class that the fabric distinguishes, regardless of the order of groups.

    Equal colours need not mean equal cuts: a ring of six has the colours of two rings of three.
    Classes of one colour are distinguished by the colours of the rest once each is individualised;
    where GPUs are joined pair by pair, each GPU of such a node is a class.
    """
    groups = network.plan.groups
    alike: dict[int, list[ClassVertex]] = defaultdict(list)
    for vertex in classes.vertices("gpu"):
        alike[colours[vertex]].append(vertex)
    seen: dict[object, ClassVertex] = {}
    for colour, vertices in alike.items():
        for vertex in sorted(vertices):
            single = len(vertices) == 1 or is_paired(groups[vertex[1]])
            sight: object = vertex if single else _sight(classes, vertex, colours)
            seen.setdefault((colour, sight), vertex)
    marks: list[Marked] = []
    for vertex in seen.values():
        coordinates = classes.coordinates(groups[vertex[1]], vertex[2])
        members = classes.graph.nodes[vertex]["members"]
        paired = is_paired(groups[vertex[1]])
        for index in members if paired else members[:1]:
            marks.append(Marked(vertex[1], tuple(coordinates.items()), ("gpu", index)))
    return marks


def _sight(classes: ClassGraph, target: ClassVertex, without: Mapping[ClassVertex, int]) -> object:
    """The flow network with one class individualised, equal for classes with equal flows."""
    colours = refined(classes, target, without)
    ranks: dict[int, int] = defaultdict(int)
    for vertex in classes.vertices("gpu"):
        ranks[colours[vertex]] += classes.graph.nodes[vertex]["size"]
    between = _capacities(classes, colours).edges(data="capacity")
    return colours[target], frozenset(ranks.items()), frozenset(between)


def refined(
    classes: ClassGraph,
    target: ClassVertex | None,
    of: Mapping[ClassVertex, int] | None = None,
) -> dict[ClassVertex, int]:
    """Merge equivalent classes, except one that is given as a target.

    ``of`` holds the colours without a target, where they are known.

    The coarsest equitable partition of the class graph, by colour refinement: two classes of one
    colour have, per device, equally many links of equal rate to every colour.
    """
    graph = classes.graph
    many, colours = _ranked(
        [
            (of[vertex] if of else data["kind"], vertex == target)
            for vertex, data in graph.nodes(data=True)
        ]
    )
    links_seen = sum(map(len, classes.beside))
    while True:
        go_on(4 * (links_seen + len(classes.beside)))
        keys: list[object] = []
        for at, neighbours in enumerate(classes.beside):
            links: dict[tuple[int, float], int] = {}
            for peer, rate, per in neighbours:
                kind = (colours[peer], rate)
                links[kind] = links.get(kind, 0) + per
            keys.append((colours[at], tuple(sorted(links.items()))))
        before = many
        many, colours = _ranked(keys)
        if many == before:
            return dict(zip(graph, colours, strict=True))


def _ranked(keys: Sequence[Any]) -> tuple[int, list[int]]:
    """The number of distinct keys, and the rank of each, independent of the order of vertices."""
    rank = {key: at for at, key in enumerate(sorted(set(keys)))}
    return len(rank), [rank[key] for key in keys]


def _capacities(classes: ClassGraph, colours: Mapping[ClassVertex, int]) -> nx.DiGraph:
    """The quotient network: capacity from colour to colour, all members together, MB/s."""
    total: dict[tuple[int, int], int] = defaultdict(int)
    graph = classes.graph
    go_on(8 * len(graph.edges))
    for u, v, data in graph.edges(data=True):
        capacity = round(data["GBps"] * PER_GBPS) * graph.nodes[u]["size"] * data["per"][u]
        total[colours[u], colours[v]] += capacity
        total[colours[v], colours[u]] += capacity
    quotient = nx.DiGraph()
    quotient.add_nodes_from(colours.values())
    for (a, b), capacity in total.items():
        if a != b:
            quotient.add_edge(a, b, capacity=capacity)
    return quotient
