"""A key press works nothing out twice: one plan, each class graph and all ports once."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.evaluation import recent
from toposmith.fabric import classes, planner, port_use
from toposmith.fabric.class_builder import ClassBuilder
from toposmith.fabric.once import once
from toposmith.fabric.plan import Plan
from toposmith.tui.designer.measurement import Measurement

pytestmark = pytest.mark.usefixtures("work_dir")


class Work:
    """What was worked out, with how often; of class graphs which."""

    def __init__(self) -> None:
        self.plans: Counter[str] = Counter()
        self.port_findings: Counter[int] = Counter()
        self.graphs: Counter[object] = Counter()
        self._held: list[Plan] = []  # so that no other plan gets the id of one that is gone

    def hold(self, plan: Plan) -> int:
        """A number that stands for this plan as long as the counting goes on."""
        self._held.append(plan)
        return id(plan)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Counts plans, class graphs and accounts of ports from here on, whoever asks."""
    recent.forget()  # a design of another test is known no more
    counted = Work()
    plan_design, port_findings = planner.plan_design, port_use.port_findings

    def planned(*args: Any) -> Plan:
        counted.plans[args[0].model_dump_json()] += 1
        return plan_design(*args)

    @once
    def accounted(plan: Plan) -> Any:
        counted.port_findings[counted.hold(plan)] += 1
        return port_findings.__wrapped__(plan)  # type: ignore[attr-defined]

    class Counted(ClassBuilder):
        def __init__(self, plan: Plan, cuts: Any, catalog: Any, marked: Any, **asked: Any) -> None:
            super().__init__(plan, cuts, catalog, marked, **asked)
            only = tuple(sorted((asked["only"] or {}).items()))
            without_down = asked["without_down"] and bool(plan.down)
            inside = catalog is not None
            counted.graphs[(counted.hold(plan), cuts, inside, marked, without_down, only)] += 1

    for module in [one for name, one in sys.modules.items() if name.startswith("toposmith")]:
        if getattr(module, "plan_design", None) is plan_design:
            monkeypatch.setattr(module, "plan_design", planned)
        if getattr(module, "port_findings", None) is port_findings:
            monkeypatch.setattr(module, "port_findings", accounted)
    monkeypatch.setattr(classes, "ClassBuilder", Counted)
    return counted


def design_of(person: Person) -> str:
    """The design as it stands, as plans are counted by it."""
    return person.designer.workbench.design.model_dump_json()


async def test_an_edit_plans_once_and_builds_each_class_graph_once(
    open_app: OpenApp, two_tier: Path, work: Work
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus", "minus")  # the saved version and its steps are known from here
        work.__init__()  # type: ignore[misc]
        await person.press("minus")
        assert person.designer.workbench.design.groups["node"].count == 5
        assert work.plans[design_of(person)] == 1
        assert set(work.plans.values()) == {1}  # others are the design without a thing that fails
        assert list(work.port_findings.values()) == [1]
        assert work.graphs
        twice = [key for key, many in work.graphs.items() if many > 1]
        assert not twice


async def test_going_back_plans_nothing(open_app: OpenApp, two_tier: Path, work: Work) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus", "minus")
        work.__init__()  # type: ignore[misc]
        await person.press("u")
        assert work.plans[design_of(person)] == 0
        assert not work.port_findings


async def test_what_is_typed_is_planned_once_and_not_again_when_it_is_made(
    open_app: OpenApp, two_tier: Path, work: Work
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus")
        await person.press("c")
        await person.press("ctrl+u")
        work.__init__()  # type: ignore[misc]
        await person.press("3")  # which no test before has evaluated
        assert list(work.plans.values()) == [1]
        assert max(work.graphs.values()) == 1
        assert max(work.port_findings.values()) == 1
        await person.press("enter")
        assert person.designer.workbench.design.groups["node"].count == 3
        assert work.plans[design_of(person)] == 1
        assert set(work.plans.values()) == {1}
        assert max(work.graphs.values()) == 1


async def test_the_number_does_not_wait_for_the_findings(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(two_tier) as person:
        came: list[str] = []

        def noted(name: str, take: Any) -> Any:
            def noting(measurement: Measurement, *found: Any) -> None:
                came.append(name)
                take(measurement, *found)

            return noting

        for name in ("take_figures", "take_findings"):
            monkeypatch.setattr(Measurement, name, noted(name, getattr(Measurement, name)))
        person.designer.select_group("node")
        await person.press("minus")
        assert came[-2:] == ["take_figures", "take_findings"]
