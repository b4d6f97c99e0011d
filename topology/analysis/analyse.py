"""All figures of a design in one call: the one place that turns a design into numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from catalog import Catalog, Gpu
from topology.analysis.all_to_all import Unreachable, all_to_all_loads
from topology.analysis.bound import all_gather_bound
from topology.analysis.demands import Demand, fabric_demands, inside_demands
from topology.analysis.halves import all_to_all_bound, bisection
from topology.analysis.judgement import design_findings
from topology.analysis.network import Network
from topology.analysis.node_ring import NodeRates, NodeRing, node_rates, slowest_ring
from topology.analysis.ranks import MAX_BLOCKS, blocks_of, gpus_of
from topology.analysis.result import (
    DEFAULT_MESSAGE_BYTES,
    Analysis,
    BoundIs,
    Collective,
    Communicator,
    CutLink,
    NextStep,
)
from topology.analysis.ring import ring_loads
from topology.analysis.routing import Arc
from topology.analysis.tiers import tiers
from topology.fabric.counts import cable_counts, device_counts
from topology.fabric.plan import Finding, Plan

LARGE_MESSAGE_BYTES = 64 * 2**20
"""Below this, latency and protocol switches decide more than bandwidth does."""

_SEVERITY = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class _Prediction:
    """A collective as it would run: its ring, the demands on all links, or why it cannot run."""

    ring: NodeRing | None = None
    demands: tuple[Demand, ...] = ()
    stopped: tuple[Finding, ...] = ()

    @property
    def busbw(self) -> float | None:
        """GB/s of the slower of the node's own channels and the fullest link."""
        limits = [demand.allows for demand in self.demands]
        if self.ring is not None:
            limits.append(self.ring.busbw_GBps)
        return min(limits, default=None)


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
    devices, cables = device_counts(plan), cable_counts(plan)
    if (blocks := blocks_of(plan)) > MAX_BLOCKS:
        return _too_large(plan, collective, message_bytes, devices, blocks)
    network = Network(plan)
    rows = tiers(plan, network.slots, devices, cables)
    rates = _rates(network, catalog)
    predicted = _predict(network, catalog, rates, collective, cables)
    busbw = predicted.busbw
    ranks = network.world.gpus
    factor = busbw_factor(collective, ranks)
    algbw = busbw / factor if busbw and factor else None
    runs = not predicted.stopped
    bound, bound_is, cut = _bound(network, catalog, collective) if runs else (None, "exact", ())
    halves = bisection(network) if network.world.nodes > 1 else None
    findings = [*design_findings(plan, network, rows), *predicted.stopped]
    if busbw is not None and message_bytes < LARGE_MESSAGE_BYTES:
        text = "latency is not modelled: for messages below 64 MiB the real figure is lower"
        findings.append(Finding("small-message", "info", "design", text))
    loads = [demand.load(busbw or 0.0) for demand in predicted.demands]
    return Analysis(
        design=plan.design.name,
        gpus=ranks,
        nodes=network.world.nodes,
        communicator=Communicator("world", ranks, 1),
        collective=collective,
        message_bytes=message_bytes,
        algorithm="pairwise" if collective == "all_to_all" else "ring",
        protocol="simple",
        channels=predicted.ring.channels if predicted.ring else None,
        busbw_GBps=busbw,
        algbw_GBps=algbw,
        time_us=message_bytes / (algbw * 1000) if algbw else None,
        bound_busbw_GBps=bound,
        bound_is=bound_is,
        limits=tuple(sorted(loads, key=lambda load: -load.utilization)),
        bound_cut=cut,
        tiers=rows,
        bisection_GBps=float(halves.leaving) if halves else None,
        findings=tuple(sorted(findings, key=lambda finding: _SEVERITY[finding.severity])),
        next_step=_next_step(predicted, rates, one_node=network.world.nodes == 1),
    )


def _too_large(
    plan: Plan,
    collective: Collective,
    message_bytes: int,
    devices: Mapping[str, int],
    blocks: int,
) -> Analysis:
    """No figures: what the analysis would take is out of proportion to any cluster."""
    text = (
        f"its nodes repeat over {blocks:,} combinations of axes; figures are computed for up to "
        f"{MAX_BLOCKS:,}"
    )
    nodes = [group for group in plan.groups.values() if gpus_of(group)]
    gpus = sum(devices[group.name] * gpus_of(group) for group in nodes)
    return Analysis(
        design=plan.design.name,
        gpus=gpus,
        nodes=sum(devices[group.name] for group in nodes),
        communicator=Communicator("world", gpus, 1),
        collective=collective,
        message_bytes=message_bytes,
        algorithm="pairwise" if collective == "all_to_all" else "ring",
        protocol="simple",
        channels=None,
        busbw_GBps=None,
        algbw_GBps=None,
        time_us=None,
        bound_busbw_GBps=None,
        bound_is="bound",
        limits=(),
        bound_cut=(),
        tiers=(),
        bisection_GBps=None,
        findings=(Finding("too-large", "error", "design", text), *plan.findings),
    )


