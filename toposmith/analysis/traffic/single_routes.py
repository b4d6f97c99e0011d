"""The route of traffic between two NICs: shortest paths over single devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from toposmith.analysis.traffic.next_hops import bundle_weights
from toposmith.cancellation import go_on
from toposmith.fabric.device import Device
from toposmith.fabric.single_devices import Bundle, PortCables, SingleDevices

RoutedCable = tuple[Device, Device, object]
"""One of the equal cables between two switches, in one direction: from, to, key."""

Near = Mapping[Device, tuple[Bundle, ...]]
"""The neighbours of a switch, and the cables to each."""

Beside = Callable[[Device], Near]
"""The neighbours of a switch on allowed paths."""

AtPort = tuple[Device, object]
"""One of the equal cables between a NIC and a switch: the switch, and the key."""


@dataclass(frozen=True)
class FlowRoute:
    """Loads of a flow of 1 from one NIC to another on each cable: out, between switches, in.

    ``over`` is there instead of ``apart`` where two switches are joined by one more: the two, and
    how the flow is spread over those between them.
    """

    leaving: Mapping[AtPort, float]
    arriving: Mapping[AtPort, float]
    apart: Mapping[RoutedCable, float] | None = None
    over: tuple[Device, Device, Over] | None = None

    @cached_property
    def between(self) -> Mapping[RoutedCable, float]:
        """The load of each cable between switches."""
        if self.over is None:
            return self.apart or {}
        start, end, shares = self.over
        up = {(start, switch, key): share for switch, (key, share), _ in shares}
        return up | {(switch, end, key): share for switch, _, (key, share) in shares}


def single_route(
    devices: SingleDevices, start: PortCables, end: PortCables, *, weighted: bool
) -> FlowRoute | None:
    """Route a flow of 1 between two NICs, given by their cables; None where there is no path.

    The rule is that of :func:`toposmith.analysis.traffic.next_hops.next_hops`: shortest
    paths, split by remaining path capacity, or equally by cable.
    """
    sources, targets = {peer for peer, _ in start}, {peer for peer, _ in end}
    beside = devices.near_on_ways(sources, targets)
    if len(start) == len(end) == 1 and start[0][1][1] == end[0][1][1] == 1:
        (here, (key, _, _)), (there, (last, _, _)) = start[0], end[0]
        ends = {(here, key): 1.0}, {(there, last): 1.0}
        if here == there:
            return FlowRoute(*ends)
        over = _over_one(devices, beside, here, there, weighted=weighted)
        if over is not None:
            return FlowRoute(*ends, over=(here, there, over))
    levels = _levels(beside, sources, targets)
    if levels is None and beside != devices.beside:
        beside = devices.beside
        levels = _levels(beside, sources, targets)
    if levels is None:
        return None
    into: dict[Device, list[Bundle]] = defaultdict(list)
    for peer, bundle in end:
        into[peer].append(bundle)
    capacity: dict[Device, float] = {}
    onward: dict[Device, list[tuple[Device | None, Bundle, float]]] = {}
    for depth, level in enumerate(levels):
        for device in level:
            if not depth:
                last = [(None, bundle) for bundle in into[device]]
                onward[device], _ = _split(last, capacity, {}, weighted=weighted)
                # the target's own cables are the same on every way
                capacity[device] = inf
                continue
            near, closer = beside(device), levels[depth - 1]
            fewer, more = (closer, near) if len(closer) < len(near) else (near, closer)
            ways = [(peer, each) for peer in fewer if peer in more for each in near[peer]]
            go_on(10 + 8 * len(ways))
            dealt = devices.dealt_GBps(device[0])
            onward[device], capacity[device] = _split(ways, capacity, dealt, weighted=weighted)
    nearest = levels[-1]
    first = [(peer, bundle) for peer, bundle in start if peer in nearest]
    leaving: dict[AtPort, float] = defaultdict(float)
    between: dict[RoutedCable, float] = {}
    arriving: dict[AtPort, float] = defaultdict(float)
    waiting: dict[Device, float] = defaultdict(float)
    for switch, (key, many, _), share in _split(first, capacity, {}, weighted=weighted)[0]:
        assert switch is not None
        leaving[switch, key] = share
        waiting[switch] += share * many
    for level in reversed(levels):
        for device in level:
            amount = waiting.pop(device, 0.0)
            if not amount:
                continue
            for after, (key, many, _), share in onward[device]:
                if after is None:
                    arriving[device, key] += amount * share
                else:
                    between[device, after, key] = amount * share
                    waiting[after] += amount * share * many
    return FlowRoute(dict(leaving), dict(arriving), between)


def loads_towards(
    beside: Beside,
    end: Device,
    sending: Mapping[Device, float],
) -> tuple[dict[RoutedCable, float], set[Device]]:
    """Loads on each cable of traffic to one switch, and the senders that cannot reach it.

    It takes shortest paths; each next switch is sent as much, equally over the cables to it.
    """
    hops, levels = {end: 0}, [[end]]
    ways: dict[Device, list[tuple[Device | None, Bundle]]] = {}
    missing = set(sending) - {end}
    while levels[-1] and missing:
        depth, found = len(levels), list[Device]()
        for switch in levels[-1]:
            for near, bundles in beside(switch).items():
                known = hops.get(near)
                if known is None:
                    hops[near] = depth
                    found.append(near)
                    ways[near] = [(switch, bundle) for bundle in bundles]
                elif known == depth:
                    ways[near] += [(switch, bundle) for bundle in bundles]
        missing.difference_update(found)
        levels.append(found)
    onward: dict[Device, list[tuple[Device | None, Bundle, float]]] = {}
    for level in levels[1:]:
        for switch in level:
            go_on(10 + 6 * len(ways[switch]))
            onward[switch] = _by_switch(ways[switch])
    waiting = defaultdict(float, {s: rate for s, rate in sending.items() if s in hops})
    loads: dict[RoutedCable, float] = defaultdict(float)
    for level in reversed(levels[1:]):
        for switch in level:
            amount = waiting.pop(switch, 0.0)
            if amount:
                for after, (key, many, _), share in onward[switch]:
                    assert after is not None
                    loads[switch, after, key] += amount * share
                    waiting[after] += amount * share * many
    return loads, missing


def _over_one(
    devices: SingleDevices, beside: Beside, start: Device, end: Device, *, weighted: bool
) -> Over | None:
    """The paths from one switch to another over a third, where these are shortest; else None."""
    if end in beside(start):
        return None
    if beside != devices.beside:
        dealt = devices.dealt_GBps(start[0])
        return over_one(beside(start), beside(end), dealt, weighted=weighted)
    known = devices.result_cache
    kinds = (start[0], devices.kind_beside(start), devices.kind_beside(end), weighted)
    if kinds not in known:
        near, dealt = (devices.beside(start), devices.beside(end)), devices.dealt_GBps(start[0])
        known[kinds] = over_one(*near, dealt, weighted=weighted)
    found: Over | None = known[kinds]
    return found


Over = list[tuple[Device, tuple[object, float], tuple[object, float]]]
"""The switches between two others: key and share of one of the cables there, and of one onward."""


def over_one(
    out: Near, back: Near, dealt_GBps: Mapping[str, float], *, weighted: bool
) -> Over | None:
    """How a flow of 1 between two switches is spread over those beside both, each one bundle away.

    ``dealt_GBps`` is by group what links deal from the first of the two. None where there is no
    such switch, or unlike cables lead to one.
    """
    go_on(5 + 4 * min(len(out), len(back)))
    common = out.keys() & back.keys()
    if not common or any(len(out[s]) > 1 or len(back[s]) > 1 for s in common):
        return None
    ways = [(s, *out[s][0], *back[s][0]) for s in common]
    if weighted:
        weighed = bundle_weights(
            {s: n * rate for s, _, n, rate, _, _, _ in ways},
            {s: m * other for s, _, _, _, _, m, other in ways},
            {s: s[0] for s in common},
            dealt_GBps,
        )
        weights = [weighed[s] for s, *_ in ways]
    else:
        weights = [n for _, _, n, _, _, _, _ in ways]
    through = sum(weights)
    return [
        (s, (key, weight / through / n), (last, weight / through / m))
        for weight, (s, key, n, _, last, m, _) in zip(weights, ways, strict=True)
    ]


def _split(
    ways: Sequence[tuple[Device | None, Bundle]],
    capacity: Mapping[Device, float],
    dealt_GBps: Mapping[str, float],
    *,
    weighted: bool,
) -> tuple[list[tuple[Device | None, Bundle, float]], float]:
    """The share of one cable of each bundle, and the capacity of all of them, GB/s."""
    if not weighted:
        cables = sum(many for _, (_, many, _) in ways)
        return [(peer, bundle, 1 / cables) for peer, bundle in ways], inf
    bundles: dict[Device | None, float] = defaultdict(float)
    for peer, (_, many, each) in ways:
        bundles[peer] += many * each
    groups = {peer: peer[0] if peer is not None else "" for peer in bundles}
    reach: dict[Device | None, float] = {p: inf if p is None else capacity[p] for p in bundles}
    weights = bundle_weights(bundles, reach, groups, dealt_GBps)
    through = sum(weights.values())
    return [
        (peer, bundle, weights[peer] / through * bundle[2] / bundles[peer]) for peer, bundle in ways
    ], through


def _by_switch(
    ways: Sequence[tuple[Device | None, Bundle]],
) -> list[tuple[Device | None, Bundle, float]]:
    """The share of one cable of each bundle where each next switch gets as much."""
    cables: dict[Device | None, int] = defaultdict(int)
    for peer, (_, many, _) in ways:
        cables[peer] += many
    return [(peer, bundle, 1 / len(cables) / cables[peer]) for peer, bundle in ways]


def _levels(beside: Beside, sources: set[Device], targets: set[Device]) -> list[set[Device]] | None:
    """The switches on all shortest paths between two sets, from the targets to the sources.

    The search expands the side with fewer switches at its edge, until both meet.
    """
    from_source, from_target = [set(sources)], [set(targets)]
    seen_source, seen_target = set(sources), set(targets)
    while not (meet := from_source[-1] & from_target[-1]):
        if len(from_source[-1]) <= len(from_target[-1]):
            layers, seen = from_source, seen_source
        else:
            layers, seen = from_target, seen_target
        found = {near for switch in layers[-1] for near in beside(switch)} - seen
        go_on(3 * len(layers[-1]) + 3 * len(found))
        if not found:
            return None
        layers.append(found)
        seen |= found
    towards_target = _kept(beside, from_target, meet)
    towards_source = _kept(beside, from_source, meet)
    return [*reversed(towards_target), meet, *towards_source]


def _kept(beside: Beside, layers: list[set[Device]], meet: set[Device]) -> list[set[Device]]:
    """Of each layer but the last, from there back, what leads on to where the searches met."""
    kept: list[set[Device]] = []
    last = meet
    for layer in reversed(layers[:-1]):
        if len(layer) <= len(last):
            last = {one for one in layer if any(near in last for near in beside(one))}
        else:
            last = {near for one in last for near in beside(one) if near in layer}
        kept.append(last)
    return kept
