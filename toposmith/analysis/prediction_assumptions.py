"""The assumptions of a prediction, each by name, with its value."""

from __future__ import annotations

from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.payload import DEFAULT_RDMA_MTU
from toposmith.analysis.result import Assumption
from toposmith.analysis.traffic.detour_loads import DetourSplit
from toposmith.collectives import COLLECTIVES
from toposmith.nccl.listed import SEPARATOR
from toposmith.nccl.node import ALGORITHMS, PathType
from toposmith.text import algorithm_name, counted, message_size, protocol_name


def assumptions_of(cluster: NcclTopology, split: DetourSplit | None) -> tuple[Assumption, ...]:
    """The assumptions of a prediction; those about the network only where it is used.

    ``split`` is how traffic was split over detours.
    """
    request, job = cluster.request, cluster.request.job
    seed = f", seed {job.seed}" if job.placement == "scattered" else ""
    found = [
        Assumption("size", "message size", message_size(request.message_bytes), "--size"),
        Assumption("nccl", "NCCL", str(request.version), "--with nccl="),
    ]
    found += _left(cluster)
    sockets = "on" if "tcp" in cluster.transports else "off"
    if cluster.groups.nodes > 1:
        found += [
            Assumption("placement", "placement", f"{job.placement}{seed}", "--with placement="),
            Assumption("gpudirect", "GPUDirect", _gpudirect(cluster), "--with gpudirect=no"),
            Assumption("tcp", "TCP sockets", sockets, "--with tcp"),
            Assumption("routing", "routing", _routing(cluster, split), "--routing"),
            Assumption("queue_pairs", "queue pairs", _queue_pairs(cluster), "--queue-pairs"),
            Assumption("mtu", "MTU", _mtu(cluster), "--with mtu="),
        ]
        if COLLECTIVES[request.collective].runs == "pairs":
            found.append(Assumption("pxn", "PXN", _pxn(cluster), "--with pxn=no"))
    if request.calibration is not None:
        found.append(
            Assumption("calibration", "calibration", _calibration(cluster), "--with calibration=")
        )
    return tuple(found)


def _pxn(cluster: NcclTopology) -> str:
    if cluster.keeps_rails:
        return "on: rails are kept"
    asked = "no NVLink joins all GPUs of a node, so " if cluster.request.pxn else ""
    return f"off: {asked}by each GPU's own NIC"


def _left(cluster: NcclTopology) -> list[Assumption]:
    """The protocols and algorithms that NCCL may use, where a network plugin restricts them."""
    left, request = cluster.left, cluster.request
    if left is None or COLLECTIVES[request.collective].tuned is None:
        return []
    found = []
    if request.protocol is None:
        words = protocol_name(SEPARATOR.join(left.protocols))
        found.append(
            Assumption("protocol", "protocols", f"{words} ({left.by})", "--with protocol=")
        )
    if request.algorithm is None and len(left.algorithms) < len(ALGORITHMS):
        words = algorithm_name(SEPARATOR.join(left.algorithms))
        found.append(
            Assumption("algorithm", "algorithms", f"{words} ({left.by})", "--with algorithm=")
        )
    return found


def _calibration(cluster: NcclTopology) -> str:
    calibration, request = cluster.request.calibration, cluster.request
    if calibration is None or cluster.not_calibrated:
        return cluster.not_calibrated
    run = calibration.run_for(request.collective, cluster.groups.nodes, request.message_bytes)
    if run is None:
        return f"{calibration.name} has no run of such a size"
    return f"{calibration.name}: run of {counted(run.gpus, 'GPU')} on {counted(run.nodes, 'node')}"


def _gpudirect(cluster: NcclTopology) -> str:
    over = set(cluster.transports)
    if over == {"tcp"}:
        return "none over TCP"
    if not cluster.request.gpudirect:
        return "off, no effect (Grace)" if cluster.staging_is_free else "off"
    if not cluster.gpudirect:
        return "none with these GPUs"
    nodes = cluster.nodes.values()
    if over <= {"infiniband", "roce"} and any(
        node.nic_path >= PathType.PHB and node.cpu != "arm" for node in nodes
    ):
        return "none: the NIC is reached through the CPU"
    if "efa" in over and not all(node.switched for node in nodes):
        return "assumed, not known of these nodes"
    return "on"


def _routing(cluster: NcclTopology, split: DetourSplit | None) -> str:
    mode = cluster.routing.mode
    if split is None or split.at_most:
        return mode
    if split.not_best:
        return f"{mode}, not the best split"
    over = counted(split.paths, "path")
    return f"{mode}, the best split over {over}" if split.paths else f"{mode}, which none needs"


def _queue_pairs(cluster: NcclTopology) -> str:
    routing = cluster.routing
    if routing.mode != "static":
        return f"no effect ({routing.mode})"
    return f"{routing.queue_pairs} a connection"


def _mtu(cluster: NcclTopology) -> str:
    over = set(cluster.transports)
    if over == {"tcp"}:
        return "1500 of TCP"
    if not over & {"infiniband", "roce"}:
        return "the provider's"
    asked = cluster.request.mtu
    return f"{DEFAULT_RDMA_MTU}, the usual" if asked is None else str(asked)
