"""Whole numbers as intervals, ends included."""

from __future__ import annotations

from collections.abc import Iterable

Interval = tuple[int, int]
"""First and last value, both included."""


def joined_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """Intervals in the order given; one that begins behind the last is joined to it."""
    joined: list[Interval] = []
    for low, high in intervals:
        if joined and joined[-1][1] + 1 == low:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


def runs_of(values: Iterable[int]) -> list[Interval]:
    """Values in the order given as intervals."""
    return joined_intervals((value, value) for value in values)
