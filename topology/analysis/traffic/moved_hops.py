"""The fabric under the ring or the trees of all nodes where it looks the same along its axes.

What one switch sends to another it puts on the same cables as any other to the switch that lies as
far from it: so hops are counted by how far they go, and each kind is routed once. The answer is
that of :mod:`toposmith.topology.analysis.traffic.single_hops`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.traffic.hops import one_bucket_each
from toposmith.topology.analysis.traffic.routing import Arc
from toposmith.topology.analysis.traffic.single_routes import Route, single_route
from toposmith.topology.analysis.traffic.unreachable import Unreachable
from toposmith.topology.fabric.plan import GroupPlan
from toposmith.topology.fabric.single_devices import Bundle
from toposmith.topology.fabric.translations import Device, Move, MovedSums, Translations
from toposmith.topology.stopping import go_on

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from toposmith.topology.analysis.traffic.block_ends import Ends

_ANY_CABLE: Bundle = (0, 1, 1.0)
"""The one cable of a NIC: whatever it runs, it is the same on every way."""


def moved_hop_loads(
    network: Network, ends: Ends, *, busiest: float, nics: int, weighted: bool
) -> dict[Arc, float] | None:
    """Load of the worst cable of every class, in units of what one NIC carries for one hop.

    None where nodes are not all alike, each with one cable a NIC and all its cables on one switch,
    or switches that are as far apart are not joined alike, other than the sets of a dragonfly.

    Raises
    ------
    Unreachable
        If two nodes are not connected.
    """
    by_sets = _between_sets(network, ends, busiest, nics, weighted=weighted)
    if by_sets is not None:
        return by_sets
    switch = _switch_group(network)
    slots = {len(live) for live in network.live_slots.values()}
    moves = network.devices.translations
    if (
        network.world.nodes < 2
        or switch is None
        or slots != {nics}
        or not _same_everywhere(network, moves)
    ):
        return None
    sums = MovedSums(moves)
    routes: dict[tuple[Device, Device], Route] = {}
    for start, end, distance, at in _by_distance(network, switch, ends):
        go_on()
        ways = start, moves.moved(end, moves.like(distance))
        if ways not in routes:
            cables = (((one, _ANY_CABLE),) for one in ways)
            route = single_route(network.devices, *cables, weighted=weighted)
            if route is None:
                raise Unreachable(network.world.groups[0].name, network.world.groups[0].name)
            routes[ways] = route
        between = {
            (moves.swapped(here, distance), moves.swapped(there, distance), key): load
            for (here, there, key), load in routes[ways].between.items()
        }
        sums.add_each(sums.pattern(between), at, nics)
    worst: dict[Arc, float] = defaultdict(float)
    vertex = network.devices.vertex
    for (here, there, key), load in sums.worst():
        arc = vertex(here), vertex(there), key
        worst[arc] = max(worst[arc], load)
    return {**worst, **dict.fromkeys(_at_nics(network), busiest)}


def _by_distance(
    network: Network, switch: GroupPlan, ends: Ends
) -> Iterator[tuple[Device, Device, Move, npt.NDArray[np.intp]]]:
    """Hops that become each other when moved: the first of both kinds of switch, how far, moves."""
    import numpy as np  # a tenth of a second, which other fabrics need not wait for

    from toposmith.topology.analysis.traffic.block_ends import coordinates

    moves = network.devices.translations
    (node,) = network.world.groups
    places = moves.places(switch.name)
    of_block = coordinates(network.world)
    # an axis that blocks lack has one value
    zero = np.zeros(len(of_block), np.intp)
    outer = node.axes[:-1]
    values = [of_block[:, outer.index(a)] if a in outer else zero for a in switch.axes]
    at = np.zeros((len(of_block), len(moves.sizes)), np.intp)
    kind = zero
    for own, size, place in zip(values, switch.sizes, places, strict=True):
        if place is None:
            kind = kind * size + own
        else:
            at[:, place[0]] = own
    start, end = ends(network.world)
    distance = (at[end] - at[start]) % np.array(moves.sizes)
    kinds = int(kind.max(initial=0)) + 1
    alike = np.ravel_multi_index(
        (kind[start], kind[end], *distance.T), (kinds, kinds, *moves.sizes)
    )
    order = np.argsort(alike, kind="stable")
    for of in np.split(order, np.flatnonzero(np.diff(alike[order])) + 1) if len(order) else ():
        one, other = int(start[of[0]]), int(end[of[0]])
        near, far = (
            moves.first((switch.name, tuple(int(own[block]) for own in values)))
            for block in (one, other)
        )
        apart: Move = tuple(distance[of[0]].tolist())
        if near != far or any(apart):  # else on one switch
            yield near, far, apart, at[start[of]]


def _at_nics(network: Network) -> Iterator[Arc]:
    """Both ways of the cables of NICs."""
    for nic in network.classes.vertices("nic"):
        for _, peer, key, data in network.classes.graph.edges(nic, keys=True, data=True):
            if data["link"] is not None:
                yield nic, peer, key
                yield peer, nic, key


def _one_cable_each(network: Network) -> bool:
    """Whether no NIC has several cables."""
    graph = network.classes.graph
    return all(
        data["link"] is None or data["per"][nic] == 1
        for nic in network.classes.vertices("nic")
        for _, _, data in graph.edges(nic, data=True)
    )


def _cables_of_nics(network: Network) -> int | None:
    """How many cables each NIC has; None where not all have as many, or not at one rate."""
    graph, found = network.classes.graph, set[tuple[int, int]]()
    for nic in network.classes.vertices("nic"):
        cables = [data for _, _, data in graph.edges(nic, data=True) if data["link"] is not None]
        many = sum(data["per"][nic] for data in cables)
        found.add((many, len({(data["link"], data["GBps"]) for data in cables})))
    ((many, kinds),) = found if len(found) == 1 else ((0, 0),)
    return many if kinds == 1 else None


def _between_sets(
    network: Network, ends: Ends, busiest: float, nics: int, *, weighted: bool
) -> dict[Arc, float] | None:
    """The same where all switches are in sets that dealt cables join, some of them with faults."""
    if network.dealt is None:
        return None
    # numpy takes a tenth of a second to load, which other fabrics need not wait for
    from toposmith.topology.analysis.traffic import set_traffic
    from toposmith.topology.analysis.traffic.dealt_flows import Apart

    slots, cables = {len(live) for live in network.live_slots.values()}, _cables_of_nics(network)
    # of a network after a failure the worst cables are asked for, whichever NICs are idle
    alike = slots == {nics} or (network.before is not None and min(slots) >= nics)
    if not alike or cables is None or (network.before is not None and cables > 1):
        return None
    worst = dict.fromkeys(_at_nics(network), busiest / cables)
    try:
        if set_traffic.suits(network):
            loads = set_traffic.hops(network, ends, weighted=weighted)
            found = [set_traffic.on_arcs(network, loads, float(nics))]
        elif network.before is None and (on := set_traffic.on_switches(network)) is not None:
            found = [
                set_traffic.on_arcs(network, loads, 1 / on.each, on.planes, copies)
                for loads, copies in set_traffic.spread_hops(network, ends, weighted=weighted)
            ]
        else:
            return None
    except Apart:
        return None
    for arc, load in chain.from_iterable(found):
        worst[arc] = max(worst.get(arc, 0.0), load)
    return worst


def _switch_group(network: Network) -> GroupPlan | None:
    """The switches of which one has all cables of the nodes of a block; None where none has.

    Every NIC has one cable, or it is none of these either.
    """
    plan, slots = network.plan, network.slots
    if len(slots) != 1 or not one_bucket_each(network, network.world.blocks):
        return None
    ((name, ports),) = slots.items()
    links = [link for link in plan.links_of(name) if link.end_of(name).ports == ports]
    if len(links) != 1 or links[0].is_self or links[0].along:
        return None
    (link,) = links
    switch = plan.groups[(link.b if link.a.group == name else link.a).group]
    wide = {axis for axis, size in zip(switch.axes, switch.sizes, strict=True) if size > 1}
    beside = switch.switch is not None and wide <= set(link.shared)
    return switch if beside and _one_cable_each(network) else None


def _same_everywhere(network: Network, moves: Translations) -> bool:
    """Whether switches that some move takes to each other are of one class."""
    cells = network.classes.cuts.cells
    return bool(moves) and all(len(cells(axis)) == 1 for axis in moves.axes)
