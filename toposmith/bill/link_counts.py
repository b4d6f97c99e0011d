"""Counts of cables, cages and modules of links: with arrays, or cable by cable."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
import numpy.typing as npt

from toposmith.bill.cable_lots import CableLot, Quantities, shares_unlike
from toposmith.bill.link_cages import cage_of_port
from toposmith.bill.link_parts import Chooser
from toposmith.bill.numbered_connections import NumberedConnections, wired
from toposmith.bill.recipes import Recipe
from toposmith.cancellation import go_on
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan
from toposmith.racks.connections import Missing, missing
from toposmith.racks.lengths import pairs_of
from toposmith.racks.placement import Placement


@dataclass(frozen=True)
class LinkCounts:
    """Counts of some links.

    Parameters
    ----------
    bodies : counter of (int, tuple)
        Cables by the index of the link and what distinguishes recipes.
    cages : counter of str
        By the label of an end.
    most_cages : counter of str
        By the label of an end at switches: of the device that takes the most.
    modules : counter of (str, str)
        By the label of an end and the part.
    """

    bodies: Counter[tuple[int, tuple[object, ...]]] = field(default_factory=Counter)
    cages: Counter[str] = field(default_factory=Counter)
    most_cages: Counter[str] = field(default_factory=Counter)
    modules: Counter[tuple[str, str]] = field(default_factory=Counter)


Numbers = npt.NDArray[np.int64]

NOTHING, NO_MODULE = -1, 0
"""In a port of a node: no cable, and a cable that brings its own plug; modules count from 1."""


def count_straight(
    plan: Plan,
    links: Iterable[LinkPlan],
    labels: Collection[str],
    placement: Placement,
    chooser: Chooser,
) -> LinkCounts | None:
    """Cables of links, and cages and modules at the ends with these labels.

    None where a device has no placement. No connection of the links may be missing, and a cable
    that carries several leads from one device to one other, with a plug that is no module.
    """
    taken, at = LinkCounts(), _Ends(plan, labels)
    for link in links:
        pairs = pairs_of(plan, link, placement)
        if pairs is None:
            return None
        recipes = [
            chooser.parts(link, None if link.length_m else metres, within)[0]
            for metres, within in pairs.lengths
        ]
        many = np.bincount(pairs.length, minlength=len(recipes)) * link.cables_per_pair
        for recipe, connections in zip(recipes, many, strict=True):
            if recipe is not None:
                cables = int(connections) // recipe.carried
                taken.bodies[link.index, recipe.key] += cables * recipe.bodies
        for end, devices, peers, rank in (
            (link.a, pairs.a, link.peers_of_a, pairs.of_a),
            (link.b, pairs.b, link.peers_of_b, pairs.of_b),
        ):
            if end.label not in labels:
                continue
            if not end.ports:
                at.switches(link, end, recipes, devices, pairs.length)
                continue
            for turn in range(link.cables_per_pair):
                ports = end.first_port + turn * peers + rank
                at.nodes(end, recipes, devices, ports, pairs.length)
    at.count(taken)
    return taken


class _Ends:
    """Plugs at each device: by plug at switches, by port at nodes."""

    def __init__(self, plan: Plan, labels: Collection[str]) -> None:
        self._plan, self._labels = plan, labels
        self._plugs: dict[tuple[str, int, int, str | None, str | None], Numbers] = {}
        self._ports: dict[str, Numbers] = {}
        self._of: dict[str, LinkEnd] = {}
        self._modules: list[str] = []

    def switches(
        self,
        link: LinkPlan,
        end: LinkEnd,
        recipes: Sequence[Recipe | None],
        devices: Numbers,
        which: Numbers,
    ) -> None:
        """Connections by device and plug: ports of one speed and plug share cages."""
        kinds = [_plug(recipe, end.group) for recipe in recipes]
        for kind in dict.fromkeys(kinds):
            alike = np.array([each == kind for each in kinds])[which]
            many = np.bincount(devices[alike], minlength=self._plan.groups[end.group].instances)
            key = (end.label, link.speed_gbit, end.breakout, *kind)
            before = self._plugs.get(key)
            added = many * link.cables_per_pair
            self._plugs[key] = added if before is None else before + added

    def nodes(
        self,
        end: LinkEnd,
        recipes: Sequence[Recipe | None],
        devices: Numbers,
        ports: Numbers,
        which: Numbers,
    ) -> None:
        """What sits behind each port of a node."""
        group = self._plan.groups[end.group]
        if end.label not in self._ports:
            shape = (group.instances, group.port_groups[end.ports].ports)
            self._ports[end.label] = np.full(shape, NOTHING, dtype=np.int64)
            self._of[end.label] = end
        numbers = [self._number(_plug(recipe, end.group)[1]) for recipe in recipes]
        self._ports[end.label][devices, ports] = np.array(numbers)[which]

    def _number(self, module: str | None) -> int:
        if module is None:
            return NO_MODULE
        if module not in self._modules:
            self._modules.append(module)
        return self._modules.index(module) + 1

    def count(self, taken: LinkCounts) -> None:
        """Cages and modules of all ends."""
        for label in self._labels:
            taken.cages[label] += 0
        of_device: dict[str, Numbers] = {}
        for (label, _, breakout, _, module), many in self._plugs.items():
            by_device = -(-many // breakout)
            of_device[label] = by_device + of_device.get(label, 0)
            taken.most_cages[label] = int(of_device[label].max())
            cages = int(by_device.sum())
            taken.cages[label] += cages
            if module is not None:
                taken.modules[label, module] += cages
        for label, ports in self._ports.items():
            end = self._of[label]
            for cage in _cages(self._plan.groups[end.group], end):
                inside = ports[:, cage]
                taken.cages[label] += int((inside != NOTHING).any(axis=1).sum())
                for number, module in enumerate(self._modules, 1):
                    if many_of := int((inside == number).any(axis=1).sum()):
                        taken.modules[label, module] += many_of


def _plug(recipe: Recipe | None, group: str) -> tuple[str | None, str | None]:
    """What is plugged in at a group, and its module where it is one."""
    if recipe is None:
        return None, None
    module = recipe.module_at(group)
    return recipe.plug_at(group), module.id if module is not None else None


def _cages(group: GroupPlan, end: LinkEnd) -> list[list[int]]:
    """The ports of a node by the cage that they share; one of its own has each of the others."""
    shared: Mapping[int, tuple[int, int]] = cage_of_port(group, end.ports)
    cages: dict[int, list[int]] = {}
    for port in range(group.port_groups[end.ports].ports):
        at = shared[port][0] if port in shared else -1 - port
        cages.setdefault(at, []).append(port)
    return list(cages.values())


def count_singly(
    plan: Plan,
    lots: Mapping[int, tuple[CableLot, ...]],
    placement: Placement,
    chooser: Chooser,
    counted: Quantities,
) -> None:
    """Recount links whose cables differ in length or parts, as in the cable schedule.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    lots : mapping of int to tuple of CableLot
        The parts of every link.
    placement : Placement
        Where devices stand.
    chooser : Chooser
        The chooser of the parts of the lots.
    counted : Quantities
        Counts by connections per device, replaced where these do not determine them.
    """
    gone = missing(plan)
    singly = {
        link.index
        for link in plan.every_link
        if (len(lots[link.index]) > 1 or link.index in gone.cables)
        and (
            _needs_single_cables(link, lots[link.index], gone)
            or shares_unlike(link, lots[link.index])
        )
    }
    split = {
        index
        for index, built in lots.items()
        if any(lot.recipe is not None and lot.recipe.split_at is not None for lot in built)
    }
    if singly & split:
        singly |= split  # these may share their splitters
    if not singly:
        return
    ends = (end.label for link in plan.every_link if link.index in singly for end in link.ends)
    labels = tuple(dict.fromkeys(ends))
    beside = {  # what else plugs into the same cages
        link.index: link
        for link in plan.every_link
        if any(end.label in labels for end in link.ends)
    }
    taken = None
    if all(_is_straight(link, lots[link.index], gone) for link in beside.values()):
        # imported here: the app starts without arrays

        taken = count_straight(plan, beside.values(), labels, placement, chooser)
    if taken is None:
        taken = _counted_singly(plan, wired(plan, placement, chooser, set(beside)), labels)
    numbers = {
        (index, one.recipe.key): number
        for index in singly
        for number, one in enumerate(lots[index])
        if one.recipe is not None
    }
    for key in [key for key in counted.bodies if key[0] in singly]:
        del counted.bodies[key]
    for (index, recipe), cables in taken.bodies.items():
        # a link with more cables than ports, which a finding names, has no lot of some lengths
        if (index, recipe) in numbers:
            counted.bodies[index, numbers[index, recipe]] += cables
    for label in labels:
        counted.cages[label] = taken.cages[label]
        counted.most_cages[label] = taken.most_cages[label]
    for placed in [key for key in counted.modules if key[0] in labels]:
        del counted.modules[placed]
    for label in labels:
        of_label = {key: many for key, many in taken.modules.items() if key[0] == label}
        counted.modules.update(dict(sorted(of_label.items())))


def as_wired(
    plan: Plan, wiring: NumberedConnections, lots: Mapping[int, tuple[CableLot, ...]]
) -> tuple[dict[int, tuple[CableLot, ...]], Quantities]:
    """Lots and counts of all links as they are wired, such as by a lock.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    wiring : NumberedConnections
        All its connections, each with its ports and its cable.
    lots : mapping of int to tuple of CableLot
        The lots of a fresh plan, of links without any connection.
    """
    connections: dict[int, Counter[tuple[object, ...]]] = defaultdict(Counter)
    recipes: dict[tuple[object, ...], Recipe | None] = {}
    for (place, number), many in Counter(zip(wiring.link, wiring.recipe, strict=True)).items():
        recipe = wiring.recipes[number]
        key = recipe.key if recipe else ()
        recipes[key] = recipe
        connections[plan.every_link[place].index][key] += many
    built = dict(lots) | {
        index: tuple(
            sorted(
                (CableLot(index, many, recipes[key]) for key, many in counts.items()),
                key=lambda lot: (
                    (lot.recipe.length_m or 0.0, lot.recipe.body.id) if lot.recipe else (inf, "")
                ),
            )
        )
        for index, counts in connections.items()
    }
    ends = (end for link in plan.every_link for end in (link.a, link.b))
    by_group = sorted(ends, key=lambda end: list(plan.groups).index(end.group))
    labels = dict.fromkeys(end.label for end in by_group)
    taken = _counted_singly(plan, wiring, labels)
    counted = Quantities(Counter(), taken.modules, taken.cages, taken.most_cages)
    for index, lots_of_link in built.items():
        for number, lot in enumerate(lots_of_link):
            if lot.recipe is not None:
                counted.bodies[index, number] = taken.bodies[index, lot.recipe.key]
    return built, counted


def _counted_singly(plan: Plan, wiring: NumberedConnections, labels: Collection[str]) -> LinkCounts:
    """Cables of connections, and cages and modules at the ends with these labels."""
    go_on(len(wiring))
    taken, names = LinkCounts(), list(labels)
    link, recipe_of = _column(wiring.link), _column(wiring.recipe)
    first = np.unique(_column(wiring.cable), return_index=True)[1]
    of_cable = zip(link[first].tolist(), recipe_of[first].tolist(), strict=True)
    for (place, number), many in Counter(of_cable).items():
        recipe = wiring.recipes[number]
        if recipe is not None:
            taken.bodies[plan.every_link[place].index, recipe.key] += many * recipe.bodies
    modules: dict[str | None, int] = {None: NO_MODULE}
    plugs: list[Numbers] = [np.zeros((4, 0), dtype=np.int64)]
    for place, one in enumerate(plan.every_link):
        rows = np.flatnonzero(link == place)
        for end, devices, ports in (
            (one.a, wiring.a, wiring.port_a),
            (one.b, wiring.b, wiring.port_b),
        ):
            if end.label not in labels:
                continue
            known = [_plug(recipe, end.group)[1] for recipe in wiring.recipes]
            numbers = np.array([modules.setdefault(module, len(modules)) for module in known])
            label = np.full(len(rows), names.index(end.label))
            cages = _cage_numbers(plan, end, _column(ports)[rows])
            module = numbers[recipe_of[rows]]
            plugs.append(np.stack([label, _column(devices)[rows], cages, module]))
    label, device, cage, module = np.concatenate(plugs, axis=1)
    size = (len(names), *(1 + int(one.max(initial=0)) for one in (device, cage, module)))
    # with indices NumPy sorts; without them it hashes, which takes ten times as long
    codes = np.ravel_multi_index((label, device, cage, module), size)
    plugged = np.unique(codes, return_index=True)[0]
    label, device, _, module = np.unravel_index(plugged, size)
    ids = list(modules)
    for (at, number), count in _counted(label, module):
        if number != NO_MODULE:
            taken.modules[names[at], str(ids[number])] = count
    label, device, _ = np.unravel_index(
        np.unique(plugged // size[3], return_index=True)[0], size[:3]
    )
    for (at, _), count in _counted(label, device):
        taken.cages[names[at]] += count
        if names[at] in plan.groups:
            taken.most_cages[names[at]] = max(taken.most_cages[names[at]], count)
    return taken


def _counted(one: Numbers, other: Numbers) -> Iterator[tuple[tuple[int, int], int]]:
    """Pairs of numbers in order, and how often each is there."""
    wide = 1 + int(other.max(initial=0))
    pairs, many = np.unique(one * wide + other, return_counts=True)
    for pair, count in zip(pairs.tolist(), many.tolist(), strict=True):
        yield divmod(pair, wide), count


def _column(values: array[int]) -> Numbers:
    return np.array(values, dtype=np.int64)


def _cage_numbers(plan: Plan, end: LinkEnd, ports: Numbers) -> Numbers:
    """The cages of ports; those of a node that share none have a number of their own."""
    if not end.ports:
        return ports // end.breakout
    shared = cage_of_port(plan.groups[end.group], end.ports)
    last = int(ports.max(initial=0))
    apart = 1 + max((cage for cage, _ in shared.values()), default=0)
    places = [shared[at][0] if at in shared else apart + at for at in range(last + 1)]
    return np.array(places, dtype=np.int64)[ports]


def _is_straight(link: LinkPlan, built: tuple[CableLot, ...], gone: Missing) -> bool:
    """Whether cables lead from one device to one other, full, and none is missing."""
    groups = (link.a.group, link.b.group)
    whole = gone.is_whole(link) and not any(gone.devices[group] for group in groups)
    recipes = [one.recipe for one in built if one.recipe is not None]
    filled = all(_fills_pairs(recipe, link) for recipe in recipes)
    return whole and filled and not link.is_self and not link.along


def _needs_single_cables(link: LinkPlan, built: tuple[CableLot, ...], gone: Missing) -> bool:
    """Whether counts per device do not say it already, as they do where pairs fill their cables."""
    shared = [one.recipe for one in built if one.recipe is not None and one.recipe.carried > 1]
    whole = gone.is_whole(link) and not link.a.ports and not link.b.ports
    filled = all(
        recipe.split_at is None and link.cables_per_pair % recipe.carried == 0 for recipe in shared
    )
    return bool(shared) and not (whole and filled)


def _fills_pairs(recipe: Recipe, link: LinkPlan) -> bool:
    """Whether full cables join two devices: of one connection, or with plugs of their own."""
    if recipe.split_at is not None:
        return False
    return recipe.carried == 1 or (
        not recipe.modules and link.cables_per_pair % recipe.carried == 0
    )
