"""Dumps under other names than the plan's: how many are matched wrongly, or given up.

    python -m bench.asbuilt.hostile_names [NUMBER] [FIRST]

So many fabrics (200 unless told otherwise) of seven shapes, which ``tests/as_built/hostile_names``
makes of seeds: names shuffled, exchanged in pairs, random, replaced by addresses, prefixed; ports
as planned, as drivers and subnet managers call them, or shuffled; up to three faults. A match is
wrong where more cables differ than under the truth that was planted, or more steps are asked for
than put the faults right. Each is printed; exit code 1 where one is wrong, or more than 2 % are
given up.
"""

from __future__ import annotations

import sys
from time import process_time

from tests.as_built.hostile_names import hostile_case, judged
from toposmith.as_built.cable_list import UnreadableError

MOST_GIVEN_UP = 0.02


def main(number: int, first: int) -> int:
    """Print what is wrong; 1 where something is."""
    wrong = given_up = 0
    slowest = 0.0
    for seed in range(first, first + number):
        case = hostile_case(seed)
        start = process_time()
        try:
            found = judged(case)
        except UnreadableError as error:
            given_up += 1
            print(f"given up: {case.words}: {error}", flush=True)
            continue
        slowest = max(slowest, process_time() - start)
        if found.is_wrong:
            wrong += 1
            print(f"wrong: {case.words}: {found}", flush=True)
    print(
        f"{number} fabrics: {wrong} matched wrongly, {given_up} given up; "
        f"slowest {slowest:.1f} s of processor"
    )
    return 1 if wrong or given_up > MOST_GIVEN_UP * number else 0


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:]]
    raise SystemExit(main(*given, *(200, 0)[len(given) :]))
