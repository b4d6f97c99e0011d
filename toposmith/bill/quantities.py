"""Counts of cables, modules and cages of links, which all differ.

A twin-port module or a splitter serves two connections of one device, whichever links they belong
to; so quantities are counted by device (equivalent ones at once) and rounded up there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil

from toposmith.bill.cable_lots import AlikeDevices, CableLot, DeviceClass, shares
from toposmith.bill.link_cages import cage_slots, socket_of
from toposmith.bill.recipes import Recipe, splitter_of
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_group

_Key = tuple[object, ...]


@dataclass
class Quantities:
    """Cables, modules and cages of the links.

    Parameters
    ----------
    bodies : counter of (int, int)
        Cables, or fibres, by link index and number of the lot. A body that two links share
        counts at the first.
    modules : counter of (str, str)
        Transceivers by end, such as ``leaf`` or ``node.compute``, and part id.
    cages : counter of str
        Cages taken, by end.
    most_cages : counter of str
        Cages taken at one switch, by end: at the one that takes the most.
    """

    bodies: Counter[tuple[int, int]] = field(default_factory=Counter)
    modules: Counter[tuple[str, str]] = field(default_factory=Counter)
    cages: Counter[str] = field(default_factory=Counter)
    most_cages: Counter[str] = field(default_factory=Counter)


def connections_of(plan: Plan, device_classes: Mapping[str, list[DeviceClass]]) -> Counter[int]:
    """Ports joined to ports, by link index."""
    found: Counter[int] = Counter({link.index: 0 for link in plan.every_link})
    for link in plan.every_link:
        for device_class in device_classes[link.a.group]:
            found[link.index] += device_class.devices * device_class.connections.get(link.index, 0)
        if link.is_self:
            found[link.index] //= 2
    return found


def count_quantities(
    plan: Plan,
    device_classes: Mapping[str, list[DeviceClass]],
    lots: Mapping[int, tuple[CableLot, ...]],
) -> Quantities:
    """Count cables, modules and cages; links without a recipe count cages only."""
    counter = _Counter(plan, lots)
    both_ends = {link.index for link in plan.every_link if link.is_self}
    for name, alike in device_classes.items():
        for share in shares(alike, lots, both_ends):
            counter.count(plan.groups[name], share)
    bodies = counter.counted.bodies
    for key in bodies:
        if key[0] in both_ends:
            bodies[key] //= 2
    return counter.counted


class _Sharing:
    """Things of one device that several connections share, counted as connections come."""

    def __init__(self) -> None:
        self._served: Counter[_Key] = Counter()

    def more(self, key: _Key, connections: int, each: int) -> int:
        """How many more things it takes to serve these connections too."""
        before = self._served[key]
        self._served[key] += connections
        return ceil(self._served[key] / each) - ceil(before / each)


class _Counter:
    """Adds up what devices take, one share of them after another."""

    def __init__(self, plan: Plan, lots: Mapping[int, tuple[CableLot, ...]]) -> None:
        self.plan = plan
        self.links = {link.index: link for link in plan.every_link}
        self.lots = lots
        self.counted = Quantities()

    def count(self, group: GroupPlan, share: AlikeDevices) -> None:
        if group.cages is not None:
            self._switch(group, share)
        else:
            self._node(group, share)
        self._bodies(group, share)

    def _recipe(self, link: int, lot: int) -> Recipe | None:
        return self.lots[link][lot].recipe

    def _switch(self, group: GroupPlan, share: AlikeDevices) -> None:
        sharing = _Sharing()
        own: Counter[str] = Counter()
        for (index, lot), connections in sorted(share.ends.items()):
            link = self.links[index]
            end = link.end_of(group.name)
            ports = socket_of(self.plan, end).ports
            mode = (link.speed_gbit, ports)
            recipe = self._recipe(index, lot)
            plug = recipe.plug_at(group.name) if recipe else None
            taken = connections
            if recipe and recipe.carried > 1 and recipe.split_at in (None, group.name):
                # a cable takes all the ports that it could carry, used or not
                splitter = splitter_of(self.plan, link, recipe, 0) or (index, *recipe.key)
                cables = sharing.more(("cable", *splitter), connections, recipe.carried)
                taken = cables * min(recipe.carried, ports)
            more = sharing.more(("cage", plug, *mode), taken, ports)
            self.counted.cages[end.label] += share.devices * more
            own[end.label] += more * (not end.ports)  # not at ports of their own beside cages
            module = recipe.module_at(group.name) if recipe else None
            if module is not None:
                self.counted.modules[end.label, module.id] += share.devices * more
        self.counted.most_cages |= own  # the larger of both, by end

    def _node(self, group: GroupPlan, share: AlikeDevices) -> None:
        """Ports of a node that share a cage share its module; other ports have their own."""
        cages: dict[str, set[_Key]] = defaultdict(set)
        modules: dict[tuple[str, str], set[_Key]] = defaultdict(set)
        for (index, slot, lot), connections in share.slots.items():
            end = self.links[index].end_of(group.name)
            shared = {
                number: cage
                for cage, numbers in cage_slots(group, end.ports).items()
                for number in numbers
            }
            places: set[_Key] = (
                {(shared[slot],)}
                if slot in shared
                else {(slot, index, lot, turn) for turn in range(connections)}
            )
            cages[end.label] |= places
            recipe = self._recipe(index, lot)
            module = recipe.module_at(group.name) if recipe else None
            if module is not None:
                modules[end.label, module.id] |= places
        for label, taken in cages.items():
            self.counted.cages[label] += share.devices * len(taken)
        for key, taken in modules.items():
            self.counted.modules[key] += share.devices * len(taken)

    def _bodies(self, group: GroupPlan, share: AlikeDevices) -> None:
        """Straight bodies are counted at a link's first end, splitters where they split."""
        sharing = _Sharing()
        for (index, lot), connections in sorted(share.ends.items()):
            recipe = self._recipe(index, lot)
            if recipe is None:
                continue
            each = 0
            if recipe.split_at is None and self.links[index].a.group == group.name:
                each = ceil(connections * recipe.bodies / recipe.carried)
            if recipe.split_at == group.name:
                shared = splitter_of(self.plan, self.links[index], recipe, 0)
                # at nodes and between switches of a group each link has its own
                key = shared or (index, *recipe.of_splitter)
                each = sharing.more(key, connections, recipe.carried)
            self.counted.bodies[index, lot] += share.devices * each


def cage_findings(plan: Plan, counted: Quantities) -> Iterator[Finding]:
    """Errors where legs of splitters or different plugs need more cages than a switch has.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    counted : Quantities
        Counts of its links.
    """
    over = {one.place.group for one in port_findings(plan)}
    for name, group in plan.groups.items():
        taken = counted.most_cages[name]
        if group.part is None or group.cages is None or name in over:
            continue
        if taken > group.cages.count:
            cages_of = {"cages_asked": taken, "cages": group.cages.count}
            yield found("cages-short", at_group(name), part=group.part.name, **cages_of)
