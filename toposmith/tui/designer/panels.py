"""The panels of the main screen: which of them are seen, and where the keys go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widget import Widget

from toposmith.tui.canvas.canvas import Canvas
from toposmith.tui.views.depth_view import DepthView
from toposmith.tui.views.table_view import TableView
from toposmith.tui.views.view import View
from toposmith.tui.widgets.live_panel import LivePanel
from toposmith.tui.widgets.measure_panel import MeasurePanel
from toposmith.tui.widgets.parts_panel import PartsPanel

if TYPE_CHECKING:
    from toposmith.fabric.plan import PlannedEnd


class Panels:
    """What is shown on the left, and what in the middle.

    On the left the parts while they are chosen from, or what is measured; in the middle the fabric,
    or a view in its place. A narrow screen has no room for a panel on the left: it is shown instead
    of the middle.

    Parameters
    ----------
    screen : Screen
        The screen, whose classes show and hide panels.
    canvas, parts, measure, live : Canvas, PartsPanel, MeasurePanel, LivePanel
        The panels.
    depths : DepthView
        What lies inside the fabric.
    views : mapping of callable
        The other views that can take the place of the fabric, by name; each is made when it is
        first asked for, and mounted when it is first shown.
    turned : callable
        Called when another view is shown, or the fabric.
    """

    def __init__(
        self,
        screen: Screen[None],
        canvas: Canvas,
        parts: PartsPanel,
        measure: MeasurePanel,
        live: LivePanel,
        depths: DepthView,
        views: Mapping[str, Callable[[], View]],
        *,
        turned: Callable[[], None],
    ) -> None:
        self._screen = screen
        self.canvas = canvas
        self.parts = parts
        self.measure = measure
        self._live = live
        self._turned = turned
        self.depths = depths
        self._makers = views
        self._views: dict[str, View] = {depths.NAME: depths}
        self._coming: View | None = None

    @property
    def width(self) -> int:
        """Cells of a line of the screen."""
        return self._screen.size.width

    @property
    def measuring(self) -> bool:
        """Whether the panel of what is measured is open."""
        return self._screen.has_class("-measuring")

    @property
    def view(self) -> View | None:
        """What is shown in place of the fabric; None where the fabric itself is there."""
        return next((view for view in self._views.values() if view.has_class("-shown")), None)

    @property
    def covered(self) -> bool:
        """Whether a view hides what is selected; inside the fabric it stays under the cursor."""
        return self.view is not None and self.view is not self.depths

    @property
    def coming(self) -> bool:
        """Whether a view, or the fields of what is measured, are being mounted."""
        return self._coming is not None or self.measure.coming

    @property
    def focused(self) -> Widget | None:
        """What the keys go to."""
        return self._screen.focused

    def asked_of(self, name: str) -> object:
        """What a table is asked, whether or not it was ever shown."""
        view = self.view_named(name)
        return view.asked if isinstance(view, TableView) else None

    def ask_view(self, name: str, asked: object = None) -> None:
        """Show a view, and let it be asked something else where that is given."""
        self._ask(name, asked)
        self.show_view(name)

    def _ask(self, name: str, asked: object) -> None:
        view = self.view_named(name)
        if isinstance(view, TableView) and asked is not None:
            view.ask_for(asked)

    def show_port(self, end: PlannedEnd) -> None:
        """Go to a port inside the fabric."""
        self.depths.go_to_port(end)
        self.show_view(self.depths.NAME)

    def view_named(self, name: str) -> View:
        """The view of this name, whether or not it was ever shown."""
        if name not in self._views:
            self._views[name] = self._makers[name]()
        return self._views[name]

    def forget_design(self) -> None:
        """Another design was opened: what views show is not of it."""
        for view in self._views.values():
            if view.is_attached:
                view.forget()

    def turn(self, classes: Mapping[str, bool]) -> None:
        """Set and take away classes of the screen, which show and hide panels and make them wide.

        Only panels are styled anew, since rules say nothing else of these classes; Textual would
        go through every widget of the screen, which is noticeable.
        """
        screen = self._screen
        screen.update_classes(classes, update=False)
        beside, instead = (screen.query_one(room).children for room in ("#body", "#middle"))
        screen.app.stylesheet.update_nodes([screen.query_one("#message"), *beside, *instead])

    def focus_middle(self) -> None:
        """Let the keys go to the fabric, or to the view in its place."""
        view = self.view
        if view is not None:
            view.take_focus()
        else:
            self._screen.set_focus(self.canvas)

    def show_parts(self, shown: bool) -> None:
        """Show the parts while they are chosen from, and fold them again."""
        self.turn({"-measuring": False, "-parts-shown": shown})
        if shown:
            self.parts.focus_list()
        else:
            self.focus_middle()

    def offer_parts(self) -> None:
        """Show the parts where there is room for them, and leave the keys where they are."""
        if not self._screen.has_class("-narrow"):
            self.turn({"-parts-shown": True})

    def toggle_parts(self) -> None:
        """Show the parts panel where it is hidden, and the reverse."""
        self.show_parts(self.measuring or not self._screen.has_class("-parts-shown"))

    def filter_parts(self) -> None:
        """Show the parts panel and type its filter."""
        self.show_parts(True)
        self.parts.focus_filter()

    def show_measure(self, shown: bool) -> None:
        """Show what is measured in place of the parts, or the parts again."""
        self.turn({"-measuring": shown})
        if shown:
            self.measure.open()
        else:
            self.focus_middle()

    def toggle_measure(self) -> None:
        """Go to what is measured, or leave it."""
        self.show_measure(not (self.measuring and self.measure.has_focus_within))

    def toggle_why(self) -> None:
        """Show all that the live figures rest on, or their first look again."""
        shown = not self._screen.has_class("-why")
        self.turn({"-why": shown, "-measuring": False, "-parts-shown": False})
        self._live.show_whole(shown)
        if shown:
            self._screen.set_focus(self._live)
        else:
            self.focus_middle()

    def show_view(self, name: str | None) -> None:
        """Show a view in place of the fabric, or with None the fabric again."""
        view = self.view_named(name) if name is not None else None
        if view is not None and not view.is_mounted:
            self._mount(view)
            return
        for each in self._views.values():
            each.set_class(each is view, "-shown", update=False)
        self.turn(
            {
                "-viewing": view is not None,
                "-parts-shown": False,
                "-beside": view is not None and view.BESIDE,
            }
        )
        self._uncover_middle()
        self.focus_middle()
        self._turned()

    def leave_view(self) -> None:
        """Show the fabric; from a view that was opened inside it, the inside again."""
        back = self.depths.place is not None and self.view is not self.depths
        self.show_view(DepthView.NAME if back else None)

    def _mount(self, view: View) -> None:
        """Mount a view, and show it when all that it is made of is there."""
        self._coming = view

        def arrived() -> None:
            if self._coming is view:
                self._coming = None
                self.show_view(view.NAME)

        if not view.is_attached:
            self._screen.query_one("#middle").mount(view)
        # it composes before it does anything else
        view.call_later(self._screen.call_later, arrived)

    def toggle_view(self, name: str, asked: object = None) -> None:
        """Show a view where it is not seen, and the fabric where it is."""
        self._ask(name, asked)
        self.show_view(None if self.shows(name) else name)

    def shows(self, name: str) -> bool:
        """Whether the view of this name is what is seen."""
        return self.view is not None and name == self.view.NAME and not self._middle_is_covered

    def show_fabric(self) -> None:
        """Let the fabric be seen, and the keys go to it."""
        if self.view is not None or self._middle_is_covered:
            self.show_view(None)
        self._screen.set_focus(self.canvas)

    def cover_sides(self, covers: bool) -> None:
        """Let the fabric take the room of parts and live figures, or give it back."""
        if covers != self._screen.has_class("-whole"):
            self.turn({"-whole": covers, "-parts-shown": False})

    @property
    def _middle_is_covered(self) -> bool:
        """Whether a narrow screen shows a panel of the left instead of the middle."""
        covering = self.measuring or self._screen.has_class("-parts-shown")
        return self._screen.has_class("-narrow") and covering

    def _uncover_middle(self) -> None:
        if self._middle_is_covered:
            self.turn({"-measuring": False, "-parts-shown": False})
