"""Predicted against published nccl-tests results, system by system.

    python -m bench.measured [RECORDS.yaml] [--write]

Prints the median error of every curve by size range, what is reached over all results and over all
systems, and over those that no constant was read off, the systems that are far off with the cause
where it is known, racks by themselves, the error bands with how well they hold for systems left
out, and every curve that nothing is predicted of, with the reason. ``--write`` writes the bands
that the program shows, ``toposmith/analysis/prediction/published_bands.json``, the page of
docs that lists them, and the designs of ``toposmith/saved_designs/measured``; without it the last
lines say whether these are out of date. Bands are also of ``held_out.yaml`` and ``further.yaml``,
which no constant was taken from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median

from bench.measured import support_matrix, zoo
from bench.measured.causes import CAUSES, UNKNOWN
from bench.measured.read_off import READ_OFF
from bench.measured.records import PUBLISHED, read_curves
from bench.measured.score import (
    FAR_OFF,
    Found,
    LeftOut,
    Scored,
    bands,
    exchanges,
    is_nvswitch_over_rdma,
    reach,
    scored,
)
from toposmith.analysis.prediction import error_band
from toposmith.analysis.prediction.error_band import (
    FEWEST_FOR_A_SHARE,
    FEWEST_SYSTEMS,
    SIZE_RANGES,
    BandClass,
    band_name,
    size_range,
)
from toposmith.catalog import load_catalog

KIB, MIB, GIB = 2**10, 2**20, 2**30

BANDS_FILE = Path(error_band.__file__).parent / "published_bands.json"

NEVER_FITTED = tuple(PUBLISHED.parent / name for name in ("held_out.yaml", "further.yaml"))
"""Results that no constant was taken from."""

SCOPES = (
    (
        "NVSwitch nodes with RDMA, 1 GiB and more",
        lambda r: is_nvswitch_over_rdma(r) and r.point.message_bytes >= GIB,
    ),
    ("everything, 64 MiB and more", lambda r: r.point.message_bytes >= 64 * MIB),
    ("everything, 32 KiB and more", lambda r: r.point.message_bytes >= 32 * KIB),
    ("everything, below 32 KiB", lambda r: r.point.message_bytes < 32 * KIB),
)


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 1 where the bands in the program are not those found."""
    write = "--write" in arguments
    paths = [Path(argument) for argument in arguments if argument != "--write"]
    results, left_out = scored(read_curves(paths[0] if paths else None))
    # bands also take in what no constant may be read off
    others = [] if paths else [one for path in NEVER_FITTED for one in scored(read_curves(path))[0]]
    _print_curves(results)
    _print_reach(results)
    _print_racks(results)
    found = bands([*results, *others])
    _print_bands(found)
    reached = exchanges([*results, *others])
    if reached is not None:
        low, high, names, most = reached
        print(
            f"\nAll-to-all between nodes, 64 MiB and more: {low:.0%} to {high:.0%} of the "
            f"prediction reached, {len(names)} systems ({', '.join(names)}), up to {most} nodes"
        )
    _print_left_out(left_out)
    if paths:
        return 0
    if write:
        BANDS_FILE.write_text(as_json(found, reached), encoding="utf-8")
        _write_page(found)
    elif BANDS_FILE.read_text(encoding="utf-8") != as_json(found, reached):
        print(f"\n{BANDS_FILE.name} is out of date: python -m bench.measured --write")
        return 1
    return 0


def _write_page(found: Mapping[tuple[BandClass, int], Found]) -> None:
    """The page of what is published, and the designs of the zoo that it lists."""
    designs = zoo.held(read_curves(), load_catalog(user=False))
    page = support_matrix.page(found) + zoo.table(designs)
    support_matrix.PAGE.write_text(page, encoding="utf-8")
    for one in designs:
        (zoo.FOLDER / f"{one.drawn.name}.yaml").write_text(one.text, encoding="utf-8")


def as_json(
    found: Mapping[tuple[BandClass, int], Found],
    reached: tuple[float, float, tuple[str, ...], int] | None,
) -> str:
    """The bands, and what exchanges reached, as the program keeps them."""
    kept = {
        band_name(kind, at): {
            "low": band.low,
            "high": band.high,
            "curves": band.curves,
            "held_out": band.held_out,
            "systems": sorted(band.inside),
            "most_gpus": band.most_gpus,
            "ran": dict(band.ran),
            "gpus_a_nic": band.gpus_a_nic,
        }
        for (kind, at), band in found.items()
    }
    exchanged = reached and dict(zip(("low", "high", "names", "most_nodes"), reached, strict=True))
    return json.dumps({"bands": kept, "exchanges": exchanged}, indent=1, ensure_ascii=False) + "\n"


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
        least = "  at least" if mine[-1].at_least else ""
        print(f"{name:44}", *cells, f" {mine[-1].algorithm}{least}")


