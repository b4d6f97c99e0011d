"""Writing the class graph down for given cuts, and finding where they are not fine enough."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import isinf, prod

import networkx as nx

from toposmith.catalog import Catalog
from toposmith.topology.fabric.cuts import Cells, Cuts, Interval
from toposmith.topology.fabric.dealing import Coordinates
from toposmith.topology.fabric.dealt_ports import (
    DealtPort,
    dealt_ports,
    peers_met,
    unevenly_met,
    unlike_bundles,
    unlike_pairings,
)
from toposmith.topology.fabric.faults import Faults
from toposmith.topology.fabric.inside import (
    NVSWITCH,
    InsideEdge,
    Vertex,
    collective_edges,
    inside_edges,
    shared_GBps,
)
from toposmith.topology.fabric.node_classes import (
    RACK,
    ClassVertex,
    Marked,
    NodeClasses,
    marked_vertices,
    node_colours,
)
from toposmith.topology.fabric.nvlink_domains import is_joined
from toposmith.topology.fabric.plan import GroupPlan, LinkPlan, Plan

Uneven = Mapping[str, list[frozenset[Interval]]]


class ClassBuilder:
    """One attempt at a class graph; see :func:`toposmith.topology.fabric.classes.class_graph`."""

    def __init__(
        self,
        plan: Plan,
        cuts: Cuts,
        catalog: Catalog | None,
        marked: tuple[Marked, ...],
        *,
        with_down: bool,
        only: Mapping[str, str] | None,
        marked_nodes_only: bool,
    ) -> None:
        self.plan = plan
        self.cuts = cuts
        self.catalog = catalog
        self.marked = marked
        self.only = only
        self.marked_nodes_only = marked_nodes_only
        self.graph = nx.MultiGraph()
        self._uneven: dict[str, list[frozenset[Interval]]] = defaultdict(list)
        self._classes: dict[str, dict[Cells, int]] = {}
        self._nic_of: dict[tuple[str, str, Cells, str | int], ClassVertex] = {}
        self._links = {link.index: link for link in plan.links}
        self._faults = Faults(plan, with_down=with_down)
        self._first = {axis: [cell.first for cell in cuts.cells(axis)] for axis in cuts.sizes}

    def build(self) -> Uneven:
        """Fill the graph; returns sets to cut by where the cuts were not fine enough."""
        for name, group in self.plan.groups.items():
            self._classes[name] = dict(self._devices(group))
        for group in self.plan.groups.values():
            if group.host is not None:
                self._nodes(group)
        if not self._uneven:
            for link in self.plan.links:
                if link.a.ports and link.b.ports:
                    self._back_to_back(link)
                elif not link.a.ports and not link.b.ports:
                    self._switch_link(link)
        return self._uneven

    def _devices(self, group: GroupPlan) -> Iterator[tuple[Cells, int]]:
        kind = "switch" if group.host is None else "node"
        sizes = [self.cuts.cell_sizes[axis] for axis in group.axes]
        faulty = group.name in self._faults.devices
        for cells in product(*(range(len(of_axis)) for of_axis in sizes)):
            if faulty and self._faults.takes_device(group.name, self._coordinates(group, cells)):
                continue
            size = prod(of_axis[cell] for of_axis, cell in zip(sizes, cells, strict=True))
            vertex = ("device", group.name, cells)
            self.graph.add_node(vertex, kind=kind, group=group.name, size=size)
            yield cells, size

    def _coordinates(self, group: GroupPlan, cells: Cells) -> dict[str, int]:
        first = self._first
        return {axis: first[axis][cell] for axis, cell in zip(group.axes, cells, strict=True)}

    def _nodes(self, group: GroupPlan) -> None:
        names = [
            name
            for name, ports in group.port_groups.items()
            if ports.nic is not None and (self.only is None or self.only.get(group.name) == name)
        ]
        deals = {name: dealt_ports(self.plan, self.cuts, group, name) for name in names}
        for fitted in deals.values():
            self._cut_apart(unlike_bundles(group, fitted))
            self._cut_apart(unlike_pairings(group, fitted))
        inside = inside_edges(group, self.catalog) if self.catalog else ()
        if self.only is not None:
            inside = collective_edges(inside, self.only.get(group.name))
        for cells, size in self._classes[group.name].items():
            coordinates = self._coordinates(group, cells)
            marked = marked_vertices(self.marked, group, coordinates)
            if self.marked_nodes_only and not marked:
                continue
            slots: dict[Vertex, tuple[tuple[int, Cells], ...]] = {
                ("slot", name, number): self._cabled(group, name, cells, coordinates, dealt)
                for name, fitted in deals.items()
                for number, dealt in enumerate(fitted)
            }
            colours = node_colours(slots, marked, inside)
            self._nics(group, cells, size, slots, colours, deals, inside=bool(inside))
            for name, fitted in deals.items():
                of_nics = [colours["slot", name, number] for number in range(len(fitted))]
                self._cut_apart(unevenly_met(self.cuts, group, fitted, of_nics))
            if inside:
                switches = self._rack_switches(group, cells, inside)
                self._inside(NodeClasses(group.name, cells, size, colours, switches), inside)

    def _cut_apart(self, sets: Iterable[tuple[str, frozenset[Interval]]]) -> None:
        for axis, values in sets:
            self._uneven[axis].append(values)

    def _rack_switches(
        self, group: GroupPlan, cells: Cells, inside: tuple[InsideEdge, ...]
    ) -> ClassVertex | None:
        """The NVLink switches of a rack, which the nodes of its trays share; None where none do."""
        if not is_joined(group) or not any(NVSWITCH in (edge.a, edge.b) for edge in inside):
            return None
        outer = zip(group.axes[:-1], cells[:-1], strict=True)
        many = prod(self.cuts.cell_sizes[axis][cell] for axis, cell in outer)
        vertex: ClassVertex = (NVSWITCH[0], group.name, (*cells[:-1], 0), RACK)
        self.graph.add_node(vertex, kind=NVSWITCH[0], group=group.name, size=many, members=NVSWITCH)
        return vertex

    def _inside(self, node: NodeClasses, inside: tuple[InsideEdge, ...]) -> None:
        for vertex, size, members in node.vertices():
            kind, group = vertex[0], vertex[1]
            self.graph.add_node(vertex, kind=kind, group=group, size=size, members=members)
        for (a, b, tier, rate), links in node.links(inside).items():
            per = (links // self.graph.nodes[a]["size"], links // self.graph.nodes[b]["size"])
            self._edge(a, b, (tier, rate), None, per, rate, per)

    def _cabled(
        self,
        group: GroupPlan,
        name: str,
        cells: Cells,
        coordinates: Coordinates,
        dealt: list[DealtPort],
    ) -> tuple[tuple[int, Cells], ...]:
        """The cables of one NIC that are there: link and class of the peer."""
        cabled: list[tuple[int, Cells]] = []
        for card in dealt:
            peer = card.peer_cells(cells)
            if peer not in self._classes[card.peer]:
                continue
            if self._cable_is_gone(group, name, card, peer, coordinates):
                continue
            # between two nodes equal ports meet, so every slot is a class of its own
            meets = (card.port,) if self.plan.groups[card.peer].host else ()
            cabled.append((card.link.index, (*peer, *meets)))
        return tuple(sorted(cabled))

    def _cable_is_gone(
        self, group: GroupPlan, name: str, card: DealtPort, peer: Cells, coordinates: Coordinates
    ) -> bool:
        faults = self._faults
        if group.name in faults.ports and faults.takes_port(
            group.name, name, card.port, coordinates
        ):
            return True
        if {group.name, card.peer} not in faults.cables:
            return False
        there = self._coordinates(self.plan.groups[card.peer], peer)
        return faults.takes_cables((group.name, coordinates), (card.peer, there))

    def _nics(
        self,
        group: GroupPlan,
        cells: Cells,
        size: int,
        slots: Mapping[Vertex, tuple[tuple[int, Cells], ...]],
        colours: Mapping[Vertex, int],
        deals: Mapping[str, list[list[DealtPort]]],
        *,
        inside: bool,
    ) -> None:
        alike: dict[tuple[object, int], list[Vertex]] = defaultdict(list)
        for slot in slots:
            alike[slot[1], colours[slot]].append(slot)
        for (name, number), members in alike.items():
            nic = ("nic", group.name, name, cells, number)
            many = len(members)
            numbers = tuple(slot[2] for slot in members)
            self.graph.add_node(nic, kind="nic", group=group.name, size=size * many, slots=numbers)
            self._nic_of |= {(group.name, str(name), cells, slot[2]): nic for slot in members}
            if not inside:
                fitted = group.port_groups[str(name)].nic
                shared = shared_GBps(fitted) if fitted else float("inf")
                ends = (many, 1), 0.0 if isinf(shared) else shared, (many, 1)
                self._edge(("device", group.name, cells), nic, "node", None, *ends)
            counted: dict[tuple[int, Cells], int] = defaultdict(int)
            for cable in slots[members[0]]:
                counted[cable] += 1
            met = peers_met(deals[str(name)][int(numbers[0])], cells)
            for (index, peer), cables in counted.items():
                link = self._links[index]
                other = link.b if link.a.group == group.name else link.a
                if other.ports:
                    continue
                back, rest = divmod(size * many * cables, self._classes[other.group][peer])
                if not rest:  # else the deal is uneven here, and the next attempt cuts it apart
                    there = ("device", other.group, peer)
                    peers = met[other.group, peer]
                    ends = (cables, back), link.line_GBps, (peers, back * peers // cables)
                    self._edge(nic, there, index, index, *ends)

    def _switch_link(self, link: LinkPlan) -> None:
        group_a, group_b = self.plan.groups[link.a.group], self.plan.groups[link.b.group]
        shared_a = [group_a.axes.index(axis) for axis in link.shared]
        shared_b = [group_b.axes.index(axis) for axis in link.shared]
        by_shared: dict[Cells, list[Cells]] = defaultdict(list)
        faulty = {group_a.name, group_b.name} in self._faults.cables
        for cells in self._classes[group_b.name]:
            by_shared[tuple(cells[i] for i in shared_b)].append(cells)
        for cells in self._classes[group_a.name]:
            for peer in by_shared[tuple(cells[i] for i in shared_a)]:
                cables = link.cables_per_pair
                if faulty:
                    cables = self._faults.cables_left(
                        (group_a.name, self._coordinates(group_a, cells)),
                        (group_b.name, self._coordinates(group_b, peer)),
                        cables,
                    )
                if not cables:
                    continue
                peers_of_a = self._along(group_b, peer, link.b_only)
                peers_of_b = self._along(group_a, cells, link.a_only)
                per = (cables * peers_of_a, cables * peers_of_b)
                here, there = ("device", group_a.name, cells), ("device", group_b.name, peer)
                peers = (peers_of_a, peers_of_b)
                self._edge(here, there, link.index, link.index, per, link.line_GBps, peers)

    def _back_to_back(self, link: LinkPlan) -> None:
        """Nodes cabled in pairs: the first port of one meets the first of the other, and so on."""
        group_a, group_b = self.plan.groups[link.a.group], self.plan.groups[link.b.group]
        order = [group_a.axes.index(axis) if axis in link.shared else None for axis in group_b.axes]
        for cells in self._classes[group_a.name]:
            peer = tuple(0 if at is None else cells[at] for at in order)
            here, there = self._coordinates(group_a, cells), self._coordinates(group_b, peer)
            if peer not in self._classes[group_b.name] or self._faults.takes_cables(
                (group_a.name, here), (group_b.name, there)
            ):
                continue
            met: dict[tuple[ClassVertex, ClassVertex], int] = defaultdict(int)
            for card in range(link.cables_per_pair):
                ends: list[ClassVertex] = []
                for end, at, where in ((link.a, cells, here), (link.b, peer, there)):
                    port = end.first_port + card
                    ports = self.plan.groups[end.group].port_groups[end.ports]
                    gone = self._faults.takes_port(end.group, end.ports, port, where)
                    if ports.nic is not None and port < ports.ports and not gone:
                        nic = self._nic_of.get((end.group, end.ports, at, port // ports.nic.ports))
                        ends += [nic] if nic else []
                if len(ends) == 2:
                    met[ends[0], ends[1]] += 1
            for (u, v), cables in met.items():
                per = (cables, cables)
                self._edge(u, v, link.index, link.index, per, link.line_GBps, (1, 1))

    def _along(self, group: GroupPlan, cells: Cells, axes: tuple[str, ...]) -> int:
        return prod(self.cuts.cell_sizes[axis][cells[group.axes.index(axis)]] for axis in axes)

    def _edge(
        self,
        u: ClassVertex,
        v: ClassVertex,
        key: object,
        link: int | None,
        per: tuple[int, int],
        rate: float,
        peers: tuple[int, int],
    ) -> None:
        self.graph.add_edge(
            u,
            v,
            key=key,
            link=link,
            per={u: per[0], v: per[1]},
            peers={u: peers[0], v: peers[1]},
            GBps=rate,
        )
