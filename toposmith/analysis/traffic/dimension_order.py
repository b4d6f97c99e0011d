"""Dimension-order routing: traffic takes one axis after the other, the shorter way around.

The classical deterministic routing of tori and meshes (Dally and Towles, *Principles and Practices
of Interconnection Networks*, 2004, section 8.4). Halfway around an even ring both ways are as long,
and each takes half, however many of its cables are up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.unreachable import IN_ORDER, Unreachable
from toposmith.cancellation import go_on
from toposmith.design.document import Design
from toposmith.design.routing_rules import dimensions
from toposmith.fabric.class_builder import link_of
from toposmith.fabric.classes import Arc
from toposmith.fabric.device import At, Device
from toposmith.fabric.single_devices import Bundle

_Near = Callable[[Device], Mapping[Device, tuple[Bundle, ...]]]
"""The neighbours of a switch, and the cables to each."""

_Cable = tuple[Device, Device, object]
"""One of the equal cables between two switches, in one direction: from, to, key."""


@dataclass(frozen=True)
class DimensionOrder:
    """The axes of a torus, in the order in which traffic takes them, and which links go along each.

    Parameters
    ----------
    axes : tuple of str
        The first one first.
    axis_of : mapping of int to str
        The axis along which a link between switches goes, by the index of the link.
    """

    axes: tuple[str, ...]
    axis_of: Mapping[int, str]

    @classmethod
    def of(cls, design: Design) -> DimensionOrder:
        """The order of a design's dimensions, as its switches repeat over them."""
        return cls(*dimensions(design))

    def exchange_loads(self, network: ComputeNetwork) -> dict[Arc, float]:
        """Load of the worst cable of every class, in units of one rank's sending rate.

        A rank sends 1/N of its rate to each of the N ranks. What goes along an axis comes from all
        that share what is still to be corrected, and is for all that share what was.

        Raises
        ------
        ValueError
            If a node has NICs on several switches.
        Unreachable
            If a dimension is cut off.
        """
        # imported here: it needs numpy, which the order of dimensions does not
        from toposmith.analysis.traffic.row_hosts import exchange_at_nics, gpus_by_switch

        gpus, ranks = gpus_by_switch(network), network.world.gpus
        worst = defaultdict(float, exchange_at_nics(network))
        known: dict[object, list[tuple[int, int, object, float]]] = {}
        vertex = network.devices.vertex
        for axis in self.axes:
            near = self._line(network, axis)
            for line, sent, wanted in self._lines(network, axis, gpus):
                go_on(10 * len(line))
                kind = (axis, tuple(sent), tuple(wanted), _wiring(line, near))
                if kind not in known:
                    loads: dict[_Cable, float] = defaultdict(float)
                    for end, many in zip(line, wanted, strict=True):
                        sending = {
                            start: amount * many / ranks
                            for start, amount in zip(line, sent, strict=True)
                            if start != end and amount and many
                        }
                        found, missing = _loads_towards(near, end, sending)
                        if missing:
                            raise Unreachable(line[0][0], line[0][0], IN_ORDER)
                        for cable, load in found.items():
                            loads[cable] += load
                    number = {switch: place for place, switch in enumerate(line)}
                    known[kind] = [
                        (number[u], number[v], key, load) for (u, v, key), load in loads.items()
                    ]
                for one, other, key, load in known[kind]:
                    arc = (vertex(line[one]), vertex(line[other]), key)
                    worst[arc] = max(worst[arc], load)
        return dict(worst)

    def _lines(
        self, network: ComputeNetwork, axis: str, gpus: Mapping[Device, int]
    ) -> Iterator[tuple[list[Device], list[int], list[int]]]:
        """Every line of switches along an axis: what comes to each to go along, and is for each.

        What comes to a switch is of all sources that agree with it on this axis and those after;
        what is for it of all targets that agree with it on this axis and those before.
        """
        groups = {switch[0] for switch in gpus}
        if len(groups) > 1:
            raise ValueError(
                "an all-to-all in dimension order is analysed where all nodes are on switches of "
                f"one group; here they are on {', '.join(sorted(groups))}"
            )
        (group,) = groups
        axes = network.plan.groups[group].axes
        at = axes.index(axis)
        place = self.axes.index(axis)
        before = [axes.index(one) for one in self.axes[:place]]
        after = [axes.index(one) for one in self.axes[place + 1 :]]
        sources: dict[At, int] = defaultdict(int)
        targets: dict[At, int] = defaultdict(int)
        fixed = [i for i in range(len(axes)) if i not in (at, *before, *after)]
        for (_, values), many in gpus.items():
            sources[tuple(values[i] for i in (at, *after, *fixed))] += many
            targets[tuple(values[i] for i in (at, *before, *fixed))] += many
        others = [range(size) for i, size in enumerate(network.plan.groups[group].sizes) if i != at]
        for rest in product(*others):
            line = [
                (group, (*rest[:at], value, *rest[at:]))
                for value in range(network.plan.groups[group].sizes[at])
            ]
            yield (
                line,
                [sources[tuple(s[1][i] for i in (at, *after, *fixed))] for s in line],
                [targets[tuple(s[1][i] for i in (at, *before, *fixed))] for s in line],
            )

    def _line(self, network: ComputeNetwork, axis: str) -> _Near:
        """What lies beside a switch along an axis."""

        def near(switch: Device) -> dict[Device, tuple[Bundle, ...]]:
            found: dict[Device, tuple[Bundle, ...]] = {}
            for peer, bundles in network.devices.beside(switch).items():
                along = tuple(
                    each for each in bundles if self.axis_of.get(link_of(each[0])) == axis
                )
                if along:
                    found[peer] = along
            return found

        return near


