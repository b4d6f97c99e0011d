"""The fabric under hops between nodes, as in rings, along trees or in pairs, on rows of cables.

Hops between nodes that are cabled alike are one with a count, and of all their pairs of NICs those
with the same cables are routed once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import prod

import numpy as np

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.dimension_order import DimensionOrder
from toposmith.analysis.traffic.node_pairs import NodePairs
from toposmith.analysis.traffic.row_classes import row_classes
from toposmith.analysis.traffic.row_flows import PairFlows, RowFlows
from toposmith.analysis.traffic.row_network import (
    Amounts,
    Attachments,
    RowNetwork,
    network_of_cells,
    standing,
)
from toposmith.analysis.traffic.row_routes import RowRoutes, row_routes
from toposmith.analysis.traffic.unreachable import IN_ORDER, Unreachable
from toposmith.fabric.classes import Arc
from toposmith.fabric.device import Device
from toposmith.fabric.rows import Mask, Numbers, RowsAt, distinct


def hops_on_rows(
    network: ComputeNetwork,
    pairs: NodePairs,
    *,
    busiest: float,
    nics: int,
    routing: Routing,
) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of what one NIC carries for one hop.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    pairs : array of int
        By hop, the node that sends and that which receives, by their places in the document.
    busiest : float
        Hops that the busiest node starts, and ends; 1 in a ring.
    nics : int
        NICs of a node that a hop spreads over.
    routing : Routing
        How switches spread traffic; in dimension order, or over shortest paths.

    Raises
    ------
    Unreachable
        If two nodes of a hop are not connected.
    """
    hops = _Hops(network, pairs, nics)
    if routing.mode == "dimension-order":
        return hops.loads(hops.in_order(), busiest)
    return hops.loads(hops.over_shortest(weighted=routing.weighted), busiest)


def loads_and_flows(
    network: ComputeNetwork, pairs: NodePairs, *, busiest: float, nics: int
) -> tuple[dict[Arc, float], dict[tuple[Device, Device], float]]:
    """The same by minimal paths, and the traffic between switches.

    Raises
    ------
    Unreachable
        If two nodes of a hop are not connected.
    ValueError
        If a NIC has cables to several switches.
    """
    hops = _Hops(network, pairs, nics)
    return hops.loads(hops.over_shortest(weighted=True), busiest), hops.between_switches()


Leg = tuple[Numbers, RowRoutes, PairFlows]
"""Some of the rows between switches, the routes over them, and the flows there."""


def legs_in_order(
    net: RowNetwork, order: DimensionOrder, here: Numbers, there: Numbers
) -> tuple[list[Leg], Numbers]:
    """Flows of 1 between switches that go along one axis after the other, axis by axis.

    Returns
    -------
    legs : list of Leg
        The flows along each axis.
    apart : array of int
        The pairs that a dimension cuts off, or that lie in two groups.
    """
    apart = [np.flatnonzero(net.group_of(here) != net.group_of(there))]
    legs: list[Leg] = []
    for axis in order.axes if not len(apart[0]) else ():
        along = [index for index, of_link in order.axis_of.items() if of_link == axis]
        rows = np.flatnonzero(np.isin(net.between.link, along))
        routes = RowRoutes(net.alone(rows), weighted=False)
        corner = _corners(net, axis, here, there)
        flows = RowFlows(routes, by_switch=True).between_switches(here, corner)
        apart.append(flows.apart)
        legs.append((rows, routes, flows))
        here = corner
    return legs, np.concatenate([*apart, np.flatnonzero(here != there)])


def _corners(net: RowNetwork, axis: str, here: Numbers, there: Numbers) -> Numbers:
    """The switches that agree with some on all axes, and on this one with others."""
    rows, found = net.rows, here.copy()
    for name, group in rows.plan.groups.items():
        if axis in group.axes:
            step = prod(group.sizes[group.axes.index(axis) + 1 :])
            mine = (here >= rows.first[name]) & (here < rows.first[name] + group.instances)
            apart = rows.values[axis][there] - rows.values[axis][here]
            found[mine] += (step * apart)[mine]
    return found


