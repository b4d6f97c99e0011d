"""A dump against a design, without the faults that the design already lists.

A cable under ``slow:`` of the design is expected, and near ``absent:`` and ``cables:`` the schedule
renumbers the ports of switches, while the real cables stay where they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.cabling_comparison import CablingComparison, compare
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.as_built.corrections import Corrections, stands_in
from toposmith.as_built.device_matches import match
from toposmith.as_built.name_maps import NameMap
from toposmith.fabric.plan import Plan, PlannedEnd
from toposmith.fabric.single_cables import dealt_at, far_end, touched
from toposmith.racks.instances import coordinates, number_of, selected
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.evaluation.evaluated import EvaluatedDesign

NumberedDevice = tuple[str, int]
"""A group, and the number of one of its devices."""


def compare_with_design(
    design: EvaluatedDesign | None, plan: Cabling, dump: Cabling, names: NameMap | None = None
) -> CablingComparison:
    """Match a dump to a plan and compare; what the design of the plan lists itself is no news.

    Parameters
    ----------
    design : EvaluatedDesign or None
        The design whose cables ``plan`` has; None where the plan is a sheet.
    plan, dump : Cabling
        The cables of both.
    names : NameMap, optional
        A map of device names of the dump.

    Raises
    ------
    UnreadableError
        Where the two do not go together.
    """
    matched = match(plan, dump, names)
    if design is None:
        return compare(*matched)
    anew = set(_counted_anew(design.plan))
    keys = {key for key, one in plan.devices.items() if (one.group, one.number) in anew}
    compared = compare(*matched, keys)
    slow = {id(one) for one in _known_slow(design, compared)} if design.design.slow else set()
    if slow:
        compared.differences = [one for one in compared.differences if id(one) not in slow]
        compared.notes.append(f"{counted(len(slow), 'cable')} as slow as the design says")
    return compared


def _known_slow(design: EvaluatedDesign, compared: CablingComparison) -> list[CablingDifference]:
    """Slow cables that the design has, no more of each bundle than it says."""
    corrections = Corrections(design.plan, compared.plan)
    known: list[CablingDifference] = []
    for one in compared.differences:
        if one.kind == "degraded" and stands_in(design.design, corrections.of([*known, one])):
            known.append(one)
    return known


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
