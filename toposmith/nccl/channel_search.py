"""The graphs of a communicator: each node's own, and the weakest of all, which holds for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from toposmith.nccl.channel_packing import packed_ring
from toposmith.nccl.closed_form import even_nvls, even_ring, even_tree
from toposmith.nccl.graphs import Channels, NodeGraphs
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import NcclNode


@lru_cache(maxsize=512)
def node_graphs(node: NcclNode, version: NcclVersion, *, one_node: bool) -> NodeGraphs | None:
    """The ring, tree and NVLS channels that NCCL's search finds in a node.

    Parameters
    ----------
    node : NcclNode
        The node, with the GPUs of the communicator.
    version : NcclVersion
        Whose search.
    one_node : bool
        Whether the communicator is this one node; NICs are then left out.

    Returns
    -------
    NodeGraphs or None
        None for a node that cannot be left, or a GPU alone.
    """
    if not node.even:
        ring = packed_ring(node, version, one_node=one_node)
        # without NVLink a chain is both: the tree runs on the ring's channels
        return None if ring is None else NodeGraphs(ring, ring)
    ring = even_ring(node, version, one_node=one_node)
    if ring is None:
        return None
    tree = even_tree(node, ring, version, one_node=one_node)
    return NodeGraphs(ring, tree, even_nvls(node, version, one_node=one_node))


def weakest(graphs: Sequence[NodeGraphs]) -> NodeGraphs:
    """The graphs that hold for a cluster of unlike nodes.

    NCCL takes the fewest channels, the slowest speeds and the longest paths of all ranks
    (NVIDIA/nccl, src/init.cc), so that one weak node holds all others.
    """
    first, *others = graphs
    for other in others:
        first = NodeGraphs(
            _lesser(first.ring, other.ring),
            first.tree and other.tree and _lesser(first.tree, other.tree),
            first.nvls and other.nvls and _lesser(first.nvls, other.nvls),
            first.collnet and other.collnet and _lesser(first.collnet, other.collnet),
        )
    return first


def _lesser(a: Channels, b: Channels) -> Channels:
    return replace(
        a,
        count=min(a.count, b.count),
        intra_GBps=min(a.intra_GBps, b.intra_GBps),
        inter_GBps=min(a.inter_GBps, b.inter_GBps),
        intra_path=max(a.intra_path, b.intra_path),
        inter_path=max(a.inter_path, b.inter_path),
        pattern="tree" if "tree" in (a.pattern, b.pattern) else a.pattern,
    )
