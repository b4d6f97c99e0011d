"""Dumps against plans: what is found, how long it takes, how much memory, and the fewest moves.

    python -m bench.asbuilt [SEEDS]

Faults that people make are planted on six fabrics, each with so many seeds (8 unless told
otherwise), whose fewest moves the generator knows; exit code 1 where other moves are asked for.
The HDR fabric and the simulated SuperPOD are those of the tests (`tests/data/as_built`). Random
faults are put into the 4-SU SuperPOD: up to 20 swaps of two cables' ends and up to 5 removed
cables, 200 times.
"""

from __future__ import annotations

import random
import resource
import sys
from time import perf_counter, process_time

from tests.as_built.fabrics import (
    compared,
    design,
    design_of,
    dump_of,
    ends_of,
    plan_of,
    renamed,
    rewired,
    swapped,
    text_of,
)
from tests.as_built.planted_faults import FABRICS, FAULTS, fabric
from tests.as_built.test_real_dumps import cabling
from toposmith.as_built.costs import costs_of
from toposmith.as_built.device_matches import match
from toposmith.as_built.regularity import irregularities
from toposmith.evaluation.evaluated import COLLECTIVES

ONE, FOUR = "dgx-h100-superpod-1su", "dgx-h100-superpod-4su"
SETS = 200
THOUSAND = """\
toposmith: 1
axes: {su: 32, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 32}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, per: [rail], count: 16}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
"""


def main(seeds: int) -> int:
    """Print what is found; 1 where a planted fault is not answered by its fewest moves."""
    failed = _planted(seeds)
    _hdr()
    for name in ("su1-ibnetdiscover.out", "su1-faults-ibnetdiscover.out"):
        found = compared(plan_of(design(ONE)), cabling(f"made/{name}"))
        print(
            f"{name}: {found.agree} of {found.planned} agree, "
            f"{len(found.differences)} differences, "
            f"{found.moves} ends to move, {found.add} cables to lay"
        )
    print("2014 dump:", "; ".join(irregularities(cabling("loginoff/loginoff-fdr-qdr-2014.topo"))))
    _faults()
    _large()
    _thousand()
    return 1 if failed else 0


def _planted(seeds: int) -> int:
    """A line for each fault: how often its fewest moves were asked for, on each fabric."""
    print(f"{'planted faults':42}" + "".join(f"{name:>16}" for name in FABRICS))
    failed = 0
    for fault, plant in FAULTS.items():
        cells = []
        for name in FABRICS:
            whole, right = fabric(name), 0
            for seed in range(seeds):
                planted = plant(whole, random.Random(seed))
                moves = planted.moves if planted.by_drivers is None else planted.by_drivers
                for dump, fewest in (
                    (whole.as_planned(planted.ends), planted.moves),
                    (whole.as_drivers_say(planted.ends), moves),
                ):
                    found = compared(whole.plan, dump)
                    asked = (found.moves, found.add, found.remove)
                    wanted = (fewest, planted.add, planted.remove)
                    right += asked == wanted and found.same is (not any(wanted))
            failed += right < 2 * seeds
            cells.append(f"{right} of {2 * seeds}")
        print(f"{fault:42}" + "".join(f"{cell:>16}" for cell in cells), flush=True)
    return failed


def _hdr() -> None:
    start = perf_counter()
    plan = cabling("ufm/switch_to_host_topo1.ndt", "ufm/switch_to_switch_topo2.ndt")
    dump = cabling("ufm/ibnetdiscover_director.txt")
    read = perf_counter()
    found = compared(plan, dump)
    done = perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"HDR pair: {found.agree:,} of {found.planned:,} agree; read {read - start:.2f} s, "
        f"compared {done - read:.2f} s, peak {peak:.0f} MiB with the program"
    )


def _faults() -> None:
    plan, dump = plan_of(design(FOUR)), dump_of(text_of(design(FOUR)))
    more = fewer = 0
    slowest = 0.0
    for seed in range(SETS):
        draw = random.Random(seed)
        ends = ends_of(dump)
        swaps, removals = draw.randint(1, 20), draw.randint(0, 5)
        for _ in range(swaps):
            swapped(ends, draw)
        for _ in range(removals):
            ends.pop(draw.randrange(len(ends)))
        start = perf_counter()
        found = compared(plan, rewired(dump, ends))
        slowest = max(slowest, perf_counter() - start)
        asked, made = found.moves + found.add + found.remove, 2 * swaps + removals
        more += asked > made
        fewer += asked < made
    print(
        f"random faults on 4 SU: {SETS} sets, {more} ask for more moves than were made, "
        f"{fewer} for fewer; slowest {slowest:.2f} s"
    )


def _large() -> None:
    one = design(FOUR)
    plan = plan_of(one)
    for words, text in (("own names", text_of(one)), ("other names", renamed(text_of(one)))):
        dump = dump_of(text)
        start = perf_counter()
        match(plan, dump)
        print(
            f"4 SU, {words}: {len(plan.devices)} devices matched in {perf_counter() - start:.2f} s"
        )
    dump = dump_of(text_of(one))
    ends = ends_of(dump)
    draw = random.Random(1)
    for _ in range(4):
        ends.pop(draw.randrange(len(ends)))
    found = compared(plan, rewired(dump, ends))
    start = perf_counter()
    costs_of(one, found, COLLECTIVES)
    print(f"4 SU, costs of {len(found.differences)} differences: {perf_counter() - start:.2f} s")


def _thousand() -> None:
    """1,024 nodes on 400 switches: compared, and each difference reckoned, in processor time."""
    one = design_of(THOUSAND)
    plan, dump = plan_of(one), dump_of(text_of(one))
    ends, draw = ends_of(dump), random.Random(1)
    for _ in range(4):
        ends.pop(draw.randrange(len(ends)))
    start = process_time()
    found = compared(plan, rewired(dump, ends))
    done = process_time()
    costs_of(one, found, COLLECTIVES)
    print(
        f"1,024 nodes: compared in {done - start:.2f} s, costs of {len(found.differences)} "
        f"differences {process_time() - done:.2f} s (processor)"
    )


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8))
