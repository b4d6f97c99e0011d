"""How long it takes to go into a fabric and to walk in it: python -m bench.depths

Times are from asking for a place to having every row that a view of 200x50 shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from toposmith.analysis.analyse import analyse
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.tui.depths.chart import DepthChart
from toposmith.tui.depths.drawing import chart_of
from toposmith.tui.depths.place_loads import read_loads
from toposmith.tui.depths.places import DepthPlace, device_of_row, enter, enter_device, stepped

DESIGNS = ("dgx-h100-superpod-4su", "b200-131072gpu-fabric-per-rail")
ROOM, ROWS, ROUNDS = 106, 44, 15


def main() -> None:
    catalog = load_catalog()
    print(f"{'design':32} {'place':24} {'ms, median':>11} {'ms, worst':>11}")
    for name in DESIGNS:
        design = load_file(Path("saved_designs") / f"{name}.yaml").design
        plan = plan_design(design, catalog)
        analysis = analyse(plan, catalog)

        def seen(place: DepthPlace, plan: Plan = plan, analysis: object = analysis) -> DepthChart:
            loads = read_loads(plan, analysis)  # type: ignore[arg-type]
            chart = chart_of(plan, catalog, place, loads, ROOM)
            for y in range(min(chart.height, ROWS)):
                chart.line(y)
            return chart

        for group in plan.groups:
            unit = enter(plan, group)
            device = enter_device(plan, device_of_row(plan, unit, group, 0))
            for words, place in ((f"{group}: unit", unit), (f"{group}: device", device)):
                report(name, words, lambda place=place: seen(place))
            beside = stepped(plan, unit, 1)
            report(name, f"{group}: next unit", lambda beside=beside: seen(beside))


def report(design: str, words: str, job: Callable[[], object]) -> None:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        job()
        times.append(1000 * (time.perf_counter() - start))
    print(f"{design:32} {words:24} {median(times):11.1f} {max(times):11.1f}")


if __name__ == "__main__":
    main()
