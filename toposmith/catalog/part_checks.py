"""Checks of GPUs, nodes and ports: links they do not have, rates that no lane runs at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.part_text import pcie_capacity, pcie_gbit
from toposmith.catalog.parts import Cable, Fibre, Gpu, Nic, Node, Switch, Transceiver
from toposmith.catalog.pieces import LINKS_NOT_MODELLED, CableEnd, Cage, Cages, NvlinkPort, Slots
from toposmith.text import counted

# Links of a GPU and GB/s of each, one direction, by generation; makers print the sum of both
# directions (300, 600, 900, 1,800 and 3,600 GB/s for NVLink 2 to 6).
NVLINK_MOST = {
    1: (4, 20.0),
    2: (6, 25.0),
    3: (12, 25.0),
    4: (18, 25.0),
    5: (18, 50.0),
    6: (36, 50.0),
}
# Generation 2 is the MI100's: 92 GB/s per link in both directions, and six links on the die (Linux,
# drivers/gpu/drm/amd/amdgpu/amdgpu_xgmi.c, registers of gfx908), of which its card has three.
XGMI_MOST = {2: (6, 46.0), 3: (8, 50.0), 4: (7, 76.8)}


def gpu_faults(gpu: Gpu) -> list[str]:
    """Find what cannot be true of a GPU's links."""
    faults = []
    if gpu.vendor != "NVIDIA" and gpu.nvlink and gpu.nvlink.kind == "nvlink":
        faults.append(f"nvlink.kind: NVLink is NVIDIA's, the vendor is {gpu.vendor}")
    return faults + (_gpu_links(gpu.nvlink) if gpu.nvlink else [])


def _gpu_links(port: NvlinkPort) -> list[str]:
    if port.kind in LINKS_NOT_MODELLED:
        return []  # the protocol does not limit the lanes of a GPU
    name, known = ("NVLink", NVLINK_MOST) if port.kind == "nvlink" else ("xGMI", XGMI_MOST)
    if port.generation not in known:
        some = ", ".join(map(str, known))
        return [f"nvlink.generation: no {name} {port.generation} is known (only {some})"]
    links, each = known[port.generation or 0]
    if port.GBps_per_link > each:
        return [
            f"nvlink.GBps_per_link: {port.GBps_per_link:g} GB/s, but {name} {port.generation} "
            f"moves {each:g} GB/s one way; are both directions added?"
        ]
    if port.links > links:
        return [
            f"nvlink.links: {port.links} give {port.GBps:g} GB/s, but a GPU with {name} "
            f"{port.generation} has at most {links} = {links * each:g} GB/s one way; are both "
            "directions added?"
        ]
    return []


def node_faults(node: Node, catalog: Catalog) -> list[str]:
    """Find what cannot be true of a node's inside, given the GPUs and NICs of the catalog."""
    faults = []
    gpu = catalog.get(node.gpu)
    if not isinstance(gpu, Gpu):
        faults.append(f"gpu: {node.gpu!r} is no GPU of the catalog")
    gpus = [number for branch in node.branches for number in branch.gpus]
    faults += _dealt_once("branches: GPU", gpus, node.gpus)
    for number, branch in enumerate(node.branches):
        if branch.socket >= node.sockets:
            faults.append(f"branches: socket {branch.socket} of {node.sockets}")
        faults += [
            f"branches: {group!r} is no slot group" for group in branch.slots.keys() - node.slots
        ]
        faults += _hangs(node, number)
    faults += [
        f"gpu_links: GPU {gpu} does not exist" for gpu in node.gpu_links if not 0 <= gpu < node.gpus
    ]
    for group, slots in node.slots.items():
        dealt = [slot for branch in node.branches for slot in branch.slots.get(group, ())]
        faults += _dealt_once(f"branches: {group} slot", dealt, slots.count)
        faults += slot_faults(f"slots.{group}", slots, catalog)
    if node.nvlink:
        faults += _joined(node, gpu.nvlink if isinstance(gpu, Gpu) else None)
        if isinstance(gpu, Gpu) and gpu.nvlink is None:
            faults.append(f"nvlink: {node.gpu!r} has no links to other GPUs")
    return faults


