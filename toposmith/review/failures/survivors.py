"""Which nodes can still reach each other once something has failed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import Catalog
from toposmith.fabric.classes import ClassGraph, ClassVertex
from toposmith.fabric.nvlink_domains import outside
from toposmith.fabric.once import once
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.switch_partitions import (
    SwitchPartitions,
    selectors_of,
    switch_partitions,
)


@dataclass(frozen=True)
class Survivors:
    """The largest part of the nodes that hangs together.

    Parameters
    ----------
    gpus : int
        GPUs in it.
    parts : int
        How many parts the nodes fall into; 1 where every node reaches every other.
    cut_off : tuple of str
        Selectors of the nodes outside of it.
    """

    gpus: int
    parts: int
    cut_off: tuple[str, ...] = ()


def also_down(plan: Plan, catalog: Catalog, selectors: tuple[str, ...]) -> Plan:
    """The plan with more things down: selectors as under ``down:``."""
    down = (*plan.design.down, *selectors)
    return plan_design(plan.design.model_copy(update={"down": down}), catalog)


@once
def cut_off_without(network: ComputeNetwork, catalog: Catalog, group: str) -> int:
    """GPUs that a job loses with the one device of a group that costs it most.

    Where nodes are apart already, those that reached each other before.
    """
    plan, classes, grid = network.plan, network.classes, network.grid
    if grid is not None and group == grid.switch.name:
        # rings and meshes stay connected without any one switch
        return grid.nodes_per_switch * gpus_of(grid.node)
    partitions = switch_partitions(network)
    lost, before = 0, None
    if partitions is None and survivors(network).parts > 1:
        before = _sizes(network)
    for vertex in classes.vertices("switch"):
        if vertex[1] == group:
            at = classes.coordinates(plan.groups[group], vertex[2])
            if partitions is not None:
                lost = max(lost, partitions.lost_without((group, tuple(at.values()))))
                continue
            words = ",".join(f"{axis}={value}" for axis, value in at.items())
            without = ComputeNetwork(also_down(plan, catalog, (f"{group}[{words}]",)))
            if before is None:
                lost = max(lost, network.world.gpus - survivors(without).gpus)
                continue
            # one part falls into smaller ones, all others stay as they are
            after = _sizes(without)
            parts = [gpus for gpus, many in before.items() if many > after.get(gpus, 0)]
            pieces = [gpus for gpus, many in after.items() if many > before.get(gpus, 0)]
            lost = max(lost, max(parts, default=0) - max(pieces, default=0))
    return lost


def _sizes(network: ComputeNetwork) -> dict[int, Fraction]:
    """How many parts of so many GPUs the nodes hang together in."""
    found: dict[int, Fraction] = {}
    for node in network.classes.vertices("node"):
        if gpus_of(network.plan.groups[node[1]]):
            fine, reached = _reached(network, node)
            gpus = sum(_gpus(network, fine, vertex) for vertex in reached)
            many = sum(fine.graph.nodes[vertex]["size"] for vertex in reached)
            size = network.classes.graph.nodes[node]["size"]
            found[gpus] = found.get(gpus, Fraction(0)) + Fraction(size, many)
    return found


@once
def survivors(network: ComputeNetwork) -> Survivors:
    """The nodes that a job can go on with: the most GPUs that one node reaches, itself among them.

    Traffic passes through switches, never through nodes, as in
    :func:`toposmith.analysis.traffic.class_routes.hops_to`; inside a rack of NVLink trays
    over the switches of the rack.
    """
    partitions = switch_partitions(network)
    if partitions is not None:
        return _switch_by_switch(partitions)
    graph = network.classes.graph
    total = network.world.gpus
    best = Survivors(0, 0)
    parts = Fraction(0)
    nodes = [v for v in network.classes.vertices("node") if gpus_of(network.plan.groups[v[1]])]
    for node in sorted(nodes, key=lambda v: -graph.nodes[v]["size"]):
        fine, reached = _reached(network, node)
        gpus = sum(_gpus(network, fine, vertex) for vertex in reached)
        if gpus == total:
            return Survivors(total, 1)
        many = sum(fine.graph.nodes[vertex]["size"] for vertex in reached)
        parts += Fraction(graph.nodes[node]["size"], many)
        if gpus > best.gpus:
            best = Survivors(gpus, 0, tuple(_selectors(network, fine, reached)))
    return Survivors(best.gpus, ceil(parts), best.cut_off)


def _switch_by_switch(partitions: SwitchPartitions) -> Survivors:
    """The same where each switch is looked at once."""
    network = partitions.network
    groups, by_parts = network.plan.groups, list(partitions.reached())
    best, parts, chosen = 0, Fraction(0), frozenset[int]()
    for own, nodes in by_parts:
        if not own:  # a node without a cable reaches itself
            parts += len(nodes)
            best = max(best, max(gpus_of(groups[name]) for name, _ in nodes))
            continue
        reached = [node for other, those in by_parts if own & other for node in those]
        parts += Fraction(len(nodes), len(reached))
        gpus = sum(gpus_of(groups[name]) for name, _ in reached)
        if gpus > best:
            best, chosen = gpus, own
    if best == network.world.gpus:
        return Survivors(best, 1)
    alone = None
    if not chosen:
        alone = max(
            (node for own, nodes in by_parts if not own for node in nodes),
            key=lambda node: gpus_of(groups[node[0]]),
            default=None,
        )
    outside = (n for own, nodes in by_parts if not own & chosen for n in nodes if n != alone)
    return Survivors(best, ceil(parts), selectors_of(network, outside))


def _gpus(network: ComputeNetwork, classes: ClassGraph, node: ClassVertex) -> int:
    return int(classes.graph.nodes[node]["size"]) * gpus_of(network.plan.groups[node[1]])


def _reached(network: ComputeNetwork, node: ClassVertex) -> tuple[ClassGraph, set[ClassVertex]]:
    """The classes of nodes that one node of a class reaches, and the graph that distinguishes it.

    That node is a class of its own, so that a class is reached as a whole or not at all.
    """
    group = network.plan.groups[node[1]]
    at = network.classes.coordinates(group, node[2])
    cuts = network.classes.cuts.with_points({axis: [value] for axis, value in at.items()})
    fine = network.classes_with(cuts)
    start: ClassVertex = ("device", group.name, fine.cells_at(group, at))
    graph = fine.graph
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        own = here[0] == "nic" and here[1] == group.name and here[3] == start[2]
        for peer in graph[here]:
            # a NIC of another node leads into that node only, and a node leads nowhere
            into_node = graph.nodes[peer]["kind"] == "node"
            if peer in seen or (here[0] == "nic" and not own and not into_node):
                continue
            seen.add(peer)
            if not into_node:
                waiting.append(peer)
    reached = {v for v in seen if graph.nodes[v]["kind"] == "node" and _gpus(network, fine, v)}
    return fine, reached | _over_nvlink(network, fine, start, reached)


def _over_nvlink(
    network: ComputeNetwork, classes: ClassGraph, start: ClassVertex, reached: set[ClassVertex]
) -> set[ClassVertex]:
    """The nodes that share a rack's NVLink switches with one node and can go on with it.

    A job of several racks leaves every tray over NICs of its own; inside one rack none needs any.
    """
    if not network.world.joined:
        return set()
    nodes = classes.vertices("node")
    apart = outside(network.plan.groups[start[1]])
    rack = {v for v in nodes if v[1] == start[1] and v[2][:apart] == start[2][:apart]}
    if reached <= rack:
        return rack
    graph = classes.graph
    cabled = {
        ("device", nic[1], nic[3])
        for nic in classes.vertices("nic")
        if any(data["link"] is not None for _, _, data in graph.edges(nic, data=True))
    }
    return rack & cabled


def _selectors(
    network: ComputeNetwork, classes: ClassGraph, reached: set[ClassVertex]
) -> list[str]:
    """Selectors of all nodes with GPUs that are not among those reached."""
    found: list[str] = []
    for vertex in classes.vertices("node"):
        group = network.plan.groups[vertex[1]]
        if vertex in reached or not gpus_of(group):
            continue
        cells = zip(group.axes, vertex[2], strict=True)
        intervals = [classes.cuts.cells(axis)[cell].intervals for axis, cell in cells]
        for ranges in product(*intervals):
            axes = zip(group.axes, ranges, strict=True)
            words = (f"{axis}={low}..{high}" for axis, (low, high) in axes)
            found.append(f"{group.name}[{','.join(words)}]")
    return found
