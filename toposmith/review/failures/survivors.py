"""Which nodes can still reach each other once something has failed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil

import networkx as nx

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.fabric.classes import ClassGraph, ClassVertex
from toposmith.fabric.device import Device
from toposmith.fabric.nvlink_domains import outside
from toposmith.fabric.once import once
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.intervals import joined_intervals

Runs = tuple[tuple[int, int], ...]
"""First and last value on each axis, both included."""

Switches = frozenset[Device]
"""The switches that a node is connected to."""


@dataclass(frozen=True)
class SwitchPartitions:
    """The switches of a network that have nodes behind them, and which of them reach each other.

    Traffic passes through switches, never through nodes.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network; every cable of a node leads to a switch.
    """

    network: ComputeNetwork

    @staticmethod
    def suits(network: ComputeNetwork) -> bool:
        """Whether a network is looked at switch by switch: where few devices are equivalent."""
        singly = network.along or network.routed_singly
        return singly and network.all_on_switches and not network.world.joined

    @cached_property
    def nodes(self) -> Mapping[Device, Switches]:
        """The switches that each node is connected to."""
        # imported here: it needs numpy, which small designs do not
        from toposmith.analysis.traffic.row_network import row_network

        net = row_network(self.network)
        of_kind = defaultdict[int, set[Device]](set)
        kind, cable, _ = net.cables_of_kinds
        for number, at in zip(kind.tolist(), net.attachments.switch[cable].tolist(), strict=True):
            of_kind[number].add(net.rows.device(at))
        on = [frozenset(of_kind[number]) for number in range(len(net.kinds.count))]
        places = zip(net.kinds.nodes.tolist(), net.kinds.of_node.tolist(), strict=True)
        return {net.rows.device(node): on[number] for node, number in places}

    @cached_property
    def _gpus(self) -> Counter[Switches]:
        """The GPUs that hang on the same switches."""
        groups, found = self.network.plan.groups, Counter[Switches]()
        for node, on in self.nodes.items():
            found[on] += gpus_of(groups[node[0]])
        return found

    @cached_property
    def _graph(self) -> nx.Graph[Device]:
        graph: nx.Graph[Device] = nx.Graph()
        waiting = list(self._hosts)
        graph.add_nodes_from(waiting)
        done: set[Device] = set()
        while waiting:
            go_on()
            switch = waiting.pop()
            near = [peer for peer in self.network.devices.beside(switch) if peer not in done]
            done.add(switch)
            waiting += [peer for peer in near if peer not in graph]
            graph.add_edges_from([(switch, peer) for peer in near])
        return graph

    @cached_property
    def partitions(self) -> list[frozenset[Device]]:
        """Switches that reach each other, the sets apart."""
        # imported here: it needs numpy, which small designs do not
        from toposmith.analysis.traffic.row_network import joined_switches

        return [part for part in joined_switches(self.network) if part & self._hosts]

    @cached_property
    def _hosts(self) -> frozenset[Device]:
        """Switches that nodes are cabled to."""
        return frozenset(switch for on in self._gpus for switch in on)

    @cached_property
    def _articulations(self) -> frozenset[Device]:
        """Switches without which others no longer reach each other."""
        return frozenset(nx.articulation_points(self._graph))

    @cached_property
    def _part_of(self) -> Mapping[Device, int]:
        return {switch: number for number, part in enumerate(self.partitions) for switch in part}

    @cached_property
    def _by_switch(self) -> Mapping[Device, list[tuple[Switches, int]]]:
        """The nodes on each switch: all switches of theirs, and GPUs."""
        found: dict[Device, list[tuple[Switches, int]]] = defaultdict(list)
        for on, gpus in self._gpus.items():
            for switch in on:
                found[switch].append((on, gpus))
        return found

    @cached_property
    def _groups_on(self) -> Mapping[Device, set[str]]:
        """The groups of nodes on each switch."""
        found: dict[Device, set[str]] = defaultdict(set)
        for node, on in self.nodes.items():
            for switch in on:
                found[switch].add(node[0])
        return found

    @cached_property
    def _gpus_of_part(self) -> list[int]:
        """GPUs with a cable into each partition."""
        found = [0] * len(self.partitions)
        for on, gpus in self._gpus.items():
            for part in {self._part_of[switch] for switch in on}:
                found[part] += gpus
        return found

    def lost_without(self, gone: Device) -> int:
        """The GPUs that a job can no longer have once a switch is gone.

        Where nodes are apart already, of those that reach each other over the switch.
        """
        if self._nodes_join_partitions:
            return self._lost_with_nodes(gone)
        if gone not in self._graph:
            return 0
        own = self._part_of[gone]
        groups = self._groups_on.get(gone, ())
        alone = max((gpus_of(self.network.plan.groups[name]) for name in groups), default=0)
        return max(self._gpus_of_part[own] - max(self._left_of_own(gone), alone), 0)

    def _lost_with_nodes(self, gone: Device) -> int:
        """The same where nodes join partitions, each by its cables into several.

        A job goes on over what switches and such nodes join, as a tree through them does.
        """
        joined = self._graph.copy()
        for on in self._gpus:
            nx.add_path(joined, on)
        if gone not in joined:
            return 0
        own = nx.node_connected_component(joined, gone)
        before = sum(gpus for on, gpus in self._gpus.items() if on & own)
        left = self._graph.subgraph(own - {gone}).copy()
        for on in self._gpus:
            nx.add_path(left, (on & own) - {gone})
        pieces = (
            sum(gpus for on, gpus in self._gpus.items() if on & piece)
            for piece in nx.connected_components(left)
        )
        groups = {node[0] for node, on in self.nodes.items() if on & own}
        alone = max((gpus_of(self.network.plan.groups[name]) for name in groups), default=0)
        return max(before - max(alone, *pieces, 0), 0)

    @cached_property
    def _nodes_join_partitions(self) -> bool:
        """Whether some node has cables into several partitions, such as planes."""
        return any(len({self._part_of[switch] for switch in on}) > 1 for on in self._gpus)

    def _left_of_own(self, gone: Device) -> int:
        """The most GPUs of a switch's own partition that reach each other without it."""
        own = self._part_of[gone]
        if gone in self._articulations:
            return self._walked_without(gone)
        lost = sum(
            gpus
            for on, gpus in self._by_switch.get(gone, ())
            if not any(self._part_of[switch] == own for switch in on - {gone})
        )
        return self._gpus_of_part[own] - lost

    def _walked_without(self, gone: Device) -> int:
        """The most GPUs in any of what the partition of a switch falls into without it."""
        seen, most = {gone}, 0
        for start in self._graph.adj[gone]:
            if start in seen:
                continue
            part, waiting = {start}, [start]
            found: dict[Switches, int] = {}
            while waiting:
                switch = waiting.pop()
                found.update(self._by_switch.get(switch, ()))
                for near in self._graph.adj[switch]:
                    if near != gone and near not in part:
                        part.add(near)
                        waiting.append(near)
            seen |= part
            most = max(most, sum(found.values()))
        return most

    def reached(self) -> Iterator[tuple[frozenset[int], list[Device]]]:
        """Nodes by the partitions that they have cables into, in the order of ranks."""
        by_parts: dict[frozenset[int], list[Device]] = defaultdict(list)
        for node, on in self.nodes.items():
            by_parts[frozenset(self._part_of[switch] for switch in on)].append(node)
        yield from by_parts.items()


