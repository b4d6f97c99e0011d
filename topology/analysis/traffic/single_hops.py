"""The fabric under hops between nodes, routed over single devices.

The answer is that of :mod:`toposmith.topology.analysis.traffic.hop_loads` by classes. Where faults
leave nearly every device a class of its own, a class graph cut anew for each kind of hop costs more
than looking at the switches on its way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.traffic.all_to_all import Unreachable
from toposmith.topology.analysis.traffic.hops import Hop, nic_pairs
from toposmith.topology.analysis.traffic.routing import Arc
from toposmith.topology.analysis.traffic.single_routes import Cable, Route, single_route
from toposmith.topology.fabric.classes import ClassVertex
from toposmith.topology.fabric.single_devices import Device, PortCables


def possible(network: Network) -> bool:
    """Whether all cables of the nodes lead to switches."""
    graph = network.classes.graph
    return all(
        graph.nodes[peer]["kind"] != "nic"
        for nic in network.classes.vertices("nic")
        for peer in graph.adj[nic]
    )


def hop_loads(
    network: Network, hops: Iterable[Hop], *, busiest: float, nics: int, weighted: bool
) -> dict[Arc, float]:
    """Load of the worst cable of every class; parameters are those of the search by classes.

    Raises
    ------
    Unreachable
        If two nodes of a hop are not connected.
    """
    loads = _Loads(network, busiest, nics, weighted=weighted)
    for hop in hops:
        loads.add(hop)
    return loads.worst()


class _Loads:
    """What hops put on single cables so far."""

    def __init__(self, network: Network, busiest: float, nics: int, *, weighted: bool) -> None:
        self._network = network
        self._devices = network.devices
        self._busiest = busiest
        self._nics = nics
        self._weighted = weighted
        self._routes: dict[tuple[PortCables, PortCables], Route | None] = {}
        self._flows: Counter[tuple[PortCables, PortCables]] = Counter()
        self._worst: dict[Arc, float] = defaultdict(float)
        self._at: dict[tuple[Device, int], tuple[PortCables, ClassVertex]] = {}
        self._nic_of = {
            (*nic[1:4:2], slot): nic
            for nic in network.classes.vertices("nic")
            for slot in network.classes.graph.nodes[nic]["slots"]
        }
        groups = network.plan.groups
        own_axes = {group.axes[-1] for group in network.world.groups}
        self._own = {name for name, group in groups.items() if own_axes & set(group.axes)}
        self._own_switches = any(groups[name].switch for name in self._own)

    def add(self, hop: Hop) -> None:
        """Count one kind of hop."""
        ends = tuple(
            (block.group.name, tuple(at[axis] for axis in block.group.axes))
            for block, at in ((hop.source, hop.start), (hop.target, hop.end))
        )
        own: dict[Cable, float] = defaultdict(float)
        for first, second in nic_pairs(self._network, hop, self._nics):
            start, leaving = self._port(ends[0], first)
            end, arriving = self._port(ends[1], second)
            both = (start, end)
            if both not in self._routes:
                self._routes[both] = single_route(
                    self._devices, start, end, weighted=self._weighted
                )
            route = self._routes[both]
            if route is None:
                raise Unreachable(hop.source.group.name, hop.target.group.name)
            self._flows[both] += hop.alike
            for (switch, key), load in route.leaving.items():
                self._raise((leaving, self._devices.vertex(switch), key), load)
            for (switch, key), load in route.arriving.items():
                self._raise((self._devices.vertex(switch), arriving, key), load)
            if self._own_switches:
                for cable, load in route.between.items():
                    own[cable] += load
        for cable, load in own.items():
            if self._is_own(cable):
                self._raise(self._arc(cable), load)

    def worst(self) -> dict[Arc, float]:
        """The worst cable of every class."""
        shared: dict[Cable, float] = defaultdict(float)
        for both, many in self._flows.items():
            route = self._routes[both]
            assert route is not None
            for cable, load in route.between.items():
                shared[cable] += load * many
        worst = self._worst
        for cable, load in shared.items():
            if not self._is_own(cable):
                arc = self._arc(cable)
                worst[arc] = max(worst[arc], load)
        return dict(worst)

    def _port(self, node: Device, slot: int) -> tuple[PortCables, ClassVertex]:
        known = self._at.get((node, slot))
        if known is None:
            nic = self._nic_of[node[0], self._devices.cells(node), slot]
            known = self._at[node, slot] = self._devices.at_nic(node, slot), nic
        return known

    def _raise(self, arc: Arc, load: float) -> None:
        """What only the nodes of a hop load is as often used as the busiest node has hops."""
        self._worst[arc] = max(self._worst[arc], load * self._busiest)

    def _is_own(self, cable: Cable) -> bool:
        return cable[0][0] in self._own or cable[1][0] in self._own

    def _arc(self, cable: Cable) -> Arc:
        vertex = self._devices.vertex
        return vertex(cable[0]), vertex(cable[1]), cable[2]
