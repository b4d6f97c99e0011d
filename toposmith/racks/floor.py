"""The floor plan: the size of a rack, and the pitch of racks and rows.

All measures inside are whole hundredths of a millimetre, so that sums do not depend on their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from toposmith.catalog import Catalog, Rack
from toposmith.design.placement_block import PlacementBlock
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_block

UNIT = 4445
"""Height of 1 U in hundredths of a millimetre: 44.45 mm (EIA-310)."""

DEFAULT_RACK = "apc-ar3300"
DEFAULT_UNITS = 42
# Four DGX H100 of 10.2 kW, as NVIDIA's data center design for the DGX H100 SuperPOD recommends.
DEFAULT_MAX_POWER_W = 40_800.0
# Outer width and depth of the default rack, for parts that do not say theirs.
DEFAULT_WIDTH_MM, DEFAULT_DEPTH_MM = 600.0, 1200.0
# ANSI/TIA-942: a cold aisle is 1.2 m wide (two tiles), and rows have at most 20 racks.
DEFAULT_AISLE_M, DEFAULT_RACKS_PER_ROW = 1.2, 20
# Our assumptions.
DEFAULT_TRAY_M, DEFAULT_SLACK_M = 0.3, 0.5

_LETTERS = 26


@dataclass(frozen=True)
class Floor:
    """Racks and their places, measures in hundredths of a millimetre.

    Parameters
    ----------
    part : Rack or None
        The racks' part; None where the catalog has none of that name.
    units : int
        Height of a rack for devices, in U.
    max_power_w : float
        Power limit of one rack, W.
    power_is_given : bool
        Whether that limit is stated in the design or the part; else it is assumed.
    pitch, row_pitch : int
        From a rack to the next in its row, and from a row to the next.
    tray, slack : int
        From the topmost U to the tray, and slack of a cable.
    racks_per_row : int
        Racks side by side.
    """

    part: Rack | None
    units: int
    max_power_w: float
    power_is_given: bool
    pitch: int
    row_pitch: int
    tray: int
    slack: int
    racks_per_row: int


def floor_of(block: PlacementBlock, catalog: Catalog, findings: list[Finding]) -> Floor:
    """The floor that a placement block describes; what is not said takes its default."""
    part = _rack_part(block.rack or DEFAULT_RACK, catalog, findings)
    units = block.units or (part.units if part else None)
    if units is None:
        name = part.name if part else block.rack or DEFAULT_RACK
        place = at_block("placement")
        findings.append(found("rack-units-unknown", place, rack=name, assumed_units=DEFAULT_UNITS))
    limit = block.max_power_w or (part.max_power_w if part else None)
    width = (part.width_mm if part else None) or DEFAULT_WIDTH_MM
    depth = (part.depth_mm if part else None) or DEFAULT_DEPTH_MM
    return Floor(
        part=part,
        units=units or DEFAULT_UNITS,
        max_power_w=limit or DEFAULT_MAX_POWER_W,
        power_is_given=limit is not None,
        pitch=ceil(width * 100),
        row_pitch=ceil(depth * 100) + _metres(block.aisle_m or DEFAULT_AISLE_M),
        tray=_metres(block.tray_m or DEFAULT_TRAY_M),
        slack=_metres(block.slack_m or DEFAULT_SLACK_M),
        racks_per_row=block.racks_per_row or DEFAULT_RACKS_PER_ROW,
    )


def rack_label(row: int, column: int) -> str:
    """``B07`` for the seventh rack of the second row; rows after Z are AA, AB and so on."""
    letters = ""
    row += 1
    while row:
        row, letter = divmod(row - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{column + 1:02d}"


def rack_place(label: str) -> tuple[int, int]:
    """Row and column of a rack by its label, both from 0; a column of -1 is no place."""
    letters = label.rstrip("0123456789")
    row = 0
    for letter in letters:
        row = row * _LETTERS + ord(letter) - ord("A") + 1
    return row - 1, int(label[len(letters) :]) - 1


def _rack_part(name: str, catalog: Catalog, findings: list[Finding]) -> Rack | None:
    part = catalog.get(name)
    if isinstance(part, Rack):
        return part
    known = tuple(rack.id for rack in catalog.of_kind("rack"))
    if known:
        kind = None if part is None else part.kind
        place = at_block("placement.rack")
        findings.append(found("rack-part-unknown", place, part=name, kind=kind, known=known))
    return None


def _metres(length: float) -> int:
    return round(length * 100_000)