@once
def switch_partitions(network: ComputeNetwork) -> SwitchPartitions | None:
    """The partitions of a network that is looked at switch by switch, else None; found once."""
    return SwitchPartitions(network) if SwitchPartitions.suits(network) else None


def selectors_of(network: ComputeNetwork, nodes: Iterable[Device]) -> tuple[str, ...]:
    """Selectors of nodes, those in a row along an axis as one; the last axis goes first."""
    boxes: list[tuple[str, Runs]] = [
        (name, tuple((value, value) for value in at)) for name, at in nodes
    ]
    most = max((len(at) for _, at in boxes), default=0)
    for axis in reversed(range(most)):
        rows: dict[tuple[str, Runs, Runs], list[tuple[int, int]]] = defaultdict(list)
        for name, at in boxes:
            if axis < len(at):
                rows[name, at[:axis], at[axis + 1 :]].append(at[axis])
        kept = [(name, at) for name, at in boxes if axis >= len(at)]
        for (name, before, after), values in rows.items():
            kept += [(name, (*before, run, *after)) for run in joined_intervals(sorted(values))]
        boxes = kept
    groups = network.plan.groups
    return tuple(
        f"{name}["
        + ",".join(
            f"{axis}={low}..{high}" for axis, (low, high) in zip(groups[name].axes, at, strict=True)
        )
        + "]"
        for name, at in boxes
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
    :func:`toposmith.analysis.traffic.row_exchange.all_to_all_loads`; inside a rack of NVLink trays
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
