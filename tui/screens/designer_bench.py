"""The designer's workbench: the design under work, what is known of it, and both drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.markup import escape

from toposmith.text import message_size
from toposmith.topology.analysis.summary import communicator_words
from toposmith.topology.collectives import collective_name
from toposmith.topology.design.document import Design
from toposmith.topology.fabric.plan import Finding
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.figuring import Wanted
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import LiveWorkload, missed_links
from toposmith.tui.keeping.session import Session
from toposmith.tui.screens.designer_frame import DesignerFrame
from toposmith.tui.widgets.header_line import HeaderLine, HeaderState
from toposmith.tui.widgets.question_panel import QuestionPanel

if TYPE_CHECKING:
    from toposmith.topology.analysis.result import Analysis
    from toposmith.topology.workbench import Workbench


class DesignerBench(DesignerFrame):
    """The main screen with its workbench: canvas, depths and header show what is known.

    Parameters
    ----------
    glyphs : Glyphs
        The signs to draw with.
    read_only : bool
        Whether the design is open for review.
    """

    def __init__(self, *, glyphs: Glyphs, read_only: bool = False) -> None:
        super().__init__(glyphs=glyphs, read_only=read_only)
        self.session = Session(Design())
        self._bench: Workbench | None = None
        self._figures = LiveFigures()
        self._title = ""
        self._judged: tuple[Finding, ...] | None = None
        self._workload = LiveWorkload()

    @property
    def has_opened(self) -> bool:
        """Whether the design is there."""
        return self._bench is not None

    @property
    def workbench(self) -> Workbench:
        """The design under work."""
        assert self._bench is not None, "no flow begins before the design is there"
        return self._bench

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or worth knowing about the design."""
        return self._figures.findings if self._judged is None else self._judged

    @property
    def review_state(self) -> tuple[str, str]:
        """The state of the review in words for the header, with its colour."""
        return "", ""

    def refresh_state(self) -> None:
        """Show what is saved and what is not."""
        self._refresh_header()
        self.refresh_keys()

    def refresh_keys(self) -> None:
        """Show which actions can be done now."""

    @property
    def _wanted(self) -> Wanted:
        bench = self.workbench
        return Wanted(bench.design, bench.request, failing=bench.failing)

    @property
    def _wanted_with_saved(self) -> Wanted:
        bench = self.workbench
        return replace(self._wanted, saved=bench.saved_design if bench.dirty else None)

    @property
    def _live_workload(self) -> LiveWorkload | None:
        """What is known of the workload; None where the design has none."""
        return self._workload if self.workbench.design.workload else None

    def _draw(self, analysis: Analysis | None) -> None:
        bench = self.workbench
        plan = bench.tried_plan if bench.failing else bench.plan
        workload = self._live_workload
        missed = missed_links(workload.found) if workload else {}
        self.canvas.show(plan, analysis, missed, ascii_only=self.glyphs.ascii_only)
        self.depths.show_design(plan, analysis, bench.catalog, self.canvas.shown_layer)

    def _refresh_header(self) -> None:
        bench = self.workbench
        request = bench.request
        measured = [collective_name(request.collective), message_size(request.message_bytes)]
        analysis = self._figures.analysis
        if analysis is not None and analysis.gpus:
            measured.append(communicator_words(analysis.communicator))
        dirty = bench.dirty or self.session.unsaved
        state = HeaderState(
            self.session.title,
            dirty,
            bench.read_only,
            tuple(measured),
            ", ".join(bench.failing),
            self.review_state,
        )
        self.query_one(HeaderLine).show(state)
        name = self.glyphs.shown(bench.design.name)
        layer = self.canvas.shown_layer
        only = f"{layer} only: {name}" if name else f"{layer} only"
        title = escape((only if layer else name) or "Fabric")
        if title != self._title:  # setting it draws the canvas anew
            self._title = self.canvas.border_title = title

    @property
    def _questions(self) -> QuestionPanel:
        return self.query_one(QuestionPanel)
