"""The fabric under detours: flows between switches, split as well as paths allow.

Where rotating all groups by one maps fabric and flows onto themselves, it preserves a best split
(the mean of all rotations is as good), so the flows of one group represent all.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.best_split import Flows
from toposmith.analysis.traffic.detour_paths import DetourPaths, Path, Step, axes_of_sets
from toposmith.cancellation import go_on
from toposmith.fabric.classes import Arc
from toposmith.fabric.device import Device
from toposmith.fabric.single_devices import Bundle
from toposmith.text import counted

MOST_PATHS = 30_000
"""Paths up to which the best split is looked for: some seconds' work. Where groups are not alike,
as after a failure, it is a third of them, of which many such are asked for."""

MOST_SWITCHES = 300
"""The most switches whose all-to-all is split flow by flow; flows grow with their square."""

_EQUAL = 1 + 1e-9

MOST_EVEN = 20_000
"""Flows between switches up to which detours are at least spread evenly."""

Demands = Mapping[tuple[Device, Device], float]
"""Traffic between switches, in units of one NIC's."""


@dataclass(frozen=True)
class DetourSplit:
    """Loads under detours, or lower bounds of them where they are not computed.

    Parameters
    ----------
    loads : dict
        Load of the worst cable of every class, by arc of ``network.classes``.
    paths : int, optional
        Number of paths in the optimisation; 0 where there was none.
    not_best : str, optional
        Why the split may not be optimal; empty where it is.
    at_most : str, optional
        Why loads are lower bounds, so that figures are upper limits.
    """

    loads: dict[Arc, float]
    paths: int = 0
    not_best: str = ""
    at_most: str = ""

    def known_best(self) -> DetourSplit:
        """The same, marked as optimal."""
        return replace(self, not_best="")


def split_over_detours(
    network: ComputeNetwork, demands: Demands, minimal: Mapping[Arc, float]
) -> DetourSplit:
    """Split the traffic between switches over minimal paths and detours.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    demands : mapping
        Traffic between switches, all of which reach each other.
    minimal : mapping
        The loads by minimal paths alone, which the split never exceeds.
    """
    floor = {arc: load for arc, load in minimal.items() if "nic" in (arc[0][0], arc[1][0])}
    least = max(_utilization(network, floor), default=0.0)
    if max(_utilization(network, minimal), default=0.0) <= least * _EQUAL:
        return DetourSplit(dict(minimal))
    turn = _Turns(network, demands)
    paths, most = 0, MOST_PATHS if turn.alike else MOST_PATHS // 3
    for start, end in turn.kept:
        paths += turn.detours.about(start, end)
        if paths > most:
            return _evenly(network, turn, minimal, floor)
    go_on()
    flows = Flows(turn.capacity)
    for (start, end), amount in turn.kept.items():
        ways = [turn.on_arcs(path) for path in turn.detours.paths(start, end)]
        flows.add(amount, ways)
    found, _ = flows.split(least)
    return DetourSplit({**floor, **turn.worst(found)}, flows.paths)


def exchange_over_detours(network: ComputeNetwork, minimal: Mapping[Arc, float]) -> DetourSplit:
    """Split an all-to-all of all GPUs over minimal paths and detours.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    minimal : mapping
        The loads by minimal paths alone, in units of one rank's sending rate.

    Raises
    ------
    ValueError
        If a node has NICs on several switches.
    """
    # imported here: it needs numpy, which clean designs do not
    from toposmith.analysis.traffic.row_hosts import gpus_by_switch

    gpus = gpus_by_switch(network)
    total = sum(gpus.values())
    if len(gpus) > MOST_SWITCHES:
        switches = counted(len(gpus), "switch", "exchange")
        why = f"{switches} over too many paths to look for the best split"
        return DetourSplit(dict(minimal), not_best=f"{why}; these are minimal paths alone")
    demands = {
        (start, end): gpus[start] * gpus[end] / total
        for start in gpus
        for end in gpus
        if start != end
    }
    return split_over_detours(network, demands, minimal)


def _evenly(
    network: ComputeNetwork, turn: _Turns, minimal: Mapping[Arc, float], floor: Mapping[Arc, float]
) -> DetourSplit:
    """A share of every flow evenly over all detours; the share is optimised, the split is not.

    Flows inside sets take one share, flows between them another.
    """
    many = len(turn.kept)
    why = f"{many:,} flows between switches have too many paths to look for the best split"
    if many > MOST_EVEN:
        return DetourSplit(dict(minimal), not_best=f"{why}; these are minimal paths alone")
    flows = Flows(turn.capacity)
    for ways in _shares(turn):
        flows.add(1.0, ways)
    least = max(_utilization(network, floor), default=0.0)
    found, fullest = flows.split(least)
    if fullest <= least * _EQUAL:
        # what has no choice is the fullest: no split is better
        return DetourSplit({**floor, **turn.worst(found)})
    if fullest >= max(_utilization(network, minimal), default=0.0):
        return DetourSplit(dict(minimal), not_best=f"{why}; these are minimal paths alone")
    spread = f"{why}; all take the same share of detours, spread evenly"
    return DetourSplit({**floor, **turn.worst(found)}, not_best=spread)


_Shares = list[dict[Step, float]]
"""What flows put on each arc by minimal paths, and spread evenly over detours."""