def one_switch(of: Attachments, rule: str, *ends: Numbers) -> list[Numbers]:
    """The switch of some attachments, end by end; ValueError where one has several.

    Parameters
    ----------
    of : Attachments
        How NICs are cabled.
    rule : str
        Why each has to have one, as the error says it.
    ends : array of int
        The attachments.
    """
    switch = np.where(of.cable >= 0, of.switch[np.maximum(of.cable, 0)], -1)
    several = ((switch >= 0) & (switch != switch[:, :1])).any(axis=1)
    if any(several[end].any() for end in ends):
        raise ValueError(f"{rule}; here a NIC has cables to several")
    return [switch[end, 0] for end in ends]


def slot_pairs(source: list[int], target: list[int], many: int) -> list[tuple[int, int]]:
    """Which slots of a node send to which of another: equal ones first, then what is left."""
    common = [slot for slot in source if slot in target]
    left = [[slot for slot in slots if slot not in common] for slots in (source, target)]
    return [*((slot, slot) for slot in common), *zip(*left, strict=False)][:many]


ONE_SWITCH = "with dimension-order routing all cables of a NIC lead to one switch"


@dataclass(frozen=True)
class _Carried:
    """What flows carry: over arcs, leg by leg, and on cables of NICs by pair and place."""

    legs: list[Leg]
    leaving: Amounts
    arriving: Amounts


