"""The app left at a random moment: is it gone within a second, cleanly, with nothing lost?

    python -m bench.endurance.quits [QUITS] [SEED]

The real app runs in a pseudo-terminal, on designs from light to heavy, and is given random keys. At
a random moment it is left: by a key, by a key and Ctrl+C behind it, by a signal, or by the line
being dropped. From then until the process is gone, seconds are counted, and those of the processor,
which other programs on the machine hardly change. Then no traceback was written or logged, the
terminal is a plain one, every line of the journal is whole, and no temporary file is left.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from bench.endurance.heavy_designs import DESIGNS
from tests.terminal.terminal import COMMAND, Terminal

QUITS = 300
SAID_EVERY = 25
MOST_SECONDS_BEFORE = 6.0
ANSWERED_SECONDS, GIVEN_UP_SECONDS = 6.0, 60.0
MOST_PRESSES = 5
KEYS = [*"vbKFMItfnm+-c?:1L[]/awe*AiGg", "\r", "\x1b", "\x1b[A", "\x1b[B", "\x1b[C", " ", "\t"]
SIGNALS = {"SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "SIGINT": signal.SIGINT}
WAYS = ("q", "Ctrl+Q", "q, Ctrl+C", *SIGNALS, "dropped line", "terminal gone")
"""The last is a terminal that is not the controlling one: its end comes without a signal."""

ASKS = "changes that are not saved"
CODES = {
    **{keys: {0} for keys in ("q", "Ctrl+Q")},
    "q, Ctrl+C": {0, 130, -2},
    "SIGTERM": {143, -15},
    "SIGHUP": {129, -1},
    "SIGINT": {130, -2},
    "dropped line": {129, -1},
    "terminal gone": {129, 0, 2},
}
"""Exit codes that may be: before the app has the terminal, Ctrl+C interrupts and signals kill."""


@dataclass(frozen=True)
class Quit:
    """One run of the app: how it was left, how long that took, and what was wrong."""

    way: str
    design: str
    seconds: float
    cpu_seconds: float
    presses: int
    faults: tuple[str, ...]


def quit_once(rng: random.Random, root: Path, number: int, way: str = "", name: str = "") -> Quit:
    """Run the app on a design, and leave it at a random moment."""
    name, way = name or rng.choice(list(DESIGNS)), way or rng.choice(WAYS)
    home = root / f"home-{number}"
    home.mkdir()
    path = home / "pod.yaml"
    path.write_text(DESIGNS[name], encoding="utf-8")
    terminal = Terminal(
        [str(COMMAND), str(path)], home, controlling=way != "terminal gone", keep_written=True
    )
    try:
        until = monotonic() + rng.random() * MOST_SECONDS_BEFORE
        while monotonic() < until and terminal.process.poll() is None:
            terminal.read_for(rng.random() * 0.7)
            if "GPUs" in terminal.shown() and rng.random() < 0.8:
                terminal.press(key := rng.choice(KEYS))
                if key == "\x1b":  # together with the next one it would be another key
                    terminal.read_for(0.3)
        if terminal.process.poll() is not None:
            return Quit(way, name, 0.0, 0.0, 0, ("ended before it was left",))
        cpu_before = cpu_seconds_of(terminal.process.pid) + cpu_seconds_of_ended()
        seconds, presses = _leave(terminal, way)
        cpu_seconds = cpu_seconds_of_ended() - cpu_before
        code = terminal.process.poll()
        if code is None:
            print(terminal.shown(), flush=True)
        faults = [] if code in CODES[way] else [f"exit code {code}"]
        if way not in ("dropped line", "terminal gone"):
            faults += faults_of_terminal(bytes(terminal.written))
    finally:
        terminal.close()
    return Quit(way, name, seconds, cpu_seconds, presses, (*faults, *faults_of_files(home)))


def cpu_seconds_of(process: int) -> float:
    """Processor time of a process that runs; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds_of_ended() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _leave(terminal: Terminal, way: str) -> tuple[float, int]:
    """Leave the app; returns the seconds until the process is gone, and how often it was asked."""
    began, presses = monotonic(), 1
    if way in SIGNALS:
        os.kill(terminal.process.pid, SIGNALS[way])
    elif way in ("dropped line", "terminal gone"):
        terminal.hang_up()
        terminal.process.wait(timeout=GIVEN_UP_SECONDS)
        return monotonic() - began, presses
    else:
        began, presses = _press_until_it_leaves(terminal, way)
    given_up = monotonic() + GIVEN_UP_SECONDS
    while terminal.process.poll() is None and monotonic() < given_up:
        terminal.read_for(0.02)
    ended = monotonic()
    terminal.read_for(0.05)
    return ended - began, presses


