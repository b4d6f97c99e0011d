"""The fabric for concurrent flows: classes of devices, and the arcs between them."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from math import prod
from typing import TypeAlias

from toposmith.analysis.bounds.cut_links import inside_name
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import Catalog
from toposmith.fabric.classes import Cells, ClassVertex
from toposmith.fabric.cuts import Cuts
from toposmith.fabric.dealing import port_peer
from toposmith.fabric.inside import (
    NVSWITCH,
    InsideEdge,
    Vertex,
    collective_edges,
    inside_edges,
)
from toposmith.fabric.nvlink_domains import is_joined, over_switches
from toposmith.fabric.plan import GroupPlan


def rigid_cuts(network: ComputeNetwork) -> Cuts:
    """The cuts that all figures share, with every peer of a node's ports in a cell of its own."""
    plan = network.plan
    points: dict[str, set[int]] = defaultdict(set)
    for group, slots in network.slots.items():
        for link in plan.links_of(group):
            end = link.end_of(group)
            for port in range(plan.groups[group].port_groups[slots].ports):
                peer = port_peer(plan, link, end, port) if end.ports == slots else None
                for axis, value in (peer or {}).items():
                    points[axis].add(value)
    return network.classes.cuts.with_points(points)


LinkKind: TypeAlias = tuple[str, int | None, float]  # of links: name, index in the design, GB/s


class FlowFabric:
    """Classes of devices, and the arcs between them: ``cables`` is how many links one stands for.

    Vertices are ``("device", group, cells)`` for switches, and ``(kind, group, cells, ...)`` for
    each part of a node, such as ``("gpu", group, cells, 3)``; ``nodes`` is how many of these.
    """

    def __init__(self, network: ComputeNetwork, catalog: Catalog, cuts: Cuts) -> None:
        self.network = network
        self.catalog = catalog
        self.classes = network.classes_with(cuts)
        self.nodes: dict[ClassVertex, int] = {
            vertex: self.classes.graph.nodes[vertex]["size"]
            for vertex in self.classes.vertices("node")
            if gpus_of(network.plan.groups[vertex[1]])
        }
        self.cables: dict[tuple[ClassVertex, ClassVertex, LinkKind], int] = defaultdict(int)
        self._add_links()
        self._add_insides()

    def around(self, node: ClassVertex) -> tuple[FlowFabric, list[ClassVertex]]:
        """The same with the first node of a class distinguished, and the GPUs of that node."""
        group = self.network.plan.groups[node[1]]
        at = self.classes.coordinates(group, node[2])
        cuts = self.classes.cuts.with_points({axis: [value] for axis, value in at.items()})
        finer = FlowFabric(self.network, self.catalog, cuts)
        return finer, finer.gpus((*node[:2], finer.classes.cells_at(group, at)))

    def gpus(self, node: ClassVertex) -> list[ClassVertex]:
        """The GPUs of a class of nodes: each stands for one of every node."""
        many = gpus_of(self.network.plan.groups[node[1]])
        return [("gpu", *node[1:], index) for index in range(many)]

    def cells_in(self, base: FlowFabric, name: str, cells: Cells) -> Cells:
        """The class of a coarser fabric that contains a class of devices."""
        group = self.network.plan.groups[name]
        return base.classes.cells_at(group, self.classes.coordinates(group, cells))

    def _add_links(self) -> None:
        graph = self.classes.graph
        labels = {link.index: link.label for link in self.network.plan.every_link}
        for u, v, key, data in graph.edges(keys=True, data=True):
            index = data["link"]
            if index is None:
                continue
            ends = [self._apart(end) for end in (u, v)]
            cables = self.classes.cables(u, v, key) // (len(ends[0]) * len(ends[1]))
            for a, b in product(*ends):
                self._add(a, b, cables, (labels[index], index, data["GBps"]))

    def _apart(self, vertex: ClassVertex) -> list[ClassVertex]:
        """The NICs of a class, each as a vertex; a switch as it is."""
        slots = self.classes.graph.nodes[vertex].get("slots")
        return [("slot", vertex[1], vertex[3], vertex[2], s) for s in slots] if slots else [vertex]

    def _add_insides(self) -> None:
        for node, many in self.nodes.items():
            group = self.network.plan.groups[node[1]]
            slots = self.network.slots.get(group.name)
            for edge in collective_edges(inside_edges(group, self.catalog), slots):
                if edge.b == NVSWITCH and over_switches(group):
                    self._over_switches(group, node, many, edge)
                    continue
                a, b = (_placed(group, node, end) for end in (edge.a, edge.b))
                self._add(a, b, many, (inside_name(group.name, edge.tier), None, edge.GBps))

    def _over_switches(
        self, group: GroupPlan, node: ClassVertex, many: int, edge: InsideEdge
    ) -> None:
        """The NVLinks of one GPU of a node to the switches of its rack, which are up."""
        link = group.nvlink
        assert link is not None
        racks = prod(
            self.classes.cuts.cell_sizes[axis][cell]
            for axis, cell in zip(group.axes[:-1], node[2], strict=False)
        )
        kind = (inside_name(group.name, edge.tier), None, link.GBps)
        for vertex in self.classes.vertices("switch"):
            if vertex[1] == link.switches and vertex[2][:-1] == node[2][:-1]:
                each = self.classes.graph.nodes[vertex]["size"] // racks
                self._add(_placed(group, node, edge.a), vertex, many * each * link.per_switch, kind)

    def _add(self, a: ClassVertex, b: ClassVertex, cables: int, kind: LinkKind) -> None:
        self.cables[a, b, kind] += cables
        self.cables[b, a, kind] += cables


def _placed(group: GroupPlan, node: ClassVertex, end: Vertex) -> ClassVertex:
    """A vertex of a class of nodes; NVLink switches of a rack stand by its first tray."""
    if end == NVSWITCH and is_joined(group):
        return (*end, group.name, (*node[2][:-1], 0))
    return (end[0], *node[1:], *end[1:])
