"""Cables that carry several connections, one by one: which connections may share one.

The cable schedule lists them so, and the bill counts them so where the cables of one link differ in
length; everywhere else counts follow from how many connections a device has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import ceil

from toposmith.topology.bill.cable_lots import CableLot
from toposmith.topology.bill.link_cages import cage_of_port
from toposmith.topology.bill.link_parts import Chooser
from toposmith.topology.bill.recipes import Recipe
from toposmith.topology.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.topology.racks.connections import Missing, PortPair, connections, missing
from toposmith.topology.racks.lengths import CableLengths
from toposmith.topology.racks.placement import Placement

SharedBy = tuple[object, ...]


def shared_by(plan: Plan, link: LinkPlan, connection: PortPair, recipe: Recipe | None) -> SharedBy:
    """What connections that share a cable have in common: a pair, or the device that splits."""
    a, b, port_a, port_b = connection
    if recipe is None or recipe.carried == 1:
        return connection
    cage_a, cage_b = _cage(plan, link.a, port_a), _cage(plan, link.b, port_b)
    if recipe.split_at is None:
        return a, b, cage_a, cage_b
    return (a, cage_a) if recipe.split_at == link.a.group else (b, cage_b)


def shared_bodies(
    plan: Plan,
    lots: Mapping[int, tuple[CableLot, ...]],
    placement: Placement,
    chooser: Chooser,
) -> Counter[tuple[int, int]]:
    """Cables of the links whose cables differ in length and carry several connections each.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    lots : mapping of int to tuple of CableLot
        What builds every link.
    placement : Placement
        Where devices stand.
    chooser : Chooser
        Chose the parts of the lots.

    Returns
    -------
    counter of (int, int)
        Cables by link index and number of the lot, of those links alone.
    """
    found: Counter[tuple[int, int]] = Counter()
    gone = missing(plan)
    singly = {
        link.index
        for link in plan.every_link
        if (len(lots[link.index]) > 1 or link.index in gone.cables)
        and _needs_single_cables(link, lots[link.index], gone)
    }
    split = {index for index, built in lots.items() if any(map(_splits, built))}
    if singly & split:
        singly |= split  # these may share their splitters
    left: Counter[tuple[object, ...]] = Counter()
    for link in plan.every_link:
        if link.index in singly:
            shared = _shared(plan, link, lots[link.index], placement, chooser, gone, left)
            found |= Counter({(link.index, number): many for number, many in shared.items()})
    return found


def _splits(lot: CableLot) -> bool:
    return lot.recipe is not None and lot.recipe.split_at is not None


def splitter_of(
    plan: Plan, link: LinkPlan, recipe: Recipe, device: int
) -> tuple[object, ...] | None:
    """What links that share a splitter have in common: its switch, mode, part and length.

    None where it splits at a node, or what it splits is no splitter.
    """
    if recipe.split_at is None or link.is_self or plan.groups[recipe.split_at].switch is None:
        return None
    mode = (link.speed_gbit, link.end_of(recipe.split_at).breakout)
    return recipe.split_at, device, *recipe.of_splitter, mode


def _needs_single_cables(link: LinkPlan, built: tuple[CableLot, ...], gone: Missing) -> bool:
    """Whether counts per device do not say it already, as they do where pairs fill their cables."""
    shared = [one.recipe for one in built if one.recipe is not None and one.recipe.carried > 1]
    whole = gone.is_whole(link) and not link.a.ports and not link.b.ports
    filled = all(
        recipe.split_at is None and link.cables_per_pair % recipe.carried == 0 for recipe in shared
    )
    return bool(shared) and not (whole and filled)


def _shared(
    plan: Plan,
    link: LinkPlan,
    built: tuple[CableLot, ...],
    placement: Placement,
    chooser: Chooser,
    gone: Missing,
    left: Counter[tuple[object, ...]],
) -> Counter[int]:
    """Cables by number of the lot; ``left`` are legs of splitters that links before have left."""
    measure = CableLengths(placement)
    numbers = {(one.recipe.key if one.recipe else ()): number for number, one in enumerate(built)}
    chosen: dict[tuple[float, bool] | None, Recipe | None] = {}
    legs: dict[tuple[int, SharedBy], int] = defaultdict(int)
    recipes: dict[int, Recipe] = {}
    for connection in connections(plan, link, gone):
        length = measure.between(link.a.group, connection[0], link.b.group, connection[1])
        if length not in chosen:
            chosen[length] = chooser.parts(link, *(length or (None, None)))[0]
        recipe = chosen[length]
        if recipe is not None:
            number = numbers[recipe.key]
            recipes[number] = recipe
            legs[number, shared_by(plan, link, connection, recipe)] += 1
    found: Counter[int] = Counter()
    for (number, (device, *_)), many in legs.items():
        recipe = recipes[number]
        assert isinstance(device, int)
        splitter = splitter_of(plan, link, recipe, device)
        taken = min(many, left[splitter]) if splitter is not None else 0
        new = ceil((many - taken) / recipe.carried)
        if splitter is not None:
            left[splitter] += new * recipe.carried - many
        found[number] += new * recipe.bodies
    return found


def _cage(plan: Plan, end: LinkEnd, port: int) -> int:
    if not end.ports:
        return -1
    return cage_of_port(plan.groups[end.group], end.ports).get(port, (port, 0))[0]
