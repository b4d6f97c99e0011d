"""Ports of switches that a design types in ``cables:``, which a lock honours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from toposmith.fabric.plan import Plan, PlannedCable
from toposmith.racks.connections import Numbers, number_of


def cables_with_typed_ports(plan: Plan) -> list[PlannedCable]:
    """Single cables for which the design types the port of a switch."""
    return [
        cable
        for cable in plan.single_cables
        if any(not end.ports and end.port is not None for end in (cable.a, cable.b))
    ]


def typed_ports(plan: Plan, joined: Sequence[Numbers]) -> dict[tuple[int, int, int], int]:
    """Ports of switches that ``cables:`` types, by place of the link, connection and end.

    Parameters
    ----------
    plan : Plan
        The design.
    joined : sequence of array of int
        By link, the devices and ports of nodes of its connections.
    """
    places = {link.index: place for place, link in enumerate(plan.every_link)}
    free: dict[int, dict[tuple[int, ...], list[int]]] = {}
    pins: dict[tuple[int, int, int], int] = {}
    for cable in cables_with_typed_ports(plan):
        sides, place = (cable.a, cable.b), places[cable.link]
        if place not in free:
            free[place] = defaultdict(list)
            for at, key in enumerate(joined[place].T.tolist()):
                free[place][tuple(key)].append(at)
        numbers = (number_of(plan.groups[end.group], end.at) for end in sides)
        nodes = (end.port if end.ports and end.port is not None else -1 for end in sides)
        alike = free[place][*numbers, *nodes]
        if alike:
            at = alike.pop(0)
            for side, end in enumerate(sides):
                if not end.ports and end.port is not None:
                    pins[place, at, side] = end.port
    return pins
