"""Axes along which a fabric may be moved without changing it: rings, meshes, groups of a dragonfly.

Moved by one value along such an axis every switch comes to lie on another one with the same cables,
so that what is known of one switch is known of all that differ from it in these axes alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from toposmith.topology.fabric.plan import Plan

At = tuple[int, ...]
"""The values of a device on the axes of its group."""

Device = tuple[str, At]
"""A device: its group, and its values on the axes of that."""

Move = tuple[int, ...]
"""How far something is moved along each of the axes, in the order of :attr:`Translations.axes`."""


class Translations:
    """The moves that leave the switches of a plan and the cables between them as they are.

    Nothing may be missing, slow or cabled one by one; links that join all, neighbours or others
    along an axis look the same from each of its values, and so do cables dealt over the members of
    sets from each set (the circulant arrangement), but not from each member.

    Parameters
    ----------
    plan : Plan
        The design, understood.

    Attributes
    ----------
    axes : tuple of str
        The axes; none where anything tells values apart.
    sizes : tuple of int
        How many values each has.
    """

    def __init__(self, plan: Plan) -> None:
        whole = not (plan.absent or plan.down or plan.slow or plan.single_cables)
        dealt = {axis for link in plan.links for axis, word in link.along if word == "dealt"}
        switches = [group for group in plan.groups.values() if group.switch]
        sizes = {
            axis: size
            for group in switches
            for axis, size in zip(group.axes, group.sizes, strict=True)
            if whole and axis not in dealt
        }
        self.axes = tuple(sizes)
        self.sizes = tuple(sizes.values())
        # of each axis of a group: its place among the axes and how many values, or None
        self._places: dict[str, list[tuple[int, int] | None]] = {
            group.name: [
                (self.axes.index(axis), sizes[axis]) if axis in sizes else None
                for axis in group.axes
            ]
            for group in switches
        }

    @cached_property
    def axes_of(self) -> Mapping[str, tuple[int, ...]]:
        """By group of switches, the places of its axes among :attr:`axes`."""
        return {
            group: tuple(place[0] for place in places if place is not None)
            for group, places in self._places.items()
        }

    def __bool__(self) -> bool:
        return bool(self.axes)

    def of(self, switch: Device) -> Move:
        """The move that takes the first switch of its kind to this one."""
        move = [0] * len(self.axes)
        for value, place in zip(switch[1], self._places[switch[0]], strict=True):
            if place is not None:
                move[place[0]] = value
        return tuple(move)

    def back(self, move: Move) -> Move:
        """The move that undoes another."""
        return tuple(-by % size for by, size in zip(move, self.sizes, strict=True))

    def moved(self, switch: Device, move: Move) -> Device:
        """Where a switch comes to lie."""
        group, at = switch
        return group, tuple(
            value if place is None else (value + move[place[0]]) % place[1]
            for value, place in zip(at, self._places[group], strict=True)
        )


class MovedSums:
    """Sums of figures of cables, each known for one place of a pattern and counted at many.

    A cable is a kind, and where it lies: numbers on the axes of either of its ends, written with
    room for twice their values so that moving it is one addition.
    """

    def __init__(self, translations: Translations) -> None:
        self._translations = translations
        self._strides: list[int] = []
        stride = 1
        for size in translations.sizes:
            self._strides.append(stride)
            stride *= 2 * size
        self._sums: dict[object, dict[int, float]] = {}
        self._ends: dict[object, tuple[Device, Device, object]] = {}

    def pattern(self, loads: Mapping[tuple[Device, Device, object], float]) -> Pattern:
        """The cables of a pattern that lies at its first place, written down for :meth:`add`."""
        by_kind: dict[tuple[object, tuple[int, ...]], list[tuple[int, float]]] = {}
        for (u, v, key), load in loads.items():
            kind, axes, position = self._kind(u, v, key)
            by_kind.setdefault((kind, axes), []).append((position, load))
        return [
            (self._sums.setdefault(kind, {}), axes, entries)
            for (kind, axes), entries in by_kind.items()
        ]

    def add(self, pattern: Pattern, move: Move, many: float) -> None:
        """Count a pattern, moved, so many times."""
        for sums, axes, entries in pattern:
            by = sum(move[axis] * self._strides[axis] for axis in axes)
            for position, load in entries:
                at = position + by
                sums[at] = sums.get(at, 0.0) + load * many

    def worst(self) -> Iterator[tuple[tuple[Device, Device, object], float]]:
        """The highest sum of the cables of every kind, by one cable of it."""
        around = [
            (stride, size, 2 * size, size * stride)
            for stride, size in zip(self._strides, self._translations.sizes, strict=True)
            if size > 1
        ]
        for kind, sums in self._sums.items():
            placed: dict[int, float] = {}
            for position, load in sums.items():
                at = position
                for stride, size, room, turn in around:
                    if at // stride % room >= size:
                        at -= turn
                placed[at] = placed.get(at, 0.0) + load
            yield self._ends[kind], max(placed.values(), default=0.0)

    def cables(self) -> Mapping[tuple[Device, Device, object], float]:
        """The sum of every cable."""
        found: dict[tuple[Device, Device, object], float] = {}
        moved = self._translations.moved
        for kind, sums in self._sums.items():
            u, v, key = self._ends[kind]
            for position, load in sums.items():
                move = tuple(
                    position // stride % (2 * size)
                    for stride, size in zip(self._strides, self._translations.sizes, strict=True)
                )
                cable = (moved(u, move), moved(v, move), key)
                found[cable] = found.get(cable, 0.0) + load
        return found

    def _kind(self, u: Device, v: Device, key: object) -> tuple[object, tuple[int, ...], int]:
        """A cable's kind, the axes that it lies along, and where."""
        translations = self._translations
        move = list(translations.of(v))
        own, first_end = translations.axes_of[u[0]], translations.of(u)
        for axis in own:
            move[axis] = first_end[axis]
        axes = tuple(sorted({*own, *translations.axes_of[v[0]]}))
        back = translations.back(tuple(move))
        first = (translations.moved(u, back), translations.moved(v, back), key)
        self._ends.setdefault(first, first)
        return first, axes, sum(move[axis] * self._strides[axis] for axis in axes)


Pattern = list[tuple[dict[int, float], tuple[int, ...], list[tuple[int, float]]]]
"""By kind of cable: its sums so far, the axes that it lies along, and positions with figures."""
