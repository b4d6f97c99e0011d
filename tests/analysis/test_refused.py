"""A design of too much work is refused by its steps, the same on every machine, and said so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.small_designs import CATALOG
from toposmith.analysis import analyse, refused
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.refused import refusal
from toposmith.analysis.request import Request
from toposmith.cancellation import Steps, go_on
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding
from toposmith.review.findings import collecting
from toposmith.review.findings.collecting import Subject

POD = """\
toposmith: 2
groups:
  node: {part: node2, count: 4, nics: {compute: {part: nic-1x100, count: 2}}}
  leaf: {part: switch, count: 2}
links:
  - {between: [node.compute, leaf]}
down: ["node[node=1].compute[0]", "node[node=2]"]
"""


def evaluated() -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(POD, "pod"), CATALOG)


def test_steps_are_counted_for_the_work_that_encloses_them() -> None:
    def work(steps: int) -> str:
        go_on(steps)
        return "done"

    outer, inner = Steps(10), Steps(5)
    assert outer.run(lambda: inner.run(lambda: work(5))) == "done"
    assert (outer.taken, inner.taken) == (5, 5)
    assert outer.run(lambda: inner.run(lambda: work(1))) is None  # of the inner none was left
    assert outer.run(lambda: work(5)) is None
    assert outer.taken > outer.most


def test_a_design_of_too_many_unlike_devices_has_no_figures_but_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = plan_design(parse_design(POD, "pod"), CATALOG)
    assert refusal(ComputeNetwork(plan)) is None
    monkeypatch.setattr(refused, "MOST_STEPS_OF_CLASSES", 0)
    found = evaluated()
    assert found.analysis.busbw_GBps is None
    (why,) = (one for one in found.findings if one.code == "too-irregular")
    assert why.severity == "error"


def test_requests_that_are_asked_together_share_the_steps_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = Request(), Request(collective="all_to_all")

    def steps(*requests: Request) -> int:
        questions, taken = evaluated().planned.questions, Steps()
        assert taken.run(lambda: questions.analyses(*requests)) is not None
        return taken.taken

    alone, both = steps(first), steps(first, second)
    assert both > alone
    monkeypatch.setattr(analyse, "MOST_STEPS", both - 1)
    questions = evaluated().planned.questions
    figures, beside = questions.analyses(first, second)
    assert figures.busbw_GBps is not None
    assert beside.busbw_GBps is None
    assert "too-irregular" in {one.code for one in beside.findings}
    assert questions.analysis(second).busbw_GBps is not None  # asked alone it has all of them


def test_more_groups_and_links_than_the_budget_has_time_for_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refused, "MOST_GROUPS_AND_LINKS", 3)
    assert evaluated().analysis.busbw_GBps is not None  # two groups, one link
    monkeypatch.setattr(refused, "MOST_GROUPS_AND_LINKS", 2)
    found = evaluated()
    assert found.analysis.busbw_GBps is None
    assert "too-irregular" in {one.code for one in found.findings}


def test_what_no_finding_had_steps_left_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not-all-checked" not in {one.code for one in evaluated().findings}
    monkeypatch.setattr(collecting, "MOST_STEPS", 9)

    def laborious(_: Subject) -> Iterator[Finding]:
        go_on(10)
        yield from ()

    monkeypatch.setattr(collecting, "FINDERS", [*collecting.FINDERS, laborious])
    assert "not-all-checked" in {one.code for one in evaluated().findings}


def test_entries_that_name_several_devices_count_for_each_of_them() -> None:
    def steps(entries: int) -> int:
        down = ", ".join(['"node[node=1..2]"'] * entries)
        plan = plan_design(
            parse_design(f"{POD.partition('down')[0]}down: [{down}]", "pod"), CATALOG
        )
        taken = Steps()
        assert taken.run(lambda: ComputeNetwork(plan).classes) is not None
        return taken.taken

    assert steps(90) - steps(10) >= 2 * 80  # nodes that are up, and those that are down
