"""The fabric under a uniform all-to-all: every rank sends the same to every other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import (
    Arc,
    Coarsening,
    cell_map,
    hops_to,
    route,
)
from toposmith.analysis.traffic.hop_routes import dealt_over
from toposmith.analysis.traffic.unreachable import WITHOUT_PXN, Unreachable
from toposmith.fabric.classes import ClassGraph, ClassVertex, Marked, class_graph
from toposmith.fabric.cuts import Cuts
from toposmith.fabric.nvlink_domains import outside


def all_to_all_loads(
    network: ComputeNetwork, *, weighted: bool = True, pxn: bool = True
) -> dict[Arc, float]:
    """Load of one cable per arc of the class graph, in units of one rank's sending rate.

    A rank sends 1/N of its rate to each of the N ranks. Traffic to a node arrives evenly
    over those of its NICs that the sender can reach; it enters the fabric through the NIC of the
    sending node in the slot of the same number (NCCL's PXN, ``ncclTopoGetNetDev`` in NVIDIA/nccl
    src/graph/topo.cc) and evenly through those that are as far away; through the nearest where
    that one does not reach it, and between nodes with unlike numbers of NICs.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    weighted : bool
        Whether switches split by remaining path capacity; equally by cable if not.
    pxn : bool
        Whether traffic leaves by the nearest NICs; else each GPU's by its own, evenly over all.

    Returns
    -------
    dict
        By arc ``(from, to, key)`` of ``network.classes``, the load of the worst cable. Those of a
        class carry the same but for NICs whose slots are cabled otherwise in other nodes.

    Raises
    ------
    Unreachable
        If two nodes are not connected.
    """
    if network.on_rows:
        # imported here: it needs numpy, which small designs do not
        from toposmith.analysis.traffic.row_exchange import exchange_on_rows

        return exchange_on_rows(network, weighted=weighted, pxn=pxn)
    by_slot = network.slots_unlike_elsewhere
    classes = _single_deals(network) if by_slot else network.classes
    total: dict[Arc, float] = defaultdict(float)
    names = {group.name for group in network.world.groups}
    for node in classes.vertices("node"):
        if node[1] in names:
            for arc, load in _towards(network, classes, node, weighted=weighted, pxn=pxn):
                total[arc] += load
    return _worst_of_class(network, classes, total) if by_slot else dict(total)


def _single_deals(network: ComputeNetwork) -> ClassGraph:
    """The class graph with a class for every device that NICs are dealt over."""
    dealt = dealt_over(network, {group.name for group in network.world.groups})
    cuts = network.classes.cuts
    return network.classes_with(cuts.with_points({axis: range(cuts.sizes[axis]) for axis in dealt}))


def _worst_of_class(
    network: ComputeNetwork, classes: ClassGraph, loads: Mapping[Arc, float]
) -> dict[Arc, float]:
    """The worst cable of every class, from the loads of finer classes and of single slots."""
    onto = cell_map(classes.cuts, network.classes.cuts)

    def whole(vertex: ClassVertex) -> ClassVertex:
        nic = vertex[0] == "nic"
        cells = zip(classes.axes_of[vertex[1]], vertex[3 if nic else 2], strict=True)
        coarse = tuple(onto[axis][cell] for axis, cell in cells)
        return (*vertex[:3], coarse, vertex[4]) if nic else (*vertex[:2], coarse)

    worst: dict[Arc, float] = defaultdict(float)
    for (start, end, key), load in loads.items():
        arc = (whole(start), whole(end), key)
        worst[arc] = max(worst[arc], load)
    return dict(worst)


@dataclass(frozen=True)
class _Arrival:
    """A NIC of the receiving node as a target: its class size, and nodes that can send to it."""

    nics: int
    all_nodes: int
    graph: ClassGraph
    target: ClassVertex
    senders: dict[_Sender, ClassVertex]


def _towards(
    network: ComputeNetwork, classes: ClassGraph, node: ClassVertex, *, weighted: bool, pxn: bool
) -> Iterator[tuple[Arc, float]]:
    """Loads from all senders to the nodes of one class, those of NICs by slot where they differ."""
    receiver = network.plan.groups[node[1]]
    arrivals = list(_arrivals(network, classes, node))
    reached: dict[_Sender, int] = defaultdict(int)
    for arrival in arrivals:
        for sender in arrival.senders:
            reached[sender] += arrival.nics
    nics = sum(arrival.nics for arrival in arrivals)
    for arrival in arrivals:
        sources = {
            vertex: gpus_of(network.plan.groups[sender[0]])
            * gpus_of(receiver)
            / (reached[sender] * network.world.gpus)
            for sender, vertex in arrival.senders.items()
        }
        if not pxn:
            missed = next((sender for sender in arrival.senders if reached[sender] < nics), None)
            if missed is not None:
                raise Unreachable(missed[0], receiver.name, WITHOUT_PXN)
            sources = _by_own_nics(network, arrival, sources)
        flow = route(arrival.graph, arrival.target, sources, weighted=weighted)
        if flow.unreachable:
            raise Unreachable(next(iter(flow.unreachable))[1], receiver.name, WITHOUT_PXN)
        coarsening = Coarsening(arrival.graph, classes.cuts, network.classes)
        by_slot = network.slots_unlike_elsewhere
        for arc, load in coarsening.averaged(flow.per_cable, by_slot=by_slot).items():
            yield arc, load * arrival.all_nodes * arrival.nics
    everybody = (
        arrivals[0].graph if arrivals else network.classes_with(_cuts(network, classes, node))
    )
    own = (node[1], tuple(classes.coordinates(receiver, node[2]).values()))
    for vertex in everybody.vertices("node"):
        sender = _sender(everybody, vertex)
        if network.world.joined and _in_one_domain(network, sender, own):
            continue
        if sender != own and gpus_of(network.plan.groups[sender[0]]) and not reached[sender]:
            raise Unreachable(sender[0], receiver.name)


def _by_own_nics(
    network: ComputeNetwork, arrival: _Arrival, sources: Mapping[ClassVertex, float]
) -> dict[ClassVertex, float]:
    """The traffic of senders, divided evenly over their cabled NICs."""
    graph = arrival.graph.graph
    nics: dict[ClassVertex, list[ClassVertex]] = defaultdict(list)
    for vertex in arrival.graph.vertices("nic"):
        node = ("device", vertex[1], vertex[3])
        used = network.slots.get(vertex[1]) == vertex[2]
        cabled = any(data["link"] is not None for _, _, data in graph.edges(vertex, data=True))
        if node in sources and used and cabled:
            nics[node].append(vertex)
    return {
        nic: amount
        * graph.nodes[node]["size"]
        / sum(graph.nodes[each]["size"] for each in nics[node])
        for node, amount in sources.items()
        for nic in nics[node]
    }


def _arrivals(
    network: ComputeNetwork, classes: ClassGraph, node: ClassVertex
) -> Iterator[_Arrival]:
    """Every class of cabled NICs of the nodes of a class, one of them distinguished."""
    group = network.plan.groups[node[1]]
    coordinates = classes.coordinates(group, node[2])
    live = network.live_slots[group.name, network.classes.cells_at(group, coordinates)]
    marks = {
        (nic, slots): Marked(group.name, tuple(coordinates.items()), ("slot", nic[2], slots[0]))
        for nic in classes.graph
        if nic[0] == "nic" and (nic[1], nic[3]) == node[1:3]
        for slots in _alike(network, classes.graph.nodes[nic]["slots"])
        if slots[0] in live
    }
    for (nic, slots), fine in _told_apart(network, _cuts(network, classes, node), marks).items():
        at = fine.cells_at(group, coordinates)
        target = next(
            vertex
            for vertex in fine.vertices("nic")
            if vertex[:4] == (*nic[:3], at) and slots[0] in fine.graph.nodes[vertex]["slots"]
        )
        reach = hops_to(fine, target)
        senders = {
            _sender(fine, vertex): vertex
            for vertex in fine.vertices("node")
            if vertex in reach
            and vertex != ("device", group.name, at)
            and not (network.world.joined and _in_one_domain(network, vertex[1:], (group.name, at)))
            and gpus_of(network.plan.groups[vertex[1]])
        }
        many = classes.graph.nodes[node]["size"]
        yield _Arrival(len(slots), many, fine, target, senders)


def _alike(network: ComputeNetwork, slots: Sequence[int]) -> list[tuple[int, ...]]:
    """Slots of one class: each by itself where they differ in another node."""
    return [(slot,) for slot in slots] if network.slots_unlike_elsewhere else [tuple(slots)]


def _in_one_domain(network: ComputeNetwork, one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether nodes, by group and coordinates or cells of their own, are in one NVLink domain."""
    apart = outside(network.plan.groups[one[0]])
    return bool(one[0] == other[0] and one[1][:apart] == other[1][:apart])


