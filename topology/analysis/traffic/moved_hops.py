"""The fabric under the ring or the trees of all nodes where it looks the same along its axes.

What one switch sends to another it puts on the same cables as any other to the switch that lies as
far from it: so hops are counted by how far they go, and each kind is routed once. The answer is
that of :mod:`toposmith.topology.analysis.traffic.single_hops`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.traffic.hops import one_bucket_each
from toposmith.topology.analysis.traffic.routing import Arc
from toposmith.topology.analysis.traffic.single_routes import single_route
from toposmith.topology.analysis.traffic.unreachable import Unreachable
from toposmith.topology.fabric.single_devices import Bundle
from toposmith.topology.fabric.translations import Device, Move, MovedSums, Translations
from toposmith.topology.stopping import go_on

Ends = Iterable[tuple[int, int, int]]
"""Hops: the numbers of the blocks that one starts and ends in, and how many are alike."""

_ANY_CABLE: Bundle = (0, 1, 1.0)
"""The one cable of a NIC: whatever it runs, it is the same on every way."""


def moved_hop_loads(
    network: Network, ends: Callable[[Network], Ends], *, busiest: float, nics: int, weighted: bool
) -> dict[Arc, float] | None:
    """Load of the worst cable of every class, in units of what one NIC carries for one hop.

    None where nodes are not all alike, each with one cable a NIC and all its cables on one switch,
    or switches that are as far apart are not joined alike.

    Raises
    ------
    Unreachable
        If two nodes are not connected.
    """
    switches = _switch_of_each_block(network)
    slots = {len(live) for live in network.live_slots.values()}
    moves = network.devices.translations
    if (
        network.world.nodes < 2
        or switches is None
        or slots != {nics}
        or not _same_everywhere(network, moves)
    ):
        return None
    counted: dict[tuple[Device, Device], Counter[Move]] = defaultdict(Counter)
    places = {switch: moves.of(switch) for switch in switches}
    back = {switch: moves.back(move) for switch, move in places.items()}
    first = {switch: moves.moved(switch, move) for switch, move in back.items()}
    for a, b, many in ends(network):
        start, end = switches[a], switches[b]
        if start != end:
            counted[first[start], moves.moved(end, back[start])][places[start]] += many
    sums = MovedSums(moves)
    for (start, end), at in counted.items():
        go_on()
        ways = ((start, _ANY_CABLE),), ((end, _ANY_CABLE),)
        route = single_route(network.devices, *ways, weighted=weighted)
        if route is None:
            raise Unreachable(network.world.groups[0].name, network.world.groups[0].name)
        pattern = sums.pattern(route.between)
        for move, many in at.items():
            sums.add(pattern, move, many * nics)
    worst: dict[Arc, float] = defaultdict(float)
    vertex = network.devices.vertex
    for (here, there, key), load in sums.worst():
        arc = vertex(here), vertex(there), key
        worst[arc] = max(worst[arc], load)
    for nic in network.classes.vertices("nic"):
        for _, peer, key, data in network.classes.graph.edges(nic, keys=True, data=True):
            if data["link"] is not None:
                worst[nic, peer, key] = worst[peer, nic, key] = busiest
    return dict(worst)


def _switch_of_each_block(network: Network) -> list[Device] | None:
    """The switch that all cables of the nodes of a block lead to; None where not all lead to one.

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
    node, switch = (
        plan.groups[name],
        plan.groups[(link.b if link.a.group == name else link.a).group],
    )
    wide = [axis for axis, size in zip(switch.axes, switch.sizes, strict=True) if size > 1]
    graph = network.classes.graph
    one_cable = all(
        data["link"] is None or data["per"][nic] == 1
        for nic in network.classes.vertices("nic")
        for _, _, data in graph.edges(nic, data=True)
    )
    if switch.switch is None or not set(wide) <= set(link.shared) or not one_cable:
        return None
    at = [node.axes.index(axis) if axis in wide else None for axis in switch.axes]
    return [
        (switch.name, tuple(0 if i is None else block.outer[i] for i in at))
        for block in network.world.blocks
    ]


def _same_everywhere(network: Network, moves: Translations) -> bool:
    """Whether switches that some move takes to each other are of one class."""
    cells = network.classes.cuts.cells
    return bool(moves) and all(len(cells(axis)) == 1 for axis in moves.axes)
