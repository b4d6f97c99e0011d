"""Static hashing by random draws: every connection on one path, chosen evenly at each switch.

What is expected of one job alone has a closed form
(:mod:`toposmith.analysis.traffic.collisions`); where jobs meet, which cables are full
depends on where the hashes of both fall, and is drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from toposmith.analysis.traffic.single_routes import FlowRoute
from toposmith.cancellation import go_on
from toposmith.contention.cable_loads import CableLoads, LoadedCable, NicPort
from toposmith.fabric.device import Device
from toposmith.fabric.single_devices import PortCables

HashedCable = tuple[LoadedCable, int]
"""One of the equal cables between two ends, by its number."""

MOST_PATHS = 400_000
MOST_DRAWS, FEWEST_DRAWS = 32, 4
"""The most paths over all draws, some seconds' work; it limits the number of draws."""

_Step = tuple[Device | None, object, int]
"""A cable onward: the switch at its end (none where it is the NIC's), key, number in its bundle."""


def draws_of(loads: Sequence[CableLoads], queue_pairs: int) -> int:
    """How often hashes are drawn."""
    paths = sum(len(one.sent) for one in loads) * queue_pairs
    return max(FEWEST_DRAWS, min(MOST_DRAWS, MOST_PATHS // max(paths, 1)))


@dataclass
class HashedLoads:
    """Loads of connections on single cables, by random draws.

    Parameters
    ----------
    loads : CableLoads
        The connections, with all equal paths of each.
    queue_pairs : int
        Parts of a connection, each hashed by itself.
    """

    loads: CableLoads
    queue_pairs: int
    _ways: dict[tuple[PortCables, PortCables], _Ways] = field(default_factory=dict)

    def drawn(self, random: Random) -> dict[HashedCable, float]:
        """Load of every single cable, per GB/s that the job moves."""
        found: dict[HashedCable, float] = defaultdict(float)
        for connection in self.loads.sent:
            go_on()
            ways = self._ways.get(connection.cables)
            if ways is None:
                route = self.loads.route_of(connection.cables)
                ways = _Ways(self.loads, route, connection.cables)
                self._ways[connection.cables] = ways
            for _ in range(self.queue_pairs):
                for cable in ways.path(connection.start, connection.end, random):
                    found[cable] += connection.load / self.queue_pairs
        return found


class _Ways:
    """The cables onward at every switch on the way between two NICs, each as likely as another."""

    def __init__(
        self, loads: CableLoads, route: FlowRoute, cables: tuple[PortCables, PortCables]
    ) -> None:
        start, end = cables
        many = {(switch, bundle[0]): bundle[1] for switch, bundle in start}
        self._first: list[_Step] = [
            (switch, key, number)
            for switch, key in route.leaving
            for number in range(many[switch, key])
        ]
        self._onward: dict[Device, list[_Step]] = defaultdict(list)
        many = {(switch, bundle[0]): bundle[1] for switch, bundle in end}
        for switch, key in route.arriving:
            steps: Iterator[_Step] = ((None, key, number) for number in range(many[switch, key]))
            self._onward[switch] += steps
        for here, there, key in route.between:
            bundles = loads.devices.beside(here)[there]
            alike = next(alike for own, alike, _ in bundles if own == key)
            self._onward[here] += ((there, key, number) for number in range(alike))

    def path(self, start: NicPort, end: NicPort, random: Random) -> Iterator[HashedCable]:
        """One path."""
        here, key, number = random.choice(self._first)
        assert here is not None
        yield (start, here, key), number
        while True:
            there, key, number = random.choice(self._onward[here])
            if there is None:
                yield (here, end, key), number
                return
            yield (here, there, key), number
            here = there
