"""How the pieces of a part are said in words: a rate, a cage, the ends of a cable."""

from __future__ import annotations

from collections.abc import Iterable

from catalog.parts import Cable, CableEnd, Cages, Gpu, Nic, Node, Pcie, PcieBranch, Transceiver

UNKNOWN = "unknown"

# InfiniBand names a rate by the speed of one lane; a bare name means four lanes.
_LANE_NAMES = {25: "EDR", 50: "HDR", 100: "NDR", 200: "XDR"}


def rate_name(nic: Nic) -> str:
    """Return what the field calls a NIC's rate: HDR, HDR100, NDR200, 200GbE."""
    lane = _LANE_NAMES.get(nic.speed_gbit // nic.lanes)
    if "infiniband" not in nic.protocols or lane is None:
        return f"{nic.speed_gbit}GbE"
    return lane if nic.lanes == 4 else f"{lane}{nic.speed_gbit}"


def number(value: float | None) -> str:
    """Write a number without needless zeros, and a missing one as unknown."""
    return UNKNOWN if value is None else f"{value:g}" if value % 1 else f"{value:.0f}"


def yes_no(claim: bool | None) -> str:
    """Write a claim that may be unknown."""
    return UNKNOWN if claim is None else "yes" if claim else "no"


def protocols(names: Iterable[str]) -> str:
    """Write protocols with the capitals that they have."""
    return ", ".join({"infiniband": "InfiniBand", "ethernet": "Ethernet"}[name] for name in names)


def pcie(link: Pcie) -> str:
    """Write a PCIe link as ``PCIe 4 x16``."""
    return f"PCIe {link.generation} x{link.width}"


def cage(holder: Nic | Cages | Transceiver | CableEnd) -> str:
    """Write a cage, with the heat sink where only one sort fits."""
    heat_sink = f", {holder.heat_sink} modules" if holder.heat_sink else ""
    return holder.cage.upper() + heat_sink


def cable_ends(cable: Cable) -> str:
    """Write both ends of a cable as ``QSFP56 200 Gb/s to 2 x QSFP56 100 Gb/s``."""
    return f"{_cable_end(cable.a)} to {_cable_end(cable.b)}"


def _cable_end(end: CableEnd) -> str:
    plugs = f"{end.plugs} x " if end.plugs > 1 else ""
    return f"{plugs}{end.cage.upper()} {end.speed_gbit} Gb/s"


def nvlinks(gpu: Gpu) -> str:
    """Write a GPU's NVLinks with their sum in one direction."""
    port = gpu.nvlink
    if port is None:
        return "no NVLink"
    total = number(port.links * port.GBps_per_link)
    each = number(port.GBps_per_link)
    return f"NVLink {port.generation}, {port.links} x {each} = {total} GB/s"


def nvlink_fabric(node: Node) -> str:
    """Write how the GPUs of a node are joined."""
    fabric = node.nvlink
    if fabric is None:
        return "none, GPUs meet over PCIe"
    match fabric.shape:
        case "nvswitch":
            return f"{fabric.switches or UNKNOWN} NVSwitches"
        case "mesh":
            return f"full mesh, {fabric.links_per_pair or UNKNOWN} links a pair"
        case "bridge":
            return "bridges " + ", ".join(f"{pair[0]}-{pair[1]}" for pair in fabric.pairs)


def pcie_branch(branch: PcieBranch) -> str:
    """Write one PCIe branch: its socket, its GPUs, its slots."""
    gpus = [f"GPU {numbers(branch.gpus)}"] if branch.gpus else []
    slots = [f"{group} {numbers(held)}" for group, held in branch.slots.items()]
    how = "switch" if branch.switch else "root ports"
    return f"socket {branch.socket} {how}: {' + '.join(gpus + slots)}"


def numbers(values: Iterable[int]) -> str:
    """Write GPU or slot numbers with commas."""
    return ",".join(map(str, values))
