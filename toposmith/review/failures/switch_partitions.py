"""What is connected where switches are joined along axes, computed switch by switch.

Distinguishing one switch of a torus or a dragonfly leaves hardly two equivalent, so that a class
graph for each question costs more than one walk over all switches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.cancellation import go_on
from toposmith.fabric.device import Device
from toposmith.fabric.once import once

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
        found: dict[Device, Switches] = {}
        for block in self.network.world.blocks:
            for low, high in block.runs:
                for own in range(low, high + 1):
                    node = (block.group.name, (*block.outer, own))
                    nics = self.network.devices.at_node(node)
                    found[node] = frozenset(switch for nic in nics for switch, _ in nic)
        return found

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
        waiting = list({switch for on in self._gpus for switch in on})
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
        return [frozenset(part) for part in nx.connected_components(self._graph)]

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
        groups = {node[0] for node, on in self.nodes.items() if gone in on}
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
            while waiting:
                for near in self._graph.adj[waiting.pop()]:
                    if near != gone and near not in part:
                        part.add(near)
                        waiting.append(near)
            seen |= part
            most = max(most, sum(g for on, g in self._gpus.items() if not on.isdisjoint(part)))
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
            kept += [(name, (*before, run, *after)) for run in _runs(values)]
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


def _runs(values: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Intervals, adjacent ones joined."""
    runs: list[tuple[int, int]] = []
    for low, high in sorted(values):
        if runs and runs[-1][1] + 1 == low:
            runs[-1] = (runs[-1][0], high)
        else:
            runs.append((low, high))
    return runs
