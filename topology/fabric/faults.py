"""What is not there: devices, ports and cables that ``absent:`` and ``down:`` take away."""

from __future__ import annotations

from toposmith.topology.design.selectors import Selection, Selector
from toposmith.topology.fabric.dealing import Coordinates
from toposmith.topology.fabric.plan import Plan

Instance = tuple[str, Coordinates]
"""A group and the coordinates of one of its instances."""


class Faults:
    """The selectors of a plan, asked one instance at a time.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    with_down : bool
        Whether what is ``down:`` is gone like what is absent.

    Attributes
    ----------
    devices : frozenset of str
        Groups of which instances are gone; most groups have nothing to ask for.
    ports : frozenset of str
        Groups of which single ports are gone.
    cables : frozenset of frozenset of str
        Pairs of groups between which cables are gone.
    """

    def __init__(self, plan: Plan, *, with_down: bool) -> None:
        gone = (*plan.absent, *(plan.down if with_down else ()))
        self._cables = [s for s in gone if s.is_cable]
        self._ports = [s.first for s in gone if s.first.ports is not None]
        self._devices = [s.first for s in gone if not s.is_cable and s.first.ports is None]
        self.devices = frozenset(selection.group for selection in self._devices)
        self.ports = frozenset(selection.group for selection in self._ports)
        self.cables = frozenset(
            frozenset((s.first.group, s.second.group)) for s in gone if s.second is not None
        )

    @property
    def any(self) -> bool:
        """Whether anything is gone at all."""
        return bool(self._devices or self._ports or self._cables)

    def takes_device(self, group: str, coordinates: Coordinates) -> bool:
        """Whether an instance is gone."""
        return any(selects(selection, (group, coordinates)) for selection in self._devices)

    def takes_port(self, group: str, ports: str, port: int, coordinates: Coordinates) -> bool:
        """Whether one port of an instance is gone."""
        return any(
            selection.ports == ports
            and selection.port in (None, port)
            and selects(selection, (group, coordinates))
            for selection in self._ports
        )

    def takes_cables(self, first: Instance, second: Instance) -> bool:
        """Whether all cables between two instances are gone."""
        return any(
            selector.cables is None and joins(selector, first, second) for selector in self._cables
        )

    def cables_left(self, first: Instance, second: Instance, cables: int) -> int:
        """How many of so many cables between two instances are there."""
        gone = 0
        for selector in self._cables:
            if joins(selector, first, second):
                gone += cables if selector.cables is None else selector.cables
        return max(0, cables - gone)


def joins(selector: Selector, first: Instance, second: Instance) -> bool:
    """Whether a selector of cables means those between two instances."""
    return any(
        selects(selector.first, one) and selects(selector.second, other)
        for one, other in ((first, second), (second, first))
    )


def selects(selection: Selection | None, instance: Instance) -> bool:
    """Whether a selection has this instance among its own, whatever its ports."""
    group, coordinates = instance
    return selection is not None and selection.group == group and selection.matches(coordinates)
