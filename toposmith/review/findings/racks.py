"""Racks: what their judgement found, with the figure behind it and a fix that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, floor

from toposmith.bill.link_parts import Chooser
from toposmith.catalog import Pdu, Rack
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import DESIGN, Finding, at_block, found
from toposmith.racks.rack_checks import airflow_findings, busbar_findings, rack_findings
from toposmith.racks.rack_devices import ASSUMED
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject


def of_racks(subject: Subject) -> Iterator[Finding]:
    """What is wrong with racks, where the design says how its devices stand.

    Where it does not, only what the filling assumes is reported, and what is ordered with a device:
    the direction of its air against that of others in its rack, and its supplies for a busbar.
    """
    if subject.plan.design.placement is None:
        judged = (
            *subject.placement.findings,
            *airflow_findings(subject.placement, subject.catalog),
            *busbar_findings(subject.placement, subject.catalog),
        )
        told = {*ASSUMED, "rack-airflow-mixed", "rack-busbar-unfit"}
    else:
        judged = rack_findings(subject.plan, subject.catalog, subject.placement)
        told = {one.code for one in judged}
    for one in judged:
        if one.code in told:
            yield subject.explained(one, EXPLAIN.get(one.code))


def _drawn(subject: Subject) -> dict[str, Fact]:
    """The most that a rack draws by all that is known, and the most that one draws at least."""
    return {
        "most_kw": max(load.power_w for load in subject.rack_loads) / 1000,
        "fullest_kw": max(load.least_w for load in subject.rack_loads) / 1000,
    }


def over_power(subject: Subject, finding: Finding) -> Explained:
    """The rack's power against its limit, and the nodes that a rack can hold."""
    limit = subject.placement.floor.max_power_w
    nodes = [
        device.power.filled_w
        for device in subject.placement.devices.values()
        if not device.is_switch and device.power.filled_w
    ]
    fit = floor(limit / max(nodes)) if nodes else 0
    return {**_drawn(subject), "nodes_that_fit": fit}


def over_weight(subject: Subject, finding: Finding) -> Explained:
    """The weight of the heaviest rack's devices."""
    return {"heaviest_kg": max(load.weight_kg for load in subject.rack_loads)}


def too_tall(subject: Subject, finding: Finding) -> Explained:
    """The device against the rack, and the racks of the catalog that hold it."""
    group = subject.plan.groups[finding.place.group]
    units = group.part.rack_units if group.part else None
    if units is None:
        return {}
    high = [
        rack.id
        for rack in subject.catalog.of_kind("rack")
        if isinstance(rack, Rack) and (rack.units or 0) >= units
    ]
    return {"height_units": units, "rack": high[0] if high else None}


def feeds_short(subject: Subject, finding: Finding) -> Explained:
    """What the rack draws, and the feeds that carry it."""
    return _feeds(subject, spare=0)


def feeds_alone(subject: Subject, finding: Finding) -> Explained:
    """What the rack draws, and the feeds that carry it with one lost."""
    return _feeds(subject, spare=1)


def _feeds(subject: Subject, spare: int) -> Explained:
    feeds = subject.placement.block.feeds
    part = subject.catalog.get(feeds.pdu) if feeds else None
    most = max(load.least_w for load in subject.rack_loads)
    if not isinstance(part, Pdu) or not part.rating_w:
        return _drawn(subject)
    needed = ceil(most / part.rating_w) + spare
    return {**_drawn(subject), "feed_kw": part.rating_w / 1000, "feeds_needed": needed}


# Ways that cables take: along a row, across a hall, between halls (m).
_LENGTHS_M = (0.5, 1, 2, 3, 5, 10, 20, 30, 40, 50, 100, 150, 300, 500, 1000, 2000)


def no_cable(subject: Subject, finding: Finding) -> Explained:
    """The link's length, and the longest that the catalog can build: its reach, or a usual one."""
    link = next((one for one in subject.plan.links if one.index == finding.place.index), None)
    if link is None:
        return {}
    reach = finding.values.get("reach_m")
    tried = (*_LENGTHS_M, reach) if isinstance(reach, int | float) else _LENGTHS_M
    longest, chooser = 0.0, Chooser(subject.plan, subject.catalog)
    for metres in tried:
        recipe, _ = chooser.parts(replace(link, length_m=metres))
        if recipe is not None:
            longest = max(longest, metres)
    return {"length_m": link.length_m, "buildable_m": longest}


def unknown_lengths(subject: Subject) -> Iterator[Finding]:
    """Links without a length: those that racks do not give, those that assumed racks give."""
    links = [one for one in subject.plan.links if one.peers_of_a * one.peers_of_b]
    without = [one for one in links if subject.plan.design.links[one.index].length is None]
    measured = {run.link for run in subject.runs}
    unknown = [one.label for one in without if one.index not in measured]
    if unknown:
        yield _of_links("length-unknown", unknown, len(links))
    assumed = [one.label for one in without if one.index in measured]
    if assumed and subject.plan.design.placement is None:
        yield _of_links("length-assumed", assumed, len(links))


def _of_links(code: str, names: Sequence[str], of: int) -> Finding:
    return found(code, at_block("links"), names=tuple(names), count=len(names), links=of)


def power(subject: Subject) -> Iterator[Finding]:
    """Power of all parts above what the policy allows."""
    most = subject.policy.limits.power_kw
    total = subject.bill.power_w
    if most is None or total.known <= most * 1000:
        return
    power = {"power_kw": total.known / 1000, "limit_kw": most}
    yield found("power-over-policy", DESIGN, complete=total.complete, **power)


FIND: tuple[Find, ...] = (
    of_racks,
    unknown_lengths,
    power,
)
EXPLAIN: Explainers = {
    "rack-over-power": over_power,
    "rack-over-weight": over_weight,
    "rack-too-tall": too_tall,
    "rack-feed-short": feeds_short,
    "rack-feed-not-redundant": feeds_alone,
    "no-cable": no_cable,
}
