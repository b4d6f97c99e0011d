"""The loss of real routing against an even spread over all shortest paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Routing
from toposmith.analysis.switch_tiers import tier_of_groups
from toposmith.analysis.traffic.collisions import Hashed, expected_slowest
from toposmith.fabric.classes import Arc, ClassVertex

ADAPTIVE_SHARE = 0.96
"""Efficiency of packet-by-packet routing against an even spread: 95 to 97 % (NVIDIA's Spectrum-X
material; cloudswit.ch, 97 % between two nodes of 8 GPUs)."""

_NOTHING = 1e-12

_WAITS = 1.005
"""Cables that finish last by this share of the time or less do not count as the limit."""


def spread(
    network: ComputeNetwork, loads: Mapping[Arc, float], routing: Routing, *, connections: int = 1
) -> dict[Arc, float]:
    """Loads of the worst cables under a routing, from those without any loss.

    Static routing starts from equal shares of all cables, adaptive routing from shares by capacity
    (:mod:`toposmith.analysis.traffic.row_graph`).

    Cables between a NIC and its leaf have no choice of path and keep their load. Above, adaptive
    routing loses a little; under static ECMP every switch hashes every connection onto one of its
    uplinks, whose path also says by which cable it comes down again, and a collective whose flows
    start together waits for the fullest cable of all switches, up and down
    (:mod:`toposmith.analysis.traffic.collisions`). The result is attributed to the class
    of cables that is most likely to contain that one.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    loads : mapping
        GB/s or shares on the worst cable of every arc.
    routing : Routing
        How traffic is spread.
    connections : int
        Connections of a NIC that carry its load at once: one in a ring, one for every other node
        in an exchange.
    """
    if routing.mode not in ("adaptive", "static"):
        return dict(loads)
    ways = _ways_up(network)
    if routing.mode == "adaptive":
        shares = {arc: ADAPTIVE_SHARE if ways.choice(arc) else 1.0 for arc in loads}
        return {arc: load / shares[arc] for arc, load in loads.items()}
    hashed = _hashed(network, loads, ways, routing.queue_pairs * connections)
    spreads: dict[Arc, float] = dict(loads)
    for arcs, switches in hashed:
        fullest = expected_slowest(switches, 0.0)
        for arc in arcs:
            spreads[arc] = max(loads[arc], fullest * _GBps(network, arc))
    without_choice = (
        load / _GBps(network, arc)
        for arc, load in loads.items()
        if _GBps(network, arc) and not ways.choice(arc)
    )
    fixed = max(without_choice, default=0.0)
    slowest = expected_slowest((one for _, switches in hashed for one in switches), fixed)
    if slowest > fixed * _WAITS:
        candidates = (arc for arcs, _ in hashed for arc in arcs)
        worst = max(candidates, key=lambda arc: spreads[arc] / _GBps(network, arc))
        spreads[worst] = max(spreads[worst], slowest * _GBps(network, worst))
    return spreads


@dataclass(frozen=True)
class _Ways:
    """The choices of every switch: its uplinks, and how many switches share what comes from below.

    What several switches of one pod carry further is spread over all of their uplinks by hashes
    one below the other, so that they are one set of cables. ``pod`` is how many these are. Between
    switches of one tier the choice is among the cables to the one that is meant.
    """

    network: ComputeNetwork
    heights: Mapping[str, int]
    uplinks: Mapping[ClassVertex, int]
    pod: Mapping[ClassVertex, int]

    def choice(self, arc: Arc) -> bool:
        """Whether flows on a cable could take another."""
        return not _at_nic(arc) and self.cables(arc) > 1

    def cables(self, arc: Arc) -> int:
        """Equal cables that a flow on this one could have been on."""
        lower = self._lower(arc)
        if lower is None:
            data = self._data(arc)
            cables, peers = data["per"][arc[0]], data["peers"][arc[0]]
            return int(cables // peers)
        return self.uplinks.get(lower, 0) * self.pod.get(lower, 1)

    def copies(self, arc: Arc) -> int:
        """How many switches, or pods of them, have such a choice."""
        lower, sizes = self._lower(arc), self.network.classes.graph.nodes
        if lower is None:
            return int(sizes[arc[0]]["size"] * self._data(arc)["peers"][arc[0]])
        return max(1, int(sizes[lower]["size"]) // self.pod.get(lower, 1))

    def hashed_by(self, arc: Arc) -> object:
        """The same for all arcs that one hash chooses among."""
        lower = self._lower(arc)
        return arc if lower is None else (lower, lower == arc[0])

    def _lower(self, arc: Arc) -> ClassVertex | None:
        """The end of a cable that is nearer to the nodes, if one is."""
        u, v, _ = arc
        first, second = (self.heights.get(vertex[1], 0) for vertex in (u, v))
        return None if first == second else u if first < second else v

    def _data(self, arc: Arc) -> dict[str, Any]:
        found: dict[str, Any] = self.network.classes.graph.edges[arc]
        return found


def _hashed(
    network: ComputeNetwork, loads: Mapping[Arc, float], ways: _Ways, parts: int
) -> list[tuple[list[Arc], list[Hashed]]]:
    """Hashed flows on the cables above every class of switches, up and down.

    A flow is what one NIC carries; the switches of a class are taken to be as full as its fullest.
    """
    one_flow = max((load for arc, load in loads.items() if _at_nic(arc)), default=0.0)
    sets: dict[object, list[Arc]] = defaultdict(list)
    for arc, load in loads.items():
        if ways.choice(arc) and load > _NOTHING and one_flow > _NOTHING:
            sets[ways.hashed_by(arc)].append(arc)
    found: list[tuple[list[Arc], list[Hashed]]] = []
    for arcs in sets.values():
        cables = ways.cables(arcs[0])
        load = max(loads[arc] for arc in arcs)
        flows = max(1, ceil(load * cables / one_flow - 1e-6))
        rate = min(_GBps(network, arc) for arc in arcs)
        # flows of a class are alike, so that all of them together are its even load
        one = load * cables / (flows * parts * rate)
        found.append((arcs, [Hashed(flows * parts, cables, one)] * ways.copies(arcs[0])))
    return found


def _GBps(network: ComputeNetwork, arc: Arc) -> float:
    """Line rate of one cable."""
    u, v, key = arc
    return float(network.classes.graph.edges[u, v, key]["GBps"])


def _at_nic(arc: Arc) -> bool:
    return any(vertex[0] == "nic" for vertex in arc[:2])


def _ways_up(network: ComputeNetwork) -> _Ways:
    """The uplinks of every switch, and the switches beside it that those below it also reach."""
    heights = tier_of_groups(network.plan, network.slots)
    graph = network.classes.graph
    counts: dict[ClassVertex, int] = defaultdict(int)
    pod: dict[ClassVertex, int] = defaultdict(lambda: 1)
    for u, v, data in graph.edges(data=True):
        for lower, upper in ((u, v), (v, u)):
            is_switch = graph.nodes[lower]["kind"] == "switch"
            if is_switch and heights.get(lower[1], 0) < heights.get(upper[1], 0):
                counts[lower] += data["per"][lower]
                pod[upper] = max(pod[upper], data["peers"][lower])
    return _Ways(network, heights, dict(counts), dict(pod))
