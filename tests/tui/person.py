"""Somebody at the keyboard, who reads what is on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from itertools import zip_longest
from time import monotonic
from typing import Any

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tests.tui import handling
from toposmith.findings.finding import Finding
from toposmith.tui.app import ToposmithApp
from toposmith.tui.canvas.canvas import GroupItem
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.keeping.session import Session
from toposmith.tui.screens.designer_screen import DesignerScreen
from toposmith.tui.screens.first_frame import OpeningScreen
from toposmith.tui.views.depth_view import DepthView
from toposmith.tui.views.view import View
from toposmith.tui.widgets.message_line import MessageLine
from toposmith.workbench import Workbench

HOPS = 4
"""Rounds without a message after which there is nothing more to wait for."""

PATIENCE_S = 120
"""However busy the machine is: a screen that is read before it is drawn says nothing."""


class SeenDesigner:
    """The main screen with what its collaborators know, as a test looks at it."""

    def __init__(self, screen: DesignerScreen) -> None:
        designer = screen.designer
        self.screen = screen
        self.editing = designer.editing
        self.selection = designer.selection
        self.measurement = designer.measurement
        self.panels = designer.panels
        self.canvas = designer.selection.canvas
        self.select_group = designer.selection.select_group
        self.select_link = designer.selection.select_link
        self.step_words = designer.measurement.step_words
        self.view_of = designer.panels.view_named
        self.start_export = designer.exports.start
        self._key_counts = screen.key_counts

    @property
    def workbench(self) -> Workbench:
        return self.editing.workbench

    @property
    def session(self) -> Session:
        return self.editing.session

    @property
    def _figures(self) -> LiveFigures:
        return self.measurement.figures

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.measurement.findings

    @property
    def selected_group(self) -> str | None:
        return self.selection.group

    @property
    def view(self) -> View | None:
        return self.panels.view

    @property
    def depths(self) -> DepthView:
        return self.panels.depths

    @property
    def measuring(self) -> bool:
        return self.panels.measuring

    @property
    def asking(self) -> bool:
        return self.screen.designer.questions.is_open

    def __getattr__(self, name: str) -> Any:
        """All else is the screen's own."""
        return getattr(self.screen, name)


BESIDE = ("preview", "waiting")
"""What runs beside the screen and is shown when it is done."""


