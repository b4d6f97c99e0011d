"""The paths that traffic may take under detours: minimal ones, and those via one other group.

Between two groups of a dragonfly a detour passes through one other group, inside a group through
one other switch of it or through another group, with five hops at most. So route Cray's Slingshot
(De Sensi et al., SC20, arXiv 2008.08886) and UGAL (Kim et al., "Technology-Driven, Highly-Scalable
Dragonfly Topology", ISCA 2008), whose paths have as many. A *set* is here what agrees on an axis
along which links join all others.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from toposmith.analysis.network import ComputeNetwork
from toposmith.fabric.device import Device
from toposmith.fabric.plan import Plan

MOST_HOPS = 5
"""Hops of a detour between switches, at most."""

Path = tuple[Device, ...]
"""The switches on a path, from the first to the last."""

Step = tuple[Device, Device]
"""Two neighbouring switches, in one direction."""


def axes_of_sets(plan: Plan) -> tuple[str, ...]:
    """The axes along which links join switches to all others: those that detours go along.

    Where cables are dealt between sets, as between the groups of a dragonfly, it is theirs alone.
    """
    links = [link for link in plan.links if link.bundle] or plan.links
    found = (
        axis
        for link in links
        for axis, word in link.along
        if word == "other" and plan.groups[link.a.group].switch and plan.groups[link.b.group].switch
    )
    return tuple(dict.fromkeys(found))


class DetourPaths:
    """Paths between the switches of a network under detours.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    ends : iterable of Device
        Switches that traffic starts or ends at.
    """

    def __init__(self, network: ComputeNetwork, ends: Iterable[Device]) -> None:
        self._devices = network.devices
        self._groups = network.plan.groups
        self.axes = axes_of_sets(network.plan)
        self._ends = list(ends)
        # by group that cables are dealt between, the axis of its sets
        self._dealt = {
            link.a.group: axis
            for link in network.plan.links
            for axis, word in link.along
            if link.bundle and word == "other"
        }
        self._within: dict[tuple[object, ...], list[Path]] = {}
        self._crossed: dict[tuple[object, ...], dict[Step, float]] = {}

    @cached_property
    def switches(self) -> list[Device]:
        """The switches that the ends reach, in order."""
        seen, waiting = set(self._ends), list(self._ends)
        while waiting:
            new = [peer for peer in self._devices.beside(waiting.pop()) if peer not in seen]
            seen.update(new)
            waiting += new
        return sorted(seen)

    def set_of(self, axis: str, switch: Device) -> int | None:
        """The value of a switch on an axis; None where it has none."""
        axes = self._groups[switch[0]].axes
        return switch[1][axes.index(axis)] if axis in axes else None

    @cached_property
    def crossings(self) -> Mapping[str, Mapping[tuple[int, int], list[Step]]]:
        """By axis and pair of sets, the switches that cables join from one to the other."""
        found: dict[str, dict[tuple[int, int], list[Step]]] = {}
        for axis in self.axes:
            of_axis: dict[tuple[int, int], list[Step]] = defaultdict(list)
            for switch in self.switches:
                here = self.set_of(axis, switch)
                for peer in self._devices.beside(switch):
                    there = self.set_of(axis, peer)
                    if here is not None and there is not None and here != there:
                        of_axis[here, there].append((switch, peer))
            found[axis] = dict(of_axis)
        return found

    @cached_property
    def _members(self) -> Mapping[str, Mapping[int, list[Device]]]:
        """The switches of every set, by axis."""
        found: dict[str, dict[int, list[Device]]] = {}
        for axis in self.axes:
            sets: dict[int, list[Device]] = defaultdict(list)
            for switch in self.switches:
                own = self.set_of(axis, switch)
                if own is not None:
                    sets[own].append(switch)
            found[axis] = sets
        return found

    @cached_property
    def _sets_beside(self) -> Mapping[str, Mapping[int, list[int]]]:
        found: dict[str, dict[int, list[int]]] = {}
        for axis, pairs in self.crossings.items():
            beside: dict[int, list[int]] = defaultdict(list)
            for here, there in pairs:
                beside[here].append(there)
            found[axis] = beside
        return found

    def about(self, start: Device, end: Device) -> int:
        """An estimate of the number of paths, without listing them."""
        many = 4
        for axis, crossings in self.crossings.items():
            here, there = self.set_of(axis, start), self.set_of(axis, end)
            if here is None or there is None:
                continue
            for over in self._sets_beside[axis].get(here, ()):
                if over != there:
                    out, back = crossings[here, over], crossings.get((over, there), ())
                    many += len(out) * len(back)
            if here == there:
                many += len(self._devices.beside(start))
        return many

    def minimal(self, start: Device, end: Device) -> list[Path]:
        """The shortest paths, through no third set where cables are dealt between sets."""
        beside = self._devices.beside
        if not {start[0], end[0]} <= self._dealt.keys():
            return self._shortest(start, end, beside)
        sets = self._dealt_set(start), self._dealt_set(end), None

        def near(switch: Device) -> Iterator[Device]:
            return (peer for peer in beside(switch) if self._dealt_set(peer) in sets)

        return self._shortest(start, end, near) or self._shortest(start, end, beside)

    def _dealt_set(self, switch: Device) -> tuple[str, int | None] | None:
        """The set of a switch where cables are dealt between sets; None where it is in none."""
        axis = self._dealt.get(switch[0])
        return None if axis is None else (switch[0], self.set_of(axis, switch))

    def paths(self, start: Device, end: Device) -> list[Path]:
        """Minimal paths and detours, each once."""
        found = dict.fromkeys(self.minimal(start, end))
        for axis in self.axes:
            here, there = self.set_of(axis, start), self.set_of(axis, end)
            if here is None or there is None:
                continue
            if here == there:
                found |= dict.fromkeys(self._over_switches(axis, here, start, end))
            found |= dict.fromkeys(self._over_sets(axis, start, end, here, there))
        return list(found)

    def _over_switches(self, axis: str, own: int, start: Device, end: Device) -> Iterator[Path]:
        for over in self._members[axis][own]:
            if over in (start, end):
                continue
            for first in self.within(axis, own, start, over, MOST_HOPS - 1):
                left = MOST_HOPS - len(first) + 1
                for second in self.within(axis, own, over, end, left):
                    yield from _simple(first + second[1:])

    def _over_sets(
        self, axis: str, start: Device, end: Device, here: int, there: int
    ) -> Iterator[Path]:
        crossings = self.crossings[axis]
        for over in self._sets_beside[axis].get(here, ()):
            if over == there:
                continue
            for out in crossings[here, over]:
                for back in crossings.get((over, there), ()):
                    yield from self._joined(axis, start, end, out, back)

    def _joined(
        self, axis: str, start: Device, end: Device, out: Step, back: Step
    ) -> Iterator[Path]:
        """The ways from start to end over one cable out of a set and one into another."""
        here, over, there = (self.set_of(axis, switch) for switch in (start, out[1], end))
        assert here is not None and over is not None and there is not None
        most = MOST_HOPS - 2
        for first in self.within(axis, here, start, out[0], most):
            left = most - len(first) + 1
            for second in self.within(axis, over, out[1], back[0], left):
                rest = left - len(second) + 1
                for third in self.within(axis, there, back[1], end, rest):
                    yield from _simple(first + second + third)

    def in_one_set(self, start: Device, end: Device) -> bool:
        """Whether two switches are in one set along every axis but where sets are one switch."""
        axis = self._of_spread
        return self.set_of(axis, start) == self.set_of(axis, end)

    @property
    def _of_spread(self) -> str:
        """The axis whose sets flows are spread over; empty where links join no sets."""
        return self.axes[-1] if self.axes else ""

    def spread_out(self, start: Device, end: Device) -> dict[Step, float]:
        """Shares of a flow that is spread evenly over detours; empty where there are none.

        Inside a set evenly over its other switches, else over all other sets, over all cables into
        each and out of it.
        """
        axis = self._of_spread
        here, there = self.set_of(axis, start), self.set_of(axis, end)
        if here is None or there is None:
            return {}
        found: dict[Step, float] = defaultdict(float)
        if here == there:
            over = list(self._over_switches(axis, here, start, end))
            for path in over:
                for step in itertools.pairwise(path):
                    found[step] += 1 / len(over)
            return dict(found)
        ways: list[tuple[list[Step], list[Step]]] = []
        for over_set in self._sets_beside[axis].get(here, ()):
            back = self.crossings[axis].get((over_set, there), [])
            if over_set == there or not self._meshes[axis][over_set]:
                continue
            out = [s for s in self.crossings[axis][here, over_set] if self._next(start, s[0])]
            back = [s for s in back if self._next(s[1], end)]
            if out and back:
                ways.append((out, back))
        for out, back in ways:
            share = 1 / len(ways)
            for step in out:
                found[step] += share / len(out)
                if step[0] != start:
                    found[start, step[0]] += share / len(out)
            for step in back:
                found[step] += share / len(back)
                if step[1] != end:
                    found[step[1], end] += share / len(back)
            for step, part in self._across(out, back).items():
                found[step] += share * part
        return dict(found)

    def _next(self, one: Device, other: Device) -> bool:
        """Whether two switches are beside each other, or one."""
        return one == other or other in self._devices.beside(one)

    def _across(self, out: list[Step], back: list[Step]) -> Mapping[Step, float]:
        """Shares of steps inside a set, from all cables into it to all cables out of it."""
        key = (tuple(out), tuple(back))
        known = self._crossed.get(key)
        if known is None:
            known = defaultdict(float)
            for _, landed in out:
                for last, _ in back:
                    if landed != last:
                        known[landed, last] += 1 / (len(out) * len(back))
            self._crossed[key] = known
        return known

    @cached_property
    def _meshes(self) -> Mapping[str, Mapping[int, bool]]:
        """By axis and set, whether all its switches are beside each other."""
        return {
            axis: {
                own: all(self._next(one, other) for one in members for other in members)
                for own, members in sets.items()
            }
            for axis, sets in self._members.items()
        }

    def within(self, axis: str, own: int, start: Device, end: Device, most: int) -> list[Path]:
        """The shortest paths inside a set, where they have so many hops at most."""
        if start == end:
            return [(start,)]
        key = (axis, own, start, end)
        known = self._within.get(key)
        if known is None:
            if end in self._devices.beside(start):
                known = [(start, end)]
            else:
                known = self._shortest(
                    start,
                    end,
                    lambda switch: [
                        peer
                        for peer in self._devices.beside(switch)
                        if self.set_of(axis, peer) == own
                    ],
                )
            self._within[key] = known
        return known if known and len(known[0]) - 1 <= most else []

    def _shortest(
        self, start: Device, end: Device, near: Callable[[Device], Iterable[Device]]
    ) -> list[Path]:
        """All shortest paths between two switches."""
        before: dict[Device, list[Device]] = {start: []}
        edge = [start]
        while edge and end not in before:
            found: dict[Device, list[Device]] = {}
            for switch in edge:
                for peer in near(switch):
                    if peer not in before:
                        found.setdefault(peer, []).append(switch)
            before |= found
            edge = list(found)
        if end not in before:
            return []
        paths: list[Path] = [(end,)]
        while paths[0][0] != start:
            paths = [(earlier, *path) for path in paths for earlier in before[path[0]]]
        return paths


def _simple(path: Path) -> Iterator[Path]:
    """The path where it comes through no switch twice."""
    if len(set(path)) == len(path):
        yield path
