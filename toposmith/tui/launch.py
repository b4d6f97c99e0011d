"""Running the app on a terminal, from finding its abilities to the last message."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.crash import FAILED, crash_lines, log_crash
from toposmith.parts_at_hand import PartsAtHand
from toposmith.terminal import (
    ascii_terminal,
    colourless_terminal,
    end_process,
    terminal_is_gone,
)
from toposmith.tui.app import ToposmithApp
from toposmith.tui.config.settings import Config, config_path
from toposmith.tui.visit import Visit
from toposmith.user_folders import is_there
from toposmith.whole_files import discard_unfinished

if TYPE_CHECKING:
    from toposmith.design.document import Design


def run_app(
    path: Path | None,
    *,
    review: bool = False,
    ascii_only: bool = False,
    mouse: bool = True,
    parts: PartsAtHand | None = None,
    against: tuple[str, Design] | None = None,
    visitor: str | None = None,
) -> int:
    """Run the app until the user leaves it, and end the process.

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
        A design to compare with, with its name.
    visitor : str, optional
        For somebody else the name that comments get; empty where there are none.

    Returns
    -------
    int
        Never: the process ends, with 0 after leaving, 70 after a crash, 2 where the file cannot be
        read, 129 after a dropped connection, 130 and 143 after SIGINT and SIGTERM.
    """
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
        visit=None if visitor is None else Visit(visitor),
    )
    code = _run(app, mouse=mouse and config.mouse)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends anyway
    _say(*app.farewell)
    discard_unfinished()
    return end_process(code)


def _run(app: ToposmithApp, *, mouse: bool) -> int:
    """Run the app until it is left; returns its exit code.

    The loop is never closed: that would wait for what threads compute, and answers that come
    later would find no loop.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    app.leave_when_told(loop)
    _log_faults(loop)
    try:
        app.run(mouse=mouse, loop=loop)
    except Exception as fault:  # of the screen's own machinery
        app.farewell = crash_lines(fault, log_crash(fault), None)
        return FAILED
    return app.return_code or 0


def _log_faults(loop: asyncio.AbstractEventLoop) -> None:
    """Let faults of threads and of the loop go to the log, as those of the app do.

    Without that Python writes them across the screen, or below it when all is over.
    """

    def log(fault: BaseException | None) -> None:
        if isinstance(fault, Exception) and not terminal_is_gone():
            log_crash(fault)

    threading.excepthook = lambda told: log(told.exc_value)
    sys.unraisablehook = lambda told: log(told.exc_value)
    loop.set_exception_handler(lambda _, told: log(told.get("exception")))


def _say(*lines: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # after a hangup there is no terminal
        for line in lines:
            print(line, file=sys.stderr)


def _config() -> tuple[Config, list[str]]:
    """The user's settings; the file's reader is loaded only where there is one."""
    if not is_there(config_path()):
        return Config(), []
    # YAML is read only where there is such a file
    from toposmith.tui.config.config_file import read_config

    return read_config()
