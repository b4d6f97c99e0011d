"""The loss of a power feed: which racks go dark with it, where the design says its feeds."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.racks.placement import Placement, place
from toposmith.racks.rack_checks import instance_words
from toposmith.racks.rack_loads import RackLoad, feed_power, held_in, rack_loads
from toposmith.review.failures.breakable import Failure
from toposmith.text import counted

NOT_SAID = "power feeds: the design does not say them (placement: with feeds:)"
MOST_RACKS = 64
"""Racks whose feeds fail one by one; no two racks are known to be equivalent."""


@dataclass(frozen=True)
class FeedLosses:
    """What the loss of one feed of a rack does.

    Parameters
    ----------
    dark : tuple of Failure
        A failure for each rack that goes dark.
    racks, survived : int
        Racks in which something stands, and those that the loss of any feed leaves on.
    feeds : int
        Of each rack.
    said : tuple of str
        Notes on feeds.
    """

    dark: tuple[Failure, ...] = ()
    racks: int = 0
    survived: int = 0
    feeds: int = 0
    said: tuple[str, ...] = ()


def feed_failures(plan: Plan, catalog: Catalog) -> FeedLosses:
    """What the loss of one feed of a rack takes down.

    A rack goes dark where the feeds that are left cannot carry what it draws; where they can,
    nothing fails.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        Where power distribution units are looked up.

    Returns
    -------
    FeedLosses
        Racks that hold devices of unknown power, and may stay on or not, are named, not counted.
    """
    block = plan.design.placement
    if block is None or block.feeds is None:
        return FeedLosses(said=(NOT_SAID,))
    placement = place(plan, catalog)
    feeds = feed_power(placement, catalog)
    if feeds is None or feeds.one_lost_w is None:
        return FeedLosses(said=(f"power feeds: the rating of {block.feeds.pdu} is not known",))
    loads = [load for load in rack_loads(placement) if load.devices]
    left = feeds.one_lost_w
    dark = [load for load in loads if load.least_w > left]
    survived = sum(load.most_w is not None and load.most_w <= left for load in loads)
    said: list[str] = []
    unknown = len(loads) - len(dark) - survived
    if unknown:
        racks = counted(unknown, "rack")
        said.append(f"power feeds of {racks} with devices of unknown power, in full")
    if len(dark) > MOST_RACKS:
        said.append(f"power feeds of {len(dark) - MOST_RACKS:,} more racks that go dark as well")
    return FeedLosses(
        tuple(_dark(plan, placement, load, feeds.count) for load in dark[:MOST_RACKS]),
        len(loads),
        survived,
        feeds.count,
        tuple(said),
    )


def _dark(plan: Plan, placement: Placement, load: RackLoad, feeds: int) -> Failure:
    names = tuple(
        instance_words(plan, name, number) for _, name, number in held_in(placement, load.rack)
    )
    return Failure("feed", f"rack {placement.label(load.rack)}", names, feeds)