def _press_until_it_leaves(terminal: Terminal, way: str) -> tuple[float, int]:
    """Press the keys that leave from where the app is; returns when, and how often.

    It is pressed again where a ``q`` was typed into something, or where a terminal that is not yet
    the app's took Ctrl+Q for itself. What was typed into a filter takes an Escape of its own.
    """
    key = "\x11" if way == "Ctrl+Q" else "q"
    for presses in range(1, MOST_PRESSES + 1):
        terminal.press(key)
        began = monotonic()
        if way == "q, Ctrl+C":
            terminal.read_for(0.1)
            terminal.press("\x03\x03")
        while terminal.process.poll() is None and monotonic() - began < ANSWERED_SECONDS:
            terminal.read_for(0.02)
            if ASKS in terminal.shown():
                terminal.press("d")
                began = monotonic()
                terminal.read_for(0.3)
        if terminal.process.poll() is not None or ASKS in terminal.shown():
            return began, presses
        for _ in range(2):
            terminal.press("\x1b")
            terminal.read_for(0.3)
    return began, MOST_PRESSES


def faults_of_terminal(written: bytes) -> list[str]:
    faults = ["a traceback"] if b"Traceback" in written else []
    for what, on, off in (
        ("the alternate screen", b"\x1b[?1049h", b"\x1b[?1049l"),
        ("a hidden cursor", b"\x1b[?25l", b"\x1b[?25h"),
        ("reports of the mouse", b"\x1b[?1003h", b"\x1b[?1003l"),
    ):
        if written.rfind(on) > written.rfind(off):
            faults.append(f"{what} is left on")
    return faults


def faults_of_files(home: Path) -> list[str]:
    faults = [
        f"logged: {log.read_text(encoding='utf-8').strip().splitlines()[-1]}"
        for log in home.rglob("crash-*.log")
    ]
    faults += ["a temporary file" for _ in home.rglob(".toposmith-*")]
    for journal in home.rglob("*.journal"):
        for line in journal.read_text(encoding="ascii").splitlines(keepends=True):
            try:
                json.loads(line)
            except ValueError:
                faults.append("a line of the journal is not whole")
            if not line.endswith("\n"):
                faults.append("the last line of the journal is not whole")
    return faults


def table(quits: list[Quit]) -> str:
    """How many, how long and what was wrong, by way and by design."""
    heads = "".join(f"{head:>8}" for head in ("median", "90 %", "longest", "cpu"))
    rows = [f"{'left by / on':24} quits again{heads}  faults"]
    for of in ("way", "design"):
        groups: dict[str, list[Quit]] = defaultdict(list)
        for one in quits:
            groups[getattr(one, of)].append(one)
        for name, group in groups.items():
            times = sorted(one.seconds for one in group)
            shown = [times[int(share * (len(times) - 1))] for share in (0.5, 0.9, 1.0)]
            shown.append(max(one.cpu_seconds for one in group))
            columns = "".join(f"{seconds:7.2f}s" for seconds in shown)
            faults = sorted({fault for one in group for fault in one.faults})
            again = sum(one.presses > 1 for one in group)
            rows.append(
                f"{name:24} {len(group):5} {again:5}{columns}  {'; '.join(faults) or 'none'}"
            )
    return "\n".join(rows)


def main() -> int:
    """Leave the app so many times, and say how long that took; exit 1 where anything was wrong."""
    given = [int(word) for word in sys.argv[1:3]]
    count, seed = (*given, *(QUITS, 1)[len(given) :])
    rng = random.Random(seed)
    quits: list[Quit] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            way, name = WAYS[number % len(WAYS)], rng.choice(list(DESIGNS))
            quits.append(one := quit_once(rng, Path(folder), number, way, name))
            if one.faults or one.seconds > 1.0:
                print(f"{number}: {one}", flush=True)
            if len(quits) % SAID_EVERY == 0:
                print(f"{len(quits)} of {count}", flush=True)
    print(table(quits))
    return 1 if any(one.faults for one in quits) else 0


if __name__ == "__main__":
    sys.exit(main())
