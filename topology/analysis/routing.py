"""Equal-cost multipath on the class graph: where traffic towards one NIC flows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from topology.fabric.classes import ClassGraph, ClassVertex

Arc = tuple[ClassVertex, ClassVertex, object]
"""An edge in one direction: from, to, key."""


@dataclass(frozen=True)
class Flow:
    """Traffic towards one target: GB/s on one cable of every arc, and who cannot reach it."""

    per_cable: dict[Arc, float]
    unreachable: frozenset[ClassVertex]


def route(
    classes: ClassGraph, target: ClassVertex, sources: Mapping[ClassVertex, float]
) -> Flow:
    """Send traffic to one NIC along shortest paths, split equally over the next hops.

    Each device splits what it has for the target over all cables that lead one hop closer, as
    equal-cost multipath does per destination. Only switches pass traffic on. A node as a source
    (a ``device`` vertex) lets its traffic out through those of its NICs that are nearest to the
    target, which is what NCCL does over NVLink (PXN).

    Parameters
    ----------
    classes : ClassGraph
        The fabric, without the insides of nodes.
    target : tuple
        A ``nic`` vertex of size 1.
    sources : mapping
        GB/s that each device of a class sends to the target.

    Returns
    -------
    Flow
        The load of one cable per arc, GB/s.
    """
    graph = classes.graph
    hops = _hops(classes, target)
    waiting: dict[ClassVertex, float] = defaultdict(float)
    for vertex, rate in sources.items():
        if vertex in hops:
            waiting[vertex] += rate * graph.nodes[vertex]["size"]
    by_distance: dict[int, list[ClassVertex]] = defaultdict(list)
    for vertex, distance in hops.items():
        by_distance[distance].append(vertex)
    per_cable: dict[Arc, float] = defaultdict(float)
    for distance in sorted(by_distance, reverse=True):
        for vertex in by_distance[distance]:
            amount = waiting.pop(vertex, 0.0)
            if not amount or vertex == target:
                continue
            onward = [
                (peer, key, data["per"][vertex])
                for _, peer, key, data in graph.edges(vertex, keys=True, data=True)
                if hops.get(peer, distance) == distance - 1
            ]
            cables = graph.nodes[vertex]["size"] * sum(many for _, _, many in onward)
            for peer, key, many in onward:
                per_cable[vertex, peer, key] += amount / cables
                waiting[peer] += amount / cables * graph.nodes[vertex]["size"] * many
    return Flow(dict(per_cable), frozenset(set(sources) - set(hops)))


def _hops(classes: ClassGraph, target: ClassVertex) -> dict[ClassVertex, int]:
    """Hops to the target, for whatever can send to it.

    Traffic starts at a node or a NIC and passes only through switches.
    """
    graph = classes.graph
    hops = {target: 0}
    edge_of_search = [target]
    while edge_of_search:
        found: list[ClassVertex] = []
        for towards in edge_of_search:
            kind = graph.nodes[towards]["kind"]
            for start in graph[towards]:
                if start in hops:
                    continue
                from_node = graph.nodes[start]["kind"] == "node"
                own_node_only = kind == "nic" and towards != target
                if kind == "node" or from_node != own_node_only:
                    continue
                hops[start] = hops[towards] + 1
                found.append(start)
        edge_of_search = found
    return hops


def averaged(
    coarse: ClassGraph,
    fine: ClassGraph,
    onto: Mapping[ClassVertex, ClassVertex],
    per_cable: Mapping[Arc, float],
) -> dict[Arc, float]:
    """Loads of a finer class graph, averaged over the classes of a coarser one.

    Summed over all targets that the coarser graph does not tell apart, every cable of a class
    carries the same; that sum is the number of targets times this average.

    Parameters
    ----------
    coarse, fine : ClassGraph
        ``fine`` was made from cuts that refine those of ``coarse``.
    onto : mapping
        The coarse vertex of each fine one.
    per_cable : mapping
        Load of one cable per arc of ``fine``.
    """
    totals: dict[Arc, float] = defaultdict(float)
    for (u, v, key), load in per_cable.items():
        arc = (onto[u], onto[v], key)
        totals[arc] += load * fine.cables(u, v, key)
    return {arc: total / coarse.cables(*arc) for arc, total in totals.items()}


def coarser_vertices(coarse: ClassGraph, fine: ClassGraph) -> dict[ClassVertex, ClassVertex]:
    """Which vertex of the coarser graph each vertex of the finer one is a part of."""
    nics: dict[tuple[object, ...], ClassVertex] = {
        (*vertex[1:4], slot): vertex
        for vertex in coarse.vertices("nic")
        for slot in coarse.graph.nodes[vertex]["slots"]
    }
    axes: dict[str, dict[tuple[int, ...], tuple[int, ...]]] = defaultdict(dict)
    onto: dict[ClassVertex, ClassVertex] = {}
    for vertex, data in fine.graph.nodes(data=True):
        cells = vertex[3] if vertex[0] == "nic" else vertex[2]
        group = axes[vertex[1]]
        if cells not in group:
            group[cells] = _coarse_cells(coarse, fine, vertex[1], cells)
        if vertex[0] == "nic":
            onto[vertex] = nics[*vertex[1:3], group[cells], data["slots"][0]]
        else:
            onto[vertex] = ("device", vertex[1], group[cells])
    return onto


def _coarse_cells(
    coarse: ClassGraph, fine: ClassGraph, group: str, cells: tuple[int, ...]
) -> tuple[int, ...]:
    axes = coarse.axes_of[group]
    return tuple(
        coarse.cuts.cell_of(axis, fine.cuts.cells(axis)[cell].first)
        for axis, cell in zip(axes, cells, strict=True)
    )
