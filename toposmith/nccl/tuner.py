"""What NCCL's tuner expects of a call, and which algorithm and protocol it would choose.

The tuner knows the nodes and their NICs and nothing of the network between them; it is built
to rank algorithms, and its times below some 100 MiB are shorter than real ones.
Source: NVIDIA/nccl, tag v2.27.7-1, src/graph/tuning.cc and src/graph/connect.cc; other
releases by `releases`, from 2.31 on with src/tuning.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from toposmith.nccl.bandwidth import algorithm_GBps, steps
from toposmith.nccl.enabled import enabled
from toposmith.nccl.latency import latency_us
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import (
    Algorithm,
    Channels,
    Cpu,
    NcclCollective,
    NcclProtocol,
    NodeGraphs,
    PathType,
    Ranks,
)
from toposmith.nccl.releases import tables_for
from toposmith.nccl.tuner_tables import TREE_CORRECTION, HopKind, Tables

__all__ = [
    "Algorithm",
    "Cost",
    "Cpu",
    "NcclCollective",
    "NcclProtocol",
    "Ranks",
    "choose",
    "corrected_GBps",
    "costs",
    "running_channels",
    "time_us",
]

# 1 GB/s is 1000 bytes a microsecond.
_BYTES_PER_US = 1000
# The first entry of the tree correction is for messages from 64 to 127 bytes.
_SMALLEST_CORRECTED = 64
# Sizes a tree is corrected for, of those in the table; an NVLSTree is for all of them.
_TREE_CORRECTED_SIZES = 23
# From so many bytes per channel and rank on, a ring across nodes no longer hides its latency.
_PLATEAU_BYTES = 64
_PLATEAU = 1.4
_PLATEAU_BEFORE_AMPERE = 1.9
# A ring in one NVLink domain of Blackwell approaches the plateau step by step, and leaves a part
# of it with messages of 256 KiB to 512 KiB per channel and rank.
_PLATEAU_LEFT = 0.1
_LEAVES_PLATEAU_BYTES = 256 * 1024
# Trees between Arm hosts are corrected where nodes have four GPUs with so fast a NIC each.
_CORRECTED_ARM_GPUS = 4
_CORRECTED_ARM_NIC_GBps = 96.0
# Fast channels of Hopper and later run four times as often as searched, up to so many.
_FAST_CHANNEL_GBps = 45.0
_FEW_CHANNELS = 16


@dataclass(frozen=True)
class Cost:
    """What NCCL's tuner expects of one algorithm and protocol.

    Parameters
    ----------
    algorithm, protocol : str
        What would run.
    latency_us : float
        Latency in microseconds, independent of the size.
    GBps : float
        algbw in GB/s (10^9 bytes/s) of a message so large that latency vanishes.
    channels : int
        Channels of the search that the bandwidth is the sum of.
    """

    algorithm: Algorithm
    protocol: NcclProtocol
    latency_us: float
    GBps: float
    channels: int


@lru_cache(maxsize=512)
def costs(
    collective: NcclCollective, graphs: NodeGraphs, ranks: Ranks, version: NcclVersion
) -> tuple[Cost, ...]:
    """Cost of everything NCCL may run for a collective, in the order in which it tries them.

    Parameters
    ----------
    collective : str
        The collective.
    graphs : NodeGraphs
        Channels found in the weakest node.
    ranks : Ranks
        The ranks of the communicator.
    version : NcclVersion
        Release of NCCL. Releases before 2.25 treat Blackwell as Hopper.
    """
    tables = tables_for(version)
    all_costs = (
        _cost(algorithm, protocol, collective, channels, ranks, tables)
        for algorithm, protocol, channels in enabled(collective, graphs, ranks, tables)
    )
    return tuple(cost for cost in all_costs if cost.GBps > 0)


def corrected_GBps(
    cost: Cost,
    collective: NcclCollective,
    ranks: Ranks,
    message_bytes: int,
    version: NcclVersion,
) -> float:
    """Return the algbw in GB/s that a message of this size reaches, latency apart.

    Parameters
    ----------
    cost : Cost
        One of `costs` of the same collective, ranks and version.
    collective, ranks, version
        As for `costs`.
    message_bytes : int
        As for `time_us`.
    """
    _check_size(message_bytes)
    return cost.GBps * _correction(cost, collective, ranks, message_bytes, tables_for(version))


def time_us(
    cost: Cost,
    collective: NcclCollective,
    graphs: NodeGraphs,
    ranks: Ranks,
    message_bytes: int,
    version: NcclVersion,
) -> float:
    """Microseconds NCCL's tuner expects a call to take.

    Parameters
    ----------
    cost : Cost
        One of `costs` of the same collective, graphs, ranks and version.
    collective, graphs, ranks, version
        As for `costs`.
    message_bytes : int
        Bytes as nccl-tests counts them: one rank's buffer, or the whole gathered or scattered
        buffer of all ranks.
    """
    _check_size(message_bytes)
    return _Times(collective, graphs, ranks, version)(cost, message_bytes)


def choose(
    collective: NcclCollective,
    graphs: NodeGraphs,
    ranks: Ranks,
    message_bytes: int,
    version: NcclVersion,
    *,
    algorithms: Collection[str] | None = None,
    protocols: Collection[str] | None = None,
) -> tuple[Cost, float]:
    """Return what NCCL would run, and the microseconds its tuner expects.

    Parameters
    ----------
    collective, graphs, ranks, message_bytes, version
        As for `time_us`.
    algorithms, protocols : collection of str, optional
        Choose among these, as ``NCCL_ALGO`` and ``NCCL_PROTO`` do; but what is not safe by
        default stays out of the choice.

    Raises
    ------
    ValueError
        If nothing is left to choose from.
    """
    _check_size(message_bytes)
    times = _Times(collective, graphs, ranks, version)
    offered = costs(collective, graphs, ranks, version)
    timed = (
        (cost, times(cost, message_bytes))
        for cost in offered
        if (algorithms is None or cost.algorithm in algorithms)
        and (protocols is None or cost.protocol in protocols)
    )
    best = min(timed, key=lambda choice: choice[1], default=None)
    if best is None:
        forced = "/".join(",".join(names) for names in (algorithms, protocols) if names)
        names = ", ".join(f"{cost.algorithm}/{cost.protocol}" for cost in offered)
        raise ValueError(
            f"NCCL {version} cannot run {collective} with {forced or 'anything'} here; "
            f"it can with {names or 'nothing'}"
        )
    return best


def running_channels(graphs: NodeGraphs, ranks: Ranks, version: NcclVersion) -> int:
    """Channels NCCL runs at once: those of the ring search, twice or four times over."""
    channels = 2 * graphs.ring.count
    if (
        ranks.compute_capability >= 90
        and ranks.nodes > 1
        and graphs.ring.intra_GBps > _FAST_CHANNEL_GBps
        and channels < _FEW_CHANNELS
    ):
        channels *= 2
    return min(channels, tables_for(version).most_channels)


def _cost(
    algorithm: Algorithm,
    protocol: NcclProtocol,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> Cost:
    """Cost of one algorithm and protocol."""
    return Cost(
        algorithm=algorithm,
        protocol=protocol,
        latency_us=latency_us(algorithm, protocol, collective, channels, ranks, tables),
        GBps=algorithm_GBps(algorithm, protocol, collective, channels, ranks, tables),
        channels=channels.count,
    )


def _check_size(message_bytes: int) -> None:
    """Refuse a message that cannot be."""
    if message_bytes < 0:
        raise ValueError(f"a message cannot have {message_bytes} bytes")


class _Times:
    """Microseconds of calls of one collective between some ranks."""

    def __init__(
        self, collective: NcclCollective, graphs: NodeGraphs, ranks: Ranks, version: NcclVersion
    ) -> None:
        self._collective = collective
        self._ranks = ranks
        self._tables = tables_for(version)
        self._running = running_channels(graphs, ranks, version)
        self._all_nvlink = graphs.ring.intra_path is PathType.NVL

    def __call__(self, cost: Cost, message_bytes: int) -> float:
        """Microseconds of a call."""
        share = _correction(cost, self._collective, self._ranks, message_bytes, self._tables)
        latency = cost.latency_us * self._plateau(cost, message_bytes)
        return latency + message_bytes / (_BYTES_PER_US * cost.GBps * share)

    def _plateau(self, cost: Cost, message_bytes: int) -> float:
        """How often over a ring pays its latency."""
        each = message_bytes // (self._running * self._ranks.ranks)
        if (cost.algorithm, cost.protocol) != ("ring", "simple") or each < _PLATEAU_BYTES:
            return 1.0
        if self._ranks.nodes == 1:
            return self._plateau_in_node(each)
        if self._collective != "all_reduce":
            return 1.0
        return _PLATEAU if self._ranks.compute_capability >= 80 else _PLATEAU_BEFORE_AMPERE

    def _plateau_in_node(self, each: int) -> float:
        """The same in one NVLink domain of Blackwell; bytes per channel and rank."""
        gathers = ("all_gather", "reduce_scatter")
        if self._ranks.generation != "blackwell" or not self._all_nvlink:
            return 1.0
        if self._tables.plateau_in_nodes == "gathers" and self._collective in gathers:
            return _PLATEAU
        if self._tables.plateau_in_nodes != "steps":
            return 1.0
        if self._collective not in ("all_reduce", *gathers):
            return 1.0
        height = _PLATEAU - 1
        reached = 1 - (_PLATEAU_LEFT / height) ** (steps(self._collective, self._ranks) - 1)
        beyond = (each - _LEAVES_PLATEAU_BYTES) / _LEAVES_PLATEAU_BYTES
        return 1 + reached * (height - _PLATEAU_LEFT * min(1.0, max(0.0, beyond)))


def _correction(
    cost: Cost, collective: NcclCollective, ranks: Ranks, message_bytes: int, tables: Tables
) -> float:
    """Share of its bandwidth that a tree reaches at a size; 1 for all else."""
    if collective != "all_reduce" or message_bytes < _SMALLEST_CORRECTED:
        return 1.0
    if cost.algorithm == "tree":
        sizes = _TREE_CORRECTED_SIZES
    elif cost.algorithm == "nvls_tree":
        sizes = _corrected_nvls_trees(ranks, tables)
    else:
        return 1.0
    # Whole powers of two above the smallest corrected size.
    size = (message_bytes // _SMALLEST_CORRECTED).bit_length() - 1
    return TREE_CORRECTION[cost.protocol][size] if size < sizes else 1.0


def _corrected_nvls_trees(ranks: Ranks, tables: Tables) -> int:
    """Sizes for which the release corrects NVLSTree on these GPUs and hosts."""
    every = len(TREE_CORRECTION["simple"])
    if not tables.corrects_nvls_tree or ranks.generation != "blackwell":
        return 0
    if ranks.cpu != "arm":
        return every
    fast = ranks.nic_GBps >= _CORRECTED_ARM_NIC_GBps
    if not tables.corrected_on_arm or ranks.per_node != _CORRECTED_ARM_GPUS or not fast:
        return 0
    return every if ranks.nodes > 2 else tables.corrected_on_arm


# What passes from rank to rank without a tuner: exchanges, and chains of broadcast and reduce.
#
# Constants of a ring's hop stand for a message's (NVIDIA/nccl, src/graph/tuning.cc).

LL_SHARE = 0.5
"""Every line of the LL protocol is half flags."""

EXCHANGE_PROTOCOLS: tuple[NcclProtocol, ...] = ("ll", "simple")


@dataclass(frozen=True)
class ExchangeCost:
    """Latency in µs of an exchange by a protocol, and the share of the links that is payload."""

    protocol: NcclProtocol
    latency_us: float
    share: float


def exchange_costs(
    channels: Channels, ranks: Ranks, version: NcclVersion
) -> tuple[ExchangeCost, ...]:
    """What an exchange costs by LL, which small messages take, and by Simple."""
    tables = tables_for(version)
    local: HopKind = "nvlink" if channels.intra_path is PathType.NVL else "pci"
    found: list[ExchangeCost] = []
    for protocol in EXCHANGE_PROTOCOLS:
        latency = tables.base_us["ring"][protocol] + tables.hop_us[local]["ring"][protocol]
        if ranks.nodes > 1:
            latency += tables.hop_us["network"]["ring"][protocol] + ranks.nic_latency_us
        found.append(ExchangeCost(protocol, latency, LL_SHARE if protocol == "ll" else 1.0))
    return tuple(found)


def chain_latency_us(
    channels: Channels, ranks: Ranks, protocol: NcclProtocol, version: NcclVersion
) -> float:
    """Microseconds until the first bytes of a broadcast are at the last rank of its chain."""
    tables = tables_for(version)
    local: HopKind = "nvlink" if channels.intra_path is PathType.NVL else "pci"
    inside = (ranks.ranks - ranks.nodes) * tables.hop_us[local]["ring"][protocol]
    hop = tables.hop_us["network"]["ring"][protocol] + ranks.nic_latency_us
    return tables.base_us["ring"][protocol] + inside + (ranks.nodes - 1) * hop
