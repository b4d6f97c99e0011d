"""The intake of nodes and GPUs, and the bounds on all-reduce that follow from it.

Split the ranks into m sets. Without reduction in switches every element takes 2 (m - 1) receptions
by whole sets, m - 1 to be summed and as many to be handed out (Patarasuk and Yuan, "Bandwidth
optimal all-reduce algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69, 2009,
with sets for processes). What enters all sets together therefore bounds S/T by its sum over
2 (m - 1), however the shares are summed. A single set needs all of S once, with or without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, inf, prod

from toposmith.analysis.bounds.cut_links import PER_GBPS, added, inside_name, kinds_of_ends
from toposmith.analysis.bounds.min_cut import Arc, MinCut, min_cut
from toposmith.analysis.jobs.communicator import Groups
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import CutLink
from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.collectives import busbw_factor
from toposmith.fabric.cuts import Cells
from toposmith.fabric.device import Device
from toposmith.fabric.inside import (
    NVSWITCH,
    InsideEdge,
    Vertex,
    collective_edges,
    inside_edges,
)
from toposmith.fabric.node_classes import ClassVertex
from toposmith.fabric.nvlink_domains import is_joined, outside
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan
from toposmith.fabric.single_devices import SingleDevices

_SOURCE, _SINK = ("network",), ("gpus",)


@dataclass(frozen=True)
class Intake:
    """Intake of one node of a class from the network, and of its GPUs from all others.

    Parameters
    ----------
    nodes, gpus : int
        Nodes of the class, and GPUs of each.
    node_GBps : float
        Intake of one node, one direction.
    cut : tuple of CutLink
        The links that limit it, of one node.
    gpu_GBps : float
        Sum over all GPUs of one node.
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
    """A bound on the busbw of an all-reduce, GB/s; ``of`` names it, ``cut`` has its links."""

    busbw_GBps: float
    of: str
    cut: tuple[CutLink, ...]


ALL_NODES = "ingress of all nodes"


