"""How the app ends: what is to be kept is kept first, then the process ends soon.

All that is said to be done is written before :meth:`EndingApp.exit` is called: a save and a comment
before the next key, an edit to the journal before it is shown. What is computed after that is for
nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any

from rich.console import RenderableType
from textual.app import App
from textual.driver import Driver
from textual.drivers._writer_thread import WriterThread
from textual.events import Key
from textual.message import Message

from toposmith.cancellation import stopped_unless
from toposmith.crash import FAILED, crash_lines, log_crash
from toposmith.terminal import in_browser, terminal_is_gone
from toposmith.tui.screens.app_screen import PlaceScreen
from toposmith.whole_files import discard_unfinished

HANGUP_CODE = 129
"""Exit code after a dropped connection: by convention 128 and the number of SIGHUP."""

WATCH_SECONDS = 0.25
"""Seconds between checks that the terminal is still there."""

LEAVING_SECONDS, LEAST_LEAVING_SECONDS = 0.6, 0.1
"""Seconds that Textual has to take the screen down, before the process ends without that; what the
loop was late to answer the key counts among them, but for the least."""

ANSWERED_SECONDS = 0.8
"""Seconds that a key that leaves is answered within; else the process ends without its screen."""

_LEAVING_KEYS = ("q", "ctrl+q")

TAKEN_SECONDS = 2.0
"""How long a terminal has to take what was drawn; one that does not is left as it is."""

_PLAIN_TERMINAL = (
    "\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
    "\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""What Textual's driver writes when it stops: no pastes in brackets, wrapping, no sizes and mouse
in the input, plain keys, the screen of before, a cursor, no word of the focus."""


