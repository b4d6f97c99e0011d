"""Racks: what their judgement found, with the figure behind it and a way out that fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, floor

from toposmith.catalog import Pdu
from toposmith.topology.fabric.plan import Finding, Value
from toposmith.topology.racks.devices import ASSUMED
from toposmith.topology.racks.judgement import rack_findings
from toposmith.topology.review.findings.subject import Explained, Explainers, Find, Subject


def of_racks(subject: Subject) -> Iterator[Finding]:
    """What is wrong with racks, where the design says how its devices stand.

    Where it does not, only heights that nobody knows are told, as what the filling assumes.
    """
    if subject.plan.design.placement is None:
        for one in subject.placement.findings:
            if one.code in ASSUMED:
                yield subject.explained(one, EXPLAIN.get(one.code))
        return
    for one in rack_findings(subject.plan, subject.catalog, subject.placement):
        explained = subject.explained(one, EXPLAIN.get(one.code))
        yield replace(explained, value=one.value or _value(subject, one.code))


def _value(subject: Subject, code: str) -> Value | None:
    """The most that a rack draws or holds, where that is what is wrong with it."""
    if code == "rack-over-weight":
        return Value(max(load.weight_kg for load in subject.rack_loads), "kg")
    if code in ("rack-over-power", "rack-feed-short", "rack-feed-not-redundant"):
        return Value(max(load.power_w for load in subject.rack_loads) / 1000, "kW")
    return None


def over_power(subject: Subject, finding: Finding) -> Explained:
    """The rack's power against its limit, and the nodes that a rack can hold."""
    limit = subject.placement.floor.max_power_w
    most = max(load.least_w for load in subject.rack_loads)
    figure = f"{most / 1000:.1f} of {limit / 1000:.1f} kW"
    nodes = [
        device.power.filled_w
        for device in subject.placement.devices.values()
        if not device.is_switch and device.power.filled_w
    ]
    fit = floor(limit / max(nodes)) if nodes else 0
    if fit:
        return figure, f"nodes_per_rack: {fit}, or racks with more power"
    return figure, f"racks with at least {most / 1000:.1f} kW"


def over_weight(subject: Subject, finding: Finding) -> Explained:
    """The weight of a rack's devices against what it carries."""
    part = subject.placement.floor.part
    most = max(load.weight_kg for load in subject.rack_loads)
    carries = part.max_load_kg if part else None
    figure = f"{most:,.0f} kg" if carries is None else f"{most:,.0f} of {carries:,.0f} kg"
    return figure, "fewer devices in a rack (nodes_per_rack:), or a stronger rack"


def over_height(subject: Subject, finding: Finding) -> Explained:
    """How high a rack is."""
    return f"{subject.placement.floor.units} U", "a lower unit, or another rack"


def too_tall(subject: Subject, finding: Finding) -> Explained:
    """The device against the rack, and the racks of the catalog that hold it."""
    group = subject.plan.groups[finding.where]
    units = group.part.rack_units if group.part else None
    if units is None:
        return None, None
    high = [
        rack.id
        for rack in subject.catalog.of_kind("rack")
        if rack.kind == "rack" and (rack.units or 0) >= units
    ]
    figure = f"{units:g} of {subject.placement.floor.units} U"
    return figure, f"a rack such as {high[0]}" if high else None


def height_unknown(subject: Subject, finding: Finding) -> Explained:
    """What to write."""
    return None, f"say heights: {{{finding.where}: ...}} under placement:"


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
        return f"{most / 1000:.1f} kW", None
    needed = ceil(most / part.rating_w) + spare
    figure = f"{most / 1000:.1f} kW, {part.rating_w / 1000:.1f} kW a feed"
    return figure, f"count: {needed} of {part.id}, or fewer devices in a rack"


FIND: tuple[Find, ...] = (of_racks,)
EXPLAIN: Explainers = {
    "rack-over-power": over_power,
    "rack-over-weight": over_weight,
    "rack-over-height": over_height,
    "rack-too-tall": too_tall,
    "rack-height-unknown": height_unknown,
    "rack-feed-short": feeds_short,
    "rack-feed-not-redundant": feeds_alone,
}
