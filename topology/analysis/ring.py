"""The fabric under a ring: which cables the ring's hops cross, and how often the worst one.

A ring of packed ranks enters every node once and leaves it once on each of its NICs. Hops between
neighbours in one block (nodes that differ in their own axis only) are alike; only the hops from
one block to the next leave the leaf switch, so there is one routing per kind of hop, and a sum
over blocks, never over nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from topology.analysis.all_to_all import Unreachable
from topology.analysis.network import Network
from topology.analysis.ranks import Block
from topology.analysis.routing import Arc, averaged, coarser_vertices, route
from topology.fabric.classes import (
    ClassGraph,
    ClassVertex,
    Coordinates,
    Marked,
    class_graph,
    port_peer,
)

Place = int | tuple[int, ...]
"""A value of an axis, or the values that a class of an axis leaves out."""


@dataclass(frozen=True)
class _Hop:
    """A kind of hop: two nodes, and how many hops of the ring are just like it."""

    source: Block
    start: Coordinates
    target: Block
    end: Coordinates
    alike: int = 1


@dataclass(frozen=True)
class _Entry:
    """Load of a hop on one class of cables, with how its ends lie to the hop's own nodes."""

    arc: Arc
    ends: tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
    load: float
    own: bool


def ring_nics(network: Network) -> int:
    """NICs per node that the ring uses: as many as the node with the fewest cabled ones has."""
    return min((len(live) for live in _live_slots(network).values()), default=0)


