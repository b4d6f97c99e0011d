"""Figures computed in threads beside the screen; only the answers that are still wanted come up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from toposmith.cancellation import Stopped, go_on
from toposmith.crash import log_crash
from toposmith.errors import ToposmithError
from toposmith.labels import UNKNOWN, Labelled
from toposmith.tui.figures.latest_job import STOPPED, LatestJob
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.shared_figures import (
    Saved,
    Wanted,
    figure,
    figure_saved,
    preview,
    review,
    what_lifts,
    workload_figures,
)
from toposmith.tui.figures.step_figures import figure_of_step

if TYPE_CHECKING:
    from textual.widget import Widget

    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Analysis
    from toposmith.catalog import Catalog
    from toposmith.findings.finding import Finding
    from toposmith.synthesis.next_change import NextChange
    from toposmith.tui.figures.effects import FigureSet
    from toposmith.tui.questions import Question
    from toposmith.workbench import HistoryStep
    from toposmith.workloads.assess import Assessment

PATIENCE_SECONDS = 1.0
"""How long old figures are shown while new ones are computed, before that is said: emptying the
panel costs a line more bytes than all that changes, and a second does not break a thought
(Nielsen, Response Times: The 3 Important Limits)."""
PAUSE_SECONDS = 0.04
"""How long after an edit its figures are begun: a key held down asks for one of them."""
FIXES_PAUSE_SECONDS = 0.2
"""How long after an edit fixes are searched."""
QUICK_SECONDS, REST_SECONDS = 0.1, 0.3
"""Findings that take longer than the first wait for a pause in typing of the second."""


class FigureJobs:
    """The figures, findings, workload, fixes and previews of a design, and those of its past.

    Parameters
    ----------
    host : Widget
        Whose threads and timers are used.
    """

    def __init__(self, host: Widget) -> None:
        self._host = host
        names = "figures", "findings", "workload", "preview", "fixes", "steps"
        self._all = tuple(LatestJob(host, name) for name in names)
        self._figures, self._findings, self._workload, *others = self._all
        self._preview, self._fixes, self._steps = others
        self._long = False
        self._judging_took = 0.0
        self._saved: tuple[Wanted, Catalog, Saved] | None = None

    @property
    def busy(self) -> bool:
        """Whether any of it is being computed."""
        return any(job.busy for job in self._all)

    @property
    def is_running(self) -> bool:
        """Whether the screen is still there."""
        return self._host.is_running

    def want(
        self,
        wanted: Wanted,
        catalog: Catalog,
        before: Analysis | None,
        take: Callable[[Wanted, LiveFigures], object],
        judged: Callable[[tuple[Finding, ...]], object],
    ) -> None:
        """Compute figures, then findings; all that was wanted earlier is dropped.

        Where they take a while ``take`` is called with empty figures first.
        """
        self._findings.forget()
        self.forget_later()
        self._long = False

        def find() -> LiveFigures:
            return figure(wanted, catalog, before, self._figures_of_saved(wanted, catalog))

        def come_up(found: LiveFigures | None, trouble: str) -> None:
            figures = found or LiveFigures(trouble=f"no figures: {trouble}")
            if trouble == STOPPED:
                figures = LiveFigures(trouble="stopped: no figures; any edit computes them")
            else:
                self._judge(wanted, catalog, figures, judged)
            take(wanted, figures)

        is_wanted = self._figures.want(find, come_up, pause=PAUSE_SECONDS)

        def say_computing() -> None:
            if is_wanted():
                self._long = True
                take(wanted, LiveFigures())

        self._host.set_timer(PATIENCE_SECONDS, say_computing)

    def stop(self) -> bool:
        """Stop figures that take long; whether there were any."""
        return self._long and self._figures.stop()

    def _judge(
        self,
        wanted: Wanted,
        catalog: Catalog,
        figures: LiveFigures,
        judged: Callable[[tuple[Finding, ...]], object],
    ) -> None:
        """Compute the findings behind the figures; a large design waits for a pause in typing."""

        def find() -> tuple[Finding, ...]:
            began = monotonic()
            findings = review(wanted, catalog, figures)
            self._judging_took = monotonic() - began
            return findings

        self._findings.want(
            find,
            # what the engine itself found is there
            lambda found, trouble: judged(figures.findings if found is None else found),
            pause=REST_SECONDS if self._judging_took > QUICK_SECONDS else 0.0,
        )

    def want_workload(
        self,
        wanted: Wanted,
        catalog: Catalog,
        take: Callable[[Assessment | None, str], object],
    ) -> None:
        """Compute what the workload gets, after the figures, which never wait for it."""
        self._workload.want(lambda: workload_figures(wanted, catalog), take, pause=PAUSE_SECONDS)

    def forget_workload(self) -> None:
        """The design has none; what is still being computed for it is dropped."""
        self._workload.forget()

    def want_preview(
        self,
        question: Question,
        text: str,
        wanted: Wanted,
        catalog: Catalog,
        take: Callable[[FigureSet | None, str], object],
        wait: Callable[[], object],
    ) -> None:
        """Compute what an answer would give; earlier ones are dropped.

        Where it takes a while ``wait`` is called first.
        """
        make_edit = question.edit
        self._preview.forget()
        if make_edit is None:
            return

        def find() -> tuple[FigureSet | None, str]:
            try:
                edit = make_edit(text)
                return None if edit is None else preview(wanted, catalog, edit), ""
            except ToposmithError as refused:
                return None, str(refused)

        # by a fault of the computation nothing is refused: its figure stays unknown
        is_wanted = self._preview.want(find, lambda found, trouble: take(*(found or (None, ""))))
        self._host.set_timer(PATIENCE_SECONDS, lambda: wait() if is_wanted() else None)

    def forget_preview(self) -> None:
        """The question is answered; what is still being computed for it is dropped."""
        self._preview.forget()

    def want_fixes(
        self, wanted: Wanted, catalog: Catalog, take: Callable[[NextChange | None], object]
    ) -> None:
        """Search what raises the figure; nothing waits for it. None where the search failed."""
        self._fixes.want(
            lambda: what_lifts(wanted, catalog),
            lambda found, trouble: take(found),
            pause=FIXES_PAUSE_SECONDS,
        )

    def want_steps(
        self,
        steps: Sequence[HistoryStep],
        request: Request,
        catalog: Catalog,
        take: Callable[[Request, HistoryStep, Labelled], object],
    ) -> None:
        """Compute the figures after some steps, each of which comes up once it is there."""
        self._steps.forget()
        if not steps:
            return

        def find() -> None:
            for step in steps:
                go_on()
                self._host.call_later(take, request, step, _figure(step, request, catalog))

        self._steps.want(find, lambda found, trouble: None)

    def forget_later(self) -> None:
        """Drop fixes and steps of the past: there is something more urgent to compute."""
        self._fixes.forget()
        self._steps.forget()

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


def _figure(step: HistoryStep, request: Request, catalog: Catalog) -> Labelled:
    try:
        return figure_of_step(step, request, catalog)
    except ToposmithError:
        return Labelled(None, UNKNOWN)
    except Stopped:
        raise
    except Exception as fault:  # a fault of the analysis must not close the screen
        log_crash(fault)
        return Labelled(None, UNKNOWN)
