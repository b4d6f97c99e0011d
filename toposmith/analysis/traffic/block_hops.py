"""Hops between blocks of nodes, by the switches that they start and end at, in arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import copy

import numpy as np
import numpy.typing as npt

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.block_ends import Ends, coordinates
from toposmith.fabric.axis_symmetry import AxisSymmetry, Shift
from toposmith.fabric.device import Device
from toposmith.fabric.plan import GroupPlan

_Kind = tuple[Device, Device, Shift, npt.NDArray[np.intp]]
"""Hops that become each other when moved: the first of both kinds of switch, how far, moves."""


class BlockHops:
    """Hops by the switches that they start and end at, those between two of them.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    switch : GroupPlan
        The switches; the nodes of a block are on one of them.
    ends : callable
        Which blocks hops join.

    Attributes
    ----------
    group : str
        The nodes.
    values : list of array
        By axis of the switches, the value of every block.
    start, end : array
        The blocks that hops start and end in.
    """

    def __init__(self, network: ComputeNetwork, switch: GroupPlan, ends: Ends) -> None:
        self.switch = switch
        (node,) = network.world.groups
        self.group = node.name
        of_block, outer = coordinates(network.world), node.axes[:-1]
        # an axis that blocks lack has one value
        zero = np.zeros(len(of_block), np.intp)
        self.values = [
            of_block[:, outer.index(axis)] if axis in outer else zero for axis in switch.axes
        ]
        start, end = ends(network.world)
        apart = np.any([of[start] != of[end] for of in self.values], axis=0)
        self.start, self.end = start[apart], end[apart]

    def those(self, chosen: npt.NDArray[np.bool_]) -> BlockHops:
        """Some of them."""
        found = copy(self)
        found.start, found.end = self.start[chosen], self.end[chosen]
        return found

    def counted(self) -> Counter[tuple[Device, Device]]:
        """How many there are between each two switches."""
        return Counter(
            (self._at(start), self._at(end))
            for start, end in zip(self.start.tolist(), self.end.tolist(), strict=True)
        )

    def by_distance(self, symmetry: AxisSymmetry) -> Iterator[_Kind]:
        """Hops that some moves take to each other."""
        places = symmetry.places(self.switch.name)
        at = np.zeros((len(self.values[0]), len(symmetry.sizes)), np.intp)
        kind = np.zeros(len(at), np.intp)
        for own, size, place in zip(self.values, self.switch.sizes, places, strict=True):
            if place is None:
                kind = kind * size + own
            else:
                at[:, place[0]] = own
        start, end = self.start, self.end
        distance = (at[end] - at[start]) % np.array(symmetry.sizes)
        kinds = int(kind.max(initial=0)) + 1
        alike = np.ravel_multi_index(
            (kind[start], kind[end], *distance.T), (kinds, kinds, *symmetry.sizes)
        )
        order = np.argsort(alike, kind="stable")
        for of in np.split(order, np.flatnonzero(np.diff(alike[order])) + 1) if len(order) else ():
            near, far = (symmetry.first(self._at(int(each[of[0]]))) for each in (start, end))
            yield near, far, tuple(distance[of[0]].tolist()), at[start[of]]

    def _at(self, block: int) -> Device:
        return self.switch.name, tuple(int(own[block]) for own in self.values)
