"""From an edit to new figures and a new curve: how long, at three sizes, beside an expansion.

    python -m bench.recompute

Every round makes a real edit on the workbench (a link's cables up, then down again), so nothing is
cached: the plan, the class graphs, loads, bound, next step, tiers and findings are made anew. The
expansion is the same fabric as a networkx graph with every device, without any figure computed.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

from toposmith.catalog import load_catalog
from toposmith.saved_designs import find_saved
from toposmith.topology.analysis.analyse import curve
from toposmith.topology.analysis.request import Collective
from toposmith.topology.design.edits import set_cables
from toposmith.topology.design.storage import load_file
from toposmith.topology.fabric.expansion import expand
from toposmith.topology.fabric.planning import plan_design
from toposmith.topology.workbench import Workbench

DESIGNS = ("dgx-h100-superpod-4su", "dgx-b200-superpod-64su", "b200-131072gpu-fabric-per-rail")
ROUNDS = 15
MEMORY = """
import resource, sys
from toposmith.catalog import load_catalog
from toposmith.saved_designs import find_saved
from toposmith.topology.analysis.analyse import analyse
from toposmith.topology.design.storage import load_file
from toposmith.topology.fabric.planning import plan_design
catalog = load_catalog()
design = load_file(find_saved(sys.argv[1]).path).design
analyse(plan_design(design, catalog), catalog)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def opened(name: str) -> Workbench:
    """A saved design on a workbench."""
    saved = find_saved(name)
    assert saved is not None
    return Workbench(load_file(saved.path).design, load_catalog())


def edited(bench: Workbench, figures: Callable[[], object]) -> list[float]:
    """Milliseconds from each of many edits to its figures."""
    link = len(bench.design.links) - 1
    usual = bench.design.links[link].cables or 1
    figures()
    times: list[float] = []
    for turn in range(ROUNDS):
        cables = usual if turn % 2 else max(1, usual // 2)
        start = perf_counter()
        bench.apply(set_cables(bench.design, link, None if cables == 1 == usual else cables))
        figures()
        times.append((perf_counter() - start) * 1e3)
    return times


def figures_of(bench: Workbench, collective: Collective) -> Callable[[], object]:
    """What the live panel asks for."""
    return lambda: bench.figures(collective)


def curve_of(bench: Workbench) -> Callable[[], object]:
    """A whole curve, 8 bytes to 16 GiB."""
    return lambda: curve(plan_design(bench.design, bench.catalog), bench.catalog)


def expansion_seconds(bench: Workbench) -> tuple[float, int]:
    """Seconds to write every device down, and how many vertices that makes."""
    start = perf_counter()
    graph = expand(plan_design(bench.design, bench.catalog), bench.catalog)
    return perf_counter() - start, len(graph)


def peak_megabytes(name: str) -> float:
    """Peak memory of a process that analyses the design once."""
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True
    )
    return float(run.stdout)


def main() -> None:
    print("From an edit to new figures, ms; peak memory of one analysis, MiB; an expansion, s")
    print(f"{'GPUs':>8}  {'figures':<11} {'min':>7} {'median':>7} {'max':>7}  {'MiB':>5}  expanded")
    # before any expansion, whose memory a child process would inherit
    peaks = {name: peak_megabytes(name) for name in DESIGNS}
    for name in DESIGNS:
        bench = opened(name)
        gpus, memory = bench.evaluated.analysis.gpus, peaks[name]
        seconds, vertices = expansion_seconds(bench)
        asked: dict[str, Callable[[Workbench], Callable[[], object]]] = {
            "all-reduce": lambda fresh: figures_of(fresh, "all_reduce"),
            "all-to-all": lambda fresh: figures_of(fresh, "all_to_all"),
            "curve": curve_of,
        }
        for what, figures in asked.items():
            fresh = opened(name)
            times = edited(fresh, figures(fresh))
            print(
                f"{gpus:>8,}  {what:<11} {min(times):>7.1f} {statistics.median(times):>7.1f} "
                f"{max(times):>7.1f}  {memory:>5.0f}  {seconds:.1f} s, {vertices:,} vertices"
            )


if __name__ == "__main__":
    main()
