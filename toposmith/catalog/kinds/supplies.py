"""What connects, holds and feeds devices: cables, transceivers, racks, PDUs, modules."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.record import (
    CardRow,
    PartKind,
    body_rows,
    length_number_faults,
    length_numbers,
    lengths,
    number_rows,
    part_name,
    platform_rows,
    power_rows,
    weight_row,
)
from toposmith.catalog.part_checks import cable_faults, length_faults, transceiver_faults
from toposmith.catalog.parts import Cable, Fibre, Module, Node, Pdu, Rack, RackSystem, Transceiver
from toposmith.text import UNKNOWN, counted, plain_number


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


CABLES = PartKind(
    Cable,
    "Cables",
    _cable_line,
    _cable_rows,
    faults=lambda cable, _catalog: cable_faults(cable) + length_number_faults(cable),
    numbers=length_numbers,
    speeds=lambda cable: ([(protocol, cable.a.speed_gbit) for protocol in cable.protocols], ()),
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
    if module.reach_by_grade:
        reaches = module.reach_by_grade.items()
        words = ", ".join(f"{grade} {plain_number(metres)} m" for grade, metres in reaches)
        yield "reach_by_grade", "Reach by grade", words
    yield "protocols", "Protocols", part_text.protocols(module.protocols)
    yield from platform_rows(module)
    if module.linear:
        yield "linear", "Linear (LPO)", "no signal processor; a bill never chooses it"
    yield from power_rows(module)


TRANSCEIVERS = PartKind(
    Transceiver,
    "Transceivers",
    _transceiver_line,
    _transceiver_rows,
    faults=lambda module, _catalog: transceiver_faults(module),
    speeds=lambda module: ([(protocol, module.speed_gbit) for protocol in module.protocols], ()),
    bill_rank=5,
)


def _fibre_line(fibre: Fibre, _catalog: Catalog | None) -> str:
    split = "1 to 2, " if fibre.ends_b == 2 else ""
    plugs = f"{split}{', '.join((fibre.connector, *_fibre_ends(fibre)))}"
    return f"{plugs}, {fibre.fibre} to {plain_number(fibre.reach_m)} m{_as_configured(fibre)}"


def _fibre_ends(fibre: Fibre) -> Iterator[str]:
    """What a plug is ordered by: fibres, polarity, gender at each end, grade."""
    if fibre.fibres:
        yield f"{fibre.fibres} fibres"
    if fibre.polarity:
        yield f"polarity {fibre.polarity}"
    if fibre.genders:
        yield " to ".join(fibre.genders)
    if fibre.grades:
        yield _grades(fibre)


def _grades(fibre: Fibre) -> str:
    several = len(fibre.grades) > 1
    return ", ".join(
        f"{grade} to {plain_number(to_m)} m" if several else grade
        for to_m, grade in fibre.grades.items()
    )


def _as_configured(fibre: Fibre) -> str:
    """What a quote for it says besides."""
    if not fibre.configured:
        return ""
    said = "".join(f", {text}" for text in (fibre.series, fibre.jacket) if text)
    return f"{said}; made to measure, by quote"


def _fibre_rows(fibre: Fibre, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(fibre)
    yield "fibre", "Fibre", fibre.fibre
    yield "connector", "Connector", fibre.connector
    yield "ends_b", "Far ends", str(fibre.ends_b)
    if fibre.fibres:
        yield "fibres", "Fibres of a plug", str(fibre.fibres)
    if fibre.polarity:
        yield "polarity", "Polarity (TIA-568)", fibre.polarity
    if fibre.genders:
        yield "genders", "Plugs", " to ".join(fibre.genders)
    if fibre.grades:
        yield "grades", "Grade", _grades(fibre)
    for field, text in (("series", fibre.series), ("jacket", fibre.jacket)):
        if text:
            yield field, field.capitalize(), text
    if fibre.configured:
        lacks = f"lacks {', '.join(fibre.lacking)}" if fibre.lacking else "complete"
        yield "configured", "Ordered by quote", lacks
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


def _rack_rows(rack: Rack, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(rack)
    yield "units", "Height inside, U", plain_number(rack.units)
    yield "height_mm", "Height, mm", plain_number(rack.height_mm)
    yield "width_mm", "Width, mm", plain_number(rack.width_mm)
    yield "depth_mm", "Depth, mm", plain_number(rack.depth_mm)
    yield "max_load_kg", "Load at most, kg", plain_number(rack.max_load_kg)
    yield "max_power_w", "Power at most, W", plain_number(rack.max_power_w)
    yield weight_row(rack)


RACKS = PartKind(
    Rack,
    "Racks",
    lambda rack, _: f"{plain_number(rack.units)} U, {plain_number(rack.max_load_kg)} kg",
    _rack_rows,
    bill_rank=7,
    passive=True,
)


def _pdu_line(pdu: Pdu, _catalog: Catalog | None) -> str:
    outlets = ", ".join(f"{count} x {kind}" for kind, count in pdu.outlets.items())
    return f"{plain_number(pdu.rating_w)} W, {outlets}"


def _pdu_rows(pdu: Pdu, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(pdu)
    yield "rating_w", "Delivers, W", plain_number(pdu.rating_w)
    yield "phases", "Phases", str(pdu.phases)
    yield "volts", "Voltage, V", plain_number(pdu.volts)
    yield "amps", "Current, A", plain_number(pdu.amps)
    for kind, count in pdu.outlets.items():
        yield "outlets", f"Outlets, {kind}", str(count)
    yield from body_rows(pdu)
    yield from power_rows(pdu)


PDUS = PartKind(Pdu, "PDUs", _pdu_line, _pdu_rows, bill_rank=8)


def _module_line(module: Module, _catalog: Catalog | None) -> str:
    cages = f", {counted(module.cages, 'cage')}" if module.cages else ""
    return f"{module.use} of a modular switch{cages}"


def _module_rows(module: Module, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(module)
    yield "use", "Use", module.use
    if module.cages is not None:
        yield "cages", "Cages", str(module.cages)
    yield weight_row(module)
    yield from power_rows(module)


MODULES = PartKind(Module, "Switch modules", _module_line, _module_rows, bill_rank=1)


def _rack_system_line(system: RackSystem, catalog: Catalog | None) -> str:
    return f"{system.nodes} x {part_name(system.node, catalog)}"


def _described(system: RackSystem, catalog: Catalog | None) -> str:
    """The rack with all that it holds."""
    counted = (f"{one.count} x {one.name}" for one in system.contents)
    return f"one rack of {', '.join((_rack_system_line(system, catalog), *counted, *system.also))}"


def _rack_system_rows(system: RackSystem, catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(system)
    yield "nodes", "Nodes", _rack_system_line(system, catalog)
    for one in system.contents:
        yield "contents", "Holds", f"{one.count} x {one.name}"
    for name in system.also:
        yield "also", "Holds", name
    yield "units", "Height inside, U", plain_number(system.units)
    yield weight_row(system)
    yield from power_rows(system)


def _faults(system: RackSystem, catalog: Catalog) -> Iterator[str]:
    if not isinstance(catalog.get(system.node), Node):
        yield f"node: {system.node} is no node of this catalog"


RACK_SYSTEMS = PartKind(
    RackSystem,
    "Racks sold whole",
    _rack_system_line,
    _rack_system_rows,
    faults=_faults,
    names=lambda system: (system.node,),
    names_hosts=True,
    described=_described,
    bill_rank=0,
    racked=True,
)
