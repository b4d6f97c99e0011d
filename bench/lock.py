"""Locks of saved designs: how large, how long to make, write, read, check and keep; edits of them.

python -m bench.lock            # sizes and seconds, of the processor: also a node less, one more
python -m bench.lock edits 500  # random edits: what remains and was not kept, change orders
python -m bench.lock chains 66  # the same in chains of six
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from random import Random
from time import process_time
from typing import TypeVar

import toposmith
from tests.lock.fabrics import CATALOG, evaluated, locked
from tests.lock.random_edits import edited, starts
from tests.lock.test_change_order import acts, carried_out
from tests.lock.test_keeping import held_faults, is_sound, sound_chain
from toposmith.design.document import Design
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.clashes import clashes_of
from toposmith.lock.first_lock import lock_of
from toposmith.lock.lock_file import FabricLock, lock_text, read_lock

DESIGNS = ("dgx-h100-superpod-4su", "dgx-b200-superpod-64su", "b200-131072gpu-fabric-per-rail")

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """A result and the seconds of the processor that it took."""
    start = process_time()
    return work(), process_time() - start


def sizes() -> None:
    """Sizes and seconds of three fabrics; of locking anew with the columns that are kept."""
    print(
        "connections       MB   first s   write s    read s   check s    keep s"
        "    less s    more s   links s"
    )
    for name in DESIGNS:
        design = EvaluatedDesign(toposmith.load(name), CATALOG)
        lock, first_s = timed(lambda: lock_of(design))  # noqa: B023
        text, write_s = timed(lambda: lock_text(lock))  # noqa: B023
        read, read_s = timed(lambda: read_lock(text))  # noqa: B023
        clashes, check_s = timed(lambda: clashes_of(read))  # noqa: B023
        assert not clashes
        kept, keep_s = timed(lambda: lock_of(evaluated(design.design, read)))  # noqa: B023
        assert lock_text(kept) == text
        times = [first_s, write_s, read_s, check_s, keep_s]
        for many in (-1, 1):
            edited_design = evaluated(with_more_nodes(design.design, many), read)
            times.append(timed(lambda: lock_of(edited_design))[1])  # noqa: B023
        times.append(timed(lambda: edited_design.planned.wiring(edited_design.terms))[1])  # noqa: B023
        shown = "".join(f"{seconds:>10.1f}" for seconds in times)
        print(f"{len(lock.cables):>11,} {len(text) / 1e6:>8.1f}{shown}", flush=True)


def with_more_nodes(design: Design, many: int) -> Design:
    """A design with more nodes in each group that its first one is."""
    name = next(iter(design.groups))
    group = design.groups[name]
    changed = group.model_copy(update={"count": group.count + many})
    return design.model_copy(update={"groups": design.groups | {name: changed}})


def edits(many: int) -> None:
    """Random edits, one after the other on fresh designs, and their change orders."""
    dice, designs, tried, faults = Random(2026), starts(), 0, 0
    while tried < many:
        old = dice.choice(designs)
        new = edited(old, dice)
        if new == old or not is_sound(new):
            continue
        tried += 1
        faults += _is_at_fault(f"edit {tried} of {old.name}", old, new, locked(old))
    print(f"{tried:,} edits of {len(designs)} designs, {faults:,} with a fault")


def chains(many: int) -> None:
    """Chains of six random edits, each on the lock of the one before, and their change orders."""
    dice, designs, faults = Random(2027), starts(), 0
    for number in range(1, many + 1):
        chain = sound_chain(dice.choice(designs), dice, 6)
        lock = locked(chain[0])
        for turn, (old, new) in enumerate(pairwise(chain), 1):
            faults += _is_at_fault(f"chain {number}, edit {turn} of {old.name}", old, new, lock)
            lock = locked(new, lock)
    print(f"{many:,} chains of six edits of {len(designs)} designs, {faults:,} edits with a fault")


def _is_at_fault(what: str, old: Design, new: Design, lock: FabricLock) -> bool:
    """Whether what remains is changed, or lock and change order do not give the new lock."""
    wanted = locked(new, lock)
    fault = held_faults(old, new, lock)
    if not fault and lock_text(carried_out(lock, acts(lock, wanted))) != lock_text(wanted):
        fault = "its change order gives another lock"
    if fault:
        print(f"{what}: {fault}", flush=True)
    return bool(fault)


MODES = {"edits": edits, "chains": chains}

if __name__ == "__main__":
    MODES[sys.argv[1]](int(sys.argv[2])) if sys.argv[1:] else sizes()
