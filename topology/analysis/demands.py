"""What every class of links must carry for a collective, and what it can carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catalog import Catalog
from topology.analysis.network import Network
from topology.analysis.node_ring import NETWORK_SHARE, NodeRates, NodeRing
from topology.analysis.result import LinkLoad
from topology.analysis.routing import Arc
from topology.analysis.tiers import tier_of_groups, tier_of_link
from topology.analysis.ways import way_to_gpus
from topology.fabric.inside import InsideEdge, collective_edges, inside_edges
from topology.units import line_rate_GBps


@dataclass(frozen=True)
class Demand:
    """A class of links, and its load per GB/s of busbw.

    ``usable`` is GB/s of payload that one link takes in such traffic, ``line`` its specified rate;
    ``per_busbw`` is the load of the worst one.
    """

    link: str
    index: int | None
    tier: str
    cables: int
    line: float
    usable: float
    per_busbw: float

    @property
    def allows(self) -> float:
        """The busbw at which this class is full, GB/s."""
        return self.usable / self.per_busbw if self.per_busbw else float("inf")

    def load(self, busbw: float) -> LinkLoad:
        """The class under a collective of this busbw."""
        load = self.per_busbw * busbw
        return LinkLoad(
            self.link, self.index, self.tier, self.cables, self.line, load, load / self.usable
        )


def inside_demands(
    network: Network, catalog: Catalog, rates: Mapping[str, NodeRates], ring: NodeRing | None
) -> list[Demand]:
    """NVLink, PCIe and sockets of every node group, per GB/s of busbw.

    Parameters
    ----------
    network : Network
        The compute network.
    catalog : Catalog
        For the insides of the nodes.
    rates : mapping
        What each node group can carry.
    ring : NodeRing or None
        The ring, or None for an all-to-all.
    """
    demands: list[Demand] = []
    for group in network.world.groups:
        inside = inside_edges(group, catalog)
        nodes = sum(b.nodes for b in network.world.blocks if b.group.name == group.name)
        place = _Node(group.name, nodes, rates[group.name], network, ring)
        if place.rate.nvlink and place.rate.gpus > 1:
            demands.append(place.nvlink(_rate_of_first_gpu(inside, "nvlink")))
        elif place.rate.gpus > 1:
            demands.append(place.gpu_pcie(_rate_of_first_gpu(inside, "pcie")))
            demands += place.sockets(inside)
        if network.world.nodes > 1:
            demands += place.ways_to_nics(inside)
    return demands


@dataclass(frozen=True)
class _Node:
    """The nodes of one group under a collective; shares are loads per GB/s of busbw."""

    name: str
    nodes: int
    rate: NodeRates
    network: Network
    ring: NodeRing | None

    @property
    def _ranks(self) -> int:
        return self.network.world.gpus

    @property
    def _one_node(self) -> bool:
        return self.network.world.nodes == 1

    def nvlink(self, line: float) -> Demand:
        """NVLink of one GPU: a ring is closed in one node, and an open chain through many."""
        chain = (self.rate.gpus - 1) / self.rate.gpus
        if self.ring is None:
            share = chain * self._ranks / (self._ranks - 1)
        else:
            share = 1.0 if self._one_node else chain
        return self._demand("NVLink", "nvlink", self.rate.gpus, line, self.rate.nvlink, share)

    def gpu_pcie(self, line: float) -> Demand:
        """The PCIe link of one GPU that has no NVLink: it carries all that the GPU exchanges."""
        return self._demand("GPU PCIe", "pcie", self.rate.gpus, line, self.rate.pcie, 1.0)

    def sockets(self, inside: tuple[InsideEdge, ...]) -> list[Demand]:
        """The way between CPU sockets, for nodes whose GPUs have no NVLink.

        One ring crosses it once in each direction; two chains that enter on one socket and leave
        on the other cross it once each, so that each direction carries half.
        """
        if self.rate.socket is None:
            return []
        share = 1.0
        if self.ring is None:
            half = self.rate.gpus / 2
            crossing = half * half
            if self.rate.nics and self.rate.nic_sockets == 1:
                crossing += half * (self._ranks - self.rate.gpus)
            share = crossing / (self._ranks - 1)
        elif self.ring.channels > 1 and not self._one_node:
            share = 0.5
        line = next(edge.GBps for edge in inside if edge.tier == "socket")
        return [self._demand("sockets", "socket", 1, line, self.rate.socket, share)]

    def ways_to_nics(self, inside: tuple[InsideEdge, ...]) -> list[Demand]:
        """PCIe and sockets between GPUs and NICs, where they are narrower than the NICs' ports."""
        name = self.network.slots[self.name]
        used = collective_edges(inside, name)
        demands: list[Demand] = []
        for slots in self._slots_in_use():
            way = way_to_gpus(used, tuple(("slot", name, slot) for slot in slots))
            if way is None or way.usable >= self.rate.nic * NETWORK_SHARE:
                continue
            share = 1.0
            if self.ring is None:
                share = self.rate.gpus * (self._ranks - self.rate.gpus) / (self._ranks - 1)
            what = "NIC PCIe" if way.tier == "pcie" else "NIC sockets"
            each = share / len(slots)
            demands.append(self._demand(what, way.tier, len(slots), way.line, way.usable, each))
        return sorted(demands, key=lambda demand: demand.allows)[:1]

    def _slots_in_use(self) -> set[tuple[int, ...]]:
        """The cabled slots that take part, for every class of these nodes."""
        many = None if self.ring is None else self.network.ring_nics
        live = self.network.live_slots.items()
        return {tuple(slots[:many]) for (group, _), slots in live if group == self.name}

    def _demand(
        self, what: str, tier: str, many: int, line: float, usable: float, share: float
    ) -> Demand:
        name = f"{self.name} {what}"
        return Demand(name, None, tier, self.nodes * many, line, usable, share)


def _rate_of_first_gpu(inside: tuple[InsideEdge, ...], tier: str) -> float:
    """What one GPU's links of a tier carry as specified, GB/s per direction, all together."""
    return sum(edge.GBps for edge in inside if edge.tier == tier and ("gpu", 0) in (edge.a, edge.b))


def fabric_demands(
    network: Network, loads: Mapping[Arc, float], cables: Mapping[int, int]
) -> list[Demand]:
    """Every cabled link with its worst cable, per GB/s of busbw."""
    heights = tier_of_groups(network.plan, network.slots)
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        if index is not None:
            worst[index] = max(worst.get(index, 0.0), load)
    used = set(network.slots)
    demands: list[Demand] = []
    for link in network.plan.links:
        ends = (link.a, link.b)
        if any(e.ports and network.slots.get(e.group) != e.ports for e in ends if e.group in used):
            continue
        line = line_rate_GBps(link.speed_gbit)
        demands.append(
            Demand(
                link.label,
                link.index,
                tier_of_link(link, heights),
                cables[link.index],
                line,
                line * NETWORK_SHARE,
                worst.get(link.index, 0.0),
            )
        )
    return demands
