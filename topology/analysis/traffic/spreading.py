"""How far real routing falls short of spreading traffic over all shortest paths at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import ceil

from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.request import Routing
from toposmith.topology.analysis.tiers import tier_of_groups
from toposmith.topology.analysis.traffic.collisions import expected_fullest
from toposmith.topology.analysis.traffic.routing import Arc
from toposmith.topology.fabric.classes import ClassVertex

ADAPTIVE_SHARE = 0.96
"""What packet-by-packet routing reaches of an even spread: 95 to 97 % (NVIDIA's Spectrum-X
material; cloudswit.ch, 97 % between two nodes of 8 GPUs)."""

_NOTHING = 1e-12


def spread(
    network: Network, loads: Mapping[Arc, float], routing: Routing, *, connections: int = 1
) -> dict[Arc, float]:
    """Loads of the worst cables under a routing, from those without any loss.

    Static routing starts from equal shares of all cables, adaptive routing from shares by capacity
    (:mod:`toposmith.topology.analysis.traffic.splitting`).

    Cables between a NIC and its leaf have no choice of path and keep their load. Above, adaptive
    routing loses a little; static ECMP hashes every connection onto one of a switch's uplinks, and
    a collective whose flows start together waits for the fullest (balls into bins).

    Parameters
    ----------
    network : Network
        The compute network.
    loads : mapping
        GB/s or shares on the worst cable of every arc.
    routing : Routing
        How traffic is spread.
    connections : int
        Connections of a NIC that carry its load at once: one in a ring, one for every other node
        in an exchange.
    """
    if routing.mode == "ideal":
        return dict(loads)
    heights = tier_of_groups(network.plan, network.slots)
    one_flow = max((load for arc, load in loads.items() if _at_nic(arc)), default=0.0)
    uplinks = _uplinks(network, heights)
    spreads: dict[Arc, float] = {}
    for arc, load in loads.items():
        lower = min(arc[:2], key=lambda vertex: heights.get(vertex[1], 0))
        many = uplinks.get(lower, 0)
        if _at_nic(arc) or many < 2 or load <= _NOTHING or one_flow <= _NOTHING:
            spreads[arc] = load
        elif routing.mode == "adaptive":
            spreads[arc] = load / ADAPTIVE_SHARE
        else:
            flows = max(1, ceil(load * many / one_flow - 1e-6))
            fullest = expected_fullest(flows, many, routing.queue_pairs * connections)
            # flows of a class are alike, so that all of them together are its even load
            spreads[arc] = fullest * load * many / flows
    return spreads


def _at_nic(arc: Arc) -> bool:
    return any(vertex[0] == "nic" for vertex in arc[:2])


def _uplinks(network: Network, heights: Mapping[str, int]) -> dict[ClassVertex, int]:
    """Cables of every switch towards the tier above."""
    graph = network.classes.graph
    counts: dict[ClassVertex, int] = defaultdict(int)
    for u, v, data in graph.edges(data=True):
        for lower, upper in ((u, v), (v, u)):
            is_switch = graph.nodes[lower]["kind"] == "switch"
            if is_switch and heights.get(lower[1], 0) < heights.get(upper[1], 0):
                counts[lower] += data["per"][lower]
    return dict(counts)
