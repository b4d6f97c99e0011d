"""Graphs that other programs read: the same devices and cables come back."""

from __future__ import annotations

import re

from tests.racks.fabrics import CATALOG
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.neighbours.fabric_json import dot
from toposmith.templates import new_design


def test_dot_has_a_line_for_every_device_and_cable_with_ports_at_its_ends() -> None:
    # RA-11333-001, table 4: 31 + 8 + 4 devices; 248 + 256 cables, 8 from each leaf to each spine.
    pod = new_design("leaf-spine", {"su": 1, "empty_slots": 1}, catalog=CATALOG)
    lines = list(dot(DeviceInventory(EvaluatedDesign(pod, CATALOG))))
    edge = re.compile(
        r'  "[^"]+" -- "[^"]+" \[label="C\d+(-\d)?" taillabel="[^"]+" headlabel="[^"]+"\]\n'
    )
    assert sum(bool(edge.fullmatch(line)) for line in lines) == 504
    assert sum("[group=" in line for line in lines) == 43
    assert sum(line.startswith('  "leaf-su0-rail0" -- "spine-0" ') for line in lines) == 8


def test_names_with_quotes_are_escaped_in_dot() -> None:
    quoted = parse_design("toposmith: 1\nname: 'a \"quoted\" \\ name'\n", "quoted")
    assert next(dot(DeviceInventory(EvaluatedDesign(quoted, CATALOG)))) == (
        'graph "a \\"quoted\\" \\\\ name" {\n'
    )
