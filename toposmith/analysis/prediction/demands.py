"""The load of every class of links under a collective, and its capacity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import assert_never

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.calibration import through_pcie_GBps
from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.ways import Way, way_to_gpus
from toposmith.analysis.result import LinkLoad, load_words
from toposmith.analysis.switch_tiers import tier_of_groups, tier_of_link, tiers_everywhere
from toposmith.analysis.traffic.algorithm_loads import Traffic
from toposmith.analysis.traffic.rail_ways import missed_from, parts_of_nics
from toposmith.analysis.traffic.spread_shortfall import spread
from toposmith.fabric.classes import Arc
from toposmith.fabric.counts import cable_counts, slow_cable_counts
from toposmith.fabric.cuts import Cells
from toposmith.fabric.inside import InsideEdge, collective_edges, inside_edges
from toposmith.fabric.rack_pairs import loads_of_cables
from toposmith.nccl.closed_form import MOST_HEADS
from toposmith.nccl.constants import NETWORK_SHARE, THROUGH_CPU_SHARE
from toposmith.nccl.node import Algorithm, NcclNode, PathType
from toposmith.units import BITS_PER_BYTE


@dataclass(frozen=True)
class Demand:
    """A class of links, and its load per GB/s of algbw.

    ``usable`` is GB/s of payload that one link carries of such traffic, ``line`` its specified
    rate; ``per_algbw`` is the load of the worst one. ``slow_gbit`` is the actual Gb/s of one where
    that is less than the speed of its link.
    """

    link: str
    index: int | None
    tier: str
    cables: int
    line: float
    usable: float
    per_algbw: float
    slow_gbit: float | None = None

    @property
    def words(self) -> str:
        """Its link, with the rate of its cables where they are slow."""
        return load_words(self.link, self.slow_gbit)

    @property
    def allows(self) -> float:
        """The algbw at which this class is full, GB/s."""
        return self.usable / self.per_algbw if self.per_algbw else float("inf")

    def times(self, factor: float) -> Demand:
        """The class with its links multiplied: the load of each is divided by the factor."""
        return replace(self, usable=self.usable * factor)

    def load(self, algbw: float) -> LinkLoad:
        """The class under a collective of this algbw."""
        load = self.per_algbw * algbw
        return LinkLoad(
            self.link,
            self.index,
            self.tier,
            self.cables,
            self.line,
            load,
            load / self.usable,
            self.usable,
            self.slow_gbit,
        )


def inside_demands(
    cluster: NcclTopology, traffic: Traffic, algorithm: Algorithm | None, factor: float
) -> list[Demand]:
    """NVLink, PCIe and sockets of every node group, per GB/s of algbw.

    Parameters
    ----------
    cluster : NcclTopology
        The nodes as NCCL sees them.
    traffic : Traffic
        Traffic that leaves a node.
    algorithm : str or None
        The algorithm, which determines traffic inside a node.
    factor : float
        Busbw over algbw of the collective.
    """
    demands: list[Demand] = []
    unlike = _unlike_loads(cluster.network, traffic)
    for name, node in cluster.nodes.items():
        place = _Inside(cluster, traffic, algorithm, factor, name, node, unlike[name])
        if node.nvlink_GBps and node.gpus > 1:
            demands += [place.nvlink(), *place.between_racks()]
        elif node.gpus > 1:
            demands += [*place.uneven_nvlink(), *place.pcie(), *place.sockets()]
        if cluster.groups.nodes > 1:
            demands += place.ways_to_nics()
    return demands


_Unlike = Mapping[tuple[int, ...], set[tuple[float, ...]]]
"""By the cabled slots of a class of nodes, what each sends or takes where that is unlike."""


def _unlike_loads(network: ComputeNetwork, traffic: Traffic) -> Mapping[str, _Unlike]:
    """By group, unlike loads of its NICs; between pairs alone, of which each takes its own way."""
    found: dict[str, dict[tuple[int, ...], set[tuple[float, ...]]]]
    found = defaultdict(lambda: defaultdict(set))
    if traffic.pattern != "pairs":
        return found
    graph, loads = network.classes.graph, traffic.loads
    busiest: dict[tuple[str, Cells], dict[int, float]] = defaultdict(dict)
    for nic in network.classes.vertices("nic"):
        sent = taken = 0.0
        for _, peer, key, data in graph.edges(nic, keys=True, data=True):
            if data["link"] is not None:
                sent += loads.get((nic, peer, key), 0.0) * data["per"][nic]
                taken += loads.get((peer, nic, key), 0.0) * data["per"][nic]
        busiest[nic[1], nic[3]] |= dict.fromkeys(graph.nodes[nic]["slots"], max(sent, taken))
    for (group, cells), slots in network.live_slots.items():
        of_slots = tuple(round(busiest[group, cells].get(slot, 0.0), 9) for slot in slots)
        if len(set(of_slots)) > 1:
            found[group][tuple(slots)].add(of_slots)
    return found


def is_amd(cluster: NcclTopology, group: str) -> bool:
    """Whether the GPUs of a group of nodes are AMD's, whose collectives are RCCL's."""
    node = cluster.network.plan.groups[group].node
    return node is not None and cluster.catalog.gpu(node.gpu).vendor == "AMD"


@dataclass(frozen=True)
class _Inside:
    """The nodes of one group under a collective; shares are loads per GB/s of algbw."""

    cluster: NcclTopology
    traffic: Traffic
    algorithm: Algorithm | None
    factor: float
    name: str
    node: NcclNode
    unlike: _Unlike

    @property
    def _nodes(self) -> int:
        return self.cluster.network.world.nodes_of[self.name]

    @property
    def _trays(self) -> int:
        """Nodes that NVLink joins to one, as NCCL counts."""
        return self.cluster.network.world.trays

    @property
    def _edges(self) -> tuple[InsideEdge, ...]:
        group = self.cluster.network.plan.groups[self.name]
        return inside_edges(group, self.cluster.catalog)

    @property
    def _gpu_links(self) -> str:
        """What the links between the GPUs of a node are called: xGMI (Infinity Fabric) by AMD."""
        return "xGMI" if is_amd(self.cluster, self.name) else "NVLink"

    def nvlink(self) -> Demand:
        """The links of one GPU to others of its node."""
        line = _rate_of_first_gpu(self._edges, "nvlink")
        gpus = self.node.gpus * self.cluster.groups.sharing // self._trays
        usable = self.node.nvlink_GBps
        if self.algorithm in ("nvls", "nvls_tree"):
            usable *= self.node.summing_share
        return self._demand(self._gpu_links, "nvlink", gpus, line, usable, self._by_nvlink())

    def _by_nvlink(self) -> float:
        """What a GPU sends to others of its node: rings are open chains where they leave it."""
        gpus, chain = self.node.gpus, (self.node.gpus - 1) / self.node.gpus
        if self.algorithm in ("nvls", "nvls_tree"):
            return 1 + 1 / min(gpus, MOST_HEADS)
        if self.algorithm == "tree":
            return 2 * chain
        match self.traffic.pattern:
            case "pairs":
                return chain
            case "ring" | "trees" | "switches" | "neighbours":
                return self.factor * (1.0 if self.cluster.groups.nodes == 1 else chain)
            case never:
                assert_never(never)

    def between_racks(self) -> Iterator[Demand]:
        """Cables between the NVLink switches of racks that are one domain.

        Of groups inside one rack none crosses them. An all-to-all crosses from each GPU of the
        rack to each beyond it; rings cross once in each direction, and what switches reduce
        crosses as one sum. Slow cables are a class of their own.
        """
        plan, groups = self.cluster.network.plan, self.cluster.groups
        group = plan.groups[self.name]
        link = group.nvlink
        if link is None or link.trunk is None or not self.cluster.spans_racks(group):
            return
        in_rack = group.sizes[-1] * (group.node.gpus if group.node else 0)
        members = self.node.gpus
        inside = min(in_rack, members // 2)
        summed = self.algorithm in ("nvls", "nvls_tree")
        match self.traffic.pattern:
            case "pairs":
                crossing = inside * min(members - inside, in_rack) / members
            case "ring" | "trees" | "switches" | "neighbours":
                crossing = 1.0 if summed else max(self.factor, 1.0)
            case never:
                assert_never(never)
        worst = loads_of_cables(plan, link, summed=summed)
        share = self.node.nvlink_GBps / _rate_of_first_gpu(self._edges, "nvlink")
        trunk = plan.link(link.trunk)
        slow = slow_cable_counts(plan).get(trunk.index, {})
        whole = cable_counts(plan)[trunk.index] - sum(slow.values())
        for line, many in ((trunk.line_GBps, whole), *slow.items()):
            load = crossing * groups.sharing * worst.get(line, 0.0)
            if load:
                below = line * BITS_PER_BYTE if line in slow else None
                usable = line * share
                name, at, tier = trunk.label, trunk.index, "nvswitch"
                yield Demand(name, at, tier, many, line, usable, load, below)

    def uneven_nvlink(self) -> list[Demand]:
        """NVLink of GPUs that are not joined alike: all links of the GPU that has the fewest."""
        totals = [_rate_of_gpu(self._edges, "nvlink", gpu) for gpu in range(self.node.gpus)]
        if not min(totals):
            return []
        line = min(totals)
        share = max(w.GBps for w in self.node.wires if w.tier == "nvlink") / max(
            edge.GBps for edge in self._edges if edge.tier == "nvlink"
        )
        gpus = self.node.gpus * self.cluster.groups.sharing
        return [
            self._demand(self._gpu_links, "nvlink", gpus, line, line * share, self._by_nvlink())
        ]

    def pcie(self) -> list[Demand]:
        """The PCIe link of a GPU, where a ring goes over it: it carries all of the ring."""
        if not self.cluster.leaves_nvlink:
            return []
        line = _rate_of_first_gpu(self._edges, "pcie")
        gpus = self.node.gpus * self.cluster.groups.sharing
        usable = through_pcie_GBps(self.node, self.cluster.ring_path)
        return [self._demand("GPU PCIe", "pcie", gpus, line, usable, self.factor)]

    def sockets(self) -> list[Demand]:
        """The link between CPU sockets, for nodes whose GPUs have no NVLink.

        One ring crosses it once in each direction; two chains that enter on one socket and leave
        on the other cross it once each, so that each direction carries half.
        """
        line = next((edge.GBps for edge in self._edges if edge.tier == "socket"), None)
        crossed = any(wire.tier == "socket" for wire in self.node.wires)
        if line is None or not crossed or not self.cluster.leaves_nvlink:
            return []
        share = self.factor * self.cluster.groups.sharing
        if self.traffic.pattern == "pairs":
            share = self._pairs_over_sockets()
        elif self._enters_on_both_sockets:
            share /= 2
        return [self._demand("sockets", "socket", 1, line, line, share)]

    def _pairs_over_sockets(self) -> float:
        """What crosses to the other socket in an all-to-all, the busier direction.

        A GPU sends to those of its node across; and to each NIC of another node that no NIC of its
        own socket reaches over switches, by the one of that number across.
        """
        ranks, gpus = self.cluster.groups.size, self.node.gpus
        half = gpus / 2
        crossing = half * half + half * (ranks - gpus) * self._missed_by_a_socket()
        return crossing / ranks * self.cluster.groups.sharing

    @property
    def _enters_on_both_sockets(self) -> bool:
        """Whether two chains enter on one socket and leave on the other, in every node."""
        graphs = self.cluster.graphs
        if graphs is None or graphs.ring.count < 2 or self.cluster.groups.nodes == 1:
            return False
        sockets = self._slots_of_sockets.values()
        return all(
            sum(not slots.isdisjoint(used) for slots in sockets) > 1
            for used in self._slots_in_use()
        )

    @cached_property
    def _slots_of_sockets(self) -> dict[int, frozenset[int]]:
        """The slots of the NICs in use on each CPU socket that has GPUs."""
        node = self.cluster.network.plan.groups[self.name].node
        branches, used = node.branches if node else (), self.cluster.network.slots[self.name]
        return {
            branch.socket: frozenset(
                slot
                for beside in branches
                if beside.socket == branch.socket
                for slot in beside.slots.get(used, ())
            )
            for branch in branches
            if branch.gpus
        }

    def _missed_by_a_socket(self) -> float:
        """Share of the NICs of other nodes that those of one socket do not reach, the largest.

        Over cables from node to node a NIC reaches the one at their other end.
        """
        if self.cluster.groups.nodes == 1:
            return 0.0
        network, most = self.cluster.network, 0.0
        for nics in parts_of_nics(network, network.plan.groups[self.name]):
            live = [slot for slot, switches in enumerate(nics) if switches]
            for own in self._slots_of_sockets.values():
                near = frozenset[int]().union(*(nics[slot] for slot in live if slot in own))
                missed = missed_from(near, [nics[slot] for slot in live if slot not in own])
                most = max(most, missed / len(live) if live else 0.0)
        return most

    def ways_to_nics(self) -> list[Demand]:
        """PCIe and sockets between GPUs and NICs, where they are narrower than the NICs' ports."""
        name = self.cluster.network.slots[self.name]
        used = collective_edges(self._edges, name)
        leaving = self.traffic.leaving * self.cluster.groups.sharing
        demands: list[Demand] = []
        for slots in self._slots_in_use():
            nics = tuple(("slot", name, slot) for slot in slots)
            way = way_to_gpus(used, nics)
            each = leaving / (len(slots) * self._trays)
            if self.traffic.pattern == "neighbours":
                each = ceil(each)  # a flow takes one NIC whole
            ways = [(each, found) for found in self._narrow(way)]
            # a rate that all NICs sustain with the fullest, they sustain with less
            if ways:
                for loads in self.unlike.get(slots, ()):
                    shares = tuple(load / max(loads) for load in loads)
                    fullest = way_to_gpus(used, nics, shares)
                    ways += [(max(loads), found) for found in self._narrow(fullest)]
            for each, (what, narrow) in ways:
                demands.append(
                    self._demand(what, narrow.tier, len(slots), narrow.line, narrow.usable, each)
                )
        return sorted(demands, key=lambda demand: demand.allows)[:1]

    def _narrow(self, way: Way | None) -> list[tuple[str, Way]]:
        """Ways that carry less than the NICs' ports, or just what a NIC takes of all of its own."""
        reach = self.node.nic_GBps * NETWORK_SHARE
        found: list[tuple[str, Way]] = []
        ports = self.cluster.network.ports(self.cluster.network.plan.groups[self.name])
        if ports is not None and ports.nic is not None and ports.nic.shared_gbit is not None:
            found.append(("NIC", Way(reach, self.node.nic_GBps, "nic")))
        if way is not None and way.usable < reach:
            found.append(("NIC PCIe" if way.tier == "pcie" else "NIC sockets", way))
        rdma = set(self.cluster.transports) <= {"infiniband", "roce"}
        through_cpu = self.node.nic_path >= PathType.PHB or not self.cluster.gpudirect
        if rdma and through_cpu and self.node.cpu != "arm":
            usable = reach * THROUGH_CPU_SHARE
            found.append(("NIC through CPU", Way(usable, self.node.nic_GBps, "pcie")))
        return found

    def _slots_in_use(self) -> set[tuple[int, ...]]:
        """The cabled slots that take part, for every class of these nodes."""
        network = self.cluster.network
        match self.traffic.pattern:
            case "pairs":
                many = None
            case "ring" | "trees" | "switches" | "neighbours":
                many = network.ring_nics
            case never:
                assert_never(never)
        return {tuple(slots[:many]) for slots in network.live_of_group.get(self.name, ())}

    def _demand(
        self, what: str, tier: str, many: int, line: float, usable: float, share: float
    ) -> Demand:
        name = f"{self.name} {what}"
        return Demand(name, None, tier, self._nodes * many, line, usable, share)


