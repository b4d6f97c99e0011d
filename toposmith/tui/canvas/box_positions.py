"""Positions of boxes within their rows: in order, spaced, as near to their neighbours as may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor

from toposmith.tui.canvas.tier_rows import Edge

_SWEEPS = 12


@dataclass
class Span:
    """The columns of a box: ``left`` up to, not including, ``right``."""

    left: int
    width: int

    @property
    def right(self) -> int:
        """The first column behind the box."""
        return self.left + self.width

    @property
    def middle(self) -> float:
        """The centre, between columns where the width is even."""
        return self.left + self.width / 2


def spread(
    wanted: Sequence[float],
    widths: Sequence[float],
    weights: Sequence[float] | None = None,
    low: float = float("-inf"),
    high: float = float("inf"),
) -> list[float]:
    """Left edges nearest to the wanted ones, in order, none overlapping, all in ``low..high``.

    The weighted sum of squared moves is the least possible (pooling of adjacent violators).
    """
    before = [0.0]
    for width in widths:
        before.append(before[-1] + width)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, members
    for index, want in enumerate(wanted):
        mean, weight, members = want - before[index], weights[index] if weights else 1.0, 1
        while blocks and blocks[-1][0] >= mean:
            other_mean, other_weight, other_members = blocks.pop()
            mean = (mean * weight + other_mean * other_weight) / (weight + other_weight)
            weight += other_weight
            members += other_members
        blocks.append((mean, weight, members))
    last = max(high - before[-1], low)
    shifts = [min(max(mean, low), last) for mean, _, members in blocks for _ in range(members)]
    return [shift + offset for shift, offset in zip(shifts, before, strict=False)]


def place(
    rows: Sequence[Sequence[str]], widths: Mapping[str, int], edges: Iterable[Edge], gap: int
) -> dict[str, Span]:
    """Place every box in its row.

    A box stands over the middle of those that it is linked to; one that gathers several which
    have no other parent (or child) is as wide as all of them together.
    """
    near: dict[str, set[str]] = defaultdict(set)
    for a, b in edges:
        if a != b:
            near[a].add(b)
            near[b].add(a)
    level = {name: index for index, row in enumerate(rows) for name in row}
    spans = _settle(rows, widths, near, gap)
    for _ in range(2):
        for step in (-1, 1):
            for row in rows:
                _widen_row(row, spans, near, level, step, gap)
    left = min((span.left for span in spans.values()), default=0)
    for span in spans.values():
        span.left -= left
    return spans


def arranged(
    rows: Sequence[Sequence[str]],
    spans: Mapping[str, Span],
    positions: Mapping[str, int],
    gap: int,
) -> tuple[list[list[str]], dict[str, Span]]:
    """Rows and places after boxes were moved by so many columns; others make room.

    A box that was moved stands where it was put, and past others if it was put past them, as far
    as boxes that were moved do not want the same place.
    """
    found = {name: Span(span.left, span.width) for name, span in spans.items()}
    ordered: list[list[str]] = []
    for row in rows:
        if not any(positions.get(name) for name in row):
            ordered.append(list(row))
            continue
        wanted = {name: spans[name].left + positions.get(name, 0) for name in row}
        middles = {name: wanted[name] + spans[name].width / 2 for name in row}
        names = sorted(row, key=middles.__getitem__)
        lefts = spread(
            [wanted[name] for name in names],
            [spans[name].width + gap for name in names],
            [1000.0 if positions.get(name) else 1.0 for name in names],
        )
        free: int | None = None
        for name, left in zip(names, lefts, strict=True):
            at = floor(left + 0.5)
            found[name].left = at if free is None else max(at, free)
            free = found[name].right + gap
        ordered.append(names)
    return ordered, found


def _settle(
    rows: Sequence[Sequence[str]],
    widths: Mapping[str, int],
    near: Mapping[str, set[str]],
    gap: int,
) -> dict[str, Span]:
    middle: dict[str, float] = {}
    lefts: dict[str, float] = {}

    def move(row: Sequence[str], wanted: list[float], weights: list[float] | None) -> None:
        steps = [widths[name] + gap for name in row]
        edges = [want - widths[name] / 2 for name, want in zip(row, wanted, strict=True)]
        for name, left in zip(row, spread(edges, steps, weights), strict=True):
            lefts[name] = left
            middle[name] = left + widths[name] / 2

    for row in rows:
        move(row, [0.0] * len(row), None)
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 else rows[::-1]:
            wanted = []
            for name in row:
                others = [middle[other] for other in near.get(name, ())]
                wanted.append(sum(others) / len(others) if others else middle[name])
            move(row, wanted, [max(len(near.get(name, ())), 0.01) for name in row])
    spans: dict[str, Span] = {}
    for row in rows:
        free = None
        for name in row:
            left = floor(lefts[name] + 0.5)
            spans[name] = Span(left if free is None else max(left, free), widths[name])
            free = spans[name].right + gap
    return spans


def _widen_row(
    row: Sequence[str],
    spans: Mapping[str, Span],
    near: Mapping[str, set[str]],
    level: Mapping[str, int],
    step: int,
    gap: int,
) -> None:
    """Let boxes reach over what hangs on them alone, as far as their row leaves room."""
    for index, name in enumerate(row):
        reach = [other for other in near.get(name, ()) if level[other] == level[name] + step]
        mine = [
            other
            for other in reach
            if sum(level[third] == level[name] for third in near[other]) == 1
        ]
        if not mine or len(mine) < len(reach):
            continue
        span = spans[name]
        left = min(min(spans[other].left for other in mine), span.left)
        right = max(max(spans[other].right for other in mine), span.right)
        if index:
            left = max(left, min(spans[row[index - 1]].right + gap, span.left))
        if index + 1 < len(row):
            right = min(right, max(spans[row[index + 1]].left - gap, span.right))
        span.left, span.width = left, right - left
