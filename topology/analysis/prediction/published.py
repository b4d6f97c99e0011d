"""Which published results a prediction can be compared with, or why with none."""

from __future__ import annotations

from toposmith.topology.analysis.prediction.cluster import Cluster
from toposmith.topology.analysis.prediction.demands import is_amd
from toposmith.topology.analysis.prediction.error_band import (
    FEWEST_SYSTEMS,
    BandClass,
    ErrorBand,
    error_band,
    transport_class,
)
from toposmith.topology.fabric.nvlink_domains import beyond_model

TOO_FEW = "too few published results"
RACK = "no band: NVLink between nodes is left out"
RACKS = f"{TOO_FEW} of NVLink racks"
NOT_NCCL = "no band: GPUs of AMD run RCCL, which is not modelled"
FORCED = "no band: published results are of what NCCL chooses, ideally routed, without SHARP"
FAULTS = "no band: published results are of systems without faults"
UNLIKE = f"{TOO_FEW} of unlike nodes together"
NO_NVSWITCH = f"{TOO_FEW} of nodes without NVSwitches"
PART_OF_NODE = f"{TOO_FEW} of groups that share a node's NICs"


def band_of(cluster: Cluster, message_bytes: int) -> ErrorBand | str:
    """The band of published results around a prediction, or why it has none."""
    kind = _kind(cluster)
    if kind not in _CLASSES:
        return kind
    found = error_band(_CLASSES[kind], message_bytes)
    return found or f"{TOO_FEW}: fewer than {FEWEST_SYSTEMS} systems ({kind})"


_CLASSES: dict[str, BandClass] = {
    kind: kind
    for transport in (None, "infiniband", "efa", "tcp")
    if (kind := transport_class(transport))
}


def _kind(cluster: Cluster) -> str:
    """The kind of system that published results are kept for, else why there are none."""
    network, groups = cluster.network, cluster.groups
    parts = {group.node.id for group in network.world.groups if group.node}
    if any(is_amd(cluster, name) for name in cluster.nodes):
        return NOT_NCCL
    if groups.nodes > 1 and beyond_model(network.world.groups):
        return RACK
    if network.world.joined:
        return RACKS
    if not cluster.request.as_nccl_chooses:
        return FORCED
    if network.plan.down:
        return FAULTS
    if len(parts) > 1:
        return UNLIKE
    if not all(node.switched for node in cluster.nodes.values()):
        return NO_NVSWITCH
    if groups.nodes > 1 and groups.sharing > 1:
        return PART_OF_NODE
    return transport_class(cluster.slowest_transport) or f"{TOO_FEW} over such NICs"
