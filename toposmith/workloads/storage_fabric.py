"""What the fabric carries between the storage of a design and its nodes: a cut of the whole.

All cables of a link are one edge, all devices of a group one vertex, so this is what flows where
traffic spreads evenly over the devices of each group, at line rate. Collectives have no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

from toposmith.fabric.classes import base_graph
from toposmith.fabric.plan import LinkEnd, Plan
from toposmith.units import line_rate_GBps

_SOURCE, _SINK = ("all", "storage"), ("all", "nodes")


@dataclass(frozen=True)
class StorageFabric:
    """What passes from storage to nodes, and in the same way back.

    Parameters
    ----------
    GBps : float
        Of all nodes together, 10^9 bytes/s per direction; 0 where they cannot reach any storage.
    links : tuple of str
        The links that limit it to that: the least cut.
    unreached : tuple of str
        Storage groups without a path to a node.
    """

    GBps: float
    links: tuple[str, ...]
    unreached: tuple[str, ...]


def storage_groups(plan: Plan) -> list[str]:
    """Groups of storage that has not all been left out."""
    counts = live_devices(plan)
    return [name for name, group in plan.groups.items() if group.storage and counts[name]]


def live_devices(plan: Plan) -> dict[str, int]:
    """Devices per group, less what is absent or down."""
    counts = dict.fromkeys(plan.groups, 0)
    for vertex, data in base_graph(plan).graph.nodes(data=True):
        if vertex[0] == "device":
            counts[data["group"]] += data["size"]
    return counts


def _live_rates_GBps(plan: Plan) -> dict[int, float]:
    """What the cables of each link carry together, less what is absent or down."""
    graph = base_graph(plan).graph
    rates: dict[int, float] = {}
    for u, _, data in graph.edges(data=True):
        if data["link"] is not None:
            more = graph.nodes[u]["size"] * data["per"][u] * data["GBps"]
            rates[data["link"]] = rates.get(data["link"], 0.0) + more
    return rates


def storage_fabric(plan: Plan) -> StorageFabric | None:
    """The fabric between storage and nodes with GPUs; None where the design has no storage."""
    storage = storage_groups(plan)
    if not storage:
        return None
    graph = nx.DiGraph()
    graph.add_nodes_from((_SOURCE, _SINK))
    rates, counts = _live_rates_GBps(plan), live_devices(plan)
    for link in plan.every_link:
        rate = rates.get(link.index, 0.0)
        middle = ("link", link.index)
        # what enters a link's cables leaves them at the other end, so both directions have them
        for way, (start, end) in enumerate(((link.a, link.b), (link.b, link.a))):
            into, out = (*middle, way, "in"), (*middle, way, "out")
            graph.add_edge(_ports(graph, plan, counts, start, out=True), into)
            graph.add_edge(into, out, capacity=rate, link=link.label)
            graph.add_edge(out, _ports(graph, plan, counts, end, out=False))
    for name in storage:
        graph.add_edge(_SOURCE, ("group", name))
    for name, group in plan.groups.items():
        if group.node is not None and group.node.gpus and ("group", name) in graph:
            # a node keeps what it gets: it forwards nothing
            graph.remove_edges_from(list(graph.out_edges(("group", name))))
            graph.add_edge(("group", name), _SINK)
    unreached = tuple(name for name in storage if not _flows(graph, ("group", name)))
    if not _flows(graph, _SOURCE):
        return StorageFabric(0.0, (), unreached)
    value, (near, _) = nx.minimum_cut(graph, _SOURCE, _SINK)
    links = (
        data["link"]
        for start, end, data in graph.edges(data=True)
        if "link" in data and start in near and end not in near
    )
    return StorageFabric(float(value), tuple(dict.fromkeys(links)), unreached)


def _ports(
    graph: nx.DiGraph, plan: Plan, counts: Mapping[str, int], end: LinkEnd, *, out: bool
) -> tuple[object, ...]:
    """The vertex that the cables of a link's end start or end at.

    It is the group itself, or its NICs where these take less than their ports together.
    """
    group, here = plan.groups[end.group], ("group", end.group)
    fitted = group.port_groups.get(end.ports)
    if not group.host or fitted is None or fitted.nic is None or not fitted.nic.shared_gbit:
        return here
    nics = ("nics", end.group, end.ports, out)
    take = counts[end.group] * fitted.nics * line_rate_GBps(fitted.nic.together_gbit)
    label = f"{end.label} (its NICs)"
    graph.add_edge(*((here, nics) if out else (nics, here)), capacity=take, link=label)
    return nics


def _flows(graph: nx.DiGraph, start: tuple[object, ...]) -> bool:
    """Whether cables lead from here to a node."""
    live = nx.subgraph_view(
        graph, filter_edge=lambda a, b: graph.edges[a, b].get("capacity", 1.0) > 0
    )
    return bool(nx.has_path(live, start, _SINK))
