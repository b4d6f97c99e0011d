"""Which algorithms and protocols NCCL may run for a call.

Source: NVIDIA/nccl, tag v2.27.7-1, src/graph/tuning.cc and src/enqueue.cc; other releases by
`releases`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toposmith.nccl.node import (
    ALGORITHMS,
    PROTOCOLS,
    Algorithm,
    Channels,
    NcclCollective,
    NcclProtocol,
    NodeGraphs,
    PathType,
    Ranks,
)
from toposmith.nccl.tuner_tables import Tables

_GATHERERS: frozenset[Algorithm] = frozenset({"ring", "collnet_direct", "nvls", "pat"})
_IMPLEMENTED: Mapping[NcclCollective, frozenset[Algorithm]] = {
    "all_reduce": frozenset(ALGORITHMS) - {"pat"},
    "all_gather": _GATHERERS,
    "reduce_scatter": _GATHERERS,
    "broadcast": frozenset({"ring"}),
    "reduce": frozenset({"ring"}),
}

# PAT needs atomics of this compute capability.
_OLDEST_FOR_PAT = 60
# CollNetDirect links every GPU of a node to every other, and has room for so many.
_MOST_FOR_COLLNET_DIRECT = 8
# NVLS gathers among so many GPUs of one NVLink domain (``NCCL_MAX_NVLS_ARITY``).
_MOST_FOR_NVLS_GATHERS = 32
# Older GPUs may tear a line of LL128 in two.
_OLDEST_FOR_LL128 = 70
# From Hopper on LL128 may also pass through another GPU's NIC (PXN).
_OLDEST_FOR_LL128_OVER_PXN = 90


def enabled(
    collective: NcclCollective, graphs: NodeGraphs, ranks: Ranks, tables: Tables
) -> Iterator[tuple[Algorithm, NcclProtocol, Channels]]:
    """Every algorithm and protocol NCCL weighs, in its own order, with the channels used."""
    for algorithm in ALGORITHMS:
        channels = _channels(algorithm, graphs)
        if channels is None or not _runs(algorithm, collective, ranks, tables):
            continue
        for protocol in PROTOCOLS if algorithm in ("tree", "ring") else ("simple",):
            if protocol != "ll128" or _is_ll128_safe(channels, ranks, tables):
                yield algorithm, protocol, channels


def _channels(algorithm: Algorithm, graphs: NodeGraphs) -> Channels | None:
    """Return the channels an algorithm runs in."""
    match algorithm:
        case "ring":
            return graphs.ring
        case "tree" | "pat":
            return graphs.tree
        case "collnet_direct" | "collnet_chain":
            return graphs.collnet
        case "nvls" | "nvls_tree":
            return graphs.nvls


def _runs(algorithm: Algorithm, collective: NcclCollective, ranks: Ranks, tables: Tables) -> bool:
    """Whether NCCL runs an algorithm at all for these ranks."""
    if algorithm not in _IMPLEMENTED[collective]:
        return False
    match algorithm:
        case "tree" | "ring":
            return True
        case "collnet_chain":
            return _network_reduces(ranks) and _suits_collnet_chain(ranks, tables)
        case "collnet_direct":
            by_nics = tables.collnet_asks_for == "nic_per_rank"
            return (
                _network_reduces(ranks)
                and (ranks.nic_per_rank if by_nics else ranks.nvswitch)
                and ranks.per_node <= _MOST_FOR_COLLNET_DIRECT
                and _gathers(collective, ranks, known=tables.collnet_gathers != "no")
            )
        case "nvls":
            across_nodes = tables.nvls_gathers == "shared"
            known = across_nodes if ranks.nodes > 1 else tables.nvls_gathers != "no"
            known = known and ranks.per_node <= _MOST_FOR_NVLS_GATHERS
            return (ranks.nodes == 1 or ranks.collnet) and _gathers(collective, ranks, known=known)
        case "nvls_tree":
            return ranks.nodes > 1
        case "pat":
            return (
                tables.pat_share > 0
                and ranks.ranks == ranks.nodes
                and ranks.compute_capability >= _OLDEST_FOR_PAT
            )


def _suits_collnet_chain(ranks: Ranks, tables: Tables) -> bool:
    """Whether nodes are those that the release runs CollNetChain in."""
    small = ranks.per_node <= _MOST_FOR_COLLNET_DIRECT
    heads = tables.collnet_asks_for != "nic_per_rank" or ranks.nic_per_rank
    return heads and (small or tables.collnet_chain_in_large_nodes)


def _network_reduces(ranks: Ranks) -> bool:
    """Whether there is a network between the nodes that reduces."""
    return ranks.collnet and ranks.nodes > 1


def _gathers(collective: NcclCollective, ranks: Ranks, *, known: bool) -> bool:
    """Whether what a multicast algorithm needs for gathers is there, if this is one."""
    if collective == "all_reduce":
        return True
    return known and (ranks.nodes == 1 or ranks.nic_per_rank)


def _is_ll128_safe(channels: Channels, ranks: Ranks, tables: Tables) -> bool:
    """Whether a line of LL128 is sure to arrive whole on every path of the channels."""
    capability = ranks.compute_capability
    known = tables.ll128_capabilities
    farthest_nic = PathType.PXN if capability >= _OLDEST_FOR_LL128_OVER_PXN else PathType.PXB
    return (
        channels.inter_path <= farthest_nic
        and channels.intra_path <= PathType.NVB
        and (not ranks.mixed_gpus or _may_mix(capability, tables))
        and (capability >= _OLDEST_FOR_LL128 if known is None else capability in known)
    )


def _may_mix(capability: int, tables: Tables) -> bool:
    """Whether GPUs of unlike compute capability may use LL128 together."""
    return tables.ll128_mixed_from is not None and capability >= tables.ll128_mixed_from
