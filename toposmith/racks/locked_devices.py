"""Devices that the lock of a design knows: where they stand; the names of all for labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from toposmith.design.placement_block import PlacementBlock
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.lock.lock_file import LockedDevice
from toposmith.racks.connections import coordinates
from toposmith.racks.rack_devices import Floor, RackDevice, rack_place

InstancePlaces = dict[str, dict[int, tuple[tuple[int, int], int]]]
"""Row and column of a rack and the lowest U, by group and number of the instance."""


def coordinates_text(group: GroupPlan, number: int) -> str:
    """``su=0,node=3``: the coordinates of an instance, as selectors write them."""
    values = coordinates(group, number)
    return ",".join(f"{axis}={value}" for axis, value in zip(group.axes, values, strict=True))


def coordinates_texts(group: GroupPlan) -> list[str]:
    """The coordinates of all instances, by number."""
    values = (
        [f"{axis}={value}" for value in range(size)]
        for axis, size in zip(group.axes, group.sizes, strict=True)
    )
    return [",".join(one) for one in product(*values)]


def number_at(group: GroupPlan, text: str) -> int | None:
    """The instance at these coordinates, in whatever order they are written; None without one.

    An axis that the group has gained since is at its first value, one that it has lost must be.
    """
    values: dict[str, int] = {}
    for part in text.split(",") if text else ():
        axis, _, value = part.partition("=")
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            return None
        values[axis] = int(value)
    number = 0
    for axis, size in zip(group.axes, group.sizes, strict=True):
        place = values.pop(axis, 0)
        if place >= size:
            return None
        number = number * size + place
    return None if any(values.values()) else number


@once
def locked_devices(plan: Plan) -> Mapping[str, Mapping[int, LockedDevice]]:
    """The devices of the lock that the design has, by group and number; empty without a lock."""
    lock = plan.design.lock
    known: dict[str, dict[int, LockedDevice]] = {name: {} for name in plan.groups}
    if lock is None:
        return known
    numbers = {
        name: {text: number for number, text in enumerate(coordinates_texts(group))}
        for name, group in plan.groups.items()
    }
    for device in lock.devices:
        group = plan.groups.get(device.group)
        if group is None:
            continue
        number = numbers[device.group].get(device.at)
        if number is None:  # not written as this program does, or over other axes
            number = number_at(group, device.at)
        if number is not None:
            known[device.group].setdefault(number, device)
    return known


def locked_facts(plan: Plan, name: str) -> Mapping[int, Mapping[str, str]]:
    """What the lock knows of the very devices of a group, by number: ``serial``, ``guid``, ``mac``.

    A device that the design gives another part is to be another one, of which nothing is known.
    """
    part, devices = plan.groups[name].spec.part, locked_devices(plan)[name]
    return {
        number: dict(fact.partition("=")[::2] for fact in device.facts.split())
        for number, device in devices.items()
        if device.part == part
    }


def locked_places(
    plan: Plan,
    floor: Floor,
    block: PlacementBlock,
    devices: Mapping[str, RackDevice],
    absent: Mapping[str, frozenset[int]],
    named: Mapping[str, Mapping[int, tuple[tuple[int, int], int]]],
) -> InstancePlaces:
    """Places of what stands already, and of what is new in the racks of its unit.

    A device keeps its place unless another stands there or it has become too tall for it. An absent
    one keeps its U, too. New devices stand in the racks of those that share their unit, as far as U
    and power allow: further away they would take other modules than their switches have cages for.

    Parameters
    ----------
    plan : Plan
        The design; without a lock there are no such places.
    floor, block
        The size of racks, and how many nodes one takes.
    devices : mapping
        Height and power, by group.
    absent : mapping
        Instances that the design marks as not there, by group.
    named : mapping
        Places that the design gives itself; these come first.
    """
    if plan.design.lock is None:
        return {}
    return _Places(plan, floor, block, devices, absent, named).places()


class _Places:
    def __init__(
        self,
        plan: Plan,
        floor: Floor,
        block: PlacementBlock,
        devices: Mapping[str, RackDevice],
        absent: Mapping[str, frozenset[int]],
        named: Mapping[str, Mapping[int, tuple[tuple[int, int], int]]],
    ) -> None:
        self._plan, self._floor, self._most_nodes = plan, floor, block.nodes_per_rack
        self._devices, self._absent, self._named = devices, absent, named
        self._locked = locked_devices(plan)
        self._taken: dict[tuple[int, int], int] = defaultdict(int)
        """By rack, a bit for each U."""
        self._power_w: dict[tuple[int, int], float] = defaultdict(float)
        self._nodes: dict[tuple[int, int], int] = defaultdict(int)
        self._racks_of_unit: dict[tuple[str, int], dict[tuple[int, int], None]] = defaultdict(dict)
        self._kept: InstancePlaces = defaultdict(dict)

    def places(self) -> InstancePlaces:
        for name, spots in self._named.items():
            for number, (rack, unit) in spots.items():
                self._take(name, number, rack, unit)
        for name, known in self._locked.items():
            if name in self._devices:
                for number, device in known.items():
                    if device.rack and number not in self._named.get(name, ()):
                        self._keep(name, number, device)
        for name, kind in self._devices.items():
            placed = {*self._locked[name], *self._named.get(name, ()), *self._absent[name]}
            for number in range(self._plan.groups[name].instances):
                if number not in placed:
                    self._put_beside(name, number, kind)
        return self._kept

    def _keep(self, name: str, number: int, device: LockedDevice) -> None:
        rack, unit = rack_place(device.rack), int(device.unit)
        beyond = unit + self._devices[name].units - 1 > self._floor.units
        if rack[1] >= 0 and not beyond and self._is_free(name, rack, unit):
            self._take(name, number, rack, unit)
            self._kept[name][number] = rack, unit

    def _put_beside(self, name: str, number: int, device: RackDevice) -> None:
        """Give a new device the first place in a rack of its unit, switches from the top down."""
        for rack in self._racks_of_unit.get((name, self._unit_of(name, number)), ()):
            full = self._most_nodes is not None and self._nodes[rack] >= self._most_nodes
            if full and not device.is_switch:
                continue
            if self._power_w[rack] + device.power.filled_w > self._floor.max_power_w:
                continue
            free = (unit for unit in self._starts(device) if self._is_free(name, rack, unit))
            unit = next(free, None)
            if unit is not None:
                self._take(name, number, rack, unit)
                self._kept[name][number] = rack, unit
                return

    def _starts(self, device: RackDevice) -> Sequence[int]:
        starts = range(1, self._floor.units - device.units + 2)
        return starts[::-1] if device.is_switch else starts

    def _is_free(self, name: str, rack: tuple[int, int], unit: int) -> bool:
        return not self._taken[rack] & self._units(name, unit)

    def _take(self, name: str, number: int, rack: tuple[int, int], unit: int) -> None:
        self._taken[rack] |= self._units(name, unit)
        self._racks_of_unit[name, self._unit_of(name, number)][rack] = None
        if number not in self._absent[name]:
            self._power_w[rack] += self._devices[name].power.filled_w
            self._nodes[rack] += not self._devices[name].is_switch

    def _units(self, name: str, unit: int) -> int:
        """A bit for each U of a device from this one up."""
        return ((1 << self._devices[name].units) - 1) << unit

    def _unit_of(self, name: str, number: int) -> int:
        """Devices of one group that agree on all axes but their own share a unit."""
        return number // self._plan.groups[name].spec.count


def device_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The names of the instances of a group, by their number.

    ``leaf-su0-rail3``: the group, then the axes that it repeats over with their values; the
    number of its own count comes last, ``node-su3-31``. Numbers count from 0, as in selectors.
    Where another group's name begins like that, dots stand between, which names cannot have.
    A device of the lock has its name there. The plan's map of names comes before all of this.
    """
    named, own = locked_names(plan, name), own_names(plan, name)
    if not plan.naming.names_devices:
        return named
    return lambda number: plan.naming.given(own(number)) or named(number)


