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


def _cable_rows(cable: Cable, _catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(cable),
        ("a", "Ends", part_text.cable_ends(cable)),
        ("medium", "Medium", _medium(cable)),
        ("protocols", "Protocols", part_text.protocols(cable.protocols)),
        *(platform_rows(cable) if cable.medium != "twisted pair" else ()),
        ("lengths_m", "Lengths, m", lengths(cable) or UNKNOWN),
        ("reach_m", "Reach, m", plain_number(cable.reach_m)),
        *power_rows(cable),
    ]


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


def _by_grade(module: Transceiver) -> str:
    reaches = module.reach_by_grade.items()
    return ", ".join(f"{grade} {plain_number(metres)} m" for grade, metres in reaches)


def _transceiver_rows(module: Transceiver, _catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(module),
        ("ports", "Ports", str(module.ports)),
        ("speed_gbit", "Port speed, Gb/s", str(module.speed_gbit)),
        ("cage", "Cage", part_text.cage(module)),
        ("fibre", "Fibre", module.fibre),
        ("connector", "Connector", module.connector),
        ("reach_m", "Reach, m", plain_number(module.reach_m)),
        ("reach_by_grade", "Reach by grade", _by_grade(module) or None),
        ("protocols", "Protocols", part_text.protocols(module.protocols)),
        *platform_rows(module),
        (
            "linear",
            "Linear (LPO)",
            "no signal processor; a bill never chooses it" if module.linear else None,
        ),
        *power_rows(module),
    ]


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


def _lacks(fibre: Fibre) -> str | None:
    lacks = f"lacks {', '.join(fibre.lacking)}" if fibre.lacking else "complete"
    return lacks if fibre.configured else None


def _fibre_rows(fibre: Fibre, _catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(fibre),
        ("fibre", "Fibre", fibre.fibre),
        ("connector", "Connector", fibre.connector),
        ("ends_b", "Far ends", str(fibre.ends_b)),
        ("fibres", "Fibres of a plug", str(fibre.fibres) if fibre.fibres else None),
        ("polarity", "Polarity (TIA-568)", fibre.polarity),
        ("genders", "Plugs", " to ".join(fibre.genders) if fibre.genders else None),
        ("grades", "Grade", _grades(fibre) or None),
        ("series", "Series", fibre.series or None),
        ("jacket", "Jacket", fibre.jacket or None),
        ("configured", "Ordered by quote", _lacks(fibre)),
        ("lengths_m", "Lengths, m", lengths(fibre) if fibre.lengths_m else None),
        ("reach_m", "Reach, m", plain_number(fibre.reach_m)),
        *power_rows(fibre),
    ]


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


def _rack_rows(rack: Rack, _catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(rack),
        ("units", "Height inside, U", plain_number(rack.units)),
        ("height_mm", "Height, mm", plain_number(rack.height_mm)),
        ("width_mm", "Width, mm", plain_number(rack.width_mm)),
        ("depth_mm", "Depth, mm", plain_number(rack.depth_mm)),
        ("max_load_kg", "Load at most, kg", plain_number(rack.max_load_kg)),
        ("max_power_w", "Power at most, W", plain_number(rack.max_power_w)),
        weight_row(rack),
    ]


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


def _pdu_rows(pdu: Pdu, _catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(pdu),
        ("rating_w", "Delivers, W", plain_number(pdu.rating_w)),
        ("phases", "Phases", str(pdu.phases)),
        ("volts", "Voltage, V", plain_number(pdu.volts)),
        ("amps", "Current, A", plain_number(pdu.amps)),
        *(("outlets", f"Outlets, {kind}", str(count)) for kind, count in pdu.outlets.items()),
        *body_rows(pdu),
        *power_rows(pdu),
    ]


PDUS = PartKind(Pdu, "PDUs", _pdu_line, _pdu_rows, bill_rank=8)


def _module_line(module: Module, _catalog: Catalog | None) -> str:
    cages = f", {counted(module.cages, 'cage')}" if module.cages else ""
    return f"{module.use} of a modular switch{cages}"


def _module_rows(module: Module, _catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(module),
        ("use", "Use", module.use),
        ("cages", "Cages", str(module.cages) if module.cages is not None else None),
        weight_row(module),
        *power_rows(module),
    ]


MODULES = PartKind(Module, "Switch modules", _module_line, _module_rows, bill_rank=1)


def _rack_system_line(system: RackSystem, catalog: Catalog | None) -> str:
    return f"{system.nodes} x {part_name(system.node, catalog)}"


def _described(system: RackSystem, catalog: Catalog | None) -> str:
    """The rack with all that it holds."""
    counted = (f"{one.count} x {one.name}" for one in system.contents)
    return f"one rack of {', '.join((_rack_system_line(system, catalog), *counted, *system.also))}"


def _rack_system_rows(system: RackSystem, catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(system),
        ("nodes", "Nodes", _rack_system_line(system, catalog)),
        *(("contents", "Holds", f"{one.count} x {one.name}") for one in system.contents),
        *(("also", "Holds", name) for name in system.also),
        ("units", "Height inside, U", plain_number(system.units)),
        weight_row(system),
        *power_rows(system),
    ]


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
