"""The catalog part of a NIC in a topology file, or a new part where the catalog has none."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.catalog.imported import new_id
from toposmith.catalog.links import pcie_gbit
from toposmith.catalog.parts import Nic
from toposmith.catalog.pieces import Pcie, Protocol, Transport
from toposmith.catalog.port_checks import LINE_RATES_GBIT
from toposmith.catalog.topology_xml.notes import Reading
from toposmith.catalog.topology_xml.widths import narrowest_for
from toposmith.catalog.topology_xml.words import INFINIBAND_CLASS, PART
from toposmith.catalog.topology_xml.xml_devices import XmlDevice
from toposmith.plain_text import shown

_VENDORS = {"15b3": "NVIDIA", "1d0f": "AWS", "14e4": "Broadcom", "8086": "Intel"}
_AWS = "1d0f"
_MOST_PORTS = 4
_LANES = {1: 1, 10: 1, 25: 1, 50: 1}  # four for all others

# How far below a line rate a speed may be that was edited to steer NCCL: 180 Gb/s for 200.
_UNDERSTATED = 0.15


@dataclass(frozen=True)
class NicKind:
    """What a file says of the kind of a NIC; ``named`` is the part that it names itself."""

    named: str
    pci_id: str
    ports: int
    speed_gbit: int
    protocol: Protocol
    sockets: bool

    @property
    def gbit(self) -> int:
        """Gb/s of all its ports."""
        return self.ports * self.speed_gbit


def nic_kind(device: XmlDevice, reading: Reading) -> NicKind | None:
    """The model of a NIC in the file; None for a slot that the file says nothing else about."""
    rates = [rate for net in device.nets if (rate := _rate(net.get("speed"), net.line, reading))]
    if not rates:
        return _by_device(device, reading)
    if len(set(rates)) > 1:
        said = " and ".join(map(str, sorted(set(rates))))
        reading.notes.add(device.line, f"a NIC with ports of {said} Gb/s; counted as the fastest")
    if len(rates) > _MOST_PORTS:
        what = f"a NIC of {len(rates)} ports; the catalog counts up to {_MOST_PORTS}"
        reading.notes.add(device.line, what)
    over_infiniband = device.element.get("class").lower().startswith(INFINIBAND_CLASS)
    return NicKind(
        device.element.get(PART) or next((net.get(PART) for net in device.nets), ""),
        device.pci_id,
        min(len(rates), _MOST_PORTS),
        max(rates),
        "infiniband" if over_infiniband else "ethernet",
        _is_sockets(device),
    )


def nic_part(kind: NicKind, link: Pcie | None, line: int, reading: Reading) -> tuple[Nic, str]:
    """The part of a NIC, and "new", "sure" or "likely": how certain its match in the catalog is."""
    nics = [part for part in reading.catalog.of_kind("nic") if isinstance(part, Nic)]
    for nic in nics:
        if nic.id == kind.named:
            return nic, "sure"
    fitting = [nic for nic in nics if _fits(nic, kind)]
    if not fitting:
        return _new_nic(kind, link, line, reading), "new"
    first, *others = fitting
    if not others:
        return first, "sure"
    also = ", ".join(other.id for other in others)
    reading.notes.add(line, f"NICs taken for {first.id}; {also} would fit as well")
    return first, "likely"


def _by_device(device: XmlDevice, reading: Reading) -> NicKind | None:
    """The kind of a NIC that states no port, where the catalog has one part for its device."""
    nics = [part for part in reading.catalog.of_kind("nic") if isinstance(part, Nic)]
    same = [nic for nic in nics if device.pci_id and device.pci_id in nic.pci_ids]
    if len(same) != 1:
        return None
    nic = same[0]
    return NicKind(
        nic.id, device.pci_id, nic.ports, nic.speed_gbit, nic.protocols[0], sockets=False
    )


def _is_sockets(device: XmlDevice) -> bool:
    """Whether NCCL reaches the NIC through the kernel alone: it has no name in a fabric."""
    return all(_is_zero(net.get("guid")) and net.get("gdr") == "0" for net in device.nets)


def _is_zero(text: str) -> bool:
    return text.strip("0x") == ""


def _rate(text: str, line: int, reading: Reading) -> int | None:
    """Gb/s of a port; the file should state Mb/s, but some state other units."""
    notes = reading.notes
    if not text.isdecimal() or not 0 < int(text) < 10**13:
        notes.add(line, f"a network port of speed {shown(text)}; Mb/s are wanted, left open")
        return None
    megabits = int(text)
    for unit, scale in (("Mb/s", 1000), ("Gb/s", 1), ("kb/s", 10**6), ("b/s", 10**9)):
        rate, rest = divmod(megabits, scale)
        if not rest and rate in LINE_RATES_GBIT:
            if unit != "Mb/s":
                notes.add(line, f"speed {megabits} makes sense in {unit} only: {rate} Gb/s")
            return rate
    gbit = megabits / 1000
    above = next((rate for rate in LINE_RATES_GBIT if rate >= gbit), None)
    if above is not None and gbit >= above * (1 - _UNDERSTATED):
        why = f"{gbit:g} Gb/s is no line rate: taken for {above}, as some understate to steer NCCL"
        notes.add(line, why)
        return above
    notes.add(line, f"speed {megabits} Mb/s is near no line rate; the port is left open")
    return None


def _fits(nic: Nic, kind: NicKind) -> bool:
    return (
        bool(kind.pci_id)
        and kind.pci_id in nic.pci_ids
        and (nic.ports, nic.speed_gbit) == (kind.ports, kind.speed_gbit)
        and kind.protocol in nic.protocols
    )


def _new_nic(kind: NicKind, link: Pcie | None, line: int, reading: Reading) -> Nic:
    """A NIC part from what the file says alone; its cage is unknown."""
    vendor_id = kind.pci_id.partition(":")[0]
    pcie = link if link and pcie_gbit(link) >= kind.speed_gbit else narrowest_for(kind.speed_gbit)
    transports: tuple[Transport, ...] = ("tcp",) if kind.sockets else ()
    if vendor_id == _AWS:
        transports = ("efa", "tcp")
    what = f"{kind.ports} x {kind.speed_gbit} Gb/s {kind.protocol} {kind.pci_id}".strip()
    reading.notes.add(line, f"the catalog has no NIC of {what}; made a part of what the file says")
    return Nic(
        id=new_id(f"{reading.node_id}-nic", reading.catalog),
        name=f"NIC, {kind.ports} x {kind.speed_gbit} Gb/s",
        vendor=_VENDORS.get(vendor_id, "unknown"),
        ports=kind.ports,
        speed_gbit=kind.speed_gbit,
        cage="virtual" if vendor_id == _AWS else "unknown",
        lanes=_LANES.get(kind.speed_gbit, 4),
        protocols=(kind.protocol,),
        transports=transports,
        pcie=pcie,
        pci_ids=(kind.pci_id,) if vendor_id in _VENDORS else (),
        source=reading.source,
        unverified=("lanes",) if pcie == link else ("lanes", "pcie"),
    )
