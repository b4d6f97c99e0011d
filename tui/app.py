"""The app: wires screens, theme, signals and the way out; what they do is theirs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import RenderableType
from textual import events, on
from textual._compositor import CompositorUpdate
from textual.app import App, SystemCommand
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.widgets import Input

from catalog.plain_text import visible
from tui.actions import action, actions_of, use_keys
from tui.config.settings import Config, config_path
from tui.drawing.glyphs import glyphs_for
from tui.keeping.crash import crash_lines, log_crash
from tui.keeping.recovery import has_unsaved_work
from tui.keeping.session import open_against
from tui.parts.at_hand import PartsAtHand
from tui.screens.opening import OpeningScreen, Painted
from tui.screens.place import Begun, Finished, Opening, PlaceScreen, Unreadable
from tui.screens.welcome import WelcomeScreen
from tui.terminal.abilities import (
    ascii_terminal,
    colourless_terminal,
    refusal_of_terminal,
    terminal_is_gone,
)
from tui.terminal.changed_cells import Frame
from tui.terminal.key_order import KeyOrder
from tui.terminal.theme import TOPOSMITH
from tui.widgets.message_line import MessageLine

if TYPE_CHECKING:
    from topology.design.document import Design
    from topology.errors import DesignFileError

HANGUP_CODE = 129
WATCH_SECONDS = 2.0
"""How often the app looks whether its terminal is still there."""

SHUTDOWN_SECONDS = 5
SWITCH_SECONDS = 0.0005
"""How long figures may be computed while a key waits; Python's own 5 ms add up to a pause."""
KEY_PATIENCE_SECONDS = 1.0
UNREADABLE_CODE = 2


class AsciiScrollBarRender(ScrollBarRender):
    """Scroll bars that show by their colour alone, without block signs."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


class ToposmithApp(App[int]):
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
        What the person has set; without it all is as usual.
    complaints : sequence of str
        What is wrong with the configuration.
    against : (str, Design), optional
        A design to lay beside the one that is opened, with its name.
    """

    TITLE = "Toposmith"
    CSS_PATH = "styles/app.tcss"
    ENABLE_COMMAND_PALETTE = True

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
    ) -> None:
        super().__init__()
        self._config = config or Config()
        self._complaints = list(complaints)
        use_keys(self._config.keys)
        self.set_keymap(
            {
                f"{place}.{name}": ",".join(keys)
                for name, keys in self._config.keys.items()
                for place in action(name).where
            }
        )
        self.glyphs = glyphs_for(ascii_only)
        self.farewell: list[str] = []
        self.key_order = KeyOrder(self.post_message, self._has_settled)
        ScrollBar.renderer = AsciiScrollBarRender if ascii_only else ScrollBarRender
        self._frame = Frame()
        self._path = path
        self._named = False
        self._review = review
        self._parts_at_hand = parts
        self._against = against

    async def on_event(self, event: events.Event) -> None:
        """Let keys go one by one: each is done before the next is looked at."""
        if isinstance(event, events.Resize):
            self._frame.forget()  # terminals move or drop what they show
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif not self.key_order.holds(event):
            target = self.focused or self.screen
            await super().on_event(event)
            self.key_order.follow(target, self, KEY_PATIENCE_SECONDS)

    def action_redraw(self) -> None:
        """Draw everything anew, after something else wrote to the terminal."""
        self._frame.forget()
        self.screen.refresh()

    def _has_settled(self) -> bool:
        return not isinstance(self.screen, PlaceScreen) or self.screen.has_settled

    def on_mount(self) -> None:
        """Set what holds for all screens."""
        self.register_theme(TOPOSMITH)
        self.theme = self._config.theme
        self.animation_level = "none"
        sys.setswitchinterval(SWITCH_SECONDS)
        self.set_class(self.glyphs.ascii_only, "-ascii")
        self.set_class(colourless_terminal(), "-mono")
        self._catch_signals()
        self.app_resume_signal.subscribe(self, lambda _: self._frame.forget())
        if self._path is None:
            self.push_screen(self._welcome(complaint=self._complaint))
        else:
            self.push_screen(OpeningScreen(self._path.name, self.glyphs))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the registry that the screen has, and the choice of colours."""
        for one in actions_of(screen.PLACE) if isinstance(screen, PlaceScreen) else ():
            words = f"{one.help} (key {one.key_words})"
            yield SystemCommand(one.palette_title, words, partial(self._do, one.id))
        yield SystemCommand("Colours", "Choose another theme", self.action_change_theme)

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

    def rescue(self) -> Path | None:
        """See that unsaved work is in its journal; returns where."""
        kept = [place.autosave() for place in self._places]
        return next((path for path in kept if path is not None), None)

    @property
    def _places(self) -> list[PlaceScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, PlaceScreen)]

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
            self.screen.action_do(action_id)

    def _welcome(
        self, *, failed: DesignFileError | None = None, complaint: str = ""
    ) -> WelcomeScreen:
        return WelcomeScreen(
            self.glyphs, failed=failed, complaint=complaint, parts=self._parts_at_hand
        )

    def _design(self, opening: Opening, greeting: str = "") -> None:
        # Imported here because the canvas needs networkx: a screen is painted first.
        from tui.screens.designer import DesignerScreen

        self.switch_screen(
            DesignerScreen(
                opening,
                glyphs=self.glyphs,
                read_only=self._review,
                greeting=greeting or self._complaint,
                parts=self._parts_at_hand,
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
        if self._named and not has_unsaved_work(event.failed.source):
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

    def _catch_signals(self) -> None:
        """Keep the work when the connection drops or the system stops."""
        loop = asyncio.get_running_loop()
        for name in ("SIGHUP", "SIGTERM"):
            number = getattr(signal, name, None)
            if number is not None:
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, self._leave_at_once)
        if not self.is_headless:
            self.set_interval(WATCH_SECONDS, self._watch_terminal)

    def _watch_terminal(self) -> None:
        """Leave where the terminal went without a word: reading from it would spin for ever."""
        if terminal_is_gone():
            self._leave_at_once()

    def _leave_at_once(self) -> None:
        kept = self.rescue()
        if kept is not None:
            self.farewell = [
                f"your unsaved work is in {kept}; the next start of toposmith offers it"
            ]
        # Textual's writer can wait for ever for a terminal that is gone; the work is kept by now.
        if not self.is_headless:
            watchdog = threading.Timer(SHUTDOWN_SECONDS, os._exit, (HANGUP_CODE,))
            watchdog.daemon = True
            watchdog.start()
        self.exit(return_code=HANGUP_CODE)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Write only the cells that differ; a private method, so its tests watch it."""
        if isinstance(renderable, CompositorUpdate):
            renderable = self._frame.cut_down(renderable)
        super()._display(screen, renderable)

    # Textual prints a traceback with all locals after a crash. These two private methods are
    # overridden so that a person reads three lines instead; tests/tui/test_crash.py watches them.

    def _handle_exception(self, error: Exception) -> None:
        if not self.farewell:
            self.farewell = crash_lines(error, log_crash(error), self._rescue_from(error))
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def _rescue_from(self, error: Exception) -> Path | None:
        try:
            return self.rescue()
        except Exception as second:  # whatever it is, the first failure is the one to report
            error.add_note(f"and keeping the design failed: {second!r}")
            return None


