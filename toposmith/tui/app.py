"""The app: wires screens, keys, theme and exit; what they do is theirs."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import RenderableType
from textual import events, on
from textual._compositor import CompositorUpdate
from textual.app import SystemCommand
from textual.command import Provider
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.widgets import Input

from toposmith.parts_at_hand import PartsAtHand
from toposmith.plain_text import visible
from toposmith.terminal import colourless_terminal
from toposmith.tui.abnormal_exit import EndingApp
from toposmith.tui.actions.every_action import action, actions_of, use_keys
from toposmith.tui.config.settings import Config
from toposmith.tui.drawing.glyphs import glyphs_for
from toposmith.tui.keeping.recovery import has_unsaved_work
from toposmith.tui.keeping.session import open_against
from toposmith.tui.screens.app_screen import Begun, Finished, Opening, PlaceScreen, Unreadable
from toposmith.tui.screens.first_frame import OpeningScreen, Painted
from toposmith.tui.terminal.changed_cells import TerminalFrame
from toposmith.tui.terminal.key_order import KeyOrder
from toposmith.tui.terminal.theme import OWN_THEMES
from toposmith.tui.visit import Visit
from toposmith.tui.widgets.message_line import MessageLine

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.errors import DesignFileError
    from toposmith.tui.screens.designer_screen import DesignerScreen
    from toposmith.tui.screens.welcome import WelcomeScreen

SWITCH_SECONDS = 0.0005
"""How long figures may be computed while a key waits; Python's own 5 ms add up to a pause."""
KEY_PATIENCE_SECONDS = 1.0
UNREADABLE_CODE = 2


