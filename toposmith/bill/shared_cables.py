"""Cables that carry several connections: which connections may share one."""

from __future__ import annotations

from toposmith.bill.link_cages import cage_of_port
from toposmith.bill.recipes import Recipe
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.racks.connections import PortPair

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


def _cage(plan: Plan, end: LinkEnd, port: int) -> int:
    if not end.ports:
        return -1
    return cage_of_port(plan.groups[end.group], end.ports).get(port, (port, 0))[0]
