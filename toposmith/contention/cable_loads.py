"""Loads of a job on single cables, per GB/s that it moves: every connection is routed.

The routes are those of predictions (shortest paths, split by the capacity that is left). Counted
are cables, not classes of them: jobs on some of the nodes make unlike what is alike in the design.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations, product
from random import Random
from typing import assert_never

from toposmith.analysis.traffic.algorithm_loads import Pattern
from toposmith.analysis.traffic.single_routes import FlowRoute, single_route
from toposmith.analysis.traffic.trees import double_tree
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.cancellation import go_on
from toposmith.fabric.device import Device
from toposmith.fabric.single_devices import PortCables, SingleDevices

MOST_CONNECTIONS = 100_000
"""The most pairs of NICs: an all-to-all of 110 nodes with 8 NICs."""


@dataclass(frozen=True)
class NicPort:
    """A NIC: its node, slot group and slot."""

    node: Device
    slots: str
    slot: int


End = Device | NicPort

LoadedCable = tuple[End, End, object]
"""One of the equal cables between two ends, in one direction: from, to, and which bundle."""


_ALL = 1 - 1e-9


@dataclass(frozen=True)
class Connection:
    """Traffic from one NIC to another: the cables of both, and GB/s per GB/s that the job moves."""

    start: NicPort
    end: NicPort
    cables: tuple[PortCables, PortCables]
    load: float


class TooManyConnections(ValueError):
    """A job with too many connections to route singly."""


@dataclass
class CableLoads:
    """Loads of single cables, with their line rates.

    Parameters
    ----------
    devices : SingleDevices
        The cables of the NICs that the job uses.
    slots : mapping of str to str
        The slot group on this network, by group.
    loads : dict of LoadedCable to float
        Per GB/s that the job moves.
    line_GBps : dict of LoadedCable to float
        One direction, of one cable.
    weighted : bool
        Whether switches split by remaining path capacity; equally by cable if not.
    alike : dict of LoadedCable to int
        Cables of the bundle, which share its load evenly.
    one_of_several : set of LoadedCable
        Cables between switches with alternatives for a flow.
    ordered : callable, optional
        The route of a flow between two NICs where it is not split over all shortest paths.
    hashed : bool
        Whether single connections are stored, to be hashed.
    sent : list of Connection
        The connections, where they are stored.
    """

    devices: SingleDevices
    slots: dict[str, str]
    weighted: bool = True
    loads: dict[LoadedCable, float] = field(default_factory=lambda: defaultdict(float))
    line_GBps: dict[LoadedCable, float] = field(default_factory=dict)
    alike: dict[LoadedCable, int] = field(default_factory=dict)
    one_of_several: set[LoadedCable] = field(default_factory=set)
    ordered: Callable[[PortCables, PortCables], FlowRoute | None] | None = None
    hashed: bool = False
    sent: list[Connection] = field(default_factory=list)
    _between: dict[tuple[PortCables, PortCables], float] = field(
        default_factory=lambda: defaultdict(float)
    )
    _routes: dict[tuple[PortCables, PortCables], FlowRoute] = field(default_factory=dict)
    _hops: dict[PortCables, dict[Device, int]] = field(default_factory=dict)

    def live(self, node: Device) -> list[int]:
        """The slots of a node whose NICs have a cable."""
        return [slot for slot, cables in enumerate(self.devices.at_node(node)) if cables]

    def send(self, source: Device, start: int, target: Device, end: int, load: float) -> None:
        """Send from one NIC to another; raises Unreachable where no path leads there."""
        from_cables = self.devices.at_node(source)[start]
        to_cables = self.devices.at_node(target)[end]
        both = from_cables, to_cables
        route = self._routes.get(both)
        if route is None:
            found = self._route(from_cables, to_cables)
            if found is None:
                raise Unreachable(source[0], target[0])
            route = self._routes[both] = found
        out = NicPort(source, self.slots[source[0]], start)
        into = NicPort(target, self.slots[target[0]], end)
        for (switch, key), share in route.leaving.items():
            self._add((out, switch, key), share * load, _bundle(from_cables, switch, key))
        for (switch, key), share in route.arriving.items():
            self._add((switch, into, key), share * load, _bundle(to_cables, switch, key))
        self._between[both] += load
        if self.hashed:
            self.sent.append(Connection(out, into, both, load))

    def route_of(self, both: tuple[PortCables, PortCables]) -> FlowRoute:
        """The route of a connection, over all of its equal paths."""
        return self._routes[both]

    def _route(self, start: PortCables, end: PortCables) -> FlowRoute | None:
        if self.ordered is not None:
            return self.ordered(start, end)
        return single_route(self.devices, start, end, weighted=self.weighted)

    def _add(self, cable: LoadedCable, load: float, bundle: tuple[int, float]) -> None:
        self.loads[cable] += load
        self.alike[cable], self.line_GBps[cable] = bundle

    def finish(self) -> None:
        """Add up the loads of cables between switches."""
        for both, load in self._between.items():
            for cable, share in self._routes[both].between.items():
                start, end, key = cable
                bundles = self.devices.beside(start)[end]
                bundle = next((many, rate) for k, many, rate in bundles if k == key)
                self._add(cable, share * load, bundle)
                if share < _ALL:
                    self.one_of_several.add(cable)
        self._between.clear()

    def nearest(self, node: Device, target: PortCables) -> list[int]:
        """The slots of a node that are the fewest cables away from a NIC's cables."""
        hops = self._hops.get(target)
        if hops is None:
            hops = self._hops[target] = self._hops_to(target)
        far = {
            slot: min((hops[switch] for switch, _ in cables if switch in hops), default=None)
            for slot, cables in enumerate(self.devices.at_node(node))
        }
        least = min((many for many in far.values() if many is not None), default=None)
        return [slot for slot, many in far.items() if many is not None and many == least]

    def _hops_to(self, target: PortCables) -> dict[Device, int]:
        go_on()
        hops = {switch: 0 for switch, _ in target}
        front = list(hops)
        while front:
            after: list[Device] = []
            for switch in front:
                for peer in self.devices.beside(switch):
                    if peer not in hops:
                        hops[peer] = hops[switch] + 1
                        after.append(peer)
            front = after
        return hops


