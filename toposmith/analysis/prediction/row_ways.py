"""The slowest of the shortest ways between two nodes, many pairs at once, on rows of cables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_flows import RowFlows
from toposmith.analysis.traffic.row_network import Amounts, row_network
from toposmith.analysis.traffic.row_routes import row_routes
from toposmith.fabric.device import Device
from toposmith.fabric.rows import Numbers, distinct


def slowest_us(
    network: ComputeNetwork,
    pairs: Sequence[tuple[Device, Device]],
    cable_us: Callable[[int], float],
    switch_us: Callable[[str], float],
) -> list[tuple[float, float] | None]:
    """What the switches and what the cables on a way take, us; None where no path joins two nodes.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network; its NICs are cabled to switches.
    pairs : sequence of pairs of devices
        The two nodes of each way.
    cable_us, switch_us : callable
        What a cable of a link, by its index, and what a switch of a group takes, us.
    """
    return _Slowest(network, cable_us, switch_us).between(pairs)


class _Slowest:
    """The ways over one network."""

    def __init__(
        self,
        network: ComputeNetwork,
        cable_us: Callable[[int], float],
        switch_us: Callable[[str], float],
    ) -> None:
        self._net = net = row_network(network)
        self._routes = routes = row_routes(net, weighted=True)
        self._flows = RowFlows(routes)
        links = {link.index: cable_us(link.index) for link in network.plan.every_link}
        of_link = np.zeros(max(links, default=0) + 1)
        of_link[list(links)] = list(links.values())
        groups = np.array([switch_us(name) for name in net.rows.first])
        self._switch_us: Amounts = groups[net.group_of(net.first)]
        of, cables = net.attachments, net.between
        self._of_cable: Amounts = of_link[of.link] if len(of.link) else np.zeros(0)
        self._arc_us = np.zeros(len(routes.arcs))
        between = routes.arcs_between(net.class_of[cables.a], net.class_of[cables.b])
        np.maximum.at(self._arc_us, between, of_link[cables.link])
        at, place = np.nonzero(of.cable >= 0)
        kind = of.cable[at, place]
        out = routes.arcs_between(routes.switches + at, net.class_of[of.switch[kind]])
        np.maximum.at(self._arc_us, out, self._of_cable[kind])

    def between(self, pairs: Sequence[tuple[Device, Device]]) -> list[tuple[float, float] | None]:
        """By pair of nodes."""
        net, place = self._net, np.full(self._net.rows.devices, -1)
        place[net.kinds.nodes] = net.kinds.of_node
        number = net.rows.number
        kinds = [
            place[np.array([number(*end) for end in ends], np.int64)]
            for ends in zip(*pairs, strict=True)
        ]
        both, which = distinct(*kinds)
        ways, of_way = self._ways(*both)
        cables, switches, cable = self._found(*ways)
        # of the ways over any NICs the shortest, of these the slowest
        order = np.lexsort((-(switches + cable), cables, of_way))
        first = order[np.diff(of_way[order], prepend=-1) != 0]
        found: list[tuple[float, float] | None] = [None] * len(both[0])
        for way in first[np.isfinite(cables[first])].tolist():
            found[int(of_way[way])] = float(switches[way]), float(cable[way])
        return [found[kind] for kind in which.tolist()]

    def _ways(self, start: Numbers, end: Numbers) -> tuple[tuple[Numbers, Numbers], Numbers]:
        """The attachments of two kinds of nodes, each with each; and which pair of kinds it is."""
        at = self._net.kinds.at
        rows, columns = [], []
        for here in range(at.shape[1]):
            for there in range(at.shape[1]):
                held = np.flatnonzero((at[start, here] >= 0) & (at[end, there] >= 0))
                rows.append(held)
                columns.append(np.stack([at[start[held], here], at[end[held], there]]))
        table, pair = np.concatenate(columns, axis=1), np.concatenate(rows)
        (of_pair, one, other), _ = distinct(pair, *table)
        return (one, other), of_pair

    def _found(self, start: Numbers, end: Numbers) -> tuple[Amounts, Amounts, Amounts]:
        """By pair of attachments the cables of a way; what its switches and its cables take."""
        (one, other), which = distinct(start, end)
        many, vertices = len(one), self._flows.vertices
        cables, switches, cable = np.full(many, np.inf), np.zeros(many), np.zeros(many)
        for met in self._flows.shortest(one, other):
            over: Amounts = np.zeros((2, len(met.levels[0])))
            for step, states in zip(met.steps, met.levels[1:], strict=True):
                head = states[step.head] % vertices
                further = over[:, step.tail] + np.stack(
                    [self._switch_us[head], self._arc_us[step.arc]]
                )
                over = further[:, _slowest(further.sum(axis=0), step.head, len(states))]
            pair, vertex = np.divmod(met.levels[-1], vertices)
            over[1] += self._last(other[pair], vertex)
            best = _slowest(over.sum(axis=0), pair, many)[np.unique(pair)]
            switches[pair[best]], cable[pair[best]] = over[:, best]
            cables[pair[best]] = len(met.steps) + 1
        return cables[which], switches[which], cable[which]

    def _last(self, attachment: Numbers, vertex: Numbers) -> Amounts:
        """What the slowest cable of NICs at a switch takes."""
        of, found = self._net.attachments, np.zeros(len(vertex))
        for place in range(of.cable.shape[1]):
            kind = of.cable[attachment, place]
            here = (kind >= 0) & (self._net.class_of[of.switch[np.maximum(kind, 0)]] == vertex)
            found = np.maximum(found, np.where(here, self._of_cable[np.maximum(kind, 0)], 0.0))
        return found


def _slowest(us: Amounts, at: Numbers, places: int) -> Numbers:
    """By place, which of those there takes longest."""
    most = np.full(places, -np.inf)
    np.maximum.at(most, at, us)
    which = np.flatnonzero(us == most[at])
    found = np.zeros(places, np.int64)
    found[at[which]] = which
    return found
