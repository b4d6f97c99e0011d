"""Nodes of 8 GPUs as NCCL counts their links, for the tests of its search."""

from __future__ import annotations

from toposmith.nccl.node import NcclNode, NodeLink, PathType

NVLINK = {70: 120.0, 80: 240.0, 90: 370.8, 100: 721.8}
"""GB/s of one GPU and direction: 6 x 20, 12 x 20, 18 x 20.6, 18 x 40.1."""

PCIE = {3: 12.0, 4: 24.0, 5: 48.0}


def nvswitch(
    capability: int,
    nics: int = 0,
    gbit: float = 0,
    *,
    gpus: int = 8,
    generation: int = 0,
    own_switch: bool = False,
) -> NcclNode:
    """GPUs behind NVSwitches with so many NICs of a line rate; two GPUs on a PCIe switch."""
    pcie = PCIE[generation or (4 if capability == 80 else 5)]
    return NcclNode(
        gpus=gpus,
        compute_capability=capability,
        cpu="amd" if capability == 80 else "intel",
        nvlink_GBps=NVLINK[capability],
        switched=True,
        pcie_GBps=pcie,
        own_switch=own_switch,
        nics=nics,
        nic_GBps=gbit / 8,
        slot_GBps=pcie,
    )


def pcie_only(cpu: str, socket: float, nic_sockets: tuple[int, ...] = ()) -> NcclNode:
    """Eight GPUs on two sockets without NVLink, with a 200G NIC on each socket that is named."""
    wires = [NodeLink(("gpu", gpu), ("cpu", gpu // 4), 24.0, "pcie") for gpu in range(8)]
    wires += [
        NodeLink(("slot", "compute", number), ("cpu", at), 24.0, "pcie")
        for number, at in enumerate(nic_sockets)
    ]
    wires.append(NodeLink(("cpu", 0), ("cpu", 1), socket, "socket"))
    return NcclNode(
        gpus=8,
        compute_capability=80,
        cpu=cpu,  # type: ignore[arg-type]
        nvlink_GBps=0.0,
        switched=False,
        pcie_GBps=24.0,
        own_switch=False,
        nics=len(nic_sockets),
        nic_GBps=25.0,
        slot_GBps=24.0,
        nic_path=PathType.PHB,
        wires=tuple(wires),
    )


HYBRID_CUBE_MESH = (
    *((0, 1, 1), (0, 2, 1), (0, 3, 2), (0, 4, 2), (1, 2, 2), (1, 3, 1), (1, 5, 2), (2, 3, 2)),
    *((2, 6, 1), (3, 7, 1), (4, 5, 1), (4, 6, 1), (4, 7, 2), (5, 6, 2), (5, 7, 1), (6, 7, 2)),
)
"""NVLinks of a DGX-1 with V100 GPUs: two GPUs and how many links join them."""


def dgx_1() -> NcclNode:
    """Eight V100 in a hybrid cube mesh: six NVLinks each, four of them in pairs."""
    wires = [
        NodeLink(("gpu", a), ("gpu", b), 20.0 * links, "nvlink") for a, b, links in HYBRID_CUBE_MESH
    ]
    wires += [NodeLink(("gpu", gpu), ("pcie", gpu // 2), 12.0, "pcie") for gpu in range(8)]
    return NcclNode(
        gpus=8,
        compute_capability=70,
        cpu="intel",
        nvlink_GBps=0.0,
        switched=False,
        pcie_GBps=12.0,
        own_switch=False,
        nics=0,
        nic_GBps=0.0,
        slot_GBps=0.0,
        wires=tuple(wires),
    )
