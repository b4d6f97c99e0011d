"""Height, power and weight of devices in racks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from toposmith.catalog import Catalog
from toposmith.fabric.line_cards import configured
from toposmith.fabric.plan import Plan
from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_block, at_group
from toposmith.findings.values import Fact
from toposmith.racks.device_power import DevicePower, device_power
from toposmith.racks.floor import Floor
from toposmith.racks.heights import assumed_height, known_height
from toposmith.racks.whole_racks import SoldWhole

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
