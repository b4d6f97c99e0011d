"""Speeds of the connections of a schedule, where ``slow:`` marks some of them."""

from __future__ import annotations

from collections import defaultdict

from toposmith.bill.numbered_connections import NumberedConnections
from toposmith.fabric.faults import Faults, Instance
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.fabric.slow_cables import SlowCables
from toposmith.racks.instances import coordinates

_MANY = 1_000_000
"""More cables than two devices have, to see how many of them selectors take."""


def running_gbit(plan: Plan, wiring: NumberedConnections) -> list[float | None]:
    """The rate of each connection, Gb/s; None where it is down. Empty where nothing is slow.

    Of the cables between two switches the last are those that are down, before them those that
    are slow, as selectors count them.
    """
    if not plan.slow:
        return []
    pairs: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row, pair in enumerate(zip(wiring.link, wiring.a, wiring.b, strict=True)):
        pairs[pair].append(row)
    found: list[float | None] = [None] * len(wiring)
    running = _Running(plan)
    for (place, a, b), rows in pairs.items():
        link = plan.every_link[place]
        ends = running.at(link.a.group, a), running.at(link.b.group, b)
        if link.a.ports or link.b.ports:
            for row in rows:
                found[row] = running.of_port(link, *ends, wiring.port_a[row], wiring.port_b[row])
        else:
            for row, gbit in zip(rows, running.of_pair(link, *ends, len(rows)), strict=False):
                found[row] = gbit
    return found


class _Running:
    """Speeds of live cables of one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._slow = SlowCables(plan)
        self._gone = Faults(plan, without_down=True)
        self._absent = Faults(plan, without_down=False)

    def at(self, name: str, number: int) -> Instance:
        group = self._plan.groups[name]
        return name, dict(zip(group.axes, coordinates(group, number), strict=True))

    def of_port(
        self, link: LinkPlan, a: Instance, b: Instance, port_a: int, port_b: int
    ) -> float | None:
        """Gb/s of the cable at a node's port, or at the ports of two; None where it is down."""
        ports = [port if end.ports else None for end, port in _ends(link, port_a, port_b)]
        gone = self._is_gone(a, b) or any(
            port is not None and self._gone.takes_port(device[0], end.ports, port, device[1])
            for device, (end, _), port in zip((a, b), _ends(link, 0, 0), ports, strict=True)
        )
        return None if gone else self._slow.gbit(link, a, b, *ports)

    def of_pair(self, link: LinkPlan, a: Instance, b: Instance, cables: int) -> list[float]:
        """Gb/s of the live ones of so many cables between two switches, in order."""
        if self._is_gone(a, b):
            return []
        dealt = cables + _MANY - self._absent.cables_left(a, b, _MANY)
        live = min(cables, self._gone.cables_left(a, b, dealt))
        speeds = self._slow.between(link, a, b, live, of=dealt) if live else {}
        return [gbit for gbit, many in reversed(speeds.items()) for _ in range(many)]

    def _is_gone(self, a: Instance, b: Instance) -> bool:
        return any(self._gone.takes_device(*each) for each in (a, b)) or self._gone.takes_cables(
            a, b
        )


def _ends(link: LinkPlan, port_a: int, port_b: int) -> tuple[tuple[LinkEnd, int], ...]:
    return (link.a, port_a), (link.b, port_b)
