"""Permutations of devices that may leave a fabric as it is where links join devices along axes.

Rings, and the sets of a dragonfly, turned and mirrored along an axis; values of a full mesh
exchanged. What values of an axis have is compared by random sums here, so that whoever uses a
permutation checks that it maps the cables onto themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from toposmith.fabric.axis_swaps import mixed, moved_along, neighbours_swapped
from toposmith.fabric.rows import FabricRows, Numbers

_MOST_TRIED = 64
"""Of the values that the fewest look like, so many are tried as images of the first."""


def axis_turns(rows: FabricRows) -> Iterator[Numbers]:
    """By device, where it comes to lie."""
    plan = rows.plan
    whole = not (plan.absent or plan.down or plan.slow or plan.single_cables)
    dealt = {axis for link in plan.links for axis, word in link.along if word == "dealt"}
    ordered = {a for link in plan.links for a, word in link.along if word == "next" or link.bundle}
    mirrored = ordered - {axis for link in plan.links if link.bundle for axis, _ in link.along}
    for axis in dict.fromkeys(axis for link in plan.links for axis, _ in link.along):
        size, values = plan.size(axis), np.arange(plan.size(axis))
        if axis in dealt or size < 2:
            continue
        looks = values * 0 if whole else _looks(rows, axis, in_order=axis in ordered)
        if (looks == looks[0]).all():
            turns = iter([(values + 1) % size])
        elif axis in ordered:
            turns = _around(looks, mirrored=axis in mirrored)
        else:
            turns = (swap for swap in neighbours_swapped(looks, size) if swap is not None)
        for to in turns:
            own = rows.values[axis]
            yield moved_along(rows, axis, np.where(own < 0, own, to[own]))


def _looks(rows: FabricRows, axis: str, *, in_order: bool) -> Numbers:
    """By value of an axis, a number for the devices and cables there, seen from the value."""
    cables, size, values = rows.cables, rows.plan.size(axis), rows.values[axis]
    place = moved_along(rows, axis, np.where(values < 0, values, 0))
    sums = np.zeros(size, np.uint64)
    present = np.flatnonzero((values >= 0) & rows.there)
    np.add.at(sums, values[present], mixed(place[present]))
    of_cable = mixed(cables.link, np.rint(cables.gbit * 1000), cables.count)
    ports = mixed(cables.port_a + 1), mixed(cables.port_b + 1)
    for near, far, port, other_port in (
        (cables.a, cables.b, *ports),
        (cables.b, cables.a, *reversed(ports)),
    ):
        at = np.flatnonzero(values[near] >= 0)
        apart = (values[far[at]] - values[near[at]]) % size
        apart = np.minimum(apart, size - apart) if in_order else (apart > 0).astype(np.int64)
        # beyond the axis a device is itself
        apart = np.where(values[far[at]] < 0, size, apart)
        edge = mixed(place[near[at]], place[far[at]], apart) ^ of_cable[at]
        np.add.at(sums, values[near[at]], mixed(edge ^ port[at], other_port[at]))
    found: Numbers = np.unique(sums, return_inverse=True)[1]
    return found


def _around(looks: Numbers, *, mirrored: bool) -> Iterator[Numbers]:
    """The least turn of a ring onto itself, and a mirror image."""
    values, size = np.arange(len(looks)), len(looks)
    rarest = np.flatnonzero(looks == np.argmin(np.bincount(looks)))[:_MOST_TRIED]
    for value in rarest[1:]:
        turned = (values + value - rarest[0]) % size
        if (looks[turned] == looks).all():
            yield turned
            break
    for value in rarest if mirrored else ():
        mirror = (rarest[0] + value - values) % size
        if (looks[mirror] == looks).all():
            yield mirror
            break