def ring_loads(network: Network) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of what one NIC carries.

    Returns
    -------
    dict
        By arc ``(from, to, key)`` of ``network.classes``.

    Raises
    ------
    Unreachable
        If two neighbours of the ring are not connected.
    """
    live = _live_slots(network)
    many = min((len(slots) for slots in live.values()), default=0)
    kinds: dict[tuple[object, ...], list[_Entry]] = {}
    found: dict[Arc, dict[tuple[tuple[Place, ...], ...], float]] = defaultdict(
        lambda: defaultdict(float)
    )
    for hop in _hops(network):
        kind = _kind(network, hop)
        if kind not in kinds:
            kinds[kind] = list(_route_hop(network, hop, live, many))
        for entry in kinds[kind]:
            place = tuple(_places(end, hop) for end in entry.ends)
            times = 1 if entry.own else hop.alike
            found[entry.arc][place] += entry.load * times
    return {arc: _worst(places) for arc, places in found.items()}


def _hops(network: Network) -> Iterator[_Hop]:
    blocks = network.world.blocks
    for block in blocks:
        yield from _inner_hops(network, block)
    if network.world.nodes < 2:
        return
    for source, target in [*pairwise(blocks), (blocks[-1], blocks[0])]:
        yield _Hop(source, source.last, target, target.first)


def _inner_hops(network: Network, block: Block) -> Iterator[_Hop]:
    """Hops inside a block, alike ones counted: those between values of one cell."""
    own = block.group.axes[-1]
    pieces: list[tuple[int, int]] = []
    for low, high in block.runs:
        for cell in network.classes.cuts.cells(own):
            pieces += [
                (max(low, a), min(high, b)) for a, b in cell.intervals if a <= high and low <= b
            ]
    pieces.sort()
    for low, high in pieces:
        if high > low:
            yield _Hop(block, block.at(low), block, block.at(low + 1), high - low)
    for (_, last), (first, _) in pairwise(pieces):
        yield _Hop(block, block.at(last), block, block.at(first))


def _kind(network: Network, hop: _Hop) -> tuple[object, ...]:
    """What the routing of a hop depends on: the classes of its nodes, and which axes agree."""
    classes = network.classes
    equal = tuple(
        hop.start[axis] == hop.end[axis] for axis in hop.source.group.axes if axis in hop.end
    )
    return (
        hop.source.group.name,
        hop.target.group.name,
        classes.cells_at(hop.source.group, hop.start),
        classes.cells_at(hop.target.group, hop.end),
        equal,
    )


def _live_slots(network: Network) -> dict[tuple[str, tuple[int, ...]], list[int]]:
    """Slot numbers of the cabled NICs of every node class."""
    graph = network.classes.graph
    live: dict[tuple[str, tuple[int, ...]], list[int]] = {
        (vertex[1], vertex[2]): [] for vertex in network.classes.vertices("node")
        if vertex[1] in {group.name for group in network.world.groups}
    }
    for vertex in network.classes.vertices("nic"):
        if any(data["link"] is not None for _, _, data in graph.edges(vertex, data=True)):
            live[vertex[1], vertex[3]] += graph.nodes[vertex]["slots"]
    return {place: sorted(slots) for place, slots in live.items()}


def _route_hop(
    network: Network,
    hop: _Hop,
    live: dict[tuple[str, tuple[int, ...]], list[int]],
    many: int,
) -> Iterator[_Entry]:
    classes = network.classes
    if hop.alike > 1 and all(len(slots) == many for slots in live.values()):
        yield from _through_own_leaf(network, hop)
        return
    points: dict[str, set[int]] = defaultdict(set)
    for coordinates in (hop.start, hop.end):
        for axis, value in coordinates.items():
            points[axis].add(value)
    ends = class_graph(network.plan, classes.cuts.with_points(points), only=network.slots)
    sides = [
        (block.group.name, ends.cells_at(block.group, at))
        for block, at in ((hop.source, hop.start), (hop.target, hop.end))
    ]
    slots = [
        live[block.group.name, classes.cells_at(block.group, at)]
        for block, at in ((hop.source, hop.start), (hop.target, hop.end))
    ]
    common = [slot for slot in slots[0] if slot in slots[1]]
    left = [[slot for slot in side if slot not in common] for side in slots]
    pairs = [*((slot, slot) for slot in common), *zip(*left, strict=False)][:many]
    to_base = coarser_vertices(classes, ends)
    for group in _alike_pairs(network, ends, sides, pairs):
        yield from _route_pair(network, hop, ends, to_base, group)


def _through_own_leaf(network: Network, hop: _Hop) -> Iterator[_Entry]:
    """Hops between nodes of one class and one block: their NICs hang on the same switches."""
    classes = network.classes
    graph = classes.graph
    side = (hop.source.group.name, classes.cells_at(hop.source.group, hop.start))
    for nic in classes.vertices("nic"):
        if (nic[1], nic[3]) != side:
            continue
        cabled = [(peer, key, d) for _, peer, key, d in graph.edges(nic, keys=True, data=True)]
        cabled = [(peer, key, d) for peer, key, d in cabled if d["link"] is not None]
        cables = sum(data["per"][nic] for _, _, data in cabled)
        for peer, key, _ in cabled:
            switch = _described(classes, peer, hop, {})
            for arc, here in (((nic, peer, key), "start"), ((peer, nic, key), "end")):
                node = tuple((axis, here) for axis in hop.source.group.axes)
                ends = (node, switch) if here == "start" else (switch, node)
                yield _Entry(arc, ends, 1 / cables, own=True)


@dataclass(frozen=True)
class _Pairs:
    """NIC pairs of a hop that the class graph does not tell apart; ``whole`` if all of them."""

    source: int
    target: int
    many: int
    whole: bool


def _alike_pairs(
    network: Network,
    ends: ClassGraph,
    sides: list[tuple[str, tuple[int, ...]]],
    pairs: list[tuple[int, int]],
) -> Iterator[_Pairs]:
    by_class: dict[tuple[ClassVertex, ClassVertex, bool], list[tuple[int, int]]] = defaultdict(list)
    for a, b in pairs:
        key = (_nic(network, ends, sides[0], a), _nic(network, ends, sides[1], b), a == b)
        by_class[key].append((a, b))
    for (u, v, same), alike in by_class.items():
        sizes = {len(ends.graph.nodes[u]["slots"]), len(ends.graph.nodes[v]["slots"])}
        if same and sizes == {len(alike)}:
            yield _Pairs(*alike[0], len(alike), True)
        else:
            for a, b in alike:
                yield _Pairs(a, b, 1, False)


def _nic(
    network: Network, classes: ClassGraph, side: tuple[str, tuple[int, ...]], slot: int
) -> ClassVertex:
    name, cells = side
    return next(
        vertex
        for vertex in classes.vertices("nic")
        if vertex[:4] == ("nic", name, network.slots[name], cells)
        and slot in classes.graph.nodes[vertex]["slots"]
    )


def _route_pair(
    network: Network,
    hop: _Hop,
    ends: ClassGraph,
    to_base: dict[ClassVertex, ClassVertex],
    pairs: _Pairs,
) -> Iterator[_Entry]:
    sides = ((hop.source, hop.start, pairs.source), (hop.target, hop.end, pairs.target))
    marked = tuple(
        Marked(
            block.group.name,
            tuple(at.items()),
            ("slot", network.slots[block.group.name], slot),
        )
        for block, at, slot in sides
    )
    fine = class_graph(network.plan, ends.cuts, marked=marked, only=network.slots)
    places = [(block.group.name, fine.cells_at(block.group, at)) for block, at, _ in sides]
    start = _nic(network, fine, places[0], pairs.source)
    end = _nic(network, fine, places[1], pairs.target)
    flow = route(fine, end, {start: 1.0})
    if flow.unreachable:
        raise Unreachable(hop.source.group.name, hop.target.group.name)
    if pairs.whole:
        loads = averaged(ends, fine, coarser_vertices(ends, fine), flow.per_cable)
        yield from _entries(hop, ends, to_base, loads, pairs.many, {})
    else:
        onto = coarser_vertices(network.classes, fine)
        peers = _peers(network, hop, pairs)
        yield from _entries(hop, fine, onto, flow.per_cable, 1, peers)


def _peers(network: Network, hop: _Hop, pairs: _Pairs) -> dict[str, set[int]]:
    """Values of the axes along which the two NICs' own ports are dealt."""
    values: dict[str, set[int]] = defaultdict(set)
    for block, slot in ((hop.source, pairs.source), (hop.target, pairs.target)):
        slots = network.slots[block.group.name]
        nic = block.group.port_groups[slots].nic
        assert nic is not None
        for link in network.plan.links_of(block.group.name):
            end = link.end_of(block.group.name)
            if end.ports == slots:
                for port in range(slot * nic.ports, (slot + 1) * nic.ports):
                    for axis, value in (port_peer(network.plan, link, end, port) or {}).items():
                        values[axis].add(value)
    return values


