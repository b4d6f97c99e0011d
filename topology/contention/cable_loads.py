"""What a job puts on each single cable, per GB/s that it moves: every connection routed by itself.

The routes are those of predictions (shortest paths, split by the capacity that is left). Counted
are cables, not classes of them: jobs on some of the nodes make unlike what is alike in the design.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil

from toposmith.topology.analysis.traffic.placing import Pattern
from toposmith.topology.analysis.traffic.single_routes import Route, single_route
from toposmith.topology.analysis.traffic.trees import double_tree
from toposmith.topology.analysis.traffic.unreachable import Unreachable
from toposmith.topology.fabric.single_devices import Device, PortCables, SingleDevices
from toposmith.topology.stopping import go_on

MOST_CONNECTIONS = 100_000
"""Pairs of NICs that are counted: an all-to-all of 110 nodes with 8 NICs."""


@dataclass(frozen=True)
class NicPort:
    """A NIC: its node, slot group and slot."""

    node: Device
    slots: str
    slot: int


End = Device | NicPort

Cable = tuple[End, End, object]
"""One of the equal cables between two ends, in one direction: from, to, and which bundle."""


class TooManyConnections(ValueError):
    """A job of more connections than are looked at one by one."""


@dataclass
class CableLoads:
    """Loads of single cables, and what each carries by line rate.

    Parameters
    ----------
    devices : SingleDevices
        The cables of the NICs that the job uses.
    slots : mapping of str to str
        The slot group that is meant, by group.
    loads : dict of Cable to float
        Per GB/s that the job moves.
    line_GBps : dict of Cable to float
        One direction, of one cable.
    alike : dict of Cable to int
        Cables of the bundle, which share its load evenly.
    """

    devices: SingleDevices
    slots: dict[str, str]
    loads: dict[Cable, float] = field(default_factory=lambda: defaultdict(float))
    line_GBps: dict[Cable, float] = field(default_factory=dict)
    alike: dict[Cable, int] = field(default_factory=dict)
    _between: dict[tuple[PortCables, PortCables], float] = field(
        default_factory=lambda: defaultdict(float)
    )
    _routes: dict[tuple[PortCables, PortCables], Route] = field(default_factory=dict)
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
            found = single_route(self.devices, from_cables, to_cables, weighted=True)
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

    def _add(self, cable: Cable, load: float, bundle: tuple[int, float]) -> None:
        self.loads[cable] += load
        self.alike[cable], self.line_GBps[cable] = bundle

    def finish(self) -> None:
        """Add up what crosses the cables between switches."""
        for both, load in self._between.items():
            for cable, share in self._routes[both].between.items():
                start, end, key = cable
                bundles = self.devices.beside(start)[end]
                bundle = next((many, rate) for k, many, rate in bundles if k == key)
                self._add(cable, share * load, bundle)
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
    nodes: Sequence[Device],
    gpus: dict[Device, int],
    pattern: Pattern,
    unit: float,
    *,
    groups: int = 1,
) -> None:
    """Place a collective on all cables.

    Parameters
    ----------
    loads : CableLoads
        Where it is added.
    nodes : sequence of Device
        In the order of ranks.
    gpus : dict
        GPUs of each that one group has.
    pattern : str
        Who sends to whom.
    unit : float
        What a ring, or a tree's edge, moves per GB/s of algbw.
    groups : int
        That run on these nodes at once.
    """
    if pattern == "pairs":
        _exchange(loads, nodes, gpus, groups)
    else:
        hops = list(_tree(nodes) if pattern == "trees" else _ring(nodes))
        many = min(len(loads.live(node)) for node in nodes)
        if pattern == "neighbours":
            # one rank of each group sends to the next node; flows are not split
            many = min(many, groups)
            groups = many * ceil(groups / many) if many else groups
        if not many:
            raise Unreachable(nodes[0][0], nodes[-1][0])
        for source, target in hops:
            go_on()
            for start, end in _nic_pairs(loads, source, target)[:many]:
                loads.send(source, start, target, end, unit * groups / many)
    loads.finish()


def _ring(nodes: Sequence[Device]) -> Iterator[tuple[Device, Device]]:
    yield from pairwise(nodes)
    yield nodes[-1], nodes[0]


def _tree(nodes: Sequence[Device]) -> Iterator[tuple[Device, Device]]:
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
    loads: CableLoads, nodes: Sequence[Device], gpus: dict[Device, int], groups: int
) -> None:
    """Every rank sends 1/R of its data to each other; arriving evenly, leaving by the nearest."""
    ranks = sum(gpus[node] for node in nodes)
    _require_few(len(nodes) ** 2 * max(len(loads.live(node)) for node in nodes))
    for target in nodes:
        go_on()
        for source in nodes:
            if source != target:
                _spread(loads, source, target, groups * gpus[source] * gpus[target] / ranks)


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
    reached: Counter[int] = Counter({end: len(starts) for end, starts in ways.items() if starts})
    if not reached:
        raise Unreachable(source[0], target[0])
    for end, many in reached.items():
        for start in ways[end]:
            loads.send(source, start, target, end, amount / (len(reached) * many))


def _require_few(connections: int) -> None:
    if connections > MOST_CONNECTIONS:
        raise TooManyConnections(
            f"{connections:,} connections; up to {MOST_CONNECTIONS:,} are counted one by one"
        )


def busiest_nic(loads: CableLoads) -> float:
    """What the busiest NIC sends or takes, over all its cables, per GB/s that the job moves."""
    through: dict[tuple[NicPort, bool], float] = defaultdict(float)
    for (start, end, _), load in loads.loads.items():
        if isinstance(start, NicPort):
            through[start, True] += load
        if isinstance(end, NicPort):
            through[end, False] += load
    return max(through.values())
