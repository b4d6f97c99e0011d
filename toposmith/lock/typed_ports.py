"""Ports of switches that a design types in ``cables:``, which a lock honours."""

from __future__ import annotations

from collections import defaultdict

from toposmith.bill.numbered_connections import NumberedConnections
from toposmith.fabric.plan import Plan, PlannedCable
from toposmith.racks.connections import number_of


def cables_with_typed_ports(plan: Plan) -> list[PlannedCable]:
    """Single cables for which the design types the port of a switch."""
    return [
        cable
        for cable in plan.single_cables
        if any(not end.ports and end.port is not None for end in (cable.a, cable.b))
    ]


def typed_ports(plan: Plan, wiring: NumberedConnections) -> dict[tuple[int, int], int]:
    """Ports of switches that ``cables:`` types, by connection and end."""
    typed = cables_with_typed_ports(plan)
    if not typed:
        return {}
    places = {link.index: place for place, link in enumerate(plan.every_link)}
    free: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for at, key in enumerate(zip(wiring.link, wiring.a, wiring.b, strict=True)):
        free[key].append(at)
    pins: dict[tuple[int, int], int] = {}
    for cable in typed:
        sides = (cable.a, cable.b)
        a, b = (number_of(plan.groups[end.group], end.at) for end in sides)
        dealt = (wiring.port_a, wiring.port_b)
        of_pair = free[places[cable.link], a, b]
        fitting = (
            at
            for at in of_pair
            if all(not end.ports or dealt[n][at] == end.port for n, end in enumerate(sides))
        )
        pinned = next(fitting, None)
        if pinned is not None:
            of_pair.remove(pinned)
            for side, end in enumerate(sides):
                if not end.ports and end.port is not None:
                    pins[pinned, side] = end.port
    return pins
