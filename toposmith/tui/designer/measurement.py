"""What is measured of the design: asked for where it changes, handed on where it is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from toposmith.analysis.request import Request
from toposmith.collectives import COLLECTIVES, collective_name
from toposmith.design.edits import Edit, set_routing
from toposmith.design.routing_rules import routing_problems
from toposmith.findings.finding import Finding
from toposmith.labels import Labelled
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.messages import Messages
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.drawing.history_line import STEPS_SHOWN
from toposmith.tui.figures.effects import FigureSet, effect, falls
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import LiveWorkload, missed_links
from toposmith.tui.figures.shared_figures import Wanted
from toposmith.tui.figures.step_figures import StepFigures
from toposmith.tui.questions import Choice, Question

if TYPE_CHECKING:
    from toposmith.analysis.result import Analysis
    from toposmith.design.document import RoutingMode
    from toposmith.synthesis.next_change import NextChange
    from toposmith.tui.designer.display import Display
    from toposmith.tui.designer.figure_jobs import FigureJobs
    from toposmith.tui.widgets.question_panel import QuestionPanel
    from toposmith.workbench import HistoryStep
    from toposmith.workloads.assess import Assessment

FIGURE_WIDTH = 9
"""Cells of a figure in the list of steps."""


class Measurement:
    """Figures, findings and workload of the current design, and the figures of its history.

    Parameters
    ----------
    editing : Editing
        The design, and what is measured of it.
    messages : Messages
        Where the effect of an edit is said.
    questions : QuestionPanel
        Where the effect of an answer is said.
    display : Display
        Where all of it is shown.
    jobs : FigureJobs
        What computes, beside the screen.
    glyphs : Glyphs
        The signs to write with.
    changed : callable
        Called where something else is measured.
    judged : callable
        Called when all findings are there.
    """

    def __init__(
        self,
        editing: Editing,
        messages: Messages,
        questions: QuestionPanel,
        display: Display,
        jobs: FigureJobs,
        glyphs: Glyphs,
        *,
        changed: Callable[[], None],
        judged: Callable[[], None],
    ) -> None:
        self._editing = editing
        self._messages = messages
        self._questions = questions
        self._display = display
        self._jobs = jobs
        self._glyphs = glyphs
        self._changed = changed
        self._all_judged = judged
        self._whole: Analysis | None = None
        self._tried_routing: int | None = None
        self._listing_steps = False
        self._begin()

    def _begin(self) -> None:
        self.figures = LiveFigures()
        self.judged: tuple[Finding, ...] | None = None
        self._workload = LiveWorkload()
        self._before: Analysis | None = None
        self._steps = StepFigures()
        self._asked: Wanted | None = None

    @property
    def busy(self) -> bool:
        """Whether anything of that is being computed."""
        return self._jobs.busy

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or worth knowing about the design."""
        return self.figures.findings if self.judged is None else self.judged

    @property
    def workload(self) -> LiveWorkload | None:
        """What is known of the workload; None where the design has none."""
        return self._workload if self._editing.design.workload else None

    @property
    def wanted(self) -> Wanted:
        """What is asked of the current design."""
        bench, session = self._editing.workbench, self._editing.session
        return Wanted(
            bench.design,
            bench.request,
            failing=bench.failing,
            signed=session.signed,
        )

    @property
    def wanted_with_saved(self) -> Wanted:
        """The same, beside the saved version where the design differs from it."""
        bench = self._editing.workbench
        return replace(self.wanted, saved=bench.saved_design if bench.dirty else None)

    def begin(self) -> None:
        """Another design was opened: nothing is known of it."""
        self._begin()
        self._jobs.forget_later()
        self._messages.say("")
        self._display.show_figures(self.figures)

    def follow_design(self) -> None:
        """Show the current design; its figures follow.

        Until they are there, or take too long, the loads of before stay: most edits change few.
        """
        if self.figures.analysis is not None:
            self._before = self.figures.analysis
        bench = self._editing.workbench
        bench.request = self._as_designed_where_refused(bench.request).of(bench.design)
        self._ask_anew()

    def measure_again(self) -> None:
        """Show the figures of what is to be measured now."""
        self._before = None
        self.ask()
        self._changed()

    def measure(self, request: Request) -> None:
        """Measure something else; a routing that the design can have becomes that of the design."""
        bench = self._editing.workbench
        resized = request.message_bytes != bench.request.message_bytes
        mode = request.routing.mode
        if mode != bench.request.routing.mode and self._may_route(mode):
            bench.request = replace(request, routing=replace(request.routing, by_design=True))
            # where the design says so already, there is no step to make
            if bench.design.routing == mode or not self._make_routing(mode):
                bench.request = bench.request.of(bench.design)
                self.measure_again()
        else:
            bench.request = request
            self.measure_again()
        if resized:
            self._display.turn_view_to(request)

    def next_collective(self) -> None:
        """Measure the next collective."""
        bench, known = self._editing.workbench, tuple(COLLECTIVES)
        following = known[(known.index(bench.request.collective) + 1) % len(known)]
        bench.request = replace(bench.request, collective=following)
        self.measure_again()
        self._messages.say(f"now {collective_name(following)}; M chooses among all", "hint")

    def _make_routing(self, mode: RoutingMode) -> bool:
        """Route so from here on; what is gone through on the way to it is no step of its own."""
        bench = self._editing.workbench
        before = {step.number for step in bench.steps}
        edit = set_routing(bench.design, mode)
        if not self._editing.make(edit, instead_of=self._tried_routing):
            return False
        number = bench.steps[bench.position].number
        self._tried_routing = None if number in before else number
        return True

    def routing_edit(self, request: Request) -> Edit | None:
        """The step that gives the design what a request routes by; None where that is no step."""
        bench, routing = self._editing.workbench, request.routing
        asked = bench.request.routing
        if routing.mode == asked.mode or not asked.by_design or not self._may_route(routing.mode):
            return None
        return set_routing(bench.design, routing.mode)

    def settle_routing(self) -> None:
        """What is chosen next is a step of its own; one that the design cannot have is dropped."""
        self._tried_routing = None
        self.forget_refused_routing()

    def _may_route(self, mode: RoutingMode) -> bool:
        """Whether the design can be given a routing; of one for review it is tried only."""
        editing = self._editing
        return not (editing.read_only or any(routing_problems(editing.design, mode)))

    def forget_refused_routing(self) -> None:
        """Measure by the routing of the design again where one was tried that it cannot have."""
        bench = self._editing.workbench
        request = self._as_designed_where_refused(bench.request).of(bench.design)
        if request != bench.request:
            bench.request = request
            self.measure_again()

    def _as_designed_where_refused(self, request: Request) -> Request:
        if any(routing_problems(self._editing.design, request.routing.mode)):
            return replace(request, routing=replace(request.routing, by_design=True))
        return request

    def let_fail(self, selectors: tuple[str, ...]) -> None:
        """Show all figures without these things; with none of them, of the whole design again."""
        bench = self._editing.workbench
        if not bench.failing:
            self._whole = self.figures.analysis
        bench.failing = selectors
        self._before = self._whole if selectors else None
        self._ask_anew()

    def _ask_anew(self) -> None:
        self.draw()
        self.ask()
        self._changed()

    def ask(self) -> None:
        """Ask for the figures of the current design."""
        bench = self._editing.workbench
        self._asked = self.wanted_with_saved
        self._jobs.want(
            self._asked, bench.catalog, self._before, self.take_figures, self.take_findings
        )
        self._display.show_request(bench.request)
        self.let_view_follow()

    def stop(self) -> bool:
        """Stop figures that take long; whether there were any."""
        return self._jobs.stop()

    def let_view_follow(self) -> None:
        """Let the view that is shown follow the design."""
        self._display.let_view_follow(self.wanted_with_saved, self._editing.workbench.catalog)

    def draw(self) -> None:
        """Draw the design with the figures that are there."""
        self._draw(self.figures.analysis)

    def _draw(self, analysis: Analysis | None) -> None:
        bench = self._editing.workbench
        plan = bench.tried_plan if bench.failing else bench.plan
        workload = self.workload
        missed = missed_links(workload.found) if workload else {}
        self._display.draw(plan, analysis, bench.catalog, missed)

    # What the jobs found

    def take_figures(self, wanted: Wanted, found: LiveFigures) -> None:
        """Show figures; with no analysis it is time to say that they take a while."""
        if found.analysis is None and not found.trouble:
            waiting = replace(self.figures, waiting=True) if self.figures.analysis else found
            self._display.show_figures(waiting)
            self._draw(None)
            return
        trail = self._trail_with(wanted, found.analysis)
        searching = not wanted.failing and bool(found.analysis and found.analysis.busbw_GBps)
        figures = replace(found, trail=trail, workload=self.workload, searching=searching)
        if self.judged is not None and figures.analysis is not None:
            # the new findings follow at once
            figures = replace(figures, findings=self.judged, judged=True)
        self._display.show_figures(figures)
        self._draw(figures.analysis)
        before, after = self.figures.outcome, figures.outcome
        if before is not None and after is not None:
            self._messages.say_effect(effect(before, after, self._glyphs), self._display.width)
        self.figures = figures
        self._display.show_findings(figures.findings)
        self._display.refresh_header()
        self._ask_for_workload(wanted)

    def take_findings(self, findings: tuple[Finding, ...]) -> None:
        """Show all findings of the current design."""
        self.judged = findings
        self.figures = replace(self.figures, findings=findings, judged=True)
        self._display.show_figures(self.figures)
        self._display.show_findings(findings)
        self._ask_for_steps()
        self._all_judged()
        if self.figures.searching and self.figures.next is None:
            self._jobs.want_fixes(self.wanted, self._editing.workbench.catalog, self.take_fixes)

    def take_fixes(self, found: NextChange | None) -> None:
        """Show what raises the figure; findings that it resolves say so."""
        self.figures = replace(self.figures, next=found, searching=False)
        if found is not None and self.judged is not None:
            mended = found.mending(self.judged)
            if mended != self.judged:
                self.judged = mended
                self.figures = replace(self.figures, findings=mended)
                self._display.show_findings(mended)
                self._all_judged()
        self._display.show_figures(self.figures)

    def take_workload(self, found: Assessment | None, trouble: str) -> None:
        """Show what the workload gets of the design; until then what it got before is shown."""
        before = self._workload.figure
        self._workload = LiveWorkload(found, before, trouble)
        now = self._workload.figure
        if now is not None and now != before and (before is None or not now.runs):
            self._messages.add(f"{now.name} {now.words}", "done" if now.runs else "minded")
        self.figures = replace(self.figures, workload=self.workload)
        self._display.show_figures(self.figures)
        self.draw()

    def take_step(self, request: Request, step: HistoryStep, busbw: Labelled) -> None:
        """Show the figure after a step of the history."""
        bench = self._editing.workbench
        if not any(step is one for one in bench.steps):
            return  # of another design, or of a discarded step
        self._steps.keep(request, step, busbw)
        trail = self._steps.values(bench.request, self._last_steps)
        if trail != self.figures.trail:
            self.figures = replace(self.figures, trail=trail)
            self._display.show_figures(self.figures)
        if self._listing_steps:
            self._questions.reword(self._listed_steps())

    def _ask_for_workload(self, wanted: Wanted) -> None:
        """Ask what the workload gets of the design; what it got before is shown until then."""
        if wanted.design.workload and wanted is self._asked:
            self._jobs.want_workload(wanted, self._editing.workbench.catalog, self.take_workload)
        else:
            self._jobs.forget_workload()

    # The history

    def step_words(self, step: HistoryStep) -> str:
        """The figure after a step of the history in words."""
        return self._glyphs.shown(self._steps.words(self._editing.workbench.request, step))

    async def show_history(self) -> None:
        """List all steps, the present one marked; Enter goes back or forward to any.

        The figures that are not known follow while the list is looked at.
        """
        bench = self._editing.workbench
        if len(bench.steps) == 1:
            words = "no steps yet: everything that is changed is listed here"
            self._messages.say(words, "hint")
            return
        title = f"history: step {bench.position} of {len(bench.steps) - 1}"
        self._listing_steps = True
        try:
            self._ask_for_steps()
            at, listed = str(bench.position), self._listed_steps()
            chosen = await self._questions.choose(title, listed, look=True, at=at)
        finally:
            self._listing_steps = False
            if self._jobs.is_running:
                self._ask_for_steps()
        if chosen is not None and int(chosen) != bench.position:
            self._editing.go_to_step(int(chosen))

    def _listed_steps(self) -> list[Choice]:
        """All steps as they are now, with the figures that are known."""
        bench, session = self._editing.workbench, self._editing.session
        choices = []
        for position, step in enumerate(bench.steps):
            mark = self._glyphs.closed if position == bench.position else " "
            undone = ", undone" if position > bench.position else ""
            on_disk = session.path is not None and not session.unsaved
            kept = ", saved" if on_disk and step.design is bench.saved_design else ""
            figure = self.step_words(step).rjust(FIGURE_WIDTH)
            label = step.label if position else "as it was opened"
            text = f"{mark} {position:3d}  {figure}  {label}{kept}{undone}"
            style = "$text-muted" if undone else ""
            choices.append(Choice(str(position), text, style=style))
        return choices

    def _ask_for_steps(self) -> None:
        """Compute the figures that the history misses: all of them while it is listed."""
        bench = self._editing.workbench
        shown = bench.steps if self._listing_steps else self._last_steps
        missing = self._steps.missing(bench.request, shown)
        self._jobs.want_steps(missing, bench.request, bench.catalog, self.take_step)

    @property
    def _last_steps(self) -> tuple[HistoryStep, ...]:
        """The steps that the history line shows."""
        bench = self._editing.workbench
        return bench.steps[: bench.position + 1][-STEPS_SHOWN:]

    def _trail_with(self, wanted: Wanted, analysis: Analysis | None) -> tuple[float | None, ...]:
        """The figure after each of the last steps, as far as it was computed for this request."""
        bench = self._editing.workbench
        if analysis is not None and wanted.design is bench.design and not wanted.failing:
            self._steps.keep(wanted.request, bench.steps[bench.position], analysis.busbw)
        return self._steps.values(wanted.request, self._last_steps)

    # What an answer would give

    def preview(self, question: Question, text: str) -> None:
        """Ask what an answer that is being typed would give."""
        self._jobs.want_preview(
            question,
            text,
            self.wanted,
            self._editing.workbench.catalog,
            self.take_preview,
            partial(self._questions.show_effect, "computing what it gives ..."),
        )

    def forget_preview(self) -> None:
        """The question is answered."""
        self._jobs.forget_preview()

    def take_preview(self, outcome: FigureSet | None, refusal: str) -> None:
        """Say what an answer would give, or why it would be refused."""
        if refusal:
            self._questions.show_refusal(refusal)
        elif outcome is None:
            self._questions.show_effect("")
        else:
            before = self.figures.outcome
            words = effect(before, outcome, self._glyphs)
            self._questions.show_effect(", ".join(words), worse=falls(before, outcome))
