"""The fabric under hops between nodes, routed over single devices.

The answer is that of :mod:`toposmith.analysis.traffic.hop_loads` by classes. Where faults
leave nearly every device a class of its own, a new class graph for each kind of hop costs more than
routing over single switches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.dimension_order import DimensionOrder
from toposmith.analysis.traffic.hops import Hop, nic_pairs
from toposmith.analysis.traffic.single_routes import (
    FlowRoute,
    Over,
    RoutedCable,
    single_route,
)
from toposmith.analysis.traffic.symmetric_loads import Pattern, SymmetricLoads
from toposmith.analysis.traffic.unreachable import IN_ORDER, Unreachable
from toposmith.analysis.traffic.whole_grid import whole_grid
from toposmith.cancellation import go_on
from toposmith.fabric.axis_symmetry import Shift
from toposmith.fabric.classes import ClassVertex
from toposmith.fabric.device import Device
from toposmith.fabric.single_devices import PortCables, SingleDevices


def hop_loads(
    network: ComputeNetwork,
    hops: Iterable[Hop],
    *,
    busiest: float,
    nics: int,
    weighted: bool,
    order: DimensionOrder | None = None,
) -> dict[Arc, float]:
    """Load of the worst cable of every class; parameters are those of the search by classes.

    With an ``order`` traffic goes along one axis after the other.

    Raises
    ------
    Unreachable
        If two nodes of a hop are not connected.
    """
    return _added(_Loads(network, busiest, nics, weighted=weighted, order=order), hops).worst()


def loads_and_flows(
    network: ComputeNetwork, hops: Iterable[Hop], *, busiest: float, nics: int
) -> tuple[dict[Arc, float], dict[tuple[Device, Device], float]]:
    """The same by minimal paths, and the traffic between switches.

    Raises
    ------
    Unreachable
        If two nodes of a hop are not connected.
    ValueError
        If a NIC has cables to several switches.
    """
    loads = _added(_Loads(network, busiest, nics, weighted=True), hops)
    return loads.worst(), loads.between_switches()


def _added(loads: _Loads, hops: Iterable[Hop]) -> _Loads:
    for hop in hops:
        loads.add(hop)
    return loads


@dataclass
class _Port:
    """One NIC of a node: its cables by number, and where its load is kept if it has one cable."""

    cables: int
    nic: ClassVertex
    sent: _Most | None = None
    taken: _Most | None = None


@dataclass(frozen=True)
class _Node:
    """A node: its class, its NICs, and the switch that all of these have one cable to, if so."""

    vertex: ClassVertex
    ports: list[_Port]
    switch: ClassVertex | None
    cables: int


@dataclass
class _Most:
    """The highest load of the cables of one class."""

    load: float = 0.0


class _Loads:
    """Loads of hops on single cables so far."""

    def __init__(
        self,
        network: ComputeNetwork,
        busiest: float,
        nics: int,
        *,
        weighted: bool,
        order: DimensionOrder | None = None,
    ) -> None:
        self._network = network
        self._devices = network.devices
        self._busiest = busiest
        self._nics = nics
        self._weighted = weighted
        self._order = order
        self._numbers: dict[PortCables, int] = {}
        self._cables: list[PortCables] = []
        self._routes: dict[tuple[int, int], FlowRoute] = {}
        self._flows: Counter[tuple[int, int]] = Counter()
        self._worst: dict[Arc, _Most] = defaultdict(_Most)
        self._nodes: dict[Device, _Node] = {}
        self._said: set[tuple[ClassVertex | None, ...]] = set()
        self._pairs: dict[tuple[ClassVertex, ClassVertex], list[tuple[int, int]]] = {}
        self._nic_of = {
            (*nic[1:4:2], slot): nic
            for nic in network.classes.vertices("nic")
            for slot in network.classes.graph.nodes[nic]["slots"]
        }
        groups = network.plan.groups
        own_axes = {group.axes[-1] for group in network.world.groups}
        self._own = {name for name, group in groups.items() if own_axes & set(group.axes)}
        self._own_switches = any(groups[name].switch for name in self._own)
        self._symmetry = self._devices.symmetry
        self._whole = None if order is not None or self._symmetry else whole_grid(network)
        if self._whole is not None:
            self._symmetry = self._whole.symmetry
        self._sums = SymmetricLoads(self._symmetry)
        self._patterns: dict[object, Pattern] = {}
        self._moved: dict[tuple[int, int], tuple[Pattern, Shift]] = {}

    def add(self, hop: Hop) -> None:
        """Count one kind of hop."""
        go_on(20)
        source = self._at((hop.source.group.name, tuple(hop.start.values())))
        target = self._at((hop.target.group.name, tuple(hop.end.values())))
        pairs = self._pairs.get((source.vertex, target.vertex))
        if pairs is None:
            pairs = nic_pairs(self._network, hop, self._nics)
            self._pairs[source.vertex, target.vertex] = pairs
        starts, ends = source.ports, target.ports
        if source.switch and target.switch and not self._own_switches:
            # what is set for NICs is set for all nodes of these classes on switches of theirs
            alike = (source.vertex, target.vertex, source.switch, target.switch)
            both = (source.cables, target.cables)
            if pairs and both not in self._flows:
                self._find(hop, both)
            self._flows[both] += hop.alike * len(pairs)
            if alike in self._said:
                return
            self._said.add(alike)
            for first, second in pairs:
                for most in (starts[first].sent, ends[second].taken):
                    if most is not None:
                        most.load = self._busiest
            return
        own: dict[RoutedCable, float] = defaultdict(float)
        for first, second in pairs:
            start, end = starts[first], ends[second]
            both = (start.cables, end.cables)
            route = self._routes.get(both) or self._route(hop, both)
            self._flows[both] += hop.alike
            if start.sent is not None:
                start.sent.load = self._busiest
            else:
                for (switch, key), load in route.leaving.items():
                    self._raise((start.nic, self._devices.vertex(switch), key), load)
            if end.taken is not None:
                end.taken.load = self._busiest
            else:
                for (switch, key), load in route.arriving.items():
                    self._raise((self._devices.vertex(switch), end.nic, key), load)
            if self._own_switches:
                for cable, load in route.between.items():
                    own[cable] += load
        for cable, load in own.items():
            if self._is_own(cable):
                self._raise(self._arc(cable), load)

    def worst(self) -> dict[Arc, float]:
        """The worst cable of every class."""
        shared: dict[RoutedCable, float] = defaultdict(float)
        up: Counter[tuple[Device, int]] = Counter()
        down: Counter[tuple[Device, int]] = Counter()
        spread: dict[int, Over] = {}
        for both, many in self._flows.items():
            if both in self._moved:
                self._sums.add(*self._moved[both], many)
                continue
            route = self._routes[both]
            if route.over is None:
                for cable, load in route.between.items():
                    shared[cable] += load * many
                continue
            # of all flows that are spread alike it matters where they start, and where they end
            start, end, shares = route.over
            spread[id(shares)] = shares
            up[start, id(shares)] += many
            down[end, id(shares)] += many
        for (start, of), many in up.items():
            for over, (key, share), _ in spread[of]:
                shared[start, over, key] += share * many
        for (end, of), many in down.items():
            for over, _, (key, share) in spread[of]:
                shared[over, end, key] += share * many
        for cable, load in self._sums.cables().items():
            shared[cable] += load
        for cable, load in shared.items():
            if not self._is_own(cable):
                most = self._worst[self._arc(cable)]
                most.load = max(most.load, load)
        return {arc: most.load for arc, most in self._worst.items() if most.load}

    def between_switches(self) -> dict[tuple[Device, Device], float]:
        """What switches send to each other."""
        found: dict[tuple[Device, Device], float] = defaultdict(float)
        for both, many in self._flows.items():
            ends = [{switch for switch, _ in self._cables[number]} for number in both]
            if any(len(of_nic) > 1 for of_nic in ends):
                raise ValueError(
                    "detours are analysed where all cables of a NIC lead to one switch; "
                    "here a NIC has cables to several"
                )
            start, end = (of_nic.pop() for of_nic in ends)
            found[start, end] += many
        return dict(found)

    def _find(self, hop: Hop, both: tuple[int, int]) -> None:
        """Route a hop between two switches; translated copies are routed once."""
        symmetry, whole = self._symmetry, self._whole
        if not (self._network.along and symmetry):
            self._route(hop, both)
            return
        ((start, bundle),), ((end, last),) = (self._cables[number] for number in both)
        if whole is not None and not whole.passes_by(start, end):
            self._route(hop, both)
            return
        move = symmetry.shift_to(start)
        back = symmetry.back(move)
        at = ((symmetry.moved(start, back), bundle),), ((symmetry.moved(end, back), last),)
        if at not in self._patterns:
            devices = self._devices if whole is None else whole.devices
            route = self._routed(hop, *at, devices=devices)
            self._patterns[at] = self._sums.pattern(route.between)
        self._moved[both] = self._patterns[at], move

    def _route(self, hop: Hop, both: tuple[int, int]) -> FlowRoute:
        start, end = (self._cables[number] for number in both)
        route = self._routes[both] = self._routed(hop, start, end, devices=self._devices)
        return route

    def _routed(
        self, hop: Hop, start: PortCables, end: PortCables, *, devices: SingleDevices
    ) -> FlowRoute:
        if self._order is None:
            route = single_route(devices, start, end, weighted=self._weighted)
        else:
            route = self._order.route(self._network, start, end)
        if route is None and self._order is not None:
            raise Unreachable(hop.source.group.name, hop.target.group.name, IN_ORDER)
        if route is None:
            raise Unreachable(hop.source.group.name, hop.target.group.name)
        return route

    def _at(self, node: Device) -> _Node:
        """The class of a node, and its NICs by slot."""
        known = self._nodes.get(node)
        if known is None:
            vertex = self._devices.vertex(node)
            cables = self._devices.at_node(node)
            ports = [self._port(vertex, slot, each) for slot, each in enumerate(cables)]
            one = len(set(cables)) == 1 and all(port.sent is not None for port in ports)
            switch = self._devices.vertex(cables[0][0][0]) if one else None
            known = _Node(vertex, ports, switch, ports[0].cables if ports else -1)
            self._nodes[node] = known
        return known

    def _port(self, node: ClassVertex, slot: int, cables: PortCables) -> _Port:
        number = self._numbers.setdefault(cables, len(self._cables))
        if number == len(self._cables):
            self._cables.append(cables)
        nic = self._nic_of[node[1], node[2], slot]
        if len(cables) != 1 or cables[0][1][1] != 1:
            return _Port(number, nic)
        ((switch, (key, _, _)),) = cables
        beside = self._devices.vertex(switch)
        return _Port(number, nic, self._worst[nic, beside, key], self._worst[beside, nic, key])

    def _raise(self, arc: Arc, load: float) -> None:
        """What only the nodes of a hop load is as often used as the busiest node has hops."""
        most = self._worst[arc]
        most.load = max(most.load, load * self._busiest)

    def _is_own(self, cable: RoutedCable) -> bool:
        return cable[0][0] in self._own or cable[1][0] in self._own

    def _arc(self, cable: RoutedCable) -> Arc:
        vertex = self._devices.vertex
        return vertex(cable[0]), vertex(cable[1]), cable[2]
