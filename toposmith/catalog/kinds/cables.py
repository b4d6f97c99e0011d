"""What connects ports: cables with their plugs, transceivers, and the fibres between them."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import (
    length_number_faults,
    length_numbers,
    lengths,
    number_rows,
    platform_rows,
    power_rows,
)
from toposmith.catalog.kinds.record import CardRow, PartKind, Speeds
from toposmith.catalog.parts import Cable, Fibre, Transceiver
from toposmith.catalog.port_checks import cable_faults, length_faults, transceiver_faults
from toposmith.text import UNKNOWN, plain_number


def _cable_line(cable: Cable, _catalog: Catalog | None) -> str:
    reach = plain_number(cable.reach_m)
    return f"{part_text.cable_ends(cable)}, {_medium(cable)} to {reach} m"


def _medium(cable: Cable) -> str:
    return cable.medium if cable.medium == "twisted pair" else cable.medium.upper()


def _cable_rows(cable: Cable, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(cable)
    yield "a", "Ends", part_text.cable_ends(cable)
    yield "medium", "Medium", _medium(cable)
    yield "protocols", "Protocols", part_text.protocols(cable.protocols)
    if cable.medium != "twisted pair":
        yield from platform_rows(cable)
    yield "lengths_m", "Lengths, m", lengths(cable) or UNKNOWN
    yield "reach_m", "Reach, m", plain_number(cable.reach_m)
    yield from power_rows(cable)


def _cable_speeds(cable: Cable) -> Speeds:
    return [(protocol, cable.a.speed_gbit) for protocol in cable.protocols], ()


CABLES = PartKind(
    Cable,
    "Cables",
    _cable_line,
    _cable_rows,
    faults=lambda cable, _catalog: cable_faults(cable) + length_number_faults(cable),
    numbers=length_numbers,
    speeds=_cable_speeds,
    bill_rank=4,
)


def _transceiver_line(module: Transceiver, _catalog: Catalog | None) -> str:
    port = f"{module.ports} x {module.speed_gbit} Gb/s"
    reach = plain_number(module.reach_m)
    return f"{port}, {part_text.cage_name(module.cage)}, {module.fibre} to {reach} m"


def _transceiver_rows(module: Transceiver, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(module)
    yield "ports", "Ports", str(module.ports)
    yield "speed_gbit", "Port speed, Gb/s", str(module.speed_gbit)
    yield "cage", "Cage", part_text.cage(module)
    yield "fibre", "Fibre", module.fibre
    if module.connector is not None:
        yield "connector", "Connector", module.connector
    yield "reach_m", "Reach, m", plain_number(module.reach_m)
    yield "protocols", "Protocols", part_text.protocols(module.protocols)
    yield from platform_rows(module)
    if module.linear:
        yield "linear", "Linear (LPO)", "no signal processor; a bill never chooses it"
    yield from power_rows(module)


def _transceiver_speeds(module: Transceiver) -> Speeds:
    return [(protocol, module.speed_gbit) for protocol in module.protocols], ()


TRANSCEIVERS = PartKind(
    Transceiver,
    "Transceivers",
    _transceiver_line,
    _transceiver_rows,
    faults=lambda module, _catalog: transceiver_faults(module),
    speeds=_transceiver_speeds,
    bill_rank=5,
)


def _fibre_line(fibre: Fibre, _catalog: Catalog | None) -> str:
    split = "1 to 2, " if fibre.ends_b == 2 else ""
    return f"{split}{fibre.connector}, {fibre.fibre} to {plain_number(fibre.reach_m)} m"


def _fibre_rows(fibre: Fibre, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(fibre)
    yield "fibre", "Fibre", fibre.fibre
    yield "connector", "Connector", fibre.connector
    yield "ends_b", "Far ends", str(fibre.ends_b)
    if fibre.lengths_m:
        yield "lengths_m", "Lengths, m", lengths(fibre)
    yield "reach_m", "Reach, m", plain_number(fibre.reach_m)
    yield from power_rows(fibre)


FIBRES = PartKind(
    Fibre,
    "Fibres",
    _fibre_line,
    _fibre_rows,
    faults=lambda fibre, _catalog: length_number_faults(fibre) + length_faults(fibre),
    numbers=length_numbers,
    bill_rank=6,
    passive=True,
)
