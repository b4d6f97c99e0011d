"""Whole numbers as intervals: nothing is lost or added, and no two could be one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposmith.intervals import joined_intervals, runs_of


@given(st.sets(st.integers(-20, 20)))
def test_runs_hold_each_value_once_and_are_as_few_as_can_be(values: set[int]) -> None:
    runs = runs_of(sorted(values))
    held = [value for low, high in runs for value in range(low, high + 1)]
    assert held == sorted(values)
    assert len(runs) == sum(value - 1 not in values for value in values)


def test_intervals_stay_in_the_order_given() -> None:
    assert joined_intervals([(5, 6), (7, 9), (0, 1), (3, 3)]) == [(5, 9), (0, 1), (3, 3)]
    assert runs_of([4, 5, 1, 0]) == [(4, 5), (1, 1), (0, 0)]
