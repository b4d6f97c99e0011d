"""What one release's tuner knows: the shape of its constants, and what never changed.

Source: NVIDIA/nccl, tags v2.18.3-1 to v2.30.7-1, src/graph/tuning.cc; v2.31.2-1 and v2.32.3-1,
src/tuning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from toposmith.nccl.node import Algorithm, Generation, NcclProtocol, Ranks

ByProtocol = Mapping[NcclProtocol, float]
"""Microseconds for LL, LL128 and Simple."""

ByNodes = tuple[float, float, float]
"""GB/s on one node, on two, and on three or more."""

HopKind = Literal["nvlink", "pci", "network"]

# A tree runs slower at middling sizes than its pipeline promises: the share of its bandwidth
# that is left, for messages from 64 B on, from 128 B on, and so in powers of two.
TREE_CORRECTION: Mapping[NcclProtocol, tuple[float, ...]] = {
    "ll": (
        *(1, 1, 1, 1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5),
        *(0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1, 1),
    ),
    "ll128": (
        *(1, 1, 1, 1, 1, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6),
        *(0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1, 1, 1),
    ),
    "simple": (
        *(0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5),
        *(0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.9),
    ),
}


@dataclass(frozen=True)
class Tables:
    """Constants and rules of one release's tuner.

    Latencies are in microseconds, bandwidths in GB/s per direction. A generation of GPUs that
    a table lacks is one the release did not know; see `row`.

    Parameters
    ----------
    base_us : Mapping
        What a call costs before the first hop.
    hop_us : Mapping
        What a hop costs: through NVLink, through PCIe or the CPUs, through the network.
    ll_GBps : Mapping
        The most that LL carries in all channels together.
    ring_ll128_GBps, tree_ll128_GBps, tree_GBps, nvls_tree_GBps : Mapping
        The most that one channel carries.
    nvls_efficiency : Mapping
        Share of a channel's bandwidth that the NVSwitch's multicast leaves.
    ring_ll_share, ring_ll_local_share : float
        What the flags of LL leave of a ring; the second on one node, of all collectives but
        all-reduce and reduce.
    ring_ll128_lone_share : float
        What LL128 leaves of a ring if a GPU sends and receives through its own NIC.
    ring_all_reduce_extra_hops : int
        Network hops an all-reduce counts beyond twice round the ring of nodes.
    lone_ranks_hop_like_trees : frozenset
        Algorithms in which one rank per node pays the network hop of a tree.
    pat_flushes : bool
        Whether PAT, as all else with Simple, waits twice for what the NIC itself adds.
    plateau_in_nodes : str
        Collectives of one NVLink domain of Blackwell whose ring pays its latency oftener when
        messages are large: ``none``, the ``gathers``, or with all-reduce as many as
        ``steps`` say.
    nvls_model : str
        How fast an NVLS channel is: as ``one_side`` of it, as its ``slower_side``, or as its
        ``multicast`` leaves.
    nvls_tree_is_chain : bool
        Whether NVLSTree is modelled as a chain of nodes.
    nvls_gathers : str
        NVLS for all-gather and reduce-scatter: ``no``, counted ``as_all_reduce``, the full
        ``bus`` rate, or ``shared`` among the ranks of a node; only the last across nodes.
    collnet_gathers : str
        CollNetDirect for all-gather and reduce-scatter: ``no``, ``measured`` at one and at
        eight ranks per node, or bound by the ``nic``.
    collnet_arity_us : float
        What every further rank of the node adds to CollNetDirect.
    pat_share : float
        Share of the bandwidth that PAT keeps; 0 where there is no PAT.
    mixed_cpus_are_amd : bool
        Whether nodes of several CPU makers count as AMD ones.
    ll128_capabilities : frozenset or None
        Compute capabilities that may use LL128; None if all from 70 on may.
    ll128_mixed_from : int or None
        Compute capability from which unlike GPUs may use LL128 together.
    blackwell_counts_nics : bool
        Whether on Blackwell a ring of two nodes runs at the speed of the NICs, and a tree at the
        slower of both sides, as PAT then does everywhere; else two nodes run at the speed inside
        them.
    collnet_chain_in_large_nodes : bool
        Whether CollNetChain runs in nodes of more than eight GPUs.
    collnet_asks_for : str
        What CollNet needs beside a network that reduces: ``nvswitch`` for CollNetDirect, or a
        ``nic_per_rank`` for all.
    corrects_nvls_tree : bool
        Whether `TREE_CORRECTION` holds for NVLSTree on Blackwell with x86 hosts.
    corrected_on_arm : int
        Sizes it holds for on two nodes with Arm hosts, four GPUs and 800 Gb/s a GPU; on more
        nodes for all sizes. 0 where it does not.
    most_channels : int
        Channels NCCL can run at once.
    """

    base_us: Mapping[Algorithm, ByProtocol]
    hop_us: Mapping[HopKind, Mapping[Algorithm, ByProtocol]]
    ll_GBps: Mapping[Generation, ByNodes]
    ring_ll128_GBps: Mapping[Generation, ByNodes]
    tree_ll128_GBps: Mapping[Generation, ByNodes]
    tree_GBps: Mapping[Generation, ByNodes]
    nvls_tree_GBps: Mapping[Generation, ByNodes]
    nvls_efficiency: Mapping[Generation, float]
    ring_ll_share: float
    ring_ll_local_share: float
    ring_ll128_lone_share: float
    ring_all_reduce_extra_hops: int
    lone_ranks_hop_like_trees: frozenset[Algorithm]
    pat_flushes: bool
    plateau_in_nodes: Literal["none", "gathers", "steps"]
    nvls_model: Literal["one_side", "slower_side", "multicast"]
    nvls_tree_is_chain: bool
    nvls_gathers: Literal["no", "as_all_reduce", "bus", "shared"]
    collnet_gathers: Literal["no", "measured", "nic"]
    collnet_arity_us: float
    pat_share: float
    mixed_cpus_are_amd: bool
    ll128_capabilities: frozenset[int] | None
    ll128_mixed_from: int | None
    blackwell_counts_nics: bool
    collnet_chain_in_large_nodes: bool
    collnet_asks_for: Literal["nvswitch", "nic_per_rank"]
    corrects_nvls_tree: bool
    corrected_on_arm: int
    most_channels: int


def row(table: Mapping[Generation, ByNodes], ranks: Ranks) -> float:
    """Return the GB/s of `table` for the ranks' GPUs and nodes.

    A release older than Blackwell takes a Blackwell GPU for a Hopper one, for it only asks
    whether the compute capability is at least 90.
    """
    generation = ranks.generation if ranks.generation in table else "hopper"
    return table[generation][min(ranks.nodes, 3) - 1]
