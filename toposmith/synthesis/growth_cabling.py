"""A cluster on its way as a design that can be opened: cables not yet moved listed one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toposmith.catalog import Catalog
from toposmith.design.document import MAX_SINGLE_CABLES, Design, SingleCable
from toposmith.design.selectors import axis_size, group_axes
from toposmith.fabric.plan import LinkPlan, Plan, PlannedEnd
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.fabric.single_cables import dealt_at
from toposmith.synthesis.growth_states import (
    CabledPairs,
    DeviceRange,
    GrowthFrame,
    TierLink,
    common,
    values_of,
)

MOST_PAIRS = 40_000
"""Pairs of switches that are gone through one by one at most."""


def cabled_design(
    frame: GrowthFrame,
    cells: Sequence[tuple[TierLink, CabledPairs]],
    absent: Sequence[str],
    gone: Sequence[DeviceRange],
    catalog: Catalog,
    *,
    unplugged: bool = False,
) -> Design | None:
    """The cluster before new nodes join, as a design without too many ports anywhere.

    The links are those of whichever design has more switches above; what is cabled otherwise is
    listed cable by cable.

    Parameters
    ----------
    frame : GrowthFrame
        The two designs.
    cells : sequence of TierLink and CabledPairs
        What is plugged in between switches.
    absent : sequence of str
        Selectors of what the earlier design leaves out.
    gone : sequence of DeviceRange
        Nodes that are not there.
    catalog : Catalog
        Where parts are.
    unplugged : bool
        Whether what the later design lacks below has lost its cables: it is left out then.

    Returns
    -------
    Design or None
        None where no file says it: it would list too many cables, or devices stand along an axis
        that the links know nothing of.
    """
    base = _base(frame, unplugged=unplugged)
    plan = plan_design(base, catalog)
    links = _in(frame, base)
    pairs = sum(link.pairs(_all_of(base, link.low), _all_of(base, link.high)) for link in links)
    if pairs > MOST_PAIRS:
        return None
    singles: list[SingleCable] = []
    without = list(frame.within((*absent, *(box.text for box in gone)), base))
    for link in links:
        own = [cell for one, cell in cells if one == link]
        planned = next(
            (one for one in plan.links if {one.a.group, one.b.group} == {link.low, link.high}), None
        )
        if planned is None:
            return None
        low, high = _all_of(base, link.low), _all_of(base, link.high)
        if _plugged(link, own, low, None) != _plugged(link, own, low, high):
            return None
        for device in values_of(low, [axis for axis, _ in low.ranges]):
            singles_here, absent_here = _otherwise(plan, base, link, planned, device, own)
            singles += singles_here
            without += absent_here
    if len(singles) > MAX_SINGLE_CABLES:
        return None
    update = {"cables": tuple(singles), "absent": tuple(without), "name": frame.new.design.name}
    made = base.model_copy(update=update)
    understood = plan_design(made, catalog)
    errors = (*understood.findings, *port_findings(understood))
    return None if any(one.severity == "error" for one in errors) else made


def _plugged(
    link: TierLink, cells: Sequence[CabledPairs], low: DeviceRange, high: DeviceRange | None
) -> int:
    """Cables at some lower devices that go to some upper ones, or to any."""
    total = 0
    for cell in cells:
        below = common(cell.low, low)
        above = cell.high if high is None else common(cell.high, high)
        if below is not None and above is not None:
            total += cell.cables * link.pairs(below, above)
    return total


def _in(frame: GrowthFrame, base: Design) -> list[TierLink]:
    return [link for link in frame.links if {link.low, link.high} <= set(base.groups)]


def _all_of(design: Design, group: str) -> DeviceRange:
    axes = group_axes(design, group)
    return DeviceRange(group, tuple((axis, (0, axis_size(design, axis) - 1)) for axis in axes))


def _base(frame: GrowthFrame, *, unplugged: bool) -> Design:
    """The earlier design with the switches above, and the links, of the one that has more."""
    whole, old, new = frame.design, frame.old.design, frame.new.design
    counts = {name: group.count for name, group in old.groups.items()}
    axes = {axis: old.axes.get(axis, 1) for axis in whole.axes}
    if unplugged:
        lower = {link.low for link in frame.links} | set(frame.hosts)
        for name in lower & set(counts):
            later = new.groups.get(name)
            counts[name] = min(counts[name], later.count) if later else counts[name]
        axes = {axis: min(size, new.axes.get(axis, 1)) for axis, size in axes.items()}
    cables = {}
    for link in frame.links:
        before = old.groups[link.high].count if link.high in old.groups else 0
        after = new.groups[link.high].count if link.high in new.groups else 0
        if after >= before and link.after:
            counts[link.high], cables[link.index] = after, link.after
        elif link.before:
            counts[link.high], cables[link.index] = before, link.before
    groups = {
        name: group.model_copy(update={"count": counts[name]})
        for name, group in whole.groups.items()
        if name in counts
    }
    links = []
    for index, each in enumerate(whole.links):
        ends = {end.partition(".")[0] for end in each.between}
        if ends <= set(groups):
            links.append(each.model_copy(update={"cables": cables.get(index, each.cables)}))
    return whole.model_copy(update={"axes": axes, "groups": groups, "links": tuple(links)})


def _otherwise(
    plan: Plan,
    base: Design,
    link: TierLink,
    planned: LinkPlan,
    device: DeviceRange,
    cells: Sequence[CabledPairs],
) -> tuple[list[SingleCable], list[str]]:
    """Cables of one switch that go elsewhere than the link says, and those that it has not."""
    extra: list[tuple[DeviceRange, int]] = []
    lacking: list[DeviceRange] = []
    whole = _all_of(base, link.high)
    reach = whole
    for axis in link.shared:
        reach = reach.cut(axis, *device.on(axis))
    dealt = 0
    for peer in values_of(reach, [axis for axis, _ in reach.ranges]):
        wanted = next(
            (
                cell.cables
                for cell in cells
                if common(cell.low, device) is not None and common(cell.high, peer) is not None
            ),
            0,
        )
        dealt += planned.cables_per_pair
        if wanted < planned.cables_per_pair:
            extra.append((peer, planned.cables_per_pair - wanted))
        lacking += [peer] * max(0, wanted - planned.cables_per_pair)
    if extra and not lacking and sum(many for _, many in extra) == dealt:
        return [], [f"{device.text} - {link.high}"]
    singles, absent = [], []
    waiting = iter(lacking)
    ports = _ports(plan, planned, device) if lacking and extra else {}
    for peer, many in extra:
        for turn in range(many):
            there = next(waiting, None)
            if there is None:
                absent.append(f"{many - turn} of {device.text} - {peer.text}")
                break
            port = ports[peer.ranges][-1 - turn]
            singles.append(SingleCable(a=f"{device.text}.port[{port}]", z=there.text))
    singles += [SingleCable(a=device.text, z=there.text) for there in waiting]
    return singles, absent


def _ports(plan: Plan, planned: LinkPlan, device: DeviceRange) -> dict[object, list[int]]:
    """The ports of a switch at a link, by the device that each leads to."""
    at = tuple(low for _, (low, _) in device.ranges)
    found: dict[object, list[int]] = {}
    far = (planned.b if planned.a.group == device.group else planned.a).group
    axes = plan.groups[far].axes
    for port, there in _dealt(plan, device.group, at):
        if there[0] == planned.index:
            ranges = tuple(
                (axis, (value, value)) for axis, value in zip(axes, there[1], strict=True)
            )
            found.setdefault(ranges, []).append(port)
    return found


def _dealt(
    plan: Plan, group: str, at: tuple[int, ...]
) -> Iterator[tuple[int, tuple[int, tuple[int, ...]]]]:
    for port in range(sum(link.cables_at(group) for link in plan.links_of(group))):
        dealt = dealt_at(plan, PlannedEnd(group, at, "", port))
        if dealt is not None:
            link = plan.link(dealt.link)
            yield port, (dealt.link, dealt.b if link.a.group == group else dealt.a)
