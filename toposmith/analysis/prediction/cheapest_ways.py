"""Costs of the cheapest paths between switches, from many switches at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
import numpy.typing as npt

FEW_SWITCHES = 300
"""Up to this many switches, the search is faster than loading scipy."""


def cheapest(
    arcs: Mapping[tuple[int, int], float], many: int, starts: Sequence[int]
) -> npt.NDArray[np.float64]:
    """Costs of the cheapest paths from some switches to all; infinite without a path.

    Parameters
    ----------
    arcs : mapping
        Cost from one switch to the next, by their numbers.
    many : int
        How many switches there are.
    starts : sequence of int
        The switches of the rows of the result; its columns are all switches.
    """
    return (_step_by_step if many <= FEW_SWITCHES else _by_scipy)(arcs, many, starts)


def _step_by_step(
    arcs: Mapping[tuple[int, int], float], many: int, starts: Sequence[int]
) -> npt.NDArray[np.float64]:
    """Costs of the cheapest paths from some switches to all, one cable further at a time."""
    ends = np.array(list(arcs), np.intp).reshape(-1, 2)
    order = np.argsort(ends[:, 1], kind="stable")
    here, there = ends[order].T
    costs = np.array(list(arcs.values()))[order]
    reached, first = np.unique(there, return_index=True)
    apart = np.full((len(starts), many), inf)
    apart[np.arange(len(starts)), starts] = 0.0
    while len(reached):
        before = apart[:, reached]
        by_last = np.minimum.reduceat(apart[:, here] + costs, first, axis=1)
        apart[:, reached] = np.minimum(before, by_last)
        if (apart[:, reached] == before).all():
            break
    return apart


def _by_scipy(
    arcs: Mapping[tuple[int, int], float], many: int, starts: Sequence[int]
) -> npt.NDArray[np.float64]:
    """The same by scipy."""
    # imported here: only large fabrics need scipy
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    ends = tuple(zip(*arcs, strict=True)) or ((), ())
    graph = csr_array((list(arcs.values()), ends), shape=(many, many))
    return np.asarray(dijkstra(graph, indices=starts))
