"""The constants of NCCL's tuner, release by release.

The oldest release is written out; every later one is what it changes of the one before it.
Source: NVIDIA/nccl, tags v2.18.3-1 to v2.30.7-1, src/graph/tuning.cc; v2.31.2-1 and v2.32.3-1,
src/tuning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import ALGORITHMS, Algorithm
from toposmith.nccl.tuner_tables import ByProtocol, HopKind, Tables


def _us(ll: float, ll128: float, simple: float) -> ByProtocol:
    """Microseconds of each protocol."""
    return {"ll": ll, "ll128": ll128, "simple": simple}


def _simple(us: float) -> ByProtocol:
    """Microseconds of an algorithm that only runs with Simple."""
    return {"simple": us}


_V2_18 = Tables(
    base_us={
        "tree": _us(6.8, 14.0, 0),
        "ring": _us(6.6, 14.0, 8.4),
        "collnet_direct": _simple(0),
        "collnet_chain": _simple(0),
        "nvls": _simple(23.0),
        "nvls_tree": _simple(23.0),
    },
    hop_us={
        # Simple moves whole chunks, so its hop holds the time of one.
        "nvlink": {
            "tree": _us(0.6, 1.25, 4.0),
            "ring": _us(0.6, 1.9, 3.4),
            "collnet_direct": _simple(8.0),
            "collnet_chain": _simple(4.75),
            "nvls": _simple(0),
            "nvls_tree": _simple(0),
        },
        "pci": {
            "tree": _us(1.0, 1.9, 6.0),
            "ring": _us(1.0, 2.5, 5.7),
            "collnet_direct": _simple(8.0),
            "collnet_chain": _simple(8.0),
            "nvls": _simple(0),
            "nvls_tree": _simple(0),
        },
        "network": {
            "tree": _us(5.0, 8.5, 14.0),
            "ring": _us(2.7, 4.0, 14.0),
            "collnet_direct": _simple(10.7),
            "collnet_chain": _simple(14.0),
            "nvls": _simple(18.0),
            "nvls_tree": _simple(19.0),
        },
    },
    # From two nodes on the row goes by CPU, for the hosts bound LL there: see `bandwidth`.
    ll_GBps={
        "volta": (39.0, 39.0, 20.4),
        "ampere": (87.7, 22.5, 19.0),
        "hopper": (87.7, 22.5, 19.0),
    },
    ring_ll128_GBps={
        "volta": (20.0, 20.0, 20.0),
        "ampere": (20.0, 20.0, 20.0),
        "hopper": (36.7, 36.7, 36.7),
    },
    tree_ll128_GBps={
        "volta": (20.0, 20.0, 20.0),
        "ampere": (20.0, 20.0, 20.0),
        "hopper": (36.7, 36.7, 29.0),
    },
    tree_GBps={
        "volta": (26.5, 18.5, 10.0),
        "ampere": (24.0, 23.6, 17.8),
        "hopper": (38.7, 41.4, 36.0),
    },
    nvls_tree_GBps={},
    nvls_efficiency={},
    ring_ll_share=1 / 4,
    ring_ll_local_share=1 / 3,
    ring_ll128_lone_share=0.7,
    ring_all_reduce_extra_hops=2,
    lone_ranks_hop_like_trees=frozenset(),
    pat_flushes=True,
    plateau_in_nodes="none",
    nvls_model="one_side",
    nvls_tree_is_chain=True,
    nvls_gathers="no",
    collnet_gathers="no",
    collnet_arity_us=0.5,
    pat_share=0.0,
    mixed_cpus_are_amd=False,
    ll128_capabilities=frozenset({70, 80, 90}),
    ll128_mixed_from=None,
    blackwell_counts_nics=False,
    collnet_chain_in_large_nodes=True,
    collnet_asks_for="nvswitch",
    corrects_nvls_tree=False,
    corrected_on_arm=0,
    most_channels=32,
)


def _hops(
    was: Tables, changed: Mapping[HopKind, Mapping[Algorithm, ByProtocol]]
) -> Mapping[HopKind, Mapping[Algorithm, ByProtocol]]:
    """Hop latencies with those of some algorithms replaced."""
    return {hop: {**rows, **changed.get(hop, {})} for hop, rows in was.hop_us.items()}


def _in_2_19(was: Tables) -> Tables:
    """NVLS learns all-gather and reduce-scatter, and NVLSTree becomes a tree."""
    tree_simple = 28.0
    collnet: Mapping[Algorithm, ByProtocol] = {
        "collnet_direct": _simple(3.7),
        "collnet_chain": _simple(2.8),
    }
    return replace(
        was,
        base_us={**was.base_us, "nvls": _simple(0), "nvls_tree": _simple(0)},
        hop_us=_hops(
            was,
            {
                "nvlink": {
                    **collnet,
                    "tree": _us(0.6, 1.25, tree_simple),
                    "nvls": _simple(23.0),
                    "nvls_tree": _simple(23.0),
                },
                "pci": {**collnet, "tree": _us(1.0, 1.9, tree_simple)},
                "network": {
                    "tree": _us(5.0, 8.5, tree_simple),
                    "collnet_direct": _simple(31.0),
                    "collnet_chain": _simple(30.0),
                    "nvls_tree": _simple(14.0),
                },
            },
        ),
        nvls_model="slower_side",
        nvls_tree_is_chain=False,
        nvls_gathers="as_all_reduce",
        collnet_arity_us=0.4,
    )


def _in_2_20(was: Tables) -> Tables:
    """CollNetDirect learns all-gather and reduce-scatter."""
    return replace(was, collnet_gathers="measured")


def _in_2_21(was: Tables) -> Tables:
    """LL is measured anew on Hopper."""
    return replace(
        was,
        hop_us=_hops(was, {"nvlink": {"nvls": _simple(25.0), "nvls_tree": _simple(25.0)}}),
        ll_GBps={**was.ll_GBps, "hopper": (141.0, 45.0, 35.0)},
        ring_ll_share=1 / 2,
        ring_ll_local_share=1 / 2,
    )


def _in_2_23(was: Tables) -> Tables:
    """PAT arrives, and Tree/Simple loses its heavy hops."""
    return replace(
        was,
        base_us={**was.base_us, "tree": _us(6.8, 14.0, 8.4), "pat": _simple(8.0)},
        hop_us=_hops(
            was,
            {
                "nvlink": {"tree": _us(0.6, 1.25, 4.0), "pat": _simple(4.0)},
                "pci": {"tree": _us(1.0, 1.9, 4.0), "pat": _simple(4.0)},
                "network": {"tree": _us(5.0, 8.5, 14.0), "pat": _simple(14.0)},
            },
        ),
        ring_ll128_lone_share=0.92,
        ring_all_reduce_extra_hops=0,
        lone_ranks_hop_like_trees=frozenset(ALGORITHMS),
        nvls_gathers="bus",
        pat_share=0.85,
    )


def _in_2_24(was: Tables) -> Tables:
    """Mixed hosts count as AMD ones."""
    return replace(was, pat_share=0.75, mixed_cpus_are_amd=True)


def _in_2_25(was: Tables) -> Tables:
    """Blackwell is twice a Hopper."""
    return replace(
        was,
        ll_GBps={**was.ll_GBps, "blackwell": (282.0, 90.0, 70.0)},
        ring_ll128_GBps={**was.ring_ll128_GBps, "blackwell": (73.4, 73.4, 73.4)},
        tree_ll128_GBps={**was.tree_ll128_GBps, "blackwell": (73.4, 73.4, 58.0)},
        tree_GBps={**was.tree_GBps, "blackwell": (77.4, 82.8, 72.0)},
        ll128_capabilities=frozenset({70, 80, 90, 100, 120}),
        most_channels=64,
    )


def _in_2_27(was: Tables) -> Tables:
    """LL128 asks for paths, no longer for known GPUs; gathers are bound by the NIC."""
    return replace(was, nvls_gathers="shared", collnet_gathers="nic", ll128_capabilities=None)


def _in_2_28(was: Tables) -> Tables:
    """NVLS is modelled by what multicast leaves; Blackwell is measured."""
    return replace(
        was,
        tree_ll128_GBps={**was.tree_ll128_GBps, "blackwell": (55.6, 31.67, 20.0)},
        tree_GBps={**was.tree_GBps, "blackwell": (70.0, 42.8, 24.0)},
        nvls_tree_GBps={"hopper": (0.0, 57.7, 45.5), "blackwell": (0.0, 96.0, 43.1)},
        nvls_efficiency={"hopper": 0.85, "blackwell": 0.74},
        nvls_model="multicast",
        collnet_chain_in_large_nodes=False,
    )


def _in_2_28_7(was: Tables) -> Tables:
    """LL128 between two Blackwell nodes is measured."""
    return replace(was, ring_ll128_GBps={**was.ring_ll128_GBps, "blackwell": (73.4, 34.6, 73.4)})


def _in_2_28_9(was: Tables) -> Tables:
    """NVLSTree waits longer for the network."""
    return replace(
        was,
        hop_us=_hops(was, {"network": {"nvls_tree": _simple(20.9)}}),
        nvls_tree_GBps={**was.nvls_tree_GBps, "blackwell": (0.0, 96.0, 43.8)},
    )


def _in_2_29(was: Tables) -> Tables:
    """NVLSTree is corrected by size on Blackwell."""
    return replace(
        was,
        ring_ll128_GBps={**was.ring_ll128_GBps, "blackwell": (34.5, 34.6, 34.5)},
        corrects_nvls_tree=True,
    )


def _in_2_29_7(was: Tables) -> Tables:
    """LL128 on Blackwell is one figure for all sizes of cluster."""
    return replace(was, ring_ll128_GBps={**was.ring_ll128_GBps, "blackwell": (40.0, 40.0, 40.0)})


def _in_2_30(was: Tables) -> Tables:
    """Unlike GPUs from Hopper on share LL128."""
    return replace(
        was,
        nvls_tree_GBps={**was.nvls_tree_GBps, "blackwell": (0.0, 96.0, 80.0)},
        ll128_mixed_from=90,
    )


def _in_2_31(was: Tables) -> Tables:
    """Each algorithm has a model of its own; Blackwell counts its NICs from two nodes on."""
    return replace(
        was,
        lone_ranks_hop_like_trees=frozenset[Algorithm]({"ring"}),
        pat_flushes=False,
        plateau_in_nodes="gathers",
        blackwell_counts_nics=True,
        collnet_asks_for="nic_per_rank",
        corrected_on_arm=23,
    )


def _in_2_32(was: Tables) -> Tables:
    """An all-reduce in one Blackwell domain pays for its steps, by size."""
    return replace(was, plateau_in_nodes="steps", corrected_on_arm=20)


_CHANGES: tuple[tuple[NcclVersion, Callable[[Tables], Tables]], ...] = (
    (NcclVersion(2, 19), _in_2_19),
    (NcclVersion(2, 20), _in_2_20),
    (NcclVersion(2, 21), _in_2_21),
    (NcclVersion(2, 23), _in_2_23),
    (NcclVersion(2, 24), _in_2_24),
    (NcclVersion(2, 25), _in_2_25),
    (NcclVersion(2, 27), _in_2_27),
    (NcclVersion(2, 28), _in_2_28),
    (NcclVersion(2, 28, 7), _in_2_28_7),
    (NcclVersion(2, 28, 9), _in_2_28_9),
    (NcclVersion(2, 29), _in_2_29),
    (NcclVersion(2, 29, 7), _in_2_29_7),
    (NcclVersion(2, 30), _in_2_30),
    (NcclVersion(2, 31), _in_2_31),
    (NcclVersion(2, 32), _in_2_32),
)


@lru_cache
def tables_for(version: NcclVersion) -> Tables:
    """Return the constants of a release: the oldest's, with all changes up to it.

    Releases older or newer than the ones described get the nearest one's. 2.22 and 2.26 change
    nothing here: the first only guards tiny messages, the second only says whose tree pattern
    counts, which is the search's to say.
    """
    tables = _V2_18
    for since, change in _CHANGES:
        if version >= since:
            tables = change(tables)
    return tables
