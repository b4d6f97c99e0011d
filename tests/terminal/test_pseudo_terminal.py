"""The installed command in a real pseudo-terminal, read through a terminal emulator."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import sysconfig
import termios
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pyte
import pytest

COMMAND = Path(sysconfig.get_path("scripts")) / "toposmith"
PATIENCE = 60.0


class Terminal:
    """A program in a pseudo-terminal of a given size, and what its screen shows."""

    def __init__(self, command: list[str], home: Path, columns: int = 120, rows: int = 36) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }
        self.process = subprocess.Popen(
            command,
            cwd=home,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def wait_for(self, text: str) -> str:
        """Read until a text stands on the screen; returns the screen."""
        until = monotonic() + PATIENCE
        while text not in (shown := "\n".join(self._screen.display)):
            if monotonic() > until or not self._read():
                raise AssertionError(f"{text!r} did not appear; the screen shows:\n{shown}")
        return shown

    def wait_for_end(self) -> int:
        while self.process.poll() is None:
            self._read()
        return self.process.wait()

    def hang_up(self) -> None:
        """Drop the connection."""
        os.close(self._master)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 1.0)
        if ready:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return False
            # private queries of the keyboard's protocol, which the emulator does not know
            self._stream.feed(data.replace(b"\x1b[>", b"\x1b[").replace(b"\x1b[<", b"\x1b["))
        return True


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


@pytest.mark.slow
def test_the_installed_command_opens_a_superpod_and_quits(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal([str(COMMAND), "dgx-h100-superpod-4su"], tmp_path)
    terminals.append(terminal)
    shown = terminal.wait_for("1,016 GPUs")
    assert "Toposmith" in shown
    terminal.wait_for("limited by")
    terminal.press("v")
    terminal.wait_for("NVLSTree Simple")
    terminal.press("q")
    assert terminal.wait_for_end() == 0


@pytest.mark.slow
def test_python_m_tui_starts_at_the_saved_designs(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal([sys.executable, "-m", "tui"], tmp_path, 80, 24)
    terminals.append(terminal)
    assert "dgx-b200-superpod-64su" in terminal.wait_for("a100-rack-1x100gbe")
    terminal.press("q")
    assert terminal.wait_for_end() == 0


@pytest.mark.slow
def test_a_dropped_connection_keeps_unsaved_work(tmp_path: Path, terminals: list[Terminal]) -> None:
    first = Terminal([str(COMMAND), "a100-rack-1x100gbe"], tmp_path)
    terminals.append(first)
    first.wait_for("limits")
    first.press("+")
    first.wait_for("72 GPUs")
    first.hang_up()
    first.process.wait(timeout=PATIENCE)
    again = Terminal([str(COMMAND)], tmp_path)
    terminals.append(again)
    assert "a100-rack-1x100gbe" in again.wait_for("unsaved work of an earlier run")
