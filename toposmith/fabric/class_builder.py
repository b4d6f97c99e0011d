"""Building the class graph for given cuts, and finding where they are too coarse."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import isinf, prod
from typing import Any

import networkx as nx

from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.fabric.class_peers import class_peers
from toposmith.fabric.cuts import Cells, Cuts
from toposmith.fabric.dealt_ports import DealtPort, peers_met
from toposmith.fabric.faults import faults_of
from toposmith.fabric.inside import (
    NVSWITCH,
    InsideEdge,
    Vertex,
    collective_edges,
    inside_edges,
    shared_GBps,
)
from toposmith.fabric.node_cables import NicCable, node_cables
from toposmith.fabric.node_classes import (
    RACK,
    ClassVertex,
    Marked,
    NodeClasses,
    marked_vertices,
    node_colours,
)
from toposmith.fabric.nvlink_domains import is_joined, over_switches
from toposmith.fabric.plan import MANAGEMENT, UPLINK, GroupPlan, LinkPlan, Plan
from toposmith.fabric.relations import (
    RelationKind,
    distinguishing_axes,
)
from toposmith.fabric.rewired import rewired_of
from toposmith.fabric.slow_cables import slow_cables_of
from toposmith.intervals import Interval
from toposmith.units import line_rate_GBps

Uneven = Mapping[str, list[frozenset[Interval]]]

_STEPS_OF_A_GROUP = 500
"""Where the ports of its NICs are dealt to is worked out before any of its classes."""

_STEPS_OF_A_NODE, _STEPS_OF_A_PORT = 40, 15
"""A class of nodes whose NICs are alike, by port of a node."""

_STEPS_OF_A_NIC = 15
"""And further where they are not: each kind of NIC has vertices of its own."""


class ClassBuilder:
    """One attempt at a class graph; see :func:`toposmith.fabric.classes.class_graph`."""

    def __init__(
        self,
        plan: Plan,
        cuts: Cuts,
        catalog: Catalog | None,
        marked: tuple[Marked, ...],
        *,
        without_down: bool,
        only: Mapping[str, str] | None,
    ) -> None:
        self.plan = plan
        self.cuts = cuts
        self.catalog = catalog
        self.marked = marked
        self.only = only
        self.graph = nx.MultiGraph()
        self._uneven: dict[str, list[frozenset[Interval]]] = defaultdict(list)
        self._classes: dict[str, dict[Cells, int]] = {}
        self._nic_of: dict[tuple[str, str, Cells, str | int], ClassVertex] = {}
        self._links = {link.index: link for link in plan.every_link}
        self._faults = faults_of(plan, without_down=without_down)
        self._slow = slow_cables_of(plan)
        self._rewired = rewired_of(plan)
        self._peers = class_peers(plan, cuts)
        self._coordinates, self._cells = self._peers.coordinates, self._peers.cells
        self._cables = node_cables(plan, cuts, without_down=without_down)
        self._along_axes = any(link.along for link in plan.fabric_links)

    def build(self) -> Uneven:
        """Fill the graph; returns the sets to refine the cuts by where these are too coarse."""
        for name, group in self.plan.groups.items():
            self._classes[name] = dict(self._devices(group))
        for group in self.plan.groups.values():
            if group.host is not None or not {MANAGEMENT, UPLINK}.isdisjoint(group.port_groups):
                self._nodes(group)
        if not self._uneven:
            for link in self.plan.every_link:
                if link.a.ports and link.b.ports:
                    self._back_to_back(link)
                elif not link.a.ports and not link.b.ports:
                    self._switch_link(link)
        return self._uneven

    def _devices(self, group: GroupPlan) -> Iterator[tuple[Cells, int]]:
        kind = "switch" if group.host is None else "node"
        sizes = [self.cuts.cell_sizes[axis] for axis in group.axes]
        faulty = group.name in self._faults.devices
        steps = 10 + self._faults.ranged(group.name) if faulty else 4
        for cells in product(*(range(len(of_axis)) for of_axis in sizes)):
            go_on(steps)
            if faulty and self._faults.takes_device(group.name, self._coordinates(group, cells)):
                continue
            size = prod(of_axis[cell] for of_axis, cell in zip(sizes, cells, strict=True))
            vertex = ("device", group.name, cells)
            self.graph.add_node(vertex, kind=kind, group=group.name, size=size)
            yield cells, size

    def _nodes(self, group: GroupPlan) -> None:
        names = [
            name
            for name, ports in group.port_groups.items()
            if ports.nic is not None and (self.only is None or self.only.get(group.name) == name)
        ]
        go_on(_STEPS_OF_A_GROUP)
        deals: dict[str, list[list[DealtPort]]] = {}
        for name in names:
            deals[name], unlike = self._cables.dealt(group, name)
            self._cut_apart(unlike)
        inside = inside_edges(group, self.catalog) if self.catalog and group.host else ()
        if self.only is not None:
            inside = collective_edges(inside, self.only.get(group.name))
        for cells, size in self._classes[group.name].items():
            go_on(_STEPS_OF_A_NODE + _STEPS_OF_A_PORT * sum(map(len, deals.values())))
            coordinates = self._coordinates(group, cells)
            marked = marked_vertices(self.marked, group, coordinates)
            cards = {
                name: self._cables.cards(group, name, coordinates, fitted)
                for name, fitted in deals.items()
            }
            slots: dict[Vertex, tuple[NicCable, ...]] = {
                ("slot", name, number): cables
                for name, fitted in cards.items()
                for number, cables in enumerate(
                    self._cables.cabled(group, name, cells, coordinates, fitted, self._classes)
                )
            }
            colours = node_colours(slots, marked, inside)
            self._nics(group, cells, size, slots, colours, cards, inside=bool(inside))
            for name, fitted in deals.items():
                of_nics = tuple([colours["slot", name, number] for number in range(len(fitted))])
                self._cut_apart(self._cables.unevenly_met(group, name, of_nics))
            if inside:
                switches = self._rack_switches(group, cells, inside)
                node = NodeClasses(group.name, cells, size, colours, switches)
                apart = over_switches(group)
                self._inside(node, tuple(e for e in inside if not (apart and e.b == NVSWITCH)))
                if apart:
                    self._over_switches(group, node, inside)

    def _cut_apart(self, sets: Iterable[tuple[str, frozenset[Interval]]]) -> None:
        for axis, values in sets:
            self._uneven[axis].append(values)

    def _rack_switches(
        self, group: GroupPlan, cells: Cells, inside: tuple[InsideEdge, ...]
    ) -> ClassVertex | None:
        """The NVLink switches of a rack, which the nodes of its trays share; None where none do."""
        switched = any(NVSWITCH in (edge.a, edge.b) for edge in inside)
        if not is_joined(group) or not switched or over_switches(group):
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

    def _over_switches(
        self, group: GroupPlan, node: NodeClasses, inside: tuple[InsideEdge, ...]
    ) -> None:
        """The NVLinks of GPUs to each of the switches of their rack that are up."""
        link = group.nvlink
        assert link is not None
        gpus = Counter(node.places[edge.a] for edge in inside if edge.b == NVSWITCH)
        racks = prod(
            self.cuts.cell_sizes[axis][cell]
            for axis, cell in zip(link.shared, node.cells, strict=False)
        )
        for cells, size in self._classes[link.switches].items():
            if cells[:-1] != node.cells[:-1]:
                continue
            there = ("device", link.switches, cells)
            for gpu, many in gpus.items():
                per = (link.per_switch * size // racks, link.per_switch * node.size * many // racks)
                self._edge(gpu, there, ("nvlink", link.GBps), None, per, link.GBps, per)

    def _nics(
        self,
        group: GroupPlan,
        cells: Cells,
        size: int,
        slots: Mapping[Vertex, tuple[NicCable, ...]],
        colours: Mapping[Vertex, int],
        deals: Mapping[str, list[list[DealtPort]]],
        *,
        inside: bool,
    ) -> None:
        alike: dict[tuple[object, int], list[Vertex]] = defaultdict(list)
        for slot in slots:
            alike[slot[1], colours[slot]].append(slot)
        go_on(_STEPS_OF_A_NIC * len(alike))
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
            counted: dict[NicCable, int] = defaultdict(int)
            for cable in slots[members[0]]:
                counted[cable] += 1
            met = peers_met(deals[str(name)][int(numbers[0])], cells)
            for (index, peer, speed), cables in counted.items():
                link = self._links[index]
                other = link.b if link.a.group == group.name else link.a
                if other.ports:
                    continue
                back, rest = divmod(size * many * cables, self._classes[other.group][peer])
                if not rest:  # else the deal is uneven here, and the next attempt cuts it apart
                    there = ("device", other.group, peer)
                    peers = min(met[other.group, peer], self._classes[other.group][peer])
                    here = (cables, back), line_rate_GBps(speed), (peers, back * peers // cables)
                    self._edge(nic, there, edge_key(link, speed), index, *here)

    def _link_along(self, link: LinkPlan) -> None:
        """Switches that are joined by a relation along an axis, or dealt over one."""
        group_a, group_b = self.plan.groups[link.a.group], self.plan.groups[link.b.group]
        faulty = {group_a.name, group_b.name} in self._faults.cables
        for cells in self._classes[group_a.name]:
            for (peer, kind), many in self._peers.met(link, link.a, cells).items():
                if peer not in self._classes[group_b.name] or (link.is_self and peer < cells):
                    continue
                peers = many, self._peers.met(link, link.b, peer).get((cells, kind), 0)
                dealt = link.cables_per_pair
                self._between(link, cells, peer, dealt, faulty=faulty, peers=peers, kind=kind)

    def _switch_link(self, link: LinkPlan) -> None:
        if link.along:
            self._link_along(link)
            return
        group_a, group_b = self.plan.groups[link.a.group], self.plan.groups[link.b.group]
        shared_a = [group_a.axes.index(axis) for axis in link.shared]
        shared_b = [group_b.axes.index(axis) for axis in link.shared]
        by_shared: dict[Cells, list[Cells]] = defaultdict(list)
        faulty = {group_a.name, group_b.name} in self._faults.cables
        for cells in self._classes[group_b.name]:
            by_shared[tuple(cells[i] for i in shared_b)].append(cells)
        for cells in self._classes[group_a.name]:
            for peer in by_shared[tuple(cells[i] for i in shared_a)]:
                self._between(link, cells, peer, link.cables_per_pair, faulty=faulty)
        for index, at_a, at_b in self._rewired.gained if self._rewired else ():
            if index != link.index:
                continue
            cells, peer = self._cells(group_a, at_a), self._cells(group_b, at_b)
            meet = [cells[i] for i in shared_a] == [peer[i] for i in shared_b]
            there = cells in self._classes[group_a.name] and peer in self._classes[group_b.name]
            if there and not meet:
                self._between(link, cells, peer, 0, faulty=faulty)

    def _between(
        self,
        link: LinkPlan,
        cells: Cells,
        peer: Cells,
        cables: int,
        *,
        faulty: bool,
        peers: tuple[int, int] | None = None,
        kind: RelationKind = (),
    ) -> None:
        """The cables between the switches of two classes, of which links deal so many to a pair.

        ``peers`` are how many of the other class one of each meets by cables of this kind.
        """
        go_on(15)
        group_a, group_b = self.plan.groups[link.a.group], self.plan.groups[link.b.group]
        left, speeds = cables, {float(link.speed_gbit): cables}
        faulty = faulty and self._faults.may_take_cables(
            group_a.name, self._peers.values(group_a, cells)
        )
        if self._rewired or faulty or self._slow.touches(link):
            a, b = self._coordinates(group_a, cells), self._coordinates(group_b, peer)
            if self._rewired:
                # devices with single cables are classes of their own
                pair = (link.index, tuple(a.values()), tuple(b.values()))
                cables += self._rewired.gained.get(pair, 0) - self._rewired.lost.get(pair, 0)
            ends = (group_a.name, a), (group_b.name, b)
            left = self._faults.cables_left(*ends, cables) if faulty else cables
            speeds = {float(link.speed_gbit): left}
            if left and self._slow.touches(link):
                go_on(30)
                speeds = self._slow.between(link, *ends, left, of=cables)
        if not left:
            return
        if peers is None:
            peers = (
                self._along(group_b, peer, link.b_only),
                self._along(group_a, cells, link.a_only),
            )
        here, there = ("device", group_a.name, cells), ("device", group_b.name, peer)
        for speed, many in speeds.items():
            per = (many * peers[0], many * peers[1])
            rate = line_rate_GBps(speed)
            key = edge_key(link, speed, kind)
            self._edge(here, there, key, link.index, per, rate, peers, kind)
            if self._along_axes:
                edge = self.graph.edges[here, there, key]
                edge["to"] = self._to(link, here, there, kind)

    def _to(
        self, link: LinkPlan, here: ClassVertex, there: ClassVertex, kind: RelationKind
    ) -> object:
        """The same for links that lead a device to the same devices of a class."""
        nodes = self.graph.nodes
        if nodes[here]["size"] == nodes[there]["size"] == 1 or link.bundle:
            return kind if link.bundle else ()
        told = dict(
            zip((axis for axis, _ in distinguishing_axes(link, self.cuts.rings)), kind, strict=True)
        )
        met = {axis: told.get(axis, 1) for axis, _ in link.along} | dict.fromkeys(link.shared, 0)
        return tuple(sorted(met.items()))

    def _back_to_back(self, link: LinkPlan) -> None:
        """Nodes cabled in pairs: the first port of one meets the first of the other, and so on."""
        group_a, group_b = self.plan.groups[link.a.group], self.plan.groups[link.b.group]
        order = [group_a.axes.index(axis) if axis in link.shared else None for axis in group_b.axes]
        for cells in self._classes[group_a.name]:
            peer = tuple(0 if at is None else cells[at] for at in order)
            here, there = (
                self._coordinates(group_a, cells),
                self._coordinates(group_b, peer),
            )
            if peer not in self._classes[group_b.name] or self._faults.takes_cables(
                (group_a.name, here), (group_b.name, there)
            ):
                continue
            ports = [
                (link.a.first_port + card, link.b.first_port + card)
                for card in range(link.cables_per_pair)
            ]
            self._join_nodes(link, cells, peer, ports)
        for cable in self.plan.single_cables:
            if cable.link == link.index and cable.a.port is not None and cable.b.port is not None:
                cells, peer = (
                    self._cells(group_a, cable.a.at),
                    self._cells(group_b, cable.b.at),
                )
                both = cells in self._classes[group_a.name] and peer in self._classes[group_b.name]
                if both and not self._faults.takes_cables(
                    (group_a.name, self._coordinates(group_a, cells)),
                    (group_b.name, self._coordinates(group_b, peer)),
                ):
                    self._join_nodes(link, cells, peer, [(cable.a.port, cable.b.port)], single=True)

    def _join_nodes(
        self,
        link: LinkPlan,
        cells: Cells,
        peer: Cells,
        ports: list[tuple[int, int]],
        *,
        single: bool = False,
    ) -> None:
        """The cables between two nodes, port to port; dealt ones give way to single ones."""
        met: dict[tuple[ClassVertex, ClassVertex, float], int] = defaultdict(int)
        sides = ((link.a, cells), (link.b, peer))
        where = [self._coordinates(self.plan.groups[end.group], at) for end, at in sides]
        for pair in ports:
            nics: list[ClassVertex] = []
            for (end, at), here, port in zip(sides, where, pair, strict=True):
                fitted = self.plan.groups[end.group].port_groups[end.ports]
                place = (end.group, end.ports, tuple(here.values()))
                gone = self._faults.takes_port(end.group, end.ports, port, here) or (
                    not single and port in self._rewired.freed.get(place, ())
                )
                if fitted.nic is not None and port < fitted.ports and not gone:
                    nic = self._nic_of.get((end.group, end.ports, at, fitted.nic_of(port)))
                    nics += [nic] if nic else []
            if len(nics) == 2:
                ends = (link.a.group, where[0]), (link.b.group, where[1])
                met[nics[0], nics[1], self._slow.gbit(link, *ends, *pair)] += 1
        for (u, v, speed), cables in met.items():
            per, rate = (cables, cables), line_rate_GBps(speed)
            key = edge_key(link, speed)
            if self.graph.has_edge(u, v, key):
                old = self.graph.edges[u, v, key]["per"]
                per = (old[u] + cables, old[v] + cables)
            self._edge(u, v, key, link.index, per, rate, (1, 1))

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
        kind: RelationKind = (),
    ) -> None:
        self.graph.add_edge(
            u,
            v,
            key=key,
            link=link,
            per={u: per[0], v: per[1]},
            peers={u: peers[0], v: peers[1]},
            GBps=rate,
            kind=kind,
        )


def edge_key(link: LinkPlan, speed_gbit: float, kind: RelationKind = ()) -> object:
    """The key of an edge: the link, the speed of cables that run below it, and their kind."""
    if kind:
        return (link.index, speed_gbit, kind)
    return link.index if speed_gbit == link.speed_gbit else (link.index, speed_gbit)


def link_of(key: object) -> int:
    """The index of an edge's link, from its key."""
    index: Any = key[0] if isinstance(key, tuple) else key
    return int(index)
