"""The classes of NICs and GPUs inside equivalent nodes, and the links between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toposmith.fabric.cuts import Cells
from toposmith.fabric.dealing import Coordinates
from toposmith.fabric.inside import NVSWITCH, InsideEdge, Vertex, colour
from toposmith.fabric.plan import GroupPlan

ClassVertex = tuple[Any, ...]

RACK = "rack"
"""The pseudo-colour of vertices that are not part of a single node."""


@dataclass(frozen=True)
class Marked:
    """One GPU that is distinguished from its siblings.

    It is that of the node at these coordinates; of every node of the group where they are None.
    """

    group: str
    coordinates: tuple[tuple[str, int], ...] | None
    vertex: Vertex


def marked_vertices(
    marks: Collection[Marked], group: GroupPlan, coordinates: Coordinates
) -> tuple[Vertex, ...]:
    """What of the node at these coordinates is marked."""
    return tuple(
        mark.vertex
        for mark in marks
        if mark.group == group.name
        and (mark.coordinates is None or dict(mark.coordinates) == coordinates)
    )


def node_colours(
    slots: Mapping[Vertex, object], marked: Collection[Vertex], inside: tuple[InsideEdge, ...]
) -> Mapping[Vertex, int]:
    """A number for every vertex of a node, equal where cables, marks and wiring are equal.

    ``slots`` says of every slot how it is cabled.
    """
    numbers: dict[object, int] = {}
    first = {slot: numbers.setdefault(seen, len(numbers)) for slot, seen in slots.items()}
    for vertex in marked:
        first[vertex] = -1 - first.get(vertex, 0)
    return colour(inside, tuple(first.items()))


@dataclass(frozen=True)
class NodeClasses:
    """The nodes of one class, coloured: their group, their cells, and how many they are.

    ``rack_switches`` are the NVLink switches that they share with others, where they do.
    """

    group: str
    cells: Cells
    size: int
    colours: Mapping[Vertex, int]
    rack_switches: ClassVertex | None = None

    @cached_property
    def places(self) -> dict[Vertex, ClassVertex]:
        """The class of every vertex of a node."""
        places: dict[Vertex, ClassVertex] = {
            vertex: ("nic", self.group, vertex[1], self.cells, number)
            if vertex[0] == "slot"
            else (vertex[0], self.group, self.cells, number)
            for vertex, number in self.colours.items()
        }
        return places | ({NVSWITCH: self.rack_switches} if self.rack_switches else {})

    def vertices(self) -> Iterator[tuple[ClassVertex, int, tuple[str | int, ...]]]:
        """The classes of what is no NIC, with their sizes, and which of a node they hold."""
        members: dict[ClassVertex, list[Vertex]] = defaultdict(list)
        for vertex, place in self.places.items():
            if vertex[0] != "slot" and place != self.rack_switches:
                members[place].append(vertex)
        for place, alike in members.items():
            yield place, self.size * len(alike), tuple(vertex[-1] for vertex in alike)

    def links(
        self, inside: tuple[InsideEdge, ...]
    ) -> dict[tuple[ClassVertex, ClassVertex, str, float], int]:
        """How many links join two classes, by tier and rate (GB/s), over all these nodes."""
        linked: dict[tuple[ClassVertex, ClassVertex, str, float], int] = defaultdict(int)
        for edge in inside:
            a, b = self.places[edge.a], self.places[edge.b]
            if a != b:
                ends = (a, b) if (a, b, edge.tier, edge.GBps) in linked else (b, a)
                linked[(*ends, edge.tier, edge.GBps)] += self.size
        return linked
