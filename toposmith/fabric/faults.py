"""Devices, ports and cables removed by ``absent:`` and ``down:``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from toposmith.design.selectors import Selection, Selector
from toposmith.fabric.dealing import Coordinates
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, Plan

Instance = tuple[str, Coordinates]
"""A group and the coordinates of one of its instances."""


_Place = tuple[str, tuple[int, ...] | None]
"""A group, and the values of one device on its axes; None for any."""

Entry = TypeVar("Entry")


class CablesByEnds(Generic[Entry]):
    """Entries of a design for cables between two devices, looked up by these.

    Of hundreds of entries most name one pair each.

    Parameters
    ----------
    groups : mapping of str to GroupPlan
        The groups of the design.
    """

    def __init__(self, groups: Mapping[str, GroupPlan]) -> None:
        self._groups = groups
        self._at: dict[_Place, dict[_Place, list[tuple[Selector, Entry]]]] = defaultdict(dict)

    def add(self, selector: Selector, entry: Entry) -> None:
        """Add what an entry says of the cables that its selector names by both ends."""
        assert selector.second is not None
        first, second = (place_of(self._groups, each) for each in (selector.first, selector.second))
        for one, other in {(first, second), (second, first)}:
            self._at[one].setdefault(other, []).append((selector, entry))

    @property
    def groups(self) -> frozenset[frozenset[str]]:
        """Pairs of groups between which there are such cables."""
        return frozenset(
            frozenset((first, second))
            for (first, _), others in self._at.items()
            for second, _ in others
        )

    def may_be_at(self, group: str, at: tuple[int, ...]) -> bool:
        """Whether there is anything to ask for at an instance, by its values."""
        return (group, at) in self._at or (group, None) in self._at

    def between(self, first: Instance, second: Instance) -> Iterator[Entry]:
        """The entries for cables between two instances, as the design has them for each place."""
        if not self._at:
            return
        for one in places_of(self._groups, first):
            others = self._at.get(one)
            for other in places_of(self._groups, second) if others else ():
                for selector, entry in others.get(other, ()) if others else ():
                    if joins(selector, first, second):
                        yield entry


class Faults:
    """Queries of a plan's selectors, one instance at a time.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    without_down : bool
        Whether ``down:`` counts like ``absent:``.

    Attributes
    ----------
    devices : frozenset of str
        Groups with missing instances; other groups need no queries.
    ports : frozenset of str
        Groups of which single ports are gone.
    cables : frozenset of frozenset of str
        Pairs of groups between which cables are gone.
    """

    def __init__(self, plan: Plan, *, without_down: bool) -> None:
        self._groups = plan.groups
        gone = (*plan.absent, *(plan.down if without_down else ()))
        # of hundreds of selectors most name one device each, or one pair: these are looked up
        self._devices: dict[_Place, list[Selection]] = defaultdict(list)
        self._ports: dict[_Place, list[Selection]] = defaultdict(list)
        self._cables = CablesByEnds[Selector](plan.groups)
        for selector in gone:
            if selector.second is not None:
                self._cables.add(selector, selector)
                continue
            of_kind = self._devices if selector.first.ports is None else self._ports
            of_kind[place_of(plan.groups, selector.first)].append(selector.first)
        self.devices = frozenset(group for group, _ in self._devices)
        self.ports = frozenset(group for group, _ in self._ports)
        self.cables = self._cables.groups

    @property
    def any(self) -> bool:
        """Whether anything is gone at all."""
        return bool(self._devices or self._ports or self.cables)

    def ranged(self, group: str) -> int:
        """How many entries are gone through for each device of a group: they name several."""
        return len(self._devices.get((group, None), ()))

    def takes_device(self, group: str, coordinates: Coordinates) -> bool:
        """Whether an instance is gone."""
        return bool(self._devices) and any(
            selects(selection, (group, coordinates))
            for place in places_of(self._groups, (group, coordinates))
            for selection in self._devices.get(place, ())
        )

    def takes_port(self, group: str, ports: str, port: int, coordinates: Coordinates) -> bool:
        """Whether one port of an instance is gone."""
        return any(
            selection.ports == ports and selection.port in (None, port)
            for selection in self.ports_gone(group, coordinates)
        )

    def ports_gone(self, group: str, coordinates: Coordinates) -> list[Selection]:
        """Selections that remove ports of an instance."""
        if not self._ports:
            return []
        return [
            selection
            for place in places_of(self._groups, (group, coordinates))
            for selection in self._ports.get(place, ())
            if selects(selection, (group, coordinates))
        ]

    def may_take_cables(self, group: str, at: tuple[int, ...]) -> bool:
        """Whether there is anything to ask for of the cables of an instance, by its values."""
        return self._cables.may_be_at(group, at)

    def takes_cables(self, first: Instance, second: Instance) -> bool:
        """Whether all cables between two instances are gone."""
        return any(selector.cables is None for selector in self._cables.between(first, second))

    def cables_left(self, first: Instance, second: Instance, cables: int) -> int:
        """The remaining number of cables between two instances."""
        gone = 0
        for selector in self._cables.between(first, second):
            gone += cables if selector.cables is None else selector.cables
        return max(0, cables - gone)


faults_of = once(Faults)
"""The selectors of a plan, worked out once."""


def place_of(groups: Mapping[str, GroupPlan], selection: Selection) -> _Place:
    """The one device that a selection names by all its axes; else its group alone."""
    return selection.group, one_device(selection, groups[selection.group])


def places_of(groups: Mapping[str, GroupPlan], instance: Instance) -> tuple[_Place, _Place]:
    """Where entries for an instance may be kept."""
    group, coordinates = instance
    axes = groups[group].axes
    return (group, None), (group, tuple([coordinates[axis] for axis in axes]))


def one_device(selection: Selection, group: GroupPlan) -> tuple[int, ...] | None:
    """The values of the one device that a selection names on all axes of its group, or None.

    An axis with a single value need not be named.
    """
    named = {axis: low for axis, low, high in selection.ranges if low == high}
    at: list[int] = []
    for axis, size in zip(group.axes, group.sizes, strict=True):
        value = named.get(axis, 0 if size == 1 else None)
        if value is None:
            return None
        at.append(value)
    return tuple(at)


def joins(selector: Selector, first: Instance, second: Instance) -> bool:
    """Whether a selector of cables means those between two instances."""
    return any(
        selects(selector.first, one) and selects(selector.second, other)
        for one, other in ((first, second), (second, first))
    )


def selects(selection: Selection | None, instance: Instance) -> bool:
    """Whether a selection includes this instance, regardless of ports."""
    group, coordinates = instance
    return selection is not None and selection.group == group and selection.matches(coordinates)
