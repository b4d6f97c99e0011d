"""Bands around times of services under load: published over predicted, by load, GPU and figure.

    python -m bench.workloads.service_bands [--write]

Each system is left out in turn to see how much of it the others' band holds. ``--write`` writes
what the program shows, ``topology/workloads/published_service_bands.py``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.measured.score import left_out_inside, span
from bench.workloads.__main__ import runs
from bench.workloads.bands import GENERATIONS, Bands
from bench.workloads.services import predicted_service
from toposmith.topology.errors import ToposmithError
from toposmith.topology.workloads import service_band
from toposmith.topology.workloads.published_service_bands import BANDS

FILE = Path(service_band.__file__).parent / "published_service_bands.py"


def system_of(row: dict[str, Any]) -> str:
    """Who published a figure, of which software and GPU."""
    publisher = row["source"].split("/results/")[0].split(",")[0]
    if row["source"].startswith("mlcommons/"):
        publisher = f"MLPerf, {row['run'].rpartition(', ')[2]}"
    return f"{publisher}, {row['stack']} on {row['gpu']}"


def found_bands() -> Bands:
    """The bands of all kinds that have figures."""
    ratios: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in runs("serving_load"):
        try:
            found = predicted_service(row)
        except ToposmithError:
            continue
        gpus = service_band.gpus_of_band(GENERATIONS.get(row["gpu"], 100))
        load = "concurrency" if row["load"]["arrivals"] == "closed" else "rate"
        for name, predicted in found.items():
            if (published := row["figures"].get(name)) is None:
                continue
            time, _, of = name.removesuffix("_ms").partition("_")
            kind = f"{load}, {gpus}, {time} {of or 'mean'}"
            ratios[kind][system_of(row)].append(published / predicted)
    return {kind: _band(systems) for kind, systems in sorted(ratios.items())}


def _band(
    systems: dict[str, list[float]],
) -> tuple[float, float, float, int, float, tuple[str, ...]]:
    every = [ratio for ratios in systems.values() for ratio in ratios]
    low, high = span(list(systems.values()), few=True)
    inside = mean(left_out_inside(systems).values())
    figures = (round(low, 2), round(high, 2), round(median(every), 2))
    return (*figures, len(every), round(inside, 2), tuple(sorted(systems)))


def as_module(bands: Bands) -> str:
    """The bands as the program keeps them."""
    lines = [
        '"""Where times of services fell; ``python -m bench.workloads.service_bands --write``."""',
        "",
        "from __future__ import annotations",
        "",
        "BANDS: dict[str, tuple[float, float, float, int, float, tuple[str, ...]]] = {",
    ]
    for kind, (*figures, names) in bands.items():
        lines += [f'    "{kind}": (', *(f"        {figure}," for figure in figures), "        ("]
        lines += [*(f'            "{name}",' for name in names), "        ),", "    ),"]
    lines += [
        "}",
        '"""By kind: least, most and median of published over predicted time, figures, share of',
        'the figures of systems left out that lie inside, and the systems."""',
        "",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the bands; write them, or say that those of the program are others."""
    found = found_bands()
    for kind, (low, high, middle, many, inside, names) in found.items():
        print(
            f"{kind:48} {low:.2f} to {high:.2f} times, median {middle:.2f}; {many:3} figures, "
            f"{len(names):2} systems, {inside:.0%} of one left out inside"
        )
    if "--write" in arguments:
        FILE.write_text(as_module(found), encoding="utf-8")
    elif found != BANDS:
        print(f"\n{FILE.name} is out of date: python -m bench.workloads.service_bands --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
