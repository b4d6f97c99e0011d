"""Counts for links with different cables, cable by cable as in the cable schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from toposmith.bill.cable_lots import CableLot, shares_unlike
from toposmith.bill.link_cages import cage_of_port
from toposmith.bill.link_counts import LinkCounts
from toposmith.bill.link_parts import Chooser
from toposmith.bill.numbered_connections import wired
from toposmith.bill.quantities import Quantities
from toposmith.bill.recipes import Recipe
from toposmith.cancellation import go_on
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.racks.connections import Missing, missing
from toposmith.racks.placement import Placement


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
    split = {index for index, built in lots.items() if any(map(_splits, built))}
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
        from toposmith.bill.straight_counts import count_straight

        taken = count_straight(plan, beside.values(), labels, placement, chooser)
    if taken is None:
        taken = _one_by_one(plan, set(beside), labels, placement, chooser)
    numbers = {
        (index, one.recipe.key): number
        for index in singly
        for number, one in enumerate(lots[index])
        if one.recipe is not None
    }
    for key in [key for key in counted.bodies if key[0] in singly]:
        del counted.bodies[key]
    for (index, recipe), cables in taken.bodies.items():
        if index in singly:
            counted.bodies[index, numbers[index, recipe]] += cables
    for label in labels:
        counted.cages[label] = taken.cages[label]
        counted.most_cages[label] = taken.most_cages[label]
    for placed in [key for key in counted.modules if key[0] in labels]:
        del counted.modules[placed]
    for label in labels:
        of_label = {key: many for key, many in taken.modules.items() if key[0] == label}
        counted.modules.update(dict(sorted(of_label.items())))


def _one_by_one(
    plan: Plan, links: set[int], labels: Collection[str], placement: Placement, chooser: Chooser
) -> LinkCounts:
    """Cables of links, and cages and modules at the ends with these labels, cable by cable."""
    wiring = wired(plan, placement, chooser, links)
    taken = LinkCounts()
    cages: set[tuple[str, int, tuple[int, ...]]] = set()
    modules: set[tuple[str, int, tuple[int, ...], str]] = set()
    seen: set[int] = set()
    for at, place in enumerate(wiring.link):
        go_on()
        link, recipe = plan.every_link[place], wiring.recipes[wiring.recipe[at]]
        if recipe is not None and wiring.cable[at] not in seen:
            seen.add(wiring.cable[at])
            taken.bodies[link.index, recipe.key] += recipe.bodies
        for end, device, port in (
            (link.a, wiring.a[at], wiring.port_a[at]),
            (link.b, wiring.b[at], wiring.port_b[at]),
        ):
            if end.label not in labels:
                continue
            cage = (port // end.breakout,) if not end.ports else _place(plan, end, port)
            cages.add((end.label, device, cage))
            module = recipe.module_at(end.group) if recipe else None
            if module is not None:
                modules.add((end.label, device, cage, module.id))
    taken.cages.update(label for label, *_ in cages)
    at_switches = Counter((label, at) for label, at, _ in cages if label in plan.groups)
    for (label, _), many in at_switches.items():
        taken.most_cages[label] = max(taken.most_cages[label], many)
    taken.modules.update((label, module_id) for label, _, _, module_id in modules)
    return taken


def _is_straight(link: LinkPlan, built: tuple[CableLot, ...], gone: Missing) -> bool:
    """Whether cables lead from one device to one other, full, and none is missing."""
    groups = (link.a.group, link.b.group)
    whole = gone.is_whole(link) and not any(gone.devices[group] for group in groups)
    recipes = [one.recipe for one in built if one.recipe is not None]
    filled = all(_fills_pairs(recipe, link) for recipe in recipes)
    return whole and filled and not link.is_self and not link.along


def _splits(lot: CableLot) -> bool:
    return lot.recipe is not None and lot.recipe.split_at is not None


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


def _place(plan: Plan, end: LinkEnd, port: int) -> tuple[int, ...]:
    """The cage of a port of a node; one of its own where it shares none."""
    shared = cage_of_port(plan.groups[end.group], end.ports).get(port)
    return (shared[0],) if shared else (-1, port)
