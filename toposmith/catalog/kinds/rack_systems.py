"""Racks that are sold as a whole: nodes with what joins, feeds and cools them."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import number_rows, part_name, power_rows, weight_row
from toposmith.catalog.kinds.record import CardRow, PartKind
from toposmith.catalog.parts import Node, RackSystem
from toposmith.text import plain_number


def _line(system: RackSystem, catalog: Catalog | None) -> str:
    return f"{system.nodes} x {part_name(system.node, catalog)}"


def _described(system: RackSystem, catalog: Catalog | None) -> str:
    """The rack with all that it holds."""
    counted = (f"{one.count} x {one.name}" for one in system.contents)
    return f"one rack of {', '.join((_line(system, catalog), *counted, *system.also))}"


def _rows(system: RackSystem, catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(system)
    yield "nodes", "Nodes", _line(system, catalog)
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
    _line,
    _rows,
    faults=_faults,
    names=lambda system: (system.node,),
    names_hosts=True,
    described=_described,
    bill_rank=0,
    racked=True,
)
