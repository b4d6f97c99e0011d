"""What every class of links must carry for a collective, and what it can carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catalog import Catalog
from topology.analysis.bound import inside_name
from topology.analysis.network import Network
from topology.analysis.node_ring import NETWORK_SHARE, NodeRates
from topology.analysis.result import Collective, LinkLoad
from topology.analysis.routing import Arc
from topology.analysis.tiers import tier_of_groups, tier_of_link
from topology.fabric.inside import inside_edges
from topology.fabric.plan import GroupPlan
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
    network: Network, catalog: Catalog, rates: Mapping[str, NodeRates], collective: Collective
) -> list[Demand]:
    """NVLink, PCIe and sockets of every node group, per GB/s of busbw."""
    demands: list[Demand] = []
    one_node = network.world.nodes == 1
    for group in network.world.groups:
        rate = rates[group.name]
        nodes = sum(b.nodes for b in network.world.blocks if b.group.name == group.name)
        lines = {edge.tier: edge.GBps for edge in inside_edges(group, catalog)}
        chain = (rate.gpus - 1) / rate.gpus
        all_to_all = collective == "all_to_all"
        ranks = network.world.gpus
        if rate.nvlink and rate.gpus > 1:
            share = 1.0 if one_node else chain
            if all_to_all:
                share = chain * ranks / (ranks - 1)
            line = _nvlink_line(group, catalog)
            demands.append(_inside(group, "nvlink", nodes * rate.gpus, line, rate.nvlink, share))
        elif rate.gpus > 1:
            demands.append(_inside(group, "pcie", nodes * rate.gpus, lines["pcie"], rate.pcie, 1.0))
            if rate.socket is not None:
                share = _socket_share(rate, ranks) if all_to_all else 1.0
                demands.append(_inside(group, "socket", nodes, lines["socket"], rate.socket, share))
        if not one_node and rate.slot < rate.nic * NETWORK_SHARE:
            share = rate.gpus * (ranks - rate.gpus) / (ranks - 1) if all_to_all else 1.0
            slot = min(e.GBps for e in inside_edges(group, catalog) if e.a[0] == "slot")
            demands.append(
                _inside(group, "pcie", nodes * rate.nics, slot, rate.slot, share / rate.nics)
            )
    return demands


def _inside(
    group: GroupPlan, tier: str, cables: int, line: float, usable: float, share: float
) -> Demand:
    return Demand(inside_name(group.name, tier), None, tier, cables, line, usable, share)


def _nvlink_line(group: GroupPlan, catalog: Catalog) -> float:
    """NVLink of one GPU as specified, GB/s per direction, all its links together."""
    return sum(
        edge.GBps
        for edge in inside_edges(group, catalog)
        if edge.tier == "nvlink" and ("gpu", 0) in (edge.a, edge.b)
    )


def _socket_share(rate: NodeRates, ranks: int) -> float:
    """All-to-all across the sockets of a node, per GB/s of busbw: pairs on different sockets.

    Half of a node's GPUs send to the other half; with NICs on one socket only, the half without
    also sends its share for other nodes across.
    """
    half = rate.gpus / 2
    crossing = half * half
    if rate.nics and rate.nic_sockets == 1:
        crossing += half * (ranks - rate.gpus)
    return crossing / (ranks - 1)


def fabric_demands(
    network: Network, loads: Mapping[Arc, float], cables: Mapping[int, int]
) -> list[Demand]:
    """Every cabled link with its worst cable, per GB/s of busbw."""
    heights = tier_of_groups(network.plan)
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
