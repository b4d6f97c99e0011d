"""The fabrics of one node shown alone: compute, storage, in-band, each by its slot group."""

from __future__ import annotations

from dataclasses import replace

from toposmith.design.document import Link
from toposmith.fabric.plan import Plan, PortGroup

_NOWHERE = Link(between=("", ""))
"""Stands for a link that is not shown, so that the others keep their places."""


def layers_of(plan: Plan) -> list[str]:
    """The slot groups of all nodes, each once, in the order in which parts have them."""
    names = (name for group in plan.groups.values() if group.host for name in group.port_groups)
    return list(dict.fromkeys(names))


def next_layer(plan: Plan, layer: str | None) -> str | None:
    """The layer after this one; None is all of them together."""
    order = [None, *layers_of(plan)]
    at = order.index(layer) if layer in order else 0
    return order[(at + 1) % len(order)]


def layer_links(plan: Plan, layer: str) -> set[int]:
    """The links of a layer: those at its slots, and those that switches reached by them share."""
    ends = {
        index: [end.partition(".") for end in link.between]
        for index, link in enumerate(plan.design.links)
    }
    found = {index for index, sides in ends.items() if any(slots == layer for _, _, slots in sides)}
    reached = {name for index in found for name, _, slots in ends[index] if not slots}
    while True:
        more = {
            index
            for index, sides in ends.items()
            if index not in found
            and not any(slots for _, _, slots in sides)
            and any(name in reached for name, _, _ in sides)
        }
        if not more:
            return found
        found |= more
        reached |= {name for index in more for name, _, _ in ends[index]}


def layered(plan: Plan, layer: str | None) -> Plan:
    """The plan with one layer only: its links, the groups that they join, and its slots."""
    if layer is None:
        return plan
    shown = layer_links(plan, layer)
    links = tuple(
        link if index in shown else _NOWHERE for index, link in enumerate(plan.design.links)
    )
    joined = {end.partition(".")[0] for index in shown for end in links[index].between}
    groups = {
        name: group if group.switch else replace(group, port_groups=_one(group.port_groups, layer))
        for name, group in plan.groups.items()
        if name in joined or layer in group.port_groups
    }
    return replace(
        plan,
        design=plan.design.model_copy(update={"links": links}),
        groups=groups,
        links=tuple(link for link in plan.links if link.index in shown),
    )


def _one(port_groups: dict[str, PortGroup], layer: str) -> dict[str, PortGroup]:
    return {name: ports for name, ports in port_groups.items() if name == layer}
