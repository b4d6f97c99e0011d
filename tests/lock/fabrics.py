"""Designs of the tests of locks, and their schedules as plain tuples."""

from __future__ import annotations

from collections import Counter

import toposmith
from toposmith.design.document import Design
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.binding import Binding
from toposmith.lock.first_lock import lock_of
from toposmith.lock.lock_file import FabricLock
from toposmith.parts_at_hand import PartsAtHand

CATALOG = PartsAtHand().load()

FABRIC = """\
toposmith: 1
name: two units
axes: {su: 2, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 8}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
"""

GROWN = FABRIC.replace("count: 8}\n  leaf", "count: 9}\n  leaf")
"""One node more in each unit."""

OVERFULL = FABRIC.replace("su: 2", "su: 5")
"""Forty leaves with two cables to each spine of 64 ports: 16 too many at each of eight."""

SPLIT = """\
toposmith: 1
name: ports of nodes are halves of those of a leaf
axes: {su: 2}
groups:
  node: {part: dgx-a100, per: [su], count: 4, nics: {compute: {part: connectx-7-ndr200, count: 8}}}
  leaf: {part: qm9700, per: [su]}
links:
  - {between: [node.compute, leaf]}
"""
"""One splitter for four ports of a node: each of its legs has a label of its own."""

Row = tuple[str, str, str, str, str]
"""Label, then device and port of both ends."""


def evaluated(design: Design | str, lock: FabricLock | None = None) -> EvaluatedDesign:
    """A design with a lock, or without one."""
    drawn = toposmith.parse(design) if isinstance(design, str) else design
    return EvaluatedDesign(drawn.bound_to(Binding(held=lock) if lock else None), CATALOG)


def locked(design: Design | str, lock: FabricLock | None = None) -> FabricLock:
    """The lock of a design, that keeps another."""
    return lock_of(evaluated(design, lock))


def rows(design: EvaluatedDesign) -> list[Row]:
    """The cable schedule."""
    return [(row.label, row.a.node, row.a.port, row.z.node, row.z.port) for row in design.schedule]


def pairs(design: Design | str) -> Counter[tuple[str, str, str]]:
    """Connections of a fresh plan by both devices, and the port of the node where one is a node."""
    return Counter(
        (row.a.node, row.a.port if row.a.kind == "Host" else "", row.z.node)
        for row in evaluated(design).schedule
    )
