"""What is asked and shown when figures come: tried with jobs that a test answers itself."""

from __future__ import annotations

import asyncio
from typing import Any

from toposmith.catalog import Catalog, load_catalog
from toposmith.design.document import Design, Group, Link
from toposmith.design.edits import set_count
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.measurement import Measurement
from toposmith.tui.designer.messages import Messages
from toposmith.tui.drawing.glyphs import glyphs_for
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.shared_figures import Wanted, figure
from toposmith.tui.keeping.session import Session

CATALOG = load_catalog(user=False)
DESIGN = Design(
    groups={"node": Group(part="dgx-h100", count=4), "leaf": Group(part="qm9700", count=1)},
    links=[Link(between=("node.compute", "leaf"))],
)


class Jobs:
    """Jobs that begin nothing: a test answers them."""

    is_running = True

    def __init__(self) -> None:
        self.wanted: list[Wanted] = []
        self.fixes: list[Wanted] = []
        self.before: Any = None
        self.workloads = 0
        self.steps: tuple[Any, ...] = ()
        self.forgotten = 0

    def want(self, wanted: Wanted, catalog: Catalog, before: Any, *takers: Any) -> None:
        self.forget_later()
        self.wanted.append(wanted)
        self.before = before

    def want_fixes(self, wanted: Wanted, catalog: Catalog, take: Any) -> None:
        self.fixes.append(wanted)

    def want_steps(self, steps: Any, request: Any, catalog: Catalog, take: Any) -> None:
        self.steps = tuple(steps)

    def want_workload(self, wanted: Wanted, catalog: Catalog, take: Any) -> None:
        self.workloads += 1

    def forget_later(self) -> None:
        self.steps = ()
        self.forgotten += 1

    def forget_workload(self) -> None:
        pass


class Display:
    """Panels that only remember what they were given."""

    width = 120

    def __init__(self) -> None:
        self.figures: list[LiveFigures] = []
        self.drawn: list[tuple[Any, Any]] = []
        self.requests: list[Any] = []
        self.findings: list[Any] = []

    def draw(self, plan: Any, analysis: Any, catalog: Any, missed: Any) -> None:
        self.drawn.append((plan, analysis))

    def show_figures(self, figures: LiveFigures) -> None:
        self.figures.append(figures)

    def show_findings(self, findings: Any) -> None:
        self.findings.append(findings)

    def show_request(self, request: Any) -> None:
        self.requests.append(request)

    def let_view_follow(self, wanted: Any, catalog: Any) -> None:
        pass

    def turn_view_to(self, request: Any) -> None:
        pass

    def refresh_header(self) -> None:
        pass


class Line:
    """A message line that nobody sees."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str, tone: str = "done") -> None:
        self.said.append(text)


class Seat:
    """A measurement with everything that it works with."""

    def __init__(self) -> None:
        self.line, self.jobs, self.display = Line(), Jobs(), Display()
        self.judged = 0
        messages: Any = Messages(self.line)
        self.editing = Editing(
            messages,
            changed=lambda: self.measurement.follow_design(),
            saved=lambda: None,
            in_background=lambda flush: asyncio.run(flush()),
        )
        display: Any = self.display
        jobs: Any = self.jobs
        questions: Any = None
        self.measurement = Measurement(
            self.editing,
            messages,
            questions,
            display,
            jobs,
            glyphs_for(False),
            changed=lambda: None,
            judged=self._judged,
        )
        self.editing.open(Session(DESIGN), CATALOG)
        self.measurement.follow_design()

    def _judged(self) -> None:
        self.judged += 1

    def answer(self) -> LiveFigures:
        """Compute what was asked last, as the thread would."""
        wanted = self.jobs.wanted[-1]
        self.measurement.take_figures(wanted, figure(wanted, CATALOG, self.jobs.before))
        return self.display.figures[-1]


def test_an_edit_draws_at_once_with_the_loads_of_before_and_asks_for_its_own(
    own_home: Any, work_dir: Any
) -> None:
    seat = Seat()
    before = seat.answer().analysis
    assert seat.editing.make(set_count(seat.editing.design, "node", 5))
    plan, loads = seat.display.drawn[-1]
    assert plan.groups["node"].instances == 5
    assert loads is before
    assert seat.jobs.wanted[-1].design.groups["node"].count == 5
    assert seat.jobs.before is before


def test_figures_are_shown_before_findings_and_the_steps_of_the_past_after_both(
    own_home: Any, work_dir: Any
) -> None:
    seat = Seat()
    figures = seat.answer()
    assert figures.analysis is not None
    assert not figures.judged
    assert not seat.judged
    seat.editing.make(set_count(seat.editing.design, "node", 5))
    seat.answer()
    seat.measurement.take_findings(())
    assert seat.judged == 1
    assert seat.display.figures[-1].judged
    assert seat.measurement.findings == ()


def test_what_an_edit_did_is_said_when_its_figures_are_there(own_home: Any, work_dir: Any) -> None:
    seat = Seat()
    seat.answer()
    seat.editing.make(set_count(seat.editing.design, "node", 5))
    label = seat.line.said[-1]
    seat.answer()
    assert seat.line.said[-1].startswith(f"{label}: ")


def test_while_figures_take_long_the_known_ones_stay_known(own_home: Any, work_dir: Any) -> None:
    seat = Seat()
    known = seat.answer().analysis
    seat.measurement.take_figures(seat.jobs.wanted[-1], LiveFigures())
    assert seat.display.figures[-1].waiting  # they stand there dimmed
    assert seat.display.figures[-1].analysis is known
    assert seat.measurement.figures.analysis is known


def test_the_figures_without_a_leaf_are_compared_with_the_whole_design(
    own_home: Any, work_dir: Any
) -> None:
    seat = Seat()
    whole = seat.answer().analysis
    seat.measurement.let_fail(("node[0]",))
    assert seat.jobs.wanted[-1].failing == ("node[0]",)
    assert seat.jobs.before is whole
    seat.measurement.let_fail(())
    assert seat.jobs.before is None


def test_nothing_of_one_design_is_said_of_the_next(own_home: Any, work_dir: Any) -> None:
    seat = Seat()
    seat.answer()
    seat.measurement.take_findings(())
    seat.editing.open(Session(Design()), CATALOG)
    seat.measurement.begin()
    assert seat.measurement.figures == LiveFigures()
    assert seat.measurement.judged is None


def test_fixes_are_searched_once_figures_and_findings_are_there_and_dropped_by_an_edit(
    own_home: Any, work_dir: Any
) -> None:
    seat = Seat()
    assert seat.answer().searching
    assert not seat.jobs.fixes
    seat.measurement.take_findings(())
    assert [wanted.design for wanted in seat.jobs.fixes] == [DESIGN]
    before = seat.jobs.forgotten
    seat.editing.make(set_count(DESIGN, "node", 8))
    assert seat.jobs.forgotten > before
    assert len(seat.jobs.fixes) == 1


def test_no_fixes_are_searched_of_what_is_tried_to_fail(own_home: Any, work_dir: Any) -> None:
    seat = Seat()
    seat.measurement.let_fail(("node[node=0]",))
    assert not seat.answer().searching
    seat.measurement.take_findings(())
    assert not seat.jobs.fixes
