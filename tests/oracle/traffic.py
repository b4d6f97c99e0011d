"""Loads of rings and exchanges on the expanded fabric, by shares on shortest paths.

`docs/model.md`: traffic for a NIC goes over shortest paths only, and each device splits it by the
capacity that is left on the way, which for fabrics where all is alike is the even split. Shares and
loads are fractions; nothing is rounded before it is compared.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import permutations

import networkx as nx

from tests.oracle.expansion import Cable, Device, Fabric, Nic, fitted, slots_of

Vertex = Device | Nic
Hop = tuple[Cable, Vertex, Vertex]
"""A cable in one of its directions."""


class NoWay(ValueError):
    """Some NICs that have to reach each other cannot."""


class Routes:
    """The live fabric between NICs, and how it splits what is meant for each of them."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self.graph: nx.MultiGraph = nx.MultiGraph()
        for device in fabric.devices:
            if fabric.kind(device) == "switch" and device not in fabric.down_devices:
                self.graph.add_node(device)
        for cable in fabric.cables:
            if fabric.is_live(cable):
                ends = self._vertex(cable, cable.a), self._vertex(cable, cable.b)
                self.graph.add_edge(*ends, cable=cable, rate=fabric.runs_gbit(cable) / 8)
        self._shares: dict[Nic, dict[Vertex, list[tuple[Hop, Fraction]]]] = {}
        self._distances: dict[Nic, dict[Vertex, int]] = {}
        self._parts: dict[frozenset[int], Routes] = {}
        self._is_part = False

    def _vertex(self, cable: Cable, device: Device) -> Vertex:
        port = cable.end(device)
        return device if port is None else self.fabric.nic_of(device, port)

    def nics(self, node: Device) -> list[Nic]:
        """NICs that the ranks of a node use, by slot: a live cable leads to more than storage."""
        slots = used_slots(self.fabric, node.group)
        nics = {
            one
            for one in self.graph
            if isinstance(one, Nic)
            and one.device == node
            and not all(self._is_of_storage(peer) for peer in self.graph.neighbors(one))
        }
        return sorted(one for one in nics if one.slots == slots)

    def _is_of_storage(self, vertex: Vertex) -> bool:
        return isinstance(vertex, Nic) and self.fabric.kind(vertex.device) == "storage"

    def distances(self, target: Nic) -> dict[Vertex, int]:
        """Cables from each vertex to a NIC; other NICs pass nothing on."""
        if target not in self._distances:
            found: dict[Vertex, int] = {target: 0}
            front: list[Vertex] = [target]
            while front:
                reached: list[Vertex] = []
                for vertex in front:
                    for peer in self.graph.neighbors(vertex):
                        if peer not in found:
                            found[peer] = found[vertex] + 1
                            if not isinstance(peer, Nic):
                                reached.append(peer)
                front = reached
            self._distances[target] = found
        return self._distances[target]

    def shares(self, target: Nic) -> dict[Vertex, list[tuple[Hop, Fraction]]]:
        """How each vertex splits what it has for a NIC over its cables."""
        if target not in self._shares:
            distance = self.distances(target)
            capacity: dict[Vertex, Fraction | None] = {target: None}
            found: dict[Vertex, list[tuple[Hop, Fraction]]] = {}
            for vertex in sorted(distance, key=lambda one: distance[one]):
                if vertex == target:
                    continue
                found[vertex], total = self._split(vertex, distance, capacity)
                capacity[vertex] = None if target in self.graph[vertex] else total
            self._shares[target] = found
        return self._shares[target]

    def _split(
        self,
        vertex: Vertex,
        distance: dict[Vertex, int],
        capacity: dict[Vertex, Fraction | None],
    ) -> tuple[list[tuple[Hop, Fraction]], Fraction]:
        onward = {
            peer: edges
            for peer, edges in self.graph[vertex].items()
            if distance.get(peer) == distance[vertex] - 1
            and (not isinstance(peer, Nic) or distance[peer] == 0)
        }
        weights: list[tuple[Hop, Fraction]] = []
        for peer, edges in onward.items():
            limit = capacity[peer]
            part = Fraction(1)
            if limit is not None:
                alike = [one for one in onward if _group(one) == _group(peer)]
                widest = max(
                    self._dealt(vertex, peer),
                    *(capacity[one] or 0 for one in alike),
                    *(sum(edge["rate"] for edge in onward[one].values()) for one in alike),
                )
                part = min(part, limit / widest)
            weights += [
                ((edge["cable"], vertex, peer), edge["rate"] * part) for edge in edges.values()
            ]
        total = sum((weight for _, weight in weights), Fraction())
        return [(hop, weight / total) for hop, weight in weights], total

    def _dealt(self, vertex: Vertex, peer: Vertex) -> Fraction:
        """What all cables between two such switches carry as the links deal them, GB/s."""
        if isinstance(vertex, Nic):
            return Fraction(0)
        ends = {_group(vertex), _group(peer)}
        return sum(
            (
                Fraction(self.fabric.speeds[number] * (link.cables or 1), 8)
                for number, link in enumerate(self.fabric.document.links)
                if {link.a.group, link.b.group} == ends and not link.along
            ),
            Fraction(),
        )

    def add_flow(
        self, loads: dict[Hop, Fraction], source: Nic, target: Nic, amount: Fraction
    ) -> None:
        """Send an amount from one NIC to another."""
        routes = self._of_sets(source, target)
        if routes is not self:
            routes.add_flow(loads, source, target, amount)
            return
        distance = self.distances(target)
        if source not in distance:
            raise NoWay(f"{source} to {target}")
        shares = self.shares(target)
        held: dict[Vertex, Fraction] = {source: amount}
        for step in range(distance[source], 0, -1):
            for vertex in [one for one in held if distance[one] == step]:
                here = held.pop(vertex)
                for hop, share in shares[vertex]:
                    loads[hop] += here * share
                    held[hop[2]] = held.get(hop[2], Fraction()) + here * share

    def _of_sets(self, source: Nic, target: Nic) -> Routes:
        """The fabric that a flow may use where a link deals cables between sets of switches.

        It has the sets that both ends hang on and no third, where these join the two.
        """
        found = _set_axis(self.fabric)
        if found is None or self._is_part:
            return self
        group, axis = found

        def sets(nic: Nic) -> set[int]:
            peers = self.graph.neighbors(nic)
            return {one.coordinates[axis] for one in peers if getattr(one, "group", "") == group}

        both = frozenset(sets(source) | sets(target))
        if both not in self._parts:
            part = Routes.__new__(Routes)
            part.__dict__.update(self.__dict__, _is_part=True, _shares={}, _distances={})
            part.graph = self.graph.subgraph(
                one
                for one in self.graph
                if not isinstance(one, Device)
                or one.group != group
                or one.coordinates[axis] in both
            )
            self._parts[both] = part
        part = self._parts[both]
        if source in part.distances(target):
            return part
        whole = Routes.__new__(Routes)
        whole.__dict__.update(self.__dict__, _is_part=True)
        return whole


