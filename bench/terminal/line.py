"""The app at the far end of a pseudo-terminal, with every byte counted."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

QUIET_SECONDS = 0.4
"""Without a byte for so long, what a key began is over."""
REST_SECONDS = 1.5
"""The same, where keys of another kind follow."""


class Line:
    """A run of the app; keys go in, what it writes is counted."""

    def __init__(self, design: str, columns: int, rows: int) -> None:
        self._home = tempfile.TemporaryDirectory()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        home = self._home.name
        env = {
            **os.environ,
            "TERM": "xterm-256color",
            "HOME": home,
            "XDG_STATE_HOME": home,
            "XDG_CONFIG_HOME": home,
        }
        env.pop("COLORTERM", None)  # as over SSH, which does not carry it
        self.process = subprocess.Popen(
            [sys.executable, "-m", "toposmith", design],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            start_new_session=True,
            cwd=Path(__file__).parents[2],
        )
        os.close(slave)

    def drain(self, quiet: float = QUIET_SECONDS, first: float = 30.0) -> bytes:
        """Everything written until the line is quiet; waits ``first`` seconds for a beginning."""
        seen = b""
        patience = first
        while select.select([self._master], [], [], patience)[0]:
            seen += os.read(self._master, 1 << 16)
            patience = quiet
        return seen

    def press(self, keys: str) -> tuple[float, bytes]:
        """Seconds from a key to the first byte, and all that is written until it is quiet."""
        start = perf_counter()
        os.write(self._master, keys.encode())
        if not select.select([self._master], [], [], 5.0)[0]:
            return float("inf"), b""
        first = perf_counter() - start
        return first, self.drain(first=QUIET_SECONDS)

    def rest(self) -> None:
        """Wait until nothing that was begun before can still be on its way."""
        self.drain(quiet=REST_SECONDS, first=REST_SECONDS)

    def written_in(self, seconds: float) -> int:
        """Bytes written while nobody does anything."""
        until = perf_counter() + seconds
        count = 0
        while (left := until - perf_counter()) > 0:
            if select.select([self._master], [], [], left)[0]:
                count += len(os.read(self._master, 1 << 16))
        return count

    def cpu_seconds(self) -> float:
        """Seconds of processor that the app has used; Linux only."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._master)
        self._home.cleanup()


def on_line(design: str, columns: int, rows: int, use: Callable[[Line], None]) -> None:
    """Open a design, wait until it has settled, use it, and end the app."""
    line = Line(design, columns, rows)
    try:
        line.drain(quiet=2.0)
        use(line)
    finally:
        line.close()
