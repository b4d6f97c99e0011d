"""Planned and found cables joined, and the fewest cables touched to make them the same.

What both sides have is joined by equal keys. What is left on either side is an assignment: a found
cable that shares an end with a lacking one becomes it by moving its other end; any other is taken
out, or laid. No cable that is joined already is worth touching: freeing it frees one place and
opens one, so each further move that it allows replaces the one that it needs itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

Point = TypeVar("Point", bound=tuple[str, ...])

_DEAREST = 4
"""More than any cost of a move."""


def joined(
    found: Sequence[Hashable], wanted: Sequence[Hashable]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pair places with equal keys, each once, in their order.

    Returns
    -------
    tuple
        The pairs; what is over in ``found``; what is over in ``wanted``.
    """
    places: dict[Hashable, list[int]] = defaultdict(list)
    for want in reversed(range(len(wanted))):
        places[wanted[want]].append(want)
    pairs: list[tuple[int, int]] = []
    over: list[int] = []
    for have, key in enumerate(found):
        if places.get(key):
            pairs.append((have, places[key].pop()))
        else:
            over.append(have)
    return pairs, over, sorted(want for left in places.values() for want in left)


def moves(
    found: Sequence[frozenset[Point]],
    wanted: Sequence[frozenset[Point]],
    cost: Callable[[int, int, Point], int],
) -> dict[int, tuple[int, Point]]:
    """Pair cables over with cables lacking, as many as can share an end, the cheapest of these.

    Parameters
    ----------
    found, wanted : sequence of frozenset
        The ends of each cable.
    cost : callable
        From 0 to 3, for places in ``found`` and ``wanted`` and the end that stays; it decides
        among assignments with equally many moves.

    Returns
    -------
    dict
        Place in ``found`` to place in ``wanted`` and the end that stays. What is in none is to be
        taken out, or laid.
    """
    at: dict[Point, list[int]] = defaultdict(list)
    for want, ends in enumerate(wanted):
        for end in ends:
            at[end].append(want)
    edges: dict[tuple[int, int], tuple[int, Point]] = {}
    for have, ends in enumerate(found):
        for end in sorted(ends):
            for want in at.get(end, ()):
                each = cost(have, want, end)
                known = edges.get((have, want))
                if known is None or each < known[0]:
                    edges[have, want] = each, end
    rows = sorted({have for have, _ in edges})
    if not rows:
        return {}
    # Every cable may also stay unpaired, in a place of its own, which costs more than all moves.
    alone = _DEAREST * (len(rows) + 1)
    row_of = {have: row for row, have in enumerate(rows)}
    cells = [(row_of[have], want, 1 + each) for (have, want), (each, _) in edges.items()]
    cells += [(row, len(wanted) + row, alone) for row in range(len(rows))]
    row, column, weight = map(np.array, zip(*cells, strict=True))
    graph = csr_array(
        (weight.astype(float), (row, column)), shape=(len(rows), len(wanted) + len(rows))
    )
    chosen = min_weight_full_bipartite_matching(graph)
    return {
        rows[row]: (int(want), edges[rows[row], int(want)][1])
        for row, want in zip(*chosen, strict=True)
        if want < len(wanted)
    }
