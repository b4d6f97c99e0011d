"""Brute force on the expanded fabric: what the class graph's answers are held against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import networkx as nx

from tests.expansion import expand
from toposmith.analysis.network import compute_slots
from toposmith.fabric.plan import Plan

Vertex = tuple[Any, ...]
Loads = dict[tuple[Vertex, Vertex, int | None], float]
"""Load of one cable, by its ends and its link."""


class Expanded:
    """A plan's fabric, device by device, with its nodes in rank order.

    ``weighted`` says whether devices split by the capacity onwards, or equally by cable.
    """

    def __init__(self, plan: Plan, *, weighted: bool = True) -> None:
        self.plan = plan
        self.within = False
        self.weighted = weighted
        self.graph = expand(plan)
        self.nodes = [
            v
            for name, group in plan.groups.items()
            if group.node is not None
            for v in sorted(x for x in self.graph if x[:2] == ("device", name))
        ]
        self.gpus = {v: plan.groups[v[1]].node.gpus for v in self.nodes}  # type: ignore[union-attr]
        self.total = sum(self.gpus.values())

    def nics(self, node: Vertex) -> list[Vertex]:
        """The cabled NICs of a node, by slot."""
        slots = compute_slots(self.plan, self.plan.groups[node[1]])
        return sorted(
            v
            for v in self.graph.neighbors(node)
            if v[0] == "nic" and v[2] == slots and self.graph.degree(v) > 1
        )

    def towards(
        self,
        target: Vertex,
        sources: dict[Vertex, float],
        hops: dict[Vertex, int] | None = None,
    ) -> Loads | None:
        """Loads cable by cable, or None if a source cannot reach the target."""
        if any(link.bundle for link in self.plan.links) and not self.within:
            return self._through_no_third_set(target, sources)
        hops = self.reaching(target) if hops is None else hops
        if any(source not in hops for source in sources):
            return None
        amount: dict[Vertex, float] = defaultdict(float, sources)
        loads: Loads = defaultdict(float)
        for vertex in sorted(hops, key=lambda v: -hops[v]):
            if vertex == target or not amount[vertex]:
                continue
            weights = {
                (peer, key): weight
                for peer in self._closer(vertex, target, hops)
                for key, weight in self._weights(vertex, peer, target, hops).items()
            }
            for (peer, key), weight in weights.items():
                part = amount[vertex] * weight / sum(weights.values())
                # parallel cables of one link bear alike
                link = self.graph.edges[vertex, peer, key]["link"]
                loads[vertex, peer, link] = max(loads[vertex, peer, link], part)
                amount[peer] += part
        return loads

    def _through_no_third_set(self, target: Vertex, sources: dict[Vertex, float]) -> Loads | None:
        """Where cables are dealt between sets of switches, each source on a fabric of its own.

        That has the sets at both ends alone, or all where these do not meet.
        """
        ((group, at),) = {
            (link.a.group, self.plan.groups[link.a.group].axes.index(axis))
            for link in self.plan.links
            for axis, word in link.along
            if link.bundle and word == "other"
        }

        def sets(end: Vertex) -> set[int]:
            nics = self.nics(end) if end in self.gpus else [end]
            peers = (peer for nic in nics for peer in self.graph.neighbors(nic))
            return {peer[2][at] for peer in peers if peer[:2] == ("device", group)}

        summed: Loads = defaultdict(float)
        for source, rate in sources.items():
            both = sets(source) | sets(target)
            part = Expanded.__new__(Expanded)
            part.__dict__.update(self.__dict__, within=True)
            part.graph = self.graph.subgraph(
                v for v in self.graph if v[:2] != ("device", group) or v[2][at] in both
            )
            loads = part.towards(target, {source: rate})
            if loads is None:
                part.graph = self.graph
                loads = part.towards(target, {source: rate})
            if loads is None:
                return None
            for arc, load in loads.items():
                summed[arc] += load
        return summed

    def _closer(self, vertex: Vertex, target: Vertex, hops: dict[Vertex, int]) -> list[Vertex]:
        """The devices, one by one, that are one hop closer and pass traffic on."""
        return [
            peer
            for peer in set(self.graph.neighbors(vertex))
            if hops.get(peer) == hops[vertex] - 1
            and (vertex in self.gpus or peer == target or self._is_switch(peer))
        ]

    def _weights(
        self, vertex: Vertex, peer: Vertex, target: Vertex, hops: dict[Vertex, int]
    ) -> dict[object, float]:
        """What each cable to one next device counts."""
        cables = self.graph.get_edge_data(vertex, peer)
        if not self.weighted or vertex in self.gpus:
            return dict.fromkeys(cables, 1.0)
        fits = self._onward(peer, target, hops)
        if fits == float("inf"):
            return {key: data["GBps"] for key, data in cables.items()}
        alike = [one for one in self._closer(vertex, target, hops) if one[1] == peer[1]]
        dealt = self._dealt(vertex, peer) if vertex[0] == "device" else 0.0
        whole = max(dealt, *(self._together(vertex, one) for one in alike))
        best = max(self._onward(one, target, hops) for one in alike)
        here = self._together(vertex, peer)
        weight = min(whole, best) * min(here / whole, fits / best)
        return {key: data["GBps"] * weight / here for key, data in cables.items()}

    def _together(self, vertex: Vertex, peer: Vertex) -> float:
        return float(sum(data["GBps"] for data in self.graph.get_edge_data(vertex, peer).values()))

    def _dealt(self, vertex: Vertex, peer: Vertex) -> float:
        """What all cables between two such switches carry as links deal them, GB/s."""
        pair = {vertex[1], peer[1]}
        return sum(
            link.cables_per_pair * link.speed_gbit / 8
            for link in self.plan.links
            if {link.a.group, link.b.group} == pair and not link.along
        )

    def _onward(self, vertex: Vertex, target: Vertex, hops: dict[Vertex, int]) -> float:
        """What a device can pass on towards a target, GB/s; no limit next to it."""
        if hops[vertex] <= 1:
            return float("inf")
        return sum(
            sum(self._weights(vertex, peer, target, hops).values())
            for peer in self._closer(vertex, target, hops)
        )

    def reaching(self, target: Vertex) -> dict[Vertex, int]:
        """Hops to a NIC from all that can send to it."""
        hops = {target: 0}
        queue = [target]
        while queue:
            here = queue.pop(0)
            for peer in set(self.graph.neighbors(here)):
                if peer in hops:
                    continue
                is_node = peer in self.gpus
                if here == target and is_node:
                    continue
                if here in self.gpus:
                    continue
                if here[0] == "nic" and here != target and not is_node:
                    continue
                hops[peer] = hops[here] + 1
                queue.append(peer)
        return hops

    def _is_switch(self, vertex: Vertex) -> bool:
        return vertex[0] == "device" and vertex not in self.gpus

    def all_to_all(self) -> dict[int, float] | None:
        """Worst cable per link for ranks that send 1/N of a unit to each rank; None if cut off."""
        total: Loads = defaultdict(float)
        for receiver in self.nodes:
            nics = self.nics(receiver)
            reach = {target: self._sending(target) for target in nics}
            for sender in self.nodes:
                if sender != receiver and not any(sender in reach[target] for target in nics):
                    return None
            for target in nics:
                sources = {
                    sender: self.gpus[sender]
                    * self.gpus[receiver]
                    / sum(sender in reach[other] for other in nics)
                    / self.total
                    for sender in self.nodes
                    if sender != receiver and sender in reach[target]
                }
                loads = self.towards(target, sources, reach[target])
                assert loads is not None
                for arc, load in loads.items():
                    total[arc] += load
        return self.worst_per_link(total)

    def ring(self) -> dict[int, float] | None:
        """Worst cable per link for a ring in rank order, in units of one NIC's load."""
        total: Loads = defaultdict(float)
        many = min((len(self.nics(node)) for node in self.nodes), default=0)
        if not many:
            return None
        for position, sender in enumerate(self.nodes):
            receiver = self.nodes[(position + 1) % len(self.nodes)]
            if sender == receiver:
                continue
            for start, end in self._pairs(sender, receiver)[:many]:
                loads = self.towards(end, {start: 1.0})
                if loads is None:
                    return None
                for arc, load in loads.items():
                    total[arc] += load
        return self.worst_per_link(total)

    def _sending(self, target: Vertex) -> dict[Vertex, int]:
        """Hops to a NIC; a node with as many NICs sends by the one in the same slot."""
        hops = self.reaching(target)
        fitted = self._fitted(target[1])
        for node in self.nodes:
            same = [nic for nic in self.nics(node) if nic[4] == target[4] and nic in hops]
            if node in hops and same and self._fitted(node[1]) == fitted:
                hops[node] = hops[same[0]] + 1
        return hops

    def _fitted(self, name: str) -> int:
        group = self.plan.groups[name]
        slots = compute_slots(self.plan, group)
        return 0 if slots is None else group.port_groups[slots].nics

    def hops(self, pairs: Iterable[tuple[int, int]]) -> dict[int, float] | None:
        """Worst cable per link for hops between nodes, by position, over all NICs they share."""
        total: Loads = defaultdict(float)
        many = min((len(self.nics(node)) for node in self.nodes), default=0)
        for sender, receiver in pairs:
            for start, end in self._pairs(self.nodes[sender], self.nodes[receiver])[:many]:
                loads = self.towards(end, {start: 1.0})
                if loads is None:
                    return None
                for arc, load in loads.items():
                    total[arc] += load
        return self.worst_per_link(total)

    def _pairs(self, sender: Vertex, receiver: Vertex) -> list[tuple[Vertex, Vertex]]:
        """NICs of equal slots; those left over in the order of their slots."""
        out = {nic[4]: nic for nic in self.nics(sender)}
        back = {nic[4]: nic for nic in self.nics(receiver)}
        common = [slot for slot in out if slot in back]
        rest = zip(
            [out[s] for s in out if s not in back],
            [back[s] for s in back if s not in out],
            strict=False,
        )
        return [*((out[slot], back[slot]) for slot in common), *rest]

    def worst_per_link(self, loads: Loads) -> dict[int, float]:
        worst: dict[int, float] = defaultdict(float)
        for (_, _, link), load in loads.items():
            if link is not None:
                worst[link] = max(worst[link], load)
        return dict(worst)


