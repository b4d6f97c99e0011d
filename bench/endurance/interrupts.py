"""Ctrl+C in every command that works long, at random moments: how soon is it over, and cleanly?

    python -m bench.endurance.interrupts [TIMES] [SEED] [COMMAND...]

Every command runs on an input that keeps it busy, and is sent SIGINT at a random moment. Seconds,
and those of the processor, which other programs on the machine hardly change, are counted until it
is gone. It has to end with 130 and a line that says what was interrupted, without a traceback or a
temporary file, and to have said within three seconds what it does.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from bench.endurance.heavy_designs import DESIGNS
from bench.endurance.quits import cpu_seconds_of, cpu_seconds_of_ended
from tests.terminal.terminal import COMMAND

TIMES = 5
CPU_SECONDS_AT_WORK = (1.0, 8.0)
GIVEN_UP_SECONDS = 60.0
FIRST_WORD_SECONDS = 3.0
CABLES = 400_000
"""In a dump of 50 MB."""

LARGE, ONES, FAULTED, SOUND = "large.yaml", "ones.yaml", "faulted.yaml", "sound.yaml"
MODEL = ("--model", "deepseek-v3", "--set", "batch=15360")
COMMANDS = {
    "analyze": (ONES,),
    "asbuilt": (LARGE, "dump.out"),
    "bom": (LARGE, "-o", "bill.xlsx"),
    "change": (SOUND, "grown.yaml"),
    "check": (ONES,),
    "diff": (FAULTED, ONES),
    "diff --table": ("--table", FAULTED, ONES, LARGE),
    "export": (LARGE, "--to", "cables", "-o", "cables.csv"),
    "failures": (FAULTED, "--doubles", "all"),
    "fix": (ONES,),
    "fix --spare": (FAULTED, "--spare"),
    "jobs": (FAULTED, "all, all_to_all", "64 nodes, scattered, all_to_all"),
    "lock": (LARGE, "--force"),
    "measured": (ONES,),
    "new": ("--nodes", "100000"),
    "review": (FAULTED, "--report", "html", "--doubles", "all", "-o", "page.html"),
    "workload": (LARGE, *MODEL, "--search", "--vary", "recompute", "--vary", "zero"),
}
"""What each command is busy with, by command."""


@dataclass(frozen=True)
class Interrupted:
    """One run of a command: how long it had worked, how long its end took, and what was wrong."""

    worked: float
    seconds: float
    cpu_seconds: float
    peak_MB: float
    faults: tuple[str, ...]


def write_designs(folder: Path) -> None:
    """The designs that commands are busy with."""
    (folder / LARGE).write_text(DESIGNS["131,072 GPUs"], encoding="utf-8")
    (folder / ONES).write_text(DESIGNS["200 groups of one"], encoding="utf-8")
    faulted = DESIGNS["three tiers, 24 faults"]
    (folder / FAULTED).write_text(faulted, encoding="utf-8")
    grown = faulted.partition("down:")[0]  # its cores have no port left
    (folder / "grown.yaml").write_text(grown, encoding="utf-8")
    sound = grown.replace("axes: {pod: 8,", "axes: {pod: 4,")
    (folder / SOUND).write_text(sound, encoding="utf-8")


def write_dump(folder: Path) -> None:
    """A dump of so many cables, none of which is in any design."""
    with (folder / "dump.out").open("w", encoding="ascii") as dump:
        for switch in range(CABLES // 64):
            dump.write(f'\nSwitch\t64 "S-{switch:016x}"\t\t# "leaf{switch}" base port 0 lid 1\n')
            for port in range(1, 65):
                node = switch * 64 + port
                dump.write(
                    f'[{port}]\t"H-{node:016x}"[1]({node:x}) \t\t# "node{node} mlx5_0" lid {node} '
                    f"4xNDR\n"
                )


def interrupt(
    name: str,
    folder: Path,
    rng: random.Random,
    at_work: tuple[float, float] = CPU_SECONDS_AT_WORK,
) -> Interrupted | None:
    """Run a command and interrupt it at a random moment; None where it was through before."""
    out = folder / "stderr.txt"
    before, began = cpu_seconds_of_ended(), monotonic()
    command = [str(COMMAND), name.split()[0], *COMMANDS[name]]
    if "-o" in command:
        command.append("--force")
    with out.open("w") as stderr:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    at = rng.uniform(*at_work)
    first_word = None
    while process.poll() is None and cpu_seconds_of(process.pid) < at:
        sleep(0.02)
        if first_word is None and out.stat().st_size:
            first_word = monotonic() - began
    if process.poll() is not None:
        return None
    used, peak_MB = cpu_seconds_of(process.pid), _peak_MB(process.pid)
    process.send_signal(signal.SIGINT)
    pressed = monotonic()
    try:
        code = process.wait(timeout=GIVEN_UP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    seconds = monotonic() - pressed
    if code == -signal.SIGINT:  # its work was done, and Python's own end begun
        return None
    said = out.read_text()
    faults = [] if code == 130 else [f"exit code {code}"]
    faults += ["a traceback"] if "Traceback" in said else []
    faults += [] if "interrupted" in said else ["no word of it"]
    faults += ["a temporary file"] * len(list(folder.glob(".toposmith-*")))
    if first_word is None and used > FIRST_WORD_SECONDS:  # by its own time, on a busy machine
        faults.append("nothing was said before")
    return Interrupted(at, seconds, cpu_seconds_of_ended() - before - used, peak_MB, (*faults,))


def _peak_MB(process: int) -> float:
    """The most memory that a process had so far."""
    try:
        status = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    peak = next((line for line in status if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(peak.split()[1]) / 1000


def main() -> int:
    """Interrupt every command so many times; exit 1 where anything was wrong."""
    given, only = [int(word) for word in sys.argv[1:3]], sys.argv[3:]
    times, seed = (*given, *(TIMES, 1)[len(given) :])
    rng = random.Random(seed)
    wrong = False
    heads = "".join(f"{head:>9}" for head in ("median", "longest", "cpu", "MB"))
    print(f"{'command':12} times through{heads}  faults")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_designs(folder)
        write_dump(folder)
        for command in only or COMMANDS:
            runs = [interrupt(command, folder, rng) for _ in range(times)]
            cut = [run for run in runs if run is not None]
            faults = sorted({fault for run in cut for fault in run.faults})
            wrong = wrong or bool(faults)
            ends = sorted(run.seconds for run in cut) or [0.0]
            cpu = max((run.cpu_seconds for run in cut), default=0.0)
            peak = max((run.peak_MB for run in cut), default=0.0)
            shown = f"{ends[len(ends) // 2]:8.2f}s{ends[-1]:8.2f}s{cpu:8.2f}s{peak:9.0f}"
            said = "; ".join(faults) or "none"
            print(f"{command:12} {len(cut):5} {times - len(cut):7}{shown}  {said}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