class EndingApp(App[int]):
    """An app that keeps unsaved work when a signal ends it or it fails, and then ends at once.

    Attributes
    ----------
    farewell : list of str
        What to print once the terminal is a plain one again.
    """

    def __init__(self) -> None:
        super().__init__()
        self.farewell: list[str] = []
        self._is_leaving = False
        self._ends: SimpleQueue[int] = SimpleQueue()
        self._has_heard = self._waits_for_answer = False
        self._heard_at = self._late_seconds = 0.0

    @property
    def has_opened(self) -> bool:
        """Whether what the user opened is there: until then there is nothing to lose."""
        raise NotImplementedError

    def get_driver_class(self) -> type[Driver]:
        """Let keys that leave be heard by the thread that reads them, however busy the loop is."""
        app = self

        class HearingDriver(super().get_driver_class()):  # type: ignore[misc]  # by platform
            def send_message(self, message: Message) -> None:
                if isinstance(message, Key):
                    app.hear(message.key)
                super().send_message(message)

        return HearingDriver

    def hear(self, key: str) -> None:
        """Leave by this key, if the loop does not answer it; in the thread that reads keys.

        Ctrl+Q means that anywhere. ``q`` may be typed into something; but not as the first key,
        before there is anything.
        """
        is_first, self._has_heard = not self._has_heard, True
        if key in _LEAVING_KEYS:
            self._heard_at = monotonic()
        if key in _LEAVING_KEYS and (key != "q" or (is_first and not self.has_opened)):
            self._waits_for_answer = True
            threading.Thread(target=self._leave_unanswered, daemon=True).start()

    def answer(self, key: str) -> None:
        """Note that a key has come as far as the loop."""
        if key in _LEAVING_KEYS:
            self._waits_for_answer = False
            self._late_seconds = monotonic() - self._heard_at if self._heard_at else 0.0

    def _leave_unanswered(self) -> None:
        sleep(ANSWERED_SECONDS)
        if self._waits_for_answer:
            unsaved = [kept for place in self._places if (kept := place.journal) is not None]
            self.farewell = self.farewell or [_kept_words(kept) for kept in unsaved[:1]]
            self._end_process(0)

    async def run_async(self, **options: Any) -> int | None:
        """Run the app; whatever it computes in threads is cancelled when it ends."""
        with stopped_unless(self._wants_figures):
            return await super().run_async(**options)

    def _wants_figures(self) -> bool:
        """Whether what is computed at this place is still for somebody."""
        return not self._is_leaving or threading.current_thread() is threading.main_thread()

    def exit(
        self,
        result: int | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """Take the screen down; the process ends soon, whatever is still computed."""
        self._end_soon(return_code)
        super().exit(result, return_code, message)

    def rescue(self) -> Path | None:
        """Write unsaved work to its journal; returns the journal's path."""
        kept = [place.autosave() for place in self._places]
        return next((path for path in kept if path is not None), None)

    @property
    def _places(self) -> list[PlaceScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, PlaceScreen)]

    def leave_when_told(self, loop: asyncio.AbstractEventLoop) -> None:
        """Keep the work and leave where a signal says so, or where the terminal is gone.

        What runs on the loop is not waited for: Python's own handlers are used, not those of
        asyncio, and a thread looks after the terminal, whose end may come without a signal.
        """

        def leave(code: int) -> None:
            if not self._is_leaving:
                self._end_soon(code)
                loop.call_soon_threadsafe(self._leave_at_once, code)

        def watch_terminal() -> None:
            while not terminal_is_gone():
                sleep(WATCH_SECONDS)
            leave(HANGUP_CODE)

        for name in ("SIGHUP", "SIGTERM", "SIGINT"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda number, _: leave(128 + number))
        threading.Thread(target=watch_terminal, daemon=True).start()
        threading.Thread(target=self._end_when_told, daemon=True).start()

    def panic(self, *renderables: RenderableType) -> None:
        """Leave: Textual's thread that reads the terminal failed, since that is gone."""
        self._leave_at_once()

    def _leave_at_once(self, code: int = HANGUP_CODE) -> None:
        kept = self.rescue()
        if kept is not None:
            self.farewell = [_kept_words(kept)]
        self.exit(return_code=code)

    def _end_soon(self, code: int) -> None:
        """Cancel what is computed; end the process if the screen is not down in time.

        Safe in the handler of a signal: nothing is locked, as by the start of a thread.
        """
        self._is_leaving = True
        self._ends.put(code)

    def _end_when_told(self) -> None:
        # Textual waits for a terminal that takes nothing, or a computation leaves it no time
        code = self._ends.get()
        sleep(max(LEAST_LEAVING_SECONDS, LEAVING_SECONDS - self._late_seconds))
        self._end_process(code)

    def _end_process(self, code: int) -> None:
        discard_unfinished()
        last = threading.Thread(
            target=_restore_terminal, args=(self._driver, self.farewell), daemon=True
        )
        last.start()
        last.join(TAKEN_SECONDS)
        os._exit(code)

    # Textual prints a traceback with all locals after a crash. These two private methods are
    # overridden so that the user sees three lines instead; a test of leaving watches them.

    def _handle_exception(self, error: Exception) -> None:
        if self._is_leaving:  # of a screen that is being taken down, of which parts are gone
            self._close_messages_no_wait()
            return
        if not self.farewell:
            self.farewell = crash_lines(error, log_crash(error), self._rescue_from(error))
        self._end_soon(FAILED)
        super()._handle_exception(error)
        self._return_code = FAILED

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def _rescue_from(self, error: Exception) -> Path | None:
        try:
            return self.rescue()
        except Exception as second:  # of any kind: the first failure is the one to report
            error.add_note(f"and keeping the design failed: {second!r}")
            return None


def _kept_words(journal: Path) -> str:
    return f"your unsaved work is in {journal}; the next start of toposmith offers it"


def _restore_terminal(driver: Driver | None, farewell: list[str]) -> None:
    """Make the terminal a plain one again once it has taken what is being drawn; the last words.

    What waits to be drawn is dropped: after these words it would take the terminal again.
    """
    words = "" if in_browser() else _PLAIN_TERMINAL
    words += "".join(f"{line}\n" for line in farewell)
    writer: WriterThread | None = getattr(driver, "_writer_thread", None)
    if writer is not None:
        with contextlib.suppress(Empty):
            while True:
                writer._queue.get_nowait()
        writer.stop()
    attributes = getattr(driver, "attrs_before", None)
    with contextlib.suppress(OSError, ValueError):
        if attributes is not None and sys.__stdin__ is not None:
            # not on every system
            import termios

            with contextlib.suppress(termios.error):
                termios.tcsetattr(sys.__stdin__.fileno(), termios.TCSANOW, attributes)
        os.write(2, words.encode())
