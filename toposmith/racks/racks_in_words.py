"""Text about racks: their number, power and heat, and redundancy of feeds."""

from __future__ import annotations

from toposmith.racks.elevations import Elevation
from toposmith.racks.placement import Placement
from toposmith.racks.rack_assumptions import rack_assumptions
from toposmith.racks.rack_loads import FeedPower, RackLoad
from toposmith.text import counted, power


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
