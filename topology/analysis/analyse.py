"""All figures of a design in one call: the one place that turns a design into numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from catalog import Catalog, Gpu
from topology.analysis.all_to_all import Unreachable, all_to_all_loads
from topology.analysis.bound import all_gather_bound, inside_name
from topology.analysis.halves import all_to_all_bound, bisection
from topology.analysis.judgement import design_findings
from topology.analysis.network import Network
from topology.analysis.node_ring import (
    NETWORK_SHARE,
    NodeRates,
    NodeRing,
    node_rates,
    ring_of,
)
from topology.analysis.result import (
    DEFAULT_MESSAGE_BYTES,
    Analysis,
    BoundIs,
    Collective,
    Communicator,
    CutLink,
    LinkLoad,
    NextStep,
)
from topology.analysis.ring import ring_loads, ring_nics
from topology.analysis.routing import Arc
from topology.analysis.tiers import tier_of_groups, tier_of_link, tiers
from topology.fabric.counts import cable_counts, device_counts
from topology.fabric.inside import inside_edges
from topology.fabric.plan import Finding, GroupPlan, Plan
from topology.units import line_rate_GBps


@dataclass(frozen=True)
class _Demand:
    """What one class of links must carry per GB/s of busbw, and what it can carry.

    ``usable`` is GB/s of payload that one link takes in such traffic; ``line`` its specified rate.
    """

    link: str
    index: int | None
    tier: str
    cables: int
    line: float
    usable: float
    per_busbw: float


def analyse(
    plan: Plan,
    catalog: Catalog,
    collective: Collective = "all_reduce",
    message_bytes: int = DEFAULT_MESSAGE_BYTES,
) -> Analysis:
    """Predict a collective over all GPUs of a design, and say what limits it.

    The prediction is NCCL's ring (all-reduce, all-gather, reduce-scatter) or pairwise exchange
    (all-to-all) at large message sizes: the rate of the node's own channels, or of the most
    loaded cable of the fabric, whichever is lower (``docs/model.md``).

    Parameters
    ----------
    plan : Plan
        The design, understood.
    catalog : Catalog
        For the GPUs inside the nodes.
    collective : str
        ``all_reduce``, ``all_gather``, ``reduce_scatter`` or ``all_to_all``.
    message_bytes : int
        Size as nccl-tests counts it, for the time; the rate is that of large messages.

    Returns
    -------
    Analysis
        Figures that the design does not determine are None, with a finding that says why.
    """
    network = Network(plan)
    devices, cables = device_counts(plan), cable_counts(plan)
    rows = tiers(plan, devices, cables)
    findings = design_findings(plan, network, rows)
    ring, demands, stopped = _demands(network, catalog, collective, cables)
    findings += stopped
    busbw = None
    if demands:
        busbw = min((d.usable / d.per_busbw for d in demands if d.per_busbw > 0), default=None)
    if busbw is not None and ring is not None and collective != "all_to_all":
        busbw = min(busbw, ring.busbw_GBps)
    ranks = network.world.gpus
    factor = busbw_factor(collective, ranks)
    algbw = busbw / factor if busbw and factor else None
    bound, bound_is, cut = _bound(network, catalog, collective, stopped)
    halves = bisection(network) if network.world.nodes > 1 else None
    return Analysis(
        design=plan.design.name,
        gpus=ranks,
        nodes=network.world.nodes,
        communicator=Communicator("world", ranks, 1),
        collective=collective,
        message_bytes=message_bytes,
        algorithm="pairwise" if collective == "all_to_all" else "ring",
        protocol="simple",
        channels=ring.channels if ring and collective != "all_to_all" else None,
        busbw_GBps=busbw,
        algbw_GBps=algbw,
        time_us=message_bytes / (algbw * 1000) if algbw else None,
        bound_busbw_GBps=bound,
        bound_is=bound_is,
        limits=_loads(demands, busbw),
        bound_cut=cut,
        tiers=rows,
        bisection_GBps=float(halves.leaving) if halves else None,
        findings=tuple(_ordered(findings)),
        next_step=_next_step(network, catalog, collective, cables, demands, busbw),
    )


def busbw_factor(collective: Collective, ranks: int) -> float:
    """busbw over algbw (NVIDIA/nccl-tests, doc/PERFORMANCE.md); 0 for a single rank."""
    if ranks < 2:
        return 0.0
    share = (ranks - 1) / ranks
    return 2 * share if collective == "all_reduce" else share


def _demands(
    network: Network, catalog: Catalog, collective: Collective, cables: Mapping[int, int]
) -> tuple[NodeRing | None, list[_Demand], list[Finding]]:
    rates = _rates(network, catalog)
    stopped = _cannot_run(network, rates)
    if stopped:
        return None, [], stopped
    one_node = network.world.nodes == 1
    rings = [ring for r in rates.values() if (ring := ring_of(r, one_node=one_node))]
    ring = (
        NodeRing(min(r.channels for r in rings), min(r.speed_GBps for r in rings))
        if rings
        else None
    )
    try:
        if one_node:
            loads: dict[Arc, float] = {}
        elif collective == "all_to_all":
            ranks = network.world.gpus
            loads = {
                arc: load * ranks / (ranks - 1) for arc, load in all_to_all_loads(network).items()
            }
        else:
            nics = ring_nics(network)
            loads = {arc: load / nics for arc, load in ring_loads(network).items()}
    except Unreachable as gap:
        text = f"there is no path from {gap.source} to {gap.target} for the collective to take"
        return None, [], [Finding("unreachable", "error", gap.source, text)]
    demands = _inside_demands(network, catalog, rates, collective)
    return ring, [*demands, *_fabric_demands(network, loads, cables)], []


def _rates(network: Network, catalog: Catalog) -> dict[str, NodeRates]:
    rates: dict[str, NodeRates] = {}
    for group in network.world.groups:
        gpu = catalog.get(group.node.gpu) if group.node else None
        if isinstance(gpu, Gpu):
            rates[group.name] = node_rates(network, group, gpu)
    return rates


def _cannot_run(network: Network, rates: Mapping[str, NodeRates]) -> list[Finding]:
    """Why there is no collective at all, if so."""
    ranks = network.world
    if ranks.gpus == 0:
        return [Finding("no-gpus", "info", "design", "no node yet, so no collective to run")]
    if ranks.gpus == 1:
        return [Finding("one-gpu", "info", "design", "a collective needs at least two GPUs")]
    if ranks.nodes == 1:
        return []
    return [
        Finding(
            "unreachable",
            "error",
            name,
            f"{name} has no cabled NIC, so its GPUs cannot be reached; fit NICs and wire them",
        )
        for name, rate in rates.items()
        if not rate.nics
    ]


def _inside_demands(
    network: Network, catalog: Catalog, rates: Mapping[str, NodeRates], collective: Collective
) -> list[_Demand]:
    """NVLink, PCIe and sockets of every node group, per GB/s of busbw."""
    demands: list[_Demand] = []
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
            demands.append(
                _inside(group, "nvlink", nodes * rate.gpus, line, rate.nvlink, share)
            )
        elif rate.gpus > 1:
            demands.append(
                _inside(group, "pcie", nodes * rate.gpus, lines["pcie"], rate.pcie, 1.0)
            )
            if rate.socket is not None:
                share = _socket_share(rate, ranks) if all_to_all else 1.0
                demands.append(
                    _inside(group, "socket", nodes, lines["socket"], rate.socket, share)
                )
        if not one_node and rate.slot < rate.nic * NETWORK_SHARE:
            share = rate.gpus * (ranks - rate.gpus) / (ranks - 1) if all_to_all else 1.0
            slot = min(e.GBps for e in inside_edges(group, catalog) if e.a[0] == "slot")
            demands.append(
                _inside(group, "pcie", nodes * rate.nics, slot, rate.slot, share / rate.nics)
            )
    return demands


def _inside(
    group: GroupPlan, tier: str, cables: int, line: float, usable: float, share: float
) -> _Demand:
    return _Demand(inside_name(group.name, tier), None, tier, cables, line, usable, share)


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


def _fabric_demands(
    network: Network, loads: Mapping[Arc, float], cables: Mapping[int, int]
) -> list[_Demand]:
    """Every cabled link with its worst cable, per GB/s of busbw."""
    heights = tier_of_groups(network.plan)
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        if index is not None:
            worst[index] = max(worst.get(index, 0.0), load)
    used = {name for name in network.slots}
    demands: list[_Demand] = []
    for link in network.plan.links:
        ends = (link.a, link.b)
        if any(e.ports and network.slots.get(e.group) != e.ports for e in ends if e.group in used):
            continue
        line = line_rate_GBps(link.speed_gbit)
        demands.append(
            _Demand(
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


def _loads(demands: list[_Demand], busbw: float | None) -> tuple[LinkLoad, ...]:
    """The links with what they carry, the fullest first."""
    loads = [
        LinkLoad(
            d.link,
            d.index,
            d.tier,
            d.cables,
            d.line,
            d.per_busbw * (busbw or 0.0),
            d.per_busbw * (busbw or 0.0) / d.usable,
        )
        for d in demands
    ]
    return tuple(sorted(loads, key=lambda load: -load.utilization))


def _bound(
    network: Network, catalog: Catalog, collective: Collective, stopped: list[Finding]
) -> tuple[float | None, BoundIs, tuple[CutLink, ...]]:
    ranks = network.world.gpus
    if collective == "all_to_all":
        if stopped or ranks < 2:
            return None, "bound", ()
        found = all_to_all_bound(network, catalog)
        if found is None:
            return None, "bound", ()
        return float(found[0]) * (ranks - 1) / ranks, "bound", found[1]
    best = None if stopped else all_gather_bound(network, catalog)
    if best is None:
        return None, "exact", ()
    return float(best.rate) * (ranks - 1), "exact", best.cut


def _next_step(
    network: Network,
    catalog: Catalog,
    collective: Collective,
    cables: Mapping[int, int],
    demands: list[_Demand],
    busbw: float | None,
) -> NextStep | None:
    """What doubling the links that bind first would bring, and what binds then."""
    if busbw is None or not demands:
        return None
    first = max(demands, key=lambda d: d.per_busbw / d.usable)
    if first.index is None:
        return None
    after = [
        replace(d, usable=d.usable * 2, line=d.line * 2) if d.index == first.index else d
        for d in demands
    ]
    limit = max(after, key=lambda d: d.per_busbw / d.usable)
    figure = limit.usable / limit.per_busbw
    at_node = first.tier == "nic"
    if collective != "all_to_all":
        rings = [
            ring
            for rate in _rates(network, catalog).values()
            if (
                ring := ring_of(
                    replace(rate, nics=rate.nics * 2) if at_node else rate, one_node=False
                )
            )
        ]
        channels = min(r.channels for r in rings)
        figure = min(figure, channels * min(r.speed_GBps for r in rings))
    return NextStep(first.link, figure, limit.link)


def _ordered(findings: list[Finding]) -> list[Finding]:
    order = {"error": 0, "warning": 1, "info": 2}
    return sorted(findings, key=lambda finding: order[finding.severity])
