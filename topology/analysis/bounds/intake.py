"""What nodes and GPUs take in, and what that leaves of an all-reduce, alike or not.

Split the ranks into m sets. Without reduction in switches every element takes 2 (m - 1) receptions
by whole sets, m - 1 to be summed and as many to be handed out (Patarasuk and Yuan, "Bandwidth
optimal all-reduce algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69, 2009,
with sets for processes). What enters all sets together therefore bounds S/T by its sum over
2 (m - 1), whoever sums which share. A single set needs all of S once, with or without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import networkx as nx

from toposmith.catalog import Catalog
from toposmith.topology.analysis.bounds.all_gather import PER_GBPS, inside_name
from toposmith.topology.analysis.jobs.communicator import Groups
from toposmith.topology.analysis.jobs.ranks import gpus_of
from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.result import CutLink
from toposmith.topology.collectives import busbw_factor
from toposmith.topology.fabric.cuts import Cells
from toposmith.topology.fabric.inside import (
    NVSWITCH,
    InsideEdge,
    Vertex,
    collective_edges,
    inside_edges,
)
from toposmith.topology.fabric.nvlink_domains import is_joined

_SOURCE, _SINK = ("network",), ("gpus",)
_Named = tuple[str, int | None, float]


@dataclass(frozen=True)
class Intake:
    """What one node of a class takes in from the network, and its GPUs from all others.

    Parameters
    ----------
    nodes, gpus : int
        Nodes of the class, and GPUs of each.
    node_GBps : float
        Of one node, one direction.
    cut : tuple of CutLink
        Where that is limited, of one node.
    gpu_GBps : float
        Of all GPUs of one node, added up.
    gpu_cut : tuple of CutLink
        The links of these GPUs.
    """

    nodes: int
    gpus: int
    node_GBps: float
    cut: tuple[CutLink, ...]
    gpu_GBps: float
    gpu_cut: tuple[CutLink, ...]


@dataclass(frozen=True)
class Limit:
    """A bound on the busbw of an all-reduce, GB/s: of what, and through which links."""

    busbw_GBps: float
    of: str
    cut: tuple[CutLink, ...]


def all_reduce_limits(network: Network, catalog: Catalog, groups: Groups) -> list[Limit]:
    """Bounds on the busbw of an all-reduce that hold whatever the wiring, without reduction.

    Parameters
    ----------
    network : Network
        The compute network; only NICs and what is inside nodes is looked at.
    catalog : Catalog
        For the insides.
    groups : Groups
        Who takes part; where several groups share a node, they share what enters it.
    """
    intakes = list(_in_racks(network, catalog))
    ranks = sum(each.nodes * each.gpus for each in intakes)
    if ranks < 2 or groups.size < 2:
        return []
    factor = busbw_factor("all_reduce", groups.size)
    into_gpus = sum(each.nodes * each.gpu_GBps for each in intakes) / ranks
    of_gpus = _added((each.nodes, each.gpu_cut) for each in intakes)
    found = [Limit(into_gpus, "what all GPUs take in", of_gpus)]
    nodes = sum(each.nodes for each in intakes)
    if groups.nodes > 1:
        into_nodes = sum(each.nodes * each.node_GBps for each in intakes) / nodes / groups.sharing
        of_nodes = _added((each.nodes, each.cut) for each in intakes)
        share = groups.nodes / (2 * (groups.nodes - 1))
        found.append(Limit(into_nodes * share * factor, "what all nodes take in", of_nodes))
        least = min(intakes, key=lambda each: each.node_GBps)
        one = least.node_GBps / groups.sharing * factor
        found.append(Limit(one, "what one node takes in", least.cut))
    return found


def _added(parts: Iterable[tuple[int, tuple[CutLink, ...]]]) -> tuple[CutLink, ...]:
    """The links of so many nodes of each class."""
    counted: dict[_Named, int] = defaultdict(int)
    for nodes, cut in parts:
        for link in cut:
            counted[link.link, link.index, link.capacity_GBps] += nodes * link.cables
    return tuple(CutLink(name, at, many, rate) for (name, at, rate), many in counted.items())


def _in_racks(network: Network, catalog: Catalog) -> Iterator[Intake]:
    """What nodes take in, those of one NVLink domain together."""
    trays: dict[tuple[str, Cells], list[Intake]] = defaultdict(list)
    for (group, cells), each in _intakes(network, catalog):
        if network.world.joined:
            trays[group, cells[:-1]].append(each)
        else:
            yield each
    for (group, cells), alike in trays.items():
        axes = zip(network.plan.groups[group].axes[:-1], cells, strict=True)
        racks = prod(network.classes.cuts.cell_sizes[axis][cell] for axis, cell in axes)
        many = [(each.nodes // racks, each) for each in alike]
        yield Intake(
            nodes=racks,
            gpus=sum(count * each.gpus for count, each in many),
            node_GBps=sum(count * each.node_GBps for count, each in many),
            cut=_added((count, each.cut) for count, each in many),
            gpu_GBps=sum(count * each.gpu_GBps for count, each in many),
            gpu_cut=_added((count, each.gpu_cut) for count, each in many),
        )


def _intakes(network: Network, catalog: Catalog) -> Iterator[tuple[tuple[str, Cells], Intake]]:
    graph = network.classes.graph
    cabled = _cabled_slots(network)
    for node in network.classes.vertices("node"):
        group = network.plan.groups[node[1]]
        if not gpus_of(group):
            continue
        slots = network.slots.get(group.name)
        edges = collective_edges(inside_edges(group, catalog), slots)
        rates = tuple(sorted(cabled[node[1], node[2]].items()))
        into, cut = _node_intake(edges, group.name, slots or "", rates)
        rack = is_joined(group)
        gpus, gpu_cut = _gpu_intake(edges, group.name, slots or "", rates, rack=rack)
        many, each = graph.nodes[node]["size"], gpus_of(group)
        intake = Intake(many, each, into / PER_GBPS, cut, gpus / PER_GBPS, gpu_cut)
        yield (group.name, node[2]), intake


_Cables = tuple[tuple[str, int, float, int], ...]
"""The cables of one NIC: name and index of the link, GB/s of one, how many."""


def _cabled_slots(
    network: Network,
) -> dict[tuple[str, tuple[int, ...]], dict[int, _Cables]]:
    """The cables of every NIC of one node of each class, by slot."""
    graph = network.classes.graph
    labels = {link.index: link.label for link in network.plan.every_link}
    found: dict[tuple[str, tuple[int, ...]], dict[int, _Cables]] = defaultdict(dict)
    for nic in network.classes.vertices("nic"):
        counted: dict[tuple[str, int, float], int] = defaultdict(int)
        for _, _, data in graph.edges(nic, data=True):
            if data["link"] is not None:
                counted[labels[data["link"]], data["link"], data["GBps"]] += data["per"][nic]
        cables = tuple((*key, many) for key, many in counted.items())
        for slot in graph.nodes[nic]["slots"]:
            found[nic[1], nic[3]][slot] = cables
    return found


def _graph(
    edges: tuple[InsideEdge, ...], group: str, slots: str, nics: tuple[tuple[int, _Cables], ...]
) -> nx.DiGraph:
    """One node with the network as a source of whatever its ports carry; capacities in MB/s."""
    graph = nx.DiGraph()
    graph.add_nodes_from((_SOURCE, _SINK))
    for edge in edges:
        named = (inside_name(group, edge.tier), None, edge.GBps)
        for a, b in ((edge.a, edge.b), (edge.b, edge.a)):
            graph.add_edge(a, b, capacity=round(edge.GBps * PER_GBPS), of=((named, 1),))
    for slot, cables in nics:
        capacity = sum(round(rate * PER_GBPS) * many for _, _, rate, many in cables)
        of = tuple(((name, at, rate), many) for name, at, rate, many in cables)
        graph.add_edge(_SOURCE, ("slot", slots, slot), capacity=capacity, of=of)
    return graph


@lru_cache(maxsize=512)
def _node_intake(
    edges: tuple[InsideEdge, ...], group: str, slots: str, nics: tuple[tuple[int, _Cables], ...]
) -> tuple[int, tuple[CutLink, ...]]:
    """What enters one node, MB/s, and the links that limit it."""
    graph = _graph(edges, group, slots, nics)
    for gpu in _gpus(graph):
        graph.add_edge(gpu, _SINK)
    value, (side, _) = nx.minimum_cut(graph, _SOURCE, _SINK)
    return int(value), _links(graph, side)


@lru_cache(maxsize=512)
def _gpu_intake(
    edges: tuple[InsideEdge, ...],
    group: str,
    slots: str,
    nics: tuple[tuple[int, _Cables], ...],
    *,
    rack: bool,
) -> tuple[int, tuple[CutLink, ...]]:
    """What enters each GPU of a node from all others, MB/s, added up, and the links that limit."""
    total = 0
    counted: dict[_Named, int] = defaultdict(int)
    for gpu in _gpus(_graph(edges, group, slots, nics)):
        graph = _graph(edges, group, slots, nics)
        for other in _gpus(graph):
            if other != gpu:
                graph.add_edge(_SOURCE, other)
        if rack and NVSWITCH in graph:
            graph.add_edge(_SOURCE, NVSWITCH)
        value, (side, _) = nx.minimum_cut(graph, _SOURCE, gpu)
        total += int(value)
        for link in _links(graph, side):
            counted[link.link, link.index, link.capacity_GBps] += link.cables
    return total, tuple(CutLink(*key[:2], many, key[2]) for key, many in counted.items())


def _gpus(graph: nx.DiGraph) -> list[Vertex]:
    return [vertex for vertex in graph if vertex[0] == "gpu"]


def _links(graph: nx.DiGraph, side: set[Hashable]) -> tuple[CutLink, ...]:
    counted: dict[_Named, int] = defaultdict(int)
    for u, v, data in graph.edges(data=True):
        if u in side and v not in side:
            for named, many in data.get("of", ()):
                counted[named] += many
    return tuple(CutLink(name, at, many, rate) for (name, at, rate), many in counted.items())
