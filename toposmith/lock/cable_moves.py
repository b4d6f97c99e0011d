"""The most one-end moves: cables that are freed, assigned to cables that are wanted.

A freed cable serves a wanted one that shares a device with it, at the same kind of port, in the
same part, where it is long enough. Alike cables count as one class with a number, and all that
meet at a device meet at a hub there, so that the graph is as large as the change, not its square.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SharedEnd = Hashable
"""A device with a kind of port, rate and part; the same for whatever can change places there."""


@dataclass(frozen=True)
class FreedCable:
    """A cable that the new design does not keep: the hubs of its ends, and its length."""

    hubs: tuple[SharedEnd, ...]
    length: float


@dataclass(frozen=True)
class SoughtCable:
    """A cable that is new: its hubs, and the least length it takes."""

    hubs: tuple[SharedEnd, ...]
    need: float


def most_moves(
    freed: Sequence[FreedCable], sought: Sequence[SoughtCable]
) -> list[tuple[int, int, SharedEnd]]:
    """Pairs of a freed and a sought cable with the hub that they share, as many as there can be."""
    wanted_hubs = {hub for one in sought for hub in one.hubs}
    lengths: dict[SharedEnd, set[float]] = defaultdict(set)
    of_freed: dict[FreedCable, list[int]] = defaultdict(list)
    for at, one in enumerate(freed):
        hubs = tuple(hub for hub in one.hubs if hub in wanted_hubs)
        if hubs:
            of_freed[FreedCable(hubs, one.length)].append(at)
            for hub in hubs:
                lengths[hub].add(one.length)
    of_sought: dict[SoughtCable, list[int]] = defaultdict(list)
    for at, want in enumerate(sought):
        hubs = tuple(hub for hub in want.hubs if hub in lengths)
        if hubs:
            of_sought[SoughtCable(hubs, want.need)].append(at)
    if not of_freed or not of_sought:
        return []
    levels = {hub: sorted(found, reverse=True) for hub, found in lengths.items()}
    node: dict[Hashable, int] = {"source": 0, "sink": 1}
    rows: list[int] = []
    columns: list[int] = []
    room: list[int] = []

    def edge(one: Hashable, other: Hashable, many: int) -> None:
        rows.append(node.setdefault(one, len(node)))
        columns.append(node.setdefault(other, len(node)))
        room.append(many)

    most = len(freed) + len(sought)
    for one, found in of_freed.items():
        edge("source", one, len(found))
        for hub in one.hubs:
            edge(one, (hub, one.length), len(found))
    for hub, down in levels.items():
        for longer, shorter in pairwise(down):
            edge((hub, longer), (hub, shorter), most)
    for want, found in of_sought.items():
        edge(want, "sink", len(found))
        for hub in want.hubs:
            enough = [length for length in levels[hub] if length >= want.need]
            if enough:
                edge((hub, enough[-1]), want, len(found))
    # imported here: a design whose lock frees no cable waits for no solver
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    size = len(node)
    graph = csr_array((np.array(room, dtype=np.int32), (rows, columns)), shape=(size, size))
    flow = maximum_flow(csr_array(graph), 0, 1).flow.tocsr()
    amount = {
        (int(row), int(column)): int(many)
        for row, column, many in zip(*flow.nonzero(), flow.data[flow.data != 0], strict=True)
        if many > 0
    }
    return _pairs(amount, node, of_freed, of_sought, levels)


def _pairs(
    amount: Mapping[tuple[int, int], int],
    node: Mapping[Hashable, int],
    of_freed: Mapping[FreedCable, list[int]],
    of_sought: Mapping[SoughtCable, list[int]],
    levels: Mapping[SharedEnd, list[float]],
) -> list[tuple[int, int, SharedEnd]]:
    """Take the flow apart: at every hub from the longest freed cable down."""
    coming: dict[tuple[SharedEnd, float], list[int]] = defaultdict(list)
    for one, found in of_freed.items():
        left = deque(found)
        for hub in one.hubs:
            for _ in range(amount.get((node[one], node[hub, one.length]), 0)):
                coming[hub, one.length].append(left.popleft())
    going: dict[tuple[SharedEnd, float], list[int]] = defaultdict(list)
    for want, found in of_sought.items():
        left = deque(found)
        for hub in want.hubs:
            enough = [length for length in levels[hub] if length >= want.need]
            if enough and (key := (node[hub, enough[-1]], node[want])) in amount:
                for _ in range(amount[key]):
                    going[hub, enough[-1]].append(left.popleft())
    pairs: list[tuple[int, int, SharedEnd]] = []
    for hub, down in levels.items():
        ready: deque[int] = deque()
        for length in down:
            ready.extend(sorted(coming.get((hub, length), ())))
            for want_at in sorted(going.get((hub, length), ())):
                pairs.append((ready.popleft(), want_at, hub))
    return pairs
