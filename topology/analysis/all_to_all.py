"""The fabric under a uniform all-to-all: every rank sends the same to every other."""

from __future__ import annotations

from collections import defaultdict

from topology.analysis.network import Network
from topology.analysis.ranks import gpus_of
from topology.analysis.routing import Arc, Coarsening, route
from topology.fabric.classes import ClassVertex, Marked, class_graph


class Unreachable(Exception):
    """Two nodes with no path between them; carries their groups."""

    def __init__(self, source: str, target: str) -> None:
        self.source = source
        self.target = target
        super().__init__(f"no path from {source} to {target}")


def all_to_all_loads(network: Network) -> dict[Arc, float]:
    """Load of one cable per arc of the class graph, in units of one rank's sending rate.

    A rank sends 1/N of its rate to each of the N ranks. What is meant for a node arrives evenly
    over its cabled NICs; it enters the fabric through the NICs of the sending node that are
    nearest to the receiving one (NCCL's PXN: a rail is not left where it need not be).

    Returns
    -------
    dict
        By arc ``(from, to, key)`` of ``network.classes``. Equal for all cables of a class by
        symmetry, so it is the load of the worst one too.

    Raises
    ------
    Unreachable
        If two nodes are not connected.
    """
    classes, ranks = network.classes, network.world
    total: dict[Arc, float] = defaultdict(float)
    cabled = _cabled_nics(network)
    reached = {target[1:2] + target[3:4] for target in cabled}
    for node in classes.vertices("node"):
        if node[1:3] not in reached and ranks.nodes > 1 and node[1] in _names(network):
            raise Unreachable(node[1], node[1])
    for target in cabled:
        data = classes.graph.nodes[target]
        group = network.plan.groups[target[1]]
        coordinates = classes.coordinates(group, target[3])
        mark = Marked(group.name, tuple(coordinates.items()), ("slot", target[2], data["slots"][0]))
        fine = class_graph(
            network.plan,
            classes.cuts.with_points({axis: [v] for axis, v in coordinates.items()}),
            marked=(mark,),
            only=network.slots,
        )
        receiver = (*target[:3], fine.cells_at(group, coordinates))
        nic = next(
            vertex
            for vertex in fine.vertices("nic")
            if vertex[:4] == receiver and mark.vertex[2] in fine.graph.nodes[vertex]["slots"]
        )
        share = gpus_of(group) / sum(
            len(classes.graph.nodes[v]["slots"]) for v in cabled if v[1:4] == target[1:4]
        )
        sources = {
            vertex: gpus_of(network.plan.groups[vertex[1]]) * share / ranks.gpus
            for vertex in fine.vertices("node")
            if vertex != ("device", group.name, receiver[3])
            and gpus_of(network.plan.groups[vertex[1]])
        }
        flow = route(fine, nic, sources)
        if flow.unreachable:
            raise Unreachable(next(iter(flow.unreachable))[1], group.name)
        coarsening = Coarsening(fine, classes.cuts, classes)
        for arc, load in coarsening.averaged(flow.per_cable).items():
            total[arc] += load * data["size"]
    return dict(total)


def _names(network: Network) -> set[str]:
    return {group.name for group in network.world.groups}


def _cabled_nics(network: Network) -> list[ClassVertex]:
    graph = network.classes.graph
    return [
        vertex
        for vertex in network.classes.vertices("nic")
        if any(data["link"] is not None for _, _, data in graph.edges(vertex, data=True))
    ]
