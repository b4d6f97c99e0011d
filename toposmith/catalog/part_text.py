"""Text for the pieces of a part: a rate, a cage, the ends of a cable."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.parts import Cable, Gpu, Nic, Node, Slots, Transceiver
from toposmith.catalog.pieces import CableEnd, Cage, Cages, Pcie, PcieBranch, PowerSupplies
from toposmith.text import UNKNOWN, counted, plain_number

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


# InfiniBand names a rate by the speed of one lane; a bare name means four lanes.
_LANE_NAMES = {10: "QDR", 14: "FDR", 25: "EDR", 50: "HDR", 100: "NDR", 200: "XDR"}

# Networks of one vendor that speak neither InfiniBand nor plain RDMA over Ethernet.
_OWN_NETWORKS = {"efa": "EFA", "slingshot": "Slingshot", "tcpx": "TCPX", "tcpxo": "TCPXO"}

_TRANSPORTS = {"infiniband": "InfiniBand", "roce": "RoCE", "tcp": "TCP", **_OWN_NETWORKS}


def rate_name(nic: Nic) -> str:
    """Return the usual name of a NIC's rate: HDR, HDR100, NDR200, 200GbE, EFA 100G."""
    own = _OWN_NETWORKS.get(nic.transports[0]) if nic.transports else None
    if own:
        return f"{own} {nic.speed_gbit}G"
    lane = _LANE_NAMES.get(nic.speed_gbit // nic.lanes)
    if "infiniband" not in nic.protocols or lane is None:
        return f"{nic.speed_gbit}GbE"
    return lane if nic.lanes == 4 else f"{lane}{nic.speed_gbit}"


def yes_no(claim: bool | None) -> str:
    """Write a claim that may be unknown."""
    return UNKNOWN if claim is None else "yes" if claim else "no"


PROTOCOL_NAMES = {"infiniband": "InfiniBand", "ethernet": "Ethernet", "nvlink": "NVLink"}


def protocols(names: Iterable[str]) -> str:
    """Write protocols with their capitals."""
    return ", ".join(PROTOCOL_NAMES[name] for name in names)


def transports(nic: Nic) -> str:
    """Write the transports that collectives use, the usual one first."""
    ways = nic.transports or [nic.transport(protocol) for protocol in nic.protocols]
    return ", ".join(_TRANSPORTS[way] for way in ways)


def power_supplies(supplies: PowerSupplies | None) -> str:
    """Write power supplies as ``6 x 3,300 W, 1 spare``."""
    if supplies is None:
        return UNKNOWN
    spare = f", {supplies.spare} spare" if supplies.spare is not None else ""
    return f"{supplies.count} x {plain_number(supplies.rating_w)} W{spare}"


def pcie(link: Pcie) -> str:
    """Write a PCIe link as ``PCIe 4 x16``."""
    return f"PCIe {link.generation} x{link.width}"


def pcie_capacity(link: Pcie) -> str:
    """What a PCIe link carries, one direction, ``128 Gb/s of PCIe 3 x16``."""
    return f"{pcie_gbit(link):g} Gb/s of PCIe {link.generation} x{link.width}"


def cage(holder: Nic | Cages | Transceiver | CableEnd) -> str:
    """Write a cage, with the heat sink where only one sort fits."""
    heat_sink = f", {holder.heat_sink} modules" if holder.heat_sink else ""
    return cage_name(holder.cage) + heat_sink


def cage_name(name: Cage) -> str:
    """Write the name of a cage: QSFP-DD, OSFP; a provider's own has none."""
    match name:
        case "virtual":
            return "provider's own"
        case "unknown":
            return UNKNOWN
        case _:
            return name.upper()


def cable_ends(cable: Cable) -> str:
    """Write both ends of a cable as ``QSFP56 200 Gb/s to 2 x QSFP56 100 Gb/s``."""
    return f"{_cable_end(cable.a)} to {_cable_end(cable.b)}"


def _cable_end(end: CableEnd) -> str:
    plugs = f"{end.plugs} x " if end.plugs > 1 else ""
    return f"{plugs}{cage_name(end.cage)} {end.speed_gbit} Gb/s"


GPU_LINK_NAMES = {
    "nvlink": "NVLink",
    "xgmi": "xGMI",
    "ualink": "UALink",
    "ethernet": "scale-up Ethernet",
}
"""Links between GPUs, and what scale-up switches speak."""


def link_noun(kind: str) -> str:
    """The noun for one link between GPUs: NVLink, xGMI link."""
    return "NVLink" if kind == "nvlink" else "link"


def domain_noun(kind: str) -> str:
    """The noun for GPUs of several nodes that such links join through switches."""
    return "NVLink domain" if kind == "nvlink" else "scale-up domain"


def switches_noun(kind: str) -> str:
    """The noun for the switches of such links."""
    return "NVSwitches" if kind == "nvlink" else "scale-up switches"


def nvlinks(gpu: Gpu) -> str:
    """Write a GPU's links to other GPUs with their sum in one direction."""
    port = gpu.nvlink
    if port is None:
        return "no NVLink" if gpu.vendor == "NVIDIA" else "no links"
    name = f"{GPU_LINK_NAMES[port.kind]} {port.generation or ''}".rstrip()
    total = plain_number(port.GBps)
    each = plain_number(port.GBps_per_link)
    return f"{name}, {port.links} x {each} = {total} GB/s"


def nvlink_fabric(node: Node, kind: str) -> str:
    """Write how the GPUs of a node are joined by links of a kind."""
    fabric = node.nvlink
    if fabric is None:
        return "none, GPUs meet over PCIe"
    usual = fabric.links_per_pair or UNKNOWN
    match fabric.shape:
        case "nvswitch":
            domain = f", {fabric.domain_gpus} GPUs in the rack" if fabric.domain_gpus else ""
            return f"{fabric.switches or UNKNOWN} {switches_noun(kind)}{domain}"
        case "mesh" if fabric.pairs:
            joined = (f"{a}-{b} x {(*rest, usual)[0]}" for a, b, *rest in fabric.pairs)
            return f"mesh, {', '.join(joined)}"
        case "mesh":
            each = "unknown links" if usual == UNKNOWN else counted(int(usual), "link")
            return f"full mesh, {each} a pair"
        case "bridge":
            return "bridges " + ", ".join(f"{pair[0]}-{pair[1]}" for pair in fabric.pairs)


def pcie_branch(branch: PcieBranch) -> str:
    """Write one PCIe branch: its socket, its GPUs, its slots."""
    gpus = [f"GPU {numbers(branch.gpus)}"] if branch.gpus else []
    slots = [f"{group} {numbers(held)}" for group, held in branch.slots.items()]
    how = "switch" if branch.switch else "root ports"
    if branch.below is not None:
        how += f" below branch {branch.below}"
    if branch.uplink:
        how += f" on {pcie(branch.uplink)}"
    return f"socket {branch.socket} {how}: {' + '.join(gpus + slots)}"


def slower_links(links: dict[int, Pcie]) -> str:
    """Write the GPUs or slots whose links differ from the usual one: ``3 on PCIe 4 x8``."""
    return ", ".join(f"{number} on {pcie(link)}" for number, link in sorted(links.items()))


def numbers(values: Iterable[int]) -> str:
    """Write GPU or slot numbers with commas."""
    return ",".join(map(str, values))
