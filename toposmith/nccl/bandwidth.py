"""Bandwidth NCCL's tuner expects of an algorithm and protocol.

Source: NVIDIA/nccl, tag v2.27.7-1, src/graph/tuning.cc; other releases by `releases`.
"""

from __future__ import annotations

from toposmith.nccl.node import (
    Algorithm,
    Channels,
    Generation,
    NcclCollective,
    NcclProtocol,
    Ranks,
)
from toposmith.nccl.tuner_tables import Tables, row

# Share of LL128's 128-byte lines that is data, a little below 120/128 as measured.
_RING_LL128_SHARE = 0.92
# The same for a tree between nodes: the whole 120/128; and inside one.
_TREE_LL128_SHARE = 120 / 128
_TREE_LL128_LOCAL_SHARE = 7 / 9
# What a tree reaches of its channels, as measured.
_TREE_SHARE = 0.92
# What LL leaves of a tree.
_TREE_LL_DIVISOR = 3.8
# A tree whose traffic all enters and leaves a node by one GPU.
_LONE_TREE_GPU_SHARE = 0.85
# An all-reduce moves everything twice: towards the root and back.
_UP_AND_DOWN = 1 / 2
# Measured shares of NVLS, before 2.28 modelled them.
_NVLS_SHARE = 5 / 6
_NVLS_CHAIN_SHARE = 0.70
# What a gather reaches of the NIC.
_GATHER_NIC_SHARE = 0.9
# CollNetDirect on Hopper and later, as measured.
_COLLNET_HOPPER_SHARE = 0.85
# CollNetDirect gathers, as measured with one and with eight ranks per node.
_COLLNET_GATHER_SHARES = (0.95, 0.85)