def _wiring(line: list[Device], near: _Near) -> object:
    """What distinguishes one line of switches from another: the cables along it."""
    number = {switch: place for place, switch in enumerate(line)}
    return tuple(
        frozenset((number[peer], bundles) for peer, bundles in near(switch).items())
        for switch in line
    )


def _loads_towards(
    near: _Near,
    end: Device,
    sending: Mapping[Device, float],
) -> tuple[dict[_Cable, float], set[Device]]:
    """Loads on each cable of traffic to one switch, and the senders that cannot reach it.

    It takes shortest paths; each next switch is sent as much, equally over the cables to it.
    """
    hops, levels = {end: 0}, [[end]]
    ways: dict[Device, list[tuple[Device | None, Bundle]]] = {}
    missing = set(sending) - {end}
    while levels[-1] and missing:
        depth, found = len(levels), list[Device]()
        for switch in levels[-1]:
            for peer, bundles in near(switch).items():
                known = hops.get(peer)
                if known is None:
                    hops[peer] = depth
                    found.append(peer)
                    ways[peer] = [(switch, bundle) for bundle in bundles]
                elif known == depth:
                    ways[peer] += [(switch, bundle) for bundle in bundles]
        missing.difference_update(found)
        levels.append(found)
    onward: dict[Device, list[tuple[Device | None, Bundle, float]]] = {}
    for level in levels[1:]:
        for switch in level:
            go_on(10 + 6 * len(ways[switch]))
            onward[switch] = _by_switch(ways[switch])
    waiting = defaultdict(float, {s: rate for s, rate in sending.items() if s in hops})
    loads: dict[_Cable, float] = defaultdict(float)
    for level in reversed(levels[1:]):
        for switch in level:
            amount = waiting.pop(switch, 0.0)
            if amount:
                for after, (key, many, _), share in onward[switch]:
                    assert after is not None
                    loads[switch, after, key] += amount * share
                    waiting[after] += amount * share * many
    return loads, missing


def _by_switch(
    ways: Sequence[tuple[Device | None, Bundle]],
) -> list[tuple[Device | None, Bundle, float]]:
    """The share of one cable of each bundle where each next switch gets as much."""
    cables: dict[Device | None, int] = defaultdict(int)
    for peer, (_, many, _) in ways:
        cables[peer] += many
    return [(peer, bundle, 1 / len(cables) / cables[peer]) for peer, bundle in ways]
