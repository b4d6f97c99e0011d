"""A node group as NCCL sees it: its GPUs of one communicator, their links and their NICs."""

from __future__ import annotations

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.ways import PCIE_SHARE
from toposmith.catalog import Catalog, Gpu, Node, Pcie
from toposmith.catalog.part_text import slower, usual_gpu_link
from toposmith.fabric.inside import (
    InsideEdge,
    collective_edges,
    inside_edges,
    nvlink_pairs,
)
from toposmith.fabric.plan import GroupPlan, PortGroup
from toposmith.nccl.constants import PCIE_X16_GBPS, WITHOUT_CAPABILITY, nvlink_GBps
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import NcclNode, NodeLink, PathType
from toposmith.units import line_rate_GBps

XGMI_SHARE = 0.75
"""Share of AMD's xGMI links that RCCL assumes: 48 of 64 GB/s per direction of an MI300X
(ROCm/rccl, src/graph/topo.h, GFX94X_XGMI_WIDTH)."""


def is_modelled(gpu: Gpu) -> bool:
    """Whether it is public how collectives use the links of this GPU.

    How RCCL counts UALink, or lanes of Ethernet, is not public.
    """
    return gpu.nvlink is None or gpu.nvlink.kind in ("nvlink", "xgmi")


def nccl_node(
    network: ComputeNetwork,
    catalog: Catalog,
    group: GroupPlan,
    version: NcclVersion,
    *,
    members: int,
    gpu_stride: int,
) -> NcclNode | None:
    """One node of a group, with the GPUs that a communicator has there.

    NCCL counts nodes that NVLink joins as one: the domain with the fewest trays represents all.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network, for the NICs.
    catalog : Catalog
        For the GPU.
    group : GroupPlan
        The node group.
    version : NcclVersion
        For NCCL's constants.
    members : int
        GPUs of the communicator in the node; 0 for all of them.
    gpu_stride : int
        Distance between them.
    """
    node = group.node
    gpu = catalog.get(node.gpu) if node else None
    if node is None or not isinstance(gpu, Gpu) or not is_modelled(gpu):
        return None
    trays = network.world.trays
    taken = tuple(range(0, node.gpus * trays, gpu_stride))[: members or node.gpus * trays]
    ports = network.ports(group)
    nic, count = (ports.nic, ports.nics) if ports else (None, 0)
    slot = node.slots[ports.name].pcie if ports else None
    even = _even_nvlink(node, gpu, version, len(taken))
    edges = collective_edges(inside_edges(group, catalog), ports.name if ports else None)
    return NcclNode(
        gpus=len(taken),
        compute_capability=_capability(gpu),
        cpu=node.cpu_vendor,
        nvlink_GBps=even,
        switched=node.nvlink is not None and node.nvlink.shape == "nvswitch",
        pcie_GBps=pcie_nccl_GBps(usual_gpu_link(node, gpu)),
        own_switch=all(b.switch and len(b.gpus) == 1 for b in node.branches if b.gpus),
        nics=count * trays,
        nic_GBps=line_rate_GBps(nic.together_gbit) if nic else 0.0,
        slot_GBps=pcie_nccl_GBps(slower(nic.pcie, slot)) if nic and slot else 0.0,
        nic_path=_nic_path(node, ports),
        wires=() if even or len(taken) == 1 else _wires(edges, taken, gpu, version),
    )


def pcie_nccl_GBps(pcie: Pcie) -> float:
    """GB/s that NCCL assumes for a PCIe link, one direction."""
    return PCIE_X16_GBPS[pcie.generation] * pcie.width / 16


def _capability(gpu: Gpu) -> int:
    return gpu.compute_capability or WITHOUT_CAPABILITY


def _per_link(gpu: Gpu, version: NcclVersion) -> float:
    """NVLink as NCCL counts it; AMD's xGMI as RCCL does."""
    if gpu.compute_capability is None:
        return gpu.nvlink.GBps_per_link * XGMI_SHARE if gpu.nvlink else 0.0
    return nvlink_GBps(gpu.compute_capability, version)


def _even_nvlink(node: Node, gpu: Gpu, version: NcclVersion, members: int) -> float:
    """NVLink GB/s of one GPU to all others, where it is the same to each; else 0."""
    if node.nvlink is None or gpu.nvlink is None:
        return 0.0
    if node.nvlink.shape == "nvswitch":
        return _per_link(gpu, version) * gpu.nvlink.links
    links = {(a, b): many for a, b, many in nvlink_pairs(node, gpu)}
    whole = len(links) == node.gpus * (node.gpus - 1) // 2
    if not whole or len(set(links.values())) != 1:
        return 0.0
    return _per_link(gpu, version) * next(iter(links.values())) * (members - 1)


def _nic_path(node: Node, ports: PortGroup | None) -> PathType:
    """From the NICs in use to the GPUs nearest to them; the farthest of all NICs."""
    if ports is None or not ports.nics:
        return PathType.PIX
    sockets = {branch.socket for branch in node.branches if branch.gpus}
    paths = [PathType.LOC]
    for branch in node.branches:
        if not any(slot < ports.nics for slot in branch.slots.get(ports.name, ())):
            continue
        if branch.switch and branch.gpus:
            paths.append(PathType.PIX)
        else:
            paths.append(PathType.PHB if branch.socket in sockets else PathType.SYS)
    return max(paths)


def _wires(
    edges: tuple[InsideEdge, ...], taken: tuple[int, ...], gpu: Gpu, version: NcclVersion
) -> tuple[NodeLink, ...]:
    """The inside of a node with NCCL's rates, which are round, without GPUs of other groups."""
    link_share = _per_link(gpu, version) / gpu.nvlink.GBps_per_link if gpu.nvlink else 1.0
    share = {"nvlink": link_share, "pcie": PCIE_SHARE, "socket": 1.0, "adapter": 1.0}
    return tuple(
        NodeLink(edge.a, edge.b, round(edge.GBps * share[edge.tier], 1), edge.tier)
        for edge in edges
        if all(end[0] != "gpu" or end[1] in taken for end in (edge.a, edge.b))
    )
