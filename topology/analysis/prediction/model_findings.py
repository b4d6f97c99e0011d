"""What a reader should know about a prediction: what holds it back, and what it leaves out."""

from __future__ import annotations

from toposmith.topology.analysis.prediction.demands import is_amd
from toposmith.topology.analysis.prediction.payload import COPIED_SOURCE
from toposmith.topology.analysis.prediction.predictor import Predictor
from toposmith.topology.analysis.request import Request
from toposmith.topology.fabric.nvlink_domains import domain_findings
from toposmith.topology.fabric.plan import Finding

SMALL_SHARE_BYTES = 64 * 2**10


SHARP_ALGORITHMS = ("collnet_direct", "collnet_chain", "nvls")
"""What reduces in the switches of the network; NVLS between nodes does so, too."""


def model_findings(predictor: Predictor, request: Request, algorithm: str) -> list[Finding]:
    """Findings about the prediction itself; ``algorithm`` is what runs."""
    return [
        *_not_nccl(predictor),
        *_unlike_nodes(predictor),
        *_sockets(predictor),
        *_own_switches(predictor, request),
        *_wider_domains(predictor),
        *_sharp(predictor, request, algorithm),
        *_without_gpudirect(predictor),
        *_small_shares(predictor, request),
        *_nothing_to_choose(request),
    ]


def _not_nccl(predictor: Predictor) -> list[Finding]:
    """AMD GPUs run RCCL: a fork of NCCL with searches and tables of its own."""
    groups = [name for name in predictor.cluster.nodes if is_amd(predictor.cluster, name)]
    if not groups:
        return []
    text = (
        "AMD GPUs run RCCL, which is not modelled: the figures are what NCCL would reach on such "
        "links, and no published results stand behind them"
    )
    return [Finding("rccl-not-modelled", "info", " + ".join(groups), text)]


def _unlike_nodes(predictor: Predictor) -> list[Finding]:
    weakest = predictor.cluster.weakest_group
    if weakest is None:
        return []
    text = (
        "its nodes are the weakest: NCCL takes the fewest channels and the slowest speed of all "
        "ranks, so that they hold the others back"
    )
    return [Finding("weakest-node", "warning", weakest, text)]


def _sockets(predictor: Predictor) -> list[Finding]:
    cluster = predictor.cluster
    if cluster.groups.nodes == 1 or "tcp" not in cluster.transports:
        return []
    text = f"NCCL goes over TCP sockets here, and the CPU copies all data: {COPIED_SOURCE}"
    return [Finding("tcp-sockets", "warning", "network", text)]


def _own_switches(predictor: Predictor, request: Request) -> list[Finding]:
    affected = (2, 26) <= request.version < (2, 29) and predictor.cluster.groups.nodes > 1
    nodes = predictor.cluster.nodes.items()
    names = [n for n, node in nodes if node.own_switch and node.compute_capability == 80]
    text = (
        "every A100 has a PCIe switch to itself: NCCL 2.26 to 2.28 may find one slow channel only "
        "(seen in runs of its search, not on hardware)"
    )
    return [Finding("nccl-own-switch", "info", name, text) for name in names if affected]


def _wider_domains(predictor: Predictor) -> list[Finding]:
    if predictor.cluster.groups.nodes == 1:
        return []
    return domain_findings(predictor.cluster.network.world.groups)


def _sharp(predictor: Predictor, request: Request, algorithm: str) -> list[Finding]:
    """That SHARP cannot be had, or that the figure is without it all the same."""
    if not request.sharp or predictor.cluster.groups.nodes == 1:
        return []
    if not predictor.cluster.reduces:
        text = "SHARP is asked for, but not every switch of the compute network can reduce"
        return [Finding("no-sharp", "warning", "network", text)]
    if request.collective != "all_reduce":
        return []
    if algorithm in SHARP_ALGORITHMS:
        text = (
            "what SHARP reaches of the NICs is of one published system, 62 % with NCCL 2.12 and "
            "86 % with 2.16 (github.com/coreweave/nccl-tests); the figure takes 86 %"
        )
        return [Finding("sharp-of-one-system", "info", "network", text)]
    text = f"SHARP is asked for, but {algorithm} is quicker here, so that the figure is without it"
    return [Finding("sharp-not-chosen", "info", "network", text)]


def _without_gpudirect(predictor: Predictor) -> list[Finding]:
    """EFA where NICs do not reach the memory of GPUs, or nobody says that they do."""
    cluster = predictor.cluster
    if cluster.groups.nodes == 1 or "efa" not in cluster.transports:
        return []
    if not cluster.gpudirect:
        text = (
            "EFA reaches the memory of GPUs from A100 on; with older ones all data go through the "
            f"CPU's: {COPIED_SOURCE}"
        )
        return [Finding("efa-without-gpudirect", "warning", "network", text)]
    names = [name for name, node in cluster.nodes.items() if not node.switched]
    text = (
        "GPUDirect RDMA over EFA is not known of these nodes, and taken for granted; where data go "
        "through the CPU's memory, large messages get less"
    )
    return [Finding("efa-gpudirect-unknown", "info", name, text) for name in names]


def _nothing_to_choose(request: Request) -> list[Finding]:
    if request.algorithm is None or request.collective not in ("all_to_all", "send_recv"):
        return []
    text = f"{request.algorithm} is asked for, but exchanges have no algorithm to choose"
    return [Finding("no-algorithm", "info", "communicator", text)]


def _small_shares(predictor: Predictor, request: Request) -> list[Finding]:
    if request.collective != "all_to_all":
        return []
    share = request.message_bytes / predictor.cluster.groups.size
    if predictor.cluster.groups.nodes == 1 or share >= SMALL_SHARE_BYTES:
        return []
    text = (
        f"each rank sends {share:,.1f} bytes to each other: what a NIC spends on a message is not "
        "modelled, so that the real figure is lower"
    )
    return [Finding("small-messages", "info", "communicator", text)]
