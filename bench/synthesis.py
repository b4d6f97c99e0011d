"""Fixes, spares and fabrics: how long they take, and how many candidates a second.

python -m bench.synthesis
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import perf_counter, process_time

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.saved_designs import find_saved
from toposmith.synthesis.analysed_fabrics import every_fabric
from toposmith.synthesis.fabric_requirements import Requirements
from toposmith.synthesis.fabric_search import search
from toposmith.synthesis.left_out import what_can_be_left_out
from toposmith.synthesis.ranked_fixes import ranked_fixes

CATALOG = load_catalog()
DESIGNS = ("hgx-a100-64gpu-roce-2to1", "dgx-h100-superpod-4su", "dgx-b200-superpod-64su")
MANY_SWITCHES = (
    *("qm9700", "qm9790", "sn5600", "sn5610", "sn5400", "sn4700", "sn5640", "7060x6-64pe"),
    *("7060dx5-64s", "n9364e-sg2-o", "z9864f-on", "qfx5240-64od", "as9817-64d", "ds5000"),
    *("sn4600", "z9664f-on"),
)
SEARCHES = (
    Requirements(64, "dgx-b200", needs={"all_to_all": 20.0}, switches=("qm9700",)),
    Requirements(64, "dgx-b200", needs={"all_to_all": 20.0}),
    Requirements(512, "dgx-b200", needs={"all_to_all": 20.0}, switches=("qm9700", "sn5600")),
    Requirements(2048, "dgx-b200", needs={"all_to_all": 20.0}, switches=("qm9700", "q3400-ra")),
    Requirements(64, "dgx-b200", needs={"all_to_all": 20.0}, switches=MANY_SWITCHES),
    Requirements(2048, "dgx-b200", needs={"all_to_all": 20.0}, switches=MANY_SWITCHES[:7]),
)
MOST = 40
ROUNDS = 3


def timed(work: Callable[[], object]) -> tuple[object, float]:
    """What some work gives, and the median of its seconds."""
    times: list[float] = []
    found: object = None
    for _ in range(ROUNDS):
        start = perf_counter()
        found = work()
        times.append(perf_counter() - start)
    return found, statistics.median(times)


def fixes() -> None:
    print("Fixes and spares of one figure, s")
    print(
        f"{'GPUs':>7} {'collective':<12} {'analysed':>8} {'fixes':>6} {'s':>6} "
        f"{'spares':>7} {'s':>6}"
    )
    for name in DESIGNS:
        saved = find_saved(name)
        assert saved is not None
        design = load_file(saved.path).design
        for collective in ("all_reduce", "all_to_all"):
            request = Request(collective=collective)

            def of() -> EvaluatedDesign:
                return EvaluatedDesign(design, CATALOG, request)  # noqa: B023

            ranked, ranked_s = timed(lambda: ranked_fixes(of()))
            spare, spare_s = timed(lambda: what_can_be_left_out(of()))
            print(
                f"{of().analysis.gpus:>7,} {collective:<12} {ranked.tried:>8} "  # type: ignore[attr-defined]
                f"{len(ranked.fixes):>6} {ranked_s:>6.2f} "  # type: ignore[attr-defined]
                f"{len(spare.left_out):>7} {spare_s:>6.2f}"  # type: ignore[attr-defined]
            )


def fabrics() -> None:
    print(f"\nFabrics, up to {MOST} analysed with their bills, s")
    print(
        f"{'GPUs':>7} {'fabrics':>8} {'a second':>9} {'analysed':>8} {'shown':>6} "
        f"{'s':>6} {'CPU s':>6} {'first':>6}"
    )
    for asked in SEARCHES:
        counted, counting_s = timed(lambda: len(list(every_fabric(asked, CATALOG))))  # noqa: B023
        first: list[float] = []
        start, cpu_start = perf_counter(), process_time()
        found = search(
            asked,
            CATALOG,
            most_analysed=MOST,
            failures=False,
            found=lambda now, _: now and first.append(perf_counter()),  # type: ignore[func-returns-value]  # noqa: B023
        )
        whole_s, cpu_s = perf_counter() - start, process_time() - cpu_start
        first_s = f"{first[0] - start:.2f}" if first else "none"
        gpus = asked.nodes * CATALOG.node(asked.node).gpus
        rate = counted / counting_s if isinstance(counted, int) else 0.0
        print(
            f"{gpus:>7,} {counted:>8} {rate:>9,.0f} {found.analysed:>8} "
            f"{len(found.proposals):>6} {whole_s:>6.2f} {cpu_s:>6.2f} {first_s:>6}"
        )


def main() -> None:
    fixes()
    fabrics()


if __name__ == "__main__":
    main()