def _bundle(cables: PortCables, switch: Device, key: object) -> tuple[int, float]:
    return next((many, rate) for peer, (k, many, rate) in cables if (peer, k) == (switch, key))


def collective_loads(
    loads: CableLoads,
    nodes: Sequence[tuple[Device, ...]],
    gpus: dict[Device, int],
    pattern: Pattern,
    unit: float,
    *,
    groups: int = 1,
    trays: int | None = 1,
    nics: int | None = None,
) -> None:
    """Place a collective on all cables.

    Parameters
    ----------
    loads : CableLoads
        The loads to add to.
    nodes : sequence of tuple of Device
        Nodes as NCCL counts them, in the order of ranks: nodes, or the trays of NVLink racks.
    gpus : dict
        GPUs of each device that one group has.
    pattern : str
        The communication pattern.
    unit : float
        Traffic of a ring, or a tree's edge, per GB/s of algbw.
    groups : int
        Concurrent groups on these nodes.
    trays : int, optional
        Trays of each rack, which send to the same trays of the others; every tray to every tray
        if not given.
    nics : int, optional
        Sending NICs of each tray; if not given, as many as the node with the fewest live ones.
    """
    match pattern:
        case "pairs":
            _exchange(loads, nodes, gpus, groups, trays)
        case "trees":
            _send_along(_tree(nodes), loads, nodes, unit * groups, trays or 1, nics)
        case "ring" | "switches" | "neighbours":
            _send_along(_ring(nodes), loads, nodes, unit * groups, trays or 1, nics)
        case never:
            assert_never(never)
    loads.finish()


def _send_along(
    hops: Iterable[tuple[tuple[Device, ...], tuple[Device, ...]]],
    loads: CableLoads,
    nodes: Sequence[tuple[Device, ...]],
    amount: float,
    trays: int,
    nics: int | None,
) -> None:
    """The same over every hop: over so many trays, and so many NICs of each."""
    many = min(len(loads.live(node)) for trays_of in nodes for node in trays_of)
    many = many if nics is None else min(many, nics)
    if not many:
        raise Unreachable(nodes[0][0][0], nodes[-1][0][0])
    for rack, after in hops:
        go_on()
        for source, target in zip(rack[:trays], after[:trays], strict=True):
            for start, end in _nic_pairs(loads, source, target)[:many]:
                loads.send(source, start, target, end, amount / (many * trays))


def _ring(
    nodes: Sequence[tuple[Device, ...]],
) -> Iterator[tuple[tuple[Device, ...], tuple[Device, ...]]]:
    yield from pairwise(nodes)
    yield nodes[-1], nodes[0]


def _tree(
    nodes: Sequence[tuple[Device, ...]],
) -> Iterator[tuple[tuple[Device, ...], tuple[Device, ...]]]:
    for child, parent in double_tree(len(nodes)):
        yield nodes[child], nodes[parent]
        yield nodes[parent], nodes[child]


def _nic_pairs(loads: CableLoads, source: Device, target: Device) -> list[tuple[int, int]]:
    """Equal slots first, then what is left, in order."""
    out, into = loads.live(source), loads.live(target)
    common = [slot for slot in out if slot in into]
    left = [[slot for slot in slots if slot not in common] for slots in (out, into)]
    return [*((slot, slot) for slot in common), *zip(*left, strict=False)]


def _exchange(
    loads: CableLoads,
    nodes: Sequence[tuple[Device, ...]],
    gpus: dict[Device, int],
    groups: int,
    trays: int | None,
) -> None:
    """Every rank sends 1/R of its data to each other; arriving evenly, leaving by the nearest."""
    devices = [device for rack in nodes for device in rack]
    _require_few(len(devices) ** 2 * max(len(loads.live(device)) for device in devices))
    ranks = sum(gpus[device] for rack in nodes for device in (rack if trays is None else rack[:1]))
    for other, rack in permutations(nodes, 2):
        go_on()
        pairs = product(rack, other) if trays is None else zip(rack[:trays], other, strict=False)
        for target, source in pairs:
            amount = groups * gpus[source] * gpus[target] / ranks
            _spread(loads, source, target, amount / (trays or 1))


