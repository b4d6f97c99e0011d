"""The PCIe links inside a node: what each GPU, slot and switch gets, and what it carries."""

from __future__ import annotations

from toposmith.catalog.parts import Gpu, Nic, Node
from toposmith.catalog.pieces import Pcie, PcieBranch

# Gb/s per lane and direction as PCI Express carries it, by generation: an x16 link gives 126, 252,
# 504 and 968 (ml-engineering, network/README.md at 744d01e1, GB/s of x16 times 8 / 16). Before
# generation 3, eight bits took ten on the link: 2.5 and 5 GT/s carry 2 and 4 Gb/s.
PCIE_LANE_GBIT = {1: 2.0, 2: 4.0, 3: 126 / 16, 4: 252 / 16, 5: 504 / 16, 6: 968 / 16}


def pcie_gbit(pcie: Pcie) -> float:
    """Return what a PCIe link carries in one direction, in Gb/s."""
    return PCIE_LANE_GBIT[pcie.generation] * pcie.width


def slower(first: Pcie, second: Pcie | None) -> Pcie:
    """What two ends of a PCIe link negotiate: the older generation and the narrower width."""
    if second is None:
        return first
    return Pcie(
        generation=min(first.generation, second.generation), width=min(first.width, second.width)
    )


def usual_gpu_link(node: Node, gpu: Gpu) -> Pcie:
    """The PCIe link of a node's GPUs, except those that ``gpu_links`` lists."""
    return slower(gpu.pcie, node.gpu_pcie)


def gpu_link(node: Node, gpu: Gpu, number: int) -> Pcie:
    """The PCIe link of one GPU of a node."""
    return slower(usual_gpu_link(node, gpu), node.gpu_links.get(number))


def slot_room(node: Node, group: str, number: int) -> Pcie:
    """What one NIC slot of a node offers."""
    slots = node.slots[group]
    return slower(slots.pcie, slots.links.get(number))


def slot_link(node: Node, nic: Nic, group: str, number: int) -> Pcie:
    """The PCIe link of a NIC in one slot of a node."""
    return slower(nic.pcie, slot_room(node, group, number))


def uplink(node: Node, gpu: Gpu, branch: PcieBranch) -> Pcie:
    """The link from a branch's switch to the socket, or to the switch that it hangs below."""
    return branch.uplink or usual_gpu_link(node, gpu)
