"""The runs of every link with the parts that build them, and what of each is counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import ceil
from typing import Any

import networkx as nx

from toposmith.bill.link_cages import cage_slots, socket_of
from toposmith.bill.link_parts import Chooser
from toposmith.bill.recipes import Recipe, splitter_of
from toposmith.cancellation import go_on
from toposmith.fabric.classes import base_graph
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.finding import Finding, at_group, found
from toposmith.racks.lengths import CableRun


@dataclass(frozen=True)
class DeviceClass:
    """Equivalent devices of one group.

    Parameters
    ----------
    devices : int
        How many there are.
    connections : mapping of int to int
        Connections that end at each of them, by the index of the link.
    slots : mapping of (int, int) to int
        For a node: connections on each NIC, by the index of the link and the number of the slot.
    """

    devices: int
    connections: Mapping[int, int]
    slots: Mapping[tuple[int, int], int]


def device_classes(plan: Plan) -> dict[str, list[DeviceClass]]:
    """The devices that are there with their connections, for every group of the design."""
    graph = base_graph(plan, without_down=False).graph
    found: dict[str, list[DeviceClass]] = {name: [] for name in plan.groups}
    for vertex, data in graph.nodes(data=True):
        if vertex[0] == "device":
            found[data["group"]].append(_fan(graph, vertex, data["size"]))
    return found


def _fan(graph: nx.MultiGraph, vertex: tuple[Any, ...], devices: int) -> DeviceClass:
    _, group, cells = vertex
    connections = _at(graph, vertex)
    slots: Counter[tuple[int, int]] = Counter()
    for nic in graph.neighbors(vertex):
        if nic[0] == "nic" and nic[1] == group and nic[3] == cells:
            for link, cables in _at(graph, nic).items():
                for slot in graph.nodes[nic]["slots"]:
                    slots[link, slot] += cables
                    connections[link] += cables
    return DeviceClass(devices, connections, slots)


def _at(graph: nx.MultiGraph, vertex: tuple[Any, ...]) -> Counter[int]:
    """Connections at one member of a class, by link."""
    connections: Counter[int] = Counter()
    for _, _, edge in graph.edges(vertex, data=True):
        if edge["link"] is not None:
            connections[edge["link"]] += edge["per"][vertex]
    return connections


_STEPS_OF_A_LINK = 1_000
"""Every cable, module and fibre of the catalog is tried at its ends."""


@dataclass(frozen=True)
class CableLot:
    """Connections of one link with the same parts and length.

    Parameters
    ----------
    link : int
        Index of the link.
    connections : int
        Ports joined to ports.
    recipe : Recipe or None
        Their parts; None where the catalog has no suitable ones.
    """

    link: int
    connections: int
    recipe: Recipe | None


def lots_of(
    links: Iterable[LinkPlan],
    connections: Mapping[int, int],
    runs: Iterable[CableRun],
    chooser: Chooser,
) -> tuple[dict[int, tuple[CableLot, ...]], list[Finding]]:
    """Choose the parts of all links.

    Parameters
    ----------
    links : iterable of LinkPlan
        The sound links.
    connections : mapping of int to int
        Ports joined to ports, by link index.
    runs : iterable of CableRun
        Lengths along the racks; connections that no run has are of unknown length.
    chooser : Chooser
        Chooses the parts.

    Returns
    -------
    (dict of int to tuple of CableLot, list of Finding)
        By link index, the shortest first; and what could not be built.
    """
    by_link: dict[int, list[CableRun]] = defaultdict(list)
    for run in runs:
        by_link[run.link].append(run)
    lots: dict[int, tuple[CableLot, ...]] = {}
    findings: list[Finding] = []
    for link in links:
        go_on(_STEPS_OF_A_LINK)
        own = link.length_m
        alike = (
            []
            if own is not None
            else sorted(by_link[link.index], key=lambda run: (run.length_m, run.within_rack))
        )
        built, found = _lotes(link, connections[link.index], alike, chooser)
        lots[link.index] = built
        findings += dict.fromkeys(found)
    return lots, findings


def _lotes(
    link: LinkPlan, connections: int, runs: list[CableRun], chooser: Chooser
) -> tuple[tuple[CableLot, ...], list[Finding]]:
    counts: Counter[tuple[object, ...]] = Counter()
    recipes: dict[tuple[object, ...], Recipe | None] = {}
    findings: list[Finding] = []
    far: list[float] = []
    left = connections
    for length, within, many in [*_measured(runs), (None, None, connections)]:
        taken = min(many, left)
        if taken or (length is None and not counts):
            recipe, found = chooser.parts(link, length, within)
            key = recipe.key if recipe else ()
            recipes[key] = recipe
            counts[key] += taken
            if length is not None and not chooser.reaches(link, length):
                far.append(length)
            else:
                findings += found
            left -= taken
    if far:
        findings.append(chooser.too_far(link, far))
    built = tuple(CableLot(link.index, many, recipes[key]) for key, many in counts.items())
    return built, findings


def _measured(runs: list[CableRun]) -> Iterator[tuple[float | None, bool | None, int]]:
    alike: Counter[tuple[float, bool]] = Counter()
    for run in runs:
        alike[run.length_m, run.within_rack] += run.connections
    for (length, within), many in alike.items():
        yield length, within, many


def mixed_findings(
    links: Iterable[LinkPlan], lots: Mapping[int, tuple[CableLot, ...]]
) -> Iterator[Finding]:
    """Findings on links whose modules and cages are lower bounds, for want of a placement."""
    for link in links:
        if ways := shares_unlike(link, lots[link.index]):
            yield found("mixed-parts", link.place, ways=ways)


def shares_unlike(link: LinkPlan, lots: tuple[CableLot, ...]) -> int:
    """How many kinds of cages there are whose ports may belong to different runs; 0 for one."""
    recipes = [lot.recipe for lot in lots if lot.recipe is not None]
    # Cables that fill cages pair by pair never share one with those of another length.
    shares_cages = any(link.cables_per_pair % end.breakout for end in (link.a, link.b))
    kinds = {_in_cages(recipe) for recipe in recipes}
    return len(kinds) if shares_cages and len(kinds) > 1 else 0


def _in_cages(recipe: Recipe) -> tuple[object, ...]:
    """What the cages hold: fibres may differ in length behind one module, a splitter may not."""
    if recipe.modules and recipe.split_at is None:
        return tuple(module.id for _, module in recipe.modules)
    return recipe.body.id, recipe.length_m if recipe.split_at else None


@dataclass(frozen=True)
class AlikeDevices:
    """Equivalent devices of one group, with the lots that end at each of them.

    Parameters
    ----------
    devices : int
        How many there are.
    ends : mapping of (int, int) to int
        Connections at each device, by link index and number of the lot.
    slots : mapping of (int, int, int) to int
        For a node: connections on each NIC, by link index, number of the slot and lot.
    """

    devices: int
    ends: Mapping[tuple[int, int], int]
    slots: Mapping[tuple[int, int, int], int]


def shares(
    device_classes: Iterable[DeviceClass],
    lots: Mapping[int, tuple[CableLot, ...]],
    both_ends: Container[int] = (),
) -> Iterator[AlikeDevices]:
    """Give the lots to the devices of one group, in order.

    Of the links in ``both_ends`` the group has both ends.
    """
    bound_for: Counter[int] = Counter()
    device_classes = tuple(device_classes)
    own = {link for device_class in device_classes for link in device_class.connections}
    bounds = {
        link: list(accumulate(one.connections * (1 + (link in both_ends)) for one in lots[link]))
        for link in own
    }
    for device_class in device_classes:
        cuts = {0, device_class.devices}
        for link, each in device_class.connections.items():
            for bound in bounds[link][:-1]:
                device, rest = divmod(bound - bound_for[link], each)
                cuts |= {
                    at for at in (device, device + bool(rest)) if 0 < at < device_class.devices
                }
        for first, end in pairwise(sorted(cuts)):
            yield _share(device_class, first, end - first, bound_for, bounds)
        for link, each in device_class.connections.items():
            bound_for[link] += each * device_class.devices


def _share(
    device_class: DeviceClass,
    first: int,
    devices: int,
    bound_for: Counter[int],
    bounds: Mapping[int, list[int]],
) -> AlikeDevices:
    ends: Counter[tuple[int, int]] = Counter()
    slots: Counter[tuple[int, int, int]] = Counter()
    for link, each in device_class.connections.items():
        at = bound_for[link] + first * each
        on_slots = [(slot, n) for (of, slot), n in sorted(device_class.slots.items()) if of == link]
        for slot, many in on_slots or [(-1, each)]:
            for lot, taken in _taken(at, many, bounds[link]):
                ends[link, lot] += taken
                if slot >= 0:
                    slots[link, slot, lot] += taken
            at += many
    return AlikeDevices(devices, ends, slots)


def _taken(first: int, many: int, bounds: list[int]) -> Iterator[tuple[int, int]]:
    """Which lots the connections ``first`` to ``first + many`` belong to, and how many."""
    begin = 0
    for lot, end in enumerate(bounds):
        last = lot == len(bounds) - 1
        taken = (first + many if last else min(end, first + many)) - max(begin, first)
        if taken > 0:
            yield lot, taken
        begin = end


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
