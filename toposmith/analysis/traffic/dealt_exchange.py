"""The fabric under a uniform all-to-all where switches are joined along axes, switch by switch.

In a dragonfly each switch of a group has other groups behind it, so that distinguishing one switch
leaves no two equivalent. But all groups are cabled alike, so the traffic to the switches of one
group gives that to all. Where that is not so, each switch is routed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.single_routes import RoutedCable, loads_towards
from toposmith.analysis.traffic.symmetric_loads import SymmetricLoads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.cancellation import go_on
from toposmith.fabric.axis_symmetry import AxisSymmetry
from toposmith.fabric.device import Device
from toposmith.fabric.node_classes import ClassVertex


class TooMany(ValueError):
    """More kinds of switches than can be routed singly."""


LoadOfCables = Mapping[RoutedCable, float]
"""The loads of cables between switches."""

MOST_PAIRS = 1_000_000
"""Pairs of switches that are routed one by one, half a minute's work."""

MOST_PAIRS_AT_ONCE = 20_000_000
"""The same where all of two sets are routed at once."""


def dealt_exchange_loads(network: ComputeNetwork, *, weighted: bool) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of one rank's sending rate.

    Raises
    ------
    ValueError
        If a node has NICs on several switches.
    TooMany
        If there are too many switches to route.
    Unreachable
        If two nodes are not connected.
    """
    by_sets = _between_sets(network, weighted=weighted)
    if by_sets is not None:
        return by_sets
    gpus = gpus_by_switch(network)
    sets = _Sets(network, gpus)
    alike = _sets_alike(network)
    whole = frozenset[object]() if alike else _whole_sets(network, sets)
    ends = _first_of_each(network, gpus) if alike else list(gpus)
    broken = len(gpus) - sum(len(sets.members[number]) for number in whole)
    if len(ends) * (2 * broken + len(whole) if whole else len(gpus)) > MOST_PAIRS:
        raise TooMany(
            f"an all-to-all over {len(gpus):,} switches joined by dealt cables, hardly two of them "
            "alike with these faults, takes too long to route"
        )
    loads: dict[RoutedCable, float] = defaultdict(float)
    for end in ends:
        for number, starts in sets.members.items():
            if number not in whole or sets.number(end) not in whole:
                _add(loads, _towards(network, gpus, starts, end, weighted=weighted))
    _add(loads, _between_whole(network, gpus, sets, whole, weighted=weighted))
    devices = network.devices
    worst = dict(at_nics(network, network.world.gpus))
    summed = _over_all_sets(network, loads) if len(ends) < len(gpus) else loads
    for (u, v, key), load in summed.items():
        arc = (devices.vertex(u), devices.vertex(v), key)
        worst[arc] = max(worst.get(arc, 0.0), load)
    return worst


def _between_sets(network: ComputeNetwork, *, weighted: bool) -> dict[Arc, float] | None:
    """The same where all switches are in sets; None where they are not, or it takes too long."""
    # numpy takes a tenth of a second to load, and other fabrics do not need it
    from toposmith.analysis.traffic import set_traffic
    from toposmith.analysis.traffic.dealt_flows import Apart

    ranks = network.world.gpus
    if not set_traffic.suits(network) or set_traffic.pairs_routed(network) > MOST_PAIRS_AT_ONCE:
        return None
    try:
        loads = set_traffic.exchange(network, weighted=weighted)
    except Apart:
        return None
    worst = dict(at_nics(network, ranks))
    for arc, load in set_traffic.on_arcs(network, loads, 1 / ranks):
        worst[arc] = max(worst.get(arc, 0.0), load)
    return worst


def _towards(
    network: ComputeNetwork,
    gpus: Mapping[Device, int],
    starts: list[Device],
    end: Device,
    *,
    weighted: bool,
) -> LoadOfCables:
    """The load on each cable by all traffic of a set of switches to one switch."""
    go_on()
    total, devices = sum(gpus.values()), network.devices
    sending = {start: gpus[start] * gpus[end] / total for start in starts if start != end}
    near = devices.near_on_ways(starts, (end,))
    loads, cut_off = loads_towards(devices, near, end, sending, weighted=weighted)
    if cut_off:
        # the paths between two sets are gone; those through other sets remain
        left = {start: sending[start] for start in cut_off}
        more, lost = loads_towards(devices, devices.beside, end, left, weighted=weighted)
        if lost:
            raise Unreachable(next(iter(lost))[0], end[0])
        _add(loads, more)
    return loads


def exchange_by_class(network: ComputeNetwork, *, weighted: bool) -> dict[Arc, float] | None:
    """The same where no cables are dealt: one switch represents each class.

    None where nodes have NICs on several switches.

    Raises
    ------
    TooMany
        If faults leave too many kinds of switches to route.
    Unreachable
        If two nodes are not connected.
    """
    classes, devices = network.classes, network.devices
    try:
        gpus = gpus_by_switch(network)
    except ValueError:
        return None
    alike: dict[ClassVertex, list[Device]] = defaultdict(list)
    for switch in gpus:
        alike[devices.vertex(switch)].append(switch)
    if len(alike) * len(gpus) > MOST_PAIRS:
        raise TooMany(
            f"an all-to-all over {len(gpus):,} switches joined along axes, of which these faults "
            f"leave {len(alike):,} kinds, takes too long to route"
        )
    total: dict[Arc, float] = defaultdict(float)
    for members in alike.values():
        found = _towards(network, gpus, list(gpus), members[0], weighted=weighted)
        for (u, v, key), load in found.items():
            total[devices.vertex(u), devices.vertex(v), key] += load * len(members)
    worst = dict(at_nics(network, network.world.gpus))
    graph = classes.graph
    for (here, there, key), load in total.items():
        pairs = graph.nodes[here]["size"] * graph.edges[here, there, key]["peers"][here]
        worst[here, there, key] = load / pairs
    return worst


def _between_whole(
    network: ComputeNetwork,
    gpus: Mapping[Device, int],
    sets: _Sets,
    whole: frozenset[object],
    *,
    weighted: bool,
) -> LoadOfCables:
    """What the switches of sets without a fault exchange: as much wherever two are as far apart."""
    plan = network.plan
    symmetry = AxisSymmetry(replace(plan, absent=(), down=()))
    sums = SymmetricLoads(symmetry)
    numbers = sorted(number for number in whole if isinstance(number, int))
    if not numbers:
        return {}
    group = sets.members[numbers[0]][0][0]
    axis = _set_axis(network, group)
    assert axis is not None
    many, named = plan.groups[group].sizes[axis], symmetry.axes.index(plan.groups[group].axes[axis])
    for apart in range(many):
        starts = [number for number in numbers if (number + apart) % many in whole]
        if not starts:
            continue
        first, pattern = starts[0], defaultdict[RoutedCable, float](float)
        for end in sets.members[(first + apart) % many]:
            found = _towards(network, gpus, sets.members[first], end, weighted=weighted)
            _add(pattern, found)
        written = sums.pattern(pattern)
        for number in starts:
            move = [0] * len(symmetry.axes)
            move[named] = (number - first) % many
            sums.add(written, tuple(move), 1.0)
    return sums.cables()


def _whole_sets(network: ComputeNetwork, sets: _Sets) -> frozenset[object]:
    """The sets whose switches, nodes and cables are all there, by their numbers."""
    plan = network.plan
    over = [(link, axis) for link in plan.links for axis, word in link.along if word == "other"]
    dealt = {axis for link, axis in over if link.bundle}
    switches = [group for group in plan.groups.values() if group.switch]
    if plan.slow or plan.single_cables or len(dealt) != 1 or len(switches) != 1:
        return frozenset()
    (axis,) = dealt
    if any(axis not in block.group.axes[:-1] for block in network.world.blocks):
        return frozenset()
    broken: set[object] = set()
    for selector in (*plan.absent, *plan.down):
        for selection in (selector.first, selector.second):
            if selection is None:
                continue
            named = [(low, high) for name, low, high in selection.ranges if name == axis]
            if not named and axis in plan.groups[selection.group].axes:
                return frozenset()
            broken.update(at for low, high in named for at in range(low, high + 1))
    return frozenset(sets.members) - broken


def _add(loads: dict[RoutedCable, float], more: LoadOfCables) -> None:
    for cable, load in more.items():
        loads[cable] = loads.get(cable, 0.0) + load


class _Sets:
    """The sets of switches that dealt cables join, by their numbers."""

    def __init__(self, network: ComputeNetwork, switches: Iterable[Device]) -> None:
        self._network = network
        self.members: dict[object, list[Device]] = defaultdict(list)
        for switch in switches:
            self.members[self.number(switch)].append(switch)

    def number(self, switch: Device) -> object:
        """The number of the set of a switch; the switch itself where it is in none."""
        at = _set_axis(self._network, switch[0])
        return switch if at is None else switch[1][at]


def gpus_by_switch(network: ComputeNetwork) -> dict[Device, int]:
    """The GPUs of the nodes on every switch.

    Raises
    ------
    Unreachable
        If a node has no cable.
    ValueError
        If a node has NICs on several switches.
    """
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


def _sets_alike(network: ComputeNetwork) -> bool:
    """Whether all sets of switches are equivalent."""
    plan = network.plan
    return not (plan.absent or plan.down or plan.slow or plan.single_cables) and all(
        set(plan.groups[link.a.group].axes[:-1]) <= set(block.group.axes)
        for link in plan.links
        if link.bundle
        for block in network.world.blocks[:1]
    )


def _set_axis(network: ComputeNetwork, group: str) -> int | None:
    """The place of the axis of sets among those of a group of switches."""
    for link in network.plan.links:
        for axis, word in link.along:
            if link.bundle and word == "other" and link.a.group == group:
                return network.plan.groups[group].axes.index(axis)
    return None


def _first_of_each(network: ComputeNetwork, gpus: dict[Device, int]) -> list[Device]:
    return [
        switch
        for switch in gpus
        if (at := _set_axis(network, switch[0])) is None or switch[1][at] == 0
    ]


def _over_all_sets(
    network: ComputeNetwork, loads: dict[tuple[Device, Device, object], float]
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


def at_nics(network: ComputeNetwork, ranks: int) -> Iterator[tuple[Arc, float]]:
    """Cables at NICs: what a node exchanges with all others, evenly over its cabled NICs."""
    graph = network.classes.graph
    for vertex in network.classes.vertices("nic"):
        place = vertex[1], vertex[3]
        live = network.live_slots.get(place)
        if not live or graph.nodes[vertex]["slots"][0] not in live:
            continue
        own, nics = gpus_of(network.plan.groups[vertex[1]]), len(live)
        if network.before is not None:
            nics = min(map(len, network.live_of_group[vertex[1]]))
        out = own * (ranks - own) / ranks / nics
        for _, peer, key, data in graph.edges(vertex, keys=True, data=True):
            if data["link"] is None:
                yield (peer, vertex, key), out
            else:
                yield (vertex, peer, key), out / data["per"][vertex]
                yield (peer, vertex, key), out / data["per"][vertex]
