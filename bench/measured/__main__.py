"""Predicted against published nccl-tests results, system by system.

    python -m bench.measured [RECORDS.yaml]

Prints the median error of every curve by size range, what is reached over all, and the error bands
that the program shows; says where those in ``topology/analysis/prediction/error_band.py`` are out
of date.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from bench.measured.records import read_curves
from bench.measured.score import (
    Scored,
    bands,
    is_nvswitch_over_rdma,
    median_error,
    scored,
    system_errors,
)
from toposmith.topology.analysis.prediction.error_band import (
    BANDS,
    FEWEST_SYSTEMS,
    SIZE_RANGES,
    BandClass,
    Found,
    size_range,
)

KIB, MIB, GIB = 2**10, 2**20, 2**30


def main() -> int:
    """Print the tables; 1 where the bands in the program are not those found."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    results, left_out = scored(read_curves(path))
    _print_curves(results)
    _print_reach(results)
    print(f"\nNot predicted, since too little is published: {', '.join(left_out) or 'none'}")
    found = bands(results)
    _print_bands(found)
    if path is None and found != BANDS:
        print("\nThe bands in topology/analysis/prediction/error_band.py are out of date.")
        return 1
    return 0


def _print_curves(results: list[Scored]) -> None:
    """Each curve: median of predicted over measured busbw less one, in per cent, by size range."""
    names = list(dict.fromkeys(result.curve.name for result in results))
    ranges = [name for _, _, name in SIZE_RANGES]
    print(f"{'predicted over measured busbw, less one (%)':44}", *(f"{r:>16}" for r in ranges))
    for name in names:
        mine = [result for result in results if result.curve.name == name]
        cells = []
        for at in range(len(ranges)):
            errors = [r.error for r in mine if size_range(r.point.message_bytes) == at]
            cells.append(f"{median(errors) * 100:+16.1f}" if errors else " " * 16)
        print(f"{name:44}", *cells, f" {mine[-1].algorithm}")


def _print_reach(results: list[Scored]) -> None:
    """Medians over results, in which long curves weigh more, and over the medians of systems."""
    print("\nMedian absolute error of busbw, all healthy curves")
    head = ("of results", "of systems", "results", "systems", "worst system")
    print(f"  {'':44} {head[0]:>10} {head[1]:>10} {head[2]:>8} {head[3]:>8}  {head[4]}")
    for what, wanted in (
        (
            "NVSwitch nodes with RDMA, 1 GiB and more",
            lambda r: is_nvswitch_over_rdma(r) and r.point.message_bytes >= GIB,
        ),
        ("everything, 64 MiB and more", lambda r: r.point.message_bytes >= 64 * MIB),
        ("everything, 32 KiB and more", lambda r: r.point.message_bytes >= 32 * KIB),
        ("everything, below 32 KiB", lambda r: r.point.message_bytes < 32 * KIB),
    ):
        many, error = median_error(results, wanted)
        systems = system_errors(results, wanted)
        if not systems:
            continue
        worst, most = max(systems.items(), key=lambda one: one[1])
        print(
            f"  {what:44} {error:10.1%} {median(systems.values()):10.1%} {many:8,} "
            f"{len(systems):8}  {worst} {most:.0%}"
        )


def _print_bands(found: Mapping[tuple[BandClass, int], Found]) -> None:
    print("\nError bands: 10th and 90th percentile of measured over predicted, less one, every")
    print("system weighed alike; held out: share of a left-out system's results inside")
    for (kind, at), (low, high, curves, systems, held_out) in found.items():
        few = "" if systems >= FEWEST_SYSTEMS else "  too few, not shown"
        print(
            f"  {kind:32} {SIZE_RANGES[at][2]:18} {low:+6.0%} {high:+6.0%}  {systems:3} systems "
            f"{curves:3} curves  {held_out:4.0%} held out{few}"
        )
    print("\nAs the program holds them:")
    for (kind, at), band in found.items():
        print(f'    ("{kind}", {at}): {band},')


if __name__ == "__main__":
    sys.exit(main())
