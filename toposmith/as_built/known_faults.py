"""Faults that the design already lists, which are left out of comparisons with a dump.

A cable under ``slow:`` of the design is expected, and near ``absent:`` and ``cables:`` the schedule
renumbers the ports of switches, while the real cables stay where they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toposmith.as_built.cable_list import ListedEnd
from toposmith.as_built.cabling_comparison import CablingComparison, CablingDifference
from toposmith.as_built.corrections import Corrections, stands_in
from toposmith.fabric.plan import Plan, PlannedEnd
from toposmith.fabric.single_cables import dealt_at, far_end, touched
from toposmith.racks.instances import coordinates, number_of, selected
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.evaluation.evaluated import EvaluatedDesign

NumberedDevice = tuple[str, int]
"""A group, and the number of one of its devices."""


def leave_out_known(design: EvaluatedDesign, compared: CablingComparison) -> None:
    """Remove differences that the design lists itself, and note their number."""
    document = design.design
    if not (document.absent or document.cables or document.slow):
        return
    slow = _known_slow(design, compared) if document.slow else []
    anew = set(_counted_anew(design.plan))
    renumbered = [one for one in compared.differences if _is_renumbered(compared, one, anew)]
    gone = {id(one) for one in (*slow, *renumbered)}
    compared.differences = [one for one in compared.differences if id(one) not in gone]
    compared.agree += len(renumbered)
    if slow:
        compared.notes.append(f"{counted(len(slow), 'cable')} as slow as the design says")
    if renumbered:
        compared.notes.append(
            f"{counted(len(renumbered), 'cable')} at switch ports that the schedule renumbers "
            "around absent: and cables: join the planned devices, and are correct"
        )


def _known_slow(design: EvaluatedDesign, compared: CablingComparison) -> list[CablingDifference]:
    """Slow cables that the design has, no more of each bundle than it says."""
    corrections = Corrections(design.plan, compared.plan)
    known: list[CablingDifference] = []
    for one in compared.differences:
        if one.kind == "degraded" and stands_in(design.design, corrections.of([*known, one])):
            known.append(one)
    return known


def _is_renumbered(
    compared: CablingComparison, one: CablingDifference, anew: set[NumberedDevice]
) -> bool:
    """Whether a difference is only which port of such switches a cable of the two devices has."""
    if one.harmful or one.kind == "outside" or one.expected is None:
        return False
    found = [end for end in (one.a, one.z) if end is not None]
    wrong = [end for end in found if end not in one.expected]
    meant = [end for end in one.expected if end not in found]
    return (
        sorted(end.device for end in wrong) == sorted(end.device for end in meant)
        and bool(wrong)
        and all(_place(compared, end) in anew for end in wrong)
    )


def _place(compared: CablingComparison, end: ListedEnd) -> NumberedDevice | None:
    device = compared.plan.devices.get(end.device)
    return None if device is None else (device.group, device.number)


def _counted_anew(plan: Plan) -> Iterator[NumberedDevice]:
    """Switches that have lost a cable to ``absent:``, or have got or lost a single one."""
    groups = plan.groups
    for name, at in touched(plan):
        yield name, number_of(groups[name], at)
    for selector in plan.absent:
        first, second = selector.first, selector.second
        if second is not None:
            for one in (first, second):
                yield from ((one.group, number) for number in selected(groups[one.group], one))
        elif first.ports is not None:
            for number in selected(groups[first.group], first):
                at = coordinates(groups[first.group], number)
                end = PlannedEnd(first.group, at, first.ports, first.port)
                dealt = dealt_at(plan, end)
                if dealt is not None:
                    name, far = far_end(plan, dealt, end)
                    yield name, number_of(groups[name], far)