def storage_loads(
    loads: CableLoads, nodes: Sequence[Device], storage: Sequence[Device], *, write: bool
) -> None:
    """Every node with every storage device alike, 1 GB/s of all together."""
    _require_few(len(nodes) * len(storage) * 4)
    each = 1 / (len(nodes) * len(storage))
    for node in nodes:
        go_on()
        for store in storage:
            source, target = (node, store) if write else (store, node)
            _spread(loads, source, target, each)
    loads.finish()


def _spread(loads: CableLoads, source: Device, target: Device, amount: float) -> None:
    cables = loads.devices.at_node(target)
    ways = {end: loads.nearest(source, cables[end]) for end in loads.live(target)}
    reached = [end for end, starts in ways.items() if starts]
    if not reached:
        raise Unreachable(source[0], target[0])
    for end in reached:
        # a connection to each NIC of the other node, by the one of its number where that is as near
        starts = [end] if loads.hashed and end in ways[end] else ways[end]
        for start in starts:
            loads.send(source, start, target, end, amount / (len(reached) * len(starts)))


def _require_few(connections: int) -> None:
    if connections > MOST_CONNECTIONS:
        raise TooManyConnections(
            f"{connections:,} connections; up to {MOST_CONNECTIONS:,} are counted one by one"
        )


def busiest_nic(loads: CableLoads) -> float:
    """Traffic of the busiest NIC, over all its cables, per GB/s that the job moves."""
    through: dict[tuple[NicPort, bool], float] = defaultdict(float)
    for (start, end, _), load in loads.loads.items():
        if isinstance(start, NicPort):
            through[start, True] += load
        if isinstance(end, NicPort):
            through[end, False] += load
    return max(through.values())


HashedCable = tuple[LoadedCable, int]
"""One of the equal cables between two ends, by its number."""

MOST_PATHS = 400_000
MOST_DRAWS, FEWEST_DRAWS = 32, 4
"""The most paths over all draws, some seconds' work; it limits the number of draws."""

_Step = tuple[Device | None, object, int]
"""A cable onward: the switch at its end (none where it is the NIC's), key, number in its bundle."""


def draws_of(loads: Sequence[CableLoads], queue_pairs: int) -> int:
    """How often hashes are drawn."""
    paths = sum(len(one.sent) for one in loads) * queue_pairs
    return max(FEWEST_DRAWS, min(MOST_DRAWS, MOST_PATHS // max(paths, 1)))


@dataclass
class HashedLoads:
    """Loads of connections on single cables, by random draws.

    Parameters
    ----------
    loads : CableLoads
        The connections, with all equal paths of each.
    queue_pairs : int
        Parts of a connection, each hashed by itself.
    """

    loads: CableLoads
    queue_pairs: int
    _ways: dict[tuple[PortCables, PortCables], _Ways] = field(default_factory=dict)

    def drawn(self, random: Random) -> dict[HashedCable, float]:
        """Load of every single cable, per GB/s that the job moves."""
        found: dict[HashedCable, float] = defaultdict(float)
        for connection in self.loads.sent:
            go_on()
            ways = self._ways.get(connection.cables)
            if ways is None:
                route = self.loads.route_of(connection.cables)
                ways = _Ways(self.loads, route, connection.cables)
                self._ways[connection.cables] = ways
            for _ in range(self.queue_pairs):
                for cable in ways.path(connection.start, connection.end, random):
                    found[cable] += connection.load / self.queue_pairs
        return found


class _Ways:
    """The cables onward at every switch on the way between two NICs, each as likely as another."""

    def __init__(
        self, loads: CableLoads, route: FlowRoute, cables: tuple[PortCables, PortCables]
    ) -> None:
        start, end = cables
        many = {(switch, bundle[0]): bundle[1] for switch, bundle in start}
        self._first: list[_Step] = [
            (switch, key, number)
            for switch, key in route.leaving
            for number in range(many[switch, key])
        ]
        self._onward: dict[Device, list[_Step]] = defaultdict(list)
        many = {(switch, bundle[0]): bundle[1] for switch, bundle in end}
        for switch, key in route.arriving:
            steps: Iterator[_Step] = ((None, key, number) for number in range(many[switch, key]))
            self._onward[switch] += steps
        for here, there, key in route.between:
            bundles = loads.devices.beside(here)[there]
            alike = next(alike for own, alike, _ in bundles if own == key)
            self._onward[here] += ((there, key, number) for number in range(alike))

    def path(self, start: NicPort, end: NicPort, random: Random) -> Iterator[HashedCable]:
        """One path."""
        here, key, number = random.choice(self._first)
        assert here is not None
        yield (start, here, key), number
        while True:
            there, key, number = random.choice(self._onward[here])
            if there is None:
                yield (here, end, key), number
                return
            yield (here, there, key), number
            here = there
