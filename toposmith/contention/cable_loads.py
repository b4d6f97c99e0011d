"""Loads of a job on single cables, per GB/s that it moves: every connection is routed.

The routes are those of predictions (shortest paths, split by the capacity that is left). Counted
are cables, not classes of them: jobs on some of the nodes make unlike what is alike in the design.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, permutations, product
from random import Random
from typing import assert_never

import numpy as np

from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.algorithm_loads import Pattern
from toposmith.analysis.traffic.dimension_order import DimensionOrder
from toposmith.analysis.traffic.row_flows import RowFlows
from toposmith.analysis.traffic.row_graph import APART
from toposmith.analysis.traffic.row_hops import ONE_SWITCH, Leg, legs_in_order, one_switch
from toposmith.analysis.traffic.row_network import Amounts, network_of_slots
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.analysis.traffic.trees import double_tree
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.cancellation import go_on
from toposmith.fabric.class_builder import edge_key
from toposmith.fabric.device import Device
from toposmith.fabric.plan import Plan
from toposmith.fabric.rows import Numbers, RowsAt, distinct
from toposmith.units import line_rate_GBps

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

_Step = tuple[Device | None, object, int]
"""A cable onward: the switch at its end (none where it is the NIC's), key, number in its bundle."""


@dataclass(frozen=True)
class Connection:
    """Traffic from one NIC to another, GB/s per GB/s that the job moves, and its equal paths."""

    start: NicPort
    end: NicPort
    load: float
    paths: EqualPaths


@dataclass(frozen=True)
class EqualPaths:
    """The cables onward from a NIC and at every switch on the way, each as likely as another."""

    first: Sequence[_Step]
    onward: Mapping[Device, Sequence[_Step]]

    def path(self, start: NicPort, end: NicPort, random: Random) -> Iterator[HashedCable]:
        """One path."""
        here, key, number = random.choice(self.first)
        assert here is not None
        yield (start, here, key), number
        while True:
            there, key, number = random.choice(self.onward[here])
            if there is None:
                yield (here, end, key), number
                return
            yield (here, there, key), number
            here = there


class TooManyConnections(ValueError):
    """A job with too many connections to route singly."""


@dataclass(frozen=True)
class _Sent:
    """What one NIC sends to another: the devices and slots, their attachments, and how much."""

    source: Device
    start: int
    target: Device
    end: int
    attachments: tuple[int, int]
    load: float


@dataclass
class CableLoads:
    """Loads of single cables, with their line rates.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    slots : mapping of str to str
        The slot group on this network, by group.
    routing : Routing
        How switches spread traffic; connections are kept where they are hashed.

    Attributes
    ----------
    loads : dict of LoadedCable to float
        Per GB/s that the job moves.
    line_GBps : dict of LoadedCable to float
        One direction, of one cable.
    alike : dict of LoadedCable to int
        Cables of the bundle, which share its load evenly.
    one_of_several : set of LoadedCable
        Cables between switches with alternatives for a flow.
    sent : list of Connection
        The connections, where they are kept.
    """

    plan: Plan
    slots: Mapping[str, str]
    routing: Routing = field(default_factory=Routing)
    loads: dict[LoadedCable, float] = field(default_factory=lambda: defaultdict(float))
    line_GBps: dict[LoadedCable, float] = field(default_factory=dict)
    alike: dict[LoadedCable, int] = field(default_factory=dict)
    one_of_several: set[LoadedCable] = field(default_factory=set)
    sent: list[Connection] = field(default_factory=list)
    _waiting: list[_Sent] = field(default_factory=list)
    _slots_of: dict[Device, list[int]] = field(default_factory=dict)
    _far: dict[int, dict[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        net = network_of_slots(self.plan, tuple(sorted(self.slots.items())))
        # a hash picks single switches
        self._net = net.alone(np.arange(len(net.between))) if self.hashed else net
        self._links = {link.index: link for link in self.plan.every_link}

    @property
    def hashed(self) -> bool:
        """Whether each connection is hashed onto one of its paths."""
        return self.routing.mode == "static"

    @cached_property
    def _routes(self) -> RowRoutes:
        return RowRoutes(self._net, weighted=self.routing.weighted)

    @cached_property
    def _place(self) -> Numbers:
        """By device, its place among the nodes; -1 for others."""
        place = np.full(self._net.rows.devices, -1)
        place[self._net.kinds.nodes] = np.arange(len(self._net.kinds.nodes))
        return place

    def _attached(self, node: Device) -> list[int]:
        """By slot of a node, how the NIC is cabled; -1 where it is not."""
        known = self._slots_of.get(node)
        if known is None:
            place = self._place[self._net.rows.number(*node)]
            kinds = self._net.kinds
            known = kinds.at[kinds.of_node[place]].tolist() if place >= 0 else []
            self._slots_of[node] = known
        return known

    def live(self, node: Device) -> list[int]:
        """The slots of a node whose NICs have a cable."""
        return [slot for slot, attachment in enumerate(self._attached(node)) if attachment >= 0]

    def cabled(self, group: str) -> Iterator[Device]:
        """The devices of a group that are there and have a cable."""
        for number in self._net.kinds.nodes.tolist():
            device = self._net.rows.device(number)
            if device[0] == group and self.live(device):
                yield device

    def send(self, source: Device, start: int, target: Device, end: int, load: float) -> None:
        """Send from one NIC to another; counted by :meth:`finish`."""
        attachments = self._attached(source)[start], self._attached(target)[end]
        self._waiting.append(_Sent(source, start, target, end, attachments, load))

    def finish(self) -> None:
        """Route what was sent and add it up; raises Unreachable where no path leads there."""
        sent, of = self._waiting, self._net.attachments
        self._waiting = []
        if not sent:
            return
        both = np.array([one.attachments for one in sent], np.int64)
        (start, end), flow = distinct(*both.T)
        if self.routing.mode == "dimension-order":
            order = DimensionOrder.of(self.plan.design)
            switches = one_switch(of, ONE_SWITCH, start, end)
            legs, apart = legs_in_order(self._net, order, *switches)
            equally = (of.cable >= 0) / of.count.sum(axis=1, keepdims=True)
            leaving, arriving = equally[start], equally[end]
        else:
            ways = RowFlows(self._routes)
            flows = ways.between_nics(start, end)
            legs, apart = [(np.arange(len(self._net.between)), self._routes, flows)], flows.apart
            leaving, arriving = ways.leaving(flows, start), ways.arriving(flows, end)
        if len(apart):
            missed = sent[int(np.flatnonzero(np.isin(flow, apart))[0])]
            raise Unreachable(missed.source[0], missed.target[0])
        out, into = self._bundles(start, leaving), self._bundles(end, arriving)
        paths = self._equal_paths(legs, out, into) if self.hashed else []
        for one, of_flow in zip(sent, flow.tolist(), strict=True):
            source = NicPort(one.source, self.slots[one.source[0]], one.start)
            target = NicPort(one.target, self.slots[one.target[0]], one.end)
            for switch, key, many, GBps, share in out[of_flow]:
                self._add((source, switch, key), share * one.load, many, GBps)
            for switch, key, many, GBps, share in into[of_flow]:
                self._add((switch, target, key), share * one.load, many, GBps)
            if self.hashed:
                self.sent.append(Connection(source, target, one.load, paths[of_flow]))
        loads = np.array([one.load for one in sent])
        self._between(legs, np.bincount(flow, loads, len(start)).astype(float))

    def _add(self, cable: LoadedCable, load: float, many: int, GBps: float) -> None:
        self.loads[cable] += load
        self.alike[cable], self.line_GBps[cable] = many, GBps

    def _bundles(self, attachments: Numbers, shares: Amounts) -> list[list[_Bundle]]:
        """By flow, the cables of its NIC that it takes, and its share on one of each."""
        of = self._net.attachments
        found: list[list[_Bundle]] = [[] for _ in attachments]
        at, place = np.nonzero((of.cable[attachments] >= 0) & (shares > 0))
        cable, many = of.cable[attachments[at], place], of.count[attachments[at], place]
        columns = at, of.switch[cable], of.link[cable], of.gbit[cable], many, shares[at, place]
        for flow, switch, link, gbit, count, share in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            key = edge_key(self._links[link], gbit)
            bundle = self._net.rows.device(switch), key, count, line_rate_GBps(gbit), share
            found[flow].append(bundle)
        return found

    def _between(self, legs: Sequence[Leg], sent: Amounts) -> None:
        """Add the loads of cables between switches, of what each flow sends."""
        for rows, routes, flows in legs:
            arcs = len(routes.arcs)
            carried = np.bincount(flows.arc, flows.amount * sent[flows.pair], arcs).astype(float)
            least = np.full(arcs, np.inf)
            np.minimum.at(least, flows.arc, flows.amount)
            loads, alone = routes.loads(carried), routes.loads(least)
            for row in np.flatnonzero(loads).tolist():
                start, end, key, many, GBps = self._bundle(int(rows[row]))
                self._add((start, end, key), float(loads[row]), many, GBps)
                if alone[row] < _ALL:
                    self.one_of_several.add((start, end, key))

    def _bundle(self, row: int) -> tuple[Device, Device, object, int, float]:
        """The ends, the key and the number of the cables of a row between switches, and GB/s."""
        cables = self._net.between
        gbit = float(cables.gbit[row])
        key = edge_key(self._links[int(cables.link[row])], gbit)
        ends = self._net.rows.device(int(cables.a[row])), self._net.rows.device(int(cables.b[row]))
        return *ends, key, int(cables.count[row]), line_rate_GBps(gbit)

    def _equal_paths(
        self, legs: Sequence[Leg], out: list[list[_Bundle]], into: list[list[_Bundle]]
    ) -> list[EqualPaths]:
        """By flow, the cables onward at each device."""
        onward: list[dict[Device, list[_Step]]] = [defaultdict(list) for _ in out]
        steps = [[(s, key, n) for s, key, many, *_ in of for n in range(many)] for of in out]
        for rows, routes, flows in legs:
            cables, class_of = routes.net.between, routes.net.class_of
            of_row = routes.arcs_between(class_of[cables.a], class_of[cables.b])
            entry, row = RowsAt(of_row, len(routes.arcs)).each(flows.arc)
            for pair, at in zip(flows.pair[entry].tolist(), rows[row].tolist(), strict=True):
                start, end, key, many, _ = self._bundle(at)
                onward[pair][start] += [(end, key, number) for number in range(many)]
        for of, last in zip(onward, into, strict=True):
            for switch, key, many, *_ in last:
                of[switch] += [(None, key, number) for number in range(many)]
        return [EqualPaths(first, of) for first, of in zip(steps, onward, strict=True)]

    def measure(self, nodes: Iterable[Device]) -> None:
        """Look up how far the NICs of some nodes are from each other, for :meth:`nearest`."""
        some = np.unique([at for node in nodes for at in self._attached(node) if at >= 0])
        some = some.astype(np.int64)
        for part, ways in self._routes.chunks(some):
            go_on()
            far = ways.from_attachments[some]
            for column, target in enumerate(some[part].tolist()):
                self._far[target] = dict(zip(some.tolist(), far[:, column].tolist(), strict=True))

    def nearest(self, node: Device, target: Device, end: int) -> list[int]:
        """The slots of a measured node that are the fewest cables away from another's NIC."""
        hops = self._far[self._attached(target)[end]]
        far = {slot: hops[self._attached(node)[slot]] for slot in self.live(node)}
        least = min(far.values(), default=APART)
        return [slot for slot, many in far.items() if many == least < APART]


_Bundle = tuple[Device, object, int, float, float]
"""Equal cables of a NIC: the switch, the key, how many, GB/s of one, and a flow's share there."""


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
    loads.measure(devices)
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
    loads.measure([*nodes, *storage])
    each = 1 / (len(nodes) * len(storage))
    for node in nodes:
        go_on()
        for store in storage:
            source, target = (node, store) if write else (store, node)
            _spread(loads, source, target, each)
    loads.finish()


def _spread(loads: CableLoads, source: Device, target: Device, amount: float) -> None:
    ways = {end: loads.nearest(source, target, end) for end in loads.live(target)}
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


def draws_of(loads: Sequence[CableLoads], queue_pairs: int) -> int:
    """How often hashes are drawn."""
    paths = sum(len(one.sent) for one in loads) * queue_pairs
    return max(FEWEST_DRAWS, min(MOST_DRAWS, MOST_PATHS // max(paths, 1)))


@dataclass(frozen=True)
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

    def drawn(self, random: Random) -> dict[HashedCable, float]:
        """Load of every single cable, per GB/s that the job moves."""
        found: dict[HashedCable, float] = defaultdict(float)
        for connection in self.loads.sent:
            go_on()
            for _ in range(self.queue_pairs):
                for cable in connection.paths.path(connection.start, connection.end, random):
                    found[cable] += connection.load / self.queue_pairs
        return found
