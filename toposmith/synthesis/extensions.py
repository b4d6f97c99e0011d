"""Edits for where ports have run out: more leaves, a tier of spines, more planes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import ceil

from toposmith.design.edits import (
    Edit,
    add_group,
    add_link,
    add_planes,
    set_cables,
    set_count,
)
from toposmith.design.edits.edit import free_name
from toposmith.design.edits.planes import PLANE
from toposmith.errors import EditError
from toposmith.fabric.leaf_networks import dealt_ports
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_use
from toposmith.planned_design import PlannedDesign
from toposmith.text import counted, plural

PLANES = (2, 4)
"""Planes that are tried."""

TIMES = (2, 3, 4)
"""As many times the leaves are tried."""

TAPERS = (1, 2, 4)
"""Oversubscriptions that a new tier of spines is tried with."""


def new_tiers(planned: PlannedDesign) -> Iterator[Edit]:
    """Spines above switches that nothing joins, where nodes do not reach each other.

    They are of the part below them. Where that has no port left there are twice as many switches
    below first, each with half of the cables.
    """
    plan = planned.plan
    tops = _unjoined(planned)
    if len(tops) != 1:
        return
    (top,) = tops
    for times in (1, 2):
        design = plan.design
        if times > 1:
            try:
                design = set_count(design, top, design.groups[top].count * times).design
            except EditError:
                return
        below = plan_design(design, planned.catalog)
        yield from _spines_above(below, top, times)


def _unjoined(planned: PlannedDesign) -> list[str]:
    """Groups of switches with no switch above and several in each group."""
    plan, heights = planned.plan, planned.heights
    found = []
    for name, group in plan.groups.items():
        if group.switch is None or name not in heights or group.instances < 2:
            continue
        peers = [link.a.group if link.b.group == name else link.b.group
                 for link in plan.links_of(name)]  # fmt: skip
        if all(heights.get(peer, 0) < heights[name] for peer in peers):
            found.append(name)
    return found


def _spines_above(plan: Plan, top: str, times: int) -> Iterator[Edit]:
    part = plan.groups[top].switch
    links = plan.links_of(top)
    if part is None or not links:
        return
    instances, use = plan.groups[top].instances, port_use(plan)[top, ""]
    breakout = links[0].end_of(top).breakout
    free = (use.cages - use.cages_used) * breakout
    ports = use.cages * breakout
    below = sum(link.cables_at(top) for link in links)
    for uplinks in sorted({min(free, ceil(below / taper)) for taper in TAPERS}, reverse=True):
        spines = next(
            (
                many
                for many in range(1, uplinks + 1)
                if uplinks % many == 0 and instances * (uplinks // many) <= ports
            ),
            None,
        )
        if spines is None:
            continue
        each = uplinks // spines
        name = free_name(plan.design, "spine" if top != "spine" else "core")
        made = add_group(plan.design, part.id, name=name, count=spines)
        words = f"add {counted(spines, name)} above {top}, {counted(each, 'cable')} from each"
        if times > 1:
            words = f"{_times(times)} as many {plural(top)}; {words}"
        yield Edit(add_link(made.design, top, name, cables=each).design, words)


def more_leaves(plan: Plan, link: LinkPlan, low: LinkEnd, high: LinkEnd) -> Iterator[Edit]:
    """More leaves, each with fewer cables of nodes and so with ports for more uplinks.

    The ports of each node are dealt over them; where the spines run out of ports, there are as
    many times more of these.
    """
    design = plan.design
    hosts = [
        one
        for one in plan.links_of(low.group)
        if any(plan.groups[end.group].host is not None for end in one.ends)
    ]
    dealt = all(design.links[one.index].cables is None for one in hosts)
    if link.is_self or link.along or not hosts or not dealt:
        return
    use = port_use(plan)[low.group, ""]
    down = sum(one.cables_at(low.group) for one in hosts)
    other = sum(
        ceil(one.cables_at(low.group) / one.end_of(low.group).breakout)
        for one in plan.links_of(low.group)
        if one not in hosts and one is not link
    )
    peers = link.cables_at(low.group) // max(1, link.cables_per_pair)
    spines = design.groups[high.group].count
    for times in TIMES:
        below = ceil(down / times)
        cages = use.cages - other - ceil(below / hosts[0].end_of(low.group).breakout)
        room = cages * low.breakout
        for more in (1, times):
            full = room // max(1, peers * more)
            needed = ceil(below * hosts[0].speed_gbit / link.speed_gbit / max(1, peers * more))
            for each in sorted({min(full, needed), min(full, link.cables_per_pair)}):
                if each < 1:
                    continue
                try:
                    after = set_count(design, low.group, design.groups[low.group].count * times)
                    after = set_cables(after.design, link.index, each)
                    if more > 1:
                        after = set_count(after.design, high.group, spines * more)
                except EditError:
                    continue
                words = [f"{_times(times)} as many {plural(low.group)}"]
                words += [f"{_times(more)} as many {plural(high.group)}"] if more > 1 else []
                words.append(f"{counted(each, 'cable')} for each {link.label}")
                yield Edit(after.design, "; ".join(words))


def more_planes(planned: PlannedDesign, links: Collection[int]) -> Iterator[Edit]:
    """The switches of the compute network divided into planes, the nodes cabled to each of them.

    Where leaves have ports left then, uplinks that are full get more cables, or there are as many
    spines in each plane as there were in all. Where there are planes already, more of them are
    another design, not a small change.
    """
    plan = planned.plan
    switches = [
        name
        for name, group in plan.groups.items()
        if group.switch is not None and name in planned.heights
    ]
    if not switches or any(PLANE in axis for axis in plan.design.axes):
        return
    for planes in PLANES:
        try:
            edit = add_planes(plan.design, switches, planes, ports=dealt_ports(plan))
        except EditError:
            continue
        yield edit
        for index in sorted(links):
            link = plan.link(index)
            hosts = any(plan.groups[end.group].host is not None for end in link.ends)
            if not hosts and not link.along:
                yield from _thicker(planned, edit, index)


def _thicker(planned: PlannedDesign, edit: Edit, index: int) -> Iterator[Edit]:
    """A fabric of several planes with more uplinks: more cables of each pair, or more spines."""
    plan = plan_design(edit.design, planned.catalog)
    link = next((one for one in plan.links if one.index == index), None)
    if link is None:
        return
    low, high = link.a, link.b
    if planned.heights.get(low.group, 0) > planned.heights.get(high.group, 0):
        low, high = high, low
    use = port_use(plan)
    rooms = [
        (use[end.group, ""].cages - use[end.group, ""].cages_used)
        * end.breakout
        // max(1, link.cables_at(end.group) // link.cables_per_pair)
        for end in (low, high)
    ]
    each = link.cables_per_pair
    for more in sorted({min(each, *rooms), min(rooms)}):
        if more > 0:
            words = f"{counted(each + more, 'cable')} for each {link.label}"
            yield Edit(set_cables(edit.design, index, each + more).design, f"{edit.label}; {words}")
    count, was = edit.design.groups[high.group].count, planned.design.groups[high.group].count
    if count < was and rooms[0] > 0:
        full = set_count(edit.design, high.group, was)
        yield Edit(full.design, f"{edit.label}; {counted(was, high.group)} in each")


def _times(many: int) -> str:
    return "twice" if many == 2 else f"{many} times"
