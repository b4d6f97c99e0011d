"""A scrolling view of a chart: headings do not scroll, and a step repaints two spots only."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toposmith.tui.canvas import colours
from toposmith.tui.canvas.canvas_glyphs import ASCII, Ink
from toposmith.tui.canvas.inks import Inks
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.chart import ChartSpot, DepthChart, Direction


class DepthSheet(ScrollView, can_focus=True):
    """The rows of a chart with the spot under the cursor."""

    ALLOW_SELECT = False  # selecting text would repaint everything on each move of the mouse
    COMPONENT_CLASSES: ClassVar[set[str]] = colours.COMPONENT_CLASSES
    DEFAULT_CSS = colours.css_of("DepthSheet")
    HELP = "Arrows or hjkl walk over ports and boxes; Enter goes in, Escape out, [ ] to the next."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "walk('up')", "Up", show=False),
        Binding("down,j", "walk('down')", "Down", show=False),
        Binding("left,h", "walk('left')", "Left", show=False),
        Binding("right,l", "walk('right')", "Right", show=False),
        Binding("pageup", "walk('up', 10)", "Ten up", show=False),
        Binding("pagedown", "walk('down', 10)", "Ten down", show=False),
        Binding("home", "walk('left', 9999)", "First", show=False),
        Binding("end", "walk('right', 9999)", "Last", show=False),
        Binding("shift+up", "pan(0, -2)", "Pan up", show=False),
        Binding("shift+down", "pan(0, 2)", "Pan down", show=False),
        Binding("shift+left", "pan(-6, 0)", "Pan left", show=False),
        Binding("shift+right", "pan(6, 0)", "Pan right", show=False),
        Binding("enter", "open", "Go in", show=False),
    ]

    class Stood(Message):
        """The cursor is on another spot."""

    class Panned(Message):
        """Another part of the chart is in view."""

    class Opened(Message):
        """A spot was asked to open: enter, or a double click."""

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:
        super().__init__(id=id)
        self._chart: DepthChart | None = None
        self._spot: ChartSpot | None = None
        self._ascii_only = ascii_only
        self._grabbed: tuple[int, int] | None = None
        self._inks = Inks(self.get_component_rich_style)

    @property
    def chart(self) -> DepthChart | None:
        """What is shown."""
        return self._chart

    @property
    def spot(self) -> ChartSpot | None:
        """The spot under the cursor."""
        return self._spot

    @property
    def in_view(self) -> str:
        """Which part of the chart is in view, in words; nothing where all of it is."""
        if self._chart is None:
            return ""
        return self._chart.in_view(Area(*self.scroll_offset, *self.scrollable_content_region.size))

    def show(self, chart: DepthChart, spot: ChartSpot | None = None) -> None:
        """Show a chart, with the cursor on a spot if it has that."""
        self._chart = chart
        kept = spot is not None and chart.holds(spot)
        self._spot = spot if kept else chart.start
        self.virtual_size = Size(chart.width, chart.height)
        self.refresh()
        self.call_after_refresh(self._reveal)
        self.post_message(self.Stood())

    def stand_on(self, spot: ChartSpot) -> None:
        """Put the cursor on another spot; the two that differ are repainted."""
        if self._chart is None or spot == self._spot or not self._chart.holds(spot):
            return
        before, self._spot = self._spot, spot
        for one in (before, spot):
            if one is not None:
                self._repaint(self._chart.area(one))
        self._reveal()
        self.post_message(self.Stood())

    def action_walk(self, direction: Direction, by: int = 1) -> None:
        """Walk to the next spot."""
        if self._chart is not None and self._spot is not None:
            self.stand_on(self._chart.moved(self._spot, direction, by))
        elif self._chart is not None and direction in ("up", "down"):
            self.action_pan(0, by if direction == "down" else -by)

    def action_pan(self, columns: int, rows: int) -> None:
        """Move the view without leaving the spot."""
        self.scroll_relative(columns, rows, animate=False, immediate=True)

    def action_open(self) -> None:
        """Open what is under the cursor."""
        self.post_message(self.Opened())

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the cursor on what is clicked; elsewhere pan the view."""
        if event.button != 1 or self._chart is None:
            return
        spot = self._spot_at(event)
        if spot is not None:
            self.stand_on(spot)
        else:
            self._grabbed = event.screen_x, event.screen_y
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the view along."""
        if self._grabbed is not None:
            x, y = self._grabbed
            self.action_pan(x - event.screen_x, y - event.screen_y)
            self._grabbed = event.screen_x, event.screen_y

    def on_mouse_up(self) -> None:
        """Let go of the view."""
        if self._grabbed is not None:
            self._grabbed = None
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Go in on a double click."""
        if event.chain == 2 and self._spot_at(event) is not None:
            self.action_open()

    def render_line(self, y: int) -> Strip:
        """One line of the view; headings and labels of rows do not scroll."""
        chart, width = self._chart, self.size.width
        blank = self._inks.style(Ink.BLANK)
        if chart is None:
            return Strip.blank(width, blank)
        left, top = self.scroll_offset
        frozen = chart.frozen_rows(top)
        row = frozen[y] if y < len(frozen) else top + y
        if row >= chart.height:
            return Strip.blank(width, blank)
        strip = self._strip(chart, row)
        still = min(chart.frozen_columns, width)
        seen = (left + still if left else 0, left + width)
        first, end = _whole_numbers(strip.text, *seen) if y < len(frozen) else seen
        parts = [
            strip.crop(0, still if left else 0),
            Strip.blank(first - seen[0], blank),
            strip.crop(first, end).adjust_cell_length(seen[1] - first, blank),
        ]
        return Strip.join(parts)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Say that another part is in view."""
        super().watch_scroll_x(old_value, new_value)
        self.post_message(self.Panned())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say that another part is in view."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Panned())

    def on_resize(self) -> None:
        """Say that more or less is in view."""
        self.post_message(self.Panned())

    def notify_style_update(self) -> None:
        """Forget the colours when the theme changes."""
        super().notify_style_update()
        self._inks.forget()

    def _strip(self, chart: DepthChart, row: int) -> Strip:
        area = chart.area(self._spot) if self._spot is not None else None
        on_row = area is not None and area.y <= row < area.bottom
        segments = []
        for text, ink in chart.marked_line(row):
            shown = ASCII.text(text) if self._ascii_only else text
            segments.append(Segment(shown, self._inks.style(ink)))
        strip = Strip(segments)
        if not on_row or area is None:
            return strip.simplify()
        before, marked, after = strip.divide([area.x, area.right, chart.width])
        chosen = self._inks.cursor
        marked = Strip([Segment(s.text, chosen) for s in marked])
        return Strip.join([before, marked, after]).simplify()

    def _repaint(self, area: Area) -> None:
        left, top = self.scroll_offset
        x = area.x if area.x < self._still else area.x - left
        self.refresh(Region(max(x, 0), area.y - top, area.width, area.height))

    @property
    def _still(self) -> int:
        return self._chart.frozen_columns if self._chart is not None else 0

    def _reveal(self) -> None:
        """Scroll as little as shows the spot, below the headings and right of the labels."""
        if self._chart is None or self._spot is None or not self.size:
            return
        area = self._chart.area(self._spot)
        room = self.scrollable_content_region.size
        left, top = self.scroll_offset
        heads = len(self._chart.frozen_rows(top))
        x = _into_view(area.x, area.right, left, room.width, self._still)
        y = _into_view(area.y, area.bottom, top, room.height, heads)
        if area.y <= heads:
            y = 0
        if (x, y) != (left, top):
            self.scroll_to(x, y, animate=False, immediate=True)

    def _spot_at(self, event: events.MouseEvent) -> ChartSpot | None:
        if self._chart is None:
            return None
        left, top = self.scroll_offset
        x = event.x - self.gutter.left
        y = event.y - self.gutter.top
        frozen = self._chart.frozen_rows(top)
        if y < len(frozen):
            return None
        return self._chart.spot_at(x + (left if x >= self._still else 0), y + top)


def _whole_numbers(text: str, first: int, end: int) -> tuple[int, int]:
    """The part of a heading from ``first`` to ``end`` without the numbers that its edges cut."""
    inner, last = first, end
    while 0 < inner < last and text[inner - 1 : inner + 1].isdigit():
        inner += 1
    while inner < last < len(text) and text[last - 1 : last + 1].isdigit():
        last -= 1
    return (inner, last) if inner < last else (first, end)


def _into_view(low: int, high: int, start: int, room: int, still: int) -> int:
    """Where a view of ``room`` cells must start so that ``low`` up to ``high`` lies in it."""
    if high > start + room:
        start = high - room
    if low < start + still:
        start = low - still
    return max(start, 0)
