"""Trays of NVSwitches: how many NVLinks they join, at what rate."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import (
    body_rows,
    management_row,
    number_rows,
    power_rows,
)
from toposmith.catalog.kinds.record import CardRow, PartKind
from toposmith.catalog.parts import NvlinkSwitch
from toposmith.text import plain_number


def _line(tray: NvlinkSwitch, _catalog: Catalog | None) -> str:
    name = (
        "NVLinks"
        if tray.protocol == "nvlink"
        else f"{part_text.GPU_LINK_NAMES[tray.protocol]} lanes"
    )
    links = f"{tray.ports} {name} of {plain_number(tray.GBps_per_link)} GB/s"
    return f"{links}, {tray.cages.count} cages to another rack" if tray.cages else links


def _rows(tray: NvlinkSwitch, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(tray)
    yield "protocol", "Protocol", part_text.GPU_LINK_NAMES[tray.protocol]
    yield "ports", "NVLinks or lanes", str(tray.ports)
    yield "GBps_per_link", "one of them, GB/s, one direction", plain_number(tray.GBps_per_link)
    yield "chips", "NVSwitch chips", plain_number(tray.chips)
    if tray.cages:
        (mode, *_) = tray.cages.modes
        each = f"{mode.ports} x {mode.speed_gbit} Gb/s"
        cages = f"{tray.cages.count} x {part_text.cage(tray.cages)}, {each}"
        yield "cages", "Cages to another rack", cages
    yield from management_row(tray.management_ports)
    yield from body_rows(tray)
    yield from power_rows(tray)


NVLINK_SWITCHES = PartKind(
    NvlinkSwitch,
    "NVLink switches",
    _line,
    _rows,
    bill_rank=1,
    placed=True,
    racked=True,
)
