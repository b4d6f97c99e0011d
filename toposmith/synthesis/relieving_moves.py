"""Moves that make fit what an edit left without enough ports, or below its speed."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from toposmith.design.edits import Edit, set_cables, set_count
from toposmith.fabric.plan import LinkPlan
from toposmith.fabric.port_use import port_use
from toposmith.synthesis.search_state import SearchState, made

TIMES = (2, 3, 4, 8, 16)
"""As many times the switches are tried."""

MOST_TIMES = 2
"""Of those that have enough ports, so many are tried."""

MOST_OVERRUN = 2
"""Groups without enough ports beyond which an edit is given up."""


def relieving_moves(of: SearchState) -> Iterator[Edit]:
    """More of the switches whose ports do not suffice, other ones, or fewer of their cables."""
    if len(of.overrun) > MOST_OVERRUN or any(of.plan.groups[n].switch is None for n in of.overrun):
        return
    yield from _faster_leaves(of)
    for name in sorted(of.overrun):
        use = port_use(of.plan)[name, ""]
        enough = [times for times in TIMES if times * use.cages >= use.cages_used]
        for times in enough[:MOST_TIMES]:
            yield from made(set_count, of.design, name, of.design.groups[name].count * times)
        links = of.plan.links_of(name)
        yield from of.larger_switches(name, max((link.speed_gbit for link in links), default=0))
        for link in links:
            if not any(map(of.is_host, link.ends)):
                yield from _fewer_cables(of, name, link, use.cages_used - use.cages)


def _fewer_cables(of: SearchState, name: str, link: LinkPlan, cages: int) -> Iterator[Edit]:
    """As many as there are ports for, or as many as carry what the other links bring."""
    each, peers = link.cables_per_pair, max(1, link.cables_at(name) // link.cables_per_pair)
    fitting = each - ceil(cages * link.end_of(name).breakout / peers)
    others = [one for one in of.plan.links_of(name) if one is not link]
    brought_gbit = sum(one.cables_at(name) * one.speed_gbit for one in others)
    carrying = ceil(brought_gbit / link.speed_gbit / peers)
    for cables in sorted({fitting, min(fitting, carrying)}):
        if 0 < cables < each and of.design.links[link.index].cables is not None:
            yield from made(set_cables, of.design, link.index, cables)


def _faster_leaves(of: SearchState) -> Iterator[Edit]:
    """Leaves of the speed of the NICs, alone or with all above, where those run below theirs."""
    for link in of.plan.links:
        for end, leaf in ((link.a, link.b), (link.b, link.a)):
            ports = of.plan.groups[end.group].port_groups.get(end.ports)
            held = ports.nic if ports is not None and of.is_host(end) else None
            if held is not None and held.speed_gbit > link.speed_gbit:
                yield from of.larger_switches(leaf.group, held.speed_gbit)
