"""Racks, lengths and the cable schedule of saved designs: how long, and how much memory.

    python -m bench.schedule

Every design runs in a process of its own, which writes the whole schedule to nowhere. Seconds of
the processor stand beside those of the clock, which other work on the machine slows most.
"""

from __future__ import annotations

import json
import subprocess
import sys

DESIGNS = ("dgx-h100-superpod-4su", "dgx-b200-superpod-64su", "b200-131072gpu-fabric-per-rail")
RUN = """
import json, resource, sys
from time import perf_counter, process_time
from toposmith.catalog import load_catalog
from toposmith.saved_designs import find_saved
from toposmith.design.stored_files import load_file
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.exports.cable_schedule.schedule_csv import point_to_point_csv
from toposmith.fabric.planner import plan_design
from toposmith.racks.lengths import runs
from toposmith.racks.placement import place

catalog = load_catalog()
plan = plan_design(load_file(find_saved(sys.argv[1]).path).design, catalog)
start = perf_counter()
placement = place(plan, catalog)
placed = perf_counter()
found = runs(plan, placement)
measured = perf_counter()
before = process_time()
schedule = Schedule(plan, catalog, placement)
size = sum(len(piece) for piece in point_to_point_csv(schedule.rows()))
print(json.dumps({
    "racks": len(placement.racks), "rows": len(schedule), "megabytes": size / 1e6,
    "place_ms": (placed - start) * 1e3, "runs_ms": (measured - placed) * 1e3,
    "schedule_s": perf_counter() - measured, "processor_s": process_time() - before,
    "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def measured(name: str) -> dict[str, float]:
    """What one process took."""
    run = subprocess.run(
        [sys.executable, "-c", RUN, name], check=True, capture_output=True, text=True
    )
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


def main() -> None:
    print("   racks      rows   CSV MB  place ms  lengths ms  schedule s  processor s  peak MiB")
    for name in DESIGNS:
        f = measured(name)
        print(
            f"{f['racks']:>8,.0f}  {f['rows']:>8,.0f}  {f['megabytes']:>7.1f}  "
            f"{f['place_ms']:>8.0f}  {f['runs_ms']:>10.0f}  {f['schedule_s']:>10.1f}  "
            f"{f['processor_s']:>11.1f}  {f['peak_mib']:>8.0f}  {name}"
        )


if __name__ == "__main__":
    main()
