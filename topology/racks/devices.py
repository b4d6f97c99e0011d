"""What a device asks of its rack: height, power and weight."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from toposmith.catalog import Catalog
from toposmith.text import power
from toposmith.topology.fabric.plan import Finding, Plan, Severity
from toposmith.topology.racks.floor import Floor
from toposmith.topology.racks.heights import assumed_height, known_height
from toposmith.topology.racks.power import DevicePower, device_power

ASSUMED = ("rack-height-unknown", "rack-too-many")
"""Codes of findings about what a filling of racks assumes or leaves out."""


@dataclass(frozen=True)
class Device:
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
    """

    part: str
    units: int
    power: DevicePower
    weight_kg: float | None
    is_switch: bool
    height_assumed: bool = False


def devices_of(
    plan: Plan, floor: Floor, catalog: Catalog, findings: list[Finding]
) -> dict[str, Device]:
    """The devices of every group that can stand in a rack; a finding for each other group."""
    found: dict[str, Device] = {}
    heights = plan.design.placement.heights if plan.design.placement else {}
    for name in heights:
        if name not in plan.groups:
            text = f"no group {name!r} (groups: {', '.join(plan.groups) or 'none'})"
            findings.append(Finding("rack-unknown-group", "error", "placement.heights", text))
    for name, group in plan.groups.items():
        part = group.part
        if part is None:
            continue  # an unknown part is a finding of the plan
        if name in heights and part.rack_units is not None:
            text = f"{part.name} takes {part.rack_units:g} U by the catalog; heights: is for parts "
            text += f"whose height it lacks, so that {heights[name]} is not used"
            findings.append(Finding("rack-height-published", "warning", name, text))
        known = known_height(plan, name)
        height = assumed_height(part, catalog) if known is None else known
        if known is None:
            text = f"the height of {part.name} is not in this catalog; "
            text += (
                "it stands in no rack"
                if height is None
                else f"racks and lengths are incomplete: they assume {height:g} U, the most of "
                "its kind"
            )
            findings.append(Finding("rack-height-unknown", assumed_severity(plan), name, text))
        if height is None:
            continue
        units = ceil(height)
        if units > floor.units:
            text = f"{part.name} takes {units} U, a rack has {floor.units}; it stands in no rack"
            findings.append(Finding("rack-too-tall", "error", name, text))
            continue
        power = device_power(group, units, catalog)
        if power.known_w is None:
            what = part.name if part.power_w is None else f"the NICs fitted into {part.name}"
            text = _power_words(what, power)
            findings.append(Finding("rack-power-unknown", "info", name, text))
        is_switch = group.switch is not None
        found[name] = Device(part.id, units, power, part.weight_kg, is_switch, known is None)
    return found


def assumed_severity(plan: Plan) -> Severity:
    """How bad an assumption is: without a ``placement:`` block the racks are nobody's mistake."""
    return "warning" if plan.design.placement else "info"


def _power_words(what: str, drawn: DevicePower) -> str:
    """What is known of a device's power, and what racks are filled by."""
    least = f" (each draws at least {power(drawn.least_w)})" if drawn.least_w else ""
    filled = {
        "supplies": f"{power(drawn.filled_w)}, the most that its power supplies deliver",
        "assumed": f"{power(drawn.filled_w)}, which is assumed",
    }.get(drawn.basis, "height alone")
    text = f"the power of {what} is not in this catalog{least}"
    return f"{text}; racks are incomplete: they are filled by {filled}"
