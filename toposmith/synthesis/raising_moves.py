"""Moves that may raise a figure: more capacity at the links that limit it, or other wiring.

Each is a single step. One after which devices have too few ports is among them: with the moves of
:mod:`toposmith.synthesis.raising_moves` it may fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil

from toposmith.catalog import Nic
from toposmith.design.edits import (
    Edit,
    add_group,
    add_link,
    add_planes,
    fit_nics,
    free_name,
    make_rail_optimised,
    set_cables,
    set_count,
)
from toposmith.design.edits.edit import altered, changed
from toposmith.design.edits.rails import PLANE
from toposmith.errors import EditError
from toposmith.fabric.leaf_networks import dealt_ports, network_of
from toposmith.fabric.plan import LinkEnd, LinkPlan
from toposmith.fabric.port_use import port_use
from toposmith.synthesis.search_state import (
    SearchState,
    both,
    made,
    nics_for,
    parts_set,
    steps_up,
    switches_for,
)
from toposmith.synthesis.side_effects import mending_edits
from toposmith.text import counted

MoreCounts = Callable[[int, int], list[int]]
"""How many more of what there is are tried, where there is room for some."""

PLANES = (2, 4)
"""Planes that are tried."""

TIMES = (2, 3, 4)
"""As many times the leaves are tried."""

TAPERS = (1, 2, 4)
"""Oversubscriptions that a new tier of spines is tried with."""


def raising_moves(of: SearchState) -> Iterator[Edit]:
    """Edits that mend what limits, give full links more capacity, or nodes more ports."""
    yield from mending_edits(of.plan, of.full)
    yield from more_uplinks(of, steps_up)
    yield from _more_leaves(of)
    yield from _native_speed(of)
    yield from _faster_switches(of)
    yield from _nics(of)
    yield from _rails(of)
    yield from _planes(of)
    if not of.full:
        yield from new_tiers(of)


def more_uplinks(of: SearchState, steps: MoreCounts) -> Iterator[Edit]:
    """More cables at full links, or more switches above them, as many as there are ports for."""
    yield from _more_cables(of, steps)
    for link, low, high in of.full_links(at_hosts=False):
        count = of.design.groups[high.group].count
        each = max(1, link.cables_at(low.group) // max(1, count))
        for more in steps(count, of.free(low) // each):
            yield from made(set_count, of.design, high.group, count + more)


def _more_cables(of: SearchState, steps: MoreCounts) -> Iterator[Edit]:
    """More cables of each pair, as long as both ends have free ports."""
    for at_hosts in (False, True):
        for link, *ends in of.full_links(at_hosts=at_hosts):
            if at_hosts and of.design.links[link.index].cables is None:
                continue
            each = link.cables_per_pair
            room = min(of.free(end) // max(1, _peers(link, end)) for end in ends)
            for more in steps(each, room):
                yield from made(set_cables, of.design, link.index, each + more)


def _more_leaves(of: SearchState) -> Iterator[Edit]:
    """More leaves below a full link, over which the ports of nodes are dealt."""
    for link, low, _ in of.full_links(at_hosts=False):
        below = [one for one in of.plan.links_of(low.group) if any(map(of.is_host, one.ends))]
        dealt = below and all(of.design.links[one.index].cables is None for one in below)
        if dealt and not link.is_self and not link.along:
            for times in TIMES:
                many = of.design.groups[low.group].count * times
                yield from made(set_count, of.design, low.group, many)


def _native_speed(of: SearchState) -> Iterator[Edit]:
    """A link without the speed that its file limits it to."""
    for link, *_ in of.full_links(at_hosts=False):
        entry = of.design.links[link.index]
        if entry.speed is not None:
            links = list(of.design.links)
            links[link.index] = altered(entry, speed=None)
            words = f"{link.label}: as fast as both ends run"
            yield Edit(changed(of.design, links=tuple(links)), words)


def _faster_switches(of: SearchState) -> Iterator[Edit]:
    """Faster switches at both ends of a full link."""
    for link, low, _ in of.full_links(at_hosts=False):
        names = tuple(dict.fromkeys((link.a.group, link.b.group)))
        held = of.plan.groups[low.group].switch
        for part in switches_for(
            of.planned.catalog,
            link.protocol,
            faster_than=link.speed_gbit,
            ports=max(map(of.ports_used, names)),
            vendor=held.vendor if held is not None else "",
        ):
            yield from made(parts_set, of.design, names, part)


def _nics(of: SearchState) -> Iterator[Edit]:
    """More NICs, faster ones, or ones with more ports, where they are not part of the board.

    For what a failure leaves with more leaves, too: each takes fewer ports of a node with it.
    """
    for link, host, leaf in of.full_links(at_hosts=True):
        group = of.plan.groups[host.group]
        ports = group.port_groups.get(host.ports)
        if group.host is None or ports is None or ports.nic is None:
            continue
        if group.host.slots[host.ports].cages or ports.nic.cage == "virtual":
            continue
        counts = {ports.nics, ports.slots}
        counts |= {ports.nics * times for times in (2, 4, 8, 16)}
        for nic in nics_for(
            of.planned.catalog, host.ports, group.host.slots, ports.nic, link.protocol
        ):
            for many in sorted(each for each in counts if each <= ports.slots):
                if (nic.id, many) != (ports.nic.id, ports.nics):
                    for edit in made(_fitted, of, link, host, nic, many):
                        yield edit
                        if of.failing:
                            yield from _with_leaves(of, edit, leaf.group)


def _with_leaves(of: SearchState, edit: Edit, leaf: str) -> Iterator[Edit]:
    for times in (2, 4, 8, 16):
        count = of.design.groups[leaf].count * times
        for more in made(set_count, edit.design, leaf, count):
            yield both(edit, more)


def _fitted(of: SearchState, link: LinkPlan, host: LinkEnd, nic: Nic, many: int) -> Edit:
    """The NICs fitted, and as many cables as they have ports where the file says how many."""
    edit = fit_nics(of.design, host.group, host.ports, nic.id, many)
    if of.design.links[link.index].cables is None:
        return edit
    each, rest = divmod(nic.ports * many, _peers(link, host))
    if rest or not each:
        raise EditError("the ports cannot be dealt evenly")
    return Edit(set_cables(edit.design, link.index, each).design, edit.label)


def _rails(of: SearchState) -> Iterator[Edit]:
    """The leaves made rail-optimised, where they are not."""
    network = network_of(of.plan, ())
    if network is None or network.ports < 2:
        return
    leaf, node = of.plan.groups[network.leaf], of.plan.groups[network.node]
    link = next(
        one
        for one in of.plan.links_of(network.leaf)
        if one.end_of(network.node).group == network.node
    )
    if link.cables_per_pair == 1 and link.cables_at(network.node) == network.ports:
        return  # every port of a node has a leaf of its own already
    if any(axis not in node.axes for axis in leaf.axes[:-1]):
        return
    for nodes in (None, node.instances):
        yield from made(
            make_rail_optimised,
            of.design,
            network.leaf,
            network.node,
            rails=network.ports,
            nodes=nodes,
            dealt=dealt_ports(of.plan),
        )


def _planes(of: SearchState) -> Iterator[Edit]:
    """The switches of the compute network divided into planes, the nodes cabled to each.

    Where there are planes already, more of them are another design, not a small change.
    """
    heights = of.planned.heights
    switches = [
        name
        for name, group in of.plan.groups.items()
        if group.switch is not None and name in heights
    ]
    if not switches or any(PLANE in axis for axis in of.design.axes):
        return
    for planes in PLANES:
        ports = dealt_ports(of.plan)
        yield from made(add_planes, of.design, switches, planes, ports=ports)


def new_tiers(of: SearchState) -> Iterator[Edit]:
    """Spines above switches that nothing joins, where nodes do not reach each other.

    They are of the part below them. Where that has no port left there are twice as many switches
    below first, each with half of the cables.
    """
    heights, plan = of.planned.heights, of.plan
    tops = [
        name
        for name, group in plan.groups.items()
        if group.switch is not None and name in heights and group.instances > 1
        and not any(
            heights.get(end.group, 0) >= heights[name]
            for link in plan.links_of(name) for end in link.ends if end.group != name
        )
    ]  # fmt: skip
    if len(tops) == 1:
        (top,) = tops
        yield from _spines_above(of, top)
        for edit in made(set_count, of.design, top, of.design.groups[top].count * 2):
            yield from (both(edit, more) for more in _spines_above(of.after(edit), top))


def _spines_above(of: SearchState, top: str) -> Iterator[Edit]:
    part, links = of.plan.groups[top].switch, of.plan.links_of(top)
    if part is None or not links:
        return
    breakout = links[0].end_of(top).breakout
    ports = port_use(of.plan)[top, ""].cages * breakout
    free = of.free(links[0].end_of(top))
    below = sum(link.cables_at(top) for link in links)
    for uplinks in sorted({min(free, ceil(below / taper)) for taper in TAPERS}, reverse=True):
        spines = next(
            (
                many
                for many in range(1, uplinks + 1)
                if uplinks % many == 0
                and of.plan.groups[top].instances * (uplinks // many) <= ports
            ),
            None,
        )
        if spines is None:
            continue
        each = uplinks // spines
        name = free_name(of.design, "spine" if top != "spine" else "core")
        tier = add_group(of.design, part.id, name=name, count=spines).design
        words = f"add {counted(spines, name)} above {top}, {counted(each, 'cable')} from each"
        yield Edit(add_link(tier, top, name, cables=each).design, words)


def _peers(link: LinkPlan, end: LinkEnd) -> int:
    return link.peers_of_a if end is link.a else link.peers_of_b


RELIEVING_TIMES = (2, 3, 4, 8, 16)
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
        enough = [times for times in RELIEVING_TIMES if times * use.cages >= use.cages_used]
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
