"""Figures computed in threads beside the screen; only the answers that are still wanted come up."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widget import Widget

from toposmith.analysis.result import Analysis
from toposmith.cancellation import Stopped, stopped_unless
from toposmith.catalog import Catalog
from toposmith.crash import fault_words, log_crash
from toposmith.errors import ToposmithError
from toposmith.findings.finding import Finding
from toposmith.tui.figures.effects import FigureSet
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.shared_figures import (
    Saved,
    Wanted,
    figure,
    figure_saved,
    preview,
    review,
    workload_figures,
)
from toposmith.tui.questions import Question

if TYPE_CHECKING:
    from toposmith.workloads.assess import Assessment

PATIENCE_SECONDS = 1.0
"""How long old figures are shown while new ones are computed, before that is said: emptying the
panel costs a line more bytes than all that changes, and a second does not break a thought
(Nielsen, Response Times: The 3 Important Limits)."""
PAUSE_SECONDS = 0.04
"""How long after an edit its figures are begun: a key held down asks for one of them."""

STOPPED = "stopped: no figures; any edit computes them"
"""Shown in place of figures that were cancelled."""

QUICK_SECONDS, REST_SECONDS = 0.1, 0.3
"""Findings that take longer than the first wait for a pause in typing of the second."""


class FigureJobs(Widget):
    """Runs the analysis in threads and sends the results up as messages; shows nothing itself."""

    @dataclass
    class Ready(Message):
        """Figures are there, or (with no analysis) it is time to say that they take a while."""

        wanted: Wanted
        figures: LiveFigures

    @dataclass
    class Judged(Message):
        """All findings are there, with figures, fixes and waivers."""

        wanted: Wanted
        findings: tuple[Finding, ...]

    @dataclass
    class WorkloadReady(Message):
        """What the design's workload gets of it is there, or why it cannot run."""

        wanted: Wanted
        found: Assessment | None
        trouble: str

    @dataclass
    class Previewed(Message):
        """What an answer that is being typed would give, or why it would be refused."""

        question: Question
        text: str
        outcome: FigureSet | None
        refusal: str

    def __init__(self) -> None:
        super().__init__()
        self._wanted: Wanted | None = None
        self._stopped: Wanted | None = None
        self._long = False
        self._to_judge: Wanted | None = None
        self._judging_took = 0.0
        self._workload_wanted: Wanted | None = None
        self._typed: tuple[Question, str] | None = None
        self._previewing = False
        # one at a time: a burst of keys would else compute all its figures at once, for nothing
        self._turn, self._turn_of_previews = Lock(), Lock()
        self._turn_of_judge, self._turn_of_workloads = Lock(), Lock()
        self._saved: tuple[Wanted, Catalog, Saved] | None = None

    def on_mount(self) -> None:
        """Take no room."""
        self.display = False

    @property
    def busy(self) -> bool:
        """Whether figures, findings, a preview or what a workload gets are being computed."""
        return any((self._wanted, self._to_judge, self._workload_wanted, self._previewing))

    def want(self, wanted: Wanted, catalog: Catalog, before: Analysis | None) -> None:
        """Compute figures; those wanted earlier are dropped."""
        self._wanted = self._to_judge = wanted
        self._long = False

        def job() -> None:
            with self._turn:
                if self._wanted is not wanted:
                    return  # others were wanted while this one waited for its turn
                try:
                    with stopped_unless(lambda: self._is_wanted(wanted)):
                        saved = self._figures_of_saved(wanted, catalog)
                        figures = figure(wanted, catalog, before, saved)
                except Stopped:
                    if self._wanted is not wanted:
                        return
                    figures = LiveFigures(trouble=STOPPED)
                except ToposmithError as failed:
                    figures = LiveFigures(trouble=f"no figures: {failed}")
                except Exception as fault:  # a fault of the analysis must not lose the design
                    figures = LiveFigures(trouble=f"no figures: {fault_words(fault)}")
            self.post_message(self.Ready(wanted, figures))
            if figures.trouble == STOPPED:
                self._to_judge = None
                return
            self._judge(wanted, catalog, figures)

        def say_computing() -> None:
            if self._wanted is wanted:
                self._long = True
                self.post_message(self.Ready(wanted, LiveFigures()))

        def begin() -> None:
            if self._wanted is wanted:
                self.run_worker(job, thread=True, exclusive=True, group="figures")

        # what the edit itself changes is seen first
        self.call_after_refresh(self.set_timer, PAUSE_SECONDS, begin)
        self.set_timer(PATIENCE_SECONDS, say_computing)

    def _is_wanted(self, wanted: Wanted) -> bool:
        """Whether figures are still to be computed: nothing else was wanted, it was not stopped."""
        return self._wanted is wanted and self._stopped is not wanted

    def stop(self) -> bool:
        """Stop figures that take long; whether there were any."""
        if self._wanted is None or not self._long or self._stopped is self._wanted:
            return False
        self._stopped = self._wanted
        return True

    def _judge(self, wanted: Wanted, catalog: Catalog, figures: LiveFigures) -> None:
        """Compute the findings behind the figures; a large design waits for a pause in typing."""
        if self._judging_took > QUICK_SECONDS:
            sleep(REST_SECONDS)
        with self._turn_of_judge:
            if self._to_judge is not wanted:
                return
            began = monotonic()
            try:
                with stopped_unless(lambda: self._to_judge is wanted):
                    findings = review(wanted, catalog, figures)
            except Stopped:
                return
            except Exception as fault:  # as above; what the engine itself found is there
                log_crash(fault)
                findings = figures.findings
            self._judging_took = monotonic() - began
        self.post_message(self.Judged(wanted, findings))

    def want_workload(self, wanted: Wanted, catalog: Catalog) -> None:
        """Compute what the workload gets, after the figures, which never wait for it."""
        self._workload_wanted = wanted

        def job() -> None:
            with self._turn_of_workloads:
                if self._workload_wanted is not wanted:
                    return
                try:
                    with stopped_unless(lambda: self._workload_wanted is wanted):
                        found, trouble = workload_figures(wanted, catalog), ""
                except Stopped:
                    return
                except ToposmithError as failed:
                    found, trouble = None, str(failed)
                except Exception as fault:  # as above
                    found, trouble = None, fault_words(fault)
            self.post_message(self.WorkloadReady(wanted, found, trouble))

        def begin() -> None:
            if self._workload_wanted is wanted:
                self.run_worker(job, thread=True, exclusive=True, group="workload")

        self.call_after_refresh(self.set_timer, PAUSE_SECONDS, begin)

    def forget_workload(self) -> None:
        """The design has none; what is still being computed for it is dropped."""
        self._workload_wanted = None

    def on_figure_jobs_workload_ready(self, event: WorkloadReady) -> None:
        """Let pass only what is still wanted."""
        if event.wanted is self._workload_wanted:
            self._workload_wanted = None
        else:
            event.stop()

    def _figures_of_saved(self, wanted: Wanted, catalog: Catalog) -> Saved:
        """The figures of the saved version, computed once; only within a turn."""
        known = self._saved
        if (
            known is None
            or known[0].saved is not wanted.saved
            or known[0].request != wanted.request
            or known[1] is not catalog
        ):
            known = self._saved = (wanted, catalog, figure_saved(wanted, catalog))
        return known[2]

    def want_preview(self, question: Question, text: str, wanted: Wanted, catalog: Catalog) -> None:
        """Compute what an answer would give; earlier ones are dropped."""
        make_edit = question.edit
        self._typed = (question, text)
        self._previewing = make_edit is not None
        if make_edit is None:
            return

        def job() -> None:
            outcome, refusal = None, ""
            with self._turn_of_previews:
                if self._typed != (question, text):
                    return
                try:
                    with stopped_unless(lambda: self._typed == (question, text)):
                        edit = make_edit(text)
                        outcome = None if edit is None else preview(wanted, catalog, edit)
                except Stopped:
                    return
                except ToposmithError as refused:
                    refusal = str(refused)
                except Exception as fault:  # as above; the figure stays unknown
                    log_crash(fault)
            self.post_message(self.Previewed(question, text, outcome, refusal))

        def begin() -> None:
            if self._typed == (question, text):
                self.run_worker(job, thread=True, exclusive=True, group="preview")

        self.call_after_refresh(begin)  # what was typed is seen first

    def forget_preview(self) -> None:
        """The question is answered; what is still being computed for it is dropped."""
        self._typed = None
        self._previewing = False

    def on_figure_jobs_ready(self, event: Ready) -> None:
        """Let pass only what is still wanted."""
        if event.wanted is not self._wanted:
            event.stop()
        elif event.figures != LiveFigures():
            self._wanted = None

    def on_figure_jobs_judged(self, event: Judged) -> None:
        """Let pass only what is still wanted."""
        if event.wanted is not self._to_judge:
            event.stop()
        else:
            self._to_judge = None

    def on_figure_jobs_previewed(self, event: Previewed) -> None:
        """Let pass only what is still asked."""
        if self._typed != (event.question, event.text):
            event.stop()
        else:
            self._previewing = False
