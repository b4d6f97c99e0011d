"""Traffic between switches in sets that dealt cables join, as the groups of a dragonfly.

Traffic passes through no third set unless the ends' own do not meet (one global cable at most: Kim
et al., ISCA 2008). So the switches of each two sets are a fabric of their own, with all that are in
no set; those with the same arcs and the same traffic are routed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from toposmith.analysis.traffic.row_graph import APART, Arcs, RowGraph
from toposmith.analysis.traffic.row_network import Amounts
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.fabric.rows import Numbers

_AT_ONCE = 1_000_000
"""Arcs times targets that are routed at once: some 50 MB, and a moment between cancellations."""

Two = tuple[int, int]
"""The set that sends, and the set that receives."""

Rates = Mapping[Two, Amounts]
"""What each switch of a set sends to each of another; equal arrays may be the same object."""


class RowSets:
    """The sets of a fabric.

    Parameters
    ----------
    routes : RowRoutes
        The switches and the arcs between them.

    Attributes
    ----------
    members : list of array of int
        By set, its vertices.
    """

    def __init__(self, routes: RowRoutes) -> None:
        self._routes = routes
        of = routes.net.set_of[routes.net.first]
        numbers, place = np.unique(of[of >= 0], return_inverse=True)
        self.sets = len(numbers)
        self._set = np.full(len(of), self.sets)
        self._set[of >= 0] = place
        order = np.argsort(self._set, kind="stable")
        bounds = np.searchsorted(self._set[order], np.arange(self.sets + 2))
        self.members = [order[low:high] for low, high in pairwise(bounds)]
        self._rank = np.zeros(len(of), np.int64)
        self._rank[order] = np.arange(len(of)) - bounds[self._set[order]]
        between = np.flatnonzero(routes.arcs.tail < routes.switches)
        key = self._set[routes.arcs.tail[between]] * (self.sets + 1)
        key += self._set[routes.arcs.head[between]]
        order = np.argsort(key, kind="stable")
        arcs, key = between[order], key[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        self._arcs = {
            divmod(int(key[start]), self.sets + 1): some
            for start, some in zip(starts, np.split(arcs, starts[1:]), strict=True)
        }

    def set_of(self, vertices: Numbers) -> Numbers:
        """The set of each vertex; one more than there are for those in none."""
        found: Numbers = self._set[vertices]
        return found

    def carried(self, rates: Rates) -> tuple[Amounts, dict[tuple[int, int], float]]:
        """What arcs carry; and by vertex and vertex what finds no way in its two sets."""
        alike: dict[object, list[Two]] = defaultdict(list)
        for two, sent in rates.items():
            alike[self._signature(two), id(sent)].append(two)
        flow = np.zeros(len(self._routes.arcs))
        left: dict[tuple[int, int], float] = {}
        for group in self._batches(list(alike.values())):
            for of, carried in zip(
                group, self._routed([of[0] for of in group], rates), strict=True
            ):
                own, apart = carried
                used = np.flatnonzero(own)
                for two in of:
                    part = self._numbers(two)
                    flow[part[used]] += own[used]
                    here, there = self.members[two[0]], self.members[two[1]]
                    for start, end in apart:
                        pair = int(here[start]), int(there[end])
                        left[pair] = float(rates[two][start, end])
        return flow, left

    def _pieces(self, two: Two) -> Iterator[Two]:
        """Pairs of sets that the arcs of two sets, and of what is in none, go between."""
        own = dict.fromkeys((*two, self.sets))
        for one in own:
            yield from ((one, other) for other in own if (one, other) in self._arcs)

    def _numbers(self, two: Two) -> Numbers:
        """The arcs of two sets."""
        return np.concatenate([self._arcs[piece] for piece in self._pieces(two)] or [_NONE])

    def _signature(self, two: Two) -> object:
        """What two sets have: equal where the one can be put for the other."""
        own = list(dict.fromkeys((*two, self.sets)))
        shape = tuple((own.index(one), own.index(other)) for one, other in self._pieces(two))
        sizes = tuple(len(self.members[one]) for one in own)
        return sizes, shape, tuple(self._written[piece] for piece in self._pieces(two))

    @cached_property
    def _written(self) -> dict[Two, bytes]:
        """By sets, the arcs from one to the other; equal ones are the same object."""
        of, known = self._routes.arcs, dict[bytes, bytes]()
        ends = [self._rank[end[: self._inner]] for end in (of.tail, of.head)]
        own = [column[: self._inner] for column in of.beyond_ends()]
        table = np.stack([column.astype(float) for column in (*ends, *own)], axis=1)
        written = {piece: table[arcs].tobytes() for piece, arcs in self._arcs.items()}
        return {piece: known.setdefault(text, text) for piece, text in written.items()}

    @cached_property
    def _inner(self) -> int:
        """How many arcs there are between switches: these come first."""
        return int(np.searchsorted(self._routes.arcs.tail, self._routes.switches))

    def _batches(self, kinds: list[list[Two]]) -> Iterator[list[list[Two]]]:
        """Kinds that are routed together."""
        batch, size = list[list[Two]](), 0
        for of in kinds:
            more = len(self._numbers(of[0])) * len(self.members[of[0][1]])
            if batch and size + more > _AT_ONCE:
                yield batch
                batch, size = [], 0
            batch.append(of)
            size += more
        if batch:
            yield batch

    def _routed(self, pairs: list[Two], rates: Rates) -> Iterator[tuple[Amounts, list[Two]]]:
        """By two sets, what their arcs carry, and the ranks of switches with no way there."""
        numbers = [self._numbers(two) for two in pairs]
        vertices = [
            np.concatenate([self.members[one] for one in dict.fromkeys((*two, self.sets))])
            for two in pairs
        ]
        first = np.cumsum([0, *map(len, vertices)]).tolist()
        columns = max(len(self.members[there]) for _, there in pairs)
        amounts, ends = np.zeros((first[-1], columns)), list[Numbers]()
        for two, start in zip(pairs, first, strict=False):
            sent, own = rates[two], len(self.members[two[0]]) if two[0] != two[1] else 0
            amounts[start : start + len(sent), : sent.shape[1]] = sent
            number = np.flatnonzero(sent.any(axis=0))
            ends.append((start + own + number) * columns + number)
        arcs = self._side_by_side(numbers, vertices, first)
        graph = RowGraph(arcs, np.zeros(first[-1], bool), weighted=self._routes.weighted)
        paths = graph.towards(np.concatenate(ends), columns)
        apart = (paths.distance == APART) & (amounts > 0)
        flow, _ = paths.sent(np.where(apart, 0.0, amounts))
        flows = np.split(flow, np.cumsum([len(each) for each in numbers]))
        for carried, low, high in zip(flows, first, first[1:], strict=False):
            yield carried, [(int(a), int(b)) for a, b in np.argwhere(apart[low:high])]

    def _side_by_side(
        self, numbers: list[Numbers], vertices: list[Numbers], first: list[int]
    ) -> Arcs:
        """The arcs of several fabrics as those of one, in which no two are joined."""
        of, place = self._routes.arcs, np.zeros(self._routes.switches, np.int64)
        ends: list[list[Numbers]] = [[], []]
        for arcs, own, start in zip(numbers, vertices, first, strict=False):
            place[own] = start + np.arange(len(own))
            for end, column in zip(ends, (of.tail, of.head), strict=True):
                end.append(place[column[arcs]])
        some = np.concatenate(numbers)
        tail, head = map(np.concatenate, ends)
        return Arcs(tail, head, *(column[some] for column in of.beyond_ends()))


_NONE = np.zeros(0, np.int64)