class AsciiScrollBarRender(ScrollBarRender):
    """Scroll bars that show by their colour alone, without block signs."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def actions() -> type[Provider]:
    """What finds actions by the words that people type; read when the palette is opened."""
    # only when the palette is opened
    from toposmith.tui.palette import Actions

    return Actions


@cache
def designer_screen() -> type[DesignerScreen]:
    """The main screen; read after a first screen is painted, since the canvas needs networkx.

    While modules are read, and of them later, no garbage is collected: they leave little of it,
    and collecting would take an eighth of the time to a design's first figures.
    """
    gc.disable()
    try:
        from toposmith.tui.screens.designer_screen import DesignerScreen
    finally:
        gc.freeze()
        gc.set_threshold(50_000)  # figures keep millions of objects alive
        gc.enable()
    return DesignerScreen


class ToposmithApp(EndingApp):
    """Toposmith in the terminal.

    Parameters
    ----------
    path : Path, optional
        The design to open; without it the start is shown.
    review : bool
        Whether designs are open for review only.
    ascii_only : bool
        Whether to draw with ASCII signs only.
    parts : PartsAtHand, optional
        Where parts are looked for; without it those of the program and the user's own.
    config : Config, optional
        The settings of the user; the defaults without it.
    complaints : sequence of str
        What is wrong with the configuration.
    against : (str, Design), optional
        A design to compare with the one that is opened, with its name.
    visit : Visit, optional
        The visit, where the app is for somebody else.
    """

    TITLE = "Toposmith"
    CSS_PATH = "styles/app.tcss"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {actions}

    def __init__(
        self,
        path: Path | None = None,
        *,
        review: bool = False,
        ascii_only: bool = False,
        parts: PartsAtHand | None = None,
        config: Config | None = None,
        complaints: Sequence[str] = (),
        against: tuple[str, Design] | None = None,
        visit: Visit | None = None,
    ) -> None:
        super().__init__()
        self._config = config or Config()
        self._complaints = list(complaints)
        use_keys(self._config.keys, visit)
        self.set_keymap(
            {
                f"{place}.{name}": ",".join(keys)
                for name, keys in self._config.keys.items()
                for place in action(name).where
            }
        )
        self.glyphs = glyphs_for(ascii_only)
        self.key_order = KeyOrder(self.post_message, self._has_settled)
        ScrollBar.renderer = AsciiScrollBarRender if ascii_only else ScrollBarRender
        self._frame = TerminalFrame()
        self._path = path
        self._named = False
        self._review = review
        self._parts_at_hand = parts
        self._against = against
        self._visit = visit

    async def on_event(self, event: events.Event) -> None:
        """Let keys go one by one: each is done before the next is handled."""
        if isinstance(event, events.Resize):
            self._frame.forget()  # terminals move or drop what they show
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
            return
        self.answer(event.key)
        if not self.has_opened:
            if event.key in action("quit").keys and self.key_order.idle:
                self.exit(return_code=0)  # nothing is there that could be lost
            else:
                self.key_order.keep(event, self, lambda: self.has_opened)
        elif not self.key_order.holds(event):
            target = self.focused or self.screen
            await super().on_event(event)
            self.key_order.follow(target, self, KEY_PATIENCE_SECONDS)

    def action_redraw(self) -> None:
        """Redraw everything, after something else wrote to the terminal."""
        self._frame.forget()
        self.screen.refresh()

    @property
    def has_opened(self) -> bool:
        """Whether what the user opened is there, so that keys find what they are typed for."""
        screen = next(reversed(self.screen_stack), None)
        if screen is None or isinstance(screen, OpeningScreen):
            return False
        return not isinstance(screen, PlaceScreen) or screen.has_opened

    def _has_settled(self) -> bool:
        return not isinstance(self.screen, PlaceScreen) or self.screen.has_settled

    def on_mount(self) -> None:
        """Set what holds for all screens."""
        for theme in OWN_THEMES:
            self.register_theme(theme)
        self.theme = self._config.theme
        self.animation_level = "none"
        sys.setswitchinterval(SWITCH_SECONDS)
        self.set_class(self.glyphs.ascii_only, "-ascii")
        self.set_class(colourless_terminal(), "-mono")
        self.app_resume_signal.subscribe(self, lambda _: self._frame.forget())
        if self._path is None:
            self.push_screen(self._welcome(complaint=self._complaint))
        else:
            self.push_screen(OpeningScreen(self._path.name, self.glyphs))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the table that can be done on the screen, and the choice of colours."""
        place = screen.PLACE if isinstance(screen, PlaceScreen) else None
        for one in actions_of(place) if place is not None else ():
            if one.changes and self._review and place == "designer":
                continue  # it would be refused
            words = f"{one.help} (key {one.key_words})"
            yield SystemCommand(one.palette_title, words, partial(self._do, one.id))
        yield SystemCommand("Colours: theme", "Choose another theme", self.action_change_theme)

    async def action_quit(self) -> None:
        """Leave by way of the screen, which asks where something is not saved."""
        places = self._places
        if not places:
            self.exit(return_code=0)
            return
        while self.screen is not places[-1]:
            self.pop_screen()
        places[-1].action_do("quit")

    def action_help_quit(self) -> None:
        """Say how to leave: ctrl+c ends nothing by accident."""
        for line in self.screen.query(MessageLine):
            line.say("q or ctrl+q leaves; ctrl+c only copies", "hint")

    @property
    def _complaint(self) -> str:
        """What is wrong with the configuration, in a line; empty where nothing is."""
        if not self._complaints:
            return ""
        more = len(self._complaints) - 1
        rest = f" (and {more} more: toposmith config --check)" if more else ""
        return f"{self._complaints[0]}{rest}"

    def _do(self, action_id: str) -> None:
        if isinstance(self.screen, PlaceScreen):
            self.screen.do_by_name(action_id)

    def _welcome(
        self, *, failed: DesignFileError | None = None, complaint: str = ""
    ) -> WelcomeScreen:
        # imported here since a design that was named on the command line is opened without it
        from toposmith.tui.screens.welcome import WelcomeScreen

        return WelcomeScreen(
            self.glyphs, failed=failed, complaint=complaint, parts=self._parts_at_hand
        )

    def _design(self, opening: Opening, greeting: str = "") -> None:
        self.switch_screen(
            designer_screen()(
                opening,
                glyphs=self.glyphs,
                read_only=self._review,
                greeting=greeting or self._complaint,
                parts=self._parts_at_hand,
                visit=self._visit,
            )
        )

    def on_ready(self) -> None:
        """Wait for the first frame: nothing is painted before the app is ready."""
        if isinstance(self.screen, OpeningScreen):
            self.screen.tell_when_painted()

    @on(Painted)
    def _open_path(self) -> None:
        path, self._path = self._path, None
        if path is not None:
            self._named = True
            self._design(partial(open_against, path, self._against))

    @on(Begun)
    def _begin(self, event: Begun) -> None:
        self._named = False
        self._design(event.opening, event.greeting)

    @on(Unreadable)
    def _explain(self, event: Unreadable) -> None:
        self.key_order.drop()
        if self._named and (self._visit or not has_unsaved_work(event.failed.source)):
            # a file that was named on the command line: its faults belong on the plain terminal
            self.farewell = [visible(line) for line in event.failed.lines()]
            self.exit(return_code=UNREADABLE_CODE)
            return
        self.switch_screen(self._welcome(failed=event.failed))

        if self._named:
            self._named = False
            self.call_later(self._offer_unsaved, event.failed.source)

    def _offer_unsaved(self, source: str) -> None:
        words = f"{Path(source).name} cannot be read; its unsaved work of an earlier run is here"
        for line in self.screen.query(MessageLine):
            line.say(words, "minded")

    @on(Finished)
    def _go_to_start(self) -> None:
        self.switch_screen(self._welcome())

    @on(events.DescendantFocus)
    def _stop_blinking(self, event: events.DescendantFocus) -> None:
        """A blinking cursor writes to the line all the time, which a slow link feels."""
        if isinstance(event.widget, Input):
            event.widget.cursor_blink = False

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Write only the cells that differ; a private method, so its tests watch it."""
        if isinstance(renderable, CompositorUpdate):
            renderable = self._frame.cut_down(renderable)
        super()._display(screen, renderable)
