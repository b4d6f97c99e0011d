"""Latency NCCL's tuner expects of an algorithm and protocol.

Source: NVIDIA/nccl, tag v2.27.7-1, src/graph/tuning.cc; other releases by `releases`.
"""

from __future__ import annotations

import math

from toposmith.nccl.bandwidth import steps
from toposmith.nccl.node import Algorithm, Channels, NcclCollective, NcclProtocol, PathType, Ranks
from toposmith.nccl.tuner_tables import HopKind, Tables

# What posting one message to the NIC costs the host; AMD hosts take twice as long.
_POST_US = 1.0
_AMD_POST_US = 2.0
# NCCL charges Simple three posts a step.
_SIMPLE_POSTS = 3
# PAT pays for the logarithm of the nodes and still, a little, for every rank.
_PAT_OVERLAP = 3.5
_PAT_RANK_US = 2.8


def latency_us(
    algorithm: Algorithm,
    protocol: NcclProtocol,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> float:
    """Microseconds that a call of any size takes.

    Parameters
    ----------
    algorithm, protocol, collective
        What runs; see `enabled` for what may.
    channels : Channels
        The channels it runs in.
    ranks : Ranks
        The ranks of the communicator.
    tables : Tables
        Constants of the release.
    """
    base = tables.base_us[algorithm][protocol]
    if algorithm == "ring":
        return base + _ring_us(protocol, collective, channels, ranks, tables)
    local = _local_hop_us(algorithm, protocol, channels, tables)
    network = _network_hop_us(algorithm, protocol, ranks, tables)
    neighbours = ranks.ranks // ranks.nodes - 1
    # Whole levels of a binary tree of nodes.
    levels = ranks.nodes.bit_length() - 1
    match algorithm:
        case "tree":
            return base + 2 * (neighbours * local + levels * network)
        case "collnet_direct":
            arity = neighbours * tables.collnet_arity_us
            return base + 2 * (min(1, neighbours) * local + arity) + network
        case "collnet_chain":
            return base + 2 * neighbours * local + network
        case "nvls":
            return base + local + (network if ranks.nodes > 1 else 0)
        case "nvls_tree":
            hops = ranks.nodes - 1 if tables.nvls_tree_is_chain else levels
            return base + local + 2 * hops * network
        case "pat":
            return base + levels * network / _PAT_OVERLAP + ranks.ranks * _PAT_RANK_US


def crossings(algorithm: Algorithm, collective: NcclCollective, nodes: int, per_node: float) -> int:
    """The number of sequential crossings between nodes on the critical path.

    The latency of a wire counts this many times. NCCL's tuner counts a ring's crossings
    differently, by release, since it only ranks algorithms.

    Parameters
    ----------
    algorithm, collective : str
        What runs.
    nodes : int
        Nodes of the communicator.
    per_node : float
        Its ranks in each.
    """
    if nodes == 1:
        return 0
    if collective in ("broadcast", "reduce"):
        return nodes - 1
    if algorithm == "ring":
        # one step in so many crosses, and of some bytes the first one does
        around = 2 if collective == "all_reduce" else 1
        return math.ceil(around * (nodes * per_node - 1) / per_node)
    levels = (nodes - 1).bit_length()
    up_and_down = 2 if collective == "all_reduce" else 1
    return 1 if algorithm in ("collnet_direct", "collnet_chain", "nvls") else up_and_down * levels


def _local_hop_us(
    algorithm: Algorithm, protocol: NcclProtocol, channels: Channels, tables: Tables
) -> float:
    """One hop inside a node."""
    return tables.hop_us[_local_hop(channels)][algorithm][protocol]


def _local_hop(channels: Channels) -> HopKind:
    """Return the kind of hop inside a node; one of a lone GPU counts as PCIe in NCCL."""
    return "nvlink" if channels.intra_path is PathType.NVL else "pci"


def _network_hop_us(
    algorithm: Algorithm, protocol: NcclProtocol, ranks: Ranks, tables: Tables
) -> float:
    """One hop between nodes, with what the NIC itself adds."""
    lone = ranks.ranks == ranks.nodes and algorithm in tables.lone_ranks_hop_like_trees
    hop = tables.hop_us["network"]["tree" if lone else algorithm][protocol]
    # Simple also waits for the NIC to flush what it wrote into the GPU.
    flushes = protocol == "simple" and (algorithm != "pat" or tables.pat_flushes)
    return hop + ranks.nic_latency_us * (2 if flushes else 1)


def _ring_us(
    protocol: NcclProtocol,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> float:
    """All hops of a ring."""
    if collective in ("broadcast", "reduce"):
        return _one_way_ring_us(protocol, collective, channels, ranks, tables)
    network_hops = _network_hops(collective, ranks, tables)
    local = _local_hop_us("ring", protocol, channels, tables)
    if ranks.nodes > 1:
        # The host posts one message a step, also for the steps inside the nodes.
        local = max(local, _post_us(protocol, ranks))
    network = _network_hop_us("ring", protocol, ranks, tables)
    return (steps(collective, ranks) - network_hops) * local + network_hops * network


def _network_hops(collective: NcclCollective, ranks: Ranks, tables: Tables) -> int:
    """Steps of a ring that cross the network one after the other."""
    if ranks.nodes == 1:
        return 0
    around = ranks.nodes - 1
    if collective == "all_reduce":
        return 2 * around + tables.ring_all_reduce_extra_hops
    return around


def _post_us(protocol: NcclProtocol, ranks: Ranks) -> float:
    """What the host takes to post the messages of one step."""
    one = _AMD_POST_US if ranks.cpu == "amd" else _POST_US
    return one * (_SIMPLE_POSTS if protocol == "simple" else 1)


def _one_way_ring_us(
    protocol: NcclProtocol,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> float:
    """Hops of a broadcast or a reduce, from the root or to it."""
    hop = tables.hop_us["network" if ranks.nodes > 1 else _local_hop(channels)]
    if channels.count == 1 or (ranks.nodes == 1 and ranks.nvswitch):
        return hop["ring"][protocol]
    # Simple passes whole chunks on, and a tree's hop holds the time of one.
    us = hop["tree" if protocol == "simple" else "ring"][protocol]
    return steps(collective, ranks) * us
