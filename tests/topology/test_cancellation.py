"""An analysis ends soon after nobody wants it any more, and can be asked for again."""

from __future__ import annotations

import pytest

from bench.faults import design
from toposmith.catalog import load_catalog
from toposmith.topology import cancellation
from toposmith.topology.analysis.analyse import Questions
from toposmith.topology.analysis.request import Request
from toposmith.topology.cancellation import Stopped, TimeLimit, go_on, stopped_unless
from toposmith.topology.design.parser import parse_design
from toposmith.topology.fabric.planner import plan_design


@pytest.mark.parametrize("collective", ["all_reduce", "all_to_all", "all_gather"])
@pytest.mark.parametrize("faults", [0, 30])
def test_an_analysis_is_stopped_and_has_the_same_figures_when_asked_again(
    collective: str, faults: int
) -> None:
    catalog = load_catalog()
    plan = plan_design(parse_design(design("mixed", faults, 4), "test"), catalog)
    request = Request(collective)  # type: ignore[arg-type]
    asked = 0

    def wanted() -> bool:
        nonlocal asked
        asked += 1
        return asked <= 3

    questions = Questions(plan, catalog)
    with pytest.raises(Stopped), stopped_unless(wanted):
        questions.analysis(request)
    assert asked == 4
    fresh = plan_design(parse_design(design("mixed", faults, 4), "test"), catalog)
    assert questions.analysis(request) == Questions(fresh, catalog).analysis(request)


def test_work_that_nobody_may_stop_goes_on() -> None:
    with stopped_unless(lambda: True):
        go_on()
    go_on()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that have gone by."""
    now = [0.0]
    monkeypatch.setattr(cancellation, "monotonic", lambda: now[0])
    return now


def test_a_step_ends_where_its_time_does_and_no_other_begins(clock: list[float]) -> None:
    def ten_seconds() -> str:
        for _ in range(10):
            clock[0] += 1
            go_on()
        return "done"

    assert TimeLimit(11).held(ten_seconds) == "done"
    limit = TimeLimit(4)
    assert limit.held(ten_seconds) is None
    assert clock[0] == 14
    assert limit.held(ten_seconds) is None
    assert clock[0] == 14


def test_half_of_the_time_is_kept_for_what_comes_after(clock: list[float]) -> None:
    limit = TimeLimit(10)
    clock[0] = 6
    assert limit.held(lambda: "tried", 0.5) is None
    assert limit.held(lambda: "priced") == "priced"


def test_who_waits_for_all_of_it_ends_a_step_that_has_time() -> None:
    with pytest.raises(Stopped), stopped_unless(lambda: False):
        TimeLimit().held(lambda: "done")


def test_work_inside_other_work_is_wanted_by_both() -> None:
    with stopped_unless(lambda: False), stopped_unless(lambda: True), pytest.raises(Stopped):
        go_on()
