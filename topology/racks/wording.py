"""What is said of a rack: its power and heat, and whether it lives on when a feed fails."""

from __future__ import annotations

from topology.racks.elevations import Elevation
from topology.racks.loads import BTU_PER_HOUR_PER_W, FeedPower


def power_words(one: Elevation) -> str:
    """Power and heat of a rack; what is unknown is said, never counted as nothing."""
    load = one.load
    if load.without_power == load.devices:
        return "power unknown"
    heat = load.power_w * BTU_PER_HOUR_PER_W
    words = f"{load.power_w / 1000:.1f} kW, heat {heat:,.0f} BTU/h"
    if load.without_power:
        words += f", incomplete: {load.without_power} of {load.devices} devices have no power"
    return words


def feed_words(one: Elevation, feeds: FeedPower | None) -> str:
    """Whether a rack lives on when one of its feeds fails."""
    if feeds is None:
        return "feeds unknown"
    many = f"{feeds.count} feed{'' if feeds.count == 1 else 's'}"
    if feeds.all_w is None or feeds.one_lost_w is None or one.load.without_power:
        return f"{many}, redundancy unknown"
    if one.load.power_w <= feeds.one_lost_w:
        return f"{many}, one may fail"
    if one.load.power_w <= feeds.all_w:
        return f"{many}, none may fail"
    return f"{many}, too few"
