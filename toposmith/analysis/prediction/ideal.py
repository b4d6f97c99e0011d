"""Time of the fastest textbook algorithm on the wiring: the floor under a curve.

Latency is that of the path (cables, switches and NICs between the farthest nodes, as far as their
figures are known), bandwidth that of the bound. No library reaches it; the gap at a
size shows whether a faster network would help there.
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.path_latency import PathLatency, farthest_path
from toposmith.analysis.prediction.textbook import (
    TwoLevels,
    quickest_all_reduce,
    ring_all_gather,
    ring_reduce_scatter,
    sharp_all_reduce,
)
from toposmith.collectives import COLLECTIVES


@dataclass(frozen=True)
class Ideal:
    """The textbook on one wiring.

    Parameters
    ----------
    cluster : NcclTopology
        The ranks and the request.
    path : PathLatency
        The path between the two nodes that are farthest apart.
    bound_busbw_GBps : float
        The bound on busbw, used as the rate at which each rank can send.
    """

    cluster: NcclTopology
    path: PathLatency
    bound_busbw_GBps: float

    def time_us(self, message_bytes: int) -> float | None:
        """Microseconds of the fastest algorithm for one size; None where it is no floor."""
        ranks, alpha = self.cluster.groups.size, self.path.at_least_us
        rate = self.bound_busbw_GBps
        match COLLECTIVES[self.cluster.request.collective].runs:
            case "all_reduce":
                return min(self._all_reduce(message_bytes))
            case "all_gather":
                return ring_all_gather(ranks, alpha, rate, message_bytes)
            case "reduce_scatter":
                return ring_reduce_scatter(ranks, alpha, rate, message_bytes)
            case _:
                # in a chain or an exchange the textbook sends what NCCL overlaps
                return None

    def _all_reduce(self, message_bytes: int) -> list[float]:
        groups, alpha = self.cluster.groups, self.path.at_least_us
        times = [quickest_all_reduce(groups.size, alpha, self.bound_busbw_GBps, message_bytes)[1]]
        nodes = self.cluster.nodes.values()
        leaving = min(node.nics * node.nic_GBps for node in nodes) / groups.sharing
        if all(node.nvlink_GBps for node in nodes):
            levels = TwoLevels(
                gpus=min(node.gpus for node in nodes),
                nodes=groups.nodes,
                nvlink_GBps=min(node.nvlink_GBps for node in nodes),
                nics_GBps=leaving,
                network_alpha_us=alpha,
            )
            times.append(levels.all_reduce(message_bytes))
        if self.cluster.reduces:
            times.append(sharp_all_reduce(self.path.hops, alpha, leaving, message_bytes))
        return times


def ideal_of(cluster: NcclTopology, bound_busbw_GBps: float | None) -> Ideal | None:
    """The textbook on a cluster's wiring; None inside one node, or without a bound."""
    if cluster.groups.nodes == 1 or not bound_busbw_GBps:
        return None
    path = farthest_path(cluster.network)
    return None if path is None else Ideal(cluster, path, bound_busbw_GBps)
