"""NICs: ports, the protocols that they speak, and the slot that they sit in."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import number_rows, optics_rows, power_rows
from toposmith.catalog.kinds.record import CardRow, PartKind, Speeds
from toposmith.catalog.links import pcie_gbit
from toposmith.catalog.parts import Nic
from toposmith.catalog.platforms import platform_warnings
from toposmith.catalog.port_checks import nic_faults
from toposmith.text import plain_number


def _line(nic: Nic, _catalog: Catalog | None) -> str:
    port = f"{nic.ports} x {nic.speed_gbit} Gb/s"
    cage = "unknown cage" if nic.cage == "unknown" else part_text.cage_name(nic.cage)
    return f"{port}, {cage}, PCIe {nic.pcie.generation}"


def _rows(nic: Nic, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(nic)
    yield "ports", "Ports", str(nic.ports)
    yield "speed_gbit", "Port speed, Gb/s", f"{nic.speed_gbit} ({part_text.rate_name(nic)})"
    if nic.shared_gbit is not None:
        yield "shared_gbit", "All ports together, Gb/s", plain_number(nic.shared_gbit)
    yield "cage", "Cage", part_text.cage(nic)
    if nic.cage != "virtual":
        yield from optics_rows(nic)
    yield "protocols", "Protocols", part_text.protocols(nic.protocols)
    yield "transports", "Collectives use", part_text.transports(nic)
    yield "pcie", "Host link", part_text.pcie(nic.pcie)
    yield "latency_ns", "Latency, ns", plain_number(nic.latency_ns)
    yield from power_rows(nic)


def _warnings(nic: Nic, catalog: Catalog) -> Iterator[str]:
    """Ports that together outrun their slot, a platform that is not written as others are."""
    yield from platform_warnings(nic, catalog)
    if nic.ports * nic.speed_gbit > pcie_gbit(nic.pcie) >= nic.speed_gbit:
        gives = part_text.pcie_capacity(nic.pcie)
        yield f"pcie: {nic.ports} ports of {nic.speed_gbit} Gb/s share {gives}"


def _speeds(nic: Nic) -> Speeds:
    return [(protocol, nic.speed_gbit) for protocol in nic.protocols], ()


NICS = PartKind(
    Nic,
    "NICs",
    _line,
    _rows,
    faults=lambda nic, _catalog: nic_faults(nic),
    warnings=_warnings,
    speeds=_speeds,
    bill_rank=3,
)