def _joined(node: Node, port: NvlinkPort | None) -> list[str]:
    """How the GPUs of a node are joined has to fit its GPUs and their links."""
    fabric = node.nvlink
    assert fabric is not None
    faults = []
    if fabric.domain_gpus is not None and fabric.domain_gpus < node.gpus:
        faults.append(f"nvlink.domain_gpus: {fabric.domain_gpus}, but the node has {node.gpus}")
    if fabric.shape == "nvswitch":
        return faults + (["nvlink.pairs: NVSwitches join all GPUs"] if fabric.pairs else [])
    every_count = fabric.pairs and all(len(pair) == 3 for pair in fabric.pairs)
    if fabric.links_per_pair is None and not every_count:
        faults.append(f"nvlink.links_per_pair: a {fabric.shape} needs it")
    if fabric.shape == "bridge" and not fabric.pairs:
        faults.append("nvlink.pairs: bridges need them")
    gpus = [gpu for pair in fabric.pairs for gpu in pair[:2]]
    faults += [f"nvlink.pairs: no GPU {gpu}" for gpu in gpus if not 0 <= gpu < node.gpus]
    pairs = [tuple(sorted(pair[:2])) for pair in fabric.pairs]
    faults += [f"nvlink.pairs: GPU {a} with itself" for a, b in pairs if a == b]
    faults += [f"nvlink.pairs: {a}-{b} twice" for (a, b), n in Counter(pairs).items() if n > 1]
    usual = fabric.links_per_pair or 0
    used: Counter[int] = Counter()
    for pair in fabric.pairs or [(a, b) for a in range(node.gpus) for b in range(a)]:
        for gpu in pair[:2]:
            used[gpu] += pair[2] if len(pair) == 3 else usual
    if port is not None:
        faults += [
            f"nvlink.pairs: GPU {gpu} uses {counted(count, 'link')} and has {port.links}"
            for gpu, count in sorted(used.items())
            if count > port.links
        ]
    return faults


def _hangs(node: Node, number: int) -> list[str]:
    """A switch hangs on the socket, or on a switch of the same socket that leads there."""
    branch = node.branches[number]
    if branch.below is None:
        return []
    field = f"branches.{number}.below"
    if not branch.switch:
        return [f"{field}: root ports hang on the socket, below nothing"]
    if branch.below >= len(node.branches):
        return [f"{field}: there is no branch {branch.below}, the last is {len(node.branches) - 1}"]
    upper = node.branches[branch.below]
    if not upper.switch or upper.socket != branch.socket:
        return [f"{field}: branch {branch.below} is no PCIe switch of socket {branch.socket}"]
    seen = {number}
    above: int | None = branch.below
    while above is not None and above < len(node.branches):
        if above in seen:
            return [f"{field}: branch {number} would hang below itself"]
        seen.add(above)
        above = node.branches[above].below
    return []


def slot_faults(field: str, slots: Slots, catalog: Catalog) -> list[str]:
    """Find what cannot be true of a slot group, given the NICs of the catalog."""
    faults = [
        f"{field}.links: slot {slot} does not exist"
        for slot in slots.links
        if not 0 <= slot < slots.count
    ]
    if slots.fitted > slots.count:
        faults.append(
            f"{field}.fitted: {counted(slots.fitted, 'NIC')} in {counted(slots.count, 'slot')}"
        )
    if slots.fitted and slots.nic is None:
        faults.append(f"{field}.nic: {slots.fitted} are fitted, but not said which")
    if slots.cages:
        behind = [slot for cage in slots.cages.values() for slot in cage]
        faults += _dealt_once(f"{field}.cages: slot", behind, slots.count)
    if slots.nic is not None and not isinstance(catalog.get(slots.nic), Nic):
        faults.append(f"{field}.nic: {slots.nic!r} is no NIC of the catalog")
    return faults


def fitted_nics(groups: Mapping[str, Slots]) -> tuple[str, ...]:
    """The NICs that slot groups are sold with, by id."""
    return tuple(slots.nic for slots in groups.values() if slots.nic)


def slower_slots(groups: Mapping[str, Slots], catalog: Catalog) -> Iterator[str]:
    """Slots that are slower than a port of their NIC: all of a group, or single ones."""
    for group, slots in groups.items():
        nic = catalog.get(slots.nic) if slots.nic else None
        if not isinstance(nic, Nic):
            continue
        usual = {f"slots.{group}": slots.pcie}
        single = {f"slots.{group}.links.{slot}": link for slot, link in sorted(slots.links.items())}
        for field, link in (usual | single).items():
            if nic.speed_gbit > pcie_gbit(link):
                gives = pcie_capacity(link)
                yield f"{field}: a port of {nic.speed_gbit} Gb/s gets no more than the {gives}"


