"""The designer's panels: which of them are seen, and where the keys go."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from tui.canvas.canvas import Canvas
from tui.glyphs import Glyphs
from tui.screens.place import PlaceScreen
from tui.widgets.curve_view import CurveView
from tui.widgets.figure_jobs import FigureJobs
from tui.widgets.header_line import HeaderLine
from tui.widgets.key_bar import KeyBar
from tui.widgets.live_panel import LivePanel
from tui.widgets.measure_panel import MeasurePanel
from tui.widgets.message_line import MessageLine, Tone
from tui.widgets.parts_panel import PartsPanel
from tui.widgets.question_panel import QuestionPanel

BREAKPOINTS = [(0, "-narrow"), (120, "-wide"), (170, "-roomy")]


class DesignerFrame(PlaceScreen):
    """The panels of the main screen side by side.

    On the left the parts, or in their place what is measured; in the middle the fabric, or in its
    place the curve; on the right the live figures. A narrow screen has no room for a panel on the
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

    def __init__(self, *, glyphs: Glyphs, read_only: bool = False) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._read_only = read_only

    def compose(self) -> ComposeResult:
        """Header, three panels side by side, questions, messages and keys."""
        yield HeaderLine(self.glyphs, id="header")
        with Horizontal(id="body"):
            yield PartsPanel(self.glyphs, id="parts")
            yield MeasurePanel(self.glyphs, id="measure")
            yield Canvas(id="canvas", can_wire=not self._read_only)
            yield CurveView(self.glyphs, id="curve")
            yield LivePanel(self.glyphs, id="live")
        yield QuestionPanel(self.glyphs, id="question")
        yield MessageLine(self.glyphs, id="message")
        yield KeyBar(id="keys")
        yield FigureJobs()

    @property
    def canvas(self) -> Canvas:
        """The picture of the design."""
        return self.query_one("#canvas", Canvas)

    @property
    def measuring(self) -> bool:
        """Whether the panel of what is measured is open."""
        return self.has_class("-measuring")

    @property
    def shows_curve(self) -> bool:
        """Whether the curve stands in the place of the fabric."""
        return self.has_class("-curve")

    def say(self, text: str, tone: Tone = "done") -> None:
        """Say what happened."""
        self.query_one(MessageLine).say(text, tone)

    def focus_middle(self) -> None:
        """Let the keys go to the fabric, or to the curve in its place."""
        middle: Widget = self.query_one(CurveView) if self.shows_curve else self.canvas
        self.set_focus(middle)

    def show_parts(self, shown: bool, *, narrow_only: bool = False) -> None:
        """Show or hide the parts panel; beside the middle, or instead of it where it is narrow."""
        if narrow_only and not self.has_class("-narrow"):
            return
        self.remove_class("-measuring")
        self.set_class(shown, "-parts-shown")
        self.set_class(not shown, "-parts-hidden")
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
        self.set_class(shown, "-measuring")
        if shown:
            self.query_one(MeasurePanel).open()
        else:
            self.focus_middle()

    def toggle_measure(self) -> None:
        """Go to what is measured, or leave it."""
        inside = self.query_one(MeasurePanel).has_focus_within
        self.show_measure(not (self.measuring and inside))

    def show_curve(self, shown: bool) -> None:
        """Show the curve in the place of the fabric, or the fabric again."""
        self.set_class(shown, "-curve")
        self._uncover_middle()
        self.focus_middle()
        self.curve_turned()

    def toggle_curve(self) -> None:
        """Show the curve where it is not seen, and the fabric where it is."""
        self.show_curve(self._middle_is_covered or not self.shows_curve)

    def show_fabric(self) -> None:
        """Let the fabric be seen, and the keys go to it."""
        if self.shows_curve or self._middle_is_covered:
            self.show_curve(False)
        self.set_focus(self.canvas)

    def curve_turned(self) -> None:
        """The curve is shown now, or no longer."""

    @property
    def _middle_is_covered(self) -> bool:
        """Whether a narrow screen shows a panel of the left instead of the middle."""
        covering = self.measuring or self.has_class("-parts-shown")
        return self.has_class("-narrow") and covering

    def _uncover_middle(self) -> None:
        if self._middle_is_covered:
            self.remove_class("-measuring", "-parts-shown")
