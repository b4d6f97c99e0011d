"""From start to the first frame, against an empty Textual app, in a pseudo-terminal.

    python -m bench.first_frame [ROUNDS]

Both are started in turn; a frame counts as seen when the program's name stands on the screen. Then
a design of 1,016 GPUs until its figures stand there, and the memory that the app holds then
(resident set, as Linux counts it). On a machine with other work the processor's seconds say more.
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
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from toposmith.saved_designs import find_saved

ROUNDS = 15
WORD = b"Toposmith"
FIGURES = b"limited by"
EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("Toposmith")
Empty().run()
"""


@dataclass(frozen=True)
class Reached:
    """When a word stood on the screen.

    Parameters
    ----------
    wall_s, processor_s : float
        Seconds since the start, of the clock and of the processor.
    memory_mb : float
        Resident set then.
    """

    wall_s: float
    processor_s: float
    memory_mb: float


def until_seen(command: list[str], words: list[bytes]) -> list[Reached]:
    """Start a command, and note when each word stands on the screen, in their order."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "TERM": "xterm-256color", "HOME": home, "XDG_STATE_HOME": home}
        start = perf_counter()
        process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
        )
        os.close(slave)
        seen, reached = b"", []
        for word in words:
            while word not in seen:
                ready, _, _ = select.select([master], [], [], 60)
                if not ready:
                    raise TimeoutError(f"{word!r} is not seen of {command}")
                seen += os.read(master, 65536)
            reached.append(_now(process.pid, start))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    os.close(master)
    return reached


def _now(pid: int, start: float) -> Reached:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    pages = int(fields[21])
    return Reached(
        perf_counter() - start,
        ticks / os.sysconf("SC_CLK_TCK"),
        pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
    )


def main() -> None:
    saved = find_saved("dgx-h100-superpod-4su")
    assert saved is not None
    commands = {
        "empty Textual app": [sys.executable, "-c", EMPTY],
        "toposmith": [sys.executable, "-m", "toposmith"],
        "toposmith FILE": [sys.executable, "-m", "toposmith", str(saved.path)],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(until_seen(command, [WORD])[0].wall_s)
    base = statistics.median(times["empty Textual app"])
    print("From start to the first frame, ms (120 x 36)")
    print(f"{'':<20} {'min':>6} {'median':>7} {'max':>6}  ratio to empty")
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(
            f"{name:<20} {min(taken) * 1e3:>6.0f} {middle * 1e3:>7.0f} "
            f"{max(taken) * 1e3:>6.0f}  {middle / base:.2f}"
        )
    opened = commands["toposmith FILE"]
    reached = [until_seen(opened, [WORD, FIGURES]) for _ in range(rounds)]
    wall = [figures.wall_s - frame.wall_s for frame, figures in reached]
    processor = [figures.processor_s - frame.processor_s for frame, figures in reached]
    print("\nFrom the first frame to the figures of 1,016 GPUs, s")
    print(f"clock      min {min(wall):.2f}, median {statistics.median(wall):.2f}")
    print(f"processor  min {min(processor):.2f}, median {statistics.median(processor):.2f}")
    print(f"memory then: {max(figures.memory_mb for _, figures in reached):.0f} MB at most")


if __name__ == "__main__":
    main()
