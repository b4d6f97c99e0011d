"""Prediction of a collective: NCCL's choice, limited by the nodes or by the fabric.

NCCL chooses by its own estimate, which covers nodes and their NICs only. The time is then its
latency, a start-up time that real runs show, and the bytes over the slower of the channels and the
fullest link.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Literal, assert_never

from toposmith.analysis.prediction.calibration import (
    FEW_GPUS_SHARE,
    NVLS_TREE_SHARE,
    NVLS_TREE_START_US,
    ONE_PEER_GBPS,
    Pace,
    copied_share,
    fast_nodes_share,
    lone_tree_algbw_GBps,
    nvls_pace,
    nvls_tree_fill_us,
    nvls_tree_pace,
    sharp_algbw_GBps,
    start_us,
    through_pcie_GBps,
)
from toposmith.analysis.prediction.demands import Demand, fabric_demands, inside_demands
from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.propagation import Propagation
from toposmith.analysis.traffic.algorithm_loads import Traffic, pattern_of, traffic
from toposmith.analysis.traffic.detour_loads import DetourSplit
from toposmith.analysis.traffic.trees import busiest_node
from toposmith.collectives import COLLECTIVES, CollectiveRecord, Runs, busbw_factor
from toposmith.nccl.constants import WITHOUT_CAPABILITY
from toposmith.nccl.latency import crossings
from toposmith.nccl.node import Algorithm, NcclCollective, NcclProtocol
from toposmith.nccl.tuner import (
    EXCHANGE_PROTOCOLS,
    Cost,
    chain_latency_us,
    choose,
    corrected_GBps,
    costs,
    exchange_costs,
    time_us,
)
from toposmith.text import protocol_name

LimitedBy = Literal["latency", "channels", "links"]
"""Latency where it takes more than half of the time; else what limits the rate: NCCL's channels
inside the node, or a link."""

REDUCED_BY_SHARP: tuple[Algorithm, ...] = ("collnet_direct", "collnet_chain", "nvls")
"""Algorithms that reduce in network switches between nodes."""

UP_AND_DOWN = 2
"""How often a tree's data pass each GPU of a chain inside a node: on the way up, and down."""

BOTH_HOLD = 1.005
"""Channels and links that allow the same within half a percent limit together."""

_BYTES_PER_US = 1000
"""1 GB/s is 1000 bytes in a microsecond."""


@dataclass(frozen=True)
class PredictedCollective:
    """One collective at one size.

    Parameters
    ----------
    algorithm : str
        NCCL's name of it, ``pairwise`` for exchanges.
    protocol : str
        ``ll``, ``ll128`` or ``simple``.
    channels : int or None
        Channels of NCCL's search; None for exchanges.
    latency_us : float
        The part of the time that does not depend on the size.
    time_us, algbw_GBps, busbw_GBps : float
        As nccl-tests prints them.
    limited_by : str
        What limits the figure.
    demands : tuple of Demand
        Every class of links with its load per GB/s of algbw.
    calibrated : bool
        Whether the figure is scaled by runs on a real cluster.
    """

    algorithm: str
    protocol: NcclProtocol
    channels: int | None
    latency_us: float
    time_us: float
    algbw_GBps: float
    busbw_GBps: float
    limited_by: LimitedBy
    demands: tuple[Demand, ...]
    calibrated: bool = False

    @property
    def message_bytes(self) -> int:
        """The message size, bytes."""
        return round(self.algbw_GBps * self.time_us * _BYTES_PER_US)

    def times(self, share: float) -> PredictedCollective:
        """The same with its bandwidth scaled by a measured share."""
        return replace(
            self,
            calibrated=True,
            latency_us=self.latency_us / share,
            time_us=self.time_us / share,
            algbw_GBps=self.algbw_GBps * share,
            busbw_GBps=self.busbw_GBps * share,
        )


