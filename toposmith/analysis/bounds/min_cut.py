"""The narrowest cut of a small flow network with whole capacities."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import inf

from toposmith.cancellation import go_on

Arc = tuple[Hashable, Hashable, float]
"""From, to, capacity; infinite where nothing limits."""


@dataclass(frozen=True)
class MinCut:
    """A minimum cut: its value, the source side, and the flow on each arc."""

    value: int
    side: frozenset[Hashable]
    sent: list[float]


def min_cut(arcs: Iterable[Arc], source: Hashable, sink: Hashable) -> MinCut:
    """Find the minimum cut between source and sink; of several the one nearest to the sink.

    The method is Dinic's (Soviet Math. Doklady 11, 1970): flows along shortest paths, all of one
    length at a time.

    Raises
    ------
    ValueError
        If nothing limits the flow.
    """
    number: dict[Hashable, int] = {source: 0, sink: 1}
    heads: list[int] = []
    left: list[float] = []
    out: list[list[int]] = [[], []]
    for u, v, capacity in arcs:
        for vertex in (u, v):
            if vertex not in number:
                number[vertex] = len(out)
                out.append([])
        # an arc and its reverse have indices that differ in the last bit
        out[number[u]].append(len(heads))
        out[number[v]].append(len(heads) + 1)
        heads += (number[v], number[u])
        left += (capacity, 0)
    total: float = 0  # whole numbers stay whole, however large
    while True:
        go_on(2 * len(heads))
        level = _levels(out, heads, left)
        if level[1] < 0:
            onward = _leading_on(out, heads, left)
            side = frozenset(vertex for vertex, at in number.items() if at not in onward)
            return MinCut(int(total), side, left[1::2])
        at = [0] * len(out)
        while found := _augmented(out, heads, left, level, at):
            if found == inf:
                raise ValueError("nothing limits the flow")
            total += found
            go_on(10)


def _levels(out: list[list[int]], heads: list[int], left: list[float]) -> list[int]:
    """Distance of each vertex from the source over arcs with capacity left; -1 if unreachable."""
    level = [-1] * len(out)
    level[0] = 0
    newest = [0]
    while newest and level[1] < 0:
        further: list[int] = []
        for vertex in newest:
            for arc in out[vertex]:
                head = heads[arc]
                if level[head] < 0 and left[arc] > 0:
                    level[head] = level[vertex] + 1
                    further.append(head)
        newest = further
    return level


def _leading_on(out: list[list[int]], heads: list[int], left: list[float]) -> set[int]:
    """The vertices from which the sink can still be reached."""
    found, waiting = {1}, [1]
    while waiting:
        for arc in out[waiting.pop()]:
            if left[arc ^ 1] > 0 and heads[arc] not in found:
                found.add(heads[arc])
                waiting.append(heads[arc])
    return found


def _augmented(
    out: list[list[int]], heads: list[int], left: list[float], level: list[int], at: list[int]
) -> float:
    """Augment along one shortest path; 0 where there is none. ``at`` is the next arc to try."""
    way: list[int] = []
    vertex = 0
    while vertex != 1:
        arcs, here = out[vertex], at[vertex]
        while here < len(arcs) and not (
            left[arcs[here]] > 0 and level[heads[arcs[here]]] == level[vertex] + 1
        ):
            here += 1
        at[vertex] = here
        if here < len(arcs):
            way.append(arcs[here])
            vertex = heads[arcs[here]]
        elif way:
            vertex = heads[way.pop() ^ 1]
            at[vertex] += 1
        else:
            return 0
    sent = min(left[arc] for arc in way)
    for arc in way:
        left[arc] -= sent
        left[arc ^ 1] += sent
    return sent
