"""From an edit to new figures: how long, at three sizes.

    python -m bench.recompute

Every round makes a real edit on the workbench (a link's cables up, then down again), so nothing is
cached: the plan, both class graphs, loads, bound, tiers and findings are made anew.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from time import perf_counter

from catalog import load_catalog
from saved_designs import find_saved
from topology.analysis.request import Collective
from topology.design.edits import set_cables
from topology.design.storage import load_file
from topology.workbench import Workbench

DESIGNS = ("dgx-h100-superpod-4su", "dgx-b200-superpod-64su", "b200-131072gpu-fabric-per-rail")
ROUNDS = 15
MEMORY = """
import resource, sys
from catalog import load_catalog
from saved_designs import find_saved
from topology.analysis.analyse import analyse
from topology.design.storage import load_file
from topology.fabric.planning import plan_design
catalog = load_catalog()
design = load_file(find_saved(sys.argv[1]).path).design
analyse(plan_design(design, catalog), catalog)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def milliseconds(name: str, collective: Collective) -> list[float]:
    """Times of edits to a saved design with the figures of one collective."""
    saved = find_saved(name)
    assert saved is not None
    bench = Workbench(load_file(saved.path).design, load_catalog())
    bench.figures(collective)
    link = len(bench.design.links) - 1
    usual = bench.design.links[link].cables or 1
    times: list[float] = []
    for turn in range(ROUNDS):
        cables = usual if turn % 2 else max(1, usual // 2)
        if cables == usual and turn % 2 == 0:
            cables = None  # type: ignore[assignment]
        start = perf_counter()
        bench.apply(set_cables(bench.design, link, cables))
        bench.figures(collective)
        times.append((perf_counter() - start) * 1e3)
    return times


def peak_megabytes(name: str) -> float:
    """Peak memory of a process that analyses the design once."""
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True
    )
    return float(run.stdout)


def main() -> None:
    print("From an edit to new figures, ms, and the peak memory of one analysis, MiB")
    print(f"{'GPUs':>8}  {'collective':<11} {'min':>7} {'median':>7} {'max':>7}  {'MiB':>5}")
    for name in DESIGNS:
        saved = find_saved(name)
        assert saved is not None
        gpus = Workbench(load_file(saved.path).design, load_catalog()).figures().gpus
        memory = peak_megabytes(name)
        for collective in ("all_reduce", "all_to_all"):
            times = milliseconds(name, collective)
            print(
                f"{gpus:>8,}  {collective:<11} {min(times):>7.1f} "
                f"{statistics.median(times):>7.1f} {max(times):>7.1f}  {memory:>5.0f}"
            )


if __name__ == "__main__":
    main()