class Person:
    """Somebody at the keyboard, who reads what is on the screen."""

    def __init__(self, app: ToposmithApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot
        self.has_looked = False
        """Whether the screen was drawn since the last key."""

    @property
    def designer(self) -> SeenDesigner:
        screen = self.app.screen
        assert isinstance(screen, DesignerScreen)
        return SeenDesigner(screen)

    @property
    def designer_below(self) -> SeenDesigner:
        """The main screen, whatever lies over it."""
        return SeenDesigner(next(s for s in self.app.screen_stack if isinstance(s, DesignerScreen)))

    @property
    def message(self) -> str:
        return self.app.screen.query_one(MessageLine).words

    async def press(self, *keys: str) -> None:
        """Press keys one after the other; a word in a line is typed without looking up."""
        for key, after in zip_longest(keys, keys[1:], fillvalue=""):
            self._post(key)
            typing = isinstance(self.app.focused, Input) and len(key) == len(after) == 1
            if not typing:
                await self.settle()

    async def press_at_once(self, *keys: str) -> None:
        """Press keys faster than anything can answer; the app does them in their order."""
        for key in keys:
            self._post(key)
        await self.settle()

    async def type(self, text: str) -> None:
        """Replace what is in the line by a text."""
        await self.press("ctrl+u")
        await self.press_at_once(*text)

    async def answer(self, text: str) -> None:
        """Answer a question: replace what is in the line, and go on."""
        await self.type(text)
        await self.press("enter")

    async def settle(self) -> None:
        """Wait until messages have gone their ways, and figures and previews are there.

        Pilot waits until the processor is idle, which takes long on a busy machine.
        """
        self.has_looked = False
        quiet = 0
        given_up = monotonic() + PATIENCE_S
        while True:
            await asyncio.sleep(0)
            quiet = quiet + 1 if self._is_quiet() else 0
            if quiet == HOPS:
                break
            assert monotonic() < given_up, f"still at work: {self._at_work()}\n{self.seen()}"
            if not quiet:  # a round is a message to every widget: none while a thread computes
                await asyncio.sleep(0.02 if self._computes() else 0.002)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for what is done beside the screen, and until it is shown."""
        given_up = monotonic() + PATIENCE_S
        while not holds():
            assert monotonic() < given_up, self.seen()
            await asyncio.sleep(0.01)
        await self.settle()

    def _is_quiet(self) -> bool:
        """Whether no message is on its way and nothing is being computed or opened."""
        stack = self.app.screen_stack
        if not stack or not self.app.is_running:
            return not self.app.is_running  # what was still to be drawn never is
        if handling.now or not self.app.key_order.idle:
            return False
        if isinstance(stack[-1], OpeningScreen) or self._is_computing(stack[-1]):
            return False
        screen = stack[-1]
        if screen._dirty_widgets or screen._callbacks:
            return False  # it is about to draw, or to do what waits for that
        widgets = [screen, *screen.walk_children()]
        if any(w._layout_required or w._scroll_required or w._next_callbacks for w in widgets):
            return False  # it is about to be laid out or scrolled
        running = [w for w in self.app.workers if w.group in BESIDE and w.is_running]
        pumps = [self.app, *widgets]
        return not running and all(pump._message_queue.empty() for pump in pumps)

    def _at_work(self) -> list[object]:
        """What keeps the screen from being quiet."""
        screen = self.app.screen
        widgets = [screen, *screen.walk_children()]
        return [
            *(one for one in widgets if getattr(one, "busy", False)),
            *(one for one in widgets if one._layout_required or one._scroll_required),
            *(one for one in (self.app, *widgets) if not one._message_queue.empty()),
            *(one._next_callbacks for one in widgets if one._next_callbacks),
            *(worker for worker in self.app.workers if worker.is_running),
            f"{handling.now} handled, keys idle: {self.app.key_order.idle}",
            f"dirty: {screen._dirty_widgets}, later: {screen._callbacks}",
        ]

    def _computes(self) -> bool:
        stack = self.app.screen_stack
        return bool(stack) and self._is_computing(stack[-1])

    @staticmethod
    def _is_computing(screen: Screen[object]) -> bool:
        """A walk, since a query by selectors takes thirty times as long."""
        designs = isinstance(screen, DesignerScreen) and screen.busy
        return designs or any(
            node.busy for node in screen.walk_children() if isinstance(node, View)
        )

    def _post(self, key: str) -> None:
        single = len(key) == 1
        name = key if not single or key.isalnum() else _character_to_key(key)
        self.app.post_message(events.Key(name, key if single else None))

    def seen(self) -> str:
        """The text on the screen, line by line."""
        self.has_looked = True
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips)

    async def resize(self, size: tuple[int, int]) -> None:
        """Give the terminal another size: columns and rows."""
        await self.pilot.resize_terminal(*size)
        await self.settle()

    async def wire(self, source: str, target: str) -> None:
        """Wire two groups by keys, taking every answer that is proposed."""
        self.designer.select_group(source)
        await self.press("w", "home")
        for key in ("up", "right", "down", "left") * 3:
            wiring = self.designer.canvas.wiring
            if wiring is not None and wiring.target == GroupItem(target):
                break
            await self.press(key)
        await self.press("enter")
        while self.designer.asking:
            await self.press("enter")

    async def add(self, part: str, count: int | None = None) -> None:
        """Add a part by keys: filter, choose, say how many."""
        await self.press("slash")
        await self.type(part)
        await self.press("enter", "enter")
        if count is not None:
            await self.type(str(count))
        await self.press("enter")


OpenApp = Callable[..., AbstractAsyncContextManager[Person]]
