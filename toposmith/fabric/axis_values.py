"""Values of an axis of which each stands for all that nothing tells apart from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from toposmith.fabric.cuts import AxisCell
from toposmith.intervals import Interval

_Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class AxisValues:
    """The values of an axis that stand for others, in order.

    Attributes
    ----------
    first : array of int
        Those values.
    many : array of int
        How many values each stands for, itself among them.
    alike : array of int
        The same number for those that a mark alone tells apart.
    """

    first: _Numbers
    many: _Numbers
    alike: _Numbers
    _starts: _Numbers
    _of_start: _Numbers

    def __len__(self) -> int:
        return len(self.first)

    def place(self, values: _Numbers) -> _Numbers:
        """Which of those that stand for others stands for each of some values."""
        found: _Numbers = self._of_start[np.searchsorted(self._starts, values, side="right") - 1]
        return found


def apart(size: int) -> AxisValues:
    """All values of an axis, each by itself."""
    every = np.arange(size)
    return AxisValues(every, np.ones(size, np.int64), every, every, every)


def by_cells(cells: Sequence[AxisCell], *, marked: bool = False) -> AxisValues:
    """A value for each cell of an axis; ``marked`` tells the first value of each apart."""
    found = sorted(
        (intervals, number)
        for number, cell in enumerate(cells)
        for intervals in (_marked(cell) if marked else [cell.intervals])
    )
    many = [sum(high - low + 1 for low, high in intervals) for intervals, _ in found]
    starts = sorted((low, at) for at, (own, _) in enumerate(found) for low, _ in own)
    columns = (
        [intervals[0][0] for intervals, _ in found],
        many,
        [number for _, number in found],
        [low for low, _ in starts],
        [at for _, at in starts],
    )
    return AxisValues(*(np.array(column, np.int64) for column in columns))


def _marked(cell: AxisCell) -> Iterator[tuple[Interval, ...]]:
    """The first value of a cell, and all others."""
    (low, high), *more = cell.intervals
    yield ((low, low),)
    rest = ((low + 1, high), *more) if low < high else tuple(more)
    if rest:
        yield rest
