"""Sets of switches that dealt cables join, as arrays: the groups of a dragonfly and their cables.

All sets are cabled alike, so only one of them is stored, and the remaining cables of sets with
faults. A set has ``members`` switches, in the order of their values on all axes but that of
the sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from toposmith.design.selectors import Selection, Selector
from toposmith.fabric.device import At, Device
from toposmith.fabric.faults import Faults, one_device, selects
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.fabric.relations import dealt_at, peers_at

Numbers = npt.NDArray[np.float64]
"""Figures or counts, by the switches that they are of."""

Whole = npt.NDArray[np.intp]
"""Numbers of members."""


@dataclass(frozen=True)
class DealtSets:
    """Switches joined by dealt cables, and the cables between them.

    Parameters
    ----------
    switches : GroupPlan
        Their group.
    around : int
        The place of the axis of sets among its axes.
    links : tuple of LinkPlan
        The links inside a set.
    dealt : LinkPlan
        The link between sets.
    inside : mapping of int
        By index of a link, the cables between each two members of a set where nothing is missing.
    starts, ends : array
        Members at both ends of the dealt cables of a set, those to the next set first.
    first : sequence of int
        Index of the first cable to the set at each distance.
    far : array
        The number of these cables that exist, by set.
    left : mapping of int
        ``inside`` of sets with faults.
    """

    switches: GroupPlan
    around: int
    links: tuple[LinkPlan, ...]
    dealt: LinkPlan
    inside: Mapping[int, Numbers]
    starts: Whole
    ends: Whole
    first: Sequence[int]
    far: Numbers
    left: Mapping[int, Mapping[int, Numbers]] = field(default_factory=dict)

    @property
    def sets(self) -> int:
        """How many sets there are."""
        return self.switches.sizes[self.around]

    @property
    def members(self) -> int:
        """How many switches a set has."""
        return self.switches.instances // self.sets

    def to(self, apart: int) -> slice:
        """The cables to the set so much further on."""
        return slice(self.first[apart], self.first[apart + 1])

    def cables(self, number: int) -> Mapping[int, Numbers]:
        """The cables inside a set that are there, by index of the link."""
        return self.left.get(number, self.inside)

    def place(self, at: At) -> tuple[int, int]:
        """The set of a switch, and its number in it."""
        member = 0
        for axis, (value, size) in enumerate(zip(at, self.switches.sizes, strict=True)):
            if axis != self.around:
                member = member * size + value
        return at[self.around], member

    def switch(self, number: int, member: int) -> Device:
        """The switch of this number in a set."""
        at: list[int] = []
        for axis in reversed(range(len(self.switches.sizes))):
            if axis == self.around:
                at.append(number)
            else:
                member, value = divmod(member, self.switches.sizes[axis])
                at.append(value)
        return self.switches.name, tuple(reversed(at))

    def without(self, plan: Plan, selectors: Sequence[Selector]) -> DealtSets:
        """The remaining cables when these selectors fail too."""
        own = self.switches.name
        meant = [each for each in selectors if own in (each.first.group, *_second(each))]
        if not meant:
            return self
        faults, lost = Faults(plan, without_down=True), _Left(self)
        for selector in meant:
            if selector.second is None:
                for at in devices_of(self.switches, selector.first):
                    lost.switch(at)
            elif selector.first.group == selector.second.group:
                for one, other in self._pairs(selector):
                    lost.cables(one, other, faults, plan)
        return replace(self, far=lost.far, left={**self.left, **lost.inside})

    def reached(self, place: tuple[int, int]) -> npt.NDArray[np.bool_]:
        """The switches that one has a way to, by set and number there."""
        none = np.zeros((self.members, self.members))
        inside = (self.cables(number).values() for number in range(self.sets))
        joined = np.stack([sum(cables, none) for cables in inside])
        apart = np.repeat(np.arange(self.sets), np.diff(self.first))
        found = np.zeros((self.sets, self.members), np.bool_)
        found[place] = True
        while True:
            before = int(found.sum())
            found |= (found[:, None, :].astype(float) @ joined)[:, 0, :] > 0
            number, cable = np.nonzero(found[:, self.starts] & (self.far > 0))
            found[(number + apart[cable]) % self.sets, self.ends[cable]] = True
            if int(found.sum()) == before:
                return found

    def _pairs(self, selector: Selector) -> Iterator[tuple[At, At]]:
        """The switches that a selector of cables names, each two of them once."""
        assert selector.second is not None
        axes = self.switches.axes
        ends = (selector.first, selector.second)
        one, other = (one_device(end, self.switches) for end in ends)
        if one is not None and other is not None:
            yield one, other
            return
        seen: set[tuple[At, At]] = set()
        second = selector.second
        for at in devices_of(self.switches, selector.first):
            number, member = self.place(at)
            near = {(number, other) for of in self.inside.values() for other in _met(of, member)}
            for apart in range(1, self.sets):
                part = self.to(apart)
                met = self.ends[part][self.starts[part] == member]
                near |= {((number + apart) % self.sets, int(end)) for end in met}
            for place in near:
                peer = self.switch(*place)[1]
                named = dict(zip(axes, peer, strict=True))
                if (peer, at) not in seen and selects(second, (second.group, named)):
                    seen.add((at, peer))
                    yield at, peer


@dataclass(frozen=True)
class Planes:
    """One of several copies of sets that no cable joins, such as rails or planes of a dragonfly.

    Parameters
    ----------
    plan : Plan
        The design with this one alone.
    sets : DealtSets
        Its sets.
    axes : tuple of int
        The places of the axes that tell copies apart among those of the switches.
    """

    plan: Plan
    sets: DealtSets
    axes: tuple[int, ...]

    def parted(self, at: At) -> tuple[At, At]:
        """Which copy a switch is of, and its values on the other axes."""
        own = tuple(value for axis, value in enumerate(at) if axis in self.axes)
        return own, tuple(value for axis, value in enumerate(at) if axis not in self.axes)

    def switch(self, copy: At, device: Device) -> Device:
        """The switch of a copy that one of the first stands for."""
        values, rest = iter(copy), iter(device[1])
        many = len(copy) + len(device[1])
        return device[0], tuple(next(values if at in self.axes else rest) for at in range(many))


class _Left:
    """Remaining cables of some sets while things fail in turn."""

    def __init__(self, sets: DealtSets) -> None:
        self._sets = sets
        self.far = sets.far.copy()
        self.inside: dict[int, dict[int, Numbers]] = {}

    def _of(self, number: int) -> dict[int, Numbers]:
        if number not in self.inside:
            self.inside[number] = {
                link: cables.copy() for link, cables in self._sets.cables(number).items()
            }
        return self.inside[number]

    def switch(self, at: At) -> None:
        """A switch is gone with all its cables."""
        sets = self._sets
        number, member = sets.place(at)
        for cables in self._of(number).values():
            cables[member, :] = cables[:, member] = 0
        self.far[number, sets.starts == member] = 0
        for apart in range(1, sets.sets):
            part = sets.to(apart)
            self.far[(number - apart) % sets.sets, part][sets.ends[part] == member] = 0

    def cables(self, one: At, other: At, faults: Faults, plan: Plan) -> None:
        """Cables between two switches are gone."""
        sets = self._sets
        axes, name = sets.switches.axes, sets.switches.name
        ends = [(name, dict(zip(axes, at, strict=True))) for at in (one, other)]
        (a, first), (b, second) = sets.place(one), sets.place(other)
        if a == b:
            for link in sets.links:
                many = link.cables_per_pair
                kept = faults.cables_left(ends[0], ends[1], many)
                of = self._of(a)[link.index]
                of[first, second] = of[second, first] = min(of[first, second], kept)
            return
        if faults.cables_left(ends[0], ends[1], 1):
            return
        for here, there, u, v in ((a, b, first, second), (b, a, second, first)):
            part = sets.to((there - here) % sets.sets)
            self.far[here, part][(sets.starts[part] == u) & (sets.ends[part] == v)] = 0


def dealt_sets(plan: Plan) -> DealtSets | None:
    """The sets of a plan, or None where other switches are joined to them or cables differ.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    """
    dealt = [link for link in plan.links if link.bundle]
    if len(dealt) != 1 or plan.slow or plan.single_cables:
        return None
    (link,), group = dealt, plan.groups[dealt[0].a.group]
    # a switch's management port is no way through it
    own = [each for each in plan.links_of(group.name) if not each.end_of(group.name).ports]
    beside = {end.group for each in own for end in (each.a, each.b)}
    if any(plan.groups[name].switch for name in beside - {group.name}):
        return None
    (axis,) = (axis for axis, word in link.along if word == "other")
    around = group.axes.index(axis)
    links = tuple(each for each in plan.links if each.is_self and each.a.group == group.name)
    links = tuple(each for each in links if not each.bundle)
    if group.sizes[around] < 2:
        return None
    empty = np.zeros(0, np.intp)
    none = np.zeros((0, 0))
    whole = DealtSets(group, around, links, link, {}, empty, empty, (), none)
    far: dict[tuple[int, int, int], int] = {}
    inside = {each.index: np.zeros((whole.members, whole.members)) for each in links}
    for member in range(whole.members):
        at = whole.switch(0, member)[1]
        for each in links:
            for peer in peers_at(plan, each, each.a, at):
                number, other = whole.place(peer)
                if number:
                    return None
                inside[each.index][member, other] = each.cables_per_pair
        for peer, _ in dealt_at(plan, link, at):
            apart, other = whole.place(peer)
            far[apart, member, other] = far.get((apart, member, other), 0) + 1
    known = sorted(far)
    first = [0] * (whole.sets + 1)
    for apart, _, _ in known:
        first[apart + 1] += 1
    for apart in range(whole.sets):
        first[apart + 1] += first[apart]
    found = replace(
        whole,
        inside=inside,
        starts=np.array([start for _, start, _ in known], np.intp),
        ends=np.array([end for _, _, end in known], np.intp),
        first=tuple(first),
        far=np.tile(np.array([far[each] for each in known], float), (whole.sets, 1)),
    )
    return found.without(plan, (*plan.absent, *plan.down))


def planes(plan: Plan, sets: DealtSets) -> Planes:
    """One of the copies that the sets of a plan are, of which nothing is missing."""
    group, links = sets.switches, (*sets.links, sets.dealt)
    apart = tuple(
        at for at, axis in enumerate(group.axes) if all(axis in link.shared for link in links)
    )
    if not apart:
        return Planes(plan, sets, ())
    kept = [at for at in range(len(group.axes)) if at not in apart]
    one = replace(
        group,
        axes=tuple(group.axes[at] for at in kept),
        sizes=tuple(group.sizes[at] for at in kept),
    )
    groups = plan.groups | {group.name: one}
    alone = replace(plan, groups=groups)
    of_one = dealt_sets(alone)
    assert of_one is not None
    return Planes(alone, of_one, apart)


def _second(selector: Selector) -> tuple[str, ...]:
    return () if selector.second is None else (selector.second.group,)


def _met(cables: Numbers, member: int) -> list[int]:
    return [int(other) for other in np.flatnonzero(cables[member])]


def devices_of(group: GroupPlan, selection: Selection) -> Iterator[At]:
    """The devices of a group that a selection names."""
    ranges = {axis: range(low, high + 1) for axis, low, high in selection.ranges}
    yield from product(
        *(ranges.get(axis, range(size)) for axis, size in zip(group.axes, group.sizes, strict=True))
    )
