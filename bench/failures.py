"""The sweep of all single failures: how long, at three sizes.

python -m bench.failures
"""

from __future__ import annotations

import statistics
from time import perf_counter

from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.sweep import Sweep, sweep
from toposmith.saved_designs import find_saved

DESIGNS = (
    "dgx-h100-superpod-4su",
    "dgx-b200-superpod-64su",
    "b200-131072gpu-fabric-per-rail",
    "dragonfly-74x32-slingshot",
)
ROUNDS = 5


def timed(name: str) -> tuple[Sweep, list[float]]:
    """The sweep of a saved design, and the seconds that it took in each round."""
    saved, catalog = find_saved(name), load_catalog()
    assert saved is not None
    design = load_file(saved.path).design
    times: list[float] = []
    for _ in range(ROUNDS):
        start = perf_counter()
        found = sweep(plan_design(design, catalog), catalog)
        times.append(perf_counter() - start)
    return found, times


def main() -> None:
    print("All single failures, all-reduce and all-to-all after each, s")
    print(f"{'GPUs':>8} {'things':>9} {'classes':>8} {'min':>6} {'median':>7} {'max':>6}")
    for name in DESIGNS:
        found, times = timed(name)
        things = sum(outcome.failures[0].members for outcome in found.singles)
        print(
            f"{found.gpus:>8,} {things:>9,} {len(found.singles):>8} {min(times):>6.2f} "
            f"{statistics.median(times):>7.2f} {max(times):>6.2f}"
        )


if __name__ == "__main__":
    main()
