"""What to propose when something is added, fitted or wired: names, counts, cables that work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import ceil

from toposmith.catalog import Catalog, NvlinkSwitch, Part, Switch
from toposmith.design.document import Design, Link
from toposmith.design.edits import Edit, add_link, free_name
from toposmith.design.edits.edit import ends_of
from toposmith.errors import EditError
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.nvlink_domains import domain_gpus
from toposmith.fabric.plan import NVLINK, GroupPlan, LinkPlan, Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_use
from toposmith.text import counted
from toposmith.tui.parts.uplink_fits import uplinks_of
from toposmith.workbench import Workbench

TIER_NAMES = ("leaf", "spine", "core")

MOST_TRIED_LINKS = 5_000
"""Links that are planned at most to see where a wire can go; groups beyond that are not tried."""


def propose_name(design: Design, part: Part, catalog: Catalog) -> str:
    """Name a new group in the field's words: ``node``, or the next free tier of switches."""
    if isinstance(part, NvlinkSwitch):
        return free_name(design, "nvswitch")
    if not isinstance(part, Switch):
        return free_name(design, part.kind)
    switches = [
        name for name, group in design.groups.items() if isinstance(catalog.get(group.part), Switch)
    ]
    tier = TIER_NAMES[min(len(switches), len(TIER_NAMES) - 1)]
    return free_name(design, tier)


