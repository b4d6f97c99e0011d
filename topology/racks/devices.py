"""What a device asks of its rack: height, power and weight."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from catalog import Catalog
from topology.fabric.plan import Finding, GroupPlan, Plan, Severity
from topology.racks.floor import Floor
from topology.racks.heights import assumed_height, known_height

ASSUMED = ("rack-height-unknown", "rack-too-many")
"""Codes of findings about what a filling of racks assumes or leaves out."""


@dataclass(frozen=True)
class Device:
    """A device of a group as a rack sees it.

    Parameters
    ----------
    units : int
        Whole U that it takes.
    power_w : float or None
        The most that it draws, with NICs beyond those that it is sold with; None where unknown.
    weight_kg : float or None
        None where unknown.
    is_switch : bool
        Whether it is a switch, not a node.
    height_assumed : bool
        Whether nobody says its height, so that the most of its kind is taken.
    """

    units: int
    power_w: float | None
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
            text = f"{part.name} takes {part.rack_units:g} U as published; heights: is for parts "
            text += f"that do not say theirs, so that {heights[name]} is not used"
            findings.append(Finding("rack-height-published", "warning", name, text))
        known = known_height(plan, name)
        height = assumed_height(part, catalog) if known is None else known
        if known is None:
            text = f"the height of {part.name} is not known; "
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
        power = _power_w(group)
        if power is None:
            text = f"the power of {part.name} is not known; that of its racks is incomplete"
            findings.append(Finding("rack-power-unknown", "info", name, text))
        found[name] = Device(units, power, part.weight_kg, group.switch is not None, known is None)
    return found


def assumed_severity(plan: Plan) -> Severity:
    """How bad an assumption is: without a ``placement:`` block the racks are nobody's mistake."""
    return "warning" if plan.design.placement else "info"


def _power_w(group: GroupPlan) -> float | None:
    """Watts of one device with NICs fitted beyond its own; None where one is unknown."""
    assert group.part is not None
    power = group.part.power_w
    for slots, ports in group.port_groups.items():
        if group.host is None or ports.nic is None or power is None:
            continue
        room = group.host.slots[slots]
        extra = ports.nics - (room.fitted if room.nic == ports.nic.id else 0)
        if extra > 0:
            power = None if ports.nic.power_w is None else power + extra * ports.nic.power_w
    return power
