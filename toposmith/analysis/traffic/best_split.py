"""The optimal split of flows over their paths: it minimises the load of the fullest cable.

A linear program: minimise the utilisation that no cable exceeds, over how much of each flow goes by
each of its paths; among the splits that do, the one of the shortest paths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

Arc = TypeVar("Arc")

_HAIR = 1e-9


class Flows(Generic[Arc]):
    """Flows with the paths that each may take.

    Parameters
    ----------
    capacity : mapping
        GB/s of each arc.
    """

    def __init__(self, capacity: Mapping[Arc, float]) -> None:
        self._number = {arc: number for number, arc in enumerate(capacity)}
        self._capacity = list(capacity.values())
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._entries: list[float] = []
        self._flow_of: list[int] = []
        self._hops: list[int] = []
        self._amounts: list[float] = []

    @property
    def paths(self) -> int:
        """How many paths there are in all."""
        return len(self._hops)

    def add(self, amount: float, paths: Sequence[Mapping[Arc, float]]) -> None:
        """Add a flow: so much, by paths that put so many times it on each arc."""
        for path in paths:
            column = len(self._hops)
            self._rows += [self._number[arc] for arc in path]
            self._columns += [column] * len(path)
            self._entries += path.values()
            self._flow_of.append(len(self._amounts))
            self._hops.append(len(path))
        self._amounts.append(amount)

    def split(self, floor: float) -> tuple[dict[Arc, float], float]:
        """The load of every arc, and the utilisation of the fullest.

        Parameters
        ----------
        floor : float
            A utilisation that flows without a choice reach anyway: splits below it are
            equivalent, and the one with the fewest hops is used.
        """
        # imported here: loading numpy and scipy takes as long as analysing a small design
        import numpy as np
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix, hstack

        arcs, paths, flows = len(self._capacity), self.paths, len(self._amounts)
        loads = coo_matrix((self._entries, (self._rows, self._columns)), (arcs, paths)).tocsr()
        capacity = np.array(self._capacity)
        scaled = loads.multiply(1 / capacity[:, None]).tocsr()
        used = np.asarray((scaled != 0).sum(axis=1)).ravel() > 0
        scaled = scaled[used]
        per_flow = coo_matrix(
            (np.ones(paths), (self._flow_of, range(paths))), (flows, paths)
        ).tocsr()
        amounts = np.array(self._amounts)
        top = hstack([scaled, -np.ones((scaled.shape[0], 1))]).tocsr()
        equal = hstack([per_flow, np.zeros((flows, 1))]).tocsr()
        objective = np.zeros(paths + 1)
        objective[-1] = 1.0
        bounds: list[tuple[float, float | None]] = [(0, None)] * paths + [(floor, None)]
        first = _solved(
            linprog(
                objective, A_ub=top, b_ub=np.zeros(top.shape[0]), A_eq=equal, b_eq=amounts,
                bounds=bounds, method="highs",
            )
        )  # fmt: skip
        fullest = float(first.x[-1])
        best = first.x[:-1]
        level = np.full(scaled.shape[0], fullest * (1 + _HAIR) + _HAIR**2)
        second = linprog(
            np.array(self._hops, dtype=float), A_ub=scaled, b_ub=level, A_eq=per_flow,
            b_eq=amounts, bounds=(0, None), method="highs",
        )  # fmt: skip
        if second.status == 0:
            best = second.x
        found = loads @ np.clip(best, 0, None)
        return {arc: float(found[at]) for arc, at in self._number.items() if found[at] > 0}, fullest


def _solved(result: Any) -> Any:
    if result.status != 0:
        raise ValueError(f"the split over detours was not solved: {result.message}")
    return result
