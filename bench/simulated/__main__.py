"""What a packet-level simulator reaches of the fluid ideal, beside what is predicted.

    python -m bench.simulated [RESULTS.yaml]

Both figures are shares of the same ideal: every link carries its even share of all shortest paths,
at line rate. ``NICs`` is what that ideal leaves of the NICs' rate, counted flow by flow for the
simulation and taken from the program; the two must agree. ``simulated`` is until the last flow was
done, ``99 %`` until all but a hundredth were; ``MB`` is what the busiest NIC carries. Nothing is
predicted of an incast.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean, median

from bench.simulated.predictions import Predicted, predicted
from bench.simulated.results import RESULTS, Result, read_results

Compared = tuple[Result, Predicted | None]


def main() -> int:
    """Print the tables; 1 where the ideal itself is not what was counted."""
    results = read_results(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS)
    compared = [(result, predicted(result)) for result in results]
    print_results(compared)
    print_differences(compared)
    return 1 if any(not ideals_agree(result, found) for result, found in compared) else 0


def ideals_agree(result: Result, found: Predicted | None) -> bool:
    """Whether the program's fluid ideal is that counted flow by flow."""
    return found is None or abs(found.ideal * result.ideal_us / result.nics_us - 1) < 0.001


def print_results(compared: Iterable[Compared]) -> None:
    print(
        f"{'fabric':20} {'traffic':22} {'routing':15} {'simulator':14} {'MB':>3} {'runs':>4} "
        f"{'NICs':>11} {'simulated':>9} {'99 %':>5} {'predicted':>9} {'difference':>10}"
    )
    for result, found in compared:
        counted = result.nics_us / result.ideal_us
        ideal = f"{counted:.3f}" + (f"/{found.ideal:.3f}" if found else "")
        shares = f"{found.share:9.3f} {found.share - result.share:+10.3f}" if found else ""
        most = f"{result.share_of_most:5.3f}" if result.most_us else ""
        mark = "" if ideals_agree(result, found) else "  the ideals differ"
        print(
            f"{result.fabric.name:20} {result.words:22} {result.how:15} "
            f"{result.simulator.name:14} {result.bytes_per_nic / 1e6:3.0f} "
            f"{len(result.times_us):4} {ideal:>11} "
            f"{result.share:9.3f} {most:>5} {shares:>20}{mark}".rstrip()
        )


def print_differences(compared: Iterable[Compared]) -> None:
    """By traffic, routing and simulator: mean shares, and how far predictions are off."""
    kinds: dict[tuple[str, str, str], list[tuple[Result, Predicted]]] = defaultdict(list)
    for result, found in compared:
        if found is not None:
            at_once = f", {result.at_once} at once" if result.at_once else ""
            kind = result.traffic + at_once, result.routing, result.simulator.name
            kinds[kind].append((result, found))
    print(
        f"\n{'predicted less simulated share':50} {'cases':>5} {'simulated':>9} {'99 %':>5} "
        f"{'predicted':>9} {'median |d|':>10} {'worst':>7}"
    )
    for kind, cases in kinds.items():
        apart = [found.share - result.share for result, found in cases]
        print(
            f"{', '.join(kind):50} {len(cases):5} {fmean(r.share for r, _ in cases):9.3f} "
            f"{fmean(r.share_of_most for r, _ in cases):5.3f} "
            f"{fmean(found.share for _, found in cases):9.3f} "
            f"{median(map(abs, apart)):10.3f} {max(apart, key=abs):+7.3f}"
        )


if __name__ == "__main__":
    sys.exit(main())
