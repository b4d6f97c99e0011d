"""Bands around step times: published over predicted rate, by software, model and GPU.

    python -m bench.workloads.bands [--write]

Systems weigh alike, and each is left out in turn to see how much of it the others' band holds.
``--write`` writes what the program shows, ``toposmith/workloads/published_step_bands.py``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.workloads.__main__ import FIGURES, predicted, runs, stack_of
from bench.workloads.band_file import Band, BandFile, Bands, bands_of
from toposmith.analysis.prediction.error_band import FEWEST_FOR_A_SHARE
from toposmith.errors import ToposmithError
from toposmith.workloads import step_band
from toposmith.workloads.block import Stack, workload_of
from toposmith.workloads.published_step_bands import BANDS

SETS = ("published", "held_out", "scaling", "thin_fabrics", "mixtures")
STACKS: dict[str, Stack] = {"NVIDIA's": "nvidia", "FSDP": "fsdp", "older": "older"}
GENERATIONS = {"v100-16gb": 70, "a100": 80, "h100": 90, "h200": 90, "h800": 90}
"""Compute capability by GPU of a row; the others are of 100 and newer."""

PATH = Path(step_band.__file__).parent / "published_step_bands.py"
TITLE = "Where published runs fell; written by ``python -m bench.workloads.bands --write``."
MEANING = """By kind: low, high and median of published over predicted rate less one, runs, share
of the runs of systems left out that lie inside, and the systems."""


def system_of(row: dict[str, Any]) -> str:
    """Who published a run: of MLPerf the submitter, else the repository or the authors."""
    first, _, rest = row["source"].partition(",")
    if first.startswith("mlcommons/"):
        return f"MLPerf, {rest.split('/')[0].strip()}"
    return "BigScience" if first.startswith("bigscience") else str(first.split(";")[0])


def found_bands() -> Bands:
    """The bands of all kinds that have runs."""
    ratios: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in (row for name in SETS for row in runs(name)):
        stack = STACKS.get(stack_of(row))
        if stack is None or row.get("figure") not in FIGURES:
            continue
        try:
            rate, step = predicted(row)
        except (ToposmithError, KeyError):
            continue
        if step.times_label.kind != "model":
            continue
        mixture = workload_of({"model": row["model"]}).model.experts is not None
        generation = GENERATIONS.get(row["gpu"], 100)
        if not (kind := step_band.band_kind(stack, generation, mixture=mixture)):
            continue
        ratios[kind][system_of(row)].append(row["value"] / rate - 1)
    return bands_of(ratios, fewest_for_a_share=FEWEST_FOR_A_SHARE)


def _line(kind: str, band: Band) -> str:
    low, high, middle, many, inside, names = band
    return (
        f"{kind:48} {low:+5.0%} to {high:+5.0%}, median {middle:+5.0%}; {many:3} runs, "
        f"{len(names):2} systems, {inside:.0%} of one left out inside"
    )


if __name__ == "__main__":
    FILE = BandFile(PATH, TITLE, MEANING, BANDS, _line)
    sys.exit(FILE.compare_or_write(found_bands(), sys.argv[1:]))