def _dealt_once(what: str, numbers: Iterable[int], count: int) -> list[str]:
    """Each of 0..count-1 has to occur exactly once among the numbers."""
    times = Counter(numbers)
    missing = [f"{what} {number} is missing" for number in range(count) if not times[number]]
    extra = [f"{what} {number} does not exist" for number in times if not 0 <= number < count]
    twice = [f"{what} {number} occurs {n} times" for number, n in times.items() if n > 1]
    return missing + extra + twice


# Speeds of ports and plugs, Gb/s: the Ethernet rates of IEEE 802.3 and the InfiniBand rates of four
# lanes; 1600 is a cage with two ports of 800.
LINE_RATES_GBIT = (1, 10, 25, 40, 50, 56, 100, 200, 400, 800, 1600)

# Gb/s of one electrical lane: 1G and 10G, FDR (56 over four), and the NRZ and PAM4 steps since.
LANE_RATES_GBIT = (1, 10, 14, 25, 50, 100, 200)

# The most lanes of a cage and the fastest that each may be, Gb/s, by the specification of its form:
# SFF-8431 and SFF-8402 (SFP), SFF-8436 and SFF-8665 (QSFP), QSFP-DD MSA, OSFP MSA.
CAGE_LANES: dict[Cage, tuple[int, int]] = {
    "rj45": (1, 10),
    "sfp+": (1, 10),
    "sfp28": (1, 25),
    "qsfp+": (4, 14),
    "qsfp28": (4, 25),
    "qsfp56": (4, 50),
    "qsfp112": (4, 100),
    "qsfp-dd": (8, 50),
    "qsfp-dd800": (8, 100),
    "osfp": (8, 200),
    "virtual": (8, 200),
    "unknown": (8, 200),
}

# Cages for which it is unknown how the rate of a port is divided over lanes.
_UNSEEN: tuple[Cage, ...] = ("virtual", "unknown")


def nic_faults(nic: Nic) -> list[str]:
    """Find what cannot be true of a NIC's ports."""
    faults = _rate("speed_gbit", nic.speed_gbit)
    faults += _fits_cage("speed_gbit", nic.speed_gbit, nic.cage)
    faults += _lanes("lanes", nic.lanes, nic.cage)
    if nic.cage not in _UNSEEN and nic.speed_gbit / nic.lanes not in LANE_RATES_GBIT:
        faults.append(
            f"speed_gbit: {nic.speed_gbit} Gb/s over {nic.lanes} lanes is "
            f"{nic.speed_gbit / nic.lanes:g} Gb/s a lane, which none runs at{_bytes(nic)}"
        )
    if nic.shared_gbit is not None and not (
        nic.speed_gbit <= nic.shared_gbit < nic.ports * nic.speed_gbit
    ):
        faults.append(
            f"shared_gbit: {nic.shared_gbit} Gb/s of all ports together; expected between "
            f"the {nic.speed_gbit} Gb/s of one port and the {nic.ports * nic.speed_gbit} of all"
        )
    # One port has to fit; of a dual-port adapter that both ports together do not is ordinary.
    if nic.speed_gbit > pcie_gbit(nic.pcie):
        faults.append(
            f"speed_gbit: a port of {nic.speed_gbit} Gb/s does not fit through "
            f"PCIe {nic.pcie.generation} x{nic.pcie.width} ({pcie_gbit(nic.pcie):g} Gb/s)"
        )
    return faults


def _bytes(nic: Nic) -> str:
    """Suggest that a speed was given in bytes, where it would be right in bits."""
    bits = 8 * nic.speed_gbit
    fits = bits in LINE_RATES_GBIT and bits / nic.lanes in LANE_RATES_GBIT
    return f"; is it in GB/s ({bits} Gb/s)?" if fits else ""


def _rate(field: str, speed_gbit: int) -> list[str]:
    if speed_gbit in LINE_RATES_GBIT:
        return []
    known = ", ".join(map(str, LINE_RATES_GBIT))
    return [f"{field}: {speed_gbit} Gb/s is no line rate (known: {known})"]


def _lanes(field: str, lanes: int, cage: Cage) -> list[str]:
    most, _ = CAGE_LANES[cage]
    if lanes <= most:
        return []
    return [f"{field}: {lanes} lanes, but a {cage.upper()} cage has {most}"]


def _fits_cage(field: str, gbit: int, cage: Cage) -> list[str]:
    lanes, each = CAGE_LANES[cage]
    if gbit <= lanes * each:
        return []
    return [f"{field}: {gbit} Gb/s is more than the {lanes} x {each} Gb/s of a {cage.upper()} cage"]