def run_app(
    path: Path | None,
    *,
    review: bool = False,
    ascii_only: bool = False,
    mouse: bool = True,
    parts: PartsAtHand | None = None,
    against: tuple[str, Design] | None = None,
) -> int:
    """Run the app until the person leaves it.

    Parameters
    ----------
    path : Path or None
        The design to open; None shows the start.
    review : bool
        Whether nothing may be changed.
    ascii_only : bool
        Whether to draw with ASCII signs; they are also taken where the terminal says so.
    mouse : bool
        Whether to listen to the mouse.
    parts : PartsAtHand, optional
        Where parts are looked for.
    against : (str, Design), optional
        A design to lay beside, with its name.

    Returns
    -------
    int
        Exit code: 0 after leaving, 1 after a crash, 2 where there is no terminal for it or the
        file cannot be read, 129 after a dropped connection.
    """
    refusal = refusal_of_terminal()
    if refusal:
        print(refusal, file=sys.stderr)
        return 2
    if colourless_terminal():
        os.environ["NO_COLOR"] = "1"  # Textual would take it for a terminal of 16 colours
    config, complaints = _config()
    if not ascii_only:
        ascii_only = ascii_terminal() if config.ascii_only is None else config.ascii_only
    app = ToposmithApp(
        path,
        review=review,
        ascii_only=ascii_only,
        parts=parts,
        config=config,
        complaints=complaints,
        against=against,
    )
    app.run(mouse=mouse and config.mouse)
    with contextlib.suppress(OSError):  # after a hangup there is nobody to read it
        for line in app.farewell:
            print(line, file=sys.stderr)
    return app.return_code or 0


def _config() -> tuple[Config, list[str]]:
    """What the person has set; the file's reader is loaded only where there is one."""
    if not config_path().exists():
        return Config(), []
    from tui.config.reading import read_config

    return read_config()
