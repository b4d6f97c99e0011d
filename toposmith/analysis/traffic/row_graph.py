"""Shortest paths over arcs between vertices, to many ends at once, and what is sent over them.

Equal-cost multipath hashes over all cables alike. Weighted-cost multipath (Zhou et al., *WCMP:
Weighted Cost Multipathing for Improved Fairness in Data Centers*, EuroSys 2014, section 3) and
adaptive routing with remote notification (NVIDIA, *Spectrum-X Network Platform Architecture*) also
know the remaining capacity beyond the next hop, and send a device that has lost half of its
cables towards the target half as much. Traffic to one end is told apart from that to
another by its *column*: a *state* is a vertex times the number of columns, plus a column. Ends that
no path joins may share a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.traffic.row_network import Amounts
from toposmith.cancellation import go_on
from toposmith.fabric.rows import Mask, Numbers, RowsAt

APART = np.iinfo(np.int32).max
"""The distance of what no path joins."""

_PER_STEP = 20
"""Arcs that take as long as a step."""


@dataclass(frozen=True)
class Arcs:
    """Arcs between vertices, as columns of equal length.

    Attributes
    ----------
    tail, head : array of int
        Where an arc begins, and the next device.
    capacity, count : array of float
        GB/s of the cables from one device to a next one, and their number.
    many : array of float
        How many such next devices there are.
    dealt : array of float
        GB/s that links deal between two such devices.
    group : array of int
        The same number for the next devices of a vertex that are of one group, from 0 on.
    """

    tail: Numbers
    head: Numbers
    capacity: Amounts
    count: Amounts
    many: Amounts
    dealt: Amounts
    group: Numbers

    def __len__(self) -> int:
        return len(self.tail)

    def beyond_ends(self) -> list[Any]:
        """All columns but where arcs begin and lead to."""
        return [getattr(self, column.name) for column in fields(self)[2:]]


@dataclass(frozen=True)
class LevelStep:
    """The arcs from the states of one level to those of the next level nearer to the ends."""

    tail: Numbers
    arc: Numbers
    head: Numbers


@dataclass(frozen=True)
class Levels:
    """States by distance, those of the ends first, and the arcs between two levels each."""

    states: Sequence[Numbers]
    steps: Sequence[LevelStep]


class RowGraph:
    """Arcs over which traffic takes shortest paths.

    Parameters
    ----------
    arcs : Arcs
        The arcs.
    direct : array of bool
        By vertex, whether it is a cable from NIC to NIC, nearer than any switch.
    weighted : bool
        Whether devices split by remaining capacity; equally by cable if not.
    """

    def __init__(self, arcs: Arcs, direct: Mask, *, weighted: bool) -> None:
        self.arcs = arcs
        self.vertices = len(direct)
        self.direct = direct
        self.weighted = weighted
        self.by_cable: Amounts = arcs.capacity if weighted else arcs.count
        self._groups = int(arcs.group.max(initial=0)) + 1
        self.into = RowsAt(arcs.head, self.vertices)

    def shares(self, levels: Levels, by_cable: Amounts) -> list[Amounts]:
        """By step and arc, the share of all next devices of it in what the state sends.

        Parameters
        ----------
        levels : Levels
            The paths.
        by_cable : array of float
            By arc, what the cables to one next device weigh by themselves.
        """
        found: list[Amounts] = []
        through: Amounts = np.full(len(levels.states[0]), np.inf)
        for step, states in zip(levels.steps, levels.states[1:], strict=False):
            weight: Amounts = by_cable[step.arc]
            if self.weighted and found:
                weight = self._by_capacity(weight, through[step.head], step, len(states))
            together = weight * self.arcs.many[step.arc]
            through = np.bincount(step.tail, together, len(states)).astype(float)
            found.append(together / through[step.tail])
        return found

    def _by_capacity(
        self, bundle: Amounts, beyond: Amounts, step: LevelStep, states: int
    ) -> Amounts:
        """The weights of bundles of cables to next devices, GB/s.

        Intact, a bundle's weight is its own capacity or that of the next device, whichever is less.
        With faults it is reduced by the larger relative loss, the same for every destination: that
        of the bundle against the dealt one, or of the next device against the best of its group.
        """
        one_group = step.tail * self._groups + self.arcs.group[step.arc]
        widest, best = np.zeros((2, states * self._groups))
        np.maximum.at(widest, one_group, bundle)
        np.maximum.at(best, one_group, beyond)
        whole = np.maximum(widest[one_group], self.arcs.dealt[step.arc])
        most: Amounts = best[one_group]
        weight: Amounts = np.minimum(whole, most) * np.minimum(bundle / whole, beyond / most)
        return weight

    def nearest(self, states: Numbers, arcs: Numbers) -> Mask:
        """Which arcs from states lead over a cable from NIC to NIC, or from where none does."""
        direct = self.direct[self.arcs.head[arcs]]
        if not direct.any():
            return ~direct
        found: Mask = direct | ~np.isin(states, states[direct])
        return found

    def towards(self, ends: Numbers, columns: int) -> Towards:
        """The shortest paths from everywhere to some states."""
        distance = np.full(self.vertices * columns, APART, np.int32)
        place = np.zeros(self.vertices * columns, np.int64)
        distance[ends] = 1
        states, steps = [ends], list[LevelStep]()
        while len(states[-1]):
            near = states[-1]
            head, arc = self.into.each(near // columns)
            go_on(1 + len(arc) // _PER_STEP)
            met = self.arcs.tail[arc] * columns + (near % columns)[head]
            fresh = np.flatnonzero((distance[met] == APART) & self.nearest(met, arc))
            head, arc, met = head[fresh], arc[fresh], met[fresh]
            number = np.arange(len(met))
            # of those that meet the same state, the last one stands for it
            place[met] = number
            level = met[place[met] == number]
            place[level] = np.arange(len(level))
            distance[level] = len(states) + 1
            distance[met[self.direct[self.arcs.head[arc]]]] = 1
            states.append(level)
            steps.append(LevelStep(place[met], arc, head))
        return Towards(self, columns, Levels(states, steps), distance.reshape(-1, columns))


class Towards:
    """Shortest paths to some ends.

    Parameters
    ----------
    graph : RowGraph
        The arcs.
    columns : int
        How many columns there are.
    levels : Levels
        The states that get to an end.
    distance : array of int
        By vertex and column, how far the end is, itself at 1; ``APART`` where no path leads there.
    """

    def __init__(
        self, graph: RowGraph, columns: int, levels: Levels, distance: NDArray[np.int32]
    ) -> None:
        self._graph = graph
        self._columns = columns
        self._levels = levels
        self.distance = distance
        self._shares = graph.shares(levels, graph.by_cable)

    def leaving(self, first: int) -> Amounts:
        """By arc from this one on and column, the share of all its next devices in what leaves."""
        found = np.zeros((len(self._graph.arcs) - first, self._columns))
        for step, share, states in zip(
            self._levels.steps, self._shares, self._levels.states[1:], strict=False
        ):
            late = np.flatnonzero(step.arc >= first)
            column = states[step.tail[late]] % self._columns
            found[step.arc[late] - first, column] = share[late]
        return found

    def sent(self, amounts: Amounts) -> tuple[Amounts, Amounts]:
        """What is sent from vertices to ends: what arcs carry, and what arrives.

        Parameters
        ----------
        amounts : array of float
            By vertex and column, what is sent.

        Returns
        -------
        flow : array of float
            By arc, what is sent over it.
        arrived : array of float
            By vertex and column, what comes to an end there.
        """
        arcs, states, steps = self._graph.arcs, self._levels.states, self._levels.steps
        flow, own = np.zeros(len(arcs)), amounts.ravel()
        waiting: Amounts = np.zeros(len(states[-1]))
        for number in range(len(steps) - 1, -1, -1):
            step = steps[number]
            here = waiting + own[states[number + 1]]
            moved = here[step.tail] * self._shares[number]
            flow += np.bincount(step.arc, moved, len(arcs))
            waiting = np.bincount(step.head, moved, len(states[number])).astype(float)
        arrived = np.zeros(len(own))
        arrived[states[0]] = waiting
        return flow, arrived.reshape(-1, self._columns)
