"""The published results that apply to a prediction, or why none do."""

from __future__ import annotations

from toposmith.analysis.prediction.calibration import FEW_GPUS_REACHED
from toposmith.analysis.prediction.demands import is_amd
from toposmith.analysis.prediction.error_band import (
    FEWEST_SYSTEMS,
    FEWEST_TO_AGREE,
    BandClass,
    ErrorBand,
    all_below,
    error_band,
    gpus_a_nic,
    systems_published,
)
from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.payload import COPIED_SOURCE
from toposmith.collectives import COLLECTIVES
from toposmith.fabric.nvlink_domains import beyond_model
from toposmith.labels import MODEL, Label
from toposmith.nccl.nvls_loops import RUBIN
from toposmith.text import counted

TOO_FEW = "too few published results"
PUBLISHED_SLOWER = "published runs are slower"
ONE_SLOWER = "the one published system is slower"
RACK = "no band: NVLink between nodes is left out"
RACKS = f"{TOO_FEW} of NVLink racks"
FEW_GPUS_RANGE = "uncertain: public runs reach {:.2f} to {:.2f} of the NICs".format(
    *FEW_GPUS_REACHED
)
FEW_GPUS_SOURCE = (
    "all-gathers of one and two GPUs of each of two GCP A4 nodes, and of two DGX Spark; the figure "
    "is the middle"
)
BY_BLACKWELL = "by NCCL's constants of Blackwell"
BY_BLACKWELL_WHY = (
    "no run of Rubin is published; NVLink counts as NCCL counts it there, 40.1 GB/s a link, the "
    "choice goes by its tables of Blackwell, and its own model of Rubin is not described"
)
NOT_NCCL = "no band: GPUs of AMD run RCCL, which is not modelled"
FORCED = "no band: published results are of what NCCL chooses, ideally routed, without SHARP"
FAULTS = "no band: published results are of systems without faults"
DIRECT = f"{TOO_FEW} of fabrics whose switches are joined along an axis"
UNLIKE = f"{TOO_FEW} of unlike nodes together"
PART_OF_NODE = f"{TOO_FEW} of groups that share a node's NICs"


def band_of(cluster: NcclTopology, message_bytes: int) -> ErrorBand | str:
    """The band of published results around a prediction, or why it has none."""
    kind, why = band_class(cluster)
    if kind is None:
        return why
    collective = cluster.request.collective
    found = error_band(kind, message_bytes, collective)
    if found:
        share, most = cluster.gpus_a_nic, gpus_a_nic(kind, message_bytes)
        return found if share <= most else _unlike(kind, share, most)
    many = systems_published(kind, message_bytes)
    if many >= FEWEST_SYSTEMS:
        return f"{TOO_FEW}: none of {COLLECTIVES[collective].name} ({kind})"
    known = f"needs {FEWEST_SYSTEMS} systems, has {many}" if many else "none"
    return f"{TOO_FEW}: {known} ({kind})"


def _unlike(kind: BandClass, share: float, most: float) -> str:
    """The sentence that more GPUs share a NIC than in any published system."""
    alike = "a NIC for each GPU" if most <= 1 else f"at most {most:g} GPUs to a NIC"
    return f"{TOO_FEW}: published systems have {alike}, here {share:g} share one ({kind})"


def published_label(kind: BandClass | None, message_bytes: int) -> Label:
    """``at most`` where all published results of such systems are far below, else ``model``.

    One system far below proves nothing about others, and is only noted.
    """
    below = all_below(kind, message_bytes) if kind else None
    if below is None:
        return MODEL
    low, high, many = below
    reach = f"{low * 100:.0f} to {high * 100:.0f} %"
    one = many < FEWEST_TO_AGREE
    return Label(
        "model" if one else "at most",
        ONE_SLOWER if one else PUBLISHED_SLOWER,
        f"{counted(many, 'published system')} ({kind}) reached {reach} of it at such sizes: what "
        f"{'its' if one else 'their'} network's software costs is not modelled",
    )


def uncertain(cluster: NcclTopology, label: Label, algorithm: str) -> Label:
    """A label, or ``model`` with a caveat where no constant fits all published runs."""
    if label.sign:
        return label
    if any(node.compute_capability in RUBIN for node in cluster.nodes.values()):
        return Label("model", BY_BLACKWELL, BY_BLACKWELL_WHY)
    if cluster.groups.nodes == 1:
        return label
    if cluster.held_by_sockets:
        return Label("model", "uncertain: TCP by the CPU", COPIED_SOURCE)
    if algorithm == "ring" and cluster.of_few_gpus:
        return Label("model", FEW_GPUS_RANGE, FEW_GPUS_SOURCE)
    return label


def band_class(cluster: NcclTopology) -> tuple[BandClass | None, str]:
    """The kind of system that published results are kept for, or why there are none."""
    network, groups = cluster.network, cluster.groups
    parts = {group.node.id for group in network.world.groups if group.node}
    if any(is_amd(cluster, name) for name in cluster.nodes):
        return None, NOT_NCCL
    if groups.nodes > 1 and beyond_model(network.world.groups):
        return None, RACK
    if network.world.joined:
        return None, RACKS
    if not cluster.request.as_nccl_chooses:
        return None, FORCED
    if network.plan.down or network.plan.slow or network.plan.single_cables:
        return None, FAULTS
    if groups.nodes > 1 and network.along:
        return None, DIRECT
    if len(parts) > 1:
        return None, UNLIKE
    if groups.nodes > 1 and groups.sharing > 1:
        return None, PART_OF_NODE
    kind = _inside(cluster) if groups.nodes == 1 else _between(cluster)
    return kind, "" if kind else f"{TOO_FEW} over such NICs"


def _inside(cluster: NcclTopology) -> BandClass:
    nodes = cluster.nodes.values()
    if all(node.switched for node in nodes):
        return "inside an NVSwitch node"
    if all(node.has_nvlink for node in nodes):
        return "inside a node with NVLink but no NVSwitch"
    return "inside a node without NVLink"


def _between(cluster: NcclTopology) -> BandClass | None:
    over, groups, nodes = cluster.slowest_transport, cluster.groups, cluster.nodes.values()
    if over == "tcp":
        return "TCP"
    if over == "efa" and not cluster.gpudirect:
        return "EFA without GPUDirect"
    if over in ("infiniband", "roce"):
        return _over_rdma(cluster)
    if groups.size == groups.nodes or not all(node.switched for node in nodes):
        return None
    classes: dict[str | None, BandClass] = {
        "efa": "whole NVSwitch nodes over EFA",
        "slingshot": "whole NVSwitch nodes over Slingshot",
        "tcpx": "whole NVSwitch nodes over GPUDirect-TCPX",
        "tcpxo": "whole NVSwitch nodes over GPUDirect-TCPXO",
    }
    return classes.get(over)


def _over_rdma(cluster: NcclTopology) -> BandClass:
    groups, nodes = cluster.groups, cluster.nodes.values()
    if groups.size == groups.nodes:
        return "one GPU of each node over RDMA"
    if all(node.switched for node in nodes):
        if groups.nodes == 2:
            return "two whole NVSwitch nodes over RDMA"
        return "three and more whole NVSwitch nodes over RDMA"
    if all(node.has_nvlink for node in nodes):
        return "several nodes with NVLink but no NVSwitch over RDMA"
    return "several nodes without NVLink over RDMA"
