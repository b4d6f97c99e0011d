"""Oversubscription as a number: cables and switches above follow from the ratio that is wanted."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil

from toposmith.design.edits import Edit, set_cables, set_count
from toposmith.errors import EditError
from toposmith.fabric.plan import LinkEnd, LinkPlan
from toposmith.fabric.port_use import port_use
from toposmith.planned_design import PlannedDesign
from toposmith.text import counted, oversubscription

MOST_RATIO = 64


def read_ratio(text: str) -> Fraction:
    """The ratio that ``3:1``, ``1.5`` or ``4:3`` stand for; raises EditError where it is none."""
    down, colon, up = text.strip().partition(":")
    try:
        ratio = Fraction(down.strip()) / Fraction(up.strip() if colon else "1")
    except (ValueError, ZeroDivisionError):
        ratio = Fraction(0)
    if len(text) > 20 or not Fraction(1, MOST_RATIO) <= ratio <= MOST_RATIO:
        raise EditError(f"{text!r} is no oversubscription; write it as 3:1, up to {MOST_RATIO}:1")
    return ratio


def ratio_of(planned: PlannedDesign, index: int) -> Fraction | None:
    """Capacity from below over that of a link, at its lower switches; None at nodes."""
    ends = _ends(planned, index)
    if ends is None:
        return None
    link, low, _ = ends
    up = link.cables_at(low.group) * link.speed_gbit
    down = _from_below(planned, link, low)
    return Fraction(down, up) if down and up else None


def set_oversubscription(planned: PlannedDesign, index: int, ratio: Fraction) -> Edit:
    """Give a link between switches the cables and the switches above that a ratio takes.

    As few switches above as have the ports, then as few cables; every pair gets as many.

    Raises
    ------
    EditError
        At a link of nodes, or where the switches have too few ports, with the ratio that fits.
    """
    ends = _ends(planned, index)
    if ends is None:
        raise EditError("oversubscription is that of a link between two tiers of switches")
    link, low, high = ends
    down = _from_below(planned, link, low)
    if not down:
        raise EditError(f"{low.group} has no links from below yet: wire it to nodes first (w)")
    design = planned.design
    count = design.groups[high.group].count
    peers = link.peers_of_a if low is link.a else link.peers_of_b
    below = link.peers_of_b if low is link.a else link.peers_of_a
    rest = max(1, peers // count)
    most = _ports(planned, link, low)
    wanted = max(1, ceil(Fraction(down, link.speed_gbit) / ratio))
    found = [
        (ceil(Fraction(wanted, rest * each)), each)
        for each in range(1, _ports(planned, link, high) // max(1, below) + 1)
    ]
    fits = [(n, n * rest * each, each) for n, each in found if n * rest * each <= most]
    if not fits:
        best = oversubscription(float(Fraction(down, max(1, most) * link.speed_gbit)))
        raise EditError(
            f"{counted(wanted, 'uplink')} of a {low.group} are more than its "
            f"{counted(most, 'free port')}; "
            f"{best} is the least, or take larger switches"
        )
    fewest, _, each = min(fits)
    after = set_cables(set_count(design, high.group, fewest).design, index, each).design
    now = oversubscription(float(Fraction(down, fewest * rest * each * link.speed_gbit)))
    words = f"{link.label}: {now}, {fewest} {high.group}, cables {each}"
    return Edit(after, words)


def _ends(planned: PlannedDesign, index: int) -> tuple[LinkPlan, LinkEnd, LinkEnd] | None:
    """A link between switches with its lower and its upper end."""
    plan = planned.plan
    link = next((one for one in plan.links if one.index == index), None)
    if link is None or any(plan.groups[end.group].switch is None for end in (link.a, link.b)):
        return None
    heights = planned.heights
    ordered = sorted((link.a, link.b), key=lambda end: heights.get(end.group, 0))
    return link, ordered[0], ordered[1]


def _from_below(planned: PlannedDesign, link: LinkPlan, low: LinkEnd) -> int:
    """Gb/s that reach one lower switch from nodes and lower tiers."""
    heights = planned.heights
    total = 0
    for other in planned.plan.links_of(low.group):
        if other.index == link.index:
            continue
        far = other.b if other.a.group == low.group else other.a
        host = planned.plan.groups[far.group].host is not None
        if host or heights.get(far.group, 0) < heights.get(low.group, 0):
            total += other.cables_at(low.group) * other.speed_gbit
    return total


def _ports(planned: PlannedDesign, link: LinkPlan, end: LinkEnd) -> int:
    """Ports of one switch that the link may take: its own and the free ones."""
    others = Counter[tuple[int, int]]()
    for one in planned.plan.links_of(end.group):
        for at in one.ends:
            if one.index != link.index and (at.group, at.ports) == (end.group, end.ports):
                others[one.speed_gbit, at.breakout] += one.cables_at(end.group)
    alike = others.pop((link.speed_gbit, end.breakout), 0)  # these fill up cages of the link
    taken = sum(ceil(ports / breakout) for (_, breakout), ports in others.items())
    cages = port_use(planned.plan)[end.group, end.ports].cages
    return max(0, (cages - taken) * end.breakout - alike)