def _rate_of_first_gpu(inside: tuple[InsideEdge, ...], tier: str) -> float:
    """Specified rate of one GPU's links of a tier together, GB/s per direction."""
    return _rate_of_gpu(inside, tier, 0)


def _rate_of_gpu(inside: tuple[InsideEdge, ...], tier: str, gpu: int) -> float:
    return sum(
        edge.GBps for edge in inside if edge.tier == tier and ("gpu", gpu) in (edge.a, edge.b)
    )


def _spread(cluster: NcclTopology, traffic: Traffic) -> dict[Arc, float]:
    """The loads of the fabric under the requested routing."""
    match traffic.pattern:
        case "pairs":
            connections = (cluster.groups.nodes - 1) * cluster.network.world.trays
        case "ring" | "trees" | "switches" | "neighbours":
            connections = 1
        case never:
            assert_never(never)
    return spread(cluster.network, traffic.loads, cluster.routing, connections=connections)


def fabric_demands(
    cluster: NcclTopology, traffic: Traffic, cables: Mapping[int, int]
) -> list[Demand]:
    """Every cabled link with its worst cable, per GB/s of algbw; 0 outside the compute network.

    Cables that run below the speed of their link are a class of their own.
    """
    network = cluster.network
    heights = tiers_everywhere(network.plan) | tier_of_groups(network.plan, network.slots)
    share = cluster.network_share()
    graph = network.classes.graph
    worst: dict[tuple[int, float], float] = {}
    for arc, load in _spread(cluster, traffic).items():
        edge = graph.edges[arc]
        if edge["link"] is not None:
            kind = (edge["link"], edge["GBps"])
            worst[kind] = max(worst.get(kind, 0.0), load)
    slow = slow_cable_counts(network.plan)
    demands: list[Demand] = []
    for link in network.plan.every_link:
        if link.index in network.plan.nvlink_trunks:
            continue  # what crosses it is inside an NVLink domain
        below = slow.get(link.index, {})
        whole = cables[link.index] - sum(below.values())
        for line, many in ((link.line_GBps, whole), *below.items()):
            if many or not below:
                demands.append(
                    Demand(
                        link.label,
                        link.index,
                        tier_of_link(link, heights),
                        many,
                        line,
                        line * share,
                        worst.get((link.index, line), 0.0),
                        line * BITS_PER_BYTE if line in below else None,
                    )
                )
    return demands
