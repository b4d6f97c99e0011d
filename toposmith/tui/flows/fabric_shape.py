"""Changing the shape of a fabric in a user's words: rails, racks, planes, more SUs, halves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from toposmith.design.edits import (
    Edit,
    add_planes,
    make_rail_optimised,
    make_top_of_rack,
    merge_groups,
    repeat_groups,
    set_empty_places,
    split_group,
)
from toposmith.design.edits.edit import empty_places
from toposmith.design.edits.scalable_units import axis_for_units
from toposmith.fabric.leaf_networks import LeafNetwork, dealt_ports, dealt_to, network_of
from toposmith.text import counted, joined
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import ask_number
from toposmith.tui.questions import Choice

MOST_PLANES = 16


@dataclass(frozen=True)
class _Way:
    """One way to reshape: its words, its key, and what it asks; why not, where it cannot be."""

    words: str
    key: str
    run: Callable[[Designer], Awaitable[None]]
    refusal: str = ""


async def reshape(designer: Designer) -> None:
    """Offer every way to reshape what is selected, with what it would be done to."""
    ways = _ways(designer)
    choices = [
        Choice(str(number), way.words, way.key if not way.refusal else "", way.refusal)
        for number, way in enumerate(ways)
    ]
    chosen = await designer.questions.choose("reshape the fabric", choices)
    if chosen is not None:
        await ways[int(chosen)].run(designer)


def _ways(designer: Designer) -> list[_Way]:
    bench = designer.editing.workbench
    network = network_of(bench.plan, designer.selection.chosen_groups)
    ways = []
    if network is None:
        none = "wire nodes to leaves first (w)"
        ways += [
            _Way("make the leaves rail-optimised", "r", _nothing, none),
            _Way("make the leaves top-of-rack", "t", _nothing, none),
            _Way("divide into planes", "p", _nothing, none),
        ]
    else:
        leaf, node, each = network.leaf, network.node, network.ports
        switches = ", ".join(network.switches)
        ways += [
            _Way(
                f"make {leaf} rail-optimised: one leaf for each of the {counted(each, 'port')} "
                f"of a {node}",
                "r",
                partial(_rails, network=network),
            ),
            _Way(
                f"make {leaf} top-of-rack: one leaf for all ports of a rack",
                "t",
                partial(_racks, network=network),
            ),
            _Way(f"divide {switches} into planes", "p", partial(_planes, network=network)),
        ]
    return ways + _ways_of_groups(designer)


def _ways_of_groups(designer: Designer) -> list[_Way]:
    design = designer.editing.design
    chosen = designer.selection.chosen_groups
    unit = _unit(designer)
    ways = [
        _Way(
            f"repeat {' and '.join(unit)} as several SUs" if unit else "repeat as several SUs",
            "s",
            partial(_repeat, names=unit),
            "" if unit else "add nodes first (a)",
        )
    ]
    one = chosen[0] if len(chosen) == 1 else ""
    single = "" if one else "select one group"
    if one and design.groups[one].count < 2:
        single = f"{one} has only one device"
    ways.append(_Way(f"split {one or 'a group'} in two", "2", partial(_split, name=one), single))
    both = "" if len(chosen) == 2 else "mark the two groups first (space)"
    words = f"merge {chosen[1]} into {chosen[0]}" if not both else "merge two groups"
    ways.append(_Way(words, "m", partial(_merge, names=chosen), both))
    ways.append(
        _Way(
            f"leave places of {one or 'a group'} empty",
            "e",
            partial(_empty, name=one),
            single,
        )
    )
    return ways


async def _nothing(designer: Designer) -> None:
    """In place of a way that is not possible."""


async def _rails(designer: Designer, *, network: LeafNetwork) -> None:
    plan = designer.editing.workbench.plan

    def edit(nodes: int) -> Edit:
        return make_rail_optimised(
            plan.design,
            network.leaf,
            network.node,
            rails=network.ports,
            nodes=nodes,
            dealt=dealt_ports(plan),
        )

    await _ask_and_make(
        designer,
        f"{network.node}s of a unit that share {counted(network.ports, 'leaf')}",
        plan.design.groups[network.node].count,
        edit,
        hint="there are as many in all",
    )


async def _racks(designer: Designer, *, network: LeafNetwork) -> None:
    plan = designer.editing.workbench.plan

    def edit(nodes: int) -> Edit:
        return make_top_of_rack(
            plan.design, network.leaf, network.node, nodes=nodes, dealt=dealt_ports(plan)
        )

    await _ask_and_make(
        designer,
        f"{network.node}s of a rack",
        network.nodes_of_a_rack,
        edit,
        hint="all ports of a rack go to its one leaf",
    )


async def _planes(designer: Designer, *, network: LeafNetwork) -> None:
    plan = designer.editing.workbench.plan

    def edit(planes: int) -> Edit:
        return add_planes(plan.design, network.switches, planes, ports=dealt_ports(plan))

    await _ask_and_make(
        designer,
        "how many planes",
        2,
        edit,
        lowest=2,
        highest=MOST_PLANES,
        hint="leaves of one plane see only the spines of that plane",
    )


async def _repeat(designer: Designer, *, names: tuple[str, ...]) -> None:
    plan = designer.editing.workbench.plan
    axis = axis_for_units(plan.design, names)

    def edit(size: int) -> Edit:
        return repeat_groups(plan.design, names, axis, size, dealt=dealt_ports(plan))

    now = plan.design.axes.get(axis, 1)
    await _ask_and_make(
        designer,
        f"repeat {joined(names)}: size of the axis {axis}",
        now if now > 1 else 2,
        edit,
        hint="the tiers above grow along",
    )


async def _split(designer: Designer, *, name: str) -> None:
    plan = designer.editing.workbench.plan
    count = plan.design.groups[name].count
    cables: Mapping[int, int] = dealt_to(plan, name)
    await _ask_and_make(
        designer,
        f"how many of the {count} stay {name}",
        count // 2,
        lambda first: split_group(plan.design, name, first, cables=cables),
        highest=count - 1,
        hint="the remainder becomes a new group with the same wiring",
    )


async def _merge(designer: Designer, *, names: tuple[str, ...]) -> None:
    if designer.editing.make(merge_groups(designer.editing.design, *names)):
        designer.selection.select_group(names[0])


async def _empty(designer: Designer, *, name: str) -> None:
    design = designer.editing.design
    await _ask_and_make(
        designer,
        f"empty places of {name}",
        empty_places(design, name) or 1,
        lambda empty: set_empty_places(design, name, empty),
        lowest=0,
        highest=design.groups[name].count - 1,
        hint="the last ones, such as the slot that the fabric manager's ports take",
    )


async def _ask_and_make(
    designer: Designer,
    label: str,
    proposed: int,
    edit: Callable[[int], Edit],
    *,
    hint: str = "",
    lowest: int = 1,
    highest: int = 100_000,
) -> None:
    number = await ask_number(
        designer, label, proposed, hint=hint, lowest=lowest, highest=highest, edit=edit
    )
    if number is not None:
        designer.editing.make(edit(number))


def _unit(designer: Designer) -> tuple[str, ...]:
    """The groups of a unit: those marked, else the nodes with the switches right above them."""
    plan = designer.editing.workbench.plan
    marked = designer.selection.chosen_groups
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
