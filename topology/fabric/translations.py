"""Translations that map a fabric onto itself: along rings, meshes, groups of a dragonfly.

A translation along such an axis maps every switch onto one with the same cables, so that figures of
one switch hold for all that differ from it in these axes alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from math import prod
from typing import TYPE_CHECKING

from toposmith.topology.fabric.plan import Plan

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

At = tuple[int, ...]
"""The values of a device on the axes of its group."""

Device = tuple[str, At]
"""A device: its group, and its values on the axes of that."""

AxisMove = tuple[int, ...]
"""A distance along each of the axes, in the order of :attr:`Translations.axes`."""


class Translations:
    """The translations that map the switches of a plan and their cables onto themselves.

    Nothing may be missing, slow or cabled one by one; links that join all, neighbours or others
    along an axis look the same from each of its values, and so do cables dealt over the members of
    sets from each set (the circulant arrangement), but not from each member.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.

    Attributes
    ----------
    axes : tuple of str
        The axes; none where anything distinguishes values.
    sizes : tuple of int
        How many values each has.
    """

    def __init__(self, plan: Plan) -> None:
        self._links = plan.links
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
    def _all_met(self) -> tuple[bool, ...]:
        """By axis, whether its values may change places: none is next to another or dealt to."""
        told = {
            axis
            for link in self._links
            for axis, word in link.along
            if word == "next" or link.bundle
        }
        return tuple(axis not in told for axis in self.axes)

    def like(self, distance: AxisMove) -> AxisMove:
        """The nearest distance that is like this one, where values may change places."""
        near = zip(distance, self._all_met, strict=True)
        return tuple(min(by, 1) if swapped else by for by, swapped in near)

    def swapped(self, switch: Device, distance: AxisMove) -> Device:
        """The switch whose place this one takes where :meth:`like` is taken to a distance."""
        group, values = switch[0], list(switch[1])
        for at, place in enumerate(self._places[group]):
            if place is not None and self._all_met[place[0]] and distance[place[0]]:
                one, other = 1, distance[place[0]]
                values[at] = {one: other, other: one}.get(values[at], values[at])
        return group, tuple(values)

    @cached_property
    def axes_of(self) -> Mapping[str, tuple[int, ...]]:
        """By group of switches, the places of its axes among :attr:`axes`."""
        return {
            group: tuple(place[0] for place in places if place is not None)
            for group, places in self._places.items()
        }

    def places(self, group: str) -> Sequence[tuple[int, int] | None]:
        """By axis of a group: its place among :attr:`axes` and how many values; None if in none."""
        return self._places[group]

    def __bool__(self) -> bool:
        return bool(self.axes)

    def of(self, switch: Device) -> AxisMove:
        """The move that takes the first switch of its kind to this one."""
        move = [0] * len(self.axes)
        for value, place in zip(switch[1], self._places[switch[0]], strict=True):
            if place is not None:
                move[place[0]] = value
        return tuple(move)

    def first(self, switch: Device) -> Device:
        """The first switch of the kind of this one."""
        group, at = switch
        places = self._places[group]
        return group, tuple(v if p is None else 0 for v, p in zip(at, places, strict=True))

    def back(self, move: AxisMove) -> AxisMove:
        """The move that undoes another."""
        return tuple(-by % size for by, size in zip(move, self.sizes, strict=True))

    def moved(self, switch: Device, move: AxisMove) -> Device:
        """Where a switch comes to lie."""
        group, at = switch
        places = self._places[group]
        return group, tuple(
            [
                value if place is None else (value + move[place[0]]) % place[1]
                for value, place in zip(at, places, strict=True)
            ]
        )


class MovedSums:
    """Sums of figures of cables, each known for one place of a pattern and counted at many.

    A cable is a kind, and where it lies: numbers on the axes of either of its ends.
    """

    def __init__(self, translations: Translations) -> None:
        self._translations = translations
        self._ends: dict[object, tuple[Device, Device, object]] = {}
        self._axes: dict[object, tuple[int, ...]] = {}
        self._added: dict[int, tuple[Pattern, list[AxisMove], list[float]]] = {}
        self._added_each: list[tuple[Pattern, npt.NDArray[np.intp], float]] = []

    def pattern(self, loads: Mapping[tuple[Device, Device, object], float]) -> Pattern:
        """The cables of a pattern that lies at its first place, written down for :meth:`add`."""
        by_kind: Pattern = {}
        for (u, v, key), load in loads.items():
            kind, position = self._kind(u, v, key)
            by_kind.setdefault(kind, []).append((position, load))
        return by_kind

    def add(self, pattern: Pattern, move: AxisMove, many: float) -> None:
        """Count a pattern, moved, so many times."""
        _, moves, times = self._added.setdefault(id(pattern), (pattern, [], []))
        moves.append(move)
        times.append(many)

    def add_each(self, pattern: Pattern, moves: npt.NDArray[np.intp], many: float) -> None:
        """The same for many moves, a row each, each so many times."""
        self._added_each.append((pattern, moves, many))

    def worst(self) -> Iterator[tuple[tuple[Device, Device, object], float]]:
        """The highest sum of the cables of every kind, by one cable of it."""
        for kind, sums in self._sums(one_of_each=True).items():
            yield self._ends[kind], float(sums.max())

    def cables(self) -> Mapping[tuple[Device, Device, object], float]:
        """The sum of every cable."""
        found: dict[tuple[Device, Device, object], float] = {}
        for kind, sums in self._sums().items():
            u, v, key = self._ends[kind]
            places = sums.nonzero()
            along = dict(zip(self._axes[kind], places, strict=True))
            ends = zip(self._moved_all(u, along), self._moved_all(v, along), strict=True)
            for (one, other), total in zip(ends, sums[places].tolist(), strict=True):
                found[one, other, key] = total
        return found

    def _moved_all(
        self, switch: Device, along: Mapping[int, npt.NDArray[np.intp]]
    ) -> Iterator[Device]:
        """Where a switch comes to lie by each of many moves, given by axis."""
        group, at = switch
        many = len(next(iter(along.values())))
        places = self._translations.places(group)
        columns = [
            repeat(value, many)
            if place is None
            else ((value + along[place[0]]) % place[1]).tolist()
            for value, place in zip(at, places, strict=True)
        ]
        return ((group, values) for values in zip(*columns, strict=True))

    def _sums(self, *, one_of_each: bool = False) -> dict[object, npt.NDArray[np.float64]]:
        """The sums of every kind of cable, by how far each is moved along its axes.

        If asked, those alone that others along some axis are equal to.
        """
        # here and below: a tenth of a second, and other fabrics do not need it
        import numpy as np

        sizes = np.array(self._translations.sizes, np.intp)
        sums: dict[object, npt.NDArray[np.float64]] = {}
        one_by_one = self._added.values()
        added = [
            (pattern, np.array(at, np.intp), np.array(n, float)) for pattern, at, n in one_by_one
        ]
        added += [(pattern, at, np.full(len(at), n)) for pattern, at, n in self._added_each]
        if one_of_each:
            still = [
                axis
                for axis in range(len(sizes))
                if not any(at[:, axis].any() for _, at, _ in added)
            ]
            spread = self._spread_along([pattern for pattern, _, _ in added], still)
            added = [
                ({kind: _at_first(of, spread[kind]) for kind, of in pattern.items()}, at, n)
                for pattern, at, n in added
            ]
        found: dict[object, list[tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]]] = {}
        for pattern, moves, many in added:
            for kind, entries in pattern.items():
                axes = list(self._axes[kind])
                shape = tuple(int(size) for size in sizes[axes])
                own = np.array([position for position, _ in entries], np.intp)[:, axes]
                loads = np.array([load for _, load in entries])
                step = max(1, _MOST_AT_ONCE // len(entries))
                for at in range(0, len(moves), step):
                    part = slice(at, at + step)
                    places = (moves[part, None, axes] + own) % sizes[axes]
                    flat = np.ravel_multi_index(tuple(places.reshape(-1, len(axes)).T), shape)
                    waiting = found.setdefault(kind, [])
                    waiting.append((flat, (many[part, None] * loads).ravel()))
                    if sum(len(each) for each, _ in waiting) > _MOST_AT_ONCE:
                        self._count(sums, kind, found.pop(kind))
        for kind, waiting in found.items():
            self._count(sums, kind, waiting)
        return sums

    def _spread_along(
        self, patterns: Sequence[Pattern], axes: Sequence[int]
    ) -> dict[object, tuple[int, ...]]:
        """By kind of cable, those of its axes along which each pattern loads all alike, or none."""
        spread: dict[object, tuple[int, ...]] = {}
        for pattern in patterns:
            for kind, entries in pattern.items():
                of = spread.setdefault(kind, tuple(a for a in axes if a in self._axes[kind]))
                all_along = prod(self._translations.sizes[axis] for axis in of)
                alike: dict[tuple[AxisMove, float], int] = {}
                for position, load in entries:
                    key = tuple(v for a, v in enumerate(position) if a not in of), load
                    alike[key] = alike.get(key, 0) + 1
                if any(many != all_along for many in alike.values()):
                    spread[kind] = ()
        return spread

    def _count(
        self,
        sums: dict[object, npt.NDArray[np.float64]],
        kind: object,
        found: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]],
    ) -> None:
        """Add what was found of a kind of cable, by place, to its sums."""
        import numpy as np

        shape = [self._translations.sizes[axis] for axis in self._axes[kind]]
        places, loads = (np.concatenate(each) for each in zip(*found, strict=True))
        sums.setdefault(kind, np.zeros(shape))
        sums[kind] += np.bincount(places, loads, prod(shape)).reshape(shape)

    def _kind(self, u: Device, v: Device, key: object) -> tuple[object, AxisMove]:
        """A cable's kind, and where it lies."""
        translations = self._translations
        move = list(translations.of(v))
        own, first_end = translations.axes_of[u[0]], translations.of(u)
        for axis in own:
            move[axis] = first_end[axis]
        back = translations.back(tuple(move))
        first = (translations.moved(u, back), translations.moved(v, back), key)
        self._ends.setdefault(first, first)
        self._axes.setdefault(first, tuple(sorted({*own, *translations.axes_of[v[0]]})))
        return first, tuple(move)


def _at_first(
    entries: list[tuple[AxisMove, float]], axes: tuple[int, ...]
) -> list[tuple[AxisMove, float]]:
    """The entries at the first value of each of these axes."""
    return [each for each in entries if not any(each[0][axis] for axis in axes)]


_MOST_AT_ONCE = 1_000_000
"""Cables that are counted together: some tens of megabytes."""

Pattern = dict[object, list[tuple[AxisMove, float]]]
"""By kind of cable, where each of a pattern lies, and its figure."""
