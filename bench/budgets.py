"""What each command takes for designs of up to a megabyte: processor seconds and memory.

    python -m bench.budgets [--kind torus] [--what analyze] [--seconds 30] [--over]

Each row is a process of its own, ended after so many seconds of processor: the design, its bytes,
the command, processor seconds, the most memory in MB, and the first words of the verdict. What is
over the budget of 10 s and 500 MB is marked; the exit code is 1 where anything is.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.budget_designs import KINDS

BUDGET_SECONDS, BUDGET_MB = 10.0, 500.0

LIVE = """
import gc, sys
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.errors import ToposmithError
from toposmith.tui.figures.shared_figures import Wanted, figure, review
gc.freeze()
gc.set_threshold(50_000)
try:
    design = load_file(sys.argv[1]).design
except ToposmithError as refused:
    sys.exit(str(refused))
wanted, catalog = Wanted(design, Request()), load_catalog()
figures = figure(wanted, catalog, None)
busbw = figures.analysis.busbw_GBps if figures.analysis else None
print(busbw, len(review(wanted, catalog, figures)), "findings")
"""
"""What the app computes of a design that is opened, with garbage collected as seldom."""

COMMANDS = {
    "check": ["-m", "toposmith", "check"],
    "analyze": ["-m", "toposmith", "analyze"],
    "bom": ["-m", "toposmith", "bom"],
    "live": ["-c", LIVE],
}


@dataclass(frozen=True)
class Cost:
    """What a process took, and how it ended."""

    seconds: float
    megabytes: float
    exit_code: int
    words: str

    @property
    def over(self) -> bool:
        """Whether it took more than the budget, or failed."""
        within = self.seconds <= BUDGET_SECONDS and self.megabytes <= BUDGET_MB
        return not within or self.exit_code not in (0, 1, 2)


def cost(command: list[str], limit: int) -> Cost:
    """Run a command, ended after so many seconds of processor."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000))

    with tempfile.TemporaryFile() as out:
        home = tempfile.mkdtemp()
        surroundings = os.environ | {"HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home}
        child = subprocess.Popen(
            [sys.executable, *command],
            stdout=out,
            stderr=subprocess.STDOUT,
            preexec_fn=limited,
            env=surroundings,
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read(4_000_000).decode(errors="replace")
        if "Traceback" in said:
            child.returncode = -1
    seconds = used.ru_utime + used.ru_stime
    return Cost(seconds, used.ru_maxrss / 1024, child.returncode, said)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.budgets", description=__doc__)
    parser.add_argument("--seconds", type=int, default=30, help="processor limit of each row")
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--what", action="append", choices=list(COMMANDS))
    parser.add_argument("--size", type=int, action="append", help="in place of those of the kind")
    parser.add_argument("--over", action="store_true", help="only what is over the budget")
    asked = parser.parse_args()
    print("| design | bytes | command | CPU s | MB | exit | verdict |")
    print("|---|---:|---|---:|---:|---:|---|")
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in asked.kind or KINDS:
            make, sizes = KINDS[kind]
            for size in asked.size or sizes:
                text = make(size)
                file = Path(folder) / "design.yaml"
                file.write_text(text, encoding="utf-8")
                for what in asked.what or COMMANDS:
                    took = cost([*COMMANDS[what], str(file)], asked.seconds)
                    over += took.over
                    if asked.over and not took.over:
                        continue
                    words = " ".join(took.words.replace(str(file), "FILE").split())[:100]
                    mark = "**" if took.over else ""
                    row = (f"{kind} {size:,}", f"{len(text):,}", what)
                    figures = (f"{mark}{took.seconds:.1f}{mark}", f"{took.megabytes:.0f}")
                    shown = words.replace("|", "/")
                    print(
                        "|",
                        " | ".join((*row, *figures, str(took.exit_code), shown)),
                        "|",
                        flush=True,
                    )
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
