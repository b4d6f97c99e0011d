"""The designer's figures: asked for where the design changes, handed down where they are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on

from toposmith.topology.analysis.jobs.of_design import job_and_findings
from toposmith.topology.analysis.request import Request
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.drawing.history_line import STEPS_SHOWN
from toposmith.tui.figures.effects import effect, falls, joined
from toposmith.tui.figures.figuring import Wanted
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import LiveWorkload
from toposmith.tui.figures.step_figures import StepFigures
from toposmith.tui.keeping.session import Session
from toposmith.tui.questions import Choice
from toposmith.tui.screens.designer_bench import DesignerBench
from toposmith.tui.views.view import View
from toposmith.tui.widgets.figure_jobs import FigureJobs
from toposmith.tui.widgets.live_panel import LivePanel
from toposmith.tui.widgets.measure_panel import MeasurePanel
from toposmith.tui.widgets.question_panel import QuestionPanel
from toposmith.tui.widgets.step_jobs import StepJobs

if TYPE_CHECKING:
    from toposmith.topology.analysis.result import Analysis
    from toposmith.topology.workbench import Step, Workbench


MESSAGE_MARGIN = 8
"""Cells of the message line that are no words: its mark, a colon, the border."""


class DesignerFigures(DesignerBench):
    """The main screen with its figures: what is shown follows the design and the request."""

    def __init__(self, *, glyphs: Glyphs, read_only: bool = False) -> None:
        super().__init__(glyphs=glyphs, read_only=read_only)
        self._before: Analysis | None = None
        self._whole: Analysis | None = None
        self._steps = StepFigures()
        self._list_steps: Callable[[], list[Choice]] | None = None
        self._to_tell = ""
        self._asked: Wanted | None = None

    def measure_again(self) -> None:
        """Show the figures of what is to be measured now."""
        self._before = None
        self._want_figures()
        self.refresh_state()

    def let_fail(self, selectors: tuple[str, ...]) -> None:
        """Show all figures without these things; with none of them, of the whole design again."""
        bench = self.workbench
        if not bench.failing:
            self._whole = self._figures.analysis
        bench.failing = selectors
        self._before = self._whole if selectors else None
        self._draw(self._figures.analysis)
        self._want_figures()
        self.refresh_state()

    def view_turned(self) -> None:
        """Let the view show the design as it stands; what an earlier one lit goes out."""
        self.canvas.light(frozenset())
        if self.view is not None and self._bench is not None:
            self.view.turned_to(self.workbench.request)
            self._let_view_follow()

    def _begin_with(self, bench: Workbench, session: Session) -> None:
        """Work on another design; who takes part is its own, all else is measured as before."""
        before = Request() if self._bench is None else self._bench.request
        job, _ = job_and_findings(session.design)
        bench.request = replace(before, job=job)
        self.session, self._bench = session, bench
        self._figures, self._before, self._judged = LiveFigures(), None, None
        self.canvas.remark(None, {})
        self._steps = StepFigures()
        self.query_one(StepJobs).forget()
        self._workload = LiveWorkload()
        self._to_tell = ""
        for view in self.query(View):
            view.forget()

    def _show_design(self) -> None:
        """Show the design as it stands now; its figures follow.

        Until they are there, or take too long, the loads of before stay: most edits change few.
        """
        if self._figures.analysis is not None:
            self._before = self._figures.analysis
        self._draw(self._figures.analysis)
        self._want_figures()
        self.refresh_state()

    def _want_figures(self) -> None:
        bench = self.workbench
        self._asked = self._wanted_with_saved
        self.query_one(StepJobs).forget()
        self.query_one(FigureJobs).want(self._asked, bench.catalog, self._before)
        self.query_one(MeasurePanel).show(bench.request)
        self._let_view_follow()

    def _let_view_follow(self) -> None:
        if self.view is not None:
            self.view.follow(self._wanted_with_saved, self.workbench.catalog)

    @on(FigureJobs.Ready)
    def _show_figures(self, event: FigureJobs.Ready) -> None:
        figures = replace(
            event.figures, trail=self._trail_with(event), workload=self._live_workload
        )
        if self._judged is not None and figures.analysis is not None:
            figures = replace(
                figures, findings=self._judged, judged=True
            )  # the new ones follow at once
        self.query_one(LivePanel).show(figures)
        self._draw(figures.analysis)
        if figures.analysis is not None or figures.trouble:
            self._tell_effect(figures)
            self._figures = figures
            self.query_one(MeasurePanel).show_findings(figures.findings)
            self._refresh_header()
            self._want_workload(event.wanted)

    def _want_workload(self, wanted: Wanted) -> None:
        """Ask what the workload gets of the design; what it got before stands until then."""
        jobs = self.query_one(FigureJobs)
        if wanted.design.workload and wanted is self._asked:
            jobs.want_workload(wanted, self.workbench.catalog)
        else:
            jobs.forget_workload()

    @on(FigureJobs.WorkloadReady)
    def _show_workload(self, event: FigureJobs.WorkloadReady) -> None:
        before = self._workload.figure
        self._workload = LiveWorkload(event.found, before, event.trouble)
        self._figures = replace(self._figures, workload=self._live_workload)
        self.query_one(LivePanel).show(self._figures)
        self._draw(self._figures.analysis)

    @on(FigureJobs.Judged)
    def _show_findings(self, event: FigureJobs.Judged) -> None:
        self._judged = event.findings
        self._figures = replace(self._figures, findings=event.findings, judged=True)
        self.query_one(LivePanel).show(self._figures)
        self.query_one(MeasurePanel).show_findings(event.findings)
        self.canvas.remark(event.findings)
        self._want_steps()
        self.findings_changed()

    def findings_changed(self) -> None:
        """All findings of the design as it stands are there."""

    def _trail_with(self, event: FigureJobs.Ready) -> tuple[float | None, ...]:
        """The figure after each of the last steps, as far as it was computed for this request."""
        bench, wanted, analysis = self.workbench, event.wanted, event.figures.analysis
        if analysis is not None and wanted.design is bench.design and not wanted.failing:
            self._steps.keep(wanted.request, bench.steps[bench.position], analysis.busbw)
        return self._steps.values(wanted.request, self._last_steps)

    @property
    def _last_steps(self) -> tuple[Step, ...]:
        """The steps that the history line shows."""
        bench = self.workbench
        return bench.steps[: bench.position + 1][-STEPS_SHOWN:]

    def step_words(self, step: Step) -> str:
        """The figure after a step of the history in words."""
        return self.glyphs.shown(self._steps.words(self.workbench.request, step))

    async def choose_step(self, title: str, listed: Callable[[], list[Choice]]) -> str | None:
        """Let the person choose a step; the figures that are not known follow while they look."""
        self._list_steps = listed
        try:
            self._want_steps()
            at = str(self.workbench.position)
            return await self._questions.choose(title, listed(), look=True, at=at)
        finally:
            self._list_steps = None
            if self.is_running:
                self._want_steps()

    def _want_steps(self) -> None:
        """Compute the figures that the history misses: all of them while it is listed."""
        bench = self.workbench
        shown = self._last_steps if self._list_steps is None else bench.steps
        missing = self._steps.missing(bench.request, shown)
        self.query_one(StepJobs).want(missing, bench.request, bench.catalog)

    @on(StepJobs.Ready)
    def _show_step(self, event: StepJobs.Ready) -> None:
        bench = self.workbench
        if not any(step is event.step for step in bench.steps):
            return  # of another design, or of a step that is gone
        self._steps.keep(event.request, event.step, event.busbw)
        trail = self._steps.values(bench.request, self._last_steps)
        if trail != self._figures.trail:
            self._figures = replace(self._figures, trail=trail)
            self.query_one(LivePanel).show(self._figures)
        if self._list_steps is not None:
            self._questions.reword(self._list_steps())

    def _tell_effect(self, figures: LiveFigures) -> None:
        """Say what the last edit did, behind what it was; nothing where a flow said more since."""
        told, self._to_tell = self._to_tell, ""
        before, after = self._figures.outcome, figures.outcome
        if told and after is not None and before is not None:
            pieces = effect(before, after, self.glyphs)
            room = self.size.width - len(told) - MESSAGE_MARGIN
            if pieces:
                self.say(f"{told}: {joined(pieces, room)}")

    @on(MeasurePanel.Changed)
    def _measure_changed(self, event: MeasurePanel.Changed) -> None:
        resized = event.request.message_bytes != self.workbench.request.message_bytes
        self.workbench.request = event.request
        self.measure_again()
        if resized and self.view is not None:
            self.view.turned_to(event.request)

    @on(QuestionPanel.Typed)
    def _answer_typed(self, event: QuestionPanel.Typed) -> None:
        jobs = self.query_one(FigureJobs)
        jobs.want_preview(event.question, event.text, self._wanted, self.workbench.catalog)

    @on(FigureJobs.Previewed)
    def _show_preview(self, event: FigureJobs.Previewed) -> None:
        if event.refusal:
            self._questions.show_refusal(event.refusal)
        elif event.outcome is not None:
            before = self._figures.outcome
            words = effect(before, event.outcome, self.glyphs)
            self._questions.show_effect(", ".join(words), worse=falls(before, event.outcome))
