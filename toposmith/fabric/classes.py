"""The fabric as a graph over classes of devices, built without expanding a group.

Devices whose coordinates lie in the same cells (see :mod:`toposmith.fabric.cuts`) are one
vertex with a size; an edge carries, for each of its ends, the cables of one device. The partition
is equitable, so shortest paths, shares of traffic and cuts on it equal those of the full fabric,
for a source or target whose own coordinates have been made cells of their own.

Vertices are tuples:

    ("device", group, cells)            a switch (kind "switch"), or a node as the place where its
                                        traffic starts (kind "node")
    ("nic", group, slots, cells, k)     the NICs of class k in one slot group
    ("gpu" | "nvswitch" | "pcie" | "cpu", group, cells, k)   inside a node, if asked for
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.design.selectors import Selection
from toposmith.fabric.class_builder import ClassBuilder
from toposmith.fabric.cuts import AROUND, RING, SINGLE, Cells, Cuts
from toposmith.fabric.dealing import Coordinates, port_peer
from toposmith.fabric.node_classes import ClassVertex, Marked
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.fabric.single_cables import touched
from toposmith.intervals import Interval

__all__ = [
    "Arc",
    "Cells",
    "ClassGraph",
    "ClassVertex",
    "Coordinates",
    "Marked",
    "base_cuts",
    "base_graph",
    "class_graph",
]


Arc = tuple[ClassVertex, ClassVertex, object]
"""An edge in one direction: from, to, key."""


@dataclass(frozen=True)
class ClassGraph:
    """The class graph with the cuts that it was made from.

    ``graph`` is a networkx MultiGraph. Vertices carry ``kind``, ``group`` and ``size`` (how many
    devices), NICs also ``slots`` (their slot numbers), vertices inside a node ``members``. Edges
    are keyed by the link's index (with the speed where that is less than the link's; by a tier
    and a rate inside a node) and carry ``per`` (cables
    per device of each end), ``peers`` (how many devices of the other end these lead to, alike many
    to each), ``GBps`` (line rate of one, one direction) and ``link`` (index, or
    None inside).
    """

    graph: nx.MultiGraph
    cuts: Cuts
    axes_of: dict[str, tuple[str, ...]]

    @cached_property
    def beside(self) -> list[list[tuple[int, float, int]]]:
        """For each vertex the numbers of its neighbours, with rate and cables per device.

        Vertices are nested tuples, which are slow to hash; numbers are used instead.
        """
        number = {vertex: at for at, vertex in enumerate(self.graph)}
        return [
            [
                (number[peer], data["GBps"], data["per"][vertex])
                for peer, keyed in adjacent.items()
                for data in keyed.values()
            ]
            for vertex, adjacent in self.graph.adj.items()
        ]

    def coordinates(self, group: GroupPlan, cells: Cells) -> Coordinates:
        """The coordinates of the representative device of a class."""
        return {
            axis: self.cuts.cells(axis)[cell].first
            for axis, cell in zip(group.axes, cells, strict=True)
        }

    def cells_at(self, group: GroupPlan, coordinates: Mapping[str, int]) -> Cells:
        """The class of the device at these coordinates."""
        return tuple(self.cuts.cell_of(axis, coordinates[axis]) for axis in group.axes)

    def vertices(self, kind: str) -> list[ClassVertex]:
        """All vertices of a kind."""
        return [v for v, of in self.graph.nodes(data="kind") if of == kind]

    def cables(self, u: ClassVertex, v: ClassVertex, key: object) -> int:
        """How many cables an edge stands for; inside a class each cable has two ends in it."""
        ends = int(self.graph.nodes[u]["size"] * self.graph.edges[u, v, key]["per"][u])
        return ends // 2 if u == v else ends


def base_cuts(plan: Plan, *, without_down: bool = True) -> Cuts:
    """The coarsest cuts that separate faults and single cables (``down:`` ones if asked)."""
    axes = {axis for group in plan.groups.values() for axis in group.axes}
    sets: dict[str, list[frozenset[Interval]]] = defaultdict(list)
    slow = [each.selector for each in plan.slow]
    selectors = [*plan.absent, *(plan.down if without_down else ()), *slow]
    for selector in selectors:
        go_on(20)
        for selection in (selector.first, selector.second):
            for axis, low, high in selection.ranges if selection else ():
                sets[axis].append(frozenset({(low, high)}))
        if selector.first.ports is not None:
            for axis, value in _peers_of_port(plan, selector.first):
                sets[axis].append(frozenset({(value, value)}))
    for name, at in touched(plan):
        for axis, value in zip(plan.groups[name].axes, at, strict=True):
            sets[axis].append(frozenset({(value, value)}))
    return Cuts({axis: plan.size(axis) for axis in axes}, {}, _kinds(plan)).refined(sets)


def _kinds(plan: Plan) -> dict[str, str]:
    """How axes are cut that links join devices along."""
    kinds: dict[str, str] = {}
    sets = [axis for link in plan.links if link.bundle for axis, _ in link.along]
    for link in plan.links:
        for axis, word in link.along:
            if word == "dealt" or (axis in sets and (axis in kinds or not link.bundle)):
                kinds[axis] = SINGLE
            elif link.bundle:
                kinds[axis] = AROUND
            elif word == "next":
                kinds[axis] = RING
    return kinds


def base_graph(
    plan: Plan, *, without_down: bool = True, only: Mapping[str, str] | None = None
) -> ClassGraph:
    """The coarsest class graph of a design, without the insides of nodes; once for each plan.

    ``without_down`` and ``only`` are those of :func:`class_graph`.
    """
    whole = only is None or _names_all_nics(plan, only)
    slots = None if only is None or whole else tuple(sorted(only.items()))
    return _base_graph(plan, without_down, slots)


def _names_all_nics(plan: Plan, only: Mapping[str, str]) -> bool:
    """Whether no group has NICs in other slots, so that the graph is the same with all of them."""
    return all(
        ports.nic is None or only.get(group.name) == slots
        for group in plan.groups.values()
        for slots, ports in group.port_groups.items()
    )


@once
def _base_graph(
    plan: Plan, without_down: bool, slots: tuple[tuple[str, str], ...] | None
) -> ClassGraph:
    if without_down and not plan.down:
        return _base_graph(plan, False, slots)
    cuts = base_cuts(plan, without_down=without_down)
    return class_graph(
        plan, cuts, without_down=without_down, only=None if slots is None else dict(slots)
    )


def class_graph(
    plan: Plan,
    cuts: Cuts,
    catalog: Catalog | None = None,
    *,
    marked: tuple[Marked, ...] = (),
    without_down: bool = True,
    only: Mapping[str, str] | None = None,
) -> ClassGraph:
    """Build the class graph for these cuts, refining them until they are equitable.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    cuts : Cuts
        At least as fine as :func:`base_cuts`.
    catalog : Catalog, optional
        If given, the insides of the nodes are part of the graph.
    marked : tuple of Marked
        GPUs that are to be classes of their own; their nodes' coordinates must be cells of their
        own already.
    without_down : bool
        Whether what is ``down:`` is left out like what is absent.
    only : mapping of str to str, optional
        The one slot group of each node group whose NICs are part of the graph; all, if not given.

    Returns
    -------
    ClassGraph
        Its cuts may be finer than those given.
    """
    while True:
        go_on()
        builder = ClassBuilder(
            plan,
            cuts,
            catalog,
            marked,
            without_down=without_down,
            only=only,
        )
        uneven = builder.build()
        if not uneven:
            axes = {name: group.axes for name, group in plan.groups.items()}
            return ClassGraph(builder.graph, cuts, axes)
        cuts = cuts.refined(uneven)


def _peers_of_port(plan: Plan, selection: Selection) -> Iterator[tuple[str, int]]:
    for link in plan.links_of(selection.group):
        end = link.end_of(selection.group)
        group = plan.groups[selection.group].port_groups.get(end.ports)
        if end.ports != selection.ports or group is None:
            continue
        ports = range(group.ports) if selection.port is None else (selection.port,)
        for port in ports:
            yield from (port_peer(plan, link, end, port) or {}).items()
