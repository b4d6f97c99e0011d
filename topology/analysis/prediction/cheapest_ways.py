"""What the cheapest ways between switches cost, of many switches at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
import numpy.typing as npt

FEW_SWITCHES = 300
"""Switches up to which ways are found sooner than scipy is loaded."""


def cheapest(
    arcs: Mapping[tuple[int, int], float], many: int, starts: Sequence[int]
) -> npt.NDArray[np.float64]:
    """What the cheapest ways from some switches to all of so many cost; infinite without a way.

    Parameters
    ----------
    arcs : mapping
        What it costs to go from one switch to the next, by their numbers.
    many : int
        How many switches there are.
    starts : sequence of int
        The switches that the rows of the answer begin at; its columns are all switches.
    """
    return (_step_by_step if many <= FEW_SWITCHES else _by_scipy)(arcs, many, starts)


def _step_by_step(
    arcs: Mapping[tuple[int, int], float], many: int, starts: Sequence[int]
) -> npt.NDArray[np.float64]:
    """What the cheapest ways from some switches to all cost, a cable further at a time."""
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
    # few fabrics are as large, and the others do not wait for scipy
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    ends = tuple(zip(*arcs, strict=True)) or ((), ())
    graph = csr_array((list(arcs.values()), ends), shape=(many, many))
    return np.asarray(dijkstra(graph, indices=starts))
