"""What the terminal can show, checked before the app starts."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from typing import NoReturn

_ASCII_LOCALES = ("C", "POSIX")
_COLOURLESS = ("vt1", "vt2", "vt3", "vt4", "vt5", "xterm-mono", "screen.vt", "linux-m")


def in_browser() -> bool:
    """Whether textual-serve shows the app in a browser, by pipes in place of a terminal."""
    return "TEXTUAL_DRIVER" in os.environ


def ascii_terminal() -> bool:
    """Whether only ASCII can be relied on: the output's encoding, or the locale."""
    if in_browser():
        return False
    if os.environ.get("LC_ALL") in _ASCII_LOCALES:
        return True  # Python writes UTF-8 all the same, but the terminal may not decode it
    streams = (sys.__stdout__, sys.__stderr__)
    encodings = [stream.encoding for stream in streams if stream is not None]
    return any("utf" not in (encoding or "").lower() for encoding in encodings)


def colourless_terminal() -> bool:
    """Whether the terminal has no colours, so that a selection is shown in reverse video."""
    return os.environ.get("TERM", "").startswith(_COLOURLESS)


def refusal_of_terminal() -> str:
    """Why the app cannot run here; empty where it can."""
    if in_browser():
        return ""
    if os.environ.get("TERM") == "dumb":
        return "TERM=dumb cannot show the app; analyze, check and bom work without a screen"
    streams = (sys.stdin, sys.stdout)
    if not all(stream is not None and stream.isatty() for stream in streams):
        return "the app needs a terminal; without one: toposmith analyze FILE, check, bom (--help)"
    return ""


def terminal_is_gone() -> bool:
    """Whether the terminal, or the browser, was closed without sending a signal to the app."""
    stream = sys.__stdin__
    if stream is None:
        return False
    try:
        # not on every system
        import termios

        termios.tcgetattr(stream.fileno())
    except ImportError:  # no such terminals on this system
        return False
    except (OSError, ValueError, termios.error):
        return not in_browser() or _has_hung_up(stream.fileno())
    return False


def _has_hung_up(pipe: int) -> bool:
    """Whether nobody writes into a pipe any more."""
    watched = select.poll()
    watched.register(pipe, 0)
    return bool(watched.poll(0))


def drop_unwritten() -> None:
    """Discard output for a terminal that is gone, so that Python's last flush cannot fail.

    A program whose last flush fails ends with code 120 instead of its own.
    """
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def end_process(code: int) -> NoReturn:
    """End the process now: what its threads compute is not waited for."""
    drop_unwritten()
    os._exit(code)
