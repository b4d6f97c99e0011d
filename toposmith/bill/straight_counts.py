"""Counts for complete links of straight cables, with arrays, as in the cable schedule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from toposmith.bill.link_cages import cage_of_port
from toposmith.bill.link_counts import LinkCounts
from toposmith.bill.link_parts import Chooser
from toposmith.bill.recipes import Recipe
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan
from toposmith.racks.pair_lengths import pairs_of
from toposmith.racks.placement import Placement

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
