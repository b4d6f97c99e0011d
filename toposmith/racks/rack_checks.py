"""Checks of racks: two devices in one U, too much power or weight, too few feeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import ceil

import numpy as np

from toposmith.catalog import Catalog, Node, Pdu, Rack, Switch
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.codes.code import Severity, Values
from toposmith.findings.finding import Finding, Place, at_block, at_racks, found
from toposmith.racks.connections import Missing, connection_array, coordinates, missing
from toposmith.racks.lengths import METRE, CableLengths, CableRun, in_metres, least_ways
from toposmith.racks.placement import NOWHERE, Placement
from toposmith.racks.rack_devices import UNIT, Floor
from toposmith.racks.rack_loads import RackLoad, feed_power, rack_loads


def airflow_findings(placement: Placement, catalog: Catalog) -> Iterator[Finding]:
    """Findings on racks with switches of both airflow directions, equal racks merged.

    Switches of unknown direction, and nodes, are ignored.
    """
    held: list[dict[str, str]] = [{} for _ in placement.racks]
    for name, racks in placement.rack_of.items():
        part = catalog.get(placement.devices[name].part)
        if not isinstance(part, Switch) or part.airflow is None:
            continue
        for rack in racks:
            if rack != NOWHERE:
                held[rack][part.id] = part.airflow
    alike: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for rack, ways in enumerate(held):
        if len(set(ways.values())) > 1:
            alike[tuple(sorted(ways.items()))].append(rack)
    for ways_of, racks in alike.items():
        parts = {part: catalog[part] for part, _ in ways_of}
        others = [
            f"{part} as {one.other_airflow_number}"
            for part, one in parts.items()
            if isinstance(one, Switch) and one.other_airflow_number
        ]
        yield found(
            "rack-airflow-mixed",
            at_racks(placement.label(racks[0]), len(racks) - 1),
            switches=tuple(f"{part} ({way})" for part, way in ways_of),
            others=tuple(others),
        )


def busbar_findings(placement: Placement, catalog: Catalog) -> Iterator[Finding]:
    """Findings on racks that are sold whole with a DC busbar and hold devices of another feed.

    A warning of those that take AC; an info where the catalog does not know what a device takes.
    Equal racks are merged.
    """
    racks = {
        rack: standing
        for rack, standing in placement.whole.items()
        if standing.whole and standing.system.fed_by == "busbar"
    }
    held: dict[int, set[str]] = defaultdict(set)
    for name, where in placement.rack_of.items() if racks else ():
        for rack in {*where} & racks.keys():
            standing = racks[rack]
            if name not in (standing.group, *(standing.switches or ())[:1]):
                held[rack].add(placement.devices[name].part)
    levels: tuple[tuple[str | None, Severity | None], ...] = (("AC", None), (None, "info"))
    for fed_by, severity in levels:
        alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for rack, parts in sorted(held.items()):
            of = tuple(sorted(part for part in parts if _fed_by(part, catalog) == fed_by))
            if of:
                alike[of].append(rack)
        for parts_held, where in alike.items():
            yield found(
                "rack-busbar-unfit",
                at_racks(placement.label(where[0]), len(where) - 1),
                severity,
                parts=parts_held,
                system=racks[where[0]].system.name,
                known=fed_by is not None,
            )


def _fed_by(part_id: str, catalog: Catalog) -> str | None:
    part = catalog.get(part_id)
    return None if part is None else part.fed_by


MOST_AMPS_C13 = 10.0
_USUAL_VOLTS = 230.0
_LINE_TO_LINE_V = 300.0


def outlet_findings(placement: Placement, catalog: Catalog) -> Iterator[Finding]:
    """Racks whose devices have more supplies than their PDUs have outlets, alike ones together."""
    feeds = placement.block.feeds
    pdu = catalog.get(feeds.pdu) if feeds else None
    if feeds is None or not isinstance(pdu, Pdu):
        return
    outlets = feeds.count * sum(pdu.outlets.values())
    large_outlets = feeds.count * pdu.outlets.get("C19", 0)
    alike: dict[tuple[int, int], list[int]] = defaultdict(list)
    for rack, wanted in enumerate(_inlets(placement, catalog, _volts(pdu))):
        if wanted[0] > outlets or wanted[1] > large_outlets:
            alike[wanted].append(rack)
    for (inlets, large), racks in alike.items():
        yield found(
            "rack-outlets-short",
            at_racks(placement.label(racks[0]), len(racks) - 1),
            inlets=inlets,
            large=large,
            outlets=outlets,
            too_few=inlets > outlets,
            large_outlets=large_outlets,
            feeds=feeds.count,
            feed=pdu.id,
        )


def _volts(pdu: Pdu) -> float:
    """At an outlet: of three phases between one and the neutral."""
    volts = pdu.volts or _USUAL_VOLTS
    return volts / 3**0.5 if pdu.phases > 1 and volts > _LINE_TO_LINE_V else volts


def _inlets(placement: Placement, catalog: Catalog, volts: float) -> list[tuple[int, int]]:
    """Of every rack, how many supplies stand in it, and how many of them need C19.

    A device whose supplies the catalog lacks counts as one; racks that are sold whole have power
    shelves.
    """
    counts = [[0, 0] for _ in placement.racks]
    for name, racks in placement.rack_of.items():
        part = catalog.get(placement.devices[name].part)
        supplies = part.power_supplies if isinstance(part, Node | Switch) else None
        many = supplies.count if supplies else 1
        is_large = supplies is not None and supplies.rating_w / volts > MOST_AMPS_C13
        for rack in racks:
            if rack != NOWHERE and rack not in placement.whole:
                counts[rack][0] += many
                counts[rack][1] += many * is_large
    return [(inlets, large) for inlets, large in counts]


def rack_findings(plan: Plan, catalog: Catalog, placement: Placement) -> tuple[Finding, ...]:
    """All findings about the racks of a design, equal racks merged.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        Where power distribution units are looked up.
    placement : Placement
        The placement of its devices.

    Returns
    -------
    tuple of Finding
        What the placement found itself, then collisions, then loads.
    """
    loads = rack_loads(placement)
    return (
        *placement.findings,
        *_collisions(plan, placement),
        *_over_limits(placement, loads),
        *_about_feeds(placement, catalog, loads),
        *outlet_findings(placement, catalog),
        *airflow_findings(placement, catalog),
        *busbar_findings(placement, catalog),
    )


def instance_words(plan: Plan, name: str, number: int) -> str:
    """An instance as selectors name it: ``leaf[su=0,rail=3]``."""
    group = plan.groups[name]
    values = zip(group.axes, coordinates(group, number), strict=True)
    return f"{name}[{','.join(f'{axis}={value}' for axis, value in values)}]"


def _collisions(plan: Plan, placement: Placement) -> Iterable[Finding]:
    """Two boxes in one U, and boxes that stick out; only what the design places can do that."""
    if not placement.block.devices:
        return
    taken: dict[tuple[int, int], tuple[str, int]] = {}
    met: set[tuple[tuple[str, int], tuple[str, int]]] = set()
    for name, racks in placement.rack_of.items():
        height = placement.devices[name].units
        for number, rack in enumerate(racks):
            if rack == NOWHERE:
                continue
            unit = placement.unit_of[name][number]
            here = (name, number)
            if unit + height - 1 > placement.height(rack):
                yield found(
                    "rack-over-height",
                    at_racks(placement.label(rack)),
                    device=instance_words(plan, *here),
                    unit=unit,
                    top_unit=unit + height - 1,
                    units=placement.height(rack),
                )
            for one in range(unit, unit + height):
                other = taken.setdefault((rack, one), here)
                if other != here and (other, here) not in met:
                    met.add((other, here))
                    yield found(
                        "rack-unit-taken",
                        at_racks(placement.label(rack)),
                        device=instance_words(plan, *here),
                        other=instance_words(plan, *other),
                        unit=one,
                    )


def _over_limits(placement: Placement, loads: list[RackLoad]) -> Iterable[Finding]:
    floor = placement.floor
    over: dict[Values, list[int]] = defaultdict(list)
    perhaps: dict[Values, list[int]] = defaultdict(list)
    heavy: dict[Values, list[int]] = defaultdict(list)
    for load in loads:
        if load.over(floor.max_power_w):
            over[_power(floor, load)].append(load.rack)
        elif load.filled_w > floor.max_power_w and not load.own_limit:
            perhaps[_power(floor, load)].append(load.rack)
        part = floor.part
        if part is not None and part.max_load_kg is not None and load.weight_kg > part.max_load_kg:
            weight = {"weight_kg": round(load.weight_kg), "carries_kg": part.max_load_kg}
            heavy[Values({"rack": part.name, **weight})].append(load.rack)
    severity: Severity = "error" if floor.power_is_given else "warning"
    for values, racks in over.items():
        yield found("rack-over-power", _racks(placement, racks), severity, **values)
    for values, racks in perhaps.items() if floor.power_is_given else ():
        yield found("rack-power-open", _racks(placement, racks), **values)
    for values, racks in heavy.items():
        yield found("rack-over-weight", _racks(placement, racks), **values)


def _power(floor: Floor, load: RackLoad) -> Values:
    """What a rack draws against its limit, to the tenth of a kW: who reads alike is alike."""
    known = not load.without_power
    return Values(
        {
            "power_kw": _tenths(load.power_w) if known else None,
            "least_kw": None if known else _tenths(load.least_w),
            "filled_kw": None if known else _tenths(load.filled_w),
            "bounded": None if known else load.most_w is not None,
            "limit_kw": floor.max_power_w / 1000,
            "limit_given": floor.power_is_given,
        }
    )


def _tenths(power_w: float) -> float:
    return float(f"{power_w / 1000:.1f}")


def _about_feeds(
    placement: Placement, catalog: Catalog, loads: list[RackLoad]
) -> Iterable[Finding]:
    feeds = feed_power(placement, catalog)
    if feeds is None:
        return
    place = at_block("placement.feeds")
    if feeds.all_w is None or feeds.one_lost_w is None:
        part = catalog.get(feeds.pdu)
        if not isinstance(part, Pdu):
            known = tuple(pdu.id for pdu in catalog.of_kind("pdu"))
            yield found("rack-feed-unknown", place, "error", pdu=feeds.pdu, known=known)
        else:
            yield found("rack-feed-unknown", place, part=part.name)
        return
    fed = [load for load in loads if not load.whole]  # by its own power shelves
    short = [load.rack for load in fed if load.least_w > feeds.all_w]
    alone = [load.rack for load in fed if feeds.one_lost_w < load.least_w <= feeds.all_w]
    if short:
        yield found(
            "rack-feed-short",
            _racks(placement, short),
            racks=len(short),
            feeds=feeds.count,
            feed=feeds.pdu,
            feeds_kw=feeds.all_w / 1000,
        )
    if alone:
        yield found(
            "rack-feed-not-redundant",
            _racks(placement, alone),
            racks=len(alone),
            feeds=feeds.count,
            feed=feeds.pdu,
            left_kw=feeds.one_lost_w / 1000,
        )


def _racks(placement: Placement, racks: list[int]) -> Place:
    """The first of some racks, and how many more."""
    return at_racks(placement.label(racks[0]), len(racks) - 1)


# Lengths that a design types, held against the way between the racks of both ends.

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
