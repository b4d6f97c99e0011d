"""Lengths that a design types, held against the way between the racks of both ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil

from toposmith.cancellation import go_on
from toposmith.catalog import Catalog, Rack
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import Finding, found
from toposmith.racks.connections import Missing, blocks, connections, missing
from toposmith.racks.lengths import METRE, CableLengths, CableRun, depth_below_tray, in_metres
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
    """Held against the way between every two devices that it joins."""
    longest: tuple[float, int, int] = 0.0, 0, 0
    cables = short = 0
    for a, b, each in _pairs(plan, link, gone):
        go_on()
        way_m = _least_way(placement, (link.a.group, a), (link.b.group, b)) / METRE
        cables += each
        short += each * (way_m > length_m)
        longest = max(longest, (way_m, a, b))
    if short:
        _, a, b = longest
        along = CableLengths(placement).between(link.a.group, a, link.b.group, b)
        assert along is not None  # as both stand in racks
        yield found(
            "length-short",
            link.place,
            length_m=length_m,
            way_m=along[0],
            short=short,
            cables=cables,
        )


def _pairs(plan: Plan, link: LinkPlan, gone: Missing) -> Iterator[tuple[int, int, int]]:
    """The devices that a link joins, by number, and how many cables."""
    if link.bundle or not gone.is_whole(link):
        yield from ((a, b, 1) for a, b, _, _ in connections(plan, link, gone))
        return
    each = link.cables_per_pair
    ends = gone.devices[link.a.group], gone.devices[link.b.group]
    for of_a, of_b in blocks(plan, link):
        here = [a for a in of_a if a not in ends[0]], [b for b in of_b if b not in ends[1]]
        yield from ((a, b, each) for a, b in product(*here))


def _least_way(placement: Placement, one: tuple[str, int], other: tuple[str, int]) -> int:
    """The shortest way between two devices, without slack; 0 where one stands in no rack."""
    racks = [placement.rack_of[name][number] for name, number in (one, other)]
    if NOWHERE in racks:
        return 0
    depths = [
        depth_below_tray(placement, name, placement.unit_of[name][number])
        for name, number in (one, other)
    ]
    (row_a, column_a), (row_b, column_b) = (placement.racks[rack] for rack in racks)
    across, along = abs(row_a - row_b), abs(column_a - column_b)
    way = across * placement.floor.row_pitch + along * placement.floor.pitch
    straight = not across and along <= 1
    return way + (abs(depths[0] - depths[1]) if straight else sum(depths))


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
