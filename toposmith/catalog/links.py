"""The PCIe links inside a node: what each GPU, slot and switch gets, and what it carries."""

from __future__ import annotations

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.parts import Gpu, Nic, Node, Slots
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


PROVIDERS_OWN = "the provider's own, comes with its nodes only"


def built_in_nics(catalog: Catalog) -> dict[str, str]:
    """NICs that are part of a node's board, by id, with the first node that has them."""
    holders: dict[str, str] = {}
    for holder in catalog:
        if isinstance(holder, Node):
            for room in holder.slots.values():
                if room.cages and room.nic:
                    holders.setdefault(room.nic, holder.name)
    return holders


def slot_refusal(nic: Nic, room: Slots, built_in: dict[str, str]) -> str:
    """Why a NIC does not go into a slot; empty where it does."""
    if room.nic == nic.id:
        return ""
    if nic.cage == "virtual":
        return PROVIDERS_OWN
    if room.cages:
        return "the NICs of these slots are built in"
    if nic.id in built_in:
        return f"comes built into {built_in[nic.id]} only"
    if nic.pcie.width > room.pcie.width:
        return f"needs x{nic.pcie.width} lanes, the slot has x{room.pcie.width}"
    return ""