def locked_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The names of the instances of a group by the lock, regardless of a map of names.

    A new device has its own name; where another device of the lock has that, a number follows.
    """
    own, known = own_names(plan, name), locked_devices(plan)[name]
    lock = plan.design.lock
    if lock is None:
        return own

    def named(number: int) -> str:
        if number in known:
            return known[number].name
        free, turn = own(number), 1
        while free in lock.by_name:
            turn += 1
            free = f"{own(number)}.{turn}"
        return free

    return named


def port_names(plan: Plan, name: str) -> Mapping[str, str]:
    """What ports of a group are called other than their labels, by the map of names or the lock."""
    bound = plan.design.lock.ports.get(name, {}) if plan.design.lock is not None else {}
    return {**bound, **plan.naming.ports.get(name, {})}


def own_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The design's own names of the instances of a group, regardless of lock and map of names."""
    group = plan.groups[name]
    joint = "." if any(other.startswith(f"{name}-") for other in plan.groups) else "-"
    has_own = group.spec.count > 1 or len(group.axes) == 1

    def named(number: int) -> str:
        *outer, own = coordinates(group, number)
        words = [f"{axis}{value}" for axis, value in zip(group.axes, outer, strict=False)]
        return joint.join([name, *words, *([str(own)] if has_own else [])])

    return named
