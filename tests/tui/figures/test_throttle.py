"""A thread tells how far it is a few times a second, however fast it goes."""

from __future__ import annotations

from toposmith.tui.figures.throttle import Throttle


def test_a_million_steps_within_a_second_are_told_eleven_times() -> None:
    now = [5.0]
    pace = Throttle(clock=lambda: now[0])
    told = 0
    for step in range(1_000_001):
        now[0] = 5.0 + step / 1_000_000
        told += pace.due()
    assert 10 <= told <= 11
