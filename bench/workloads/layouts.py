"""How long it takes to rank layouts on 16,384 GPUs.

python -m bench.workloads.layouts
"""

from __future__ import annotations

from time import perf_counter

from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import search

ASKED = (
    ("llama3-405b", {"batch": 2048, "sequence": 8192}),
    ("llama3-70b", {"batch": 4096, "sequence": 8192}),
    ("deepseek-v3", {"batch": 8192, "sequence": 4096}),
)


def main() -> None:
    """Print the table; reading parts and design is not counted."""
    saved = find_saved("dgx-b200-superpod-64su")
    assert saved is not None
    catalog = load_catalog()
    design = load_file(saved.path).design
    print("Layouts on 16,384 GPUs: how many, seconds, seconds for 1,000, the quickest")
    for model, training in ASKED:
        plan = plan_design(design, catalog)
        start = perf_counter()
        found = search(plan, catalog, workload_of({"model": model, "training": training}))
        took = perf_counter() - start
        best = found.layouts[0]
        step = best.step
        figures = f"{step.step_s:.2f} s, MFU {step.mfu:.1%}" if step else "does not fit"
        print(
            f"{model:14} {found.looked_at:6,} {took:7.2f} {took / found.looked_at * 1000:7.2f}  "
            f"{best.split} micro_batch={best.split.block.micro_batch} "
            f"interleave={best.split.block.interleave}: {figures}"
        )


if __name__ == "__main__":
    main()
