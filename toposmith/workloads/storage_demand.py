"""What training asks of storage, and what the design's storage gives.

Targets: NVIDIA DGX SuperPOD H100 reference architecture (RA-11333-001 V11), table 6; published for
a node, one SU and four, GB/s, good / better / best. Between and beyond, by the number of SU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import networkx as nx

from toposmith.catalog import Catalog, Storage
from toposmith.fabric.classes import base_graph
from toposmith.fabric.plan import LinkEnd, Plan
from toposmith.units import line_rate_GBps
from toposmith.workloads.block import StorageBlock, TrainingBlock
from toposmith.workloads.model import Model, WorkloadError
from toposmith.workloads.volumes import checkpoint_bytes

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


LEVELS = ("good", "better", "best")
NODE_READ_GBPS = (4.0, 8.0, 40.0)
NODE_WRITE_GBPS = (2.0, 4.0, 20.0)
SU_READ_GBPS = (15.0, 40.0, 125.0)
SU_WRITE_GBPS = (7.0, 20.0, 62.0)
SU_NODES = 32
"""Nodes of a scalable unit of that reference architecture."""

TOKEN_BYTES = 4
"""Bytes of a token in a prepared data set: a 32-bit index (Megatron-LM, indexed_dataset.py)."""


@dataclass(frozen=True)
class StorageFound:
    """The storage of a design, all together.

    Parameters
    ----------
    where : str
        What states it.
    appliances : int
        How many; 0 where only rates are given.
    appliance_read_GBps, appliance_write_GBps : float or None
        Of all; None where the catalog does not know.
    opens_per_s : float or None
        Small files that all open and read a second, likewise.
    fabric : StorageFabric or None
        Between it and the nodes; None where it is in no group of the design.
    """

    where: str
    appliances: int
    appliance_read_GBps: float | None
    appliance_write_GBps: float | None
    opens_per_s: float | None = None
    fabric: StorageFabric | None = None

    @property
    def read_GBps(self) -> float | None:
        """GB/s that all nodes together can read, limited by storage and fabric; None if unknown."""
        return self._through(self.appliance_read_GBps)

    @property
    def write_GBps(self) -> float | None:
        """GB/s that all nodes together can write; None if unknown."""
        return self._through(self.appliance_write_GBps)

    @property
    def limited_by(self) -> tuple[str, ...]:
        """The links that let less through than storage reads; empty where it is the storage."""
        read, fabric = self.appliance_read_GBps, self.fabric
        return fabric.links if fabric and (read is None or fabric.GBps < read) else ()

    def _through(self, rate_GBps: float | None) -> float | None:
        if self.fabric is None or self.fabric.GBps == 0:
            return rate_GBps if self.fabric is None else 0.0
        return None if rate_GBps is None else min(rate_GBps, self.fabric.GBps)


@dataclass(frozen=True)
class StorageNeed:
    """What a run asks of storage beside what there is.

    Parameters
    ----------
    found : StorageFound or None
        None where neither design nor workload has any storage.
    loading_GBps : float or None
        To read the samples of each step in time; None without a time of the step.
    opening_per_s : float or None
        Files to open for them a second; 0 where samples are packed, None without a time.
    checkpoint_bytes : float
        Of one checkpoint.
    checkpoint_s : float or None
        To write one; None where the rate is unknown.
    restart_s : float or None
        To read one.
    targets_read_GBps, targets_write_GBps : tuple of float
        Good, better, best for as many nodes.
    read_level, write_level : str or None
        The best target that is met, ``below good``, or None where rates are unknown.
    node_GBps : float or None
        Line rate of a node's storage ports; None where it has none.
    """

    found: StorageFound | None
    loading_GBps: float | None
    opening_per_s: float | None
    checkpoint_bytes: float
    checkpoint_s: float | None
    restart_s: float | None
    targets_read_GBps: tuple[float, ...]
    targets_write_GBps: tuple[float, ...]
    read_level: str | None
    write_level: str | None
    node_GBps: float | None


def storage_found(plan: Plan, catalog: Catalog, block: StorageBlock) -> StorageFound | None:
    """The storage that a workload names, else the storage groups of the design.

    Raises
    ------
    WorkloadError
        If the part named is no storage.
    """
    if block.part is not None:
        part = catalog.get(block.part)
        if not isinstance(part, Storage):
            known = ", ".join(each.id for each in catalog.of_kind("storage"))
            raise WorkloadError([f"storage.part: no storage {block.part!r} (known: {known})"])
        return _together({part.id: (part, block.count)})
    rates = (block.read_GBps, block.write_GBps, block.opens_per_s)
    if any(rate is not None for rate in rates):
        return StorageFound("the workload", 0, *rates)
    counts = live_devices(plan)
    found = {
        name: (group.storage, counts[name])
        for name, group in plan.groups.items()
        if group.storage is not None and counts[name]
    }
    return replace(_together(found), fabric=storage_fabric(plan)) if found else None


def _together(parts: Mapping[str, tuple[Storage, int]]) -> StorageFound:
    def total(rates: list[float | None]) -> float | None:
        known = [rate for rate in rates if rate is not None]
        return sum(known) if len(known) == len(rates) else None

    return StorageFound(
        ", ".join(f"{count} x {part.name}" for part, count in parts.values()),
        sum(count for _, count in parts.values()),
        total([None if p.read_GBps is None else p.read_GBps * n for p, n in parts.values()]),
        total([None if p.write_GBps is None else p.write_GBps * n for p, n in parts.values()]),
        total([None if p.opens_per_s is None else p.opens_per_s * n for p, n in parts.values()]),
    )


def storage_need(
    plan: Plan,
    catalog: Catalog,
    block: StorageBlock,
    model: Model,
    training: TrainingBlock,
    *,
    nodes: int,
    step_s: float | None,
) -> StorageNeed:
    """What a training run with steps of ``step_s``, if it has any, asks of storage."""
    found = storage_found(plan, catalog, block)
    sample = block.sample_bytes or training.sequence * TOKEN_BYTES
    size = checkpoint_bytes(model.parameters, training.optimiser_bytes)
    write_s = _time(size, found.write_GBps if found else None)
    restart_s = _time(size, found.read_GBps if found else None)
    su = nodes / SU_NODES
    reads = targets(NODE_READ_GBPS, SU_READ_GBPS, nodes, su)
    writes = targets(NODE_WRITE_GBPS, SU_WRITE_GBPS, nodes, su)
    return StorageNeed(
        found,
        None if step_s is None else training.batch * sample / step_s / 1e9,
        None if step_s is None else training.batch * block.sample_files / step_s,
        size,
        write_s,
        restart_s,
        reads,
        writes,
        level(found.read_GBps if found else None, reads),
        level(found.write_GBps if found else None, writes),
        node_storage_GBps(plan),
    )


def targets(
    node: tuple[float, ...], unit: tuple[float, ...], nodes: int, su: float
) -> tuple[float, ...]:
    """Targets for so many nodes: by the SU, and never more than all nodes together could use."""
    return tuple(min(a * nodes, b * max(su, 1 / SU_NODES)) for a, b in zip(node, unit, strict=True))


def level(rate_GBps: float | None, wanted: tuple[float, ...]) -> str | None:
    """The best target that a rate meets; None for an unknown rate."""
    if rate_GBps is None:
        return None
    met = [name for name, each in zip(LEVELS, wanted, strict=True) if rate_GBps >= each]
    return met[-1] if met else "below good"


def node_storage_GBps(plan: Plan) -> float | None:
    """Line rate of the storage ports of the node that has least; None where one has none."""
    rates: list[float] = []
    for group in plan.groups.values():
        if group.node is None or not group.node.gpus:
            continue
        ports = group.port_groups.get("storage")
        if ports is None or ports.nic is None:
            return None
        rates.append(ports.nics * line_rate_GBps(ports.nic.together_gbit))
    return min(rates, default=None)


def _time(size: float, rate_GBps: float | None) -> float | None:
    return size / (rate_GBps * 1e9) if rate_GBps else None
