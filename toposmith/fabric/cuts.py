"""Axes cut into cells: values that differ in something, and all the others together.

Devices with coordinates in the same cells are equivalent and become one vertex of the class
graph. Cells are unions of intervals, so that an axis of 100,000 values takes no longer than
one of ten.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from toposmith.cancellation import go_on
from toposmith.intervals import Interval, joined_intervals

Cells = tuple[int, ...]
"""The cells that a device lies in: one number for each of its group's axes."""


@dataclass(frozen=True)
class AxisCell:
    """Equivalent values of an axis; ``first`` represents them."""

    intervals: tuple[Interval, ...]

    @property
    def first(self) -> int:
        """The smallest value: the representative of the cell."""
        return self.intervals[0][0]

    @property
    def size(self) -> int:
        """How many values lie in the cell."""
        return sum(high - low + 1 for low, high in self.intervals)

    def values(self) -> Iterator[int]:
        """Every value in the cell."""
        for low, high in self.intervals:
            yield from range(low, high + 1)

    def __contains__(self, value: int) -> bool:
        return any(low <= value <= high for low, high in self.intervals)


RING, AROUND, SINGLE = "ring", "around", "single"
"""How an axis is cut beyond the sets: so that values of a cell have equivalent neighbours on a
ring; into single values as soon as one differs; always into single values."""

_LONG_RING = 2000
"""Values of a ring beyond which it is cut into single ones rather than searched for mirrors."""


class Cuts:
    """Every axis of a design with its cells, immutable; :meth:`refined` makes a finer one.

    ``kinds`` says of axes that links join devices along how their cells have to be finer, so that
    every value of a cell meets as many values of each other one.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        sets: Mapping[str, frozenset[frozenset[Interval]]],
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        self.sizes = dict(sizes)
        self._sets = dict(sets)
        self._kinds = dict(kinds or {})
        self._cells = {
            axis: _finer(_cells(size, self._sets.get(axis)), size, self._kinds.get(axis))
            for axis, size in sizes.items()
        }
        self.cell_sizes = {
            axis: tuple(cell.size for cell in cells) for axis, cells in self._cells.items()
        }
        self.rings = frozenset(axis for axis, kind in self._kinds.items() if kind == RING)
        self._ordered: dict[str, tuple[list[int], list[int]]] = {}
        self._hash = hash(frozenset(self._cells.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cuts) and self._cells == other._cells

    def __hash__(self) -> int:
        return self._hash

    def cells(self, axis: str) -> tuple[AxisCell, ...]:
        """The cells of an axis, by their smallest value."""
        return self._cells[axis]

    def cell_of(self, axis: str, value: int) -> int:
        """The number of the cell of a value; raises ValueError for a value off the axis."""
        if not 0 <= value < self.sizes[axis]:
            raise ValueError(f"{axis} has no value {value}")
        if len(self._cells[axis]) == 1:
            return 0
        starts, numbers = self._in_order(axis)
        return numbers[bisect_right(starts, value) - 1]

    def _in_order(self, axis: str) -> tuple[list[int], list[int]]:
        """Where the intervals of an axis start, and the cell that each is of."""
        known = self._ordered.get(axis)
        if known is None:
            cells = enumerate(self._cells[axis])
            order = sorted((low, number) for number, cell in cells for low, _ in cell.intervals)
            known = [low for low, _ in order], [number for _, number in order]
            self._ordered[axis] = known
        return known

    def refined(self, sets: Mapping[str, Iterable[frozenset[Interval]]]) -> Cuts:
        """The same cuts with every cell also split by membership in each of these sets."""
        merged = dict(self._sets)
        for axis, extra in sets.items():
            merged[axis] = merged.get(axis, frozenset()) | frozenset(extra)
        return Cuts(self.sizes, merged, self._kinds)

    def with_points(self, points: Mapping[str, Iterable[int]]) -> Cuts:
        """The same cuts with each of these values in a cell of its own."""
        return self.refined(
            {axis: [frozenset({(v, v)}) for v in values] for axis, values in points.items()}
        )


def _cells(size: int, sets: frozenset[frozenset[Interval]] | None) -> tuple[AxisCell, ...]:
    if not sets:
        return (AxisCell(((0, size - 1),)),)
    if size <= 0:
        return ()
    changes: dict[int, list[tuple[int, int]]] = defaultdict(list, {0: []})
    for number, intervals in enumerate(sets):
        for low, high in intervals:
            changes[max(low, 0)].append((number, 1))
            changes[high + 1].append((number, -1))
    ordered = sorted(start for start in changes if 0 <= start < size)
    by_signature: dict[frozenset[int], list[Interval]] = {}
    inside: dict[int, int] = {}  # by number of a set, its intervals around the start
    for start, after in zip(ordered, [*ordered[1:], size], strict=True):
        for number, change in changes[start]:
            inside[number] = inside.get(number, 0) + change
            if not inside[number]:
                del inside[number]
        go_on(1 + len(inside) // 20)
        by_signature.setdefault(frozenset(inside), []).append((start, after - 1))
    cells = (AxisCell(tuple(joined_intervals(intervals))) for intervals in by_signature.values())
    return tuple(sorted(cells, key=lambda cell: cell.first))


def _finer(cells: tuple[AxisCell, ...], size: int, kind: str | None) -> tuple[AxisCell, ...]:
    """Cells that suit how links join the values of an axis."""
    if kind is None or size < 2 or (kind != SINGLE and len(cells) < 2):
        return cells
    if kind == RING and size <= _LONG_RING:
        return _with_like_neighbours(cells, size)
    return tuple(AxisCell(((value, value),)) for value in range(size))


def _with_like_neighbours(cells: tuple[AxisCell, ...], size: int) -> tuple[AxisCell, ...]:
    """The coarsest cells of a ring that are finer and in which all values have like neighbours.

    Two values are in one where the ring looks the same from both, perhaps the other way round: they
    differ by its period, or mirror each other.
    """
    colours = [0] * size
    for number, cell in enumerate(cells):
        for value in cell.values():
            colours[value] = number
    ring = "".join(map(chr, colours))
    twice = ring + ring
    period = twice.find(ring, 1)
    turned = twice.find(ring[::-1])
    intervals: dict[int, list[Interval]] = {}
    for value in range(size):
        at = value % period
        mirrored = at if turned < 0 else (turned - 1 - value) % period
        intervals.setdefault(min(at, mirrored), []).append((value, value))
    folded = (AxisCell(tuple(joined_intervals(each))) for each in intervals.values())
    return tuple(sorted(folded, key=lambda cell: cell.first))
