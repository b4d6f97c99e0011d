"""Switches: cages, what their ports split into, and what the chip does."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import (
    body_rows,
    management_row,
    number_rows,
    optics_rows,
    part_name,
    power_rows,
)
from toposmith.catalog.kinds.record import CardRow, PartKind, Speeds
from toposmith.catalog.parts import Module, Switch
from toposmith.catalog.pieces import Cages
from toposmith.catalog.platforms import platform_warnings
from toposmith.catalog.port_checks import switch_faults
from toposmith.text import counted, plain_number


def _line(switch: Switch, _catalog: Catalog | None) -> str:
    port = f"{switch.ports} x {switch.native.speed_gbit} Gb/s"
    return f"{port}, {part_text.cage_name(switch.cages.cage)}"


def _rows(switch: Switch, catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(switch, _air(switch))
    yield "protocol", "Protocol", part_text.protocols([switch.protocol])
    yield "cages", "Cages", f"{switch.cages.count} x {part_text.cage(switch.cages)}"
    yield "cages.modes", "Ports of a cage, Gb/s", _modes(switch.cages)
    yield "cages.modes", "Native ports, Gb/s", f"{switch.ports} x {switch.native.speed_gbit}"
    for cages in switch.more_cages:
        more = f"{cages.count} x {part_text.cage(cages)}, each {_modes(cages)}"
        yield "more_cages", "Other cages, Gb/s", more
    yield from optics_rows(switch)
    if switch.max_ports is not None:
        yield "max_ports", "Ports at most", str(switch.max_ports)
    if switch.pipelines is not None:
        limit = f"{switch.pipelines.max_ports} of each {counted(switch.pipelines.cages, 'cage')}"
        yield "pipelines", "Logical ports at most", limit
    yield "capacity_gbit", "Capacity, Gb/s, one direction", plain_number(switch.capacity_gbit)
    yield "latency_ns", "Latency, ns", plain_number(switch.latency_ns)
    if switch.asic is not None:
        yield "asic", "Switch chip", switch.asic
    if switch.protocol == "infiniband":  # Ethernet switches have no SHARP to be unknown
        yield "sharp", "SHARP", part_text.yes_no(switch.sharp)
    else:
        yield "buffer_mb", "Shared buffer, MB", plain_number(switch.buffer_mb)
    yield "adaptive_routing", "Adaptive routing", part_text.yes_no(switch.adaptive_routing)
    yield from management_row(switch.management_ports)
    yield from body_rows(switch)
    for module, count in switch.modules.items():
        yield "modules", "Ordered with", f"{count} x {part_name(module, catalog)}"
    yield "power_supplies", "Power supplies", part_text.power_supplies(switch.power_supplies)
    yield from power_rows(switch)
    if switch.power_w is not None:
        with_modules = part_text.yes_no(switch.power_includes_modules)
        yield "power_includes_modules", "Power with modules", with_modules


def _air(switch: Switch) -> Iterator[CardRow]:
    if switch.airflow is not None:
        yield "airflow", "Air blows", switch.airflow
    if switch.other_airflow_number is not None:
        yield "other_airflow_number", "Blowing the other way", switch.other_airflow_number


def _modes(cages: Cages) -> str:
    return ", ".join(f"{mode.ports} x {mode.speed_gbit}" for mode in cages.modes)


def _speeds(switch: Switch) -> Speeds:
    own, *others = ((switch.protocol, mode.speed_gbit) for mode in switch.cages.modes)
    return [own], others


def _module_faults(switch: Switch, catalog: Catalog) -> Iterator[str]:
    """Modules have to be there, and its line cards to have the cages of the switch."""
    cages = 0
    for name, count in switch.modules.items():
        module = catalog.get(name)
        if not isinstance(module, Module):
            yield f"modules: {name} is no module of this catalog"
        elif module.cages is not None:
            cages += count * module.cages
    if cages and cages != switch.cages.count:
        yield f"modules: line cards have {cages} cages, the switch has {switch.cages.count}"


SWITCHES = PartKind(
    Switch,
    "Switches",
    _line,
    _rows,
    faults=lambda switch, catalog: [*switch_faults(switch), *_module_faults(switch, catalog)],
    warnings=platform_warnings,
    names=lambda switch: switch.modules,
    numbers=lambda switch: (switch.other_airflow_number or "",),
    speeds=_speeds,
    bill_rank=1,
    placed=True,
    racked=True,
)