def all_reduce_limits(network: ComputeNetwork, catalog: Catalog, groups: Groups) -> list[Limit]:
    """Bounds on the busbw of an all-reduce without reduction in switches, for any wiring.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network; only NICs and the insides of nodes are used.
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
    found = [Limit(into_gpus, "ingress of all GPUs", of_gpus)]
    nodes = sum(each.nodes for each in intakes)
    if groups.nodes > 1:
        into_nodes = sum(each.nodes * each.node_GBps for each in intakes) / nodes / groups.sharing
        of_nodes = _added((each.nodes, each.cut) for each in intakes)
        share = groups.nodes / (2 * (groups.nodes - 1))
        found.append(Limit(into_nodes * share * factor, ALL_NODES, of_nodes))
        least = min(intakes, key=lambda each: each.node_GBps)
        one = least.node_GBps / groups.sharing * factor
        found.append(Limit(one, "ingress of one node", least.cut))
    return found


def links_around_one(
    network: ComputeNetwork, catalog: Catalog, *, gpu: bool
) -> tuple[CutLink, ...]:
    """The links into the node with the least intake, or into its GPUs."""
    intakes = list(_in_racks(network, catalog))
    if not intakes:
        return ()
    if gpu:
        return min(intakes, key=lambda each: each.gpu_GBps / each.gpus).gpu_cut
    return min(intakes, key=lambda each: each.node_GBps).cut


def _added(parts: Iterable[tuple[int, tuple[CutLink, ...]]]) -> tuple[CutLink, ...]:
    """The links of so many nodes of each class."""
    return added(replace(link, cables=nodes * link.cables) for nodes, cut in parts for link in cut)


def _in_racks(network: ComputeNetwork, catalog: Catalog) -> Iterator[Intake]:
    """The intake of nodes, with those of one NVLink domain taken together."""
    trays: dict[tuple[str, Cells], list[Intake]] = defaultdict(list)
    for (group, cells), each in _intakes(network, catalog):
        if network.world.joined:
            trays[group, cells[: outside(network.plan.groups[group])]].append(each)
        else:
            yield each
    for (group, cells), alike in trays.items():
        axes = zip(network.plan.groups[group].axes, cells, strict=False)
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


def _intakes(
    network: ComputeNetwork, catalog: Catalog
) -> Iterator[tuple[tuple[str, Cells], Intake]]:
    graph = network.classes.graph
    cabled = _cabled_slots(network)
    known: dict[tuple[str, _Rates], Intake] = {}
    for node in network.classes.vertices("node"):
        group = network.plan.groups[node[1]]
        if not gpus_of(group):
            continue
        rates = tuple(sorted(cabled[node[1], node[2]].items()))
        one = known.get((group.name, rates))
        if one is None:
            slots = network.slots.get(group.name)
            edges = collective_edges(inside_edges(group, catalog), slots)
            into, cut = _node_intake(edges, group.name, slots or "", rates)
            rack = is_joined(group)
            gpus, gpu_cut = _gpu_intake(edges, group.name, slots or "", rates, rack=rack)
            one = Intake(1, gpus_of(group), into / PER_GBPS, cut, gpus / PER_GBPS, gpu_cut)
            known[group.name, rates] = one
        yield (group.name, node[2]), replace(one, nodes=graph.nodes[node]["size"])


@dataclass(frozen=True)
class TakenIn:
    """GB/s that all others can send to a GPU of one node, and to the node.

    ``gpu_GBps`` has the least and the most of its GPUs; ``gpus`` is their number.
    """

    gpu_GBps: tuple[float, float]
    node_GBps: float
    gpus: int


def taken_in(network: ComputeNetwork, catalog: Catalog) -> list[TakenIn] | None:
    """The intake of nodes where the switches next to them can fill all of their ports.

    That is so where at every switch the NICs of other nodes send as much as this node's take, and
    only the node itself limits; for a node on a single switch, nodes on neighbouring switches
    count, too. None where a switch may not fill the ports, or where NVLink joins nodes.
    """
    if network.world.joined or not network.all_on_switches:
        return None
    filled = _filled(network, catalog)
    if filled is None:
        return None
    found: dict[object, TakenIn] = {}
    for group, rates in filled:
        slots = network.slots.get(group.name) or ""
        if (group.name, rates) not in found:
            edges = collective_edges(inside_edges(group, catalog), slots or None)
            into, _ = _node_intake(edges, group.name, slots, rates)
            gpus = [value for value, _ in _gpu_intakes(edges, group.name, slots, rates, rack=False)]
            least, most = min(gpus) / PER_GBPS, max(gpus) / PER_GBPS
            found[group.name, rates] = TakenIn((least, most), into / PER_GBPS, gpus_of(group))
    return list(found.values()) or None


def _filled(network: ComputeNetwork, catalog: Catalog) -> list[tuple[GroupPlan, _Rates]] | None:
    """Node classes with their cabled slots; None where some switch may not fill a node's ports."""
    graph, devices = network.classes.graph, network.devices
    cabled = _cabled_slots(network)
    nodes: list[tuple[GroupPlan, _Rates]] = []
    sent: dict[ClassVertex, int] = defaultdict(int)
    wanted: list[tuple[Device, int, int, bool]] = []
    known: dict[tuple[str, _Rates], Mapping[int, int]] = {}
    for vertex in network.classes.vertices("node"):
        go_on(300)
        group = network.plan.groups[vertex[1]]
        if not gpus_of(group):
            continue
        slots = network.slots.get(group.name)
        rates = tuple(sorted(cabled[vertex[1], vertex[2]].items()))
        nodes.append((group, rates))
        delivered = known.get((group.name, rates))
        if delivered is None:
            edges = collective_edges(inside_edges(group, catalog), slots)
            delivered = known[group.name, rates] = _delivered(edges, slots or "", rates)
        at = tuple(network.classes.coordinates(group, vertex[2]).values())
        takes: dict[Device, int] = defaultdict(int)
        sends: dict[Device, float] = defaultdict(float)
        for slot, cables in rates:
            line = sum([round(rate * PER_GBPS) * many for _, _, rate, many in cables])
            for switch, (_, many, rate) in devices.at_node((group.name, at))[slot] if line else ():
                capacity = round(rate * PER_GBPS) * many
                takes[switch] += capacity
                sends[switch] += delivered[slot] * capacity / line
        size = graph.nodes[vertex]["size"]
        for switch, capacity in takes.items():
            beside = devices.vertex(switch)
            sent[beside] += int(sends[switch]) * size
            wanted.append((switch, capacity, ceil(sends[switch]), len(takes) == 1))
    of_one = {switch: rate // graph.nodes[switch]["size"] for switch, rate in sent.items()}
    enough = all(
        of_one[devices.vertex(switch)] >= capacity + own
        or (alone and of_one[devices.vertex(switch)] + _from_beside(devices, switch, of_one)
            >= capacity + own)
        for switch, capacity, own, alone in wanted
    )  # fmt: skip
    return nodes if enough else None


def _from_beside(devices: SingleDevices, switch: Device, sent: Mapping[ClassVertex, int]) -> int:
    """What the nodes on neighbouring switches send to a switch over the cables between, MB/s."""
    return sum(
        min(
            sent.get(devices.vertex(near), 0),
            sum(round(rate * PER_GBPS) * many for _, many, rate in bundles),
        )
        for near, bundles in devices.beside(switch).items()
    )


_Cables = tuple[tuple[str, int, float, int], ...]
"""The cables of one NIC: name and index of the link, GB/s of one, how many."""

_Rates = tuple[tuple[int, _Cables], ...]
"""The cables of every NIC of a node, by slot."""


@once
def _cabled_slots(
    network: ComputeNetwork,
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


@dataclass(frozen=True)
class _Inside:
    """One node with the network as a source that fills its ports; capacities in MB/s.

    ``of`` names the links of each arc in order; further arcs have neither limit nor name.
    """

    arcs: list[Arc]
    of: list[tuple[CutLink, ...]]

    @property
    def gpus(self) -> list[Vertex]:
        """Its GPUs."""
        ends = dict.fromkeys(end for arc in self.arcs for end in arc[:2])
        return [end for end in ends if isinstance(end, tuple) and end[0] == "gpu"]

    def cut(
        self, sources: Iterable[Vertex], sinks: Iterable[Vertex]
    ) -> tuple[int, tuple[CutLink, ...]]:
        """The flow from the network and the sources to the sinks, MB/s, and its limiting links."""
        found = self.solved(sources, sinks)
        cut = (
            link
            for (u, v, _), links in zip(self.arcs, self.of, strict=True)
            if u in found.side and v not in found.side
            for link in links
        )
        return found.value, added(cut)

    def solved(self, sources: Iterable[Vertex], sinks: Iterable[Vertex]) -> MinCut:
        """The narrowest cut between the network with these sources, and the sinks."""
        without_limit = [
            *((_SOURCE, source, inf) for source in sources),
            *((sink, _SINK, inf) for sink in sinks),
        ]
        return min_cut([*self.arcs, *without_limit], _SOURCE, _SINK)


def _inside(edges: tuple[InsideEdge, ...], group: str, slots: str, nics: _Rates) -> _Inside:
    arcs: list[Arc] = []
    of: list[tuple[CutLink, ...]] = []
    for edge in edges:
        name = inside_name(group, edge.tier)
        link = CutLink(name, None, 1, edge.GBps, kinds_of_ends(edge))
        for a, b in ((edge.a, edge.b), (edge.b, edge.a)):
            arcs.append((a, b, round(edge.GBps * PER_GBPS)))
            of.append((link,))
    for slot, cables in nics:
        capacity = sum(round(rate * PER_GBPS) * many for _, _, rate, many in cables)
        arcs.append((_SOURCE, ("slot", slots, slot), capacity))
        of.append(tuple(CutLink(name, at, many, rate) for name, at, rate, many in cables))
    return _Inside(arcs, of)


def _node_intake(
    edges: tuple[InsideEdge, ...], group: str, slots: str, nics: _Rates
) -> tuple[int, tuple[CutLink, ...]]:
    """What enters one node, MB/s, and the links that limit it."""
    alike, links = _unnamed(nics)
    value, cut = _unnamed_node_intake(edges, slots, alike)
    return value, _renamed(cut, group, links)


@lru_cache(maxsize=512)
def _unnamed_node_intake(
    edges: tuple[InsideEdge, ...], slots: str, nics: _Rates
) -> tuple[int, tuple[CutLink, ...]]:
    inside = _inside(edges, "", slots, nics)
    return inside.cut((), inside.gpus)


def _delivered(edges: tuple[InsideEdge, ...], slots: str, nics: _Rates) -> dict[int, int]:
    """MB/s that the NICs of a node can send simultaneously, by slot; equal to their intake."""
    return _unnamed_delivered(edges, slots, _unnamed(nics)[0])


def _unnamed(nics: _Rates) -> tuple[_Rates, list[tuple[str, int]]]:
    """The cables of a node with numbers for their links, equal for nodes with the same cabling."""
    links = list(dict.fromkeys((name, at) for _, cables in nics for name, at, _, _ in cables))
    number = {link: at for at, link in enumerate(links)}
    return tuple(
        (slot, tuple(("", number[name, at], rate, many) for name, at, rate, many in cables))
        for slot, cables in nics
    ), links


def _renamed(
    cut: tuple[CutLink, ...], group: str, links: list[tuple[str, int]]
) -> tuple[CutLink, ...]:
    """The links of a cut by their names: those of links, or after the group of the node."""
    return tuple(
        replace(one, link=f"{group}{one.link}")
        if one.index is None
        else replace(one, link=links[one.index][0], index=links[one.index][1])
        for one in cut
    )


@lru_cache(maxsize=512)
def _unnamed_delivered(edges: tuple[InsideEdge, ...], slots: str, nics: _Rates) -> dict[int, int]:
    inside = _inside(edges, "", slots, nics)
    found = inside.solved((), inside.gpus)
    at_slots = zip(inside.arcs, found.sent, strict=False)
    sent = {v: flow for (u, v, _), flow in at_slots if u == _SOURCE}
    return {slot: int(sent["slot", slots, slot]) for slot, _ in nics}


def _gpu_intake(
    edges: tuple[InsideEdge, ...], group: str, slots: str, nics: _Rates, *, rack: bool
) -> tuple[int, tuple[CutLink, ...]]:
    """Sum of the intake of the GPUs of a node from all others, MB/s, and the limiting links."""
    total = 0
    found: list[CutLink] = []
    for value, links in _gpu_intakes(edges, group, slots, nics, rack=rack):
        total += value
        found += links
    return total, added(found)


def _gpu_intakes(
    edges: tuple[InsideEdge, ...], group: str, slots: str, nics: _Rates, *, rack: bool
) -> tuple[tuple[int, tuple[CutLink, ...]], ...]:
    """The intake of each GPU of a node from all others, MB/s, and the limiting links."""
    alike, links = _unnamed(nics)
    found = _unnamed_gpu_intakes(edges, slots, alike, rack=rack)
    return tuple((value, _renamed(cut, group, links)) for value, cut in found)


@lru_cache(maxsize=512)
def _unnamed_gpu_intakes(
    edges: tuple[InsideEdge, ...], slots: str, nics: _Rates, *, rack: bool
) -> tuple[tuple[int, tuple[CutLink, ...]], ...]:
    inside = _inside(edges, "", slots, nics)
    gpus = inside.gpus
    switches = (NVSWITCH,) if rack and any(NVSWITCH in arc for arc in inside.arcs) else ()
    return tuple(
        inside.cut((*switches, *(other for other in gpus if other != gpu)), (gpu,)) for gpu in gpus
    )
