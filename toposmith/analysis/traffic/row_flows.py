"""Flows between pairs of NICs, each only over what lies on its own shortest paths, on rows.

Shares are those of :mod:`toposmith.analysis.traffic.row_graph`. Where cables are dealt between sets
of switches, as between the groups of a dragonfly, traffic passes through no third set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from toposmith.analysis.traffic.row_graph import Levels, LevelStep
from toposmith.analysis.traffic.row_network import Amounts
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.cancellation import go_on
from toposmith.fabric.rows import Mask, Numbers, RowsAt

_AT_ONCE = 4_096
"""Pairs that are routed at once: a moment between cancellations."""

_PER_STEP = 5
"""Arcs that take as long as a step."""


@dataclass(frozen=True)
class PairFlows:
    """Where flows of 1 between pairs go.

    Attributes
    ----------
    pair, arc : array of int
        The pair, and an arc that its flow takes.
    amount : array of float
        What goes there, over all cables and to all equal next devices.
    states, arrived : array of int, array of float
        The pairs times the number of vertices, plus a vertex that a path ends at, in order; and
        what comes there.
    apart : array of int
        The pairs that no path joins.
    """

    pair: Numbers
    arc: Numbers
    amount: Amounts
    states: Numbers
    arrived: Amounts
    apart: Numbers


@dataclass(frozen=True)
class Paths:
    """Pairs whose paths have as many cables: their states by level, and the arcs between levels.

    A state is a pair times the number of vertices, plus a vertex.
    """

    levels: list[Numbers]
    steps: list[LevelStep]


class RowFlows:
    """Flows over the arcs of routes.

    Parameters
    ----------
    routes : RowRoutes
        The vertices and arcs.
    by_switch : bool
        Whether switches send each next one as much; as the routes say if not.
    """

    def __init__(self, routes: RowRoutes, *, by_switch: bool = False) -> None:
        self._routes = routes
        self._arcs, graph = routes.arcs, routes.graph
        self._weight: Amounts = np.ones(len(self._arcs)) if by_switch else graph.by_cable
        self.vertices = graph.vertices
        self._out = RowsAt(self._arcs.tail, self.vertices)
        self._arcs_from = np.bincount(self._arcs.tail, minlength=self.vertices)
        self._into = graph.into
        self._set = routes.net.set_of[routes.net.first]

    def between_nics(self, start: Numbers, end: Numbers) -> PairFlows:
        """Flows from some attachments to others, pair by pair."""
        return self._flows(self._routes.switches + start, self._ends(end))

    def between_switches(self, start: Numbers, end: Numbers) -> PairFlows:
        """Flows from some switches to others, pair by pair."""
        class_of = self._routes.net.class_of
        ends = np.arange(len(end)) * self.vertices + class_of[end]
        return self._flows(class_of[start], ends)

    def shortest(self, start: Numbers, end: Numbers) -> list[Paths]:
        """The shortest paths from some attachments to others, through any sets."""
        starts = np.arange(len(start)) * self.vertices + self._routes.switches + start
        ends, found = self._ends(end), list[Paths]()
        for first in range(0, len(start), _AT_ONCE):
            low, high = np.array([first, first + _AT_ONCE]) * self.vertices
            some = ends[slice(*np.searchsorted(ends, [low, high]))]
            found += self._searched(starts[first : first + _AT_ONCE], some, None)
        return found

    def _flows(self, start: Numbers, ends: Numbers) -> PairFlows:
        """Flows from a vertex for each pair to states."""
        met: list[Paths] = []
        for first in range(0, len(start), _AT_ONCE):
            pairs = np.arange(first, min(first + _AT_ONCE, len(start)))
            bounds = np.searchsorted(ends, np.array([first, pairs[-1] + 1]) * self.vertices)
            met += self._met(start[pairs], ends[slice(*bounds)], pairs)
        reached = [of.levels[0] // self.vertices for of in met]
        nothing = np.zeros(0, np.int64)
        found = [(nothing, nothing, np.zeros(0), nothing, np.zeros(0)), *map(self._pushed, met)]
        pair, arc, amount, states, arrived = map(np.concatenate, zip(*found, strict=True))
        order = np.argsort(states)
        apart = np.flatnonzero(
            np.bincount(np.concatenate([nothing, *reached]), minlength=len(start)) == 0
        )
        return PairFlows(pair, arc, amount, states[order], arrived[order], apart)

    def _met(self, start: Numbers, ends: Numbers, pairs: Numbers) -> list[Paths]:
        """The paths of pairs, through no third set where there are such ones."""
        starts = pairs * self.vertices + start
        kept = self._sets_passed(starts, ends)
        found = list(self._searched(starts, ends, kept))
        if kept is not None:
            reached = [of.levels[0] // self.vertices for of in found]
            left = pairs[~_among(pairs, np.sort(np.concatenate([pairs[:0], *reached])))]
            if len(left):
                found += self._searched(self._of(starts, left), self._of(ends, left), None)
        return found

    def _ends(self, attachments: Numbers) -> Numbers:
        """The states of pairs at the switches that attachments are cabled to."""
        of, class_of = self._routes.net.attachments, self._routes.net.class_of
        pair, place = np.nonzero(of.cable[attachments] >= 0)
        switch = class_of[of.switch[of.cable[attachments[pair], place]]]
        return _once(np.sort(pair * self.vertices + switch))

    def _sets_passed(self, starts: Numbers, ends: Numbers) -> Numbers | None:
        """The pairs times the number of sets, plus a set that traffic may pass; None for all.

        Pairs with an end in no set may pass all.
        """
        if not (self._set >= 0).any():
            return None
        vertex, pair = starts % self.vertices, starts // self.vertices
        at, arc = self._out.each(vertex)
        from_nic = vertex[at] >= self._routes.switches
        first = pair[at[from_nic]] * self.vertices + self._arcs.head[arc[from_nic]]
        both = np.concatenate([starts[vertex < self._routes.switches], first, ends])
        pair, of = both // self.vertices, self._set[both % self.vertices]
        free, many = _once(np.sort(pair[of < 0])), int(self._set.max()) + 1
        every = (free[:, None] * many + _once(np.sort(self._set[self._set >= 0]))).ravel()
        return _once(np.sort(np.concatenate([(pair * many + of)[of >= 0], every])))

    def _searched(self, starts: Numbers, ends: Numbers, kept: Numbers | None) -> Iterator[Paths]:
        """The paths of pairs from both ends, the side with fewer arcs next, until they meet."""
        sides = [[starts], [ends]]
        seen = [starts, ends]
        while len(starts):
            meet = np.intersect1d(sides[0][-1], sides[1][-1], assume_unique=True)
            direct = self._routes.graph.direct[meet % self.vertices]
            if direct.any():
                near = _once(meet[direct] // self.vertices)
                meet = meet[direct | ~_among(meet // self.vertices, near)]
            done = _once(meet // self.vertices)
            if len(done):
                sources, targets = ([self._of(level, done) for level in side] for side in sides)
                yield self._joined(sources, targets, meet)
                sides = [[self._of(level, done, out=True) for level in side] for side in sides]
                seen = [self._of(states, done, out=True) for states in seen]
            arcs = [int(self._arcs_from[of[-1] % self.vertices].sum()) for of in sides]
            # no arc leads back to a NIC: what is searched back meets the switches behind it
            side = int(len(sides[0]) > 1 and arcs[0] > arcs[1])
            edge = sides[side][-1]
            fresh = self._beside(edge, kept)
            fresh = fresh[~_among(fresh, seen[side])]
            seen[side] = np.sort(np.concatenate([seen[side], fresh]))
            sides[side].append(fresh)
            lost = _once(edge // self.vertices)
            lost = lost[~_among(lost, fresh // self.vertices)]
            if len(lost):
                sides = [[self._of(level, lost, out=True) for level in side] for side in sides]
                seen = [self._of(states, lost, out=True) for states in seen]
            starts = sides[0][0]

    def _of(self, states: Numbers, pairs: Numbers, *, out: bool = False) -> Numbers:
        """The states of some pairs, or of the others."""
        return states[_among(states // self.vertices, pairs) ^ out]

    def _beside(self, states: Numbers, kept: Numbers | None) -> Numbers:
        """The states one cable on."""
        at, arc = self._out.each(states % self.vertices)
        go_on(len(arc) // _PER_STEP)
        head, pair = self._arcs.head[arc], states[at] // self.vertices
        if kept is not None:
            of = self._set[head]
            may = (of < 0) | _among(pair * (int(self._set.max()) + 1) + of, kept)
            head, pair = head[may], pair[may]
        return _once(np.sort(pair * self.vertices + head))

    def _joined(self, sources: list[Numbers], targets: list[Numbers], meet: Numbers) -> Paths:
        """The levels from where pairs start to where they end, with what lies on paths only."""
        levels, steps = [meet], list[LevelStep]()
        for level in reversed(sources[:-1]):
            step = self._step(level, levels[0])
            used, tail = _numbered(step.tail, len(level))
            steps.insert(0, LevelStep(tail, step.arc, step.head))
            levels.insert(0, level[used])
        for level in reversed(targets[:-1]):
            step = self._step(levels[-1], level)
            used, head = _numbered(step.head, len(level))
            steps.append(LevelStep(step.tail, step.arc, head))
            levels.append(level[used])
        return Paths(levels, steps)

    def _step(self, tails: Numbers, heads: Numbers) -> LevelStep:
        """The arcs between the states of two levels."""
        vertices = self.vertices
        if len(tails) <= len(heads):
            tail, arc = self._out.each(tails % vertices)
            states = tails[tail] - tails[tail] % vertices + self._arcs.head[arc]
            head = np.minimum(np.searchsorted(heads, states), len(heads) - 1)
            there = heads[head] == states
            return LevelStep(tail[there], arc[there], head[there])
        head, arc = self._into.each(heads % vertices)
        states = heads[head] - heads[head] % vertices + self._arcs.tail[arc]
        tail = np.minimum(np.searchsorted(tails, states), len(tails) - 1)
        there = np.flatnonzero(tails[tail] == states)
        there = there[np.lexsort((arc[there], tail[there]))]
        return LevelStep(tail[there], arc[there], head[there])

    def _pushed(self, met: Paths) -> tuple[Numbers, Numbers, Amounts, Numbers, Amounts]:
        """By arc its pair, itself and what it carries; by last state that, and what comes there."""
        back = Levels(met.levels[::-1], met.steps[::-1])
        shares = self._routes.graph.shares(back, self._weight)
        amount: Amounts = np.ones(len(met.levels[0]))
        pairs, carried = [], []
        for step, states, of, share in zip(
            met.steps, met.levels, met.levels[1:], reversed(shares), strict=False
        ):
            carried.append(amount[step.tail] * share)
            pairs.append(states[step.tail] // self.vertices)
            amount = _summed(step.head, carried[-1], len(of))
        nothing = np.zeros(0, np.int64)
        pair = np.concatenate([nothing, *pairs])
        arc = np.concatenate([nothing, *(step.arc for step in met.steps)])
        return pair, arc, np.concatenate([nothing, *carried]), met.levels[-1], amount

    def leaving(self, flows: PairFlows, start: Numbers) -> Amounts:
        """By pair and place of cables, what one cable of the first NIC carries."""
        routes, of = self._routes, self._routes.net.attachments
        found = np.zeros((len(start), of.cable.shape[1]))
        at, place = np.nonzero(of.cable[start] >= 0)
        kind = of.cable[start[at], place]
        arcs = routes.arcs_between(
            routes.switches + start[at], routes.net.class_of[of.switch[kind]]
        )
        first, many = self._arcs.tail[flows.arc] >= routes.switches, len(self._arcs)
        keys = flows.pair[first] * many + flows.arc[first]
        order = np.argsort(keys)
        sent = _looked_up(keys[order], flows.amount[first][order], at * many + arcs)
        found[at, place] = sent * routes.of_arc(arcs, of.gbit[kind])
        return found

    def arriving(self, flows: PairFlows, end: Numbers) -> Amounts:
        """By pair and place of cables, what one cable of the second NIC carries."""
        of, class_of = self._routes.net.attachments, self._routes.net.class_of
        found = np.zeros((len(end), of.cable.shape[1]))
        at, place = np.nonzero(of.cable[end] >= 0)
        kind = of.cable[end[at], place]
        here = at * self.vertices + class_of[of.switch[kind]]
        weight = of.gbit[kind] if self._routes.weighted else np.ones(len(kind))
        together, same = np.unique(here, return_inverse=True)
        beside = np.bincount(same, weight * of.count[end[at], place], len(together))
        came = _looked_up(flows.states, flows.arrived, here)
        found[at, place] = came * weight / beside[same]
        return found


def _summed(at: Numbers, amounts: Amounts, length: int) -> Amounts:
    """The sum of amounts by place."""
    found: Amounts = np.bincount(at, amounts, length).astype(float)
    return found


def _once(ordered: Numbers) -> Numbers:
    """Each value of an ordered array once; numpy's own search hashes, badly for such numbers."""
    found: Numbers = ordered[np.diff(ordered, prepend=-1) != 0]
    return found


def _numbered(places: Numbers, length: int) -> tuple[Numbers, Numbers]:
    """The places that occur, in order, and which of these each is."""
    occurs = np.zeros(length, bool)
    occurs[places] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[places]


def _among(values: Numbers, ordered: Numbers) -> Mask:
    """Which values are among those of an ordered array."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found: Mask = ordered[at] == values
    return found


def _looked_up(keys: Numbers, amounts: Amounts, wanted: Numbers) -> Amounts:
    """The amounts of ordered keys; 0 for those that are not there."""
    if not len(keys):
        return np.zeros(len(wanted))
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: Amounts = np.where(keys[at] == wanted, amounts[at], 0.0)
    return found