def busbw_factor(collective: Collective, ranks: int) -> float:
    """Busbw over algbw (NVIDIA/nccl-tests, doc/PERFORMANCE.md); 0 for a single rank."""
    if ranks < 2:
        return 0.0
    share = (ranks - 1) / ranks
    return 2 * share if collective == "all_reduce" else share


def _predict(
    network: Network,
    catalog: Catalog,
    rates: Mapping[str, NodeRates],
    collective: Collective,
    cables: Mapping[int, int],
) -> _Prediction:
    stopped = _cannot_run(network)
    if stopped:
        return _Prediction(stopped=stopped)
    ranks = network.world.gpus
    one_node = network.world.nodes == 1
    ring = None if collective == "all_to_all" else slowest_ring(rates.values(), one_node=one_node)
    loads: dict[Arc, float] = {}
    try:
        if one_node:
            pass
        elif collective == "all_to_all":
            whole = all_to_all_loads(network)
            loads = {arc: load * ranks / (ranks - 1) for arc, load in whole.items()}
        else:
            loads = {arc: load / network.ring_nics for arc, load in ring_loads(network).items()}
    except Unreachable as gap:
        text = f"there is no path from {gap.source} to {gap.target} for the collective to take"
        return _Prediction(stopped=(Finding("unreachable", "error", gap.source, text),))
    inside = inside_demands(network, catalog, rates, ring)
    return _Prediction(ring, (*inside, *fabric_demands(network, loads, cables)))


def _rates(network: Network, catalog: Catalog) -> dict[str, NodeRates]:
    rates: dict[str, NodeRates] = {}
    for group in network.world.groups:
        gpu = catalog.get(group.node.gpu) if group.node else None
        if isinstance(gpu, Gpu):
            rates[group.name] = node_rates(network, group, gpu)
    return rates


def _cannot_run(network: Network) -> tuple[Finding, ...]:
    """Why there is no collective at all, if so."""
    ranks = network.world
    if ranks.gpus == 0:
        return (Finding("no-gpus", "info", "design", "no node yet, so no collective to run"),)
    if ranks.gpus == 1:
        return (Finding("one-gpu", "info", "design", "a collective needs at least two GPUs"),)
    if ranks.nodes == 1:
        return ()
    dead = dict.fromkeys(name for (name, _), live in network.live_slots.items() if not live)
    return tuple(
        Finding(
            "unreachable",
            "error",
            name,
            "some of its nodes have no cabled NIC, so their GPUs cannot be reached; "
            "wire their ports to a switch, after fitting NICs where slots are empty",
        )
        for name in dead
    )


def _bound(
    network: Network, catalog: Catalog, collective: Collective
) -> tuple[float | None, BoundIs, tuple[CutLink, ...]]:
    ranks = network.world.gpus
    if collective == "all_to_all":
        found = all_to_all_bound(network, catalog)
        if found is None:
            return None, "bound", ()
        return float(found[0]) * (ranks - 1) / ranks, "bound", found[1]
    best = all_gather_bound(network, catalog)
    if best is None:
        return None, "exact", ()
    return float(best.rate) * (ranks - 1), "exact", best.cut


def _next_step(
    predicted: _Prediction, rates: Mapping[str, NodeRates], *, one_node: bool
) -> NextStep | None:
    """What doubling the links that bind first would bring, and what binds then."""
    first = min(predicted.demands, key=lambda demand: demand.allows, default=None)
    if first is None or first.index is None:
        return None
    demands = tuple(
        replace(demand, usable=demand.usable * 2) if demand is first else demand
        for demand in predicted.demands
    )
    ring = predicted.ring
    if ring is not None and first.tier == "nic":
        doubled = [replace(rate, nics=rate.nics * 2) for rate in rates.values()]
        ring = slowest_ring(doubled, one_node=one_node)
    after = _Prediction(ring, demands)
    limit = min(demands, key=lambda demand: demand.allows)
    return NextStep(first.link, after.busbw or 0.0, limit.link)
