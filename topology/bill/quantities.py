"""How many cables, modules and cages the links take: three counts that differ.

A twin-port module or a splitter serves two connections of one device, whichever links they belong
to; so quantities are counted device by device (alike devices at once) and rounded up there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import ceil

from topology.bill.cabling import Recipe
from topology.bill.fanout import Fan, fans
from topology.bill.sockets import cage_slots, socket_of
from topology.fabric.plan import GroupPlan, LinkPlan, Plan

_Key = tuple[object, ...]


@dataclass
class Quantities:
    """What the links take.

    Parameters
    ----------
    connections : counter of int
        Ports joined to ports, by link index.
    bodies : counter of int
        Cables, or fibres, by link index. A body that two links share counts at the first.
    modules : counter of (str, str)
        Transceivers by end, such as ``leaf`` or ``node.compute``, and part id.
    cages : counter of str
        Cages taken, by end.
    """

    connections: Counter[int] = field(default_factory=Counter)
    bodies: Counter[int] = field(default_factory=Counter)
    modules: Counter[tuple[str, str]] = field(default_factory=Counter)
    cages: Counter[str] = field(default_factory=Counter)


def count_quantities(plan: Plan, recipes: dict[int, Recipe]) -> Quantities:
    """Count what the links take; a link without a recipe counts its connections and cages only."""
    counted = Quantities()
    links = {link.index: link for link in plan.links}
    for name, alike in fans(plan).items():
        group = plan.groups[name]
        for fan in alike:
            if group.switch is not None:
                _count_switch(plan, group, fan, links, recipes, counted)
            else:
                _count_node(group, fan, links, recipes, counted)
            _count_bodies(group, fan, links, recipes, counted)
    return counted


class _Sharing:
    """Things of one device that several connections share, counted as connections come."""

    def __init__(self) -> None:
        self._served: Counter[_Key] = Counter()

    def more(self, key: _Key, connections: int, each: int) -> int:
        """How many more things it takes to serve these connections too."""
        before = self._served[key]
        self._served[key] += connections
        return ceil(self._served[key] / each) - ceil(before / each)


def _count_switch(
    plan: Plan,
    group: GroupPlan,
    fan: Fan,
    links: dict[int, LinkPlan],
    recipes: dict[int, Recipe],
    counted: Quantities,
) -> None:
    sharing = _Sharing()
    for index, connections in sorted(fan.connections.items()):
        link = links[index]
        end = link.end_of(group.name)
        ports = socket_of(plan, end).ports
        mode = (link.speed_gbit, ports)
        counted.cages[end.label] += fan.devices * sharing.more(("cage", *mode), connections, ports)
        module = recipes[index].module_at(group.name) if index in recipes else None
        if module is not None:
            more = sharing.more((module.id, *mode), connections, ports)
            counted.modules[end.label, module.id] += fan.devices * more


def _count_node(
    group: GroupPlan,
    fan: Fan,
    links: dict[int, LinkPlan],
    recipes: dict[int, Recipe],
    counted: Quantities,
) -> None:
    """Ports of a node that share a cage share its module; other ports have their own."""
    cages: dict[str, set[_Key]] = defaultdict(set)
    modules: dict[tuple[str, str], set[_Key]] = defaultdict(set)
    for (index, slot), connections in fan.slots.items():
        end = links[index].end_of(group.name)
        shared = {
            number: cage
            for cage, numbers in cage_slots(group, end.ports).items()
            for number in numbers
        }
        places: set[_Key] = (
            {(shared[slot],)}
            if slot in shared
            else {(slot, index, turn) for turn in range(connections)}
        )
        cages[end.label] |= places
        module = recipes[index].module_at(group.name) if index in recipes else None
        if module is not None:
            modules[end.label, module.id] |= places
    for label, taken in cages.items():
        counted.cages[label] += fan.devices * len(taken)
    for key, taken in modules.items():
        counted.modules[key] += fan.devices * len(taken)


def _count_bodies(
    group: GroupPlan,
    fan: Fan,
    links: dict[int, LinkPlan],
    recipes: dict[int, Recipe],
    counted: Quantities,
) -> None:
    """Count connections and straight bodies at a link's first end, splitters where they split."""
    sharing = _Sharing()
    for index, connections in sorted(fan.connections.items()):
        recipe = recipes.get(index)
        if links[index].a.group == group.name:
            counted.connections[index] += fan.devices * connections
            if recipe is not None and recipe.split_at is None:
                each = fan.devices * connections * recipe.bodies
                counted.bodies[index] += ceil(each / recipe.carried)
        if recipe is not None and recipe.split_at == group.name:
            key = (recipe.body.id, recipe.length_m)
            more = sharing.more(key, connections, recipe.carried)
            counted.bodies[index] += fan.devices * more
