"""Textbook costs of collectives: a latency per message, and a bandwidth (alpha-beta model).

Every message of s bytes takes ``alpha + s / B``, in both directions at once, one at a time per
rank. Times are in microseconds, rates in GB/s per rank and direction, sizes in bytes as nccl-tests
counts them: one rank's buffer for all-reduce and broadcast, the gathered total for all-gather and
reduce-scatter, one rank's whole send buffer for all-to-all (NVIDIA/nccl-tests, doc/PERFORMANCE.md).

Sources: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations
in MPICH", 2005 (ring, recursive doubling, halving-doubling, pairwise exchange); P. Sanders,
J. Speck, J. L. Traff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009
(trees). All of it is without contention: neighbours in a ring are near, but partners in
halving-doubling are R/2 ranks apart and meet on an oversubscribed spine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

BYTES_PER_US = 1000.0
"""1 GB/s in bytes per microsecond."""


def ring_all_reduce(ranks: int, alpha_us: float, GBps: float, message_bytes: float) -> float:
    """Reduce-scatter and all-gather around a ring: 2(R-1) alpha + 2(R-1)/R S/B."""
    return 2 * ring_all_gather(ranks, alpha_us, GBps, message_bytes)


def ring_all_gather(ranks: int, alpha_us: float, GBps: float, message_bytes: float) -> float:
    """R-1 steps of S/R bytes around a ring: (R-1) alpha + (R-1)/R S/B."""
    return (ranks - 1) * (alpha_us + _us(message_bytes / ranks, GBps))


def ring_reduce_scatter(ranks: int, alpha_us: float, GBps: float, message_bytes: float) -> float:
    """An all-gather backwards, at the same cost."""
    return ring_all_gather(ranks, alpha_us, GBps, message_bytes)


def recursive_doubling(ranks: int, alpha_us: float, GBps: float, message_bytes: float) -> float:
    """All-reduce by exchanging the whole buffer log2 R times: log2 R (alpha + S/B).

    Where R is no power of two, the ranks beyond one hand their data to a partner first and get the
    result from it last: two more messages.
    """
    rounds = ranks.bit_length() - 1 + (0 if is_power_of_two(ranks) else 2)
    return rounds * (alpha_us + _us(message_bytes, GBps))


def halving_doubling(ranks: int, alpha_us: float, GBps: float, message_bytes: float) -> float:
    """Rabenseifner's all-reduce: 2 log2 R alpha + 2(R-1)/R S/B.

    Raises
    ------
    ValueError
        If R is no power of two.
    """
    if not is_power_of_two(ranks):
        raise ValueError(f"halving and doubling wants a power of two of ranks, not {ranks}")
    rounds = ranks.bit_length() - 1
    return 2 * rounds * alpha_us + 2 * (ranks - 1) / ranks * _us(message_bytes, GBps)


def double_binary_tree(
    ranks: int, alpha_us: float, GBps: float, message_bytes: float, chunks: int | None = None
) -> float:
    """All-reduce over two binary trees, half of the data on each: 2(h+k-1) (alpha + S/(kB)).

    No rank is inside both trees, so none takes in more than S each way.
    """
    per_way = _us(message_bytes, GBps)
    return _up_and_down_a_tree(ranks, alpha_us, per_way, message_bytes, chunks)


def nvls_algbw_GBps(gpus: int, GBps: float) -> float:
    """The upper bound of algbw with reduction in NVSwitches: B G/(G+1).

    Each GPU sends its S to be reduced, and S/G once more to be stored to all: it is head of 1/G of
    the data (NVIDIA/nccl, src/graph/search.cc, counts the head twice).
    """
    return GBps * gpus / (gpus + 1)


def sharp_all_reduce(tiers: int, alpha_us: float, GBps: float, message_bytes: float) -> float:
    """All-reduce inside the network's switches: 2h alpha + S/B, so algbw reaches B.

    Parameters
    ----------
    tiers : int
        Tiers of switches up to the one that holds the whole sum.
    alpha_us : float
        Latency of one tier, us.
    GBps : float
        Sum of a node's NICs, GB/s.
    message_bytes : float
        One rank's buffer, bytes.
    """
    return 2 * tiers * alpha_us + _us(message_bytes, GBps)


@dataclass(frozen=True)
class TwoLevels:
    """A cluster of nodes, for a hierarchical all-reduce: inside nodes, then between them.

    ``nvlink_GBps`` is one GPU's, ``nics_GBps`` the sum of a node's NICs, both per direction.
    """

    gpus: int
    nodes: int
    nvlink_GBps: float
    nics_GBps: float
    nvlink_alpha_us: float = 0.0
    network_alpha_us: float = 0.0

    def phases(self, message_bytes: float) -> tuple[float, float, float]:
        """Times, us: reduce-scatter inside nodes, all-reduce of a G-th part, all-gather inside."""
        inside = ring_all_gather(self.gpus, self.nvlink_alpha_us, self.nvlink_GBps, message_bytes)
        each = message_bytes / self.gpus, self.nics_GBps / self.gpus
        between = ring_all_reduce(self.nodes, self.network_alpha_us, each[1], each[0])
        return inside, between, inside

    def all_reduce(self, message_bytes: float) -> float:
        """Time of the three phases in sequence, us."""
        return sum(self.phases(message_bytes))


class Quickest(NamedTuple):
    """The fastest algorithm, and its time in us."""

    algorithm: str
    time_us: float


def quickest_all_reduce(ranks: int, alpha_us: float, GBps: float, message_bytes: float) -> Quickest:
    """The fastest all-reduce without reduction in switches."""
    tried = {
        "ring": ring_all_reduce,
        "recursive doubling": recursive_doubling,
        "halving-doubling": halving_doubling,
        "double binary tree": double_binary_tree,
    }
    times = [
        Quickest(name, cost(ranks, alpha_us, GBps, message_bytes))
        for name, cost in tried.items()
        if cost is not halving_doubling or is_power_of_two(ranks)
    ]
    return min(times, key=lambda quickest: quickest.time_us)


def best_chunks(depth: int, alpha_us: float, whole_us: float, most: int) -> int:
    """Chunks that make (depth+k) (alpha + whole/k) the shortest: sqrt(depth whole / alpha).

    Parameters
    ----------
    depth : int
        Steps that the first chunk takes beyond its own.
    alpha_us : float
        Latency of one message, us.
    whole_us : float
        Time of all data without latency, us.
    most : int
        Maximum of chunks; returned where messages have no latency.
    """
    if alpha_us == 0:
        return most
    near = math.sqrt(depth * whole_us / alpha_us)
    tried = {min(max(1, chunks), most) for chunks in (math.floor(near), math.ceil(near))}
    return min(tried, key=lambda k: (depth + k) * (alpha_us + whole_us / k))


def is_power_of_two(ranks: int) -> bool:
    """Whether ranks can be halved down to one."""
    return ranks > 0 and ranks & (ranks - 1) == 0


def _up_and_down_a_tree(
    ranks: int, alpha_us: float, per_way_us: float, message_bytes: float, chunks: int | None
) -> float:
    if ranks == 1:
        return 0.0
    height = (ranks - 1).bit_length()
    return 2 * _pipelined(height - 1, alpha_us, per_way_us, message_bytes, chunks)


def _pipelined(
    depth: int, alpha_us: float, whole_us: float, message_bytes: float, chunks: int | None
) -> float:
    """Time until the last of k chunks has gone through: (depth+k) (alpha + whole/k)."""
    most = max(1, int(message_bytes))
    many = best_chunks(depth, alpha_us, whole_us, most) if chunks is None else chunks
    return (depth + many) * (alpha_us + whole_us / many)


def _us(message_bytes: float, GBps: float) -> float:
    return message_bytes / (GBps * BYTES_PER_US)
