"""Checks of ports: rates that no lane runs at, ports that no cage has lanes for."""

from __future__ import annotations

from collections import Counter

from toposmith.catalog.links import pcie_gbit
from toposmith.catalog.parts import Cable, Fibre, Nic, Switch, Transceiver
from toposmith.catalog.pieces import CableEnd, Cage, Cages
from toposmith.text import counted

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
