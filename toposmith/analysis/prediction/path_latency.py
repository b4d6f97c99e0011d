"""One-way network latency between the two nodes that are farthest apart.

Through NICs, switches and cables, without software, queues or serialisation of the message:
the latency of the hardware; NCCL's own latency per step is many times higher.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import Nic, Switch
from toposmith.catalog.parts import Protocol
from toposmith.fabric.classes import ClassGraph, ClassVertex
from toposmith.fabric.once import once
from toposmith.fabric.switch_grid import SwitchGrid

CABLE_NS_PER_M = 5.0
"""Signals in fibre (refractive index 1.47) take 4.9 ns/m, in copper 4.3 to 5."""

INFINIBAND_NIC_US = {25: 0.5, 50: 0.6}
"""Both NICs together, by Gb/s of a lane: EDR and HDR (stas00/ml-engineering, network/README.md, its
table of InfiniBand generations; HDR also docs.nvidia.com/networking/display/ConnectX6EN)."""

PLANNED_NIC_US = 1.0
"""Both NICs together with PCIe, us, where no public figure was found: a planning figure."""


_UNKNOWN = 1 << 40
"""A figure that is not known counts more than all that are, in picoseconds."""


@dataclass(frozen=True)
class PathLatency:
    """The path between the two nodes that are farthest apart, and its latency.

    Parameters
    ----------
    switches : tuple of str
        The group of each switch on the way.
    links : tuple of str
        The link of each cable on the way.
    latency_us : float or None
        One way, microseconds; None where a part's latency or a link's length is not known.
    at_least_us : float
        The same without unknown parts, microseconds.
    unknown : tuple of str
        Ids of the switches on the way whose latency is not in the catalog.
    unmeasured : tuple of str
        Links on the way whose length the design does not give.
    assumed : tuple of str
        Ids of the NICs for which a planning figure was used.
    switches_us, cables_us : float
        What is known of the switches and of the cables in it, microseconds.
    """

    switches: tuple[str, ...]
    links: tuple[str, ...]
    latency_us: float | None
    at_least_us: float
    unknown: tuple[str, ...]
    unmeasured: tuple[str, ...]
    assumed: tuple[str, ...]
    switches_us: float = 0.0
    cables_us: float = 0.0

    @property
    def hops(self) -> int:
        """The number of switches on the path."""
        return len(self.switches)


def wire_latency_us(
    nic_us: float, switch_us: Sequence[float | None], cable_m: Sequence[float | None]
) -> float | None:
    """One-way latency of a path through the fabric, microseconds; None if a part is unknown.

    Parameters
    ----------
    nic_us : float
        Both NICs together, microseconds.
    switch_us : sequence of float or None
        Port-to-port latency of each switch on the path, microseconds.
    cable_m : sequence of float or None
        Length of each cable on the path, metres.
    """
    switches = [us for us in switch_us if us is not None]
    cables = [metres for metres in cable_m if metres is not None]
    if len(switches) < len(switch_us) or len(cables) < len(cable_m):
        return None
    return nic_us + sum(switches) + sum(cables) * CABLE_NS_PER_M / 1000


def nic_latency_us(nic: Nic, protocol: Protocol) -> float | None:
    """Latency of a pair of these NICs, microseconds; None where it is unknown."""
    if nic.latency_ns is not None:
        return nic.latency_ns / 1000
    return INFINIBAND_NIC_US.get(nic.speed_gbit // nic.lanes) if protocol == "infiniband" else None


@once
def farthest_path(network: ComputeNetwork) -> PathLatency | None:
    """The shortest path with the most switches between any two nodes of the world.

    A node sends through those of its NICs that are nearest to the other node, as NCCL does over
    NVLink (PXN). Of paths with equally many switches it is the slowest, as equal-cost multipath
    may take any; one with unknown parts counts as slower than one without. None if no two
    nodes of the world are connected.
    """
    ways = _Ways(network)
    names = {group.name for group in network.world.groups}
    if network.grid is not None:
        return ways.latency(_across(network.grid))
    if network.routed_singly or network.all_apart:
        # imported here: it needs numpy, which fabrics of few classes do not
        from toposmith.analysis.prediction.longest_ways import longest_way

        way = longest_way(network, ways.slowness)
        return None if way is None else ways.latency(_Route(*way))
    nodes = [vertex for vertex in network.classes.vertices("node") if vertex[1] in names]
    # nodes cabled to the same switches are as far from everything, so one of them is enough
    sources = {_cabled_to(network.classes, node): node for node in nodes}.values()
    routes = dict.fromkeys(route for node in sources for route in ways.farthest_from(node, names))
    most = max((len(route.switches) for route in routes), default=0)
    return ways.slowest(route for route in routes if len(route.switches) == most)


@dataclass(frozen=True)
class _Route:
    """A way from a node: the groups of its switches, and the links of its cables by index."""

    switches: tuple[str, ...] = ()
    links: tuple[int, ...] = ()

    def over(self, link: int, switch: str | None) -> _Route:
        """The way with one more cable, and the switch behind it unless that ends at a NIC."""
        switches = self.switches if switch is None else (*self.switches, switch)
        return _Route(switches, (*self.links, link))


def _across(grid: SwitchGrid) -> _Route:
    """From one switch to one that is as far away along every axis as any."""
    along = tuple(axis.link.index for axis in grid.axes for _ in range(axis.farthest))
    return _Route(
        (grid.switch.name,) * (len(along) + 1), (grid.to_nodes.index, *along, grid.to_nodes.index)
    )


class _Ways:
    """The search for ways through one network."""

    def __init__(self, network: ComputeNetwork) -> None:
        self._network = network
        self._plan = network.plan
        self._added: dict[tuple[int, str | None], int] = {}
        self._links = {link.index: link for link in network.plan.every_link}

    def farthest_from(self, node: ClassVertex, names: set[str]) -> list[_Route]:
        """The longest of the shortest paths from one node of a class to a node of these groups."""
        base = self._network.classes
        group = self._plan.groups[node[1]]
        at = base.coordinates(group, node[2])
        # the node is distinguished from its siblings, so that a sibling is another place
        cuts = base.cuts.with_points({axis: [value] for axis, value in at.items()})
        apart = self._network.classes_with(cuts)
        source = ("device", group.name, apart.cells_at(group, at))
        routes = [
            route
            for vertex, route in self._slowest_routes(apart, source).items()
            if vertex != source and vertex[0] == "device" and vertex[1] in names
        ]
        most = max((len(route.switches) for route in routes), default=0)
        return [route for route in routes if len(route.switches) == most]

    def slowest(self, routes: Iterable[_Route]) -> PathLatency | None:
        """The slowest of some paths of equal length; None without any."""
        slowest = max(routes, key=self._slowness, default=None)
        return None if slowest is None else self.latency(slowest)

    def slowness(self, index: int, switch: str | None) -> int:
        """What a cable of a link adds to a path, with a switch behind it unless that is a node.

        Of two sums that of the slower path is higher: by unknown figures, then by picoseconds.
        """
        if (index, switch) not in self._added:
            figures = [(self._links[index].length_m, CABLE_NS_PER_M / 1000)]
            figures += [(us, 0.5) for us, _ in self._nics(index)]
            if switch is not None:
                figures.append((switch_us(self._plan.groups[switch].switch), 1.0))
            us = sum((figure or 0.0) * each for figure, each in figures)
            unknown = sum(figure is None for figure, _ in figures)
            self._added[index, switch] = unknown * _UNKNOWN + round(us * 1e6)
        return self._added[index, switch]

    def _slowness(self, route: _Route) -> int:
        return sum(self.slowness(*step) for step in zip_longest(route.links, route.switches))

    def latency(self, route: _Route) -> PathLatency:
        """A way with its latency."""
        groups = self._plan.groups
        # each NIC adds half of its figure, which is that of a pair
        nics = self._nics(route.links[0]) + self._nics(route.links[-1])
        nic_us = sum(us for us, _ in nics) / len(nics)
        of_switch = {name: switch_us(groups[name].switch) for name in route.switches}
        metres = {link: self._links[link].length_m for link in route.links}
        unknown = [groups[name].spec.part for name, us in of_switch.items() if us is None]
        figures = [of_switch[name] for name in route.switches], [metres[i] for i in route.links]
        known = [[figure for figure in some if figure is not None] for some in figures]
        at_least = wire_latency_us(nic_us, *known)
        assert at_least is not None
        return PathLatency(
            switches=route.switches,
            links=tuple(self._links[index].label for index in route.links),
            latency_us=wire_latency_us(nic_us, *figures),
            at_least_us=at_least,
            unknown=tuple(dict.fromkeys(unknown)),
            unmeasured=tuple(self._links[i].label for i, long in metres.items() if long is None),
            assumed=tuple(dict.fromkeys(nic for _, nic in nics if nic is not None)),
            switches_us=sum(known[0]),
            cables_us=sum(known[1]) * CABLE_NS_PER_M / 1000,
        )

    def _nics(self, index: int) -> list[tuple[float, str | None]]:
        """By NIC at the ends of a cable, the latency of a pair, and its id where it is assumed."""
        found: list[tuple[float, str | None]] = []
        link = self._links[index]
        for end in (link.a, link.b):
            ports = self._plan.groups[end.group].port_groups.get(end.ports)
            if ports is not None and ports.nic is not None:
                published = nic_latency_us(ports.nic, link.protocol)
                found.append(
                    (PLANNED_NIC_US, ports.nic.id) if published is None else (published, None)
                )
        return found

    def _slowest_routes(
        self, classes: ClassGraph, source: ClassVertex
    ) -> dict[ClassVertex, _Route]:
        """The slowest of the shortest paths from a node to every class of devices."""
        routes = {source: _Route()}
        newest = dict(routes)
        while newest:
            found: dict[ClassVertex, _Route] = {}
            for vertex, route in newest.items():
                for peer, longer in _onward(classes, vertex, route):
                    if peer in routes:
                        continue
                    if peer not in found or self._is_slower(longer, found[peer]):
                        found[peer] = longer
            routes |= found
            newest = found
        return routes

    def _is_slower(self, route: _Route, other: _Route) -> bool:
        """Whether a way to the same place is slower than another."""
        if route == other:
            return False
        return self._slowness(route) > self._slowness(other)


def _cabled_to(classes: ClassGraph, node: ClassVertex) -> Hashable:
    """A key equal for nodes cabled to the same devices."""
    adjacent = classes.graph.adj
    cables = frozenset(
        (classes.graph.nodes[nic]["slots"], peer, data["link"])
        for nic in adjacent[node]
        for peer, edges in adjacent[nic].items()
        for data in edges.values()
        if data["link"] is not None
    )
    return node[1], node[2][:-1], cables


def _onward(
    classes: ClassGraph, vertex: ClassVertex, route: _Route
) -> Iterator[tuple[ClassVertex, _Route]]:
    """The ways that are one step longer; only switches pass traffic on."""
    kinds = classes.graph.nodes
    kind = kinds[vertex]["kind"]
    in_fabric = bool(route.links)
    for peer, edges in classes.graph.adj[vertex].items():
        to_switch = kinds[peer]["kind"] == "switch"
        for link in (data["link"] for data in edges.values()):
            if link is None:
                # out of the source through its own NICs, and from the fabric into the target
                if in_fabric == (kind == "nic"):
                    yield peer, route
            elif kind == "switch" or not in_fabric:
                yield peer, route.over(link, peer[1] if to_switch else None)


def switch_us(switch: Switch | None) -> float | None:
    """Port-to-port latency of a switch, us; None where it is unknown."""
    return None if switch is None or switch.latency_ns is None else switch.latency_ns / 1000