_Arriving = tuple[ClassVertex, tuple[int, ...]]
"""A class of NICs, and those of its slots that count as one."""

_Sender = tuple[str, tuple[int, ...]]
"""A class of sending nodes: its group and the coordinates that stand for it."""


def _sender(classes: ClassGraph, vertex: ClassVertex) -> _Sender:
    axes = classes.axes_of[vertex[1]]
    cells = zip(axes, vertex[2], strict=True)
    return vertex[1], tuple(classes.cuts.cells(axis)[cell].first for axis, cell in cells)


def _cuts(network: ComputeNetwork, classes: ClassGraph, node: ClassVertex) -> Cuts:
    """The cuts of classes with the first node of one of them distinguished."""
    coordinates = classes.coordinates(network.plan.groups[node[1]], node[2])
    return classes.cuts.with_points({axis: [at] for axis, at in coordinates.items()})


def _told_apart(
    network: ComputeNetwork, cuts: Cuts, marks: Mapping[_Arriving, Marked]
) -> dict[_Arriving, ClassGraph]:
    """A class graph for every mark, in all of which the same nodes are distinguished.

    What a node sends is dealt over all marked NICs, so that it has to be the same sender in each
    graph; a mark may by itself split nodes that another one leaves together.
    """
    axes = {axis for group in network.world.groups for axis in group.axes}
    while True:
        graphs = {
            nic: class_graph(network.plan, cuts, marked=(mark,), only=network.slots)
            for nic, mark in marks.items()
        }
        finest = cuts
        for graph in graphs.values():
            finest = finest.as_fine_as(graph.cuts, axes)
        cells = [[graph.cuts.cells(axis) for axis in axes] for graph in graphs.values()]
        if all(of_graph == [finest.cells(axis) for axis in axes] for of_graph in cells):
            return graphs
        cuts = finest
