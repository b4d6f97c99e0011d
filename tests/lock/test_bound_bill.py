"""The bill of a design with a lock has the pieces that the lines of the lock name."""

from __future__ import annotations

from collections import Counter

from tests.lock.fabrics import FABRIC, evaluated, locked
from tests.lock.random_edits import starts
from tests.lock.test_keeping import sound_edits
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.change_plan import pieces
from toposmith.lock.change_states import ChangeFrame


def lying(design: EvaluatedDesign, kinds: tuple[str, ...]) -> Counter[tuple[str, str]]:
    """Pieces of these kinds on a bill, by part and length."""
    count: Counter[tuple[str, str]] = Counter()
    for line in design.bill.lines:
        if line.kind in kinds:
            length = "" if line.length_m is None else f"{line.length_m:g}"
            count[line.part, length] += line.quantity
    return count


def test_cables_and_transceivers_of_a_bill_are_those_of_its_lock() -> None:
    compared = 0
    for old, new in sound_edits(seed=7, many=12):
        design = evaluated(new, locked(old))
        lock = design.planned.kept().lock  # type: ignore[union-attr]
        devices = Counter((one.part, "") for one in lock.devices)
        assert lying(design, ("cable", "fibre")) == pieces(lock) - devices
        modules = ChangeFrame(design, lock, lock).modules(lock)
        if modules is None:
            continue  # counts of a lock alone are not known for every design
        compared += 1
        known = {part: many for (part, _), many in lying(design, ("transceiver",)).items()}
        assert known == {part: many for part, many in modules.items() if many}
    assert compared >= 6


def test_the_bill_of_what_was_just_bound_is_that_of_the_design() -> None:
    for design in starts():
        assert evaluated(design, locked(design)).bill.lines == evaluated(design).bill.lines


def test_a_cable_of_another_length_is_billed_at_that_length() -> None:
    lock = locked(FABRIC)
    cable = lock.cables[0]
    lock.cables[0] = cable._replace(metres="30")
    before, after = (lying(evaluated(FABRIC, held), ("cable", "fibre")) for held in (None, lock))
    assert after - before == {(cable.part, "30"): 1}
    assert before - after == {(cable.part, cable.metres): 1}