def _entries(
    hop: _Hop,
    classes: ClassGraph,
    to_base: dict[ClassVertex, ClassVertex],
    loads: dict[Arc, float],
    times: int,
    peers: dict[str, set[int]],
) -> Iterator[_Entry]:
    own_axes = {hop.source.group.axes[-1], hop.target.group.axes[-1]}
    for (u, v, key), load in loads.items():
        ends = tuple(_described(classes, vertex, hop, peers) for vertex in (u, v))
        axes = {axis for end in ends for axis, _ in end}
        yield _Entry(
            (to_base[u], to_base[v], key),
            (ends[0], ends[1]),
            load * times,
            bool(axes & own_axes),
        )


def _described(
    classes: ClassGraph, vertex: ClassVertex, hop: _Hop, peers: dict[str, set[int]]
) -> tuple[tuple[str, str], ...]:
    """For every axis of a vertex: whether it has the start's value, the end's, or another."""
    cells = vertex[3] if vertex[0] == "nic" else vertex[2]
    described: list[tuple[str, str]] = []
    for axis, number in zip(classes.axes_of[vertex[1]], cells, strict=True):
        cell = classes.cuts.cells(axis)[number]
        if axis in hop.start and hop.start[axis] in cell:
            described.append((axis, "start"))
        elif axis in hop.end and hop.end[axis] in cell:
            described.append((axis, "end"))
        elif axis in peers and cell.size == 1 and cell.first in peers[axis]:
            described.append((axis, str(cell.first)))
        else:
            described.append((axis, "other"))
    return tuple(described)


def _places(end: tuple[tuple[str, str], ...], hop: _Hop) -> tuple[Place, ...]:
    places: list[Place] = []
    for axis, where in end:
        if where == "start":
            places.append(hop.start[axis])
        elif where == "end":
            places.append(hop.end[axis])
        elif where == "other":
            places.append(
                tuple(sorted({at[axis] for at in (hop.start, hop.end) if axis in at}))
            )
        else:
            places.append(int(where))
    return tuple(places)


def _worst(places: dict[tuple[tuple[Place, ...], ...], float]) -> float:
    """The highest load of any one cable: what is said of it and what is said of all others."""
    flat = [(tuple(value for end in place for value in end), load) for place, load in places.items()]
    if not any(isinstance(value, tuple) and value for place, _ in flat for value in place):
        return max(load for _, load in flat)
    named: list[set[int]] = [set() for _ in flat[0][0]]
    for place, _ in flat:
        for values, value in zip(named, place, strict=True):
            values.update(value if isinstance(value, tuple) else (value,))
    candidates = [sorted(values) + [-1] for values in named]
    return max(
        sum(load for place, load in flat if all(map(_fits, place, candidate)))
        for candidate in product(*candidates)
    )


def _fits(place: Place, value: int) -> bool:
    return value not in place if isinstance(place, tuple) else value == place
