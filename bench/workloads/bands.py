"""Bands around step times: published over predicted rate of dense models, by software and GPU.

    python -m bench.workloads.bands [--write]

Systems weigh alike, and each is left out in turn to see how much of it the others' band holds.
``--write`` writes what the program shows, ``toposmith/workloads/published_step_bands.json``.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.measured.score import left_out_inside, span
from bench.workloads.__main__ import FIGURES, predicted, runs, stack_of
from toposmith.analysis.prediction.error_band import FEWEST_FOR_A_SHARE
from toposmith.errors import ToposmithError
from toposmith.workloads import step_band
from toposmith.workloads.block import Stack, workload_of

SETS = ("published", "held_out", "scaling", "thin_fabrics")
STACKS: dict[str, Stack] = {"NVIDIA's": "nvidia", "FSDP": "fsdp", "older": "older"}
GENERATIONS = {"v100-16gb": 70, "a100": 80, "h100": 90, "h200": 90, "h800": 90}
"""Compute capability by GPU of a row; the others are of 100 and newer."""

PATH = Path(step_band.__file__).parent / "published_step_bands.json"


def system_of(row: dict[str, Any]) -> str:
    """Who published a run: of MLPerf the submitter, else the repository or the authors."""
    first, _, rest = row["source"].partition(",")
    if first.startswith("mlcommons/"):
        return f"MLPerf, {rest.split('/')[0].strip()}"
    return "BigScience" if first.startswith("bigscience") else str(first.split(";")[0])


def found_bands() -> dict[str, dict[str, Any]]:
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
        if workload_of({"model": row["model"]}).model.experts is not None:
            continue
        if not (kind := step_band.band_kind(stack, GENERATIONS.get(row["gpu"], 100))):
            continue
        ratios[kind][system_of(row)].append(row["value"] / rate - 1)
    return {kind: _band(systems) for kind, systems in sorted(ratios.items())}


def _band(systems: Mapping[str, list[float]]) -> dict[str, Any]:
    every = [ratio for ratios in systems.values() for ratio in ratios]
    low, high = span(list(systems.values()), few=len(systems) < FEWEST_FOR_A_SHARE)
    return {
        "low": round(low, 2),
        "high": round(high, 2),
        "middle": round(median(every), 2),
        "runs": len(every),
        "held_out": round(mean(left_out_inside(dict(systems)).values()), 2),
        "names": sorted(systems),
    }


def main(arguments: list[str]) -> int:
    """Print the bands; write them, or say that those of the program are others."""
    found = found_bands()
    for kind, band in found.items():
        low, high, middle = (band[name] for name in ("low", "high", "middle"))
        print(
            f"{kind:48} {low:+5.0%} to {high:+5.0%}, median {middle:+5.0%}; {band['runs']:3} runs, "
            f"{len(band['names']):2} systems, {band['held_out']:.0%} of one left out inside"
        )
    if "--write" in arguments:
        PATH.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif found != step_band.published():
        print(f"\n{PATH.name} is out of date: --write writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
