"""Loads of an algorithm: on NVLink, out of a node, and on every cable of the fabric.

All figures are per GB/s of algbw of one group, with all groups of the job running at once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil
from typing import Literal, assert_never

from toposmith.analysis.jobs.communicator import Groups, Job, NodeOrder
from toposmith.analysis.jobs.parallel_layout import WORLD
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import AS_DESIGNED, Collective, Routing
from toposmith.analysis.traffic.detour_loads import (
    DetourSplit,
    exchange_over_detours,
    split_over_detours,
)
from toposmith.analysis.traffic.dimension_order import DimensionOrder
from toposmith.analysis.traffic.exchange_limit import TooMany
from toposmith.analysis.traffic.trees import SHARE_OF_TREE, busiest_node
from toposmith.collectives import COLLECTIVES, busbw_factor
from toposmith.fabric.classes import Arc
from toposmith.nccl.node import Algorithm

Pattern = Literal["ring", "trees", "switches", "pairs", "neighbours"]
"""Communication patterns: a ring of nodes, both trees, into switches that reduce, all to all, or
each rank to the next."""


SHORTEST = ("ideal", "adaptive", "static")
"""Routing that takes shortest paths."""


@dataclass(frozen=True)
class Traffic:
    """The loads of a collective, per GB/s of algbw.

    Parameters
    ----------
    pattern : str
        The communication pattern.
    leaving : float
        Traffic of one group out of its busiest node.
    loads : dict
        Load of the worst cable of every class, by arc of ``network.classes``.
    split : DetourSplit, optional
        How flows were split over detours, or why the loads are the least that they can be.
    """

    pattern: Pattern
    leaving: float
    loads: dict[Arc, float]
    split: DetourSplit | None = None


def pattern_of(collective: Collective, algorithm: Algorithm | None) -> Pattern:
    """The communication pattern of a collective with an algorithm."""
    runs = COLLECTIVES[collective].runs
    match runs:
        case "pairs" | "neighbours":
            return runs
        case "all_reduce" | "all_gather" | "reduce_scatter" | "broadcast" | "reduce":
            return _by_algorithm(algorithm)
        case never:
            assert_never(never)


def _by_algorithm(algorithm: Algorithm | None) -> Pattern:
    if algorithm in ("tree", "nvls_tree"):
        return "trees"
    if algorithm in ("collnet_direct", "collnet_chain", "nvls"):
        return "switches"
    return "ring"


def traffic(
    network: ComputeNetwork,
    job: Job,
    groups: Groups,
    collective: Collective,
    pattern: Pattern,
    *,
    routing: Routing = AS_DESIGNED,
    pxn: bool = True,
) -> Traffic:
    """Place a collective on the fabric.

    ``pxn`` says whether what is sent in an all-to-all leaves by the NIC that is nearest to the
    receiving one.

    Raises
    ------
    Unreachable
        If two nodes of a group are not connected.
    ValueError
        If the traffic without PXN is not in the model.
    """
    if groups.nodes == 1:
        return Traffic(pattern, 0.0, {})
    if pattern == "pairs":
        return _everybody(network, job, groups, routing, pxn=pxn)
    leaving = _leaving(groups, collective, pattern)
    unit, busiest = leaving, 1.0
    nics, sharing, trays = network.ring_nics, groups.sharing, network.world.trays
    match pattern:
        case "trees":
            unit, busiest = SHARE_OF_TREE, busiest_node(groups.nodes) / SHARE_OF_TREE
        case "neighbours":
            # one rank of each group sends to the next node, over one NIC; flows are not split
            trays = min(trays, ceil(sharing / nics)) if nics else trays
            nics = min(nics, sharing)
            sharing = nics * trays * ceil(sharing / (nics * trays))
        case "ring" | "switches":
            pass
        case never:
            assert_never(never)
    each = unit * sharing / (nics * trays)
    loads, split = _of_hops(
        network, job, groups, pattern, trays, busiest=busiest, nics=nics, routing=routing
    )
    return Traffic(pattern, leaving, {arc: load * each for arc, load in loads.items()}, split)


def _of_hops(
    network: ComputeNetwork,
    job: Job,
    groups: Groups,
    pattern: Pattern,
    trays: int,
    *,
    busiest: float,
    nics: int,
    routing: Routing,
) -> tuple[dict[Arc, float], DetourSplit | None]:
    """The loads of all hops that run at once; of an NVLink domain so many trays send."""
    # imported here: what follows needs numpy, which takes a tenth of a second to load
    from toposmith.analysis.traffic.node_pairs import numbers_of, of_trays, pairs_of
    from toposmith.analysis.traffic.row_hops import hops_on_rows, loads_and_flows

    many, order = nics or network.ring_nics, NodeOrder(network.world, job.placement, job.seed)
    pairs = of_trays(order, pairs_of(pattern, groups, network.world.nccl_nodes), trays)
    pairs = numbers_of(order)[pairs]
    if routing.mode == "detour":
        minimal, flows = loads_and_flows(network, pairs, busiest=busiest, nics=many)
        split = split_over_detours(network, flows, minimal)
        return split.loads, split
    return hops_on_rows(network, pairs, busiest=busiest, nics=many, routing=routing), None


def _leaving(groups: Groups, collective: Collective, pattern: Pattern) -> float:
    """Traffic of one group out of its busiest node, per byte of the message."""
    match pattern:
        case "trees":
            return busiest_node(groups.nodes)
        case "switches" | "neighbours":
            return 1.0
        case "ring" | "pairs":
            return busbw_factor(collective, groups.size)
        case never:
            assert_never(never)


def _exchange(
    network: ComputeNetwork, routing: Routing, *, pxn: bool
) -> tuple[dict[Arc, float], str]:
    """The loads of an all-to-all over all GPUs; or lower bounds of them, with the reason."""
    # imported here, as above
    from toposmith.analysis.traffic.row_exchange import all_to_all_loads

    try:
        return all_to_all_loads(network, weighted=routing.weighted, pxn=pxn), ""
    except TooMany as why:
        # imported here, as above
        from toposmith.analysis.traffic.least_exchange import least_exchange_loads

        least = least_exchange_loads(network)
        if least is None:
            raise
        return least, str(why)


def _everybody(
    network: ComputeNetwork, job: Job, groups: Groups, routing: Routing, *, pxn: bool
) -> Traffic:
    """An all-to-all inside every group: 1/R of a rank's data goes to each of the R ranks."""
    leaving_rank = (groups.size - groups.size / groups.nodes) / groups.size
    if groups.kind == WORLD:
        leaving, split = leaving_rank * groups.size / groups.nodes, None
        if routing.mode == "dimension-order":
            # imported here, as above
            from toposmith.analysis.traffic.ordered_exchange import exchange_in_order

            whole = exchange_in_order(network, DimensionOrder.of(network.plan.design))
        else:
            whole, why = _exchange(network, routing, pxn=pxn)
            split = DetourSplit(whole, at_most=why) if why else None
        if routing.mode == "detour" and split is None:
            split = exchange_over_detours(network, whole)
            whole = split.loads
        return Traffic("pairs", leaving, whole, split)
    if not pxn and groups.members > 1:
        raise ValueError(
            "an all-to-all without PXN is known of all GPUs together, and of groups with one GPU "
            "in each node"
        )
    trays = network.world.trays
    nics = network.ring_nics * trays
    # what one group sends from one of its nodes to another
    between = groups.members * groups.members / groups.size
    loads: dict[Arc, float] = defaultdict(float)
    each, split = _of_hops(
        network,
        job,
        groups,
        "pairs",
        trays,
        busiest=groups.nodes - 1,
        nics=network.ring_nics,
        routing=routing,
    )
    for arc, load in each.items():
        loads[arc] += load * between * groups.sharing / nics
    return Traffic("pairs", leaving_rank * groups.members, dict(loads), split)
