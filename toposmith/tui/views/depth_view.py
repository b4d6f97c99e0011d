"""The inside of the fabric in place of the canvas: a unit, a node or a switch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.markup import escape
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from toposmith.text import wrapped
from toposmith.tui.asking import Act, Asking, Here, TextQuestion, ask
from toposmith.tui.canvas.canvas_glyphs import ASCII
from toposmith.tui.depths.chart import SIGN, ChartSpot, DepthChart
from toposmith.tui.depths.depth_sheet import DepthSheet
from toposmith.tui.depths.drawing import chart_of
from toposmith.tui.depths.place_loads import LEGEND, SLOW_SIGN, read_loads
from toposmith.tui.depths.places import (
    Crumb,
    DepthPlace,
    DeviceInstance,
    crumbs,
    enter,
    enter_device,
    kept,
    out_of,
    read_place,
    stepped,
)
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.shared_figures import Wanted
from toposmith.tui.views.own_keys import OwnKeys
from toposmith.tui.views.view import View

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Analysis
    from toposmith.catalog import Catalog
    from toposmith.fabric.plan import Plan, PlannedEnd

_BETWEEN = " > "
_WORDS_AT_MOST = 4
"""Rows below the drawing, which is not drawn anew when there are fewer words."""


class DepthView(View, can_focus=False):
    """A place inside the fabric; what it shows is computed by class arithmetic, at once."""

    NAME = "inside"
    OWN_KEYS = OwnKeys(
        "a unit, node or switch",
        (
            ("arrows, h j k l", "Walk over ports and boxes; Home first, End last of the row"),
            ("PgUp, PgDn", "Walk ten rows"),
            ("shift+arrows", "Pan over what is larger than its room"),
            ("Enter", "Go in: a node or switch of a unit, or what a port leads to"),
            ("Esc, Backspace", "Go out, one depth at a time"),
            ("[, ]", "Go to the unit or device before, or to the next"),
            ("#", "Type the number of a unit or device"),
            ("mouse", "Click moves there, double click goes in, dragging pans"),
        ),
    )
    KEYS = (
        ("Arrows", "walk"),
        ("Enter", "go in"),
        ("Esc", "out"),
        ("[", "before"),
        ("]", "next"),
        ("#", "number"),
        ("L", "layer"),
        ("e", "edit"),
        ("i", "card"),
        ("?", "help"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,backspace", "out", "out", show=False),
        Binding("left_square_bracket", "step(-1)", "before", show=False),
        Binding("right_square_bracket", "step(1)", "next", show=False),
        Binding("number_sign", "ask_number", "number", show=False),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self._plan: Plan | None = None
        self._analysis: Analysis | None = None
        self._catalog: Catalog | None = None
        self._layer: str | None = None
        self._place: DepthPlace | None = None
        self._spots: dict[DepthPlace, ChartSpot] = {}
        self._marks: Mapping[PlannedEnd, str] = {}
        self._port: PlannedEnd | None = None
        self._rows: list[int] = []

    def compose(self) -> ComposeResult:
        """The chart, and below it what is said of the spot under the cursor."""
        yield DepthSheet(id="depth-sheet", ascii_only=self._glyphs.ascii_only)
        yield Static("", id="depth-words")

    @property
    def place(self) -> DepthPlace | None:
        """The current place; None is the whole fabric."""
        return self._place

    @property
    def plan(self) -> Plan | None:
        """The design that is shown."""
        return self._plan

    @property
    def sheet(self) -> DepthSheet:
        """The chart."""
        return self.query_one(DepthSheet)

    @property
    def trail(self) -> tuple[Crumb, ...]:
        """The path from the fabric to here."""
        return crumbs(self._plan, self._place) if self._plan is not None else ()

    def take_focus(self) -> None:
        """Let the keys go to the chart."""
        self.sheet.focus()

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Nothing takes long here: :meth:`show_design` shows every change."""

    def forget(self) -> None:
        """Another design was opened."""
        self._place, self._plan, self._analysis = None, None, None
        self._spots.clear()

    def show_design(
        self, plan: Plan, analysis: Analysis | None, catalog: Catalog, layer: str | None
    ) -> None:
        """Show a design with its figures; the place stays while it is there."""
        self._plan, self._analysis, self._catalog = plan, analysis, catalog
        self._layer = layer
        if self._place is None:
            return
        place = kept(plan, self._place)
        if place is None:
            self._place = None
            if self.has_class("-shown"):
                self.post_message(self.Left())
            return
        self._place = place
        if self.has_class("-shown"):
            self._draw(self.sheet.spot)

    def mark(self, ends: Mapping[PlannedEnd, str]) -> None:
        """Mark ports, with what is to be said of them there."""
        if ends == self._marks:
            return
        self._marks = ends
        if self.has_class("-shown"):
            self.redraw()

    def go_to_port(self, end: PlannedEnd) -> None:
        """Go into the unit of a device, with the cursor on its port when the view is seen."""
        if self._plan is None:
            return
        inside = enter_device(self._plan, DeviceInstance(end.group, end.at))
        self._place, self._port = out_of(self._plan, inside) or inside, end

    def enter_group(self, group: str) -> None:
        """Go into the first unit of a group."""
        if self._plan is not None:
            self._place = enter(self._plan, group)

    def go_to(self, place: DepthPlace | None) -> None:
        """Go to a place; None is the fabric."""
        if self._plan is None:
            return
        if self._place is not None and self.sheet.spot is not None:
            self._spots[self._place] = self.sheet.spot
        before, self._place = self._place, place
        if place is None:
            self.post_message(self.Left())
            return
        spot = self._spots.get(place)
        chart = self._chart()
        if before is not None and before.device is not None and place.device is None:
            spot = chart.spot_of_port(DeviceInstance(before.group, before.device), "", None) or spot
        self._show(chart, spot)

    def turned_to(self, request: Request) -> None:
        """The view is seen now."""
        self.redraw()

    def redraw(self) -> None:
        """Show the current place: the view is seen now."""
        if self._place is None:
            return
        end, self._port = self._port, None
        chart, spot = self._chart(), self.sheet.spot
        if end is not None:
            spot = chart.spot_of_port(DeviceInstance(end.group, end.at), end.ports, end.port)
        self._show(chart, spot)

    def on_resize(self) -> None:
        """Draw for the new room."""
        if self._place is not None and self.has_class("-shown"):
            self.call_after_refresh(self.redraw)

    def action_out(self) -> None:
        """Go one depth out."""
        if self._plan is not None and self._place is not None:
            self.go_to(out_of(self._plan, self._place))

    def action_step(self, by: int) -> None:
        """Go to the neighbour at the same depth, at the same spot of it."""
        if self._plan is None or self._place is None:
            return
        spot = self.sheet.spot
        self._place = stepped(self._plan, self._place, by)
        self._draw(spot)

    def action_ask_number(self) -> None:
        """Let a unit or device be typed."""
        self.want(self._go_to_number)

    def _go_to_number(self, _: Here) -> Asking:
        """Ask for a unit or device at this depth, and go there."""
        plan, place = self.plan, self.place
        if plan is None or place is None:
            return None
        axes = plan.groups[place.group].axes if place.device else tuple(a for a, _ in place.fixed)
        sizes = ", ".join(f"{axis} 0 to {plan.size(axis) - 1}" for axis in axes) or "only this one"
        hint = f"{sizes}; as in 3, or 0,3"
        there = yield from ask(TextQuestion("go to", "", partial(read_place, plan, place), hint))
        return Act(lambda designer: self.go_to(there))

    def action_crumb(self, index: int) -> None:
        """Go back to a step of the path here."""
        trail = self.trail
        if index < len(trail):
            self.go_to(trail[index].place)

    @on(DepthSheet.Opened)
    def _opened(self, event: DepthSheet.Opened) -> None:
        event.stop()
        chart, spot = self.sheet.chart, self.sheet.spot
        inner = chart.inner(spot) if chart is not None and spot is not None else None
        if inner is not None:
            self.go_to(inner)

    @on(DepthSheet.Stood)
    def _stood(self, event: DepthSheet.Stood) -> None:
        event.stop()
        chart, spot = self.sheet.chart, self.sheet.spot
        if chart is None or spot is None:
            return
        self._say([self._glyphs.shown(line) for line in chart.said(spot)])
        group = chart.group(spot)
        self.want(Act(lambda designer: designer.selection.stand_on(group)))

    @on(DepthSheet.Panned)
    def _panned(self, event: DepthSheet.Panned) -> None:
        event.stop()
        self._legend()

    def on_click(self, event: events.Click) -> None:
        """Keep a click on the frame from going further."""
        event.stop()

    def _say(self, words: list[str]) -> None:
        """Write below the chart; the screen is arranged anew only where lines get more or fewer."""
        line = self.query_one("#depth-words", Static)
        width = max(line.size.width, 1)
        rows = [len(wrapped(text, width)) for text in words]
        line.update(Content("\n".join(words)), layout=rows != self._rows)
        self._rows = rows

    def _chart(self) -> DepthChart:
        assert self._plan is not None and self._catalog is not None and self._place is not None
        chart = chart_of(
            self._plan,
            self._catalog,
            self._place,
            read_loads(self._plan, self._analysis),
            max(self.sheet.size.width - 1, 20),
            self._layer,
            rows=self.size.height - _WORDS_AT_MOST,
            ascii_only=self._glyphs.ascii_only,
        )
        chart.mark(self._marks)
        return chart

    def _draw(self, spot: ChartSpot | None) -> None:
        self._show(self._chart(), spot)

    def _show(self, chart: DepthChart, spot: ChartSpot | None) -> None:
        self.sheet.show(chart, spot)
        self._title()

    def _title(self) -> None:
        """The breadcrumb on the frame, each step of it to be clicked, and the signs below."""
        trail = self.trail
        layer = f"  [{self._layer} only]" if self._layer else ""
        room = max(self.size.width - 6 - len(layer), 12)
        texts = [crumb.text for crumb in trail]
        dropped = 0
        while len(_BETWEEN.join(texts)) > room and len(texts) > 2:
            texts.pop(1)
            dropped += 1
        steps = [0, *range(1 + dropped, len(trail))]
        parts = [f"[@click=crumb({index})]{escape(trail[index].text)}[/]" for index in steps]
        if dropped:
            parts.insert(1, "...")
        self.border_title = _BETWEEN.join(parts) + escape(layer)
        self._legend()

    def _legend(self) -> None:
        """On the frame below: which part is in view, and the signs as far as they have room."""
        slow = (SLOW_SIGN,) if self._plan is not None and self._plan.slow else ()
        words = [f"{sign} {word}" for sign, word in (*slow, *LEGEND)]
        if self.sheet.chart is not None and self.sheet.chart.marks:
            words.insert(0, f"{SIGN} cabled otherwise")
        in_view = self.sheet.in_view
        room = self.size.width - 6 - len(in_view)
        while words and len("  ".join(words)) > room:
            words.pop()
        shown = "  ".join([*words, *([in_view] if in_view else [])])
        self.border_subtitle = escape(ASCII.text(shown) if self._glyphs.ascii_only else shown)
