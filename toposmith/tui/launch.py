"""Running the app on a terminal, from finding its abilities to the last message."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.parts_at_hand import PartsAtHand
from toposmith.terminal import (
    ascii_terminal,
    colourless_terminal,
    drop_unwritten,
    refusal_of_terminal,
)
from toposmith.tui.app import ToposmithApp
from toposmith.tui.config.settings import Config, config_path
from toposmith.user_folders import is_there

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
) -> int:
    """Run the app until the user leaves it.

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
    with contextlib.suppress(OSError):  # after a hangup there is no terminal
        for line in app.farewell:
            print(line, file=sys.stderr)
    drop_unwritten()
    return app.return_code or 0


def _config() -> tuple[Config, list[str]]:
    """The user's settings; the file's reader is loaded only where there is one."""
    if not is_there(config_path()):
        return Config(), []
    # YAML is read only where there is such a file
    from toposmith.tui.config.config_file import read_config

    return read_config()
