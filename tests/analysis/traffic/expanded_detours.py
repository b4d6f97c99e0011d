"""The best split over detours by brute force: all paths of the expanded fabric, one linear program.

Nothing here is of the engine but the expansion: paths are all simple ones of five hops, kept where
the rule of docs/model.md allows them.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby, pairwise

import networkx as nx
import numpy as np
from scipy.optimize import linprog

from tests.expanded import Expanded, Vertex
from toposmith.fabric.plan import Plan


class ExpandedDetours:
    """The switches of a plan one by one, with what nodes that follow each other send."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.brute = Expanded(plan)
        expanded = self.brute.graph
        self.switches = nx.DiGraph()
        for u, v, data in expanded.edges(data=True):
            if plan.groups[u[1]].switch and plan.groups[v[1]].switch:
                for one, other in ((u, v), (v, u)):
                    had = self.switches.get_edge_data(one, other, {"GBps": 0.0})["GBps"]
                    self.switches.add_edge(one, other, GBps=had + data["GBps"])
        dealt = [link for link in plan.links if link.bundle]
        self.dealt = bool(dealt)
        self.axes = {
            axis for link in dealt or plan.links for axis, word in link.along if word == "other"
        }

    def ring_flows(self) -> dict[tuple[Vertex, Vertex], float]:
        """What switches send to each other, in units of what a NIC sends."""
        nodes, flows = self.brute.nodes, defaultdict(float)
        many = min(len(self.brute.nics(node)) for node in nodes)
        for sender, receiver in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
            for out, back in self.brute._pairs(sender, receiver)[:many]:
                start, end = (self._switch(nic) for nic in (out, back))
                if start != end:
                    flows[start, end] += 1.0
        return flows

    def _switch(self, nic: Vertex) -> Vertex:
        (found,) = {v for v in self.brute.graph.neighbors(nic) if self.plan.groups[v[1]].switch}
        return found

    def at_nics(self) -> float:
        """How full the fullest cable of a NIC is by a ring of rate 1."""
        graph = self.brute.graph
        many = min(len(self.brute.nics(node)) for node in self.brute.nodes)
        rates = [
            sum(d["GBps"] for _, peer, d in graph.edges(nic, data=True) if peer[0] == "device"
                and self.plan.groups[peer[1]].switch)
            for node in self.brute.nodes
            for nic in self.brute.nics(node)[:many]
        ]  # fmt: skip
        return max(1 / rate for rate in rates)

    def exchange_flows(self) -> dict[tuple[Vertex, Vertex], float]:
        """What switches send to each other where all ranks exchange, in units of a rank's rate."""
        nodes, flows = self.brute.nodes, defaultdict(float)
        ranks = sum(map(self._gpus, nodes))
        on = {node: self._switch(self.brute.nics(node)[0]) for node in nodes}
        for sender in nodes:
            for receiver in nodes:
                if on[sender] != on[receiver]:
                    sent = self._gpus(sender) * self._gpus(receiver) / ranks
                    flows[on[sender], on[receiver]] += sent
        return flows

    def _gpus(self, node: Vertex) -> int:
        found = self.plan.groups[node[1]].node
        assert found is not None
        return found.gpus

    def exchange_at_nics(self) -> float:
        """How full the fullest cable of a NIC is where all ranks exchange at rate 1."""
        nodes, graph = self.brute.nodes, self.brute.graph
        ranks, worst = sum(map(self._gpus, nodes)), 0.0
        for node in nodes:
            out = self._gpus(node) * (ranks - self._gpus(node)) / ranks
            nics = self.brute.nics(node)
            for nic in nics:
                rates = [
                    d["GBps"] for _, peer, d in graph.edges(nic, data=True)
                    if peer[0] == "device" and self.plan.groups[peer[1]].switch
                ]  # fmt: skip
                worst = max(worst, out / len(nics) / sum(rates))
        return worst

    def fullest(self) -> float | None:
        """The least utilisation of the fullest cable by a ring; None where a flow has no path."""
        return self._fullest(self.ring_flows(), self.at_nics())

    def fullest_of_exchange(self) -> float | None:
        """The same by an exchange of all ranks."""
        return self._fullest(self.exchange_flows(), self.exchange_at_nics())

    def _fullest(self, flows: dict[tuple[Vertex, Vertex], float], least: float) -> float | None:
        paths = [(flow, path) for flow, ends in enumerate(flows) for path in self.paths(*ends)]
        if {flow for flow, _ in paths} != set(range(len(flows))):
            return None
        arcs = {arc: row for row, arc in enumerate(self.switches.edges)}
        loads, sums = np.zeros((len(arcs), len(paths) + 1)), np.zeros((len(flows), len(paths) + 1))
        for column, (flow, path) in enumerate(paths):
            sums[flow, column] = 1
            for arc in pairwise(path):
                loads[arcs[arc], column] += 1 / self.switches.edges[arc]["GBps"]
        loads[:, -1] = -1
        cost = np.zeros(len(paths) + 1)
        cost[-1] = 1
        bounds = [(0, None)] * len(paths) + [(least, None)]
        found = linprog(
            cost, A_ub=loads, b_ub=np.zeros(len(arcs)), A_eq=sums, b_eq=list(flows.values()),
            bounds=bounds,
        )  # fmt: skip
        assert found.status == 0
        return found.fun

    def paths(self, start: Vertex, end: Vertex) -> list[list[Vertex]]:
        if start not in self.switches or not nx.has_path(self.switches, start, end):
            return []
        found = self._minimal(start, end)
        for path in nx.all_simple_paths(self.switches, start, end, cutoff=5):
            if path not in found and any(self._allowed(axis, path) for axis in self.axes):
                found.append(path)
        return found

    def _minimal(self, start: Vertex, end: Vertex) -> list[list[Vertex]]:
        if self.dealt:
            (axis,) = self.axes
            own = {self._value(axis, start), self._value(axis, end)}
            inside = self.switches.subgraph(v for v in self.switches if self._value(axis, v) in own)
            if nx.has_path(inside, start, end):
                return list(nx.all_shortest_paths(inside, start, end))
        return list(nx.all_shortest_paths(self.switches, start, end))

    def _allowed(self, axis: str, path: list[Vertex]) -> bool:
        """Over one other set, or over one other switch of the set, the shortest way inside each."""
        stretches = [
            (value, list(part)) for value, part in groupby(path, lambda v: self._value(axis, v))
        ]
        if any(value is None for value, _ in stretches):
            return False
        if len(stretches) == 1:
            whole = len(path) - 1
            return any(
                self._inside(axis, path[0], over) + self._inside(axis, over, path[-1]) == whole
                for over in path[1:-1]
            )
        if len(stretches) != 3:
            return False
        return all(self._inside(axis, part[0], part[-1]) == len(part) - 1 for _, part in stretches)

    def _inside(self, axis: str, start: Vertex, end: Vertex) -> float:
        own = self._value(axis, start)
        inside = self.switches.subgraph(v for v in self.switches if self._value(axis, v) == own)
        if not nx.has_path(inside, start, end):
            return float("inf")
        return nx.shortest_path_length(inside, start, end)

    def _value(self, axis: str, switch: Vertex) -> int | None:
        axes = self.plan.groups[switch[1]].axes
        return switch[2][axes.index(axis)] if axis in axes else None
