"""The load of each rack: U, power, heat, weight, and redundancy of feeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toposmith.catalog import Catalog, Pdu
from toposmith.fabric.once import once
from toposmith.fabric.plan import Plan
from toposmith.racks.locked_devices import device_names
from toposmith.racks.placement import NOWHERE, Placement
from toposmith.racks.rack_devices import (
    DEFAULT_AISLE_M,
    DEFAULT_SLACK_M,
    DEFAULT_TRAY_M,
    PowerBasis,
    RackDevice,
)
from toposmith.text import counted, power

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


NOT_LOOKED_AT = "airflow of nodes, cooling, and how supplies spread over feeds"
"""What is not checked for any design's racks."""


@dataclass(frozen=True)
class RackAssumptions:
    """The assumptions of a count of racks, and of lengths along them.

    Parameters
    ----------
    heights : tuple of str
        Parts whose height is assumed.
    power : tuple of str
        Parts whose power is assumed.
    supplies : tuple of str
        Parts assumed to draw the rating of their power supplies.
    without_power : tuple of str
        Parts without any figure to assume power by; they count as zero.
    left_out : tuple of str
        Parts that stand in no rack.
    defaults : tuple of str
        What the design leaves to a default: ``racks of 42 U``, ``40.8 kW a rack``.
    """

    heights: tuple[str, ...] = ()
    power: tuple[str, ...] = ()
    supplies: tuple[str, ...] = ()
    without_power: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()

    @property
    def parts_known(self) -> bool:
        """Whether height and power of all that stands in racks are known."""
        unknown = (self.heights, self.power, self.supplies, self.without_power, self.left_out)
        return not any(unknown)

    @property
    def words(self) -> str:
        """``the height of hgx-h100-8; 40.8 kW a rack``; empty where nothing is assumed."""
        said = [
            _of("the height", self.heights),
            _of("the power", self.power),
            _of("full power supplies", self.supplies),
            _of("no power", self.without_power),
            f"no rack for {', '.join(self.left_out)}" if self.left_out else "",
            *self.defaults,
        ]
        return "; ".join(filter(None, said))


def rack_assumptions(placement: Placement) -> RackAssumptions:
    """The assumptions of a placement."""
    devices = placement.devices.values()
    block, floor = placement.block, placement.floor
    if not devices:
        return RackAssumptions(left_out=placement.left_out)
    defaults = []
    if block.units is None and (block.rack is None or not (floor.part and floor.part.units)):
        defaults.append(f"racks of {floor.units} U")
    if not floor.power_is_given:
        defaults.append(f"{power(floor.max_power_w)} a rack")
    return RackAssumptions(
        heights=_parts(device for device in devices if device.height_assumed),
        power=_filled_by(devices, "assumed"),
        supplies=_filled_by(devices, "supplies"),
        without_power=_filled_by(devices, "unknown"),
        left_out=placement.left_out,
        defaults=tuple(defaults),
    )


def length_assumptions(placement: Placement) -> tuple[str, ...]:
    """The assumptions of lengths along the racks of a placement."""
    block, rows = placement.block, {row for row, _ in placement.racks}
    return (
        *(["where devices stand"] if rack_assumptions(placement).words else []),
        *([f"aisles of {DEFAULT_AISLE_M:g} m"] if block.aisle_m is None and len(rows) > 1 else []),
        *([f"trays {DEFAULT_TRAY_M:g} m above racks"] if block.tray_m is None else []),
        *([f"{DEFAULT_SLACK_M:g} m of slack"] if block.slack_m is None else []),
    )


def _filled_by(devices: Iterable[RackDevice], basis: PowerBasis) -> tuple[str, ...]:
    alone = (device for device in devices if not device.in_whole_racks)
    return _parts(device for device in alone if device.power.basis == basis)


def _parts(devices: Iterable[RackDevice]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(device.part for device in devices))


def _of(what: str, parts: tuple[str, ...]) -> str:
    return f"{what} of {', '.join(parts)}" if parts else ""


def count_words(placement: Placement, racks: int) -> str:
    """``5 racks (assumed) of 42 U, filled to 40.8 kW each``, and what the count rests on."""
    floor, assumed = placement.floor, rack_assumptions(placement).words
    mark = " (assumed)" if assumed else ""
    words = f"{counted(racks, 'rack')}{mark} of {floor.units} U, "
    words += f"filled to {power(floor.max_power_w)}{'' if racks == 1 else ' each'}"
    if whole := sum(standing.whole for standing in placement.whole.values()):
        words += f", {whole:,} of them sold whole, with limits of their own"
    return f"{words}; assumed: {assumed}" if assumed else words


def power_words(one: Elevation) -> str:
    """Power and heat of a rack; what is unknown is said, never counted as nothing."""
    load = one.load
    heat = f"{load.heat_btu_per_hour:,.0f} BTU/h"
    if not load.without_power:
        return f"{load_words(load)}, heat {heat}"
    devices = counted(load.devices, "device")
    lack = f"the power of {load.without_power} of {devices} is not in this catalog"
    if not load.least_w:
        return f"power unknown, {load_words(load)}: {lack}"
    return f"{load_words(load)}, heat at least {heat}, incomplete: {lack}"


def load_words(load: RackLoad) -> str:
    """``40.8 kW``; ``at least 16.8 kW, at most 28.8 kW`` where devices have no power."""
    if not load.without_power:
        return power(load.power_w)
    said = [f"at least {power(load.least_w)}"] if load.least_w else []
    filled = power(load.filled_w)
    said.append(f"{filled} assumed" if load.most_w is None else f"at most {filled}")
    return ", ".join(said)


def feed_words(one: Elevation, feeds: FeedPower | None) -> str:
    """Whether a rack stays up when one of its feeds fails."""
    if one.load.whole:
        return "fed by its own power shelves"
    if feeds is None:
        return "feeds unknown"
    many = counted(feeds.count, "feed")
    if feeds.all_w is None or feeds.one_lost_w is None:
        return f"{many}, redundancy unknown"
    load = one.load
    if load.least_w > feeds.all_w:
        return f"{many}, too few"
    if load.least_w > feeds.one_lost_w:
        return f"{many}, not redundant"
    if load.most_w is None or load.most_w > feeds.one_lost_w:
        return f"{many}, redundancy unknown"
    return f"{many}, N+1 redundant"
