"""A program in a pseudo-terminal, and what its screen shows."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sysconfig
import termios
from collections.abc import Mapping
from pathlib import Path
from time import monotonic

import pyte

COMMAND = Path(sysconfig.get_path("scripts")) / "toposmith"
PATIENCE = 120.0


class Terminal:
    """A program in a pseudo-terminal of a given size, and what its screen shows.

    Where the terminal is not the ``controlling`` one, its end comes without a signal. With
    ``keep_written`` the bytes that were written are kept.
    """

    def __init__(
        self,
        command: list[str],
        home: Path,
        columns: int = 120,
        rows: int = 36,
        settings: Mapping[str, str] | None = None,
        *,
        controlling: bool = True,
        keep_written: bool = False,
    ) -> None:
        self.written = bytearray()
        self._keep_written = keep_written
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CACHE_HOME": str(home.parent / "cache"),  # parts are read once for all tests
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            **(settings or {}),
        }
        self.process = subprocess.Popen(
            command,
            cwd=home,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: _begin(controlling=controlling),
        )
        os.close(slave)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def wait_for(self, text: str) -> str:
        """Read until a text stands on the screen; returns the screen."""
        until = monotonic() + PATIENCE
        while text not in (shown := self.shown()):
            if monotonic() > until or not self._read():
                raise AssertionError(f"{text!r} did not appear; the screen shows:\n{shown}")
        return shown

    def shown(self) -> str:
        """The screen as far as it was read."""
        return "\n".join(self._screen.display)

    def read_for(self, seconds: float) -> None:
        """Read what is written within so many seconds."""
        until = monotonic() + seconds
        while (left := until - monotonic()) > 0 and self._read(left):
            pass

    def wait_for_end(self) -> int:
        while self.process.poll() is None:
            self._read()
        return self.process.wait()

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size; the program is told by a signal."""
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def hues(self) -> set[str]:
        """Colours that are on the screen, greys aside."""
        cells = [cell for row in self._screen.buffer.values() for cell in row.values()]
        named = {colour for cell in cells for colour in (cell.fg, cell.bg)}
        greys = {"default", "black", "white", "brightblack", "brightwhite"}
        return {name for name in named - greys if not _is_grey(name)}

    def hang_up(self) -> None:
        """Drop the connection."""
        os.close(self._master)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _read(self, patience: float = 1.0) -> bool:
        ready, _, _ = select.select([self._master], [], [], patience)
        if ready:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return False
            if self._keep_written:
                self.written += data
            # private queries of the keyboard's protocol, which the emulator does not know
            self._stream.feed(data.replace(b"\x1b[>", b"\x1b[").replace(b"\x1b[<", b"\x1b["))
        return True


def _begin(*, controlling: bool) -> None:
    """Begin a process as a shell does, whatever this one ignores, as under ``nohup``."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    if controlling:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _is_grey(colour: str) -> bool:
    """Whether a colour of six hexadecimal digits has as much red as green and blue."""
    return len(colour) == 6 and colour[:2] == colour[2:4] == colour[4:]
