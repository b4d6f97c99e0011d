"""Height, power and weight of devices in racks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Literal

from toposmith.catalog import Catalog, Node, Part, Rack, Switch
from toposmith.catalog.part_power import gpus_w, power_range
from toposmith.design.placement_block import PlacementBlock
from toposmith.fabric.line_cards import configured
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.findings.codes.code import Fact, Severity
from toposmith.findings.finding import Finding, at_block, at_group, found
from toposmith.racks.whole_racks import SoldWhole

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


@lru_cache(maxsize=1 << 16)
def rack_label(row: int, column: int) -> str:
    """``B07`` for the seventh rack of the second row; rows after Z are AA, AB and so on."""
    letters = ""
    row += 1
    while row:
        row, letter = divmod(row - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{column + 1:02d}"


@lru_cache(maxsize=1 << 16)
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


PowerBasis = Literal["catalog", "supplies", "assumed", "unknown"]


@dataclass(frozen=True)
class DevicePower:
    """Power of one device with the NICs fitted beyond those that it is sold with, W.

    Parameters
    ----------
    known_w : float or None
        That of the catalog; None where it lacks the device's or a NIC's.
    least_w : float
        Known power of its GPUs and NICs; 0 where none is known.
    most_w : float or None
        ``known_w``, else the rating of its power supplies; None where neither is known.
    filled_w : float
        The figure for filling racks: ``most_w``, else an assumption.
    basis : str
        What ``filled_w`` is: the figure of the ``catalog``, what its ``supplies`` deliver,
        ``assumed``, or ``unknown`` where the catalog has no power of any device to assume by.
    """

    known_w: float | None
    least_w: float
    most_w: float | None
    filled_w: float
    basis: PowerBasis


def device_power(group: GroupPlan, part: Part, units: int, catalog: Catalog) -> DevicePower:
    """The power of one device of a group.

    Parameters
    ----------
    group : GroupPlan
        A group whose part is in the catalog.
    part : Part
        That part; of a modular switch with the cards that it is ordered with.
    units : int
        U that the device takes, or is assumed to take.
    catalog : Catalog
        Where GPUs, and devices to assume by, are found.
    """
    own = power_range(part, catalog)
    extra, unknown = _extra_nics_w(group)
    least = own.least_w + extra
    if own.known_w is not None and not unknown:
        known = own.known_w + extra
        return DevicePower(known, known, known, known, "catalog")
    supplied = power_range(part.model_copy(update={"power_w": None}), catalog).most_w
    if supplied is not None:
        most = max(supplied, least)
        return DevicePower(None, least, most, most, "supplies")
    guess = least + unknown * _most_of_nics_w(catalog) if own.known_w is not None else None
    guess = guess or _assumed_w(part, units, catalog)
    basis: PowerBasis = "assumed" if guess or least else "unknown"
    return DevicePower(None, least, None, max(guess, least), basis)


def _extra_nics_w(group: GroupPlan) -> tuple[float, int]:
    """Watts of the NICs fitted beyond those that a node is sold with, and how many have none."""
    watts, unknown = 0.0, 0
    for slots, ports in group.port_groups.items():
        if group.host is None or ports.nic is None or slots not in group.host.slots:
            continue
        room = group.host.slots[slots]
        extra = ports.nics - (room.fitted if room.nic == ports.nic.id else 0)
        if extra > 0 and ports.nic.power_w is None:
            unknown += extra
        elif extra > 0:
            watts += extra * (ports.nic.power_w or 0.0)
    return watts, unknown


def _assumed_w(part: Part, units: int, catalog: Catalog) -> float:
    """Assumed watts where the catalog has neither power nor supplies of a device.

    A node is assumed to have the highest ratio of node power to GPU power in the catalog, or the
    highest power per GPU where GPU power is unknown; other devices the highest power per U of any
    switch. 0 where the catalog has no such figure.
    """
    if not isinstance(part, Node):
        switches = [one for one in catalog if isinstance(one, Switch)]
        dense = [(one.power_w or 0.0) / one.rack_units for one in switches if one.rack_units]
        return units * max(dense, default=0.0)
    nodes = [one for one in catalog if isinstance(one, Node) and one.power_w is not None]
    watts = gpus_w(part, catalog)
    if watts is None:
        return part.gpus * max(((one.power_w or 0.0) / one.gpus for one in nodes), default=0.0)
    by_gpus = [(one.power_w or 0.0, gpus_w(one, catalog)) for one in nodes]
    return watts * max((power / gpus for power, gpus in by_gpus if gpus), default=0.0)


def _most_of_nics_w(catalog: Catalog) -> float:
    return max((nic.power_w or 0.0 for nic in catalog.of_kind("nic")), default=0.0)


def known_height(plan: Plan, name: str) -> float | None:
    """U that a device of a group takes, by its part or ``placement.heights``; None if unknown.

    ``heights`` is for parts whose height the catalog lacks: its own stands before it.
    """
    part = plan.groups[name].part
    if part is not None and part.rack_units is not None:
        return part.rack_units
    block = plan.design.placement
    return block.heights.get(name) if block else None


def assumed_height(part: Part, catalog: Catalog) -> float | None:
    """Assumed U where neither has a height: the tallest of its kind in the catalog; None without.

    The kind of a node is all nodes with as many GPUs, that of a switch all with no more cages, and
    where none of those has a height, all of them. Too tall is safe for racks and lengths;
    a height of zero would put everything into one rack.
    """
    known = [one for one in catalog if isinstance(one, type(part)) and one.rack_units is not None]
    kind = [one for one in known if _of_its_kind(one, part)] or known
    return max((one.rack_units for one in kind if one.rack_units is not None), default=None)


def _of_its_kind(one: Part, part: Part) -> bool:
    if isinstance(one, Node) and isinstance(part, Node):
        return one.gpus == part.gpus
    if isinstance(one, Switch) and isinstance(part, Switch):
        return one.cages.count <= part.cages.count
    return True


ASSUMED = ("rack-height-unknown", "rack-too-many")
"""Codes of findings about what a filling of racks assumes or leaves out."""


@dataclass(frozen=True)
class RackDevice:
    """A device of a group as a rack sees it.

    Parameters
    ----------
    part : str
        Id of its part.
    units : int
        Whole U that it takes.
    power : DevicePower
        The most that it draws, or what bounds that.
    weight_kg : float or None
        None where unknown.
    is_switch : bool
        Whether it is a switch, not a node.
    height_assumed : bool
        Whether neither catalog nor design has its height, so that the most of its kind is taken.
    in_whole_racks : bool
        Whether all of its group stand in racks that are sold whole, whose power is known.
    """

    part: str
    units: int
    power: DevicePower
    weight_kg: float | None
    is_switch: bool
    height_assumed: bool = False
    in_whole_racks: bool = False


def devices_of(
    plan: Plan,
    floor: Floor,
    catalog: Catalog,
    findings: list[Finding],
    sold: Mapping[str, SoldWhole],
) -> dict[str, RackDevice]:
    """The devices of every group that can stand in a rack; a finding for each other group."""
    devices: dict[str, RackDevice] = {}
    heights = plan.design.placement.heights if plan.design.placement else {}
    for name in heights:
        if name not in plan.groups:
            place = at_block("placement.heights")
            findings.append(
                found("rack-unknown-group", place, group=name, known=tuple(plan.groups))
            )
    for name, group in plan.groups.items():
        part = group.part
        if part is None:
            continue  # an unknown part is a finding of the plan
        place = at_group(name)
        if name in heights and part.rack_units is not None:
            units_U = {"published_units": part.rack_units, "given_units": heights[name]}
            findings.append(found("rack-height-published", place, part=part.name, **units_U))
        known = known_height(plan, name)
        height = assumed_height(part, catalog) if known is None else known
        if known is None:
            severity = assumed_severity(plan)
            unknown: dict[str, Fact] = {"part": part.name, "group": name, "assumed_units": height}
            findings.append(found("rack-height-unknown", place, severity, **unknown))
        if height is None:
            continue
        units = ceil(height)
        if units > floor.units:
            heights_U = {"units": units, "rack_units": floor.units}
            findings.append(found("rack-too-tall", place, part=part.name, **heights_U))
            continue
        order = configured(plan, name, catalog)
        own = order.of(group.switch) if order and group.switch else part
        power = device_power(group, own, units, catalog)
        trays = sold.get(name)
        in_racks = trays is not None and trays.power_known
        if power.known_w is None and not in_racks:
            of_nics = part.power_w is not None
            values = _power_values(power)
            findings.append(
                found("rack-power-unknown", place, part=part.name, of_nics=of_nics, **values)
            )
        is_switch = group.switch is not None
        devices[name] = RackDevice(
            part.id, units, power, part.weight_kg, is_switch, known is None, in_racks
        )
    return devices


def assumed_severity(plan: Plan) -> Severity:
    """The severity of an assumption: only an info without a ``placement:`` block."""
    return "warning" if plan.design.placement else "info"


def _power_values(power: DevicePower) -> dict[str, Fact]:
    """What is known of a device's power, and what racks are filled by."""
    return {
        "least_kw": power.least_w / 1000 if power.least_w else 0,
        "filled_kw": power.filled_w / 1000,
        "basis": power.basis,
    }
