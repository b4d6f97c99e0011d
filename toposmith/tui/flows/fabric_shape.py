"""Changing the shape of a fabric in a user's words: rails, racks, planes, more SUs, halves."""

from __future__ import annotations

from toposmith.design.edits import (
    add_planes,
    make_rail_optimised,
    make_top_of_rack,
    merge_groups,
    repeat_groups,
    set_empty_places,
    split_group,
)
from toposmith.design.edits.edit import empty_places
from toposmith.design.edits.rails import axis_for_units
from toposmith.fabric.leaf_networks import LeafNetwork, dealt_ports, dealt_to, network_of
from toposmith.text import counted, joined
from toposmith.tui.asking import Asking, Here, MadeEdit, number, pick
from toposmith.tui.questions import Choice

MOST_PLANES = 16
MOST_DEVICES = 100_000


def reshape(here: Here) -> Asking:
    """Offer every way to reshape what is selected, with what it would be done to."""
    network = network_of(here.plan, here.chosen)
    unit = _unit(here)
    choices = [*_ways_of_leaves(network), *_ways_of_groups(here, unit)]
    chosen = yield from pick("reshape the fabric", choices)
    if network is not None and chosen in _OF_LEAVES:
        return (yield from _OF_LEAVES[chosen](here, network))
    if chosen == "repeat":
        return (yield from _repeat(here, unit))
    if chosen == "merge":
        return MadeEdit(merge_groups(here.design, *here.chosen), group=here.chosen[0])
    return (yield from (_split if chosen == "split" else _empty)(here, here.chosen[0]))


def _ways_of_leaves(network: LeafNetwork | None) -> list[Choice]:
    """What the leaves of nodes can become; why not, where there are none."""
    if network is None:
        none = "wire nodes to leaves first (w)"
        return [
            Choice("rails", "make the leaves rail-optimised", refusal=none),
            Choice("racks", "make the leaves top-of-rack", refusal=none),
            Choice("planes", "divide into planes", refusal=none),
        ]
    leaf, ports = network.leaf, counted(network.ports, "port")
    rails = f"make {leaf} rail-optimised: one leaf for each of the {ports} of a {network.node}"
    return [
        Choice("rails", rails, "r"),
        Choice("racks", f"make {leaf} top-of-rack: one leaf for all ports of a rack", "t"),
        Choice("planes", f"divide {', '.join(network.switches)} into planes", "p"),
    ]


def _ways_of_groups(here: Here, unit: tuple[str, ...]) -> list[Choice]:
    """What can be done to the chosen groups; why not, where it cannot."""
    chosen = here.chosen
    one = chosen[0] if len(chosen) == 1 else ""
    single = "" if one else "select one group"
    if one and here.design.groups[one].count < 2:
        single = f"{one} has only one device"
    both = "" if len(chosen) == 2 else "mark the two groups first (space)"
    named, none = one or "a group", "" if unit else "add nodes first (a)"
    units = f"repeat {' and '.join(unit)} as several SUs" if unit else "repeat as several SUs"
    merged = "merge two groups" if both else f"merge {chosen[1]} into {chosen[0]}"
    return [
        Choice("repeat", units, "" if none else "s", none),
        Choice("split", f"split {named} in two", "" if single else "2", single),
        Choice("merge", merged, "" if both else "m", both),
        Choice("empty", f"leave places of {named} empty", "" if single else "e", single),
    ]


def _rails(here: Here, network: LeafNetwork) -> Asking:
    plan = here.plan
    nodes = yield from number(
        f"{network.node}s of a unit that share {counted(network.ports, 'leaf')}",
        plan.design.groups[network.node].count,
        hint="there are as many in all",
        highest=MOST_DEVICES,
    )
    return make_rail_optimised(
        plan.design,
        network.leaf,
        network.node,
        rails=network.ports,
        nodes=nodes,
        dealt=dealt_ports(plan),
    )


def _racks(here: Here, network: LeafNetwork) -> Asking:
    nodes = yield from number(
        f"{network.node}s of a rack",
        network.nodes_of_a_rack,
        hint="all ports of a rack go to its one leaf",
        highest=MOST_DEVICES,
    )
    dealt = dealt_ports(here.plan)
    return make_top_of_rack(here.design, network.leaf, network.node, nodes=nodes, dealt=dealt)


def _planes(here: Here, network: LeafNetwork) -> Asking:
    hint = "leaves of one plane see only the spines of that plane"
    planes = yield from number("how many planes", 2, hint=hint, lowest=2, highest=MOST_PLANES)
    return add_planes(here.design, network.switches, planes, ports=dealt_ports(here.plan))


_OF_LEAVES = {"rails": _rails, "racks": _racks, "planes": _planes}


def _repeat(here: Here, names: tuple[str, ...]) -> Asking:
    axis = axis_for_units(here.design, names)
    size = yield from number(
        f"repeat {joined(names)}: size of the axis {axis}",
        max(here.design.axes.get(axis, 1), 2),
        hint="the tiers above grow along",
        highest=MOST_DEVICES,
    )
    return repeat_groups(here.design, names, axis, size, dealt=dealt_ports(here.plan))


def _split(here: Here, name: str) -> Asking:
    count = here.design.groups[name].count
    first = yield from number(
        f"how many of the {count} stay {name}",
        count // 2,
        hint="the remainder becomes a new group with the same wiring",
        highest=count - 1,
    )
    return split_group(here.design, name, first, cables=dealt_to(here.plan, name))


def _empty(here: Here, name: str) -> Asking:
    empty = yield from number(
        f"empty places of {name}",
        empty_places(here.design, name) or 1,
        hint="the last ones, such as the slot that the fabric manager's ports take",
        lowest=0,
        highest=here.design.groups[name].count - 1,
    )
    return set_empty_places(here.design, name, empty)


def _unit(here: Here) -> tuple[str, ...]:
    """The groups of a unit: those marked, else the nodes with the switches right above them."""
    plan, marked = here.plan, here.chosen
    if len(marked) > 1:
        return marked
    nodes = [name for name, group in plan.groups.items() if group.node is not None]
    above = {
        end.group
        for link in plan.links
        for end in (link.a, link.b)
        if {link.a.group, link.b.group} & set(nodes)
    }
    return tuple(name for name in plan.groups if name in nodes or name in above)
