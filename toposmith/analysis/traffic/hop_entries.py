"""Loads of a hop, with the ends of each cable relative to the hop's own nodes.

So the routing of one hop gives that of all hops of its kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.hops import Hop
from toposmith.fabric.classes import ClassVertex
from toposmith.fabric.cuts import AxisCell, Cuts

START, END, FIXED, OTHERS = range(4)
Where = tuple[int, Any]
"""How an end of a cable lies on one axis, seen from a hop: at the value of the hop's start or end
(with the axis), at a fixed value (with it; a tuple for any but those in it), or at any value but
the hop's own (with the axis)."""

HopPlace = tuple[int | tuple[int, ...], ...]
"""The values of both ends of a cable, axis by axis; a tuple is any value but those in it."""


@dataclass(frozen=True)
class HopEntry:
    """Load of a hop on one class of cables, with how its ends lie to the hop's own nodes.

    ``own`` says that one end is a node of the hop, so that no other hop of its kind loads the same
    cables.
    """

    arc: Arc
    where: tuple[Where, ...]
    load: float
    own: bool

    def place(self, hop: Hop) -> HopPlace:
        """The values for one hop of the kind."""
        values = self._fixed.copy()
        for position, kind, axis in self._moving:
            if kind == START:
                values[position] = hop.start[axis]
            elif kind == END:
                values[position] = hop.end[axis]
            else:
                values[position] = _left_out(hop, axis)
        return tuple(values)

    @cached_property
    def _fixed(self) -> list[int | tuple[int, ...]]:
        """What is alike for all hops of the kind, with gaps for the rest."""
        return [at if kind == FIXED else -1 for kind, at in self.where]

    @cached_property
    def _moving(self) -> list[tuple[int, int, str]]:
        """What each hop says itself: position, how it lies, axis."""
        return [(i, kind, at) for i, (kind, at) in enumerate(self.where) if kind != FIXED]


def _left_out(hop: Hop, axis: str) -> tuple[int, ...]:
    """The values on an axis that the nodes of a hop have themselves."""
    a, b = hop.start.get(axis), hop.end.get(axis)
    if a is None or b is None or a == b:
        return tuple(value for value in (a if a is not None else b,) if value is not None)
    return (a, b) if a < b else (b, a)


def described(
    network: ComputeNetwork,
    cuts: Cuts,
    vertex: ClassVertex,
    hop: Hop,
    slot: int | None,
) -> list[list[Where]]:
    """For every axis of a vertex: the start's value, the end's, values of its own, or others.

    A NIC also bears its slot, where the hop's NICs are looked at one by one.
    """
    cells = vertex[3] if vertex[0] == "nic" else vertex[2]
    lies: list[list[Where]] = []
    for axis, number in zip(network.classes.axes_of[vertex[1]], cells, strict=True):
        cell = cuts.cells(axis)[number]
        base = network.classes.cuts
        whole = base.cells(axis)[base.cell_of(axis, cell.first)]
        if axis in hop.start and hop.start[axis] in cell:
            lies.append([(START, axis)])
        elif axis in hop.end and hop.end[axis] in cell:
            lies.append([(END, axis)])
        elif whole.size == 1:
            lies.append([(FIXED, cell.first)])
        else:
            # a value that is alone only because the hop's own are apart is another in the next hop
            lies.append(_several(cell, whole, hop, axis))
    if vertex[0] == "nic":
        lies.append([(FIXED, () if slot is None else slot)])
    return lies


def _several(cell: AxisCell, whole: AxisCell, hop: Hop, axis: str) -> list[Where]:
    """The values of a cell: all of the base class's but the hop's own, or those that they are.

    Where ports are dealt unlike, a hop's cells are finer than those of its class.
    """
    own = [value for value in _left_out(hop, axis) if value in whole]
    if cell.size == whole.size - len(own):
        return [(OTHERS, axis)] if axis in hop.start or axis in hop.end else [(FIXED, ())]
    if 2 * cell.size > whole.size:
        return [(FIXED, tuple(value for value in whole.values() if value not in cell))]
    return [(FIXED, value) for value in cell.values()]
