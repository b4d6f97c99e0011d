"""Failures as the app looks at them: seen while that goes on, ended by a person."""

from __future__ import annotations

from tests.every_design import CATALOG, EVERY
from toposmith.analysis.request import Request
from toposmith.tui.figures.live_sweep import FoundFailures, LiveSweep
from toposmith.tui.figures.shared_figures import Wanted

ONE_LEAF = EVERY["a100-rack-1x100gbe"]
WANTED = Wanted(ONE_LEAF, Request(collective="all_to_all"))


def test_the_collective_that_is_measured_stands_first_and_once() -> None:
    found = LiveSweep().run(WANTED, CATALOG, progress=lambda *_: True)
    assert list(found.sweep.before) == ["all_to_all", "all_reduce"]
    assert found.design is ONE_LEAF
    assert found.sweep.complete
    assert not found.sweep.doubles


def test_what_was_found_is_told_once_and_to_nobody_who_wants_another_design() -> None:
    live = LiveSweep()
    seen: list[FoundFailures | None] = []
    total: set[int] = set()

    def look(done: int, of: int) -> bool:
        total.add(of)
        if done == 2:
            seen.extend((live.news(Wanted(ONE_LEAF, Request())), live.news(WANTED)))
            seen.append(live.news(WANTED))
        return True

    live.run(WANTED, CATALOG, progress=look)
    other, first, again = seen
    assert other is None and again is None
    assert first is not None
    (all_of_them,) = total
    looked_at = len(first.sweep.singles)
    assert looked_at + first.sweep.to_come == all_of_them
    assert 1 <= looked_at <= 2


def test_a_sweep_that_a_person_ends_keeps_what_is_there_and_the_next_one_is_whole() -> None:
    live = LiveSweep()

    def end(done: int, _of: int) -> bool:
        if done == 1:
            live.end()
        return True

    found = live.run(WANTED, CATALOG, progress=end)
    assert live.ended
    assert not found.sweep.complete
    assert len(found.sweep.singles) == 1
    live.begin()
    assert not live.ended
    assert live.run(WANTED, CATALOG, progress=lambda *_: True).sweep.complete


def test_pairs_are_drawn_or_all_of_them_counted() -> None:
    live = LiveSweep()
    live.pairs = 3
    drawn = live.run(WANTED, CATALOG, progress=lambda *_: True).sweep
    assert 1 <= len(drawn.doubles) <= 3
    assert not drawn.pairs  # a sample stands for itself alone
    live.pairs = None
    everything = live.run(WANTED, CATALOG, progress=lambda *_: True).sweep
    assert everything.doubles_words.startswith(f"all {everything.pairs:,} pairs of nodes")
    assert everything.pairs > 3
