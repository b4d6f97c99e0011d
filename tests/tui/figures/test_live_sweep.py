"""Failures as the app looks at them: seen while that goes on, ended by a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.every_design import CATALOG, EVERY
from toposmith.analysis.request import Request
from toposmith.cancellation import TimeLimit
from toposmith.review.failures.sweep import Sweep
from toposmith.tui.figures.shared_figures import Wanted
from toposmith.tui.flows.failure_trials import Trials
from toposmith.tui.views.failures_view import FAILURES
from toposmith.tui.views.listing import ViewJob

ONE_LEAF = EVERY["a100-rack-1x100gbe"]
WANTED = Wanted(ONE_LEAF, Request(collective="all_to_all"))


def run(
    *,
    pairs: int | None = 0,
    went: Callable[[int, int], bool] = lambda *_: True,
    so_far: Callable[[Callable[[], object]], None] = lambda _: None,
    limit: TimeLimit | None = None,
) -> Sweep:
    assert FAILURES.compute is not None
    job = ViewJob(WANTED, CATALOG, Trials(pairs=pairs), went, so_far, limit or TimeLimit())
    found: Any = FAILURES.compute(job)
    sweep, design = found
    assert design is ONE_LEAF
    assert isinstance(sweep, Sweep)
    return sweep


def test_the_collective_that_is_measured_stands_first_and_once() -> None:
    sweep = run()
    assert list(sweep.before) == ["all_to_all", "all_reduce"]
    assert sweep.complete
    assert not sweep.doubles


def test_what_is_found_can_be_seen_before_all_of_it_is_there() -> None:
    makers: list[Callable[[], Any]] = []
    seen: list[Sweep] = []
    total: set[int] = set()

    def look(done: int, of: int) -> bool:
        total.add(of)
        if done == 2:
            seen.append(makers[-1]()[0])
        return True

    run(went=look, so_far=makers.append)
    (first,) = seen
    (all_of_them,) = total
    looked_at = len(first.singles)
    assert looked_at + first.to_come == all_of_them
    assert 1 <= looked_at <= 2


def test_a_sweep_that_a_person_ends_keeps_what_is_there_and_the_next_one_is_whole() -> None:
    limit = TimeLimit()

    def end(done: int, _of: int) -> bool:
        if done == 1:
            limit.end()
        return True

    ended = run(went=end, limit=limit)
    assert limit.ended
    assert not ended.complete
    assert len(ended.singles) == 1
    assert run().complete


def test_pairs_are_drawn_or_all_of_them_counted() -> None:
    drawn = run(pairs=3)
    assert 1 <= len(drawn.doubles) <= 3
    assert not drawn.pairs  # a sample stands for itself alone
    everything = run(pairs=None)
    assert everything.doubles_words.startswith(f"all {everything.pairs:,} pairs of nodes")
    assert everything.pairs > 3
