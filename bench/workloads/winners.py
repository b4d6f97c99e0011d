"""How far the layouts that were published lie behind the best that search finds.

python -m bench.workloads.winners

Of runs of one model, GPU, number of GPUs and batch the quickest is the published winner. What it
fixed besides sizes (ZeRO, overlap, recomputation, precision) holds for the search, too.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

from bench.workloads.__main__ import FIGURES, fabric, parts, predicted, runs, software
from toposmith.errors import ToposmithError
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import search

SETS = ("published", "held_out", "scaling", "mixtures")
MOST_GPUS = 2304
FEWEST_NODES = 2
NEAR = 0.03
"""A winner this near the best found counts as found."""


def winners() -> list[dict[str, Any]]:
    """The quickest published run of each model, GPU, number of GPUs, batch and precision."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in (row for name in SETS for row in runs(name)):
        if row.get("figure") in FIGURES and 8 * FEWEST_NODES <= row["gpus"] <= MOST_GPUS:
            alike = (row["model"], row["gpu"], row["gpus"], row["training"], row["figure"])
            groups[str(alike)].append(row)
    return [max(rows, key=lambda row: float(row["value"])) for rows in groups.values()]


def behind(row: dict[str, Any]) -> tuple[float, str] | None:
    """How much longer than the best found the published layout's step is predicted to take."""
    try:
        _, step = predicted(row)
        training = {"stack": software(row), **row["training"]}
        workload = workload_of(
            {"model": row["model"], "layout": row["layout"], "training": training}
        )
        found = search(fabric(row["gpu"], row["gpus"]), parts(), workload)
    except (ToposmithError, KeyError):
        return None
    best = next((each for each in found.layouts if each.step.fits), None)
    if best is None or not step.fits or step.times_label.kind != "model":
        return None
    return step.step_s / best.step.step_s - 1, str(best.split)


def main() -> None:
    """Print the table."""
    apart = []
    for row in winners():
        found = behind(row)
        if found is None:
            continue
        apart.append(found[0])
        print(f"{row['run']:52} {found[0]:+7.1%}  best found {found[1]}", flush=True)
    within = sum(abs(each) <= NEAR for each in apart)
    print(
        f"{len(apart)} winners, {within} within 3 % of the best found, median {median(apart):.1%}"
    )
    missed = sum(each < -NEAR for each in apart)
    print(f"{missed} are quicker by more than that than all that search finds")


if __name__ == "__main__":
    main()
