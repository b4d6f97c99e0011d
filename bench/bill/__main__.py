"""How long a bill takes, form by form, at three sizes, and the memory of a process that makes one.

    python -m bench.bill

Every round plans the design and makes its bill anew, "in its racks" with all lengths along them;
what a form takes is timed by itself. Runs are 40 lengths for every link.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter, process_time

from toposmith.bill.bill import make_bill, placed_bill
from toposmith.bill.bill_reader import read_bill
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.table_forms import bill_csv, bill_markdown
from toposmith.bill.verification import differences
from toposmith.bill.yaml_form import bill_cyclonedx, bill_json, bill_yaml
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.planner import plan_design
from toposmith.racks.lengths import CableRun
from toposmith.saved_designs import find_saved

DESIGNS = ("dgx-h100-superpod-4su", "dgx-b200-superpod-64su", "b200-131072gpu-fabric-per-rail")
ROUNDS = 9
LENGTHS = 40
MEMORY = """
import resource, sys
from bench.bill.__main__ import opened
from toposmith.catalog import load_catalog
from toposmith.bill.bill import make_bill
from toposmith.bill.yaml_form import bill_yaml
from toposmith.fabric.planner import plan_design
catalog = load_catalog()
bill_yaml(make_bill(plan_design(opened(sys.argv[1]), catalog), catalog))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def opened(name: str) -> Design:
    """A saved design."""
    saved = find_saved(name)
    assert saved is not None
    return load_file(saved.path).design


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """The median of many rounds, by the clock and of the processor."""
    times, processor = [], []
    for _ in range(ROUNDS):
        start, before = perf_counter(), process_time()
        work()
        times.append((perf_counter() - start) * 1e3)
        processor.append((process_time() - before) * 1e3)
    return statistics.median(times), statistics.median(processor)


def runs_of(design: Design) -> list[CableRun]:
    """Every link cut into many lengths from 2 to 41 m."""
    plan = plan_design(design, load_catalog())
    return [
        CableRun(link, -(-many // LENGTHS), 2.0 + metres, metres == 0)
        for link, many in cable_counts(plan).items()
        for metres in range(LENGTHS)
    ]


def peak_megabytes(name: str) -> float:
    """Peak memory of a process that writes the bill as YAML once."""
    run = subprocess.run(
        [sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True
    )
    return float(run.stdout)


def main() -> None:
    catalog = load_catalog()
    peaks = {name: peak_megabytes(name) for name in DESIGNS}
    for name in DESIGNS:
        design, runs = opened(name), runs_of(opened(name))
        plan = plan_design(design, catalog)
        bill = make_bill(plan, catalog, runs=runs)
        text = bill_yaml(bill)
        work: dict[str, Callable[[], object]] = {
            "in its racks": lambda d=design: placed_bill(plan_design(d, catalog), catalog),
            "plan and bill": lambda d=design: make_bill(plan_design(d, catalog), catalog),
            f"{LENGTHS} lengths a link": lambda p=plan, r=runs: make_bill(p, catalog, runs=r),
            "yaml": lambda b=bill: bill_yaml(b),
            "json": lambda b=bill: bill_json(b),
            "csv": lambda b=bill: bill_csv(b),
            "md": lambda b=bill: bill_markdown(b),
            "xlsx": lambda b=bill: bill_xlsx(b),
            "cyclonedx": lambda b=bill: bill_cyclonedx(b),
            "read and verify": lambda b=bill, t=text: differences(read_bill(t, "b.yaml"), b),
        }
        cables = sum(link.cables or 0 for link in bill.links)
        print(f"{name}: {len(bill.lines)} lines, {cables:,} cables, {peaks[name]:.0f} MiB")
        for what, each in work.items():
            clock, processor = milliseconds(each)
            print(f"  {what:<20} {clock:>8.1f} ms  {processor:>8.1f} ms of the processor")


if __name__ == "__main__":
    main()
