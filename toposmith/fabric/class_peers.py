"""The peer classes of a class of switches by a relation along an axis, with their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import product

from toposmith.fabric.cuts import Cells, Cuts
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan
from toposmith.fabric.relations import (
    RelationKind,
    dealt_at,
    distance,
    distinguishing_axes,
    meets_itself,
    related,
)


class ClassPeers:
    """Places and peers of the classes that cuts make; each peer is computed once.

    Parameters
    ----------
    plan : Plan
        The plan whose links are followed.
    cuts : Cuts
        The values of every axis in cells; a class of devices is one cell on each axis of its group.
    """

    def __init__(self, plan: Plan, cuts: Cuts) -> None:
        self._plan = plan
        self._cuts = cuts
        self._first = {axis: [cell.first for cell in cuts.cells(axis)] for axis in cuts.sizes}
        self._cell: dict[str, list[int]] = {}
        self._met_by: dict[tuple[int, bool, Cells], dict[tuple[Cells, RelationKind], int]] = {}
        self._met_on_axes: dict[object, list[tuple[int, RelationKind, int]]] = {}

    def coordinates(self, group: GroupPlan, cells: Cells) -> dict[str, int]:
        """The first values that a class of devices has on the axes of its group."""
        first = self._first
        return {axis: first[axis][cell] for axis, cell in zip(group.axes, cells, strict=True)}

    def values(self, group: GroupPlan, cells: Cells) -> tuple[int, ...]:
        """The same without the names of the axes."""
        first = self._first
        return tuple([first[axis][cell] for axis, cell in zip(group.axes, cells, strict=True)])

    def cells(self, group: GroupPlan, at: tuple[int, ...]) -> Cells:
        """The class of the device at these values on the axes of its group."""
        return tuple(
            self._cuts.cell_of(axis, value) for axis, value in zip(group.axes, at, strict=True)
        )

    def _cell_of_value(self, axis: str) -> list[int]:
        """The cells of all values of an axis, in order."""
        if axis not in self._cell:
            sizes = range(self._cuts.sizes[axis])
            self._cell[axis] = [self._cuts.cell_of(axis, value) for value in sizes]
        return self._cell[axis]

    def met(
        self, link: LinkPlan, end: LinkEnd, cells: Cells
    ) -> dict[tuple[Cells, RelationKind], int]:
        """How many devices of each class one of a class meets over a link, by kind of cable."""
        of = (link.index, end is link.a, cells)
        if of not in self._met_by:
            self._met_by[of] = self._met_from(link, end, cells)
        return self._met_by[of]

    def _met_from(
        self, link: LinkPlan, end: LinkEnd, cells: Cells
    ) -> dict[tuple[Cells, RelationKind], int]:
        other = link.b if end is link.a else link.a
        group, far = self._plan.groups[end.group], self._plan.groups[other.group]
        found: dict[tuple[Cells, RelationKind], int] = defaultdict(int)
        if link.bundle:
            at = tuple(self.coordinates(group, cells).values())
            cell = [self._cell_of_value(axis) for axis in far.axes]
            for peer_at, position in dealt_at(self._plan, link, at):
                peer = tuple([of[value] for of, value in zip(cell, peer_at, strict=True)])
                found[peer, (position,)] += 1
            return dict(found)
        words, told = dict(link.along), dict(distinguishing_axes(link, self._cuts.rings))
        one = self._one_axis(link, group, far, words)
        if one is not None:
            # most links lead along one axis, to devices that agree on all others
            place, axis = one
            itself = meets_itself(link)
            before, here, after = cells[:place], cells[place], cells[place + 1 :]
            for met, kind, devices in self._met_on(axis, here, words[axis], told.get(axis)):
                others = devices - (itself and met == here and not any(kind))
                if others:
                    found[(*before, met, *after), kind] += others
            return dict(found)
        choices: list[list[tuple[int, RelationKind, int]]] = []
        for axis in far.axes:
            sizes = self._cuts.cell_sizes[axis]
            if axis in link.shared:
                choices.append([(cells[group.axes.index(axis)], (), 1)])
            elif axis not in words:
                choices.append([(cell, (), many) for cell, many in enumerate(sizes)])
            else:
                own = cells[group.axes.index(axis)]
                choices.append(self._met_on(axis, own, words[axis], told.get(axis)))
        itself = meets_itself(link)
        places = [far.axes.index(axis) for axis in told]
        for chosen in product(*choices):
            peer = tuple([cell for cell, _, _ in chosen])
            kind = tuple([each for place in places for each in chosen[place][1]])
            many = 1
            for _, _, each in chosen:
                many *= each
            if itself and peer == cells and not any(kind):
                many -= 1
            if many:
                found[peer, kind] += many
        return dict(found)

    def _one_axis(
        self, link: LinkPlan, group: GroupPlan, far: GroupPlan, words: Mapping[str, str]
    ) -> tuple[int, str] | None:
        """The one axis that a link leads along, and its place, where all others are shared."""
        if group.axes != far.axes or len(words) != 1:
            return None
        (axis,) = words
        others = [each for each in far.axes if each != axis]
        sizes = self._cuts.sizes
        if axis not in far.axes or any(sizes[e] > 1 and e not in link.shared for e in others):
            return None
        return far.axes.index(axis), axis

    def _met_on(
        self, axis: str, own: int, word: str, by_distance: bool | None
    ) -> list[tuple[int, RelationKind, int]]:
        """Cells that a value of a cell meets on an axis, with the kind of cable and how many."""
        key = (axis, own, word, by_distance)
        known = self._met_on_axes.get(key)
        if known is not None:
            return known
        size, found = self._cuts.sizes[axis], defaultdict[tuple[int, RelationKind], int](int)
        if word == "next" or by_distance:
            value = self._first[axis][own]
            for other in related(word, value, size):
                kind = (distance(value, other, size),) if by_distance else ()
                found[self._cuts.cell_of(axis, other), kind] += 1
        else:
            for cell, many in enumerate(self._cuts.cell_sizes[axis]):
                found[cell, (1,) if by_distance is False else ()] += many - (cell == own)
            if word == "any":
                found[own, (0,)] += 1
        known = self._met_on_axes[key] = [(*of, many) for of, many in found.items() if many]
        return known


def class_peers(plan: Plan, cuts: Cuts) -> ClassPeers:
    """The places and peers of the classes of a plan; one graph after the other shares them."""
    known: tuple[Cuts, ClassPeers] | None = plan.result_cache.get(class_peers)
    if known is None or known[0] != cuts:
        known = plan.result_cache[class_peers] = cuts, ClassPeers(plan, cuts)
    return known[1]
