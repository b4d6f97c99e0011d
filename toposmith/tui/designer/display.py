"""What the panels show of the design: canvas, inside, live figures, what is measured, header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rich.markup import escape

from toposmith.analysis.request import Request
from toposmith.analysis.summary import communicator_words
from toposmith.collectives import collective_name
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.text import message_size
from toposmith.tui.canvas.canvas import Canvas
from toposmith.tui.designer.panels import Panels
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.shared_figures import Wanted
from toposmith.tui.widgets.header_line import HeaderLine, HeaderState
from toposmith.tui.widgets.live_panel import LivePanel
from toposmith.tui.widgets.measure_panel import MeasurePanel

if TYPE_CHECKING:
    from toposmith.analysis.result import Analysis
    from toposmith.catalog import Catalog
    from toposmith.tui.designer.editing import Editing


class Display:
    """Hands to every panel what it shows.

    Parameters
    ----------
    panels : Panels
        The view in the middle, and the canvas behind it.
    header, live, measure : HeaderLine, LivePanel, MeasurePanel
        The panels around it.
    glyphs : Glyphs
        The signs to draw with.
    header_state : callable
        What the header says now.
    """

    def __init__(
        self,
        panels: Panels,
        header: HeaderLine,
        live: LivePanel,
        measure: MeasurePanel,
        glyphs: Glyphs,
        *,
        header_state: Callable[[], tuple[HeaderState, str]],
    ) -> None:
        self._panels = panels
        self._header = header
        self._live = live
        self._measure = measure
        self._glyphs = glyphs
        self._header_state = header_state
        self._title = ""

    @property
    def width(self) -> int:
        """Cells of a line of the screen."""
        return self._panels.width

    @property
    def canvas(self) -> Canvas:
        """The picture of the design."""
        return self._panels.canvas

    def draw(
        self,
        plan: Plan,
        analysis: Analysis | None,
        catalog: Catalog,
        missed: Mapping[str, str],
    ) -> None:
        """Draw a design with its figures; ``missed`` are links that the workload needs more of."""
        self.canvas.show(plan, analysis, missed, ascii_only=self._glyphs.ascii_only)
        self._panels.depths.show_design(plan, analysis, catalog, self.canvas.shown_layer)

    def show_figures(self, figures: LiveFigures) -> None:
        """Show the live figures, and to what is measured what is published of it."""
        self._live.show(figures)
        self._measure.show_published(figures.analysis.published if figures.analysis else "")

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        """Say beside the fields of what is measured what there is to say of them."""
        self._measure.show_findings(findings)

    def show_request(self, request: Request) -> None:
        """Show what is measured."""
        self._measure.show(request)

    def let_view_follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Let the view in the middle show the current design."""
        if self._panels.view is not None:
            self._panels.view.follow(wanted, catalog)

    def turn_view_to(self, request: Request) -> None:
        """Tell the view in the middle that something else is measured."""
        if self._panels.view is not None:
            self._panels.view.turned_to(request)

    def refresh_header(self) -> None:
        """Show which design, in what state, and what is measured; its name is on the frame."""
        state, design_name = self._header_state()
        self._header.show(state)
        name = self._glyphs.shown(design_name)
        layer = self.canvas.shown_layer
        only = f"{layer} only: {name}" if name else f"{layer} only"
        title = escape((only if layer else name) or "Fabric")
        if title != self._title:  # setting it draws the canvas anew
            self._title = self.canvas.border_title = title


def header_state(
    editing: Editing, analysis: Analysis | None, review: tuple[str, str], elsewhere: str
) -> HeaderState:
    """What the header says of a design with its figures and the state of its review."""
    session, bench = editing.session, editing.workbench
    request = bench.request
    measured = [collective_name(request.collective), message_size(request.message_bytes)]
    if analysis is not None and analysis.gpus:
        measured.append(communicator_words(analysis.communicator))
    return HeaderState(
        session.title,
        editing.unsaved,
        bench.read_only,
        tuple(measured),
        ", ".join(bench.failing),
        review,
        editing.journal_failed,
        elsewhere,
    )
