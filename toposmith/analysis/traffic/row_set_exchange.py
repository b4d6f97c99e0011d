"""An all-to-all between nodes on switches in sets that dealt cables join."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_graph import APART
from toposmith.analysis.traffic.row_hosts import gpus_of_kinds, switches_of_kinds
from toposmith.analysis.traffic.row_network import Amounts, RowNetwork
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.analysis.traffic.row_sets import RowSets, Two
from toposmith.analysis.traffic.unreachable import Unreachable


def nodes_in_sets(net: RowNetwork) -> bool:
    """Whether all NICs are cabled to switches in sets."""
    return bool(len(net.attachments) and (net.set_of[net.attachments.switch] >= 0).all())


def exchange_over_sets(network: ComputeNetwork, routes: RowRoutes) -> Amounts:
    """What arcs carry, in units of one rank's sending rate.

    Raises
    ------
    Unreachable
        If two nodes are not connected.
    ValueError
        If a node has NICs on several switches.
    """
    found = _Exchange(network, routes)
    flow, left = found.sets.carried(dict(found.rates()))
    return flow + found.over_all(left) if left else flow


class _Exchange:
    """The GPUs of the nodes on each switch."""

    def __init__(self, network: ComputeNetwork, routes: RowRoutes) -> None:
        self._network = network
        self._routes = routes
        self.sets = RowSets(routes)
        self._at = routes.net.class_of[switches_of_kinds(network)]
        gpus = gpus_of_kinds(network, routes.net) * routes.net.kinds.count
        self._many: Amounts = gpus.astype(float)
        self._gpus: Amounts = np.bincount(self._at, self._many, routes.switches).astype(float)

    def rates(self) -> Iterator[tuple[Two, Amounts]]:
        """What the switches of each two sets exchange; the same object where it is equal."""
        own = [self._gpus[members] for members in self.sets.members[:-1]]
        written = [gpus.tobytes() for gpus in own]
        domains = self._domains() if self._network.world.joined else None
        known: dict[object, Amounts] = {}
        for here, gpus in enumerate(own):
            for there, others in enumerate(own):
                key: object = (written[here], written[there], here == there)
                if domains is not None or key not in known:
                    sent = np.outer(gpus, others)
                    if here == there:
                        np.fill_diagonal(sent, 0.0)
                    if domains is not None:
                        inside = domains[here].T @ domains[there]
                        sent = np.maximum(sent - inside * (sent > 0), 0.0)
                        key = sent.tobytes()
                    sent = known.setdefault(key, sent / self._network.world.gpus)
                if known[key].any():
                    yield (here, there), known[key]

    def _domains(self) -> list[Amounts]:
        """By set, the GPUs of each NVLink domain on each of its switches."""
        domain = self._routes.net.kinds.domain
        table = np.zeros((int(domain.max(initial=0)) + 1, self._routes.switches))
        np.add.at(table, (domain, self._at), self._many)
        return [table[:, members] for members in self.sets.members[:-1]]

    def over_all(self, left: dict[Two, float]) -> Amounts:
        """What arcs carry of the traffic between switches whose sets do not meet."""
        routes, by_end = self._routes, defaultdict[int, list[tuple[int, float]]](list)
        for (start, end), rate in left.items():
            by_end[end].append((start, rate))
        amounts = np.zeros((routes.graph.vertices, len(by_end)))
        for column, of in enumerate(by_end.values()):
            for start, rate in of:
                amounts[start, column] = rate
        ends = np.array(list(by_end), np.int64)
        paths = routes.graph.towards(ends * len(ends) + np.arange(len(ends)), len(ends))
        for start, column in np.argwhere((paths.distance == APART) & (amounts > 0)):
            raise Unreachable(self._name(start), self._name(ends[column]))
        return paths.sent(amounts)[0]

    def _name(self, vertex: int) -> str:
        kind = int(np.flatnonzero(self._at == vertex)[0])
        return self._network.world.groups[int(self._routes.net.kinds.group[kind])].name
