"""The load of each rack: U, power, heat, weight, and redundancy of feeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toposmith.catalog import Catalog, Pdu
from toposmith.fabric.once import once
from toposmith.fabric.plan import Plan
from toposmith.racks.device_names import device_names
from toposmith.racks.placement import NOWHERE, Placement

# 1 W is 3.412142 BTU/h (NIST SP 811, appendix B.8, table BTU); all power in a rack becomes heat.
BTU_PER_HOUR_PER_W = 3.412142


@dataclass(frozen=True)
class RackLoad:
    """The load of one rack.

    Parameters
    ----------
    rack : int
        Its number.
    devices : int
        Devices in it.
    units : int
        U that they use, counted for each device.
    power_w : float
        Known power of the devices, W, without modules and cables.
    without_power : int
        Devices whose power is not in the catalog.
    weight_kg : float
        Known weight of the devices, without the rack.
    more_w : float
        Least power of devices of unknown power, by their GPUs and NICs, W.
    more_filled_w : float
        Power assumed for them when racks are filled, W.
    bounded : bool
        Whether that is an upper bound for all of them, by their power supplies.
    whole : bool
        Whether it is sold whole: it has a cabinet and power shelves of its own.
    own_limit : bool
        Whether no stated limit applies to it; an assumed limit is for other racks.
    """

    rack: int
    devices: int = 0
    units: int = 0
    power_w: float = 0.0
    without_power: int = 0
    weight_kg: float = 0.0
    more_w: float = 0.0
    more_filled_w: float = 0.0
    bounded: bool = False
    whole: bool = False
    own_limit: bool = False

    def over(self, limit_w: float) -> bool:
        """Whether it draws more than the limit, which is none of its own where that is assumed."""
        return not self.own_limit and self.least_w > limit_w

    @property
    def least_w(self) -> float:
        """The least power of the rack, W."""
        return self.power_w + self.more_w

    @property
    def filled_w(self) -> float:
        """Its power for the filling of racks, W."""
        return self.power_w + self.more_filled_w

    @property
    def most_w(self) -> float | None:
        """The most power of the rack, W; None where that is unknown."""
        return self.filled_w if self.bounded or not self.without_power else None

    @property
    def heat_btu_per_hour(self) -> float:
        """Heat of the least power, BTU/h."""
        return self.least_w * BTU_PER_HOUR_PER_W


@dataclass(frozen=True)
class FeedPower:
    """Power of the feeds of a rack, W: all of them, and the rest when one fails."""

    pdu: str
    count: int
    all_w: float | None
    one_lost_w: float | None


@once
def rack_loads(placement: Placement) -> list[RackLoad]:
    """The load of every rack, by its number."""
    of_group = _devices_by_rack(placement)
    return [
        _summed(placement, number, [held.get(number, 0) for held in of_group.values()])
        for number in range(len(placement.racks))
    ]


def feed_power(placement: Placement, catalog: Catalog) -> FeedPower | None:
    """Power of the feeds of each rack; None where the design states no feeds."""
    feeds = placement.block.feeds
    if feeds is None:
        return None
    part = catalog.get(feeds.pdu)
    rating = part.rating_w if isinstance(part, Pdu) else None
    if rating is None:
        return FeedPower(feeds.pdu, feeds.count, None, None)
    return FeedPower(feeds.pdu, feeds.count, feeds.count * rating, (feeds.count - 1) * rating)


def held_in(placement: Placement, rack: int) -> Iterator[tuple[int, str, int]]:
    """The devices of a rack: lowest U, group and number."""
    for name, racks in placement.rack_of.items():
        units = placement.unit_of[name]
        for number, where in enumerate(racks):
            if where == rack:
                yield units[number], name, number


def _devices_by_rack(placement: Placement) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for name, racks in placement.rack_of.items():
        held: dict[int, int] = {}
        for rack in racks:
            if rack != NOWHERE:
                held[rack] = held.get(rack, 0) + 1
        found[name] = held
    return found


def _summed(placement: Placement, rack: int, counts: list[int]) -> RackLoad:
    devices = units = without_power = 0
    power = weight = more = filled = 0.0
    bounded = True
    for count, device in zip(counts, placement.devices.values(), strict=True):
        if not count:
            continue
        devices += count
        units += count * device.units
        if device.power.known_w is None:
            without_power += count
            more += count * device.power.least_w
            filled += count * device.power.filled_w
            bounded = bounded and device.power.most_w is not None
        else:
            power += count * device.power.known_w
        weight += count * (device.weight_kg or 0.0)
    standing = placement.whole.get(rack)
    own_limit = standing is not None and not placement.floor.power_is_given
    if standing is None or not standing.whole:
        return RackLoad(
            *(rack, devices, units, power, without_power, round(weight, 3)),
            more_w=more,
            more_filled_w=filled,
            bounded=bounded,
            own_limit=own_limit,
        )
    system, beside = standing.system, len(standing.boxes)
    units += sum(height for _, height, _ in standing.boxes)
    if system.power_w is not None:  # what other devices in it draw is none of its own
        own_w = system.nodes * placement.devices[standing.group].power.filled_w
        if standing.switches is not None:
            name, many = standing.switches
            own_w += many * placement.devices[name].power.filled_w
        power, more, filled = max(power + filled - own_w, 0.0) + system.power_w, 0.0, 0.0
        without_power, bounded = 0, True
    else:
        without_power, bounded = without_power + beside, False
    if system.weight_kg is not None:
        own = placement.devices[standing.group].weight_kg
        weight += system.weight_kg - system.nodes * (own or 0.0)
    return RackLoad(
        *(rack, devices + beside, units, power, without_power, round(weight, 3)),
        more_w=more,
        more_filled_w=filled,
        bounded=bounded,
        whole=True,
        own_limit=own_limit,
    )


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
