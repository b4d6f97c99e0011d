"""What a switch carries down and up, as far as links say it: for wires that are to be 1:1."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.analysis.switch_tiers import tiers_everywhere
from toposmith.fabric.plan import LinkPlan, Plan


@dataclass(frozen=True)
class Uplinks:
    """The capacity of one switch of a group towards nodes and away from them, Gb/s.

    Where cables are dealt unevenly that of the switch with the most.
    """

    group: str
    down_gbit: int
    up_gbit: int


def uplinks_of(plan: Plan, link: LinkPlan) -> Uplinks | None:
    """What the switches at the lower end of a link have besides it.

    None where neither end is below the other, or nothing is below the lower one.
    """
    tiers = tiers_everywhere(plan)
    ends = sorted((link.a.group, link.b.group), key=lambda name: tiers.get(name, 0))
    lower, upper = (tiers.get(name, 0) for name in ends)
    if not 0 < lower < upper:
        return None
    name, down, up = ends[0], 0, 0
    for each in plan.links_of(name):
        other = tiers.get((each.b if each.a.group == name else each.a).group, 0)
        is_management = each.a.is_management or each.b.is_management
        if each.index == link.index or other == lower or is_management:
            continue
        gbit = each.cables_at(name) * each.speed_gbit
        down, up = (down + gbit, up) if other < lower else (down, up + gbit)
    return Uplinks(name, down, up) if down else None
