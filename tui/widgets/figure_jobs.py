"""Figures computed in threads beside the screen; only the answers that are still wanted come up."""

from __future__ import annotations

from threading import Lock

from textual.message import Message
from textual.widget import Widget

from catalog import Catalog
from topology.analysis.result import Analysis
from topology.errors import ToposmithError
from tui.crash import fault_words, log_crash
from tui.effects import Outcome
from tui.figuring import Saved, Wanted, figure, figure_saved, preview
from tui.live_figures import LiveFigures
from tui.questions import Question

PATIENCE_SECONDS = 0.3
"""How long old figures may stand while new ones are computed, before that is said."""
PAUSE_SECONDS = 0.04
"""How long an edit stands before its figures are begun: a key held down asks for one of them."""


class FigureJobs(Widget):
    """Runs the analysis in threads and sends the results up as messages; shows nothing itself."""

    class Ready(Message):
        """Figures are there, or (with no analysis) it is time to say that they take a while."""

        def __init__(self, wanted: Wanted, figures: LiveFigures) -> None:
            self.wanted = wanted
            self.figures = figures
            super().__init__()

    class Previewed(Message):
        """What an answer that is being typed would give, or why it would be refused."""

        def __init__(
            self, question: Question, text: str, outcome: Outcome | None, refusal: str
        ) -> None:
            self.question = question
            self.text = text
            self.outcome = outcome
            self.refusal = refusal
            super().__init__()

    def __init__(self) -> None:
        super().__init__()
        self._wanted: Wanted | None = None
        self._typed: tuple[Question, str] | None = None
        # one at a time: a burst of keys would else compute all its figures at once, for nothing
        self._turn, self._turn_of_previews = Lock(), Lock()
        self._saved: tuple[Wanted, Catalog, Saved] | None = None

    def on_mount(self) -> None:
        """Take no room."""
        self.display = False

    @property
    def busy(self) -> bool:
        """Whether figures are still being computed."""
        return self._wanted is not None

    def want(self, wanted: Wanted, catalog: Catalog, before: Analysis | None) -> None:
        """Compute figures; those wanted earlier are dropped."""
        self._wanted = wanted

        def job() -> None:
            with self._turn:
                if self._wanted is not wanted:
                    return  # others were wanted while this one waited for its turn
                try:
                    figures = figure(
                        wanted, catalog, before, self._figures_of_saved(wanted, catalog)
                    )
                except ToposmithError as failed:
                    figures = LiveFigures(trouble=f"no figures: {failed}")
                except Exception as fault:  # a fault of the analysis must not take the design along
                    figures = LiveFigures(trouble=f"no figures: {fault_words(fault)}")
            self.post_message(self.Ready(wanted, figures))

        def say_computing() -> None:
            if self._wanted is wanted:
                self.post_message(self.Ready(wanted, LiveFigures()))

        def begin() -> None:
            if self._wanted is wanted:
                self.run_worker(job, thread=True, exclusive=True, group="figures")

        # what the edit itself changes is seen first
        self.call_after_refresh(self.set_timer, PAUSE_SECONDS, begin)
        self.set_timer(PATIENCE_SECONDS, say_computing)

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
        if make_edit is None:
            return

        def job() -> None:
            outcome, refusal = None, ""
            with self._turn_of_previews:
                if self._typed != (question, text):
                    return
                try:
                    outcome = preview(wanted, catalog, make_edit(text))
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

    def on_figure_jobs_ready(self, event: Ready) -> None:
        """Let pass only what is still wanted."""
        if event.wanted is not self._wanted:
            event.stop()
        elif event.figures != LiveFigures():
            self._wanted = None

    def on_figure_jobs_previewed(self, event: Previewed) -> None:
        """Let pass only what is still asked."""
        if self._typed != (event.question, event.text):
            event.stop()
