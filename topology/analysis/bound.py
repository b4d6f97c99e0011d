"""The best that any schedule could do on the wiring, with the cut that binds.

Capacities are those of the hardware as specified: line rates, NVLink and PCIe per direction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import networkx as nx

from catalog import Catalog
from topology.analysis.network import Network
from topology.analysis.ranks import gpus_of
from topology.analysis.result import CutLink
from topology.fabric.classes import ClassGraph, ClassVertex, Marked, class_graph
from topology.fabric.cuts import Cuts

PER_GBPS = 1000
"""Capacities are whole MB/s, so that cuts are exact."""

_SOURCE = ("source",)
_SINK = ("sink",)


@dataclass(frozen=True)
class Bound:
    """Rate per rank of the optimal all-gather and the cut that limits it.

    ``rate`` is x*, GB/s: each rank's shard can spread at this rate. All-gather, reduce-scatter and
    all-reduce (without reduction in switches) then reach a busbw of (N - 1) x*.
    """

    rate: Fraction
    cut: tuple[CutLink, ...]


@dataclass(frozen=True)
class CutBound:
    """An upper bound from a family of cuts, GB/s per rank, and the cut that gave it."""

    rate: Fraction
    cut: tuple[CutLink, ...]


def all_gather_bound(network: Network, catalog: Catalog) -> Bound | None:
    """The exact throughput optimum of all-gather, by discrete Newton iteration on cuts.

    For the shards of the ranks in a set S that does not hold all ranks to leave it takes at least
    ``|S| / B(S)``, where B(S) is the capacity that leaves S; the optimum reaches the worst of
    these (Zhao et al., "ForestColl: Throughput-Optimal Collective Communications on Heterogeneous
    Network Fabrics", arXiv 2402.06787). The search starts at "all but one rank" and moves to the
    cut that min-cut finds until none is worse (Dinkelbach). One GPU per class is individualised.

    Returns
    -------
    Bound or None
        None for fewer than two ranks, or if a rank cannot be reached at all.
    """
    ranks = network.world.gpus
    if ranks < 2:
        return None
    graphs = [_Individual(network, catalog, kind) for kind in _gpu_classes(network, catalog)]
    rate = min(Fraction(graph.ingress, ranks - 1) for graph in graphs)
    start = min(graphs, key=lambda graph: graph.ingress)
    cut = start.leaving_all_but_target()
    while True:
        found = [graph.worst_cut(rate, ranks) for graph in graphs]
        worse = [c for c in found if c is not None]
        if not worse:
            return Bound(rate / PER_GBPS, cut)
        tightest = min(worse, key=lambda c: c.rate)
        if tightest.rate == 0:
            return None
        rate, cut = tightest.rate, tightest.cut


@dataclass(frozen=True)
class _FoundCut:
    rate: Fraction
    cut: tuple[CutLink, ...]


class _Individual:
    """The quotient network with one GPU told apart, ready for max-flows towards it."""

    def __init__(self, network: Network, catalog: Catalog, mark: Marked) -> None:
        classes = network.classes
        cuts = classes.cuts.with_points({axis: [value] for axis, value in mark.coordinates})
        self.classes = class_graph(
            network.plan, cuts, catalog, marked=(mark,), only=network.slots
        )
        group = network.plan.groups[mark.group]
        cells = self.classes.cells_at(group, dict(mark.coordinates))
        self.target = _gpu_vertex(self.classes, mark, cells)
        self.gpus = {v: self.classes.graph.nodes[v]["size"] for v in self.classes.vertices("gpu")}
        self.labels = {link.index: link.label for link in network.plan.links}
        self.flow_graph = _capacities(self.classes)
        self.ingress = sum(
            int(data["capacity"]) for _, _, data in self.flow_graph.in_edges(self.target, data=True)
        )

    def leaving_all_but_target(self) -> tuple[CutLink, ...]:
        """The links into the target: the cut of everything else."""
        inside = {v for v in self.flow_graph if v != self.target}
        return _cut_links(self.classes, inside, self.labels)

    def worst_cut(self, rate: Fraction, ranks: int) -> _FoundCut | None:
        """The cut that forbids this rate, or None if the target can be reached at it."""
        scale = rate.denominator
        graph = self.flow_graph.copy()
        for _, _, data in graph.edges(data=True):
            data["capacity"] *= scale
        for gpu, many in self.gpus.items():
            graph.add_edge(_SOURCE, gpu, capacity=rate.numerator * many)
        value, (side, _) = nx.minimum_cut(graph, _SOURCE, self.target)
        if value >= rate.numerator * ranks:
            return None
        inside = side - {_SOURCE}
        held = sum(many for gpu, many in self.gpus.items() if gpu in inside)
        leaving = sum(
            data["capacity"]
            for u, v, data in self.flow_graph.edges(data=True)
            if u in inside and v not in inside
        )
        return _FoundCut(
            Fraction(leaving, held), _cut_links(self.classes, inside, self.labels)
        )


def separation(
    network: Network, catalog: Catalog, cuts: Cuts, inside: Iterable[tuple[str, Mapping[str, int]]]
) -> tuple[int, Fraction, tuple[CutLink, ...]]:
    """How much can flow out of a set of node classes: their GPUs, the capacity, the cut.

    Parameters
    ----------
    network : Network
        The compute network.
    catalog : Catalog
        For the insides of nodes.
    cuts : Cuts
        Cuts in which each of the classes is a class.
    inside : iterable of (group, cell number per axis)
        The classes: every node of the group that lies in these cells of these axes.

    Returns
    -------
    tuple
        GPUs in the set, GB/s out of it (one direction, switches placed on the better side), and
        the links of the smallest cut.
    """
    classes = class_graph(network.plan, cuts, catalog, only=network.slots)
    wanted = list(inside)
    sizes = {v: classes.graph.nodes[v]["size"] for v in classes.vertices("gpu")}
    chosen = {v for v in sizes if any(_lies_in(classes, v, *where) for where in wanted)}
    graph = _capacities(classes)
    for gpu in sizes:
        if gpu in chosen:
            graph.add_edge(_SOURCE, gpu)
        else:
            graph.add_edge(gpu, _SINK)
    held = sum(sizes[gpu] for gpu in chosen)
    if not chosen or len(chosen) == len(sizes):
        return held, Fraction(0), ()
    value, (side, _) = nx.minimum_cut(graph, _SOURCE, _SINK)
    labels = {link.index: link.label for link in network.plan.links}
    cut = _cut_links(classes, side - {_SOURCE}, labels)
    return held, Fraction(value, PER_GBPS), cut


def _lies_in(
    classes: ClassGraph, gpu: ClassVertex, group: str, cells: Mapping[str, int]
) -> bool:
    at = dict(zip(classes.axes_of[gpu[1]], gpu[2], strict=True))
    return bool(gpu[1] == group and all(at[axis] == cell for axis, cell in cells.items()))


def _gpu_classes(network: Network, catalog: Catalog) -> list[Marked]:
    """One GPU of every class that the design tells apart."""
    classes = class_graph(network.plan, network.classes.cuts, catalog, only=network.slots)
    marks: list[Marked] = []
    for vertex in classes.vertices("gpu"):
        group = network.plan.groups[vertex[1]]
        coordinates = classes.coordinates(group, vertex[2])
        index = classes.graph.nodes[vertex]["members"][0]
        marks.append(Marked(group.name, tuple(coordinates.items()), ("gpu", index)))
    return marks


def _gpu_vertex(classes: ClassGraph, mark: Marked, cells: tuple[int, ...]) -> ClassVertex:
    return next(
        vertex
        for vertex in classes.vertices("gpu")
        if vertex[1] == mark.group
        and vertex[2] == cells
        and mark.vertex[1] in classes.graph.nodes[vertex]["members"]
    )


def _capacities(classes: ClassGraph) -> nx.DiGraph:
    """The quotient network: capacity from class to class, all members together, MB/s."""
    quotient = nx.DiGraph()
    quotient.add_nodes_from(classes.graph)
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        capacity = round(data["GBps"] * PER_GBPS) * classes.cables(u, v, key)
        for a, b in ((u, v), (v, u)):
            if quotient.has_edge(a, b):
                quotient[a][b]["capacity"] += capacity
            else:
                quotient.add_edge(a, b, capacity=capacity)
    return quotient


def _cut_links(
    classes: ClassGraph, inside: set[ClassVertex], labels: Mapping[int, str]
) -> tuple[CutLink, ...]:
    counted: dict[tuple[str, int | None, float], int] = defaultdict(int)
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if (u in inside) != (v in inside):
            link = data["link"]
            name = labels[link] if link is not None else inside_name(u[1], key[0])
            counted[name, link, data["GBps"]] += classes.cables(u, v, key)
    return tuple(
        CutLink(name, index, cables, rate) for (name, index, rate), cables in counted.items()
    )


INSIDE_NAMES = {"nvlink": "NVLink", "pcie": "PCIe", "socket": "sockets"}


def inside_name(group: str, tier: str) -> str:
    """The name of a link class inside a node: ``node NVLink``."""
    return f"{group} {INSIDE_NAMES[tier]}"
