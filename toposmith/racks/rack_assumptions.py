"""Assumptions of racks beyond the catalog: heights, power and defaults."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toposmith.racks.floor import DEFAULT_AISLE_M, DEFAULT_SLACK_M, DEFAULT_TRAY_M
from toposmith.racks.placement import Placement
from toposmith.racks.rack_devices import PowerBasis, RackDevice
from toposmith.racks.rack_loads import Elevation, FeedPower, RackLoad
from toposmith.text import counted, power

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
