"""Permutations of devices that may leave a fabric as it is: equal modules along axes, swapped.

A module is what has one value on an axis: an SU of a pod, a pod, a spine of a plane. Two modules
with the same wiring, outside to the same devices, inside to the devices in the same place, can be
swapped. Modules are compared by random sums here, so that whoever uses a permutation checks that it
maps the cables onto themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from toposmith.fabric.rows import FabricRows, Numbers

_Sums = NDArray[np.uint64]

_OUTSIDE = 1 << 40
"""Above the numbers of devices, so that a place in a module is never taken for a device."""


def axis_swaps(rows: FabricRows) -> Iterator[Numbers]:
    """By device, the device that takes its place: neighbouring equal modules of an axis swapped.

    Of equal modules first, second, third, ... one permutation swaps the first two, the next two
    and so on, another one the second and third, so that both together take any to any other.
    Axes of nodes alone are left out: nodes that are cabled to the same switches are one anyway.
    """
    plan, values, axes = rows.plan, rows.values, rows.axes
    along = {axis for link in plan.links for axis, _ in link.along}
    groups = [frozenset(group.axes) for group in plan.groups.values()]
    of_switches = {axis for group in plan.groups.values() if group.switch for axis in group.axes}
    cables = rows.cables
    of_cable = mixed(cables.link, np.rint(cables.gbit * 1000), cables.count, cables.kind)
    ports = mixed(cables.port_a + 1), mixed(cables.port_b + 1)
    for axis in values:
        size = len(axes[axis])
        if axis in along or size < 2 or axis not in of_switches:
            continue
        common = frozenset.intersection(*(axes for axes in groups if axis in axes))
        outer = [other for other in values if other in common and other != axis]
        context = np.zeros(rows.devices, np.int64)
        for other in outer:
            context = context * len(axes[other]) + values[other]
        has = values[axis] >= 0
        module = np.where(has, context * size + values[axis], -1)
        place = _place(rows, axis)
        sums = np.zeros(int(module.max()) + 1, np.uint64)
        present = has & rows.there
        np.add.at(sums, module[present], mixed(place[present]))
        for near, far, port, other_port in (
            (cables.a, cables.b, *ports),
            (cables.b, cables.a, *reversed(ports)),
        ):
            at = np.flatnonzero(module[near] >= 0)
            inside = module[far[at]] == module[near[at]]
            there = np.where(inside, place[far[at]] + _OUTSIDE, far[at])
            edge = mixed(place[near[at]], there) ^ of_cable[at]
            np.add.at(sums, module[near[at]], mixed(edge ^ port[at], other_port[at]))
        for swapped in neighbours_swapped(sums, size):
            if swapped is not None:
                to = np.where(has, swapped[np.maximum(module, 0)] % size, values[axis])
                yield moved_along(rows, axis, to)


def neighbours_swapped(sums: NDArray[np.generic], size: int) -> Iterator[Numbers | None]:
    """By module, the one that it is swapped with; None where all stay."""
    modules = np.arange(len(sums))
    order = np.lexsort((modules, sums, modules // size))
    new = np.ones(len(order), bool)
    new[1:] = (sums[order][1:] != sums[order][:-1]) | (order[1:] // size != order[:-1] // size)
    rank = modules - np.maximum.accumulate(np.where(new, modules, 0))
    last = np.append(new[1:], True)
    for odd in (0, 1):
        first = (rank % 2 == odd) & ~last
        at = np.flatnonzero(first)
        swapped = modules.copy()
        swapped[order[at]], swapped[order[at + 1]] = order[at + 1], order[at]
        yield swapped if len(at) else None


def _place(rows: FabricRows, axis: str) -> Numbers:
    """A number for where a device lies but for its value on an axis."""
    return moved_along(rows, axis, np.zeros(rows.devices, np.int64))


def moved_along(rows: FabricRows, axis: str, to: Numbers) -> Numbers:
    """The devices with other values on an axis; those without the axis stay."""
    found = np.arange(rows.devices)
    for name, group in rows.plan.groups.items():
        if axis in group.axes:
            mine = rows.of_group(name)
            at = {**rows.at(name), axis: to[mine]}
            numbers = np.ravel_multi_index(tuple(at[each] for each in group.axes), rows.shape[name])
            found[mine] = rows.first[name] + numbers
    return found


def mixed(*columns: NDArray[np.generic]) -> _Sums:
    """Random numbers for rows of numbers: equal for equal rows (splitmix64, Steele et al. 2014)."""
    found = np.zeros(1, np.uint64)
    for column in columns:
        mixed = (np.asarray(column).astype(np.uint64) ^ found) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found = mixed ^ (mixed >> np.uint64(31))
    return found


def orbits(size: int, swaps: Iterable[Numbers]) -> Numbers:
    """By number, the least one that swaps take it to, one after the other in any order.

    Parameters
    ----------
    size : int
        How many there are.
    swaps : iterable of array of int
        Permutations.
    """
    swaps, least = list(swaps), np.arange(size)
    while True:
        found = least
        for swap in swaps:
            found = np.minimum(found, found[swap])
        found = found[found]
        if (found == least).all():
            return least
        least = found
