"""Text to the clipboard of the terminal's user, also over SSH."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping

from toposmith.programs import run_program

TMUX_SECONDS = 2.0


def copy_out(
    text: str, send: Callable[[str], None], environment: Mapping[str, str] = os.environ
) -> str:
    """Copy by way of the terminal (OSC 52), and of tmux where one runs in it; says how.

    tmux passes OSC 52 on only where ``set-clipboard`` is on; its own buffer takes it anyway.
    """
    send(text)
    if not environment.get("TMUX"):
        return "through the terminal (OSC 52)"
    try:
        words = ("load-buffer", "-w", "-")
        run_program("tmux", *words, seconds=TMUX_SECONDS, given=text.encode()).check_returncode()
    except (OSError, subprocess.SubprocessError):
        return "through the terminal (OSC 52; tmux passes it on with set-clipboard on)"
    return "through the terminal, and into tmux's buffer"