def optimal_rate(graph: nx.MultiGraph) -> Fraction | None:
    """x* of all-gather on an expanded fabric with its insides, GB/s, by max-flows to every GPU.

    A rate that does not reach a GPU is lowered to what the cut that stops it lets through for each
    GPU behind it, until all that is sent arrives; what the others take in stays feasible.
    """
    gpus = [v for v in graph if v[0] == "gpu"]
    flow = nx.DiGraph()
    for u, v, data in graph.edges(data=True):
        for a, b in ((u, v), (v, u)):
            capacity = round(data["GBps"] * 1000)
            if flow.has_edge(a, b):
                flow[a][b]["capacity"] += capacity
            else:
                flow.add_edge(a, b, capacity=capacity)
    if any(gpu not in flow for gpu in gpus):
        return None
    rate = Fraction(10**7)
    for gpu in gpus:
        while (lower := _let_through(flow, gpus, gpu, rate)) < rate:
            rate = lower
    return rate / 1000


def _let_through(flow: nx.DiGraph, gpus: list[Vertex], target: Vertex, rate: Fraction) -> Fraction:
    """The rate again where a GPU can take in as much from each; else what its worst cut allows."""
    scaled = nx.DiGraph()
    for u, v, data in flow.edges(data=True):
        scaled.add_edge(u, v, capacity=data["capacity"] * rate.denominator)
    for gpu in gpus:
        scaled.add_edge("source", gpu, capacity=rate.numerator)
    value, (behind, _) = nx.minimum_cut(scaled, "source", target)
    if value == rate.numerator * len(gpus):
        return rate
    inside = sum(gpu in behind for gpu in gpus)
    across = sum(
        data["capacity"] for u, v, data in flow.edges(data=True) if u in behind and v not in behind
    )
    return Fraction(across, inside)