def switch_faults(switch: Switch) -> list[str]:
    """Find what cannot be true of a switch's cages and of what its chip carries."""
    faults = _cages("cages", switch.cages)
    for number, cages in enumerate(switch.more_cages):
        faults += _cages(f"more_cages.{number}", cages)
    gbit = switch.cages.gbit + sum(cages.gbit for cages in switch.more_cages)
    if switch.capacity_gbit is not None and switch.capacity_gbit != gbit:
        ports = f"{counted(switch.ports, 'port')} x {switch.native.speed_gbit} Gb/s"
        ports += " and the other cages" if switch.more_cages else ""
        slip = "; are both directions added?" if switch.capacity_gbit == 2 * gbit else ""
        faults.append(f"capacity_gbit: {switch.capacity_gbit}, but {ports} is {gbit}{slip}")
    if switch.max_ports is not None and switch.max_ports < switch.ports:
        faults.append(f"max_ports: {switch.max_ports}, but the native mode has {switch.ports}")
    if switch.pipelines is not None:
        native = switch.pipelines.cages * switch.native.ports
        if switch.pipelines.max_ports < native:
            faults.append(
                f"pipelines.max_ports: {switch.pipelines.max_ports}, but the native mode has "
                f"{native} on {counted(switch.pipelines.cages, 'cage')}"
            )
        if switch.cages.count % switch.pipelines.cages:
            faults.append(
                f"pipelines.cages: {counted(switch.cages.count, 'cage', 'do')} not divide into "
                "runs of "
                f"{switch.pipelines.cages}"
            )
    if switch.protocol == "ethernet" and switch.sharp:
        faults.append("sharp: is InfiniBand's, the switch is Ethernet")
    return faults


def _cages(field: str, cages: Cages) -> list[str]:
    faults = _lanes(f"{field}.lanes", cages.lanes, cages.cage)
    where = f"{field}.modes"
    cage_gbit = cages.modes[0].ports * cages.modes[0].speed_gbit
    faults += _fits_cage(where, cage_gbit, cages.cage)
    for mode in cages.modes:
        faults += _rate(where, mode.speed_gbit)
        if mode.ports > cages.lanes:
            faults.append(
                f"{where}: {counted(mode.ports, 'port')} from a cage of {cages.lanes} lanes"
            )
        elif not _runs_on(mode.speed_gbit, cages.lanes // mode.ports):
            faults.append(
                f"{where}: {mode.speed_gbit} Gb/s does not divide into whole lanes; a port has at "
                f"most {cages.lanes // mode.ports}"
            )
        if mode.ports * mode.speed_gbit > cage_gbit:
            faults.append(
                f"{where}: {mode.ports} x {mode.speed_gbit} Gb/s is more than the "
                f"{cage_gbit} Gb/s of the native mode"
            )
    speeds = Counter((mode.ports, mode.speed_gbit) for mode in cages.modes)
    faults += [f"{where}: {n} x {gbit} twice" for (n, gbit), k in speeds.items() if k > 1]
    return faults


def _runs_on(speed_gbit: int, lanes: int) -> bool:
    """Tell whether some number of lanes up to this many makes a speed at a rate that exists."""
    return any(speed_gbit / n in LANE_RATES_GBIT for n in range(1, lanes + 1))


def cable_faults(cable: Cable) -> list[str]:
    """Find what cannot be true of a cable's ends."""
    faults = []
    for name, end in (("a", cable.a), ("b", cable.b)):
        faults += _rate(f"{name}.speed_gbit", end.speed_gbit)
        faults += _fits_cage(f"{name}.speed_gbit", end.speed_gbit, end.cage)
    if _end_gbit(cable.a) != _end_gbit(cable.b):
        faults.append(f"b: {_end_gbit(cable.b)} Gb/s, but end a has {_end_gbit(cable.a)} Gb/s")
    return faults + length_faults(cable)


def length_faults(body: Cable | Fibre) -> list[str]:
    """Find lengths on sale that reach farther than the cable or fibre does."""
    if body.lengths_m and max(body.lengths_m) > body.reach_m:
        return [f"lengths_m: {max(body.lengths_m):g} m, but reach_m is {body.reach_m:g}"]
    return []


def _end_gbit(end: CableEnd) -> int:
    return end.plugs * end.speed_gbit


def transceiver_faults(module: Transceiver) -> list[str]:
    """Find what cannot be true of a transceiver's ports."""
    gbit = module.ports * module.speed_gbit
    return _rate("speed_gbit", module.speed_gbit) + _fits_cage("speed_gbit", gbit, module.cage)
