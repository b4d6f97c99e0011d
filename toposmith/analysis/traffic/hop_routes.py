"""Where a hop between two nodes goes: shortest paths from NIC to NIC, one routing for each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc, Coarsening, route
from toposmith.analysis.traffic.hop_entries import (
    END,
    FIXED,
    START,
    HopEntry,
    Where,
    described,
)
from toposmith.analysis.traffic.hops import Hop, nic_pairs
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.fabric.classes import (
    Cells,
    ClassGraph,
    ClassVertex,
    Marked,
    class_graph,
)
from toposmith.fabric.cuts import Cuts
from toposmith.fabric.dealing import peer_axes, port_peer


def route_hop(
    network: ComputeNetwork, hop: Hop, many: int, *, weighted: bool
) -> Iterator[HopEntry]:
    """Loads of one hop that spreads over so many NICs, each carrying 1.

    ``weighted`` says whether devices weigh by remaining path capacity.

    Raises
    ------
    Unreachable
        If its nodes are not connected.
    """
    live, classes = network.live_slots, network.classes
    all_alike = all(len(slots) == many for slots in live.values())
    if hop.alike > 1 and hop.inside_block and all_alike and _one_class(network, hop):
        yield from _through_own_leaf(network, hop, weighted=weighted)
        return
    points: dict[str, set[int]] = defaultdict(set)
    for coordinates in (hop.start, hop.end):
        for axis, value in coordinates.items():
            points[axis].add(value)
    cuts = classes.cuts.with_points(points)
    sides = [
        (block.group.name, classes.cells_at(block.group, at))
        for block, at in ((hop.source, hop.start), (hop.target, hop.end))
    ]
    pairs = nic_pairs(network, hop, many)
    for group in _alike_pairs(network, sides, pairs, points):
        yield from _route_pair(network, hop, cuts, group, weighted=weighted)


def _one_class(network: ComputeNetwork, hop: Hop) -> bool:
    at = network.classes.cells_at
    return at(hop.source.group, hop.start) == at(hop.target.group, hop.end)


def _through_own_leaf(network: ComputeNetwork, hop: Hop, *, weighted: bool) -> Iterator[HopEntry]:
    """Hops between nodes of one class and one block: their NICs hang on the same switches."""
    classes = network.classes
    graph = classes.graph
    side = (hop.source.group.name, classes.cells_at(hop.source.group, hop.start))
    for nic in classes.vertices("nic"):
        if (nic[1], nic[3]) != side:
            continue
        cabled = [(peer, key, d) for _, peer, key, d in graph.edges(nic, keys=True, data=True)]
        cabled = [(peer, key, d) for peer, key, d in cabled if d["link"] is not None]
        rates = [data["GBps"] if weighted else 1.0 for _, _, data in cabled]
        total = sum(
            data["per"][nic] * rate for (_, _, data), rate in zip(cabled, rates, strict=True)
        )
        for (peer, key, _), rate in zip(cabled, rates, strict=True):
            (switch,) = product(*described(network, classes.cuts, peer, hop, None))
            for arc, kind in (((nic, peer, key), START), ((peer, nic, key), END)):
                axes = ((kind, axis) for axis in hop.source.group.axes)
                node: tuple[Where, ...] = (*axes, (FIXED, ()))
                where = (*node, *switch) if kind == START else (*switch, *node)
                yield HopEntry(arc, where, rate / total, own=True)


@dataclass(frozen=True)
class _Pairs:
    """Equivalent NIC pairs of a hop in the class graph; ``whole`` if all of them."""

    source: int
    target: int
    many: int
    whole: bool


def _alike_pairs(
    network: ComputeNetwork,
    sides: list[tuple[str, Cells]],
    pairs: list[tuple[int, int]],
    points: Mapping[str, set[int]],
) -> Iterator[_Pairs]:
    """NIC pairs by class; together where the fabric's symmetry moves whole pairs.

    That is where a class takes part whole, both nodes deal its slots to the same peers, and the
    hop itself cuts no axis that ports are dealt over.
    """
    classes = network.classes
    dealt = dealt_over(network, {name for name, _ in sides})
    by_class: dict[tuple[ClassVertex, ClassVertex, bool], list[tuple[int, int]]] = defaultdict(list)
    for a, b in pairs:
        key = (_nic(network, classes, sides[0], a), _nic(network, classes, sides[1], b), a == b)
        by_class[key].append((a, b))
    for (u, v, same), alike in by_class.items():
        sizes = {len(classes.graph.nodes[nic]["slots"]) for nic in (u, v)}
        dealt_alike = u[1] == v[1] or all(
            _deal(network, u[1], slot) == _deal(network, v[1], slot) for slot, _ in alike
        )
        if same and sizes == {len(alike)} and dealt_alike and not dealt & set(points):
            yield _Pairs(*alike[0], len(alike), True)
        else:
            for a, b in alike:
                yield _Pairs(a, b, 1, False)


def _nic(
    network: ComputeNetwork, classes: ClassGraph, side: tuple[str, tuple[int, ...]], slot: int
) -> ClassVertex:
    name, cells = side
    return next(
        vertex
        for vertex in classes.vertices("nic")
        if vertex[:4] == ("nic", name, network.slots[name], cells)
        and slot in classes.graph.nodes[vertex]["slots"]
    )


def _route_pair(
    network: ComputeNetwork, hop: Hop, cuts: Cuts, pairs: _Pairs, *, weighted: bool
) -> Iterator[HopEntry]:
    sides = ((hop.source, hop.start, pairs.source), (hop.target, hop.end, pairs.target))
    marked = tuple(
        Marked(
            block.group.name,
            tuple(at.items()),
            ("slot", network.slots[block.group.name], slot),
        )
        for block, at, slot in sides
    )
    fine = class_graph(
        network.plan, cuts, marked=marked, only=network.slots, marked_nodes_only=True
    )
    places = [(block.group.name, fine.cells_at(block.group, at)) for block, at, _ in sides]
    start = _nic(network, fine, places[0], pairs.source)
    end = _nic(network, fine, places[1], pairs.target)
    flow = route(fine, end, {start: 1.0}, weighted=weighted)
    if flow.unreachable:
        raise Unreachable(hop.source.group.name, hop.target.group.name)
    if pairs.whole:
        loads = Coarsening(fine, cuts, network.classes).averaged(flow.per_cable)
        yield from _entries(network, hop, cuts, loads, pairs.many, {})
    else:
        onto = Coarsening(fine, fine.cuts, network.classes).vertex
        loads = {(onto[u], onto[v], key): load for (u, v, key), load in flow.per_cable.items()}
        slots = {onto[start]: pairs.source, onto[end]: pairs.target}
        yield from _entries(network, hop, fine.cuts, loads, 1, slots)


def dealt_over(network: ComputeNetwork, groups: set[str]) -> set[str]:
    """The axes along which the NICs of these groups meet their peers."""
    return {
        axis
        for name in groups
        for link in network.plan.links_of(name)
        for axis in peer_axes(link, link.end_of(name))
    }


def _deal(
    network: ComputeNetwork, name: str, slot: int
) -> list[tuple[str, tuple[tuple[str, int], ...]]]:
    """Where the ports of one slot go: the peer's group and its values on the axes dealt over."""
    held = network.plan.groups[name].port_groups[network.slots[name]]
    dealt: list[tuple[str, tuple[tuple[str, int], ...]]] = []
    for link in network.plan.links_of(name):
        end = link.end_of(name)
        if end.ports != network.slots[name]:
            continue
        other = link.b if end is link.a else link.a
        for port in held.ports_of_nic(slot):
            peer = port_peer(network.plan, link, end, port)
            if peer is not None:
                dealt.append((other.group, tuple(sorted(peer.items()))))
    return sorted(dealt)


