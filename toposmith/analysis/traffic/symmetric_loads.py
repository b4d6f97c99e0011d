"""Loads of cables, from traffic patterns that repeat along the axes of symmetry of a fabric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from math import prod
from typing import TYPE_CHECKING

from toposmith.fabric.axis_symmetry import AxisSymmetry, Shift
from toposmith.fabric.device import Device

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_MOST_AT_ONCE = 1_000_000
"""Cables that are counted together: some tens of megabytes."""

Pattern = dict[object, list[tuple[Shift, float]]]
"""By kind of cable, where each of a pattern lies, and its load."""


class SymmetricLoads:
    """Sums of loads of cables, each pattern known at one place and counted at many.

    A cable is a kind, and where it lies: numbers on the axes of either of its ends.

    Parameters
    ----------
    symmetry : AxisSymmetry
        The axes along which patterns repeat.
    """

    def __init__(self, symmetry: AxisSymmetry) -> None:
        self._symmetry = symmetry
        self._ends: dict[object, tuple[Device, Device, object]] = {}
        self._axes: dict[object, tuple[int, ...]] = {}
        self._added: dict[int, tuple[Pattern, list[Shift], list[float]]] = {}

    def pattern(self, loads: Mapping[tuple[Device, Device, object], float]) -> Pattern:
        """The cables of a pattern that lies at its first place, written down for :meth:`add`."""
        by_kind: Pattern = {}
        for (u, v, key), load in loads.items():
            kind, position = self._kind(u, v, key)
            by_kind.setdefault(kind, []).append((position, load))
        return by_kind

    def add(self, pattern: Pattern, move: Shift, many: float) -> None:
        """Count a pattern, moved, so many times."""
        _, moves, times = self._added.setdefault(id(pattern), (pattern, [], []))
        moves.append(move)
        times.append(many)

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
        places = self._symmetry.places(group)
        columns = [
            repeat(value, many)
            if place is None
            else ((value + along[place[0]]) % place[1]).tolist()
            for value, place in zip(at, places, strict=True)
        ]
        return ((group, values) for values in zip(*columns, strict=True))

    def _sums(self) -> dict[object, npt.NDArray[np.float64]]:
        """The sums of every kind of cable, by how far each is moved along its axes."""
        # here and below: a tenth of a second, and other fabrics do not need it
        import numpy as np

        sizes = np.array(self._symmetry.sizes, np.intp)
        sums: dict[object, npt.NDArray[np.float64]] = {}
        added = [
            (pattern, np.array(at, np.intp), np.array(many, float))
            for pattern, at, many in self._added.values()
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

    def _count(
        self,
        sums: dict[object, npt.NDArray[np.float64]],
        kind: object,
        found: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]],
    ) -> None:
        """Add what was found of a kind of cable, by place, to its sums."""
        import numpy as np

        shape = [self._symmetry.sizes[axis] for axis in self._axes[kind]]
        places, loads = (np.concatenate(each) for each in zip(*found, strict=True))
        sums.setdefault(kind, np.zeros(shape))
        sums[kind] += np.bincount(places, loads, prod(shape)).reshape(shape)

    def _kind(self, u: Device, v: Device, key: object) -> tuple[object, Shift]:
        """A cable's kind, and where it lies."""
        symmetry = self._symmetry
        move = list(symmetry.shift_to(v))
        own, first_end = symmetry.axes_of[u[0]], symmetry.shift_to(u)
        for axis in own:
            move[axis] = first_end[axis]
        back = symmetry.back(tuple(move))
        first = (symmetry.moved(u, back), symmetry.moved(v, back), key)
        self._ends.setdefault(first, first)
        self._axes.setdefault(first, tuple(sorted({*own, *symmetry.axes_of[v[0]]})))
        return first, tuple(move)
