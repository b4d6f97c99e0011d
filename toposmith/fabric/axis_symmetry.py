"""Axes along which a fabric looks the same from everywhere: rings, meshes, groups of a dragonfly.

Shifted by one value along such an axis every switch comes to lie on another one with the same
cables, so that what is known of one switch is known of all that differ from it in these axes alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from toposmith.fabric.device import Device
from toposmith.fabric.plan import Plan

Shift = tuple[int, ...]
"""How far something is shifted along each axis, in the order of :attr:`AxisSymmetry.axes`."""


class AxisSymmetry:
    """The shifts that leave the switches of a plan and the cables between them as they are.

    Nothing may be missing, slow or cabled one by one; links that join all, neighbours or others
    along an axis look the same from each of its values, and so do cables dealt over the members of
    sets from each set (the circulant arrangement), but not from each member.

    Parameters
    ----------
    plan : Plan
        The design, understood.

    Attributes
    ----------
    axes : tuple of str
        The axes; none where anything tells values apart.
    sizes : tuple of int
        How many values each has.
    """

    def __init__(self, plan: Plan) -> None:
        whole = not (plan.absent or plan.down or plan.slow or plan.single_cables)
        dealt = {axis for link in plan.links for axis, word in link.along if word == "dealt"}
        switches = [group for group in plan.groups.values() if group.switch]
        sizes = {
            axis: size
            for group in switches
            for axis, size in zip(group.axes, group.sizes, strict=True)
            if whole and axis not in dealt
        }
        self.axes = tuple(sizes)
        self.sizes = tuple(sizes.values())
        # of each axis of a group: its place among the axes and how many values, or None
        self._places: dict[str, list[tuple[int, int] | None]] = {
            group.name: [
                (self.axes.index(axis), sizes[axis]) if axis in sizes else None
                for axis in group.axes
            ]
            for group in switches
        }

    @cached_property
    def axes_of(self) -> Mapping[str, tuple[int, ...]]:
        """By group of switches, the places of its axes among :attr:`axes`."""
        return {
            group: tuple(place[0] for place in places if place is not None)
            for group, places in self._places.items()
        }

    def places(self, group: str) -> Sequence[tuple[int, int] | None]:
        """By axis of a group: its place among :attr:`axes` and how many values; None if in none."""
        return self._places[group]

    def __bool__(self) -> bool:
        return bool(self.axes)

    def shift_to(self, switch: Device) -> Shift:
        """The shift that takes the first switch of its kind to this one."""
        move = [0] * len(self.axes)
        for value, place in zip(switch[1], self._places[switch[0]], strict=True):
            if place is not None:
                move[place[0]] = value
        return tuple(move)

    def first(self, switch: Device) -> Device:
        """The first switch of the kind of this one."""
        group, at = switch
        places = self._places[group]
        return group, tuple(v if p is None else 0 for v, p in zip(at, places, strict=True))

    def back(self, move: Shift) -> Shift:
        """The shift that undoes another."""
        return tuple(-by % size for by, size in zip(move, self.sizes, strict=True))

    def moved(self, switch: Device, move: Shift) -> Device:
        """Where a switch comes to lie."""
        group, at = switch
        places = self._places[group]
        return group, tuple(
            [
                value if place is None else (value + move[place[0]]) % place[1]
                for value, place in zip(at, places, strict=True)
            ]
        )