class _Hops:
    """Hops by kind, and by the attachments of the NICs that send to each other.

    A kind is the class and the kind of cabling of both nodes; in ``_count`` how many hops it has.
    By pair of slots ``_hop`` is the kind of hop, ``_slots`` the two, and ``_flow`` which of the
    distinct pairs of attachments it is.
    """

    def __init__(self, network: ComputeNetwork, pairs: NodePairs, nics: int) -> None:
        self._network = network
        self._net = net = network_of_cells(network, in_order=True)
        self._classes = row_classes(network, net)
        kinds, place = net.kinds, np.full(net.rows.devices, -1)
        (vertex, kind), of_node = distinct(self._classes.of[kinds.nodes], kinds.of_node)
        place[kinds.nodes] = of_node
        both, self._of_hop = distinct(*place[standing(network, net.rows)][pairs].T)
        self._count = np.bincount(self._of_hop, minlength=len(both[0]))
        self._vertex = [vertex[of] for of in both]
        self._kind = [kind[of] for of in both]
        self._hop, self._slots = self._paired(nics)
        at = [
            kinds.at[kind[self._hop], slot]
            for kind, slot in zip(self._kind, self._slots, strict=True)
        ]
        (self._start, self._end), self._flow = distinct(*at)

    def _paired(self, nics: int) -> tuple[Numbers, list[Numbers]]:
        """The pairs of slots of all kinds of hops: which kind, and the two."""
        cabled = self._net.kinds.at >= 0
        of_pattern, pattern = distinct(*cabled.T.astype(np.int64))
        live = [np.flatnonzero(slots).tolist() for slots in np.array(of_pattern).T]
        both, of = distinct(*(pattern[kind] for kind in self._kind))
        found = [
            (number, *slots)
            for number, (source, target) in enumerate(zip(*(c.tolist() for c in both), strict=True))
            for slots in slot_pairs(live[source], live[target], nics)
        ]
        number, *slots = np.array(found, np.int64).reshape(-1, 3).T
        hop, row = RowsAt(number, len(both[0])).each(of)
        return hop, [of_end[row] for of_end in slots]

    def over_shortest(self, *, weighted: bool) -> _Carried:
        """What flows over shortest paths load.

        Raises
        ------
        Unreachable
            If two nodes of a hop are not connected.
        """
        routes = row_routes(self._net, weighted=weighted)
        ways = RowFlows(routes)
        flows = ways.between_nics(self._start, self._end)
        if len(flows.apart):
            self._raise(flows.apart)
        leaving, arriving = ways.leaving(flows, self._start), ways.arriving(flows, self._end)
        return _Carried([(np.arange(len(self._net.between)), routes, flows)], leaving, arriving)

    def in_order(self) -> _Carried:
        """What flows load that go along one axis after the other.

        Raises
        ------
        Unreachable
            If a dimension is cut off.
        ValueError
            If a NIC has cables to several switches.
        """
        of = self._net.attachments
        here, there = one_switch(of, ONE_SWITCH, self._start, self._end)
        order = DimensionOrder.of(self._network.plan.design)
        legs, apart = legs_in_order(self._net, order, here, there)
        if len(apart):
            self._raise(apart, IN_ORDER)
        equally = (of.cable >= 0) / of.count.sum(axis=1, keepdims=True)
        return _Carried(legs, equally[self._start], equally[self._end])

    def _raise(self, apart: Numbers, without: str = "") -> None:
        """Raise Unreachable for the first hop with one of some pairs of attachments."""
        kinds = np.unique(self._hop[np.isin(self._flow, apart)])
        first = self._of_hop[np.isin(self._of_hop, kinds)][0]
        groups = self._network.world.groups
        source, target = (groups[self._net.kinds.group[of[first]]].name for of in self._kind)
        raise Unreachable(source, target, without)

    def loads(self, carried: _Carried, busiest: float) -> dict[Arc, float]:
        """The worst cable of every class."""
        many = np.bincount(self._flow, self._count[self._hop], len(self._start))
        loads = np.zeros(len(self._net.between))
        for rows, routes, flows in carried.legs:
            flow: Amounts = np.bincount(
                flows.arc, flows.amount * many[flows.pair], len(routes.arcs)
            ).astype(float)
            own = self._own(routes)
            if own.any():
                flow[own] = busiest * self._most_of_one(flows, own)[own]
            loads[rows] += routes.loads(flow)
        worst = defaultdict(float, self._classes.between_switches(loads))
        of = self._net.attachments
        for end, attachment in enumerate((self._start, self._end)):
            columns, _ = distinct(self._vertex[end][self._hop], self._slots[end], self._flow)
            at, place = np.nonzero(of.cable[attachment[columns[2]]] >= 0)
            node, slot, pair = (column[at] for column in columns)
            cable = of.cable[attachment[pair], place]
            load = busiest * (carried.leaving, carried.arriving)[end][pair, place]
            none = np.zeros(len(load))
            both = (load, none) if end == 0 else (none, load)
            for arc, most in self._classes.at_nics(node, slot, cable, *both):
                worst[arc] = max(worst[arc], most)
        return dict(worst)

    def _own(self, routes: RowRoutes) -> Mask:
        """By arc, whether each node has its own such switches, so that hops share none."""
        plan, net = self._network.plan, routes.net
        axes = {group.axes[-1] for group in self._network.world.groups}
        of_group = [bool(axes & set(group.axes)) for group in plan.groups.values()]
        own = np.append(
            np.array(of_group)[net.group_of(net.first)], np.zeros(len(net.attachments), bool)
        )
        found: Mask = own[routes.arcs.tail] | own[routes.arcs.head]
        return found

    def _most_of_one(self, flows: PairFlows, arcs: Mask) -> Amounts:
        """By arc, the most that one hop sends over some arcs."""
        some = np.flatnonzero(arcs[flows.arc])
        row, pair = RowsAt(self._flow, len(self._start)).each(flows.pair[some])
        (_, arc), of = distinct(self._hop[pair], flows.arc[some[row]])
        sent = np.bincount(of, flows.amount[some[row]], len(arc))
        found = np.zeros(len(arcs))
        np.maximum.at(found, arc, sent)
        return found

    def between_switches(self) -> dict[tuple[Device, Device], float]:
        """What switches send to each other."""
        rule = "detours are analysed where all cables of a NIC lead to one switch"
        ends = one_switch(self._net.attachments, rule, self._start, self._end)
        device = self._net.rows.device
        many = np.bincount(self._flow, self._count[self._hop], len(self._start))
        (start, end), which = distinct(*ends)
        sent = np.bincount(which, many, len(start))
        return {
            (device(here), device(there)): load
            for here, there, load in zip(*(c.tolist() for c in (start, end, sent)), strict=True)
        }
