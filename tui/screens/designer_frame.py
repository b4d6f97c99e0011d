"""The designer's panels: which of them are seen, and where the keys go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from toposmith.tui.canvas.canvas import Canvas
from toposmith.tui.depths.depth_view import DepthView
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.screens.place import PlaceScreen
from toposmith.tui.views.bill_view import BillView
from toposmith.tui.views.comments_view import CommentsView
from toposmith.tui.views.curve_view import CurveView
from toposmith.tui.views.differences_view import DifferencesView
from toposmith.tui.views.failures_view import FailuresView
from toposmith.tui.views.findings_view import FindingsView
from toposmith.tui.views.layouts_view import LayoutsView
from toposmith.tui.views.racks_view import RacksView
from toposmith.tui.views.view import View
from toposmith.tui.views.workload_view import WorkloadView
from toposmith.tui.widgets.export_jobs import ExportJobs
from toposmith.tui.widgets.figure_jobs import FigureJobs
from toposmith.tui.widgets.header_line import HeaderLine
from toposmith.tui.widgets.key_bar import KeyBar
from toposmith.tui.widgets.live_panel import LivePanel
from toposmith.tui.widgets.measure_panel import MeasurePanel
from toposmith.tui.widgets.message_line import MessageLine, Tone
from toposmith.tui.widgets.parts_panel import PartsPanel
from toposmith.tui.widgets.question_panel import QuestionPanel
from toposmith.tui.widgets.step_jobs import StepJobs

AnyView = TypeVar("AnyView", bound=View)

BREAKPOINTS = [(0, "-narrow"), (120, "-wide"), (170, "-roomy")]
LOW_AND_TALL = [(0, "-low"), (44, "-tall")]


class DesignerFrame(PlaceScreen):
    """The panels of the main screen side by side.

    On the left the parts, or in their place what is measured; in the middle the fabric, or a view
    in its place; on the right the live figures. A narrow screen has no room for a panel on the
    left: it is shown instead of the middle.

    Parameters
    ----------
    glyphs : Glyphs
        The signs to draw with.
    read_only : bool
        Whether the design is open for review.
    """

    PLACE = "designer"
    AUTO_FOCUS = "#canvas"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    VERTICAL_BREAKPOINTS = LOW_AND_TALL

    def __init__(self, *, glyphs: Glyphs, read_only: bool = False) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._read_only = read_only
        self._views: dict[str, View] = {view.NAME: view for view in self._made_views()}
        self._coming: View | None = None

    def compose(self) -> ComposeResult:
        """Header, three panels side by side, questions, messages and keys."""
        yield HeaderLine(self.glyphs, id="header")
        with Horizontal(id="body"):
            yield PartsPanel(self.glyphs, id="parts")
            yield MeasurePanel(self.glyphs, id="measure")
            with Vertical(id="middle"):
                yield Canvas(id="canvas", can_wire=not self._read_only)
            yield LivePanel(self.glyphs, id="live")
        yield QuestionPanel(self.glyphs, id="question")
        yield MessageLine(self.glyphs, id="message")
        yield Static(id="message-room")
        yield KeyBar(id="keys")
        yield FigureJobs()
        yield StepJobs()
        yield ExportJobs()

    def _made_views(self) -> Iterator[View]:
        """What can take the place of the fabric; each is mounted when it is first shown."""
        yield DepthView(self.glyphs)
        yield CurveView(self.glyphs)
        yield BillView(self.glyphs)
        yield RacksView(self.glyphs)
        yield FindingsView(self.glyphs)
        yield FailuresView(self.glyphs)
        yield DifferencesView(self.glyphs)
        yield CommentsView(self.glyphs)
        yield WorkloadView(self.glyphs)
        yield LayoutsView(self.glyphs)

    @property
    def canvas(self) -> Canvas:
        """The picture of the design."""
        return self.query_one("#canvas", Canvas)

    @property
    def depths(self) -> DepthView:
        """What lies inside the fabric."""
        return self.view_of(DepthView)

    @property
    def measuring(self) -> bool:
        """Whether the panel of what is measured is open."""
        return self.has_class("-measuring")

    @property
    def view(self) -> View | None:
        """What stands in the place of the fabric; None where the fabric itself is there."""
        return next((view for view in self._views.values() if view.has_class("-shown")), None)

    @property
    def has_settled(self) -> bool:
        """Whether no view is on its way to the screen."""
        return self._coming is None and super().has_settled

    def view_of(self, kind: type[AnyView]) -> AnyView:
        """The view of a kind, whether or not it was ever shown."""
        view = self._views[kind.NAME]
        assert isinstance(view, kind)
        return view

    def say(self, text: str, tone: Tone = "done") -> None:
        """Say what happened."""
        self.query_one(MessageLine).say(text, tone)

    def turn(self, classes: Mapping[str, bool]) -> None:
        """Set and take away classes of the screen, which show and hide panels and make them wide.

        Only panels are styled anew, since rules say nothing else of these classes; Textual would
        go through every widget of the screen, which is felt.
        """
        self.update_classes(classes, update=False)
        beside, instead = (self.query_one(room).children for room in ("#body", "#middle"))
        self.app.stylesheet.update_nodes([self.query_one("#message"), *beside, *instead])

    def focus_middle(self) -> None:
        """Let the keys go to the fabric, or to the view in its place."""
        view = self.view
        if view is not None:
            view.take_focus()
        else:
            self.set_focus(self.canvas)

    def show_parts(self, shown: bool, *, narrow_only: bool = False) -> None:
        """Show or hide the parts panel; beside the middle, or instead of it where it is narrow."""
        if narrow_only and not self.has_class("-narrow"):
            return
        self.turn({"-measuring": False, "-parts-shown": shown, "-parts-hidden": not shown})
        if shown:
            self.query_one(PartsPanel).focus_list()
        else:
            self.focus_middle()

    def toggle_parts(self) -> None:
        """Show the parts panel where it is hidden, and the reverse."""
        narrow = self.has_class("-narrow")
        shown = self.has_class("-parts-shown") if narrow else not self.has_class("-parts-hidden")
        self.show_parts(self.measuring or not shown)

    def filter_parts(self) -> None:
        """Show the parts panel and type its filter."""
        self.show_parts(True)
        self.query_one(PartsPanel).focus_filter()

    def show_measure(self, shown: bool) -> None:
        """Show what is measured in the place of the parts, or the parts again."""
        self.turn({"-measuring": shown})
        if shown:
            self.query_one(MeasurePanel).open()
        else:
            self.focus_middle()

    def toggle_measure(self) -> None:
        """Go to what is measured, or leave it."""
        inside = self.query_one(MeasurePanel).has_focus_within
        self.show_measure(not (self.measuring and inside))

    def show_view(self, name: str | None) -> None:
        """Show a view in the place of the fabric, or with None the fabric again."""
        view = self._views[name] if name is not None else None
        if view is not None and not view.is_mounted:
            self._mount(view)
            return
        for each in self._views.values():
            each.set_class(each is view, "-shown", update=False)
        self.turn(
            {
                "-viewing": view is not None,
                "-wide-view": view is not None and view.WIDE,
                "-beside": view is not None and view.BESIDE,
            }
        )
        self._uncover_middle()
        self.focus_middle()
        self.view_turned()

    def _mount(self, view: View) -> None:
        """Mount a view, and show it when all that it is made of is there."""
        self._coming = view

        def arrived() -> None:
            if self._coming is view:
                self._coming = None
                self.show_view(view.NAME)

        if not view.is_attached:
            self.query_one("#middle").mount(view)
        view.call_later(self.call_later, arrived)  # it composes before it does anything else

    def toggle_view(self, name: str) -> None:
        """Show a view where it is not seen, and the fabric where it is."""
        seen = self.view is not None and name == self.view.NAME and not self._middle_is_covered
        self.show_view(None if seen else name)

    def show_fabric(self) -> None:
        """Let the fabric be seen, and the keys go to it."""
        if self.view is not None or self._middle_is_covered:
            self.show_view(None)
        self.set_focus(self.canvas)

    def view_turned(self) -> None:
        """Another view is shown now, or the fabric."""

    @property
    def _middle_is_covered(self) -> bool:
        """Whether a narrow screen shows a panel of the left instead of the middle."""
        covering = self.measuring or self.has_class("-parts-shown")
        return self.has_class("-narrow") and covering

    def _uncover_middle(self) -> None:
        if self._middle_is_covered:
            self.turn({"-measuring": False, "-parts-shown": False})