def _entries(
    network: ComputeNetwork,
    hop: Hop,
    cuts: Cuts,
    loads: Mapping[Arc, float],
    times: int,
    slots: Mapping[ClassVertex, int],
) -> Iterator[HopEntry]:
    """Loads on classes of ``cuts`` as entries on arcs of the base graph."""
    own_axes = {hop.source.group.axes[-1], hop.target.group.axes[-1]}
    axes_of = network.classes.axes_of
    for (u, v, key), load in loads.items():
        ways = [
            at
            for vertex in (u, v)
            for at in described(network, cuts, vertex, hop, slots.get(vertex))
        ]
        arc = (_base_vertex(network, cuts, u), _base_vertex(network, cuts, v), key)
        own = bool(own_axes & {*axes_of[u[1]], *axes_of[v[1]]})
        for where in product(*ways):
            yield HopEntry(arc, where, load * times, own=own)


def _base_vertex(network: ComputeNetwork, cuts: Cuts, vertex: ClassVertex) -> ClassVertex:
    base = network.classes
    place = 3 if vertex[0] == "nic" else 2
    cells = tuple(
        base.cuts.cell_of(axis, cuts.cells(axis)[cell].first)
        for axis, cell in zip(base.axes_of[vertex[1]], vertex[place], strict=True)
    )
    return (*vertex[:place], cells, *vertex[place + 1 :])
