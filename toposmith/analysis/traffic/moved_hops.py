"""Loads of the ring or the trees of all nodes, on fabrics that are symmetric along their axes.

Traffic between two switches loads the same relative cables as between any two at the same distance:
so hops are counted by distance, and each kind is routed once. The result is that of
:mod:`toposmith.analysis.traffic.row_hops`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic import set_traffic
from toposmith.analysis.traffic.block_ends import Ends
from toposmith.analysis.traffic.block_hops import BlockHops
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.dealt_flows import Apart
from toposmith.analysis.traffic.hops import one_bucket_each
from toposmith.analysis.traffic.single_routes import FlowRoute, RoutedCable, single_route
from toposmith.analysis.traffic.symmetric_loads import SymmetricLoads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.analysis.traffic.whole_grid import whole_grid
from toposmith.cancellation import go_on
from toposmith.fabric.axis_symmetry import AxisSymmetry
from toposmith.fabric.device import Device
from toposmith.fabric.plan import GroupPlan
from toposmith.fabric.single_devices import Bundle, SingleDevices

_ANY_CABLE: Bundle = (0, 1, 1.0)
"""The only cable of a NIC: at any rate, it is on every path."""


def moved_hop_loads(
    network: ComputeNetwork, ends: Ends, *, busiest: float, nics: int, weighted: bool
) -> dict[Arc, float] | None:
    """Load of the worst cable of every class, in units of what one NIC carries for one hop.

    None where nodes are not all alike, each with one cable a NIC and all its cables on one switch,
    or switches that are as far apart are not joined alike, other than the sets of a dragonfly and
    rings and meshes with few faults.

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
    if network.world.nodes < 2 or switch is None or slots != {nics}:
        return None
    symmetry, vertex = network.devices.symmetry, network.devices.vertex
    worst: dict[Arc, float] = defaultdict(float)
    hops = BlockHops(network, switch, ends)
    if _same_everywhere(network, symmetry):
        sums = _moved_loads(network.devices, hops, nics, weighted=weighted)
        found: Iterable[tuple[RoutedCable, float]] = sums.worst()
    else:
        around = _around_faults(network, hops, nics, weighted=weighted)
        if around is None:
            return None
        found = around.items()
    for (here, there, key), load in found:
        go_on()
        arc = vertex(here), vertex(there), key
        worst[arc] = max(worst[arc], load)
    return {**worst, **dict.fromkeys(_at_nics(network), busiest)}


def _moved_loads(
    devices: SingleDevices, hops: BlockHops, nics: int, *, weighted: bool
) -> SymmetricLoads:
    """Loads of hops on cables, each kind routed once and translated."""
    symmetry, group = devices.symmetry, hops.group
    sums = SymmetricLoads(symmetry)
    routes: dict[tuple[Device, Device], FlowRoute] = {}
    for start, end, distance, at in hops.by_distance(symmetry):
        go_on(20)
        ways = start, symmetry.moved(end, symmetry.like(distance))
        if ways not in routes:
            routes[ways] = _routed(devices, *ways, group, weighted=weighted)
        between = {
            (symmetry.swapped(here, distance), symmetry.swapped(there, distance), key): load
            for (here, there, key), load in routes[ways].between.items()
        }
        sums.add_each(sums.pattern(between), at, nics)
    return sums


def _routed(
    devices: SingleDevices, start: Device, end: Device, group: str, *, weighted: bool
) -> FlowRoute:
    cables = (((switch, _ANY_CABLE),) for switch in (start, end))
    route = single_route(devices, *cables, weighted=weighted)
    if route is None:
        raise Unreachable(group, group)
    return route


def _around_faults(
    network: ComputeNetwork, hops: BlockHops, nics: int, *, weighted: bool
) -> Mapping[RoutedCable, float] | None:
    """Loads of hops on the cables of rings and meshes with few faults; None on other fabrics.

    Those whose shortest paths can meet no fault are routed as in the whole fabric.
    """
    whole = whole_grid(network)
    if whole is None or whole.grid.switch.name != hops.switch.name:
        return None
    hit = whole.hits(hops.values, hops.start, hops.end)
    passing, meeting = hops.those(~hit), hops.those(hit)
    sums = _moved_loads(whole.devices, passing, nics, weighted=weighted)
    loads = defaultdict(float, sums.cables())
    for (start, end), many in meeting.counted().items():
        go_on()
        route = _routed(network.devices, start, end, hops.group, weighted=weighted)
        for cable, load in route.between.items():
            loads[cable] += load * many * nics
    return loads


def _at_nics(network: ComputeNetwork) -> Iterator[Arc]:
    """Both ways of the cables of NICs."""
    for nic in network.classes.vertices("nic"):
        for _, peer, key, data in network.classes.graph.edges(nic, keys=True, data=True):
            if data["link"] is not None:
                yield nic, peer, key
                yield peer, nic, key


def _one_cable_each(network: ComputeNetwork) -> bool:
    """Whether no NIC has several cables."""
    graph = network.classes.graph
    return all(
        data["link"] is None or data["per"][nic] == 1
        for nic in network.classes.vertices("nic")
        for _, _, data in graph.edges(nic, data=True)
    )


def _cables_of_nics(network: ComputeNetwork) -> int | None:
    """How many cables each NIC has that has any; None where these are not as many, or unlike."""
    graph, found = network.classes.graph, set[tuple[int, int]]()
    for nic in network.classes.vertices("nic"):
        cables = [data for _, _, data in graph.edges(nic, data=True) if data["link"] is not None]
        if cables:
            many = sum(data["per"][nic] for data in cables)
            found.add((many, len({(data["link"], data["GBps"]) for data in cables})))
    return next(iter(found))[0] if len(found) == 1 and next(iter(found))[1] == 1 else None


def _between_sets(
    network: ComputeNetwork, ends: Ends, busiest: float, nics: int, *, weighted: bool
) -> dict[Arc, float] | None:
    """The same where all switches are in sets that dealt cables join, some of them with faults."""
    if network.dealt is None:
        return None
    slots, cables = {len(live) for live in network.live_slots.values()}, _cables_of_nics(network)
    # after a failure only the worst cables matter, regardless of idle NICs
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


def _switch_group(network: ComputeNetwork) -> GroupPlan | None:
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


def _same_everywhere(network: ComputeNetwork, symmetry: AxisSymmetry) -> bool:
    """Whether switches that some move takes to each other are of one class."""
    cells = network.classes.cuts.cells
    return bool(symmetry) and all(len(cells(axis)) == 1 for axis in symmetry.axes)
