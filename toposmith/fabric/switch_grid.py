"""Switches joined along each of their axes by itself, in rings or full meshes: tori and HyperX.

Such a fabric is the Cartesian product of its rings and meshes. Without faults it is symmetric in
its switches and in the cables along one axis (rotated, mirrored, renumbered), so that figures have
closed forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from toposmith.fabric.device import At
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.fabric.relations import many_related


@dataclass(frozen=True)
class GridAxis:
    """One axis: how many switches a ring or mesh along it has, and the link that joins these."""

    name: str
    size: int
    link: LinkPlan
    word: str

    @property
    def neighbours(self) -> int:
        """Switches that each one is joined to along the axis."""
        return many_related(self.word, self.size)

    @property
    def into_one_GBps(self) -> float:
        """GB/s into a switch along the axis, line rate."""
        return self.neighbours * self.pair_GBps

    @property
    def pair_GBps(self) -> float:
        """GB/s between two neighbours, line rate, one direction."""
        return self.link.cables_per_pair * self.link.line_GBps

    @property
    def first_share(self) -> float:
        """Share of all traffic along the axis into a switch that one neighbour forwards.

        Of the size - 1 others of a ring half come by either neighbour, of a mesh each by itself.
        """
        return (self.size - 1) / self.neighbours


@dataclass(frozen=True)
class SwitchGrid:
    """All switches of a network and the nodes on them, each node on one switch."""

    switch: GroupPlan
    node: GroupPlan
    to_nodes: LinkPlan
    axes: tuple[GridAxis, ...]

    @property
    def switches(self) -> int:
        """How many switches there are."""
        return prod(axis.size for axis in self.axes)

    def between(self, one: At, other: At) -> tuple[frozenset[int], ...]:
        """By axis of the switches, the values that shortest paths between two of them go by."""
        words = {axis.name: axis.word for axis in self.axes}
        return tuple(
            _values_between(a, b, size, around=words.get(axis) == "next")
            for axis, size, a, b in zip(
                self.switch.axes, self.switch.sizes, one, other, strict=True
            )
        )

    @property
    def nodes_per_switch(self) -> int:
        """Nodes on each switch."""
        return self.node.instances // self.switches


def _values_between(one: int, other: int, size: int, *, around: bool) -> frozenset[int]:
    up = (other - one) % size
    if not around or not up or 2 * up == size:
        return frozenset(range(size)) if around and up else frozenset((one, other))
    low, far = (one, up) if 2 * up < size else (other, size - up)
    return frozenset((low + step) % size for step in range(far + 1))


def switch_grid(plan: Plan, slots: Mapping[str, str]) -> SwitchGrid | None:
    """The fabric of a network as rings and meshes along axes; None where it is not just that.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    slots : mapping of str to str
        The slots of each group of nodes that the network joins.
    """
    if plan.absent or plan.down or plan.slow or plan.single_cables or len(slots) != 1:
        return None
    ((name, ports),) = slots.items()
    to_nodes = [link for link in plan.links_of(name) if link.end_of(name).ports == ports]
    if len(to_nodes) != 1 or to_nodes[0].is_self or to_nodes[0].along:
        return None
    (down,) = to_nodes
    node = plan.groups[name]
    switch = plan.groups[(down.b if down.a.group == name else down.a).group]
    wide = {a: size for a, size in zip(switch.axes, switch.sizes, strict=True) if size > 1}
    if switch.switch is None or not wide or not wide.keys() <= set(down.shared):
        return None
    axes: dict[str, GridAxis] = {}
    for link in plan.links_of(switch.name):
        if link is down:
            continue
        other = link.b if link.a.group == switch.name else link.a
        if not link.is_self:
            if plan.groups[other.group].switch is None and slots.get(other.group) != other.ports:
                continue  # another network, or storage
            return None
        if not link.peers_of_a:
            continue  # along an axis of one value
        words = [(axis, word) for axis, word in link.along if word != "same" and axis in wide]
        if link.bundle or len(words) != 1 or words[0][0] in axes:
            return None
        ((axis, word),) = words
        if word not in ("next", "other"):
            return None
        axes[axis] = GridAxis(axis, wide[axis], link, word)
    if axes.keys() != wide.keys():
        return None
    return SwitchGrid(switch, node, down, tuple(axes[axis] for axis in wide))
