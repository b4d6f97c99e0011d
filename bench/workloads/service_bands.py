"""Bands around times of services under load: published over predicted, by load, GPU and figure.

    python -m bench.workloads.service_bands [--write]

Each system is left out in turn to see how much of it the others' band holds. ``--write`` writes
what the program shows, ``toposmith/workloads/published_service_bands.py``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.workloads.__main__ import runs
from bench.workloads.band_file import Band, BandFile, Bands, bands_of
from bench.workloads.bands import GENERATIONS
from bench.workloads.services import predicted_service
from toposmith.errors import ToposmithError
from toposmith.workloads import service_band
from toposmith.workloads.published_service_bands import BANDS

PATH = Path(service_band.__file__).parent / "published_service_bands.py"
TITLE = "Where times of services fell; ``python -m bench.workloads.service_bands --write``."
MEANING = """By kind: least, most and median of published over predicted time, figures, share of
the figures of systems left out that lie inside, and the systems."""


def system_of(row: dict[str, Any]) -> str:
    """Who published a figure, of which GPU: releases of software on one machine are one system."""
    publisher = row["source"].split("/results/")[0].split(",")[0]
    if row["source"].startswith("mlcommons/"):
        publisher = f"MLPerf, {row['run'].rpartition(', ')[2]}"
    return f"{publisher}, {row['gpu']}"


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
    return bands_of(ratios, fewest_for_a_share=None)


def _line(kind: str, band: Band) -> str:
    low, high, middle, many, inside, names = band
    return (
        f"{kind:48} {low:.2f} to {high:.2f} times, median {middle:.2f}; {many:3} figures, "
        f"{len(names):2} systems, {inside:.0%} of one left out inside"
    )


if __name__ == "__main__":
    FILE = BandFile(PATH, TITLE, MEANING, BANDS, _line)
    sys.exit(FILE.compare_or_write(found_bands(), sys.argv[1:]))