@dataclass(frozen=True)
class Predictor:
    """Predictions of one collective for one cluster, at any size.

    Parameters
    ----------
    cluster : NcclTopology
        The nodes, the ranks and the request.
    cables : mapping of int to int
        Cables of every link of the design.
    demand_factor : mapping of str to float, optional
        Multiplies the links of a class, by name, to evaluate more of them.
    traffic_before : dict, optional
        Traffic placed by another predictor of the same wiring.
    """

    cluster: NcclTopology
    cables: Mapping[int, int]
    demand_factor: Mapping[str, float] | None = None
    traffic_before: dict[str, Traffic] | None = None

    def at(self, message_bytes: int) -> PredictedCollective:
        """Predict one size; raises ``Unreachable`` where a group's nodes have no path.

        Where a calibration covers the size, the figure is scaled by it.
        """
        outcome = self._modelled(message_bytes)
        share = self.cluster.measured_share(message_bytes)
        return outcome if share is None else outcome.times(share)

    def _modelled(self, message_bytes: int) -> PredictedCollective:
        if self._record.tuned is None:
            return self._exchange(message_bytes)
        cost = self._chosen(message_bytes)
        demands = self.demands(cost.algorithm)
        fabric = min((demand.allows for demand in demands if _shared(demand)), default=_ANY)
        rate = self._rate(cost, message_bytes)
        start = self._start_us(cost.protocol)
        if (pace := self._pace_of_a_domain(cost, message_bytes)) is not None:
            start = pace.fill_us
        elif cost.algorithm == "nvls_tree":
            transfer = message_bytes / (_BYTES_PER_US * min(rate, fabric))
            start = NVLS_TREE_START_US + nvls_tree_fill_us(transfer)
        elif self._is_chain_of_two(cost):
            start += nvls_tree_fill_us(message_bytes / (_BYTES_PER_US * min(rate, fabric)))
        latency = self._latency(cost, message_bytes) + start
        # channels are reduced to the rate of the NICs, so where both limit it is the links
        limited: LimitedBy = "links" if fabric <= rate * BOTH_HOLD else "channels"
        return self._outcome(
            message_bytes,
            (cost.algorithm, cost.protocol, cost.channels),
            latency,
            min(rate, fabric),
            limited,
            demands,
        )

    def most_GBps(self, outcome: PredictedCollective) -> float:
        """The busbw at which the algorithm fills a link between nodes to its line rate, GB/s.

        Between two nodes NCCL has run trees where its tables say rings (OCI's A100: 238 GB/s over
        200 of line rate), so that there a tree's links count where they allow more. Of three nodes
        and more a tree's take in no less than a ring's.
        """
        allowed = _at_line_rate(outcome.demands)
        if self._runs == "all_reduce" and self.cluster.groups.nodes == 2:
            allowed = max(allowed, _at_line_rate(self.demands("tree")))
        return allowed * self.factor

    def split(self, outcome: PredictedCollective) -> DetourSplit | None:
        """How the traffic was split over detours; None where it was not.

        Where no link between switches limits, no other split gives more.
        """
        collective = self.cluster.request.collective
        pattern = pattern_of(collective, outcome.algorithm)  # type: ignore[arg-type]
        placed = self.traffic_known.get(pattern)
        if placed is None or placed.split is None:
            return None
        between = outcome.limited_by == "links" and _fullest_between_switches(outcome.demands)
        return placed.split if between else placed.split.known_best()

    @cached_property
    def factor(self) -> float:
        """Busbw over algbw."""
        request = self.cluster.request
        return busbw_factor(request.collective, self.cluster.groups.size)

    @property
    def _tuned(self) -> NcclCollective:
        tuned = self._record.tuned
        assert tuned is not None
        return tuned

    @property
    def _runs(self) -> Runs:
        return self._record.runs

    @property
    def _record(self) -> CollectiveRecord:
        return COLLECTIVES[self.cluster.request.collective]

    def demands(self, algorithm: Algorithm | None) -> tuple[Demand, ...]:
        """The load that an algorithm puts on every class of links."""
        known = self._demands_known
        if algorithm not in known:
            known[algorithm] = tuple(self._placed(algorithm))
        return known[algorithm]

    @cached_property
    def _demands_known(self) -> dict[Algorithm | None, tuple[Demand, ...]]:
        return {}

    @cached_property
    def traffic_known(self) -> dict[str, Traffic]:
        """Traffic placed so far, by pattern: other predictors of the same wiring can use it."""
        return {} if self.traffic_before is None else self.traffic_before

    def _placed(self, algorithm: Algorithm | None) -> list[Demand]:
        cluster, request = self.cluster, self.cluster.request
        pattern = pattern_of(request.collective, algorithm)
        if pattern not in self.traffic_known:
            self.traffic_known[pattern] = traffic(
                cluster.network,
                request.job,
                cluster.groups,
                request.collective,
                pattern,
                routing=cluster.routing,
                pxn=cluster.keeps_rails,
            )
        placed = self.traffic_known[pattern]
        inside = inside_demands(cluster, placed, algorithm, self.factor)
        return [self._grown(d) for d in (*inside, *fabric_demands(cluster, placed, self.cables))]

    def _grown(self, demand: Demand) -> Demand:
        factor = (self.demand_factor or {}).get(demand.link, 1.0)
        return demand if factor == 1.0 else demand.times(factor)

    def _chosen(self, message_bytes: int) -> Cost:
        """NCCL's choice; with SHARP, the faster of that and SHARP.

        NCCL's tables assume less of SHARP than measured runs show.
        """
        chosen = self._tuned_choice(message_bytes, self.cluster.algorithms)
        if not self._may_reduce or chosen.algorithm in REDUCED_BY_SHARP:
            return chosen
        reduced = self._tuned_choice(message_bytes, ("collnet_direct",))
        return min((chosen, reduced), key=lambda cost: self._alone_us(cost, message_bytes))

    @property
    def _may_reduce(self) -> bool:
        """Whether SHARP can run although NCCL did not choose it."""
        cluster, request = self.cluster, self.cluster.request
        asked = self._runs == "all_reduce" and request.algorithm is None
        able = "simple" in (cluster.protocols or ("simple",)) and cluster.ranks.nvswitch
        return cluster.reduces and cluster.groups.nodes > 1 and asked and able

    def _alone_us(self, cost: Cost, message_bytes: int) -> float:
        """Time of a call where the fabric is no narrower than the NICs, us."""
        rate = self._rate(cost, message_bytes)
        pace = self._pace_of_a_domain(cost, message_bytes)
        filled = self._start_us(cost.protocol) if pace is None else pace.fill_us
        start = self._latency(cost, message_bytes) + filled
        return start + message_bytes / (_BYTES_PER_US * rate)

    def _tuned_choice(self, message_bytes: int, algorithms: Collection[str] | None) -> Cost:
        cluster, request = self.cluster, self.cluster.request
        graphs = cluster.graphs
        assert graphs is not None
        cost, _ = choose(
            self._tuned,
            graphs,
            cluster.ranks,
            message_bytes,
            request.version,
            algorithms=algorithms,
            protocols=cluster.protocols,
        )
        return cost

    def _latency(self, cost: Cost, message_bytes: int) -> float:
        """The latency part of NCCL's estimate, us."""
        cluster, request = self.cluster, self.cluster.request
        graphs = cluster.graphs
        assert graphs is not None
        # plugins report latencies to NCCL's tuner that crossings do not take
        collective, ranks = self._tuned, replace(cluster.ranks, nic_latency_us=0.0)
        crossed = crossings(cost.algorithm, collective, ranks.nodes, ranks.per_node)
        wire = cluster.wire_us * crossed + self._propagation_us(cost.algorithm, crossed)
        if self._tuned in ("broadcast", "reduce"):
            # NCCL's own estimate leaves the ranks out where a ring has one channel
            return wire + chain_latency_us(graphs.ring, ranks, cost.protocol, request.version)
        as_wired = next(
            one
            for one in costs(collective, graphs, ranks, request.version)
            if (one.algorithm, one.protocol) == (cost.algorithm, cost.protocol)
        )
        whole = time_us(as_wired, collective, graphs, ranks, message_bytes, request.version)
        rate = corrected_GBps(cost, collective, ranks, message_bytes, request.version)
        return wire + whole - message_bytes / (_BYTES_PER_US * rate)

    def _propagation_us(self, algorithm: Algorithm, crossings: int) -> float:
        """What long cables add to the crossings on the way, us."""
        match self.cluster.groups.nodes > 1, algorithm:
            case False, _:
                return 0.0
            case _, "ring":
                return self._propagation.ring_us(crossings)
            case _, "tree" | "nvls_tree":
                return self._propagation.trees_us()
            case _:
                return self._propagation.farthest_crossings_us(crossings)

    @cached_property
    def _propagation(self) -> Propagation:
        cluster = self.cluster
        return Propagation(cluster.network, cluster.request.job, cluster.groups)

    def _start_us(self, protocol: NcclProtocol) -> float:
        groups = self.cluster.groups
        # the peers of an exchange are copied to side by side
        in_a_node = groups.nodes == 1 and self._record.tuned is not None
        return start_us(protocol, groups.size, in_a_node=in_a_node)

    def _rate(self, cost: Cost, message_bytes: int) -> float:
        """Algbw of the channels for a message so large that latency vanishes, GB/s."""
        cluster, request = self.cluster, self.cluster.request
        nodes = cluster.nodes.values()
        if (pace := self._pace_of_a_domain(cost, message_bytes)) is not None:
            if cost.algorithm == "nvls":
                return pace.algbw_GBps
            leaving = self._leaving_GBps * NVLS_TREE_SHARE / busiest_node(cluster.groups.nodes)
            return min(pace.algbw_GBps, leaving)
        if cost.algorithm == "nvls_tree" and cluster.groups.nodes == 2:
            inside = [nvls_pace(node, request.version, _LARGE).algbw_GBps for node in nodes]
            return min(*inside, self._leaving_GBps) * NVLS_TREE_SHARE
        if cost.algorithm in ("collnet_direct", "collnet_chain"):
            return sharp_algbw_GBps(nodes, self._leaving_GBps)
        if self._is_tree_of_two(cost):
            return self._tree_of_two(cost)
        rate = corrected_GBps(cost, self._tuned, cluster.ranks, message_bytes, request.version)
        if cost.algorithm == "nvls":
            return rate * min(node.summing_share for node in nodes)
        if cost.algorithm == "tree" and cluster.network.world.joined:
            return min(rate, self._chains_GBps / busiest_node(cluster.groups.nodes))
        if cost.algorithm != "ring":
            return rate
        if cost.protocol == "simple" and (bus := self._beside_the_search()):
            return bus / self.factor * self._ring_share
        return rate * self._ring_share

    def _pace_of_a_domain(self, cost: Cost, message_bytes: int) -> Pace | None:
        """The pace of an all-reduce that NVSwitches sum, inside a domain or between rack domains.

        Between nodes the NICs limit an NVLSTree; racks have so many that their switches do.
        """
        if self._runs != "all_reduce" or cost.algorithm not in ("nvls", "nvls_tree"):
            return None
        domains, version = self.cluster.groups.nodes, self.cluster.request.version
        nodes = self.cluster.nodes.values()
        if cost.algorithm == "nvls":
            paces = [nvls_pace(node, version, message_bytes) for node in nodes]
        elif self.cluster.network.world.joined:
            paces = [nvls_tree_pace(node, version, message_bytes, domains) for node in nodes]
        else:
            return None
        return min(paces, key=lambda pace: pace.algbw_GBps)

    def _is_tree_of_two(self, cost: Cost) -> bool:
        two = self.cluster.groups.nodes == 2
        return two and cost.algorithm == "tree" and cost.protocol != "ll"

    def _is_chain_of_two(self, cost: Cost) -> bool:
        """Whether whole chunks pass along the GPUs of each of two nodes, as in a tree."""
        return (
            self._is_tree_of_two(cost)
            and cost.protocol == "simple"
            and self.cluster.groups.size > 2
        )

    def _tree_of_two(self, cost: Cost) -> float:
        """Between two nodes a tree has one level: no depth that NCCL's correction is for."""
        groups = self.cluster.groups
        leaving = lone_tree_algbw_GBps(cost.protocol, self._leaving_GBps / groups.sharing)
        if groups.size == 2:
            return leaving
        if not self._is_chain_of_two(cost):
            return cost.GBps
        return max(cost.GBps, min(leaving, self._chains_GBps))

    @property
    def _chains_GBps(self) -> float:
        """What passes up and down the GPUs of the slowest node, GB/s of algbw."""
        return min(node.nvlink_GBps for node in self.cluster.nodes.values()) / UP_AND_DOWN

    def _beside_the_search(self) -> float | None:
        """Hardware rate of a ring, GB/s, where the steps of NCCL's search fall short; else None.

        The steps are made for NVIDIA's NVLink; PCIe and AMD's xGMI are not limited to them.
        """
        cluster, nodes = self.cluster, self.cluster.nodes.values()
        inside = cluster.groups.nodes == 1
        found: list[float] = []
        for node in nodes:
            if node.compute_capability == WITHOUT_CAPABILITY and node.nvlink_GBps:
                # a ring through a node leaves one of its links out
                found.append(node.nvlink_GBps * (1 if inside else node.gpus / (node.gpus - 1)))
            elif inside and cluster.leaves_nvlink and node.cpu != "amd":
                found.append(through_pcie_GBps(node, cluster.ring_path))
        return min(found) if len(found) == len(nodes) else None

    @cached_property
    def _ring_share(self) -> float:
        """Efficiency of a ring against NCCL's estimate: copies and fast NICs cost a little."""
        ranks, nodes = self.cluster.groups.size, self.cluster.nodes.values()
        if self.cluster.groups.nodes > 1:
            # a NIC is so much slower than the copies that these hide behind it, but of few GPUs;
            # groups that share the NICs of a node fill each other's gaps, and so does the CPU
            if self.cluster.of_few_gpus:
                return FEW_GPUS_SHARE
            return fast_nodes_share(min(node.nics * node.nic_GBps for node in nodes))
        if all(node.compute_capability == WITHOUT_CAPABILITY for node in nodes):
            return 1.0  # what RCCL counts on of xGMI is measured with its copies
        all_reduce = self._runs == "all_reduce"
        return copied_share(2 * (ranks - 1) if all_reduce else ranks - 1)

    @property
    def _leaving_GBps(self) -> float:
        """GB/s of the NICs of the weakest node together."""
        share = self.cluster.network_share()
        nodes = self.cluster.nodes.values()
        return min(node.nics * min(node.nic_GBps * share, node.slot_GBps) for node in nodes)

    def _exchange(self, message_bytes: int) -> PredictedCollective:
        """All-to-all or send/recv, by the faster protocol at this size."""
        cluster = self.cluster
        assert cluster.graphs is not None
        demands = self.demands(None)
        fullest = min((demand.allows for demand in demands), default=_ANY)
        peers = 1  # of a send one peer gets all, of an all-to-all each gets a part
        match self._runs:
            case "pairs":
                algorithm = "pairwise"
                if cluster.groups.nodes == 1:
                    fullest *= copied_share(cluster.groups.size - 1)
                    peers = cluster.groups.size
            case "neighbours":
                algorithm = "pairwise"
            case "all_reduce" | "all_gather" | "reduce_scatter" | "broadcast" | "reduce":
                raise ValueError(f"{self._runs} runs by an algorithm of NCCL's tuner")
            case never:
                assert_never(never)
        if cluster.groups.nodes == 1:
            fullest = min(fullest, ONE_PEER_GBPS * peers)
        ranks = replace(cluster.ranks, nic_latency_us=0.0)
        wire = 0.0
        if ranks.nodes > 1:
            wire = cluster.wire_us + self._propagation.farthest_crossings_us(1)
        outcomes = [
            self._outcome(
                message_bytes,
                (algorithm, cost.protocol, None),
                wire + cost.latency_us + self._start_us(cost.protocol),
                fullest * cost.share,
                "links",
                tuple(demand.times(cost.share) for demand in demands),
            )
            for cost in exchange_costs(cluster.graphs.ring, ranks, cluster.request.version)
            if cost.protocol in (cluster.protocols or EXCHANGE_PROTOCOLS)
        ]
        if not outcomes:
            left = protocol_name(",".join(cluster.protocols or ()))
            raise ValueError(f"an exchange runs by LL or Simple, not by {left}")
        return min(outcomes, key=lambda outcome: outcome.time_us)

    def _outcome(
        self,
        message_bytes: int,
        how: tuple[str, NcclProtocol, int | None],
        latency: float,
        rate: float,
        limited: LimitedBy,
        demands: tuple[Demand, ...],
    ) -> PredictedCollective:
        time = latency + message_bytes / (_BYTES_PER_US * rate)
        algbw = message_bytes / (_BYTES_PER_US * time)
        algorithm, protocol, channels = how
        return PredictedCollective(
            algorithm,
            protocol,
            channels,
            latency,
            time,
            algbw,
            algbw * self.factor,
            "latency" if latency > time / 2 else limited,
            demands,
        )


_ANY = float("inf")
_LARGE = 1 << 40
"""A message size whose loops are of maximum size."""


def _fullest_between_switches(demands: Sequence[Demand]) -> bool:
    """Whether links between switches are full before those of nodes and all inside them."""
    allowed = {True: inf, False: inf}
    for demand in demands:
        between = demand.index is not None and demand.tier != "nic"
        allowed[between] = min(allowed[between], demand.allows)
    return allowed[True] < allowed[False] * (1 - 1e-9)


def _at_line_rate(demands: Iterable[Demand]) -> float:
    """The algbw at which the first link between nodes reaches line rate, GB/s."""
    between = (one for one in demands if one.tier not in ("nvlink", "pcie", "socket"))
    return min((one.line / one.per_algbw for one in between if one.per_algbw), default=_ANY)


def _shared(demand: Demand) -> bool:
    """Whether NCCL's own estimate leaves a class of links out: the fabric, and ways to NICs."""
    return demand.tier != "nvlink"
