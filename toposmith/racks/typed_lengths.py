"""Lengths that a design types, held against the way between the racks of both ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

from toposmith.catalog import Catalog, Rack
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import Finding, found
from toposmith.racks.connection_arrays import connection_array
from toposmith.racks.connections import Missing, missing
from toposmith.racks.lengths import METRE, CableLengths, CableRun, in_metres, least_ways
from toposmith.racks.placement import NOWHERE, Placement
from toposmith.racks.rack_devices import UNIT, Floor

ROOM_M = 3.0
"""Length in m by which racks that are filled by default may well stand nearer: five racks."""


def short_lengths(
    plan: Plan, catalog: Catalog, placement: Placement, ways: Sequence[CableRun]
) -> Iterator[Finding]:
    """Links whose typed ``length:`` is less than the way that some of their cables have to go.

    Where the design places its racks, the way is along the trays, without slack, or straight to
    the next rack. Racks that are filled by default may stand otherwise: then it is an error where
    no racks hold all peers of a device near enough, and a warning where those racks do not, or
    where the way between them is longer by more than :data:`ROOM_M`.

    Parameters
    ----------
    plan, catalog
        The design with its parts looked up, and the parts.
    placement : Placement
        Where its devices stand.
    ways : sequence of CableRun
        The lengths of its cables along these racks.
    """
    gone = missing(plan)
    for link in plan.every_link:
        if link.length_m is None or not {link.a.group, link.b.group} <= set(placement.rack_of):
            continue
        if plan.design.placement is not None:
            yield from _placed(plan, link, link.length_m, placement, gone)
        elif said := list(_filled(link, link.length_m, catalog, placement)):
            yield from said
        elif link.protocol != "nvlink":  # the racks of an NVLink domain are sold to stand together
            slack_m = placement.floor.slack / METRE
            of_link = [run for run in ways if run.link == link.index]
            yield from _along(link, link.length_m, of_link, ROOM_M + slack_m)


def _along(
    link: LinkPlan, length_m: float, ways: Sequence[CableRun], room_m: float
) -> Iterator[Finding]:
    """Held against the longest way between racks that are filled by default."""
    way_m = max((run.length_m for run in ways), default=0.0)
    if way_m > length_m + room_m:
        yield found(
            "length-short",
            link.place,
            "warning",
            length_m=length_m,
            way_m=way_m,
            short=sum(run.connections for run in ways if run.length_m > length_m),
            cables=sum(run.connections for run in ways),
            by_default=True,
        )


def _placed(
    plan: Plan, link: LinkPlan, length_m: float, placement: Placement, gone: Missing
) -> Iterator[Finding]:
    """Held against the way between the ends of every cable."""
    a, b = connection_array(plan, link, gone)[:2]
    ways_m = least_ways(placement, link, a, b) / METRE
    short = int((ways_m > length_m).sum())
    if short:
        longest = np.lexsort((b, a, ways_m))[-1]
        ends = (link.a.group, int(a[longest]), link.b.group, int(b[longest]))
        along = CableLengths(placement).between(*ends)
        assert along is not None  # as both stand in racks
        yield found(
            "length-short",
            link.place,
            length_m=length_m,
            way_m=along[0],
            short=short,
            cables=len(a),
        )


def _filled(
    link: LinkPlan, length_m: float, catalog: Catalog, placement: Placement
) -> Iterator[Finding]:
    """Held against the fewest racks that hold all peers of one device, itself in their middle."""
    floor = placement.floor
    heights = [rack.units or 0 for rack in catalog.of_kind("rack") if isinstance(rack, Rack)]
    tallest = max([floor.units, *heights])
    for peers, name in ((link.peers_of_a, link.b.group), (link.peers_of_b, link.a.group)):
        each = _most_in_a_rack(placement, name)
        units, racks = placement.devices[name].units, ceil(peers / each)
        severity: Severity = "warning"
        if ceil(peers * units / tallest) > _racks_within(length_m, floor):
            severity = "error"
        elif racks <= _racks_within(length_m - _down_m(floor, racks, (each - 1) * units), floor):
            continue
        way_m = _way_from_the_middle(floor, racks, (each - 1) * units)
        yield found(
            "length-short",
            link.place,
            severity,
            length_m=length_m,
            way_m=way_m,
            peers=peers,
            group=name,
            racks=racks,
        )
        return


def _most_in_a_rack(placement: Placement, name: str) -> int:
    counts: dict[int, int] = {}
    for rack in placement.rack_of[name]:
        if rack != NOWHERE:
            counts[rack] = counts.get(rack, 0) + 1
    return max(counts.values(), default=1)


def _racks_within(length_m: float, floor: Floor) -> int:
    """Racks whose middles are at most so far from that of one, with itself; along rows."""
    left, racks = round(length_m * METRE), 0
    while left >= 0:
        racks += (2 * (left // floor.pitch) + 1) * (2 if racks else 1)
        left -= floor.row_pitch
    return racks


def _down_m(floor: Floor, racks: int, units: int) -> float:
    """Up to the trays and down past so many U; nothing where all racks touch the middle one."""
    return (2 * floor.tray + units * UNIT) / METRE if racks > 3 else 0.0


def _way_from_the_middle(floor: Floor, racks: int, units: int) -> float:
    """The least length with which a device in their middle reaches all of these racks, m."""
    way = 0
    while _racks_within(way / METRE, floor) < racks:
        way += floor.pitch
    return in_metres(way + round(_down_m(floor, racks, units) * METRE) + floor.slack)
