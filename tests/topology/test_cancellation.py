"""An analysis ends soon after nobody wants it any more, and can be asked for again."""

from __future__ import annotations

import pytest

from bench.faults import design
from toposmith.catalog import load_catalog
from toposmith.topology.analysis.analyse import Questions
from toposmith.topology.analysis.request import Request
from toposmith.topology.cancellation import Stopped, go_on, stopped_unless
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
