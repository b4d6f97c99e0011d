"""Statements about many things in one test find the same faults as one test for each."""

from __future__ import annotations

import pytest

from tests.every import for_every


def test_each_case_that_a_statement_is_not_true_of_is_told() -> None:
    @for_every([1, 2, 3, 4], named="number {}".format)
    def numbers_are_odd(number: int) -> None:
        assert number % 2

    with pytest.raises(ExceptionGroup, match="numbers_are_odd: not true of 2") as told:
        numbers_are_odd()
    notes = [fault.__notes__ for fault in told.value.exceptions]
    assert notes == [["of number 2"], ["of number 4"]]


def test_errors_in_a_case_are_told_too() -> None:
    @for_every([1, 0])
    def numbers_divide_one(number: int) -> None:
        assert 1 / number

    with pytest.raises(ExceptionGroup, match="not true of 1"):
        numbers_divide_one()


def test_a_statement_about_nothing_fails() -> None:
    @for_every([])
    def nothing_is_odd(number: int) -> None:
        assert number % 2

    with pytest.raises(AssertionError, match="nothing to hold to it"):
        nothing_is_odd()
