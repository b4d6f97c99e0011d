"""The fabric device by device as a graph for Graphviz, with the ports at both ends."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.exports.cable_schedule.schedule_rows import (
    CableRow,
    Progress,
    Schedule,
)
from toposmith.fabric.plan import Plan
from toposmith.plain_text import visible
from toposmith.racks.connections import absent_instances
from toposmith.racks.locked_devices import device_names


def dot(plan: Plan, schedule: Schedule, progress: Progress | None = None) -> Iterator[str]:
    """Lines of DOT for Graphviz, the ports as text at both ends of each connection."""
    yield f"graph {quoted(plan.design.name or 'design')} {{\n"
    for name, group in _devices(plan):
        yield f"  {quoted(name)} [group={quoted(group)}]\n"
    for row in _connections(schedule, progress):
        yield (
            f"  {quoted(row.a.node)} -- {quoted(row.z.node)} [label={quoted(row.label)} "
            f"taillabel={quoted(row.a.port)} headlabel={quoted(row.z.port)}]\n"
        )
    yield "}\n"


def _devices(plan: Plan) -> Iterator[tuple[str, str]]:
    """Name and group of every device that is not absent."""
    absent = absent_instances(plan)
    for name, group in plan.groups.items():
        named = device_names(plan, name)
        for number in range(group.instances):
            if number not in absent[name]:
                yield named(number), name


def _connections(schedule: Schedule, progress: Progress | None) -> Iterator[CableRow]:
    """Rows of the schedule, those of a second fibre of the same ports left out."""
    return (row for row in schedule.rows(progress) if row.fibre in (None, 1))


def quoted(text: str) -> str:
    """A text in quotes, as DOT reads it."""
    shown = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown}"'
