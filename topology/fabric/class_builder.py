"""Writing the class graph down for given cuts, and finding where they are not fine enough."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import networkx as nx

from catalog import Catalog
from topology.fabric.cuts import Cuts, Interval
from topology.fabric.dealing import Coordinates, peer_axes, port_peer
from topology.fabric.evenness import uneven_cuts
from topology.fabric.faults import Faults
from topology.fabric.inside import (
    InsideEdge,
    Vertex,
    collective_edges,
    colour,
    inside_edges,
)
from topology.fabric.plan import GroupPlan, LinkPlan, Plan

Cells = tuple[int, ...]
ClassVertex = tuple[Any, ...]
Uneven = Mapping[str, list[frozenset[Interval]]]


@dataclass(frozen=True)
class Marked:
    """One GPU or NIC slot of one node that is to be told apart from its siblings."""

    group: str
    coordinates: tuple[tuple[str, int], ...]
    vertex: Vertex


@dataclass(frozen=True)
class _Dealt:
    """A cabled port: its link, and its peer's cells (own axis number where the two share one)."""

    port: int
    link: LinkPlan
    peer: str
    cells: tuple[tuple[int | None, int], ...]
    values: tuple[int, ...]

    def peer_cells(self, own: Cells) -> Cells:
        """The class of the peer of a node in these cells."""
        return tuple(cell if shared is None else own[shared] for shared, cell in self.cells)


