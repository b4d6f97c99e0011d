"""Abnormal ends: a signal, a terminal that is gone, a crash; the work is saved first."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from pathlib import Path

from textual.app import App

from toposmith.crash import FAILED, crash_lines, log_crash
from toposmith.terminal import terminal_is_gone
from toposmith.tui.screens.app_screen import PlaceScreen

HANGUP_CODE = 129
WATCH_SECONDS = 2.0
"""Seconds between checks that the terminal is still there."""

SHUTDOWN_SECONDS = 5


class EndingApp(App[int]):
    """An app that keeps unsaved work when a signal ends it or it fails.

    Attributes
    ----------
    farewell : list of str
        What to print once the terminal is a plain one again.
    """

    def __init__(self) -> None:
        super().__init__()
        self.farewell: list[str] = []

    def rescue(self) -> Path | None:
        """Write unsaved work to its journal; returns the journal's path."""
        kept = [place.autosave() for place in self._places]
        return next((path for path in kept if path is not None), None)

    @property
    def _places(self) -> list[PlaceScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, PlaceScreen)]

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
        """Leave where the terminal went without a signal: reading from it would loop for ever."""
        if terminal_is_gone():
            self._leave_at_once()

    def _leave_at_once(self) -> None:
        kept = self.rescue()
        if kept is not None:
            self.farewell = [
                f"your unsaved work is in {kept}; the next start of toposmith offers it"
            ]
        # Textual's writer can block on a terminal that is gone; the work is saved by now.
        if not self.is_headless:
            watchdog = threading.Timer(SHUTDOWN_SECONDS, os._exit, (HANGUP_CODE,))
            watchdog.daemon = True
            watchdog.start()
        self.exit(return_code=HANGUP_CODE)

    # Textual prints a traceback with all locals after a crash. These two private methods are
    # overridden so that the user sees three lines instead; a test of leaving watches them.

    def _handle_exception(self, error: Exception) -> None:
        if not self.farewell:
            self.farewell = crash_lines(error, log_crash(error), self._rescue_from(error))
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
