"""From start to the first frame, against an empty Textual app, in a pseudo-terminal.

    python -m bench.first_frame

Both are started in turn; a frame counts as seen when the program's name stands on the screen.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
from time import perf_counter

from toposmith.saved_designs import find_saved

ROUNDS = 15
WORD = b"Toposmith"
EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("Toposmith")
Empty().run()
"""


def seconds_to_frame(command: list[str]) -> float:
    """Wall time from starting a command to its name on the screen."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "TERM": "xterm-256color", "HOME": home, "XDG_STATE_HOME": home}
        start = perf_counter()
        process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
        )
        os.close(slave)
        seen = b""
        while WORD not in seen:
            ready, _, _ = select.select([master], [], [], 20)
            if not ready:
                raise TimeoutError(f"no frame from {command}")
            seen += os.read(master, 65536)
        taken = perf_counter() - start
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    os.close(master)
    return taken


def main() -> None:
    saved = find_saved("dgx-h100-superpod-4su")
    assert saved is not None
    commands = {
        "empty Textual app": [sys.executable, "-c", EMPTY],
        "toposmith": [sys.executable, "-m", "toposmith"],
        "toposmith FILE": [sys.executable, "-m", "toposmith", str(saved.path)],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(seconds_to_frame(command))
    base = statistics.median(times["empty Textual app"])
    print("From start to the first frame, ms (120 x 36)")
    print(f"{'':<20} {'min':>6} {'median':>7} {'max':>6}  ratio to empty")
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(
            f"{name:<20} {min(taken) * 1e3:>6.0f} {middle * 1e3:>7.0f} "
            f"{max(taken) * 1e3:>6.0f}  {middle / base:.2f}"
        )


if __name__ == "__main__":
    main()
