"""The panel of live figures."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Digits, Static

from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.pages.live import headline, live_lines

NARROW_COLUMNS = 26
"""Columns up to which every one is needed for text."""
LARGE_FROM_ROWS = 26
"""Rows from which the number is shown in large digits."""


class LivePanel(VerticalScroll, can_focus=True):
    """The figures of the current design."""

    BORDER_TITLE = "Live"

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._figures = LiveFigures()
        self._whole = False
        self._written: tuple[LiveFigures, int, bool, bool] | None = None

    def compose(self) -> ComposeResult:
        """Arrange the large number above the text."""
        yield Digits("", id="busbw")
        yield Static("", id="figures")

    def show(self, figures: LiveFigures) -> None:
        """Show other figures."""
        self._figures = figures
        self.set_class(figures.waiting, "-waiting")
        self._write()

    def show_whole(self, whole: bool) -> None:
        """Go on with all that the figures rest on, or show the first look alone."""
        self._whole = whole
        self.scroll_home(animate=False)
        self._write()

    def on_resize(self, event: events.Resize) -> None:
        """Write the lines again where their width changed."""
        self._write()

    def _write(self) -> None:
        if not self.is_mounted:
            return
        width = self.scrollable_content_region.width
        if width > NARROW_COLUMNS:
            width -= 1  # a gap before the scroll bar
        number = headline(self._figures)
        roomy = self.size.height >= LARGE_FROM_ROWS and not self._glyphs.ascii_only
        large = bool(number) and roomy
        if width <= 0 or self._written == (self._figures, width, large, self._whole):
            return
        self._written = (self._figures, width, large, self._whole)
        digits = self.query_one("#busbw", Digits)
        digits.display = large
        digits.update(number)
        lines = live_lines(self._figures, width, self._glyphs, large=large, whole=self._whole)
        self.query_one("#figures", Static).update(lines)
