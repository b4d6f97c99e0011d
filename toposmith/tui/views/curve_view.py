"""Busbw or time against message size, in place of the fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.visual import VisualType

from toposmith.analysis.request import DEFAULT_MESSAGE_BYTES
from toposmith.exports.text_plot.curves import Curves, nearest_point, point_at
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.shared_figures import curves
from toposmith.tui.pages.curve_page import curve_content
from toposmith.tui.views.own_keys import ESC, OwnKeys
from toposmith.tui.views.view import View

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.catalog import Catalog
    from toposmith.exports.text_plot.curves import Quantity
    from toposmith.tui.figures.shared_figures import Wanted


class CurveView(View):
    """The curve of the current design, the saved one below it, and a line to read them at."""

    NAME = "curve"
    OWN_KEYS = OwnKeys(
        "the curve",
        (
            ("left, right, h, l", "Read it size by size; Home the smallest, End the largest"),
            ("t", "Show time, or busbw again"),
            *ESC,
        ),
    )
    FEELS_FAILURES = True
    KEYS = (
        ("Left Right", "size"),
        ("t", "time or busbw"),
        ("m", "collective"),
        ("M", "measure"),
        ("Esc", "fabric"),
    )
    BORDER_TITLE = "Curve"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "move(-1)", "smaller", show=False),
        Binding("right,l", "move(1)", "larger", show=False),
        Binding("home", "move(-999)", "smallest", show=False),
        Binding("end", "move(999)", "largest", show=False),
        Binding("t", "turn", "time or busbw", show=False),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self._content = Content("")
        self._curves = Curves()
        self._quantity: Quantity = "busbw"
        self._message_bytes = DEFAULT_MESSAGE_BYTES

    @property
    def quantity(self) -> Quantity:
        """The quantity on the vertical axis."""
        return self._quantity

    def compute(self, wanted: Wanted, catalog: Catalog) -> Curves:
        """Busbw and time at every message size."""
        return curves(wanted, catalog)

    def show(self, found: object) -> None:
        """Show other curves; the reading line stays at its size."""
        self._curves = found if isinstance(found, Curves) else Curves()
        self._write()

    def show_trouble(self, trouble: str) -> None:
        """Say why there is no curve."""
        self.show(Curves(trouble=f"no curve: {trouble}"))

    def turned_to(self, request: Request) -> None:
        """Read the curve at the size that is measured."""
        self.read_at(request.message_bytes)

    def render(self) -> VisualType:
        """What was written last."""
        return self._content

    def read_at(self, message_bytes: int) -> None:
        """Put the reading line at a message size."""
        self._message_bytes = message_bytes
        self._write()

    def on_resize(self) -> None:
        """Draw for the new room."""
        self._write()

    def action_move(self, by: int) -> None:
        """Move the reading line by so many sizes."""
        curve = self._curves.now
        if curve is not None:
            at = nearest_point(curve, self._message_bytes) + by
            self.read_at(curve.points[max(0, min(at, len(curve.points) - 1))].message_bytes)

    def action_turn(self) -> None:
        """Show time in place of busbw, or the reverse."""
        self._quantity = "time" if self._quantity == "busbw" else "busbw"
        self._write()

    def on_click(self, event: events.Click) -> None:
        """Read where the pointer is."""
        curve = self._curves.now
        if curve is not None:
            column = event.x - self.gutter.left
            width = self.content_size.width
            at = point_at(self._curves.shown, self._quantity, width, column)
            self.read_at(curve.points[at].message_bytes)

    def _write(self) -> None:
        width, height = self.content_size
        if width and height:
            drawn = (self._curves, self._quantity, self._message_bytes, width, height)
            self._content = curve_content(*drawn, self._glyphs)
            self.refresh()