def _print_reach(results: list[Scored]) -> None:
    """Medians over results, in which long curves weigh more, and over the medians of systems."""
    print("\nAbsolute error of busbw, all healthy curves but racks; of systems: of their medians")
    print(f"  {'':42} {'results':>24} {'systems':>24}  systems beyond {FAR_OFF:.0%}")
    print(f"  {'':42} {'median   p90   number':>24} {'median   p90   number':>24}")
    print_scopes(results)
    others = [one for one in results if one.curve.text("system") not in READ_OFF]
    if len(others) < len(results):
        print("  the same of systems that no constant was read off:")
        print_scopes(others, "  - ")
    for what, wanted in SCOPES:
        found = reach(results, wanted)
        if found is not None and found.far_off:
            print(f"\nBeyond {FAR_OFF:.0%}, {what}:")
            for name, error in found.far_off.items():
                print(f"  {error:6.0%}  {name}: {CAUSES.get(name, UNKNOWN)}")


def print_scopes(results: Sequence[Scored], before: str = "  ") -> None:
    """A line for each scope: errors over results and over systems."""
    for what, wanted in SCOPES:
        found = reach(results, wanted)
        if found is None:
            continue
        print(
            f"{before + what:44} {found.of_results:9.1%} {found.p90_of_results:6.0%} "
            f"{found.results:7,} "
            f"{found.of_systems:9.1%} {found.p90_of_systems:6.0%} {len(found.systems):7}  "
            f"{len(found.far_off)} ({len(found.far_off) / len(found.systems):.0%})"
        )


def _print_racks(results: list[Scored]) -> None:
    """Racks of trays, which NVLink joins: the median error of each size from 64 MiB on."""
    racks = [result for result in results if result.is_rack]
    if not racks:
        return
    shown = [size << 20 for size in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)]
    print(
        "\nRacks of NVLink trays, drawn as trays: predicted over measured busbw, less one (%), by"
    )
    print("message in MiB (in none of the figures above)")
    print(" " * 34 + "".join(f"{size >> 20:>7}" for size in shown))
    for name in dict.fromkeys(result.curve.name for result in racks):
        mine = [result for result in racks if result.curve.name == name]
        cells = [
            [result.error for result in mine if result.point.message_bytes == size]
            for size in shown
        ]
        row = "".join(f"{median(one):>+7.1%}" if one else " " * 7 for one in cells)
        print(f"  {name:32}{row}  {READ_OFF.get(mine[0].curve.text('system'), '')}")


def _print_bands(found: Mapping[tuple[BandClass, int], Found]) -> None:
    print("\nMeasured over predicted busbw, less one, every system weighed alike; inside: share of")
    print("results of a system left out that lie in the band of the others")
    for (kind, at), band in found.items():
        systems = len(band.inside)
        what = "" if systems >= FEWEST_FOR_A_SHARE else "  span, promises no share"
        few = "  too few, not shown" if systems < FEWEST_SYSTEMS else what
        print(
            f"  {kind:52} {SIZE_RANGES[at][2]:18} {band.low:+6.0%} {band.high:+6.0%} "
            f"{systems:3} systems {band.curves:3} curves  {band.held_out:4.0%} inside{few}"
        )
    print(f"\nCalibration of bands of {FEWEST_FOR_A_SHARE} systems and more, all sizes pooled")
    for kind, (share, systems) in calibration(found).items():
        print(f"  {kind:52} {systems:3} systems and sizes, {share:4.0%} of one left out inside")


def calibration(found: Mapping[tuple[BandClass, int], Found]) -> dict[BandClass, tuple[float, int]]:
    """Of each kind: the share of results of systems left out inside, and of how many it is.

    Over the bands of nine systems and more, every system of each with the same weight.
    """
    pooled: dict[BandClass, list[float]] = {}
    for (kind, _), band in found.items():
        if len(band.inside) >= FEWEST_FOR_A_SHARE:
            pooled.setdefault(kind, []).extend(band.inside.values())
    return {kind: (mean(shares), len(shares)) for kind, shares in pooled.items()}


def _print_left_out(left_out: Sequence[LeftOut]) -> None:
    print("\nLeft out")
    for one in left_out:
        print(f"  {one.curve.name:42} {one.why}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