def _set_axis(fabric: Fabric) -> tuple[str, str] | None:
    for link in fabric.document.links:
        words = dict(link.along)
        if "dealt" in words.values():
            return link.a.group, next(axis for axis, word in words.items() if word == "other")
    return None


def _group(vertex: Vertex) -> str:
    return (vertex.device if isinstance(vertex, Nic) else vertex).group


def used_slots(fabric: Fabric, group: str) -> str | None:
    """Slots whose ports carry collectives: `compute` if cabled, else those of the first link."""
    cabled = [
        slots_of(fabric.document, end)
        for link in fabric.document.links
        for end in (link.a, link.b)
        if end.group == group
    ]
    if "compute" in cabled:
        return "compute"
    return cabled[0] if cabled else None


def ring_pairs(sending: list[Nic], receiving: list[Nic], width: int) -> list[tuple[Nic, Nic]]:
    """Which NIC of a node sends to which of the next.

    Those of one number that both have come first, in order; the rest are paired in order.
    """
    into = {nic.slot: nic for nic in receiving}
    out_of = {nic.slot: nic for nic in sending}
    both = [slot for slot in out_of if slot in into]
    rest = zip(
        (nic for slot, nic in out_of.items() if slot not in into),
        (nic for slot, nic in into.items() if slot not in out_of),
        strict=False,
    )
    return ([(out_of[slot], into[slot]) for slot in both] + list(rest))[:width]


