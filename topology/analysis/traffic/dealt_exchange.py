"""The fabric under a uniform all-to-all where cables are dealt between sets of switches.

In a dragonfly each switch of a group has other groups behind it, so that distinguishing one switch
leaves no two alike. But every group is cabled as every other: what reaches the switches of one
group says what reaches all. Where that is not so, each switch is looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from toposmith.topology.analysis.jobs.ranks import gpus_of
from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.traffic.routing import Arc
from toposmith.topology.analysis.traffic.single_routes import loads_towards
from toposmith.topology.analysis.traffic.unreachable import Unreachable
from toposmith.topology.fabric.single_devices import Device
from toposmith.topology.stopping import go_on

MOST_PAIRS = 1_000_000
"""Pairs of switches that are routed one by one, half a minute's work."""


def dealt_exchange_loads(network: Network, *, weighted: bool) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of one rank's sending rate.

    Raises
    ------
    ValueError
        If a node has NICs on several switches, or there are more switches than are looked at.
    Unreachable
        If two nodes are not connected.
    """
    gpus = gpus_by_switch(network)
    ends = _first_of_each(network, gpus) if _sets_alike(network) else list(gpus)
    if len(ends) * len(gpus) > MOST_PAIRS:
        raise ValueError(
            f"an all-to-all over {len(gpus):,} switches joined by dealt cables, no two of them "
            "alike with these faults, takes too long; figures of a ring and the bound hold"
        )
    total, devices, ranks = sum(gpus.values()), network.devices, network.world.gpus
    loads: dict[tuple[Device, Device, object], float] = defaultdict(float)
    of_sets = _by_set(network, gpus)
    for end in ends:
        go_on()
        for starts in of_sets:
            sending = {start: gpus[start] * gpus[end] / total for start in starts if start != end}
            near = devices.near_on_ways(starts, (end,))
            found, cut_off = loads_towards(devices, near, end, sending, weighted=weighted)
            if cut_off:
                # the ways between two sets are gone: those through others are left
                left = {start: sending[start] for start in cut_off}
                more, lost = loads_towards(devices, devices.beside, end, left, weighted=weighted)
                if lost:
                    raise Unreachable(next(iter(lost))[0], end[0])
                for cable, load in more.items():
                    loads[cable] += load
            for cable, load in found.items():
                loads[cable] += load
    worst = dict(at_nics(network, ranks))
    summed = _over_all_sets(network, loads) if len(ends) < len(gpus) else loads
    for (u, v, key), load in summed.items():
        arc = (devices.vertex(u), devices.vertex(v), key)
        worst[arc] = max(worst.get(arc, 0.0), load)
    return worst


def _by_set(network: Network, switches: Iterable[Device]) -> list[list[Device]]:
    """The switches of each set together."""
    found: dict[object, list[Device]] = defaultdict(list)
    for switch in switches:
        at = _set_axis(network, switch[0])
        found[switch if at is None else (switch[0], switch[1][at])].append(switch)
    return list(found.values())


def gpus_by_switch(network: Network) -> dict[Device, int]:
    """The GPUs of the nodes on every switch."""
    gpus: Counter[Device] = Counter()
    for block in network.world.blocks:
        for low, high in block.runs:
            for own in range(low, high + 1):
                node = (block.group.name, (*block.outer, own))
                on = {switch for nic in network.devices.at_node(node) for switch, _ in nic}
                if not on:
                    raise Unreachable(node[0], node[0])
                if len(on) > 1:
                    raise ValueError(
                        f"nodes of {node[0]} have NICs on several switches that dealt cables join; "
                        "an all-to-all is worked out where all NICs of a node are on one"
                    )
                gpus[on.pop()] += gpus_of(block.group)
    return dict(gpus)


def _sets_alike(network: Network) -> bool:
    """Whether nothing tells one set of switches from another."""
    plan = network.plan
    return not (plan.absent or plan.down or plan.slow or plan.laid) and all(
        set(plan.groups[link.a.group].axes[:-1]) <= set(block.group.axes)
        for link in plan.links
        if link.bundle
        for block in network.world.blocks[:1]
    )


def _set_axis(network: Network, group: str) -> int | None:
    """The place of the axis of sets among those of a group of switches."""
    for link in network.plan.links:
        for axis, word in link.along:
            if link.bundle and word == "other" and link.a.group == group:
                return network.plan.groups[group].axes.index(axis)
    return None


def _first_of_each(network: Network, gpus: dict[Device, int]) -> list[Device]:
    return [
        switch
        for switch in gpus
        if (at := _set_axis(network, switch[0])) is None or switch[1][at] == 0
    ]


def _over_all_sets(
    network: Network, loads: dict[tuple[Device, Device, object], float]
) -> dict[tuple[Device, Device, object], float]:
    """Loads towards all sets, from those towards the first: each set turned onto every other."""
    summed: dict[tuple[Device, Device, object], float] = defaultdict(float)
    for (u, v, key), load in loads.items():
        at, there = _set_axis(network, u[0]), _set_axis(network, v[0])
        if at is None or there is None:
            summed[u, v, key] += load
            continue
        sets = network.plan.groups[u[0]].sizes[at]
        apart = (v[1][there] - u[1][there]) % sets
        first = (u[0], (*u[1][:at], 0, *u[1][at + 1 :]))
        second = (v[0], (*v[1][:there], apart, *v[1][there + 1 :]))
        summed[first, second, key] += load
    return summed


def at_nics(network: Network, ranks: int) -> Iterator[tuple[Arc, float]]:
    """Cables at NICs: what a node exchanges with all others, evenly over its cabled NICs."""
    graph = network.classes.graph
    for vertex in network.classes.vertices("nic"):
        place = vertex[1], vertex[3]
        live = network.live_slots.get(place)
        if not live or graph.nodes[vertex]["slots"][0] not in live:
            continue
        own = gpus_of(network.plan.groups[vertex[1]])
        out = own * (ranks - own) / ranks / len(live)
        for _, peer, key, data in graph.edges(vertex, keys=True, data=True):
            if data["link"] is not None:
                yield (vertex, peer, key), out / data["per"][vertex]
                yield (peer, vertex, key), out / data["per"][vertex]