def algorithm_GBps(
    algorithm: Algorithm,
    protocol: NcclProtocol,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> float:
    """Bytes of the call per second, for a message so large that latency vanishes.

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

    Returns
    -------
    float
        algbw in GB/s (10^9 bytes/s), as nccl-tests counts the bytes; 0 if NCCL rules it out.
    """
    match algorithm:
        case "ring":
            bus = _ring_bus_GBps(protocol, collective, channels, ranks, tables)
            return bus * _ring_bytes_per_step(collective, ranks)
        case "tree":
            return _UP_AND_DOWN * _tree_bus_GBps(protocol, channels, ranks, tables)
        case "collnet_direct":
            return _collnet_direct_GBps(collective, channels, ranks, tables)
        case "collnet_chain":
            return _UP_AND_DOWN * channels.count * channels.intra_GBps
        case "nvls" | "nvls_tree":
            if tables.nvls_model == "multicast":
                return _multicast_GBps(algorithm, collective, channels, ranks, tables)
            return _nvls_GBps(algorithm, collective, channels, ranks, tables)
        case "pat":
            return tables.pat_share * channels.count * _pat_channel_GBps(channels, ranks, tables)


def steps(collective: NcclCollective, ranks: Ranks) -> int:
    """Steps a ring takes; in each of them every rank sends 1/R of the bytes."""
    match collective:
        case "all_reduce":
            return 2 * (ranks.ranks - 1)
        case "all_gather" | "reduce_scatter":
            return ranks.ranks - 1
        case "broadcast" | "reduce":
            return ranks.ranks


def _ring_bytes_per_step(collective: NcclCollective, ranks: Ranks) -> float:
    """Bytes of the call for each byte that a link of the ring carries."""
    return ranks.ranks / steps(collective, ranks)


def _channel_GBps(channels: Channels, ranks: Ranks) -> float:
    """For two nodes NCCL assumes the speed inside them, from three on that of the NICs."""
    return channels.intra_GBps if ranks.nodes <= 2 else channels.inter_GBps


def _ring_channel_GBps(channels: Channels, ranks: Ranks, tables: Tables) -> float:
    """The same, but that on Blackwell later releases count the NICs of two nodes as well."""
    if tables.blackwell_counts_nics and ranks.generation == "blackwell" and ranks.nodes > 1:
        return channels.inter_GBps
    return _channel_GBps(channels, ranks)


def _tree_channel_GBps(channels: Channels, ranks: Ranks, tables: Tables) -> float:
    """The same of a tree, which is then as fast as its slower side."""
    if tables.blackwell_counts_nics and ranks.generation == "blackwell":
        return min(channels.intra_GBps, channels.inter_GBps)
    return _channel_GBps(channels, ranks)


def _pat_channel_GBps(channels: Channels, ranks: Ranks, tables: Tables) -> float:
    """The same of PAT, whatever the GPUs."""
    if tables.blackwell_counts_nics:
        return min(channels.intra_GBps, channels.inter_GBps)
    return _channel_GBps(channels, ranks)


def _ll_GBps(ranks: Ranks, tables: Tables) -> float:
    """Return the most that LL carries: bound by the GPU on one node, by the hosts' CPUs on more."""
    if ranks.nodes == 1:
        return row(tables.ll_GBps, ranks)
    amd = ranks.cpu == "amd" or (ranks.cpu == "mixed" and tables.mixed_cpus_are_amd)
    host: Generation = "ampere" if amd else "volta"
    return tables.ll_GBps[host][min(ranks.nodes, 3) - 1]


def _ring_bus_GBps(
    protocol: NcclProtocol,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> float:
    """Bandwidth of a ring's links."""
    bus = channels.count * _ring_channel_GBps(channels, ranks, tables)
    match protocol:
        case "ll":
            local = ranks.nodes == 1 and collective not in ("all_reduce", "reduce")
            share = tables.ring_ll_local_share if local else tables.ring_ll_share
            return min(share * bus, _ll_GBps(ranks, tables))
        case "ll128":
            lone = ranks.per_node < 2
            share = tables.ring_ll128_lone_share if lone else _RING_LL128_SHARE
            return min(share * bus, channels.count * row(tables.ring_ll128_GBps, ranks))
        case "simple":
            return bus


def _tree_bus_GBps(
    protocol: NcclProtocol, channels: Channels, ranks: Ranks, tables: Tables
) -> float:
    """Bandwidth of a tree's links."""
    bus = channels.count * _tree_channel_GBps(channels, ranks, tables)
    bus = min(_TREE_SHARE * bus, channels.count * row(tables.tree_GBps, ranks))
    match protocol:
        case "ll":
            bus = min(bus / _TREE_LL_DIVISOR, _ll_GBps(ranks, tables))
        case "ll128":
            share = _TREE_LL128_LOCAL_SHARE if ranks.nodes == 1 else _TREE_LL128_SHARE
            bus = min(share * bus, channels.count * row(tables.tree_ll128_GBps, ranks))
        case "simple":
            pass
    return bus * (_LONE_TREE_GPU_SHARE if channels.pattern == "tree" else 1)


def _collnet_direct_GBps(
    collective: NcclCollective, channels: Channels, ranks: Ranks, tables: Tables
) -> float:
    """CollNetDirect, in which every GPU sends its share to the switch that reduces it."""
    if collective != "all_reduce":
        return _collnet_gather_GBps(channels, ranks, tables)
    bus = channels.count * channels.intra_GBps
    # GPUs without a NIC of their own lose half of what their number would cost.
    crowding = (1 + ranks.per_node / channels.count) / 2
    share = _COLLNET_HOPPER_SHARE if ranks.compute_capability >= 90 else 1
    return _UP_AND_DOWN * share * bus / crowding


def _collnet_gather_GBps(channels: Channels, ranks: Ranks, tables: Tables) -> float:
    """CollNetDirect for an all-gather or a reduce-scatter, one channel per rank of the node."""
    if tables.collnet_gathers == "nic":
        nic = _GATHER_NIC_SHARE * channels.inter_GBps
        return ranks.per_node * min(channels.intra_GBps, nic)
    one, eight = _COLLNET_GATHER_SHARES
    share = one + (eight - one) * (ranks.per_node - 1) / 7
    return ranks.per_node * channels.intra_GBps * share


def _nvls_GBps(
    algorithm: Algorithm,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> float:
    """NVLS and NVLSTree as NCCL estimates them up to 2.27."""
    if collective != "all_reduce" and tables.nvls_gathers == "shared":
        others = (ranks.per_node - 1) / ranks.per_node
        nic = _GATHER_NIC_SHARE * channels.inter_GBps
        return channels.count * min(others * channels.intra_GBps, nic)
    bus = channels.count * _nvls_channel_GBps(algorithm, channels, ranks, tables)
    if collective != "all_reduce" and tables.nvls_gathers == "bus":
        return bus
    if algorithm == "nvls_tree" and tables.nvls_tree_is_chain:
        return bus * _NVLS_CHAIN_SHARE * ranks.nodes / (2 * (ranks.nodes - 1))
    return bus * _NVLS_SHARE


def _nvls_channel_GBps(
    algorithm: Algorithm, channels: Channels, ranks: Ranks, tables: Tables
) -> float:
    """One channel of NVLS or NVLSTree, up to 2.27."""
    if tables.nvls_model == "one_side":
        return _channel_GBps(channels, ranks)
    # Inside a tree of three nodes and more a NIC sends to two children.
    children = 2 if algorithm == "nvls_tree" and ranks.nodes > 2 else 1
    return min(channels.intra_GBps, channels.inter_GBps / children)


def _multicast_GBps(
    algorithm: Algorithm,
    collective: NcclCollective,
    channels: Channels,
    ranks: Ranks,
    tables: Tables,
) -> float:
    """NVLS and NVLSTree from 2.28 on, by what the NVSwitch's multicast leaves."""
    if channels.count < 2:
        return 0.0
    efficiency = tables.nvls_efficiency.get(ranks.generation, 0.0)
    intra = channels.intra_GBps * efficiency * (channels.count - 1) / channels.count
    if collective != "all_reduce":
        others = (ranks.per_node - 1) / ranks.per_node
        return channels.count * min(intra * others, channels.inter_GBps)
    # An all-reduce overlaps reducing with spreading the result.
    per_channel = min(2 * intra, channels.inter_GBps)
    if algorithm == "nvls_tree":
        between = channels.inter_GBps * (2 if ranks.nodes <= 2 else 1)
        per_channel = min(2 * intra, between, row(tables.nvls_tree_GBps, ranks))
    return channels.count * per_channel * _ring_bytes_per_step(collective, ranks)