def ring_loads(routes: Routes, nodes: list[Device] | None = None) -> dict[Hop, Fraction]:
    """Load of every cable and direction by a ring over all nodes, of busbw 1.

    Racks of NVLink trays are one node each: as many trays as the smallest has send to their like.
    """
    domains = routes.fabric.domains() if nodes is None else [[node] for node in nodes]
    loads: dict[Hop, Fraction] = defaultdict(Fraction)
    if len(domains) < 2:
        return loads
    nics = {node: routes.nics(node) for domain in domains for node in domain}
    width = min(len(found) for found in nics.values())
    if width == 0:
        raise NoWay("a node without a NIC")
    trays = min(len(domain) for domain in domains)
    for domain, following in zip(domains, [*domains[1:], domains[0]], strict=True):
        for tray in range(trays):
            one, other = nics[domain[tray]], nics[following[tray]]
            for source, target in ring_pairs(one, other, width):
                routes.add_flow(loads, source, target, Fraction(1, width * trays))
    return loads


def exchange_loads(
    routes: Routes, *, pxn: bool = True, nodes: list[Device] | None = None
) -> dict[Hop, Fraction]:
    """Load of every cable and direction by an exchange between all GPUs, of busbw 1.

    What is meant for a node arrives evenly over those of its NICs that the sender reaches, and
    leaves the sender evenly through those of its own that are as far as the one of the same number;
    without PXN through all of them.
    """
    nodes = routes.fabric.ranked_nodes() if nodes is None else nodes
    gpus = {node: int(routes.fabric.part_of(node)["gpus"]) for node in nodes}
    ranks = sum(gpus.values())
    loads: dict[Hop, Fraction] = defaultdict(Fraction)
    rack = {node: at for at, domain in enumerate(routes.fabric.domains()) for node in domain}
    for node, other in permutations(nodes, 2):
        if rack[node] == rack[other]:
            continue
        senders = routes.nics(other)
        near = {
            target: _leaving(routes, other, target) if pxn else senders
            for target in routes.nics(node)
        }
        reached = {target: sources for target, sources in near.items() if sources}
        if not reached:
            raise NoWay(f"{other} to {node}")
        amount = Fraction(gpus[node] * gpus[other], (ranks - 1) * len(reached))
        for target, sources in reached.items():
            for source in sources:
                routes.add_flow(loads, source, target, amount / len(sources))
    return loads


def _leaving(routes: Routes, node: Device, target: Nic) -> list[Nic]:
    """NICs by which a node sends to another's; none where none reaches it.

    The one in the slot of the same number and all that are as far; where that one does not
    reach, or the two have unlike numbers of NICs, the nearest.
    """
    distance = routes.distances(target)
    reached = [nic for nic in routes.nics(node) if nic in distance]
    alike = _nics_fitted(routes.fabric, node) == _nics_fitted(routes.fabric, target.device)
    same = [distance[nic] for nic in reached if alike and nic.slot == target.slot]
    least = min(same or [distance[nic] for nic in reached], default=0)
    return [nic for nic in reached if distance[nic] == least]


def _nics_fitted(fabric: Fabric, node: Device) -> int:
    slots = used_slots(fabric, node.group)
    return 0 if slots is None else fitted(fabric.document, node.group)[slots][1]


def fullest_by_link(
    fabric: Fabric, loads: dict[Hop, Fraction]
) -> dict[tuple[int, Fraction], Fraction]:
    """Load of the fullest cable of each link and speed (Gb/s), in its busier direction."""
    fullest: dict[tuple[int, Fraction], Fraction] = defaultdict(Fraction)
    for (cable, _, _), load in loads.items():
        kind = cable.link, fabric.runs_gbit(cable)
        fullest[kind] = max(fullest[kind], load)
    return fullest
