"""What is wrong with racks: two boxes in one U, too much power or weight, too few feeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from toposmith.catalog import Catalog, Pdu
from toposmith.topology.fabric.plan import Finding, Plan, Severity
from toposmith.topology.racks.instances import coordinates
from toposmith.topology.racks.loads import RackLoad, feed_power, rack_loads
from toposmith.topology.racks.placement import NOWHERE, Placement
from toposmith.topology.racks.summary import load_words


def rack_findings(plan: Plan, catalog: Catalog, placement: Placement) -> tuple[Finding, ...]:
    """Everything that there is to say about the racks of a design, alike racks together.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    catalog : Catalog
        Where power distribution units are looked up.
    placement : Placement
        Where its devices stand.

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
            if unit + height - 1 > placement.floor.units:
                text = f"{instance_words(plan, *here)} takes U{unit} to U{unit + height - 1}, "
                text += f"the rack ends at U{placement.floor.units}"
                yield Finding("rack-over-height", "error", placement.label(rack), text)
            for one in range(unit, unit + height):
                other = taken.setdefault((rack, one), here)
                if other != here and (other, here) not in met:
                    met.add((other, here))
                    text = f"{instance_words(plan, *other)} and {instance_words(plan, *here)} "
                    text += f"both take U{one}; give one of them another unit or rack"
                    yield Finding("rack-unit-taken", "error", placement.label(rack), text)


def _over_limits(placement: Placement, loads: list[RackLoad]) -> Iterable[Finding]:
    floor = placement.floor
    known = "its limit" if floor.power_is_given else "the limit assumed"
    over: dict[str, list[int]] = defaultdict(list)
    perhaps: dict[str, list[int]] = defaultdict(list)
    heavy: dict[str, list[int]] = defaultdict(list)
    for load in loads:
        limit = f"{known} is {floor.max_power_w / 1000:.1f} kW"
        if load.least_w > floor.max_power_w:
            over[f"{load_words(load)}, {limit}"].append(load.rack)
        elif load.filled_w > floor.max_power_w:
            perhaps[f"{load_words(load)}, {limit}: whether it is kept is unknown"].append(load.rack)
        most = floor.part.max_load_kg if floor.part else None
        if most is not None and load.weight_kg > most:
            text = f"devices of {load.weight_kg:,.0f} kg, {floor.part.name} carries {most:,.0f} kg"  # type: ignore[union-attr]
            heavy[text].append(load.rack)
    severity: Severity = "error" if floor.power_is_given else "warning"
    for text, racks in over.items():
        yield Finding("rack-over-power", severity, _racks(placement, racks), text)
    for text, racks in perhaps.items() if floor.power_is_given else ():
        yield Finding("rack-power-open", "warning", _racks(placement, racks), text)
    for text, racks in heavy.items():
        yield Finding("rack-over-weight", "warning", _racks(placement, racks), text)


def _about_feeds(
    placement: Placement, catalog: Catalog, loads: list[RackLoad]
) -> Iterable[Finding]:
    feeds = feed_power(placement, catalog)
    if feeds is None:
        return
    where = "placement.feeds"
    if feeds.all_w is None or feeds.one_lost_w is None:
        part = catalog.get(feeds.pdu)
        if not isinstance(part, Pdu):
            known = ", ".join(pdu.id for pdu in catalog.of_kind("pdu")) or "none"
            text = f"{feeds.pdu!r} is no power distribution unit of the catalog (known: {known})"
            yield Finding("rack-feed-unknown", "error", where, text)
        else:
            text = f"the rating of {part.name} is not known; whether feeds suffice is unknown"
            yield Finding("rack-feed-unknown", "warning", where, text)
        return
    short = [load.rack for load in loads if load.least_w > feeds.all_w]
    alone = [load.rack for load in loads if feeds.one_lost_w < load.least_w <= feeds.all_w]
    if short:
        text = f"{_they(short, 'draws', 'draw')} more than the {feeds.all_w / 1000:.1f} kW that "
        text += f"{feeds.count} x {feeds.pdu} deliver{'s' if feeds.count == 1 else ''}"
        yield Finding("rack-feed-short", "error", _racks(placement, short), text)
    if alone:
        lost = "its only feed" if feeds.count == 1 else f"one of {feeds.count} feeds"
        text = f"{_they(alone, 'does', 'do')} not survive the loss of {lost}, which leaves "
        text += f"{feeds.one_lost_w / 1000:.1f} kW"
        yield Finding("rack-feed-not-redundant", "warning", _racks(placement, alone), text)


def _they(racks: list[int], one: str, several: str) -> str:
    return one if len(racks) == 1 else several


def _racks(placement: Placement, racks: list[int]) -> str:
    """``rack A01`` or ``racks A01 and 35 more``."""
    first = placement.label(racks[0])
    return f"rack {first}" if len(racks) == 1 else f"racks {first} and {len(racks) - 1:,} more"
