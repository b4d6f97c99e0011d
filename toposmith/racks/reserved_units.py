"""Placement around reserved U: the filling leaves free the U that the design assigns.

Nodes are placed from the floor and switches from the top of their rack, each in the first free run
of U. Devices that no longer fit move to racks after the last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from toposmith.racks.floor import Floor
from toposmith.racks.rack_devices import RackDevice

Instance = tuple[str, int]
"""A group, and the number of one of its instances."""

RackPlace = tuple[int, int]
"""Row and column of a rack, both from 0."""

Spots = list[tuple[Instance, int]]
"""Instances with the lowest U of each."""

Named = Mapping[str, Mapping[int, tuple[RackPlace, int]]]
"""By group and number, the rack and lowest U of every instance that the design places itself."""


@dataclass
class _Held:
    """The contents of a rack: used U, watts, and nodes."""

    taken: set[int] = field(default_factory=set)
    power_w: float = 0.0
    nodes: int = 0

    def add(self, device: RackDevice, unit: int) -> None:
        self.taken.update(range(unit, unit + device.units))
        self.power_w += device.power.filled_w
        self.nodes += not device.is_switch


def around_reserved_units(
    racks: Iterable[tuple[RackPlace, Spots]],
    named: Named,
    devices: Mapping[str, RackDevice],
    floor: Floor,
    nodes_per_rack: int | None,
) -> list[tuple[RackPlace, Spots]]:
    """The racks of a filling, with devices moved off the U that the design assigns.

    Parameters
    ----------
    racks : iterable
        The place of each rack, and its devices by the filling, in the order of the racks.
    named : mapping
        Devices placed by the design; racks without any are unchanged.
    devices : mapping of str to RackDevice
        By group.
    floor : Floor
        Height and power of a rack.
    nodes_per_rack : int or None
        The design's limit, which counts placed nodes.

    Returns
    -------
    list
        The same racks, then those for devices that did not fit. An empty rack takes any one
        device, regardless of its power.
    """
    held = _held(named, devices)
    filled = list(racks)
    if not held:
        return filled
    found: list[tuple[RackPlace, Spots]] = []
    left: list[Instance] = []
    for place, spots in filled:
        if place in held:
            spots, more = _packed(
                (instance for instance, _ in spots), held[place], devices, floor, nodes_per_rack
            )
            left += more
        found.append((place, spots))
    last = max((place for place, _ in filled), default=(0, -1))
    for place in _places_after(last, floor.racks_per_row):
        if not left:
            break
        spots, left = _packed(left, held.get(place, _Held()), devices, floor, nodes_per_rack)
        found.append((place, spots))
    return found


def _held(named: Named, devices: Mapping[str, RackDevice]) -> dict[RackPlace, _Held]:
    held: dict[RackPlace, _Held] = defaultdict(_Held)
    for name, spots in named.items():
        for place, unit in spots.values():
            held[place].add(devices[name], unit)
    return dict(held)


def _places_after(last: RackPlace, racks_per_row: int) -> Iterator[RackPlace]:
    row, column = last
    for number in count(row * racks_per_row + column + 1):
        yield divmod(number, racks_per_row)


def _packed(
    instances: Iterable[Instance],
    held: _Held,
    devices: Mapping[str, RackDevice],
    floor: Floor,
    nodes_per_rack: int | None,
) -> tuple[Spots, list[Instance]]:
    """The devices that fit in a rack, in order and from their end of the rack, and the others."""
    spots: Spots = []
    left: list[Instance] = []
    for instance in instances:
        device = devices[instance[0]]
        unit = _free_unit(device, held.taken, floor.units)
        too_much = held.power_w + device.power.filled_w > floor.max_power_w and held.taken
        full = not device.is_switch and nodes_per_rack is not None and held.nodes >= nodes_per_rack
        if unit is None or too_much or full:
            left.append(instance)
            continue
        held.add(device, unit)
        spots.append((instance, unit))
    return spots, left


def _free_unit(device: RackDevice, taken: set[int], units: int) -> int | None:
    """The lowest U of the first free run: nodes seek it from the floor, switches from the top."""
    starts = range(1, units - device.units + 2)
    for unit in reversed(starts) if device.is_switch else starts:
        if taken.isdisjoint(range(unit, unit + device.units)):
            return unit
    return None
