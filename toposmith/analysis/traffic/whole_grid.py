"""A torus or mesh with faults: routes that cannot meet a fault are those of the intact fabric.

Shortest paths between two switches stay at the values between theirs on each axis. Where no fault
is among these, the paths and how traffic shares them are those of the whole fabric.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from toposmith.analysis.network import ComputeNetwork
from toposmith.fabric.device import At
from toposmith.fabric.plan import GroupPlan
from toposmith.fabric.single_devices import SingleDevices
from toposmith.fabric.switch_grid import SwitchGrid

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST_HIT = 200
"""The most switches with faults that hops are checked against."""


@dataclass(frozen=True)
class WholeGrid:
    """The fabric without its faults, and where these are.

    Parameters
    ----------
    grid : SwitchGrid
        Its rings and meshes.
    devices : SingleDevices
        Its devices.
    hit : frozenset
        The switches that are gone or have lost cables.
    """

    grid: SwitchGrid
    devices: SingleDevices
    hit: frozenset[At]

    def hits(
        self,
        values: Sequence[npt.NDArray[np.intp]],
        start: npt.NDArray[np.intp],
        end: npt.NDArray[np.intp],
    ) -> npt.NDArray[np.bool_]:
        """Which pairs of numbered switches have a shortest path that can meet a fault.

        ``values`` are those of all switches, by axis.
        """
        import numpy as np  # a tenth of a second, and other fabrics do not need it

        around = {axis.name for axis in self.grid.axes if axis.word == "next"}
        met = np.zeros(len(start), np.bool_)
        for at in self.hit:
            between = np.ones(len(start), np.bool_)
            switch = self.grid.switch
            for axis, size, value, of in zip(switch.axes, switch.sizes, at, values, strict=True):
                one, other = of[start], of[end]
                on = (one == value) | (other == value)
                if axis in around:
                    up = (other - one) % size
                    shorter = np.where(2 * up < size, (value - one) % size <= up, True)
                    longer = (value - other) % size <= size - up
                    on |= (up > 0) & shorter & np.where(2 * up > size, longer, True)
                between &= on
            met |= between
        return met


def whole_grid(network: ComputeNetwork) -> WholeGrid | None:
    """The whole of a network that is rings and meshes with few faults; None of any other."""
    plan = network.plan
    faults = (*plan.absent, *plan.down)
    if not (network.along and faults) or plan.slow or plan.single_cables:
        return None
    whole = ComputeNetwork(replace(plan, absent=(), down=()))
    if whole.grid is None or whole.slots != network.slots:
        return None
    switch, hit = whole.grid.switch, set[At]()
    for selector in faults:
        for selection in (selector.first, selector.second):
            if selection is not None and selection.group == switch.name:
                ranges = {axis: (low, high) for axis, low, high in selection.ranges}
                if len(hit) + _many(switch, ranges) > MOST_HIT:
                    return None
                hit.update(_instances(switch, ranges))
    return WholeGrid(whole.grid, whole.devices, frozenset(hit))


def _many(group: GroupPlan, ranges: dict[str, tuple[int, int]]) -> int:
    sizes = zip(group.axes, group.sizes, strict=True)
    spans = (ranges.get(axis, (0, size - 1)) for axis, size in sizes)
    return prod(high - low + 1 for low, high in spans)


def _instances(group: GroupPlan, ranges: dict[str, tuple[int, int]]) -> Iterator[At]:
    sizes = zip(group.axes, group.sizes, strict=True)
    spans = (ranges.get(axis, (0, size - 1)) for axis, size in sizes)
    return product(*(range(low, high + 1) for low, high in spans))
