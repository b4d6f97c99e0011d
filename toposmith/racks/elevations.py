"""Elevations: the devices of a rack by U, from the front; equal racks once."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.fabric.plan import Plan
from toposmith.racks.device_names import device_names
from toposmith.racks.placement import NOWHERE, Placement
from toposmith.racks.rack_loads import RackLoad, rack_loads


@dataclass(frozen=True)
class MountedDevice:
    """A device in a rack: its lowest U, its height, and what it is."""

    unit: int
    units: int
    group: str
    name: str
    part: str
    is_switch: bool = False


@dataclass(frozen=True)
class Elevation:
    """One rack with its devices, topmost first, and its load.

    ``alike`` lists the labels of all racks with the same parts at the same U, this one first.
    """

    label: str
    row: int
    column: int
    height: int
    boxes: tuple[MountedDevice, ...]
    load: RackLoad
    alike: tuple[str, ...]


def elevations(plan: Plan, placement: Placement) -> list[Elevation]:
    """Every kind of rack that a design has, in the order of the racks.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    placement : Placement
        The placement of its devices.

    Returns
    -------
    list of Elevation
        Racks with the same groups at the same U are one, named by the first of them.
    """
    contents: list[list[tuple[int, str, int]]] = [[] for _ in placement.racks]
    for name, racks in placement.rack_of.items():
        units = placement.unit_of[name]
        for number, rack in enumerate(racks):
            if rack != NOWHERE:
                contents[rack].append((units[number], name, number))
    alike: dict[tuple[tuple[int, str], ...], list[int]] = {}
    for rack, held in enumerate(contents):
        held.sort(reverse=True)
        if held:
            alike.setdefault(tuple((unit, name) for unit, name, _ in held), []).append(rack)
    loads = rack_loads(placement)
    names = {name: device_names(plan, name) for name in placement.rack_of}
    found: list[Elevation] = []
    for numbers in alike.values():
        rack = numbers[0]
        boxes = tuple(
            MountedDevice(
                unit=unit,
                units=placement.devices[name].units,
                group=name,
                name=names[name](number),
                part=_part(plan, name),
                is_switch=placement.devices[name].is_switch,
            )
            for unit, name, number in contents[rack]
        )
        if (standing := placement.whole.get(rack)) is not None:
            own = (
                MountedDevice(
                    unit, units, standing.group, name, f"of {standing.system.name}", is_switch=True
                )
                for unit, units, name in standing.boxes
            )
            boxes = tuple(sorted((*boxes, *own), key=lambda box: box.unit, reverse=True))
        labels = tuple(placement.label(one) for one in numbers)
        row, column = placement.racks[rack]
        found.append(
            Elevation(labels[0], row, column, placement.height(rack), boxes, loads[rack], labels)
        )
    return found


def _part(plan: Plan, name: str) -> str:
    part = plan.groups[name].part
    return part.name if part else plan.groups[name].spec.part
