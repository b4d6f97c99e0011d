"""Constants refitted without a system are chosen by the results of the others alone."""

from __future__ import annotations

import pytest

from bench.measured.left_out import CONSTANTS, Constant, chosen_without
from toposmith.analysis.prediction import calibration, payload, predictor

SHARE = Constant("a share", (0.8, 0.9), 1.0)


def errors(of_a: tuple[float, float], of_b: tuple[float, float]) -> dict[float, dict[str, dict]]:  # type: ignore[type-arg]
    """Errors of one result each of two systems, with either value."""
    key = ("curve", 2**30, False)
    return {
        value: {"a": {key: of_a[at]}, "b": {key: of_b[at]}} for at, value in enumerate(SHARE.values)
    }


def test_a_system_has_no_say_in_what_it_is_predicted_by() -> None:
    # a is met by 0.8, b by 0.9: each is predicted by what the other says
    found = errors((0.0, 0.1), (-0.1, 0.0))
    assert chosen_without("a", SHARE, found) == 0.9
    assert chosen_without("b", SHARE, found) == 0.8


def test_what_no_other_system_shows_is_left_out() -> None:
    # b has the same error with either value
    found = errors((0.0, 0.1), (0.3, 0.3))
    assert chosen_without("a", SHARE, found) == SHARE.neutral


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda one: f"{one.name} {one.key or ''}")
def test_constants_are_as_they_were_afterwards(constant: Constant) -> None:
    homes = [one for one in (calibration, payload, predictor) if hasattr(one, constant.name)]
    assert homes
    before = [getattr(home, constant.name) for home in homes]
    now = before[0] if constant.key is None else before[0][constant.key]
    assert min(constant.values) <= now <= max(constant.values)
    with constant.at(123.0):
        for home in homes:
            value = getattr(home, constant.name)
            assert (value if constant.key is None else value[constant.key]) == 123.0
    assert [getattr(home, constant.name) for home in homes] == before
