"""The paths between the NICs of a node and its GPUs: PCIe slots, switches, uplinks and sockets."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

import networkx as nx

from toposmith.fabric.inside import PCIE_LANE_GBPS, InsideEdge, Vertex
from toposmith.nccl.constants import PCIE_X16_GBPS

PCIE_SHARE = PCIE_X16_GBPS[4] / (16 * PCIE_LANE_GBPS[4])
"""Share of a PCIe link's raw rate that NCCL assumes: 24 of 31.5 GB/s (NVIDIA/nccl, topo.cc)."""

_SOURCE, _SINK = "source", "sink"


@dataclass(frozen=True)
class Way:
    """GB/s that the fullest NIC can move to and from GPUs when all NICs move their shares.

    ``usable`` is that of one direction with NCCL's rates of links, ``line`` with the specified
    rates of the hardware; ``tier`` is ``socket`` where the link between sockets is the narrowest.
    """

    usable: float
    line: float
    tier: str


@lru_cache(maxsize=256)
def way_to_gpus(
    edges: tuple[InsideEdge, ...],
    nics: tuple[Vertex, ...],
    shares: tuple[float, ...] | None = None,
) -> Way | None:
    """The bottleneck between these NICs and any GPUs, shared by the NICs behind it.

    Found by max-flow: all NICs at one rate, or at their shares of it, lowered to the capacity of
    the limiting cut until none limits. None where there are no NICs.
    """
    share = dict(zip(nics, shares or (1.0,) * len(nics), strict=True))
    if not nics:
        return None
    graph = nx.DiGraph()
    for edge in edges:
        if edge.tier == "nvlink":
            continue
        usable = edge.GBps * PCIE_SHARE if edge.tier == "pcie" else edge.GBps
        graph.add_edge(edge.a, edge.b, capacity=usable, tier=edge.tier)
        graph.add_edge(edge.b, edge.a, capacity=usable, tier=edge.tier)
    for vertex in [v for v in graph if v[0] == "gpu"]:
        graph.add_edge(vertex, _SINK)
    rate = max(graph.edges[edge]["capacity"] for nic in nics for edge in graph.out_edges(nic))
    tier = "pcie"
    while True:
        for nic in nics:
            graph.add_edge(_SOURCE, nic, capacity=rate * share[nic])
        value, (side, _) = nx.minimum_cut(graph, _SOURCE, _SINK)
        if value >= rate * sum(share.values()) * (1 - 1e-9):
            return Way(rate, rate / PCIE_SHARE if tier == "pcie" else rate, tier)
        behind = sum(share[nic] for nic in side.intersection(nics))
        tier = "socket" if "socket" in _cut_tiers(graph, side) else "pcie"
        rate = (value - rate * (sum(share.values()) - behind)) / behind


def _cut_tiers(graph: nx.DiGraph, side: set[Hashable]) -> set[str]:
    return {
        data["tier"]
        for u, v, data in graph.edges(data=True)
        if u in side and v not in side and "tier" in data
    }