def propose_count(plan: Plan, part: Part) -> int:
    """How many devices to propose for a new group.

    For nodes one, for NVLink switches those of one rack of the nodes that are there. For the first
    switches as many as take the nodes' free ports on half of their own, and deal each node's ports
    evenly; for the next tier as many as take what is left free below.
    """
    if isinstance(part, NvlinkSwitch):
        fabrics = (group.node.nvlink for group in plan.groups.values() if group.node)
        return next((one.switch_trays for one in fabrics if one and one.switch_trays), 1)
    if not isinstance(part, Switch):
        return 1
    uses = port_use(plan)
    nodes, switches = 0, 0
    per_node = 0
    for group in plan.groups.values():
        if group.switch:
            if plan.links_of(group.name):  # what is left on them are their uplinks
                switches += max(uses[group.name, ""].free, 0) * group.instances
            continue
        free = [
            uses[group.name, slots].free
            for slots, ports in group.port_groups.items()
            if ports.nic and part.protocol in ports.nic.protocols
        ]
        widest = max(free, default=0)
        nodes += widest * group.instances
        per_node = max(per_node, widest)
    if switches:
        return max(1, -(-switches // part.ports))
    least = max(1, -(-nodes // max(part.ports // 2, 1)))
    even = [count for count in range(least, per_node + 1) if per_node % count == 0]
    return even[0] if even else least


def link_ends(group: GroupPlan) -> list[str]:
    """The ends that a link may have at a group: one per fitted slot group, or the switch."""
    if group.switch or isinstance(group.part, NvlinkSwitch):
        return [group.name]
    return [f"{group.name}.{slots}" for slots, ports in group.port_groups.items() if ports.ports]


def likely_targets(plan: Plan, catalog: Catalog, source: str) -> tuple[str, ...]:
    """The groups that a new wire from a group can go to, those that have no link yet if any do.

    In a design of very many groups those behind the first ones are taken as they are: where a
    chosen one has no room, that is said.
    """
    by_nvlink = {"nodes": _with_open_nvlinks(plan), "switches": _nvlink_switches(plan)}
    for here, there in (("nodes", "switches"), ("switches", "nodes")):
        if source in by_nvlink[here] and by_nvlink[there]:
            return by_nvlink[there]
    by_group: dict[str, list[Link]] = defaultdict(list)
    for link in plan.design.links:
        for end in {*ends_of(link)}:
            by_group[end].append(link)
    found, left = [], MOST_TRIED_LINKS
    for name, group in plan.groups.items():
        if name == source:
            continue
        near = [*by_group[source], *(one for one in by_group[name] if source not in ends_of(one))]
        part = _around(plan.design, near, source, name)
        pairs = ((a, b) for a in link_ends(plan.groups[source]) for b in link_ends(group))
        if left < 0 or any(_can_join(plan, part, catalog, a, b) for a, b in pairs):
            found.append(name)
        left -= len(near)
    return tuple(name for name in found if not plan.links_of(name)) or tuple(found)


def _with_open_nvlinks(plan: Plan) -> tuple[str, ...]:
    """Groups of nodes whose NVLinks leave the node, and lead nowhere so far."""
    groups = plan.groups.values()
    return tuple(one.name for one in groups if domain_gpus(one) and one.nvlink is None)


def _nvlink_switches(plan: Plan) -> tuple[str, ...]:
    """Groups of NVLink switches that no link leads to."""
    joined = {link.switches for link in plan.nvlinks}
    switches = (one for one in plan.groups.values() if isinstance(one.part, NvlinkSwitch))
    return tuple(one.name for one in switches if one.name not in joined)


def joined_by_nvlink(bench: Workbench, one: str, other: str) -> Edit:
    """The edit that joins the NVLinks of nodes to NVLink switches, in either order."""
    nodes, switches = one, other
    if isinstance(bench.plan.groups[one].part, NvlinkSwitch):
        nodes, switches = other, one
    return add_link(bench.design, f"{nodes}.{NVLINK}", switches)


def _around(design: Design, links: Iterable[Link], *names: str) -> Design:
    """Two groups with the links that lead to them, whose ports a further link is dealt with."""
    links = tuple(links)
    kept = {*names, *(end for link in links for end in ends_of(link))}
    groups = {name: design.groups[name] for name in design.groups.keys() & kept}
    return Design().model_copy(update={"axes": design.axes, "groups": groups, "links": links})


def _can_join(plan: Plan, part: Design, catalog: Catalog, a: str, b: str) -> bool:
    """Whether one cable from each to each can be had, as far as a part of the design says."""
    link = _tried_link(part, catalog, a, b)
    return link is not None and not _too_few_ports(plan, link, a, b)


def _tried_link(design: Design, catalog: Catalog, a: str, b: str) -> LinkPlan | None:
    """The link of one cable from each to each; None where it cannot be built."""
    try:
        tried = plan_design(add_link(design, a, b, cables=1).design, catalog)
    except EditError:
        return None
    index = len(design.links)
    return next((link for link in tried.links if link.index == index), None)


def propose_cables(plan: Plan, catalog: Catalog, a: str, b: str) -> int:
    """Cables between each pair that carry up what the lower switch has below it; at least 1.

    That many at most as the free ports of both ends allow; all these where nothing is below yet.
    """
    try:
        tried = plan_design(add_link(plan.design, a, b, cables=1).design, catalog)
    except EditError:
        return 1
    index = len(plan.design.links)
    link = next((link for link in tried.links if link.index == index), None)
    if link is None:
        return 1
    most = min((free // peers for _, free, peers in _free_ports(plan, link)), default=1)
    if below := uplinks_of(tried, link):
        of_each = link.cables_at(below.group) * link.speed_gbit
        most = min(most, ceil((below.down_gbit - below.up_gbit) / of_each))
    return max(1, most)


def no_room(plan: Plan, catalog: Catalog, a: str, b: str) -> str:
    """Why not even one cable goes from each to each, and what would; empty where one does."""
    link = _tried_link(plan.design, catalog, a, b)
    return "" if link is None else _too_few_ports(plan, link, a, b)


def _too_few_ports(plan: Plan, link: LinkPlan, a: str, b: str) -> str:
    """At which end a link of one cable has too few ports, and what would do; empty at neither."""
    ends = {link.a.group: b, link.b.group: a}
    for group, free, peers in _free_ports(plan, link):
        if free < peers:
            other = ends[group].partition(".")[0]
            has = counted(max(free, 0), "free port")
            needs = f"needs {peers:,}, one for each {other}"
            if free < 1:
                return (
                    f"each {group} {needs}, and has no free port here; free some, or take a larger "
                    f"part for {group}, or more of them"
                )
            found = f"each {group} {needs}, and has {has} here"
            return f"{found}; take at most {free:,} {other} (c), or repeat {other} over an axis (e)"
    return ""


def cabling_words(plan: Plan, catalog: Catalog, edit: Edit, index: int) -> str:
    """What a link takes: its cables, and the ports used and left at both ends.

    Such as ``96 cables; each leaf: 36 ports used, 28 left``; empty where the link cannot be built.
    """
    tried = plan_design(edit.design, catalog)
    link = next((link for link in tried.links if link.index == index), None)
    if link is None:
        return ""
    uses = port_use(tried)
    words = [counted(cable_counts(tried)[index], "cable")]
    for end in link.ends:
        use = uses[end.group, end.ports]
        each = f"each {end.group}.{end.ports}" if end.ports else f"each {end.group}"
        left = f"{use.free:,} left" if use.free >= 0 else f"{-use.free:,} too many"
        words.append(f"{each}: {counted(use.used, 'port')} used, {left}")
    return "; ".join(words)


def _free_ports(plan: Plan, link: LinkPlan) -> list[tuple[str, int, int]]:
    """At both ends of a link that is not there yet: the group, its free ports, its peers."""
    before = port_use(plan)
    found = []
    for end, peers in ((link.a, link.peers_of_a), (link.b, link.peers_of_b)):
        use = before.get((end.group, end.ports))
        if use is None:
            continue
        free = use.free
        if plan.groups[end.group].switch is not None:
            free = (use.cages - use.cages_used) * end.breakout
        found.append((end.group, free, peers))
    return found


def even_deal(plan: Plan, catalog: Catalog, a: str, b: str) -> int | None:
    """Cables that each pair gets where the file leaves the number out; None if that fails."""
    try:
        tried = plan_design(add_link(plan.design, a, b).design, catalog)
    except EditError:
        return None
    index = len(plan.design.links)
    return next((link.cables_per_pair for link in tried.links if link.index == index), None)
