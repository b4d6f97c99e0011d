"""Graphs that other programs read: the same devices and cables come back."""

from __future__ import annotations

import re

from tests.racks.fabrics import CATALOG, planned
from toposmith.design.document import Design
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.exports.graph_forms import dot
from toposmith.fabric.plan import Plan
from toposmith.racks.placement import place
from toposmith.templates import new_design


def made(design: Design) -> tuple[Plan, Schedule]:
    plan = planned(design)
    return plan, Schedule(plan, CATALOG, place(plan, CATALOG))


def test_dot_has_a_line_for_every_device_and_cable_with_ports_at_its_ends() -> None:
    # RA-11333-001, table 4: 31 + 8 + 4 devices; 248 + 256 cables, 8 from each leaf to each spine.
    lines = list(dot(*made(new_design("leaf-spine", {"su": 1, "empty_slots": 1}, catalog=CATALOG))))
    edge = re.compile(
        r'  "[^"]+" -- "[^"]+" \[label="C\d+(-\d)?" taillabel="[^"]+" headlabel="[^"]+"\]\n'
    )
    assert sum(bool(edge.fullmatch(line)) for line in lines) == 504
    assert sum("[group=" in line for line in lines) == 43
    assert sum(line.startswith('  "leaf-su0-rail0" -- "spine-0" ') for line in lines) == 8


def test_names_with_quotes_are_escaped_in_dot() -> None:
    plan = planned({"name": 'a "quoted" \\ name'})
    assert next(dot(plan, Schedule(plan, CATALOG, place(plan, CATALOG)))) == (
        'graph "a \\"quoted\\" \\\\ name" {\n'
    )
