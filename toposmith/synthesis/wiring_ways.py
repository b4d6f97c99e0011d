"""Ways to spread nodes over leaves (racks, rails, planes), and cables by oversubscription."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from toposmith.catalog import Catalog
from toposmith.design.document import Design, Group, Link
from toposmith.design.edits import Edit, free_name, set_cables, set_count
from toposmith.design.edits.edit import altered, changed
from toposmith.errors import EditError
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.fabric.port_use import port_use
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.needs import sound_after
from toposmith.text import counted, oversubscription


def wiring_ways(plan: Plan, catalog: Catalog, end: str, leaf: str) -> list[Edit]:
    """Wire nodes to leaves so that each node reaches some of them, all nodes and leaves kept.

    With N nodes of p ports and L leaves: racks of N / L nodes with a leaf each; r leaves for every
    unit of nodes, one for each rail, where r divides p and L (all L of one unit where L divides p);
    where NICs have several ports, a plane for each of them. Nodes that fill the last unit only in
    part leave slots of it empty. Only what no error would refuse is among them.

    Parameters
    ----------
    plan : Plan
        The design, with both groups.
    catalog : Catalog
        Where parts are.
    end, leaf : str
        The nodes with their slots, ``node.compute``, and the group of leaves.

    Returns
    -------
    list of Edit
        Each makes the axes and the link; that with the most rails first, racks last.
    """
    name, _, slots = end.partition(".")
    node, switches = plan.groups[name], plan.groups[leaf]
    ports = node.port_groups.get(slots)
    free = port_use(plan)[name, slots].free if ports is not None else 0
    if ports is None or node.host is None or switches.switch is None or free < 1:
        return []
    if not _can_be_spread(plan, name) or not _can_be_spread(plan, leaf) or _has_hosts(plan, leaf):
        return []
    planes = ports.nic.ports if ports.nic is not None else 1
    every_port = free == ports.ports
    found: dict[str, Edit] = {}
    for rails, split in _deals(free, planes):
        edit = _way(plan.design, end, leaf, free, rails, split, every_port=every_port)
        if edit is not None and sound_after(plan, edit.design, catalog) is not None:
            found.setdefault(repr(edit.design.groups), edit)
    return list(found.values())


def _can_be_spread(plan: Plan, name: str) -> bool:
    """Whether a group repeats over no axis yet, and nothing names single devices of it."""
    design = plan.design
    selectors = (*design.absent, *design.down, *design.slow)
    listed = (*(cable.a for cable in design.cables), *(cable.z for cable in design.cables))
    sets = (text for each in design.sets.values() for text in each)
    named = any(f"{name}[" in text for text in (*selectors, *listed, *sets))
    return not plan.groups[name].spec.per and not named


def _has_hosts(plan: Plan, leaf: str) -> bool:
    return any(
        plan.groups[end.group].host is not None
        for link in plan.links_of(leaf)
        for end in (link.a, link.b)
    )


def _deals(ports: int, planes: int) -> Iterator[tuple[int, int]]:
    """Rails and planes that the ports of a node are dealt over, the most rails first."""
    for rails in range(ports, 0, -1):
        if ports % rails:
            continue
        yield rails, 1
        if planes > 1 and rails * planes <= ports and ports % (rails * planes) == 0:
            yield rails, planes


def _way(
    design: Design, end: str, leaf: str, ports: int, rails: int, planes: int, *, every_port: bool
) -> Edit | None:
    """Units of nodes that have so many leaves of their own each; None where it does not divide."""
    name = end.partition(".")[0]
    nodes, leaves = design.groups[name].count, design.groups[leaf].count
    reached = rails * planes
    units, rest = divmod(leaves, reached)
    if rest or ports % reached:
        return None
    size = ceil(nodes / units)
    empty = size * units - nodes
    if empty >= size:
        return None
    axes: dict[str, int] = {}
    unit = free_name(design, "rack" if reached == 1 else "su")
    for axis, many in ((unit, units), ("rail", rails), ("plane", planes)):
        if many > 1:
            axes[axis if axis == unit else free_name(design, axis)] = many
    over_units = (unit,) if units > 1 else ()
    groups = {
        **design.groups,
        name: _spread(design.groups[name], over_units, size),
        leaf: _spread(design.groups[leaf], tuple(axes), 1),
    }
    link = Link(between=(end, leaf), cables=None if every_port else ports // reached)
    absent = design.absent
    if empty:
        span = f"{size - empty}" + ("" if empty == 1 else f"..{size - 1}")
        absent = (*absent, f"{name}[{unit}={units - 1},{name}={span}]")
    after = changed(
        design,
        axes={**design.axes, **axes},
        groups=groups,
        links=(*design.links, link),
        absent=absent,
    )
    return Edit(after, _words(name, leaf, units, size, empty, rails, planes))


def _spread(group: Group, per: tuple[str, ...], count: int) -> Group:
    spread: Group = altered(group, per=per, count=count)
    return spread


def _words(
    name: str,
    leaf: str,
    units: int,
    size: int,
    empty: int,
    rails: int,
    planes: int,
) -> str:
    """``rail-optimised: 2 SU of 32 nodes, 8 leaves each``."""
    kind = "rail-optimised" if rails > 1 else "top-of-rack"
    if planes > 1:
        kind = f"{kind}, {planes} planes" if rails > 1 else f"{planes} planes"
    what = "rack" if rails * planes == 1 else "SU"
    own = counted(rails * planes, leaf)
    said = f"{counted(units, what) if what == 'rack' else f'{units} SU'} of {counted(size, name)}"
    said = f"{kind}: {said}, {own} each" if units > 1 else f"{kind}: each {name} to all {own}"
    return said + (f", {counted(empty, 'slot')} of the last empty" if empty else "")


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
