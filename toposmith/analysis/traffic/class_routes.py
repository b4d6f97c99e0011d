"""Shortest paths on the class graph: where traffic towards one NIC flows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toposmith.analysis.traffic.next_hops import next_hops
from toposmith.cancellation import go_on
from toposmith.fabric.classes import ClassGraph, ClassVertex
from toposmith.fabric.cuts import Cuts

Arc = tuple[ClassVertex, ClassVertex, object]
"""An edge in one direction: from, to, key."""


@dataclass(frozen=True)
class TargetFlow:
    """Traffic to one target: GB/s on one cable of every arc, and sources that cannot reach it."""

    per_cable: dict[Arc, float]
    unreachable: frozenset[ClassVertex]


def route(
    classes: ClassGraph,
    target: ClassVertex,
    sources: Mapping[ClassVertex, float],
    *,
    weighted: bool,
) -> TargetFlow:
    """Send traffic to one NIC along shortest paths, split over the next hops.

    Each device splits what it has for the target over all cables that lead one hop closer, per
    destination: see :mod:`toposmith.analysis.traffic.next_hops`. Only switches pass
    traffic on. A node as a source (a ``device`` vertex) lets its traffic out through its NIC in the
    slot of the target's number, which is what NCCL does over NVLink (PXN), and evenly through
    those that are as far away.

    Parameters
    ----------
    classes : ClassGraph
        The fabric, without the insides of nodes.
    target : tuple
        A ``nic`` vertex of size 1.
    sources : mapping
        GB/s that each device of a class sends to the target.
    weighted : bool
        Whether devices split by remaining path capacity; equally by cable if not.

    Returns
    -------
    TargetFlow
        The load of one cable per arc, GB/s.
    """
    graph = classes.graph
    hops = hops_to(classes, target)
    waiting: dict[ClassVertex, float] = defaultdict(float)
    for vertex, rate in sources.items():
        if vertex in hops:
            waiting[vertex] += rate * graph.nodes[vertex]["size"]
    onward = next_hops(classes, hops, waiting, weighted=weighted)
    per_cable: dict[Arc, float] = defaultdict(float)
    for vertex in reversed(onward):
        amount = waiting.pop(vertex, 0.0)
        if not amount:
            continue
        size = graph.nodes[vertex]["size"]
        for hop in onward[vertex]:
            per_cable[vertex, hop.peer, hop.key] += amount / size * hop.share
            waiting[hop.peer] += amount * hop.share * hop.cables
    return TargetFlow(dict(per_cable), frozenset(set(sources) - set(hops)))


def hops_to(classes: ClassGraph, target: ClassVertex) -> dict[ClassVertex, int]:
    """Hops to the target, for all vertices that can send to it.

    Traffic starts at a node or a NIC and passes only through switches. A node is as far away as
    its NIC of the target's number, or, where that does not reach the target or the two have
    unlike numbers of NICs, as its nearest one.
    """
    graph = classes.graph
    hops = {target: 0}
    edge_of_search = [target]
    while edge_of_search:
        found: list[ClassVertex] = []
        for towards in edge_of_search:
            go_on(len(graph[towards]))
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
    nics = _nics_of_groups(classes)
    (slot,) = graph.nodes[target]["slots"]
    for vertex in [nic for nic in hops if nic[0] == "nic" and nic != target]:
        node = ("device", vertex[1], vertex[3])
        alike = nics[vertex[1:3]] == nics[target[1:3]]
        if alike and node in hops and slot in graph.nodes[vertex]["slots"]:
            hops[node] = hops[vertex] + 1
    return hops


def _nics_of_groups(classes: ClassGraph) -> dict[tuple[object, ...], int]:
    """How many NICs a node has, by group and slots."""
    found: dict[tuple[object, ...], int] = defaultdict(int)
    for vertex, slots in classes.graph.nodes(data="slots"):
        if vertex[0] == "nic":
            found[vertex[1:3]] = max(found[vertex[1:3]], slots[-1] + 1)
    return found


class Coarsening:
    """The class in coarser cuts that contains each vertex of a class graph.

    NICs keep the classes of the base graph: no choice of source or target distinguishes them.

    Parameters
    ----------
    fine : ClassGraph
        The graph whose loads are to be averaged.
    cuts : Cuts
        Cuts that ``fine`` refines, and that refine those of ``base``.
    base : ClassGraph
        The graph that all figures share.
    """

    def __init__(self, fine: ClassGraph, cuts: Cuts, base: ClassGraph) -> None:
        self.fine = fine
        go_on(4 * len(fine.graph))
        onto = cell_map(fine.cuts, cuts)
        to_base = cell_map(fine.cuts, base.cuts)
        nics = {
            (*vertex[1:4], slot): vertex[4]
            for vertex in base.vertices("nic")
            for slot in base.graph.nodes[vertex]["slots"]
        }
        self.vertex: dict[ClassVertex, ClassVertex] = {}
        for vertex, data in fine.graph.nodes(data=True):
            axes = fine.axes_of[vertex[1]]
            cells = vertex[3] if vertex[0] == "nic" else vertex[2]
            coarse = tuple(onto[axis][cell] for axis, cell in zip(axes, cells, strict=True))
            if vertex[0] == "nic":
                at = tuple(to_base[axis][cell] for axis, cell in zip(axes, cells, strict=True))
                number = nics[vertex[1], vertex[2], at, data["slots"][0]]
                self.vertex[vertex] = (*vertex[:3], coarse, number)
            else:
                self.vertex[vertex] = (*vertex[:2], coarse)

    def averaged(
        self, per_cable: Mapping[Arc, float], *, by_slot: bool = False
    ) -> dict[Arc, float]:
        """Loads averaged over the coarser classes.

        Summed over all targets that are equivalent in the coarser classes, every cable of a class
        carries the same: that sum is the number of targets times this average.

        Parameters
        ----------
        per_cable : mapping
            Loads by arc of the fine graph.
        by_slot : bool
            Whether NICs are averaged over those in slots of one number only, which then stands
            behind the class of the NIC.
        """
        go_on(5 * len(self.fine.graph.edges) + 5 * len(per_cable))
        onto = {vertex: self._parts(vertex, by_slot=by_slot) for vertex in self.fine.graph}
        totals: dict[Arc, float] = defaultdict(float)
        for (u, v, key), load in per_cable.items():
            for start, end, share in _pairs(onto[u], onto[v]):
                totals[start, end, key] += load * self.fine.cables(u, v, key) * share
        cables: dict[Arc, float] = defaultdict(float)
        for u, v, key, data in self.fine.graph.edges(keys=True, data=True):
            many = self.fine.graph.nodes[u]["size"] * data["per"][u]
            for start, end, share in _pairs(onto[u], onto[v]):
                cables[start, end, key] += many * share
                if u != v:
                    cables[end, start, key] += many * share
        return {arc: total / cables[arc] for arc, total in totals.items()}

    def _parts(self, vertex: ClassVertex, *, by_slot: bool) -> _Parts:
        """The coarse vertices that one of the fine graph is in, with its share in each."""
        coarse = self.vertex[vertex]
        if not by_slot or vertex[0] != "nic":
            return ((coarse, 1.0),)
        slots = self.fine.graph.nodes[vertex]["slots"]
        return tuple(((*coarse, slot), 1 / len(slots)) for slot in slots)


_Parts = tuple[tuple[ClassVertex, float], ...]


def _pairs(starts: _Parts, ends: _Parts) -> Iterator[tuple[ClassVertex, ClassVertex, float]]:
    for start, of_start in starts:
        for end, of_end in ends:
            yield start, end, of_start * of_end


def cell_map(fine: Cuts, coarse: Cuts) -> dict[str, list[int]]:
    """For every axis, the coarse cell of each fine one."""
    return {
        axis: [coarse.cell_of(axis, cell.first) for cell in fine.cells(axis)] for axis in fine.sizes
    }
