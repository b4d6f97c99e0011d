"""What a switch carries down and up, as far as links say it: for wires that are to be 1:1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toposmith.topology.fabric.plan import LinkPlan, Plan


@dataclass(frozen=True)
class Uplinks:
    """The capacity of one switch of a group towards nodes and away from them, Gb/s.

    Where cables are dealt unevenly that of the switch with the most.
    """

    group: str
    down_gbit: int
    up_gbit: int


def uplinks_of(plan: Plan, link: LinkPlan) -> Uplinks | None:
    """Those of the lower end of a link, this one among them if the plan has it.

    None where neither end is below the other, or nothing is below the lower one.
    """
    levels = _levels(plan, without=link.index)
    at_a, at_b = levels.get(link.a.group), levels.get(link.b.group)
    if at_a == at_b:
        return None
    a_is_lower = at_b is None or (at_a is not None and at_a < at_b)
    lower = link.a.group if a_is_lower else link.b.group
    own = levels[lower]
    if plan.groups[lower].switch is None:
        return None
    down = up = 0
    for each in _fabric_links(plan):
        if lower not in (each.a.group, each.b.group) or each.a.group == each.b.group:
            continue
        other = levels.get(each.b.group if each.a.group == lower else each.a.group)
        gbit = each.cables_at(lower) * each.speed_gbit
        if other is None or other > own:
            up += gbit
        elif other < own:
            down += gbit
    return Uplinks(lower, down, up) if down else None


def _fabric_links(plan: Plan) -> list[LinkPlan]:
    return [link for link in plan.links if not (link.a.is_management or link.b.is_management)]


def _levels(plan: Plan, *, without: int) -> Mapping[str, int]:
    """Links between nodes or storage and each group; groups that none reach are left out."""
    levels = {name: 0 for name, group in plan.groups.items() if group.host is not None}
    waiting = list(levels)
    links = [link for link in _fabric_links(plan) if link.index != without]
    for name in waiting:  # grows while it is gone through
        for link in links:
            ends = (link.a.group, link.b.group)
            if name in ends:
                other = ends[0] if ends[1] == name else ends[1]
                if other not in levels:
                    levels[other] = levels[name] + 1
                    waiting.append(other)
    return levels
