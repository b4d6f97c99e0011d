"""From a key press to its number, and to its findings: how long, at three sizes.

    python -m bench.recompute

Every round makes a real edit on the workbench (a link's cables up, then down again) and asks for
what the app's jobs ask for, through the same functions and in the same order: the figures of the
live panel, and then the findings. Nothing of a round is known from an earlier one but where devices
stand, which cables do not move. Pauses that the app makes on purpose are not counted.

Beside it stands the time of one fixed max-flow of networkx, by which machines can be compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from dataclasses import replace
from time import perf_counter

import networkx as nx

from toposmith.catalog import load_catalog
from toposmith.design.edits import set_cables
from toposmith.design.stored_files import load_file
from toposmith.saved_designs import find_saved
from toposmith.tui.figures.shared_figures import Wanted, curves, figure, preview, review
from toposmith.workbench import Workbench

DESIGNS = ("dgx-h100-superpod-4su", "dgx-b200-superpod-64su", "b200-131072gpu-fabric-per-rail")
ROUNDS = 15
STEPS = ("preview", "number", "findings", "curve")
MEMORY = """
import resource, sys
from toposmith.catalog import load_catalog
from toposmith.saved_designs import find_saved
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
design = load_file(find_saved(sys.argv[1]).path).design
EvaluatedDesign(design, load_catalog()).findings
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def opened(name: str) -> Workbench:
    """A saved design on a workbench."""
    saved = find_saved(name)
    assert saved is not None
    return Workbench(load_file(saved.path).design, load_catalog())


def rounds(bench: Workbench) -> dict[str, list[float]]:
    """Milliseconds of each of many edits, from the key to each of what follows."""
    link = len(bench.design.links) - 1
    usual = bench.design.links[link].cables or 1
    times: dict[str, list[float]] = {step: [] for step in STEPS}
    for turn in range(ROUNDS + 2):
        cables = usual if turn % 2 else max(1, usual // 2)
        edit = set_cables(bench.design, link, None if cables == 1 == usual else cables)
        # a note that no round had before, so that no round finds what an earlier one worked out
        edits = [
            replace(edit, design=edit.design.model_copy(update={"note": f"{what} {turn}"}))
            for what in ("previewed", "made")
        ]
        begun = perf_counter()
        preview(Wanted(bench.design, bench.request), bench.catalog, edits[0])
        previewed = perf_counter() - begun
        begun = perf_counter()
        bench.apply(edits[1])
        wanted = Wanted(bench.design, bench.request)
        figures = figure(wanted, bench.catalog, None)
        number = perf_counter() - begun
        review(wanted, bench.catalog, figures)
        findings = perf_counter() - begun
        begun = perf_counter()
        curves(wanted, bench.catalog)
        curve = perf_counter() - begun
        if turn >= 2:  # the first rounds read tables and fill the racks
            for step, seconds in zip(STEPS, (previewed, number, findings, curve), strict=True):
                times[step].append(seconds * 1e3)
    return times


def fixed_flow_ms() -> float:
    """Milliseconds of one max-flow on a grid of 24 x 24 with unlike capacities; always the same."""
    grid = nx.grid_2d_graph(24, 24, create_using=nx.DiGraph)
    for at, (u, v) in enumerate(grid.edges):
        grid.edges[u, v]["capacity"] = 1 + (7 * at) % 13
    times = []
    for _ in range(5):
        begun = perf_counter()
        nx.maximum_flow_value(grid, (0, 0), (23, 23))
        times.append((perf_counter() - begun) * 1e3)
    return statistics.median(times)


def peak_megabytes(name: str) -> float:
    """Peak memory of a process that works out all findings of the design once."""
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True
    )
    return float(run.stdout)


def main() -> None:
    print(f"One fixed max-flow of networkx on this machine: {fixed_flow_ms():.1f} ms")
    print("From a key press, ms; peak memory of one evaluation, MiB")
    print(f"{'GPUs':>8}  {'to':<9} {'min':>7} {'median':>7} {'max':>7}  {'MiB':>5}")
    for name in DESIGNS:
        memory, bench = peak_megabytes(name), opened(name)
        gpus = bench.evaluated.analysis.gpus
        for step, times in rounds(bench).items():
            print(
                f"{gpus:>8,}  {step:<9} {min(times):>7.1f} {statistics.median(times):>7.1f} "
                f"{max(times):>7.1f}  {memory:>5.0f}"
            )


if __name__ == "__main__":
    main()
