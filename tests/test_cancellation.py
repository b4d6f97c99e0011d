"""An analysis ends soon after nobody wants it any more, and can be asked for again."""

from __future__ import annotations

import pytest

import toposmith
from bench.faults import design
from toposmith import cancellation
from toposmith.analysis.analyse import Questions
from toposmith.analysis.request import Request
from toposmith.bill.numbered_connections import wire
from toposmith.cancellation import Stopped, TimeLimit, go_on, stopped_unless
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.exports.cable_schedule import schedule_rows
from toposmith.fabric.planner import plan_design
from toposmith.racks.placement import place
from toposmith.templates import new_design
from toposmith.workloads.layout_search import search
from toposmith.workloads.runnable import workload_that_divides


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

    assert TimeLimit(11).run(ten_seconds) == "done"
    limit = TimeLimit(4)
    assert limit.run(ten_seconds) is None
    assert clock[0] == 14
    assert limit.run(ten_seconds) is None
    assert clock[0] == 14


def test_half_of_the_time_is_kept_for_what_comes_after(clock: list[float]) -> None:
    limit = TimeLimit(10)
    clock[0] = 6
    assert limit.run(lambda: "tried", 0.5) is None
    assert limit.run(lambda: "priced") == "priced"


def test_who_waits_for_all_of_it_ends_a_step_that_has_time() -> None:
    with pytest.raises(Stopped), stopped_unless(lambda: False):
        TimeLimit().run(lambda: "done")


def test_work_inside_other_work_is_wanted_by_both() -> None:
    with stopped_unless(lambda: False), stopped_unless(lambda: True), pytest.raises(Stopped):
        go_on()


def test_a_step_that_begins_late_has_some_seconds_unless_somebody_ends_its_share(
    clock: list[float],
) -> None:
    def seconds(many: int) -> bool:
        for _ in range(many):
            clock[0] += 1
            go_on()
        return True

    limit = TimeLimit(5)
    clock[0] = 60
    assert limit.run(lambda: seconds(1)) is None
    assert limit.run(lambda: seconds(2), at_least=3)
    assert limit.run(lambda: seconds(4), at_least=3) is None
    limit.end()
    assert limit.run(lambda: seconds(2), at_least=3)
    assert limit.run(lambda: seconds(2), 0.9, at_least=3) is None


def test_cables_are_numbered_one_by_one_as_long_as_that_is_wanted() -> None:
    """9 groups of 8 switches with a node each: 8 NICs, 28 cables in a group, one to each other."""
    catalog = load_catalog()
    dragonfly = new_design("dragonfly", {"groups": 9, "routers": 8, "global": 1}, catalog=catalog)
    plan = plan_design(dragonfly, catalog)
    stands = place(plan, catalog)
    asked = 0

    def wanted() -> bool:
        nonlocal asked
        asked += 1
        return asked <= most

    most = 10**9
    with stopped_unless(wanted):
        connections = len(wire(plan, catalog, stands))
    assert connections == 9 * 8 * 8 + 9 * 28 + 36
    assert asked >= connections
    most = asked + connections // 2
    with pytest.raises(Stopped), stopped_unless(wanted):
        wire(plan, catalog, stands)
    assert asked == most + 1


def test_a_cable_schedule_is_stopped_between_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_rows, "_STEP", 10)
    evaluated = toposmith.evaluate("dgx-a100-su")
    rows = evaluated.schedule.rows()
    with pytest.raises(Stopped), stopped_unless(lambda: False):
        for count, _ in enumerate(rows):
            assert count < 10


def test_a_search_of_layouts_is_stopped_between_layouts() -> None:
    evaluated = toposmith.evaluate("dgx-a100-su")
    block = {"model": "llama3-70b", "training": {"batch": 960}}
    timed = 0

    def count(_done: int, _of: int) -> None:
        nonlocal timed
        timed += 1

    with pytest.raises(Stopped), stopped_unless(lambda: timed < 3):
        search(evaluated.plan, evaluated.catalog, workload_that_divides(block), progress=count)
    assert timed == 3
