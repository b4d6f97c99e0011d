"""What a test says does not depend on how busy the machine is that it runs on."""

from __future__ import annotations

from time import sleep

from hypothesis import given, settings
from hypothesis.strategies import integers


@settings(max_examples=2)
@given(integers())
def test_a_statement_about_many_examples_may_take_its_time(example: int) -> None:
    sleep(0.25)
    assert example == example + 0