class ClassBuilder:
    """One attempt at a class graph; see :func:`topology.fabric.classes.class_graph`."""

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
        deals = {name: self._deal(group, name) for name in names}
        for fitted in deals.values():
            self._check_bundles(group, fitted)
        inside = inside_edges(group, self.catalog) if self.catalog else ()
        if self.only is not None:
            inside = collective_edges(inside, self.only.get(group.name))
        for cells, size in self._classes[group.name].items():
            coordinates = self._coordinates(group, cells)
            if self.marked_nodes_only and not self._is_marked(group, coordinates):
                continue
            slots: dict[Vertex, tuple[tuple[int, Cells], ...]] = {
                ("slot", name, number): self._cabled(group, name, cells, coordinates, dealt)
                for name, fitted in deals.items()
                for number, dealt in enumerate(fitted)
            }
            colours = self._colours(group, coordinates, slots, inside)
            self._nics(group, cells, size, slots, colours, deals, inside=bool(inside))
            for name, fitted in deals.items():
                self._check_even(group, name, fitted, colours)
            if inside:
                self._inside(group, cells, size, inside, colours)

    def _is_marked(self, group: GroupPlan, coordinates: Coordinates) -> bool:
        return any(
            mark.group == group.name and dict(mark.coordinates) == coordinates
            for mark in self.marked
        )

    def _deal(self, group: GroupPlan, name: str) -> list[list[_Dealt]]:
        """For every fitted NIC of a slot group, where its ports are cabled to."""
        ports = group.port_groups[name]
        assert ports.nic is not None
        dealt: list[list[_Dealt]] = [[] for _ in range(ports.nics)]
        for link in self.plan.links_of(group.name):
            end = link.end_of(group.name)
            if end.ports != name:
                continue
            other = (link.b if end is link.a else link.a).group
            axes = self.plan.groups[other].axes
            shared = [group.axes.index(axis) if axis in group.axes else None for axis in axes]
            for port in range(ports.ports):
                peer = port_peer(self.plan, link, end, port)
                if peer is None:
                    continue
                cells = tuple(
                    (own, 0 if own is not None else self.cuts.cell_of(axis, peer[axis]))
                    for axis, own in zip(axes, shared, strict=True)
                )
                values = tuple(peer[axis] for axis in peer_axes(link, end))
                dealt[port // ports.nic.ports].append(_Dealt(port, link, other, cells, values))
        return dealt

    def _cabled(
        self,
        group: GroupPlan,
        name: str,
        cells: Cells,
        coordinates: Coordinates,
        dealt: list[_Dealt],
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
        self, group: GroupPlan, name: str, card: _Dealt, peer: Cells, coordinates: Coordinates
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

    def _colours(
        self,
        group: GroupPlan,
        coordinates: Coordinates,
        slots: Mapping[Vertex, object],
        inside: tuple[InsideEdge, ...],
    ) -> Mapping[Vertex, int]:
        numbers: dict[object, int] = {}
        first = {slot: numbers.setdefault(seen, len(numbers)) for slot, seen in slots.items()}
        for mark in self.marked:
            if mark.group == group.name and dict(mark.coordinates) == coordinates:
                first[mark.vertex] = -1 - first.get(mark.vertex, 0)
        return colour(inside, tuple(first.items()))

    def _nics(
        self,
        group: GroupPlan,
        cells: Cells,
        size: int,
        slots: Mapping[Vertex, tuple[tuple[int, Cells], ...]],
        colours: Mapping[Vertex, int],
        deals: Mapping[str, list[list[_Dealt]]],
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
                ends = (many, 1), 0.0, (many, 1)
                self._edge(("device", group.name, cells), nic, "node", None, *ends)
            counted: dict[tuple[int, Cells], int] = defaultdict(int)
            for cable in slots[members[0]]:
                counted[cable] += 1
            met = _peers_met(deals[str(name)][int(numbers[0])], cells)
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

    def _check_even(
        self,
        group: GroupPlan,
        name: str,
        fitted: list[list[_Dealt]],
        colours: Mapping[Vertex, int],
    ) -> None:
        """Cut a peer axis where its values are met by NICs of different classes."""
        met: dict[int, dict[tuple[int, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
        cell_of: dict[int, dict[tuple[int, ...], Hashable]] = defaultdict(dict)
        for number, dealt in enumerate(fitted):
            for card in dealt:
                met[card.link.index][card.values].append(colours["slot", name, number])
                cell_of[card.link.index][card.values] = card.cells
        for index, by_values in met.items():
            link = self._links[index]
            end = link.end_of(group.name)
            peers = link.peers_of_a if end is link.a else link.peers_of_b
            axes = peer_axes(link, end)
            for axis, values in uneven_cuts(self.cuts, axes, by_values, cell_of[index], peers):
                self._uneven[axis].append(values)

    def _check_bundles(self, group: GroupPlan, fitted: list[list[_Dealt]]) -> None:
        """Cut apart the peers of one class that a NIC has unlike bundles of cables to."""
        for cards in fitted:
            if len(cards) < 2:
                continue
            axes = {card.peer: peer_axes(card.link, card.link.end_of(group.name)) for card in cards}
            for (peer, _), by_values in _bundles(cards).items():
                if len({tuple(sorted(links)) for links in by_values.values()}) > 1:
                    for axis, values in zip(axes[peer], zip(*by_values, strict=True), strict=True):
                        self._uneven[axis] += [frozenset({(value, value)}) for value in values]

    def _inside(
        self,
        group: GroupPlan,
        cells: Cells,
        size: int,
        inside: tuple[InsideEdge, ...],
        colours: Mapping[Vertex, int],
    ) -> None:
        place: dict[Vertex, ClassVertex] = {}
        members: dict[ClassVertex, list[Vertex]] = defaultdict(list)
        for vertex, number in colours.items():
            if vertex[0] == "slot":
                place[vertex] = ("nic", group.name, vertex[1], cells, number)
            else:
                place[vertex] = (vertex[0], group.name, cells, number)
                members[place[vertex]].append(vertex)
        for where, alike in members.items():
            self.graph.add_node(
                where,
                kind=where[0],
                group=group.name,
                size=size * len(alike),
                members=tuple(vertex[-1] for vertex in alike),
            )
        linked: dict[tuple[ClassVertex, ClassVertex, str, float], int] = defaultdict(int)
        for edge in inside:
            a, b = place[edge.a], place[edge.b]
            if a != b:
                ends = (a, b) if (a, b, edge.tier, edge.GBps) in linked else (b, a)
                linked[(*ends, edge.tier, edge.GBps)] += size
        for (a, b, tier, rate), links in linked.items():
            sizes = (self.graph.nodes[a]["size"], self.graph.nodes[b]["size"])
            per = (links // sizes[0], links // sizes[1])
            self._edge(a, b, (tier, rate), None, per, rate, per)

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


def _peers_met(cards: list[_Dealt], own: Cells) -> dict[tuple[str, Cells], int]:
    """How many devices of every class the ports of one NIC are dealt to."""
    if len(cards) == 1:
        return {(cards[0].peer, cards[0].peer_cells(own)): 1}
    met: dict[tuple[str, Cells], set[tuple[int, ...]]] = defaultdict(set)
    for card in cards:
        met[card.peer, card.peer_cells(own)].add(card.values)
    return {peer: len(values) for peer, values in met.items()}


def _bundles(cards: list[_Dealt]) -> dict[tuple[str, Hashable], dict[tuple[int, ...], list[int]]]:
    """The links of the cables from one NIC to each of its peers, by class of peers."""
    found: dict[tuple[str, Hashable], dict[tuple[int, ...], list[int]]] = defaultdict(dict)
    for card in cards:
        found[card.peer, card.cells].setdefault(card.values, []).append(card.link.index)
    return found