def _shares(turn: _Turns) -> Iterable[_Shares]:
    """What all flows inside sets, and all between them, put on arcs."""
    shares: dict[bool, _Shares] = {}
    for (start, end), amount in turn.kept.items():
        go_on()
        inside = turn.detours.in_one_set(start, end)
        sums = shares.setdefault(inside, [defaultdict(float), defaultdict(float)])
        for of, spread in zip(sums, _both_ways(turn, start, end), strict=True):
            for step, share in spread.items():
                arc, times = turn.seen(step)
                of[arc] += times * amount * share
    return shares.values()


def _both_ways(turn: _Turns, start: Device, end: Device) -> _Shares:
    """A flow of 1 by minimal paths, and spread over detours; the same where there are none."""
    paths = turn.detours.minimal(start, end)
    direct: dict[Step, float] = defaultdict(float)
    for path in paths:
        for step in itertools.pairwise(path):
            direct[step] += 1 / len(paths)
    return [direct, turn.detours.spread_out(start, end) or direct]


def _utilization(network: ComputeNetwork, loads: Mapping[Arc, float]) -> Iterable[float]:
    edges = network.classes.graph.edges
    for arc, load in loads.items():
        if edges[arc]["link"] is not None:
            yield load / edges[arc]["GBps"]


class _Turns:
    """Flows between switches; those of one set represent all where all are equivalent."""

    def __init__(self, network: ComputeNetwork, demands: Demands) -> None:
        self._network = network
        self._demands = {ends: amount for ends, amount in demands.items() if ends[0] != ends[1]}
        ends = dict.fromkeys(switch for both in self._demands for switch in both)
        self.detours = DetourPaths(network, ends)
        self._known: dict[Step, tuple[Step, float]] = {}

    @cached_property
    def _axis(self) -> str | None:
        """The axis along which everything can be turned."""
        plan = self._network.plan
        if plan.absent or plan.down or plan.slow or plan.single_cables:
            return None
        return next((axis for axis in axes_of_sets(plan) if self._turns(axis)), None)

    @property
    def alike(self) -> bool:
        """Whether the flows of one set stand for all."""
        return self._axis is not None

    def _turns(self, axis: str) -> bool:
        turned = self._turned
        if any(self.detours.set_of(axis, start) is None for start, _ in self._demands):
            return False
        asked = self._demands
        if any(
            abs(asked.get((turned(axis, start, 1), turned(axis, end, 1)), 0.0) - amount)
            > 1e-9 * amount
            for (start, end), amount in asked.items()
        ):
            return False
        beside = self._network.devices.beside
        return all(
            _widths({turned(axis, peer, 1): bundles for peer, bundles in beside(switch).items()})
            == _widths(beside(turned(axis, switch, 1)))
            for switch in self.detours.switches
        )

    def _turned(self, axis: str, switch: Device, by: int) -> Device:
        group = self._network.plan.groups[switch[0]]
        if axis not in group.axes:
            return switch
        at = group.axes.index(axis)
        value = (switch[1][at] + by) % group.sizes[at]
        return switch[0], (*switch[1][:at], value, *switch[1][at + 1 :])

    @cached_property
    def kept(self) -> Demands:
        """The flows that stand for all."""
        axis = self._axis
        if axis is None:
            return self._demands
        return {
            (start, end): amount
            for (start, end), amount in self._demands.items()
            if self.detours.set_of(axis, start) == 0
        }

    def seen(self, step: Step) -> tuple[Step, float]:
        """The step that stands for one, and how many of the flow's turns use it."""
        if self._axis is None:
            return step, 1.0
        known = self._known.get(step)
        if known is None:
            known = self._known[step] = self._seen_from_first(step)
        return known

    def _seen_from_first(self, step: Step) -> tuple[Step, float]:
        axis = self._axis
        assert axis is not None
        values = [self.detours.set_of(axis, switch) for switch in step]
        first = next((value for value in values if value is not None), None)
        if first is None:
            return step, float(self._network.plan.size(axis))
        one, other = (self._turned(axis, switch, -first) for switch in step)
        return (one, other), 1.0

    @cached_property
    def capacity(self) -> dict[Step, float]:
        """GB/s of all cables from one switch to another."""
        beside = self._network.devices.beside
        return {
            (switch, peer): sum(many * each for _, many, each in bundles)
            for switch in self.detours.switches
            for peer, bundles in beside(switch).items()
            if self.seen((switch, peer))[0] == (switch, peer)
        }

    def on_arcs(self, path: Path) -> dict[Step, float]:
        """What a flow of 1 by a path, and all that it stands for, put on each arc."""
        found: dict[Step, float] = defaultdict(float)
        for step in itertools.pairwise(path):
            arc, times = self.seen(step)
            found[arc] += times
        return found

    def worst(self, loads: Mapping[Step, float]) -> dict[Arc, float]:
        """Loads between switches as those of the worst cable of every class."""
        devices = self._network.devices
        worst: dict[Arc, float] = defaultdict(float)
        for (one, other), load in loads.items():
            bundles = devices.beside(one)[other]
            whole = sum(many * each for _, many, each in bundles)
            for key, _, each in bundles:
                arc = (devices.vertex(one), devices.vertex(other), key)
                worst[arc] = max(worst[arc], load * each / whole)
        return dict(worst)


def _widths(near: Mapping[Device, tuple[Bundle, ...]]) -> dict[Device, Counter[float]]:
    """GB/s of the cables to every switch."""
    found: dict[Device, Counter[float]] = {}
    for peer, bundles in near.items():
        found[peer] = Counter()
        for _, many, each in bundles:
            found[peer][each] += many
    return found
