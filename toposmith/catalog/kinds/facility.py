"""What devices stand in and are fed by: racks and their power distribution."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import body_rows, number_rows, power_rows, weight_row
from toposmith.catalog.kinds.record import CardRow, PartKind
from toposmith.catalog.parts import Pdu, Rack
from toposmith.text import plain_number


def _rack_line(rack: Rack, _catalog: Catalog | None) -> str:
    return f"{plain_number(rack.units)} U, {plain_number(rack.max_load_kg)} kg"


def _rack_rows(rack: Rack, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(rack)
    yield "units", "Height inside, U", plain_number(rack.units)
    yield "height_mm", "Height, mm", plain_number(rack.height_mm)
    yield "width_mm", "Width, mm", plain_number(rack.width_mm)
    yield "depth_mm", "Depth, mm", plain_number(rack.depth_mm)
    yield "max_load_kg", "Load at most, kg", plain_number(rack.max_load_kg)
    yield "max_power_w", "Power at most, W", plain_number(rack.max_power_w)
    yield weight_row(rack)


RACKS = PartKind(Rack, "Racks", _rack_line, _rack_rows, bill_rank=7, passive=True)


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
