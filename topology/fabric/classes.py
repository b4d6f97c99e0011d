"""The fabric as a graph over classes of devices, written down without ever expanding a group.

Devices whose coordinates lie in the same cells (see :mod:`topology.fabric.cuts`) are one vertex
with a size; an edge carries, for each of its ends, the cables of one device. The partition is
equitable, so shortest paths, equal-cost shares and cuts on it are those of the full fabric, for a
source or target whose own coordinates have been made cells of their own.

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
from itertools import product
from math import prod
from typing import Any

import networkx as nx

from catalog import Catalog
from topology.design.selectors import Selection, Selector
from topology.fabric.cuts import Cuts, Interval
from topology.fabric.inside import InsideEdge, Vertex, colour, inside_edges
from topology.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan
from topology.units import line_rate_GBps

Cells = tuple[int, ...]
ClassVertex = tuple[Any, ...]
Coordinates = dict[str, int]


@dataclass(frozen=True)
class ClassGraph:
    """The class graph with the cuts that it was made from.

    ``graph`` is a networkx MultiGraph. Vertices carry ``kind``, ``group`` and ``size`` (how many
    devices), NICs also ``slots`` (their slot numbers), what is inside a node ``members``. Edges are keyed by the link's index (or a
    tier's name inside a node) and carry ``per`` (cables per device of each end), ``GBps`` (line
    rate of one, one direction) and ``link`` (index, or None inside).
    """

    graph: nx.MultiGraph
    cuts: Cuts
    axes_of: dict[str, tuple[str, ...]]

    def coordinates(self, group: GroupPlan, cells: Cells) -> Coordinates:
        """The coordinates that stand for all devices of a class."""
        return {
            axis: self.cuts.cells(axis)[cell].first
            for axis, cell in zip(group.axes, cells, strict=True)
        }

    def cells_at(self, group: GroupPlan, coordinates: Mapping[str, int]) -> Cells:
        """The class of the device at these coordinates."""
        return tuple(self.cuts.cell_of(axis, coordinates[axis]) for axis in group.axes)

    def vertices(self, kind: str) -> list[ClassVertex]:
        """All vertices of a kind."""
        return [v for v in self.graph if self.graph.nodes[v]["kind"] == kind]

    def cables(self, u: ClassVertex, v: ClassVertex, key: object) -> int:
        """How many cables an edge stands for."""
        return int(self.graph.nodes[u]["size"] * self.graph.edges[u, v, key]["per"][u])


@dataclass(frozen=True)
class Marked:
    """One GPU or NIC slot of one node that is to be told apart from its siblings."""

    group: str
    coordinates: tuple[tuple[str, int], ...]
    vertex: Vertex


def base_cuts(plan: Plan, *, with_down: bool = True) -> Cuts:
    """The coarsest cuts that tell apart everything that is absent (and, if asked, down)."""
    axes = {axis for group in plan.groups.values() for axis in group.axes}
    sets: dict[str, list[frozenset[Interval]]] = defaultdict(list)
    selectors = [*plan.absent, *(plan.down if with_down else ())]
    for selector in selectors:
        for selection in (selector.first, selector.second):
            for axis, low, high in selection.ranges if selection else ():
                sets[axis].append(frozenset({(low, high)}))
        if selector.first.ports is not None:
            for axis, value in _peers_of_port(plan, selector.first):
                sets[axis].append(frozenset({(value, value)}))
    return Cuts({axis: plan.size(axis) for axis in axes}, {}).refined(sets)


def class_graph(
    plan: Plan,
    cuts: Cuts,
    catalog: Catalog | None = None,
    *,
    marked: tuple[Marked, ...] = (),
    with_down: bool = True,
    only: Mapping[str, str] | None = None,
) -> ClassGraph:
    """Write the class graph down for these cuts, refining them until they are equitable.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    cuts : Cuts
        At least as fine as :func:`base_cuts`.
    catalog : Catalog, optional
        If given, the insides of the nodes are part of the graph.
    marked : tuple of Marked
        GPUs or slots that are to be classes of their own; their nodes' coordinates must be cells
        of their own already.
    with_down : bool
        Whether what is ``down:`` is left out like what is absent.
    only : mapping of str to str, optional
        The one slot group of each node group whose NICs are part of the graph; all, if not given.

    Returns
    -------
    ClassGraph
        Its cuts may be finer than those given.
    """
    while True:
        builder = _Builder(plan, cuts, catalog, marked, with_down, only)
        uneven = builder.build()
        if not uneven:
            axes = {name: group.axes for name, group in plan.groups.items()}
            return ClassGraph(builder.graph, cuts, axes)
        cuts = cuts.refined(uneven)


def port_peer(plan: Plan, link: LinkPlan, end: LinkEnd, port: int) -> Coordinates | None:
    """Where a node's port is dealt to: the peer's values on the axes that the two do not share.

    Ports are dealt over the peers like cards, in the order of the slots.
    """
    at_a = end is link.a
    axes = link.b_only if at_a else link.a_only
    peers = link.peers_of_a if at_a else link.peers_of_b
    card = port - end.first_port
    if not 0 <= card < peers * link.cables_per_pair:
        return None
    return _unravel(card % peers, [(axis, plan.size(axis)) for axis in axes])


def _unravel(index: int, axes: list[tuple[str, int]]) -> Coordinates:
    values: Coordinates = {}
    for axis, size in reversed(axes):
        index, values[axis] = divmod(index, size)
    return values


def _peers_of_port(plan: Plan, selection: Selection) -> Iterator[tuple[str, int]]:
    for link in plan.links_of(selection.group):
        end = link.end_of(selection.group)
        group = plan.groups[selection.group].port_groups.get(end.ports)
        if end.ports != selection.ports or group is None:
            continue
        ports = range(group.ports) if selection.port is None else (selection.port,)
        for port in ports:
            yield from (port_peer(plan, link, end, port) or {}).items()


@dataclass
class _Slot:
    """One fitted NIC of a node class: where each of its cables goes."""

    number: int
    cables: tuple[tuple[int, Cells], ...]


class _Builder:
    def __init__(
        self,
        plan: Plan,
        cuts: Cuts,
        catalog: Catalog | None,
        marked: tuple[Marked, ...],
        with_down: bool,
        only: Mapping[str, str] | None,
    ) -> None:
        self.plan = plan
        self.only = only
        self.cuts = cuts
        self.catalog = catalog
        self.marked = marked
        self.gone: tuple[Selector, ...] = (*plan.absent, *(plan.down if with_down else ()))
        self.graph = nx.MultiGraph()
        self.uneven: dict[str, list[frozenset[Interval]]] = defaultdict(list)
        self.classes: dict[str, list[Cells]] = {}

    def build(self) -> Mapping[str, list[frozenset[Interval]]]:
        """Fill the graph; returns sets to cut by where the cuts were not fine enough."""
        for name, group in self.plan.groups.items():
            self.classes[name] = list(self._devices(group))
        for name, group in self.plan.groups.items():
            if group.node is not None:
                for cells in self.classes[name]:
                    self._node(group, cells)
        if self.uneven:
            return self.uneven
        for link in self.plan.links:
            if not link.a.ports and not link.b.ports:
                self._switch_link(link)
            elif link.a.ports and link.b.ports:
                self._back_to_back(link)
        return self.uneven

    def _devices(self, group: GroupPlan) -> Iterator[Cells]:
        for cells in product(*(range(len(self.cuts.cells(axis))) for axis in group.axes)):
            coordinates = self._coordinates(group, cells)
            if not self._is_gone(group.name, coordinates):
                size = self._size(group.axes, cells)
                kind = "switch" if group.node is None else "node"
                self.graph.add_node(
                    ("device", group.name, cells), kind=kind, group=group.name, size=size
                )
                yield cells

    def _coordinates(self, group: GroupPlan, cells: Cells) -> Coordinates:
        return {
            axis: self.cuts.cells(axis)[cell].first
            for axis, cell in zip(group.axes, cells, strict=True)
        }

    def _size(self, axes: tuple[str, ...], cells: Cells) -> int:
        return prod(
            self.cuts.cell_sizes[axis][cell] for axis, cell in zip(axes, cells, strict=True)
        )

    def _is_gone(self, group: str, coordinates: Coordinates) -> bool:
        return any(
            selector.first.group == group
            and selector.first.ports is None
            and selector.first.matches(coordinates)
            for selector in self.gone
            if not selector.is_cable
        )

    def _port_is_gone(self, group: str, ports: str, port: int, coordinates: Coordinates) -> bool:
        return any(
            selector.first.group == group
            and selector.first.ports == ports
            and selector.first.port in (None, port)
            and selector.first.matches(coordinates)
            for selector in self.gone
        )

    def _cable_is_gone(
        self, first: tuple[str, Coordinates], second: tuple[str, Coordinates]
    ) -> bool:
        return any(
            _selects(selector.first, *one) and _selects(selector.second, *other)
            for selector in self.gone
            if selector.second is not None
            for one, other in ((first, second), (second, first))
        )

    def _node(self, group: GroupPlan, cells: Cells) -> None:
        size = self._size(group.axes, cells)
        coordinates = self._coordinates(group, cells)
        slots = {
            name: self._slots(group, name, coordinates)
            for name, ports in group.port_groups.items()
            if ports.nic is not None and (self.only is None or self.only.get(group.name) == name)
        }
        inside = tuple(
            edge
            for edge in (inside_edges(group, self.catalog) if self.catalog else ())
            if all(end[0] != "slot" or end[1] in slots for end in (edge.a, edge.b))
        )
        colours = self._colours(group, coordinates, slots, inside)
        for name, fitted in slots.items():
            by_class: dict[int, list[_Slot]] = defaultdict(list)
            for slot in fitted:
                by_class[colours["slot", name, slot.number]].append(slot)
            for number, alike in by_class.items():
                vertex = ("nic", group.name, name, cells, number)
                self.graph.add_node(
                    vertex,
                    kind="nic",
                    group=group.name,
                    size=size * len(alike),
                    slots=tuple(slot.number for slot in alike),
                )
                if not inside:
                    self._edge(
                        ("device", group.name, cells), vertex, "node", None, len(alike), 1, 0.0
                    )
                self._cables(group, name, cells, vertex, alike)
            self._check_even(group, name, fitted, colours)
        self._inside(group, cells, size, inside, colours)

    def _slots(self, group: GroupPlan, name: str, coordinates: Coordinates) -> list[_Slot]:
        ports = group.port_groups[name]
        assert ports.nic is not None
        links = [
            (link, link.end_of(group.name))
            for link in self.plan.links_of(group.name)
            if link.end_of(group.name).ports == name
        ]
        slots: list[_Slot] = []
        for number in range(ports.nics):
            cables: list[tuple[int, Cells]] = []
            for port in range(number * ports.nic.ports, (number + 1) * ports.nic.ports):
                if self._port_is_gone(group.name, name, port, coordinates):
                    continue
                for link, end in links:
                    peer = port_peer(self.plan, link, end, port)
                    if peer is None:
                        continue
                    other = link.b if end is link.a else link.a
                    peer_cells = self._peer_cells(group, coordinates, other.group, peer)
                    if peer_cells in self.classes[other.group] and not self._cable_is_gone(
                        (group.name, coordinates),
                        (other.group, self._coordinates(self.plan.groups[other.group], peer_cells)),
                    ):
                        cables.append((link.index, peer_cells))
            slots.append(_Slot(number, tuple(sorted(cables))))
        return slots

    def _peer_cells(
        self, group: GroupPlan, coordinates: Coordinates, other: str, peer: Coordinates
    ) -> Cells:
        return tuple(
            self.cuts.cell_of(axis, peer[axis] if axis in peer else coordinates[axis])
            for axis in self.plan.groups[other].axes
        )

    def _colours(
        self,
        group: GroupPlan,
        coordinates: Coordinates,
        slots: Mapping[str, list[_Slot]],
        inside: tuple[InsideEdge, ...],
    ) -> dict[Vertex, int]:
        first: dict[Vertex, object] = {
            ("slot", name, slot.number): slot.cables
            for name, fitted in slots.items()
            for slot in fitted
        }
        for mark in self.marked:
            if mark.group == group.name and dict(mark.coordinates) == coordinates:
                first[mark.vertex] = ("marked", first.get(mark.vertex))
        return colour(inside, first)

    def _cables(
        self, group: GroupPlan, name: str, cells: Cells, vertex: ClassVertex, alike: list[_Slot]
    ) -> None:
        counted: dict[tuple[int, Cells], int] = defaultdict(int)
        for index, peer in alike[0].cables:
            counted[index, peer] += 1
        for (index, peer), cables in counted.items():
            link = next(link for link in self.plan.links if link.index == index)
            other = link.b if link.a.group == group.name else link.a
            if other.ports:
                continue
            here = self.plan.groups[group.name]
            met = self._size(here.axes, cells) * len(alike) * cables
            whole = self._size(self.plan.groups[other.group].axes, peer)
            back, rest = divmod(met, whole)
            if rest:
                continue  # an uneven deal, which _check_even cuts apart before the next attempt
            peer_vertex = ("device", other.group, peer)
            self._edge(
                vertex, peer_vertex, index, index, cables, back, line_rate_GBps(link.speed_gbit)
            )

    def _check_even(
        self, group: GroupPlan, name: str, fitted: list[_Slot], colours: Mapping[Vertex, int]
    ) -> None:
        """Cut a peer axis where its values are met by NICs of different classes."""
        for link in self.plan.links_of(group.name):
            end = link.end_of(group.name)
            if end.ports != name:
                continue
            axes = link.b_only if end is link.a else link.a_only
            nic = group.port_groups[name].nic
            assert nic is not None
            met: dict[tuple[int, ...], list[int]] = defaultdict(list)
            for slot in fitted:
                for port in range(slot.number * nic.ports, (slot.number + 1) * nic.ports):
                    peer = port_peer(self.plan, link, end, port)
                    if peer is not None:
                        seen = colours["slot", name, slot.number]
                        met[tuple(peer[axis] for axis in axes)].append(seen)
            for position, axis in enumerate(axes):
                self._cut_unlike(axis, position, met)

    def _cut_unlike(
        self, axis: str, position: int, met: Mapping[tuple[int, ...], list[int]]
    ) -> None:
        seen_at: dict[int, dict[tuple[int, ...], tuple[int, ...]]] = defaultdict(dict)
        for values, seen in met.items():
            others = values[:position] + values[position + 1 :]
            seen_at[values[position]][others] = tuple(sorted(seen))
        for cell in self.cuts.cells(axis):
            kinds: dict[object, list[int]] = defaultdict(list)
            for value in sorted(value for value in seen_at if value in cell):
                kinds[tuple(sorted(seen_at[value].items()))].append(value)
            if len(kinds) > 1:
                self.uneven[axis] += [
                    frozenset((value, value) for value in values) for values in kinds.values()
                ]

    def _inside(
        self,
        group: GroupPlan,
        cells: Cells,
        size: int,
        inside: tuple[InsideEdge, ...],
        colours: Mapping[Vertex, int],
    ) -> None:
        if not inside:
            return
        place: dict[Vertex, ClassVertex] = {}
        members: dict[ClassVertex, list[Vertex]] = defaultdict(list)
        for vertex, number in colours.items():
            if vertex[0] == "slot":
                place[vertex] = ("nic", group.name, vertex[1], cells, number)
            else:
                place[vertex] = (vertex[0], group.name, cells, number)
                members[place[vertex]].append(vertex)
        for place_of, alike in members.items():
            self.graph.add_node(
                place_of,
                kind=place_of[0],
                group=group.name,
                size=size * len(alike),
                members=tuple(vertex[-1] for vertex in alike),
            )
        linked: dict[tuple[ClassVertex, ClassVertex, str, float], int] = defaultdict(int)
        for edge in inside:
            a, b = sorted((place[edge.a], place[edge.b]), key=repr)
            if a != b:
                linked[a, b, edge.tier, edge.GBps] += size
        for (a, b, tier, rate), links in linked.items():
            sizes = (self.graph.nodes[a]["size"], self.graph.nodes[b]["size"])
            self._edge(a, b, (tier, rate), None, links // sizes[0], links // sizes[1], rate)

    def _switch_link(self, link: LinkPlan) -> None:
        group_a, group_b = self.plan.groups[link.a.group], self.plan.groups[link.b.group]
        by_shared: dict[Cells, list[Cells]] = defaultdict(list)
        for cells in self.classes[group_b.name]:
            by_shared[self._pick(group_b, cells, link.shared)].append(cells)
        for cells in self.classes[group_a.name]:
            for peer in by_shared[self._pick(group_a, cells, link.shared)]:
                if self._cable_is_gone(
                    (group_a.name, self._coordinates(group_a, cells)),
                    (group_b.name, self._coordinates(group_b, peer)),
                ):
                    continue
                self._edge(
                    ("device", group_a.name, cells),
                    ("device", group_b.name, peer),
                    link.index,
                    link.index,
                    link.cables_per_pair * self._along(group_b, peer, link.b_only),
                    link.cables_per_pair * self._along(group_a, cells, link.a_only),
                    line_rate_GBps(link.speed_gbit),
                )

    def _back_to_back(self, link: LinkPlan) -> None:
        """Nodes cabled in pairs: equal slots meet."""
        for u in list(self.graph):
            if u[:3] != ("nic", link.a.group, link.a.ports):
                continue
            group = self.plan.groups[link.b.group]
            shared = self._pick(self.plan.groups[link.a.group], u[3], link.shared)
            for v in list(self.graph):
                if (
                    v[:3] == ("nic", link.b.group, link.b.ports)
                    and self._pick(group, v[3], link.shared) == shared
                    and self.graph.nodes[v]["slots"] == self.graph.nodes[u]["slots"]
                ):
                    rate = line_rate_GBps(link.speed_gbit)
                    cables = link.cables_per_pair
                    ports = len(self.graph.nodes[u]["slots"])
                    per = max(1, cables // ports)
                    self._edge(u, v, link.index, link.index, per, per, rate)

    def _pick(self, group: GroupPlan, cells: Cells, axes: tuple[str, ...]) -> Cells:
        return tuple(cells[group.axes.index(axis)] for axis in axes)

    def _along(self, group: GroupPlan, cells: Cells, axes: tuple[str, ...]) -> int:
        return self._size(axes, self._pick(group, cells, axes))

    def _edge(
        self,
        u: ClassVertex,
        v: ClassVertex,
        key: object,
        link: int | None,
        per_u: int,
        per_v: int,
        rate: float,
    ) -> None:
        self.graph.add_edge(u, v, key=key, link=link, per={u: per_u, v: per_v}, GBps=rate)


def _selects(selection: Selection | None, group: str, coordinates: Coordinates) -> bool:
    return selection is not None and selection.group == group and selection.matches(coordinates)
