"""What to propose when a person adds, fits or wires: names, counts and cables that work."""

from __future__ import annotations

from catalog import AnyPart, Catalog, Storage, Switch
from topology.design.document import Design
from topology.design.edits import add_link, free_name
from topology.errors import EditError
from topology.fabric.plan import GroupPlan, Plan
from topology.fabric.planning import plan_design
from topology.fabric.ports import port_use

TIER_NAMES = ("leaf", "spine", "core")


def propose_name(design: Design, part: AnyPart, catalog: Catalog) -> str:
    """Name a new group in the field's words: ``node``, or the next free tier of switches."""
    if isinstance(part, Storage):
        return free_name(design, "storage")
    if not isinstance(part, Switch):
        return free_name(design, "node")
    switches = [
        name for name, group in design.groups.items() if isinstance(catalog.get(group.part), Switch)
    ]
    tier = TIER_NAMES[min(len(switches), len(TIER_NAMES) - 1)]
    return free_name(design, tier)


def propose_count(plan: Plan, part: AnyPart) -> int:
    """How many devices to propose for a new group.

    For nodes one. For the first switches as many as take the nodes' free ports on half of their
    own, and deal each node's ports evenly; for the next tier as many as take what is left free
    below.
    """
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
    if group.switch:
        return [group.name]
    return [f"{group.name}.{slots}" for slots, ports in group.port_groups.items() if ports.ports]


def propose_cables(plan: Plan, catalog: Catalog, a: str, b: str) -> int:
    """Cables between each pair that use the free ports of both ends evenly; at least 1."""
    try:
        tried = plan_design(add_link(plan.design, a, b, cables=1).design, catalog)
    except EditError:
        return 1
    index = len(plan.design.links)
    link = next((link for link in tried.links if link.index == index), None)
    if link is None:
        return 1
    before = port_use(plan)
    rooms = []
    for end, peers in ((link.a, link.peers_of_a), (link.b, link.peers_of_b)):
        use = before.get((end.group, end.ports))
        if use is None:
            continue
        free = use.free
        switch = plan.groups[end.group].switch
        if switch is not None:
            free = (use.cages - use.cages_used) * end.breakout
        rooms.append(free // peers)
    return max(1, min(rooms, default=1))


def even_deal(plan: Plan, catalog: Catalog, a: str, b: str) -> int | None:
    """Cables that each pair gets where the file leaves the number out; None if that fails."""
    try:
        tried = plan_design(add_link(plan.design, a, b).design, catalog)
    except EditError:
        return None
    index = len(plan.design.links)
    return next((link.cables_per_pair for link in tried.links if link.index == index), None)
