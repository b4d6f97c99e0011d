"""What a part may not say: checks that catch figures which cannot be true together.

A part that passes may still be wrong; one that fails certainly is. pydantic has checked types and
ranges before; here stand the rules that need two figures, or a second part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel

from catalog.library import Catalog
from catalog.parts import AnyPart, Cable, CableEnd, Gpu, Nic, Node, Part, Pcie, Slots, Switch

# Gb/s per lane and direction as PCI Express carries it, by generation: an x16 link gives 126, 252,
# 504 and 968 (ml-engineering, network/README.md at 744d01e1, GB/s of x16 times 8 / 16).
PCIE_LANE_GBIT = {3: 126 / 16, 4: 252 / 16, 5: 504 / 16, 6: 968 / 16}

# No NVLink so far moves more than 50 GB/s one way (NVLink 5); marketing figures are twice that.
NVLINK_CEILING_GBPS = 60


def check_part(part: AnyPart, catalog: Catalog) -> list[str]:
    """Find what cannot be true of a part.

    Parameters
    ----------
    part : AnyPart
        The part to look at.
    catalog : Catalog
        Where the GPUs and NICs are found that a node names.

    Returns
    -------
    list of str
        One line for each fault, beginning with the field; empty when nothing is wrong.
    """
    faults = _citations(part)
    match part:
        case Gpu():
            faults += _gpu(part)
        case Nic():
            faults += _nic(part)
        case Switch():
            faults += _switch(part)
        case Node():
            faults += _node(part, catalog)
        case Cable():
            faults += _cable(part)
        case _:
            pass
    return faults


def pcie_gbit(pcie: Pcie) -> float:
    """Return what a PCIe link carries in one direction, in Gb/s."""
    return PCIE_LANE_GBIT[pcie.generation] * pcie.width


def _citations(part: Part) -> list[str]:
    """Sources and doubts must be about fields that the part gives."""
    faults = [] if part.source.strip() else ["source: is empty"]
    for listed, paths in (("sources", part.sources), ("unverified", part.unverified)):
        faults += [
            f"{listed}: {path!r} is no field that this part gives"
            for path in paths
            if not _is_given(part, path)
        ]
    return faults


def _is_given(part: Part, path: str) -> bool:
    """Tell whether a dotted path such as ``slots.compute.cages`` leads to a value."""
    value: object = part
    for step in path.split("."):
        if isinstance(value, BaseModel):
            value = getattr(value, step, None)
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return False
    return value is not None


def _gpu(gpu: Gpu) -> list[str]:
    if gpu.nvlink and gpu.nvlink.GBps_per_link > NVLINK_CEILING_GBPS:
        return [
            f"nvlink.GBps_per_link: {gpu.nvlink.GBps_per_link:g} GB/s is more than any NVLink "
            f"moves one way ({NVLINK_CEILING_GBPS}); are both directions added?"
        ]
    return []


def _nic(nic: Nic) -> list[str]:
    # One port has to fit; of a dual-port adapter that both ports together do not is ordinary.
    if nic.speed_gbit > pcie_gbit(nic.pcie):
        return [
            f"speed_gbit: a port of {nic.speed_gbit} Gb/s does not fit through "
            f"PCIe {nic.pcie.generation} x{nic.pcie.width} ({pcie_gbit(nic.pcie):g} Gb/s)"
        ]
    return []


def _switch(switch: Switch) -> list[str]:
    faults = []
    native_gbit = switch.ports * switch.native.speed_gbit
    if switch.capacity_gbit is not None and switch.capacity_gbit != native_gbit:
        twice = switch.capacity_gbit == 2 * native_gbit
        faults.append(
            f"capacity_gbit: {switch.capacity_gbit}, but {switch.ports} ports x "
            f"{switch.native.speed_gbit} Gb/s is {native_gbit}"
            + ("; are both directions added?" if twice else "")
        )
    cage_gbit = switch.native.ports * switch.native.speed_gbit
    for mode in switch.cages.modes:
        if mode.ports > switch.cages.lanes:
            faults.append(
                f"cages.modes: {mode.ports} ports from a cage of {switch.cages.lanes} lanes"
            )
        if mode.ports * mode.speed_gbit > cage_gbit:
            faults.append(
                f"cages.modes: {mode.ports} x {mode.speed_gbit} Gb/s is more than the "
                f"{cage_gbit} Gb/s of the native mode"
            )
    return faults


def _node(node: Node, catalog: Catalog) -> list[str]:
    faults = []
    if not isinstance(catalog.get(node.gpu), Gpu):
        faults.append(f"gpu: {node.gpu!r} is no GPU of the catalog")
    gpus = [gpu for branch in node.branches for gpu in branch.gpus]
    faults += _dealt_once("branches: GPU", gpus, node.gpus)
    for branch in node.branches:
        if branch.socket >= node.sockets:
            faults.append(f"branches: socket {branch.socket} of {node.sockets}")
        faults += [
            f"branches: {group!r} is no slot group" for group in branch.slots.keys() - node.slots
        ]
    for group, slots in node.slots.items():
        dealt = [slot for branch in node.branches for slot in branch.slots.get(group, ())]
        faults += _dealt_once(f"branches: {group} slot", dealt, slots.count)
        faults += _slots(f"slots.{group}", slots, catalog)
    if node.nvlink and node.nvlink.shape != "nvswitch" and node.nvlink.links_per_pair is None:
        faults.append(f"nvlink.links_per_pair: a {node.nvlink.shape} needs it")
    if node.nvlink:
        pairs = [gpu for pair in node.nvlink.pairs for gpu in pair[:2]]
        faults += [f"nvlink.pairs: no GPU {gpu}" for gpu in pairs if not 0 <= gpu < node.gpus]
    return faults


def _slots(field: str, slots: Slots, catalog: Catalog) -> list[str]:
    faults = []
    if slots.fitted > slots.count:
        faults.append(f"{field}.fitted: {slots.fitted} NICs in {slots.count} slots")
    if slots.fitted and slots.nic is None:
        faults.append(f"{field}.nic: {slots.fitted} are fitted, but not said which")
    if slots.cages:
        behind = [slot for cage in slots.cages.values() for slot in cage]
        faults += _dealt_once(f"{field}.cages: slot", behind, slots.count)
    if slots.nic is None:
        return faults
    nic = catalog.get(slots.nic)
    if not isinstance(nic, Nic):
        faults.append(f"{field}.nic: {slots.nic!r} is no NIC of the catalog")
    elif nic.speed_gbit > pcie_gbit(slots.pcie):
        faults.append(
            f"{field}.nic: a port of {nic.speed_gbit} Gb/s does not fit through "
            f"PCIe {slots.pcie.generation} x{slots.pcie.width} ({pcie_gbit(slots.pcie):g} Gb/s)"
        )
    return faults


def _cable(cable: Cable) -> list[str]:
    faults = []
    if _end_gbit(cable.a) != _end_gbit(cable.b):
        faults.append(f"b: {_end_gbit(cable.b)} Gb/s, but end a has {_end_gbit(cable.a)} Gb/s")
    if cable.lengths_m and max(cable.lengths_m) > cable.reach_m:
        faults.append(f"lengths_m: {max(cable.lengths_m):g} m, but reach_m is {cable.reach_m:g}")
    return faults


def _end_gbit(end: CableEnd) -> int:
    return end.plugs * end.speed_gbit


def _dealt_once(what: str, numbers: Iterable[int], count: int) -> list[str]:
    """Each of 0..count-1 has to occur exactly once among the numbers."""
    times = Counter(numbers)
    missing = [f"{what} {number} is missing" for number in range(count) if not times[number]]
    extra = [f"{what} {number} does not exist" for number in times if not 0 <= number < count]
    twice = [f"{what} {number} occurs {n} times" for number, n in times.items() if n > 1]
    return missing + extra + twice
