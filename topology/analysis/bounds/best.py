"""The best that any schedule could do for a collective, and what kind of statement that is."""

from __future__ import annotations

from dataclasses import dataclass

from topology.analysis.bounds.all_gather import FlowNetworks, all_gather_bound
from topology.analysis.bounds.concurrent_flow import all_to_all_optimum
from topology.analysis.bounds.halves import all_to_all_bound
from topology.analysis.jobs.communicator import Groups
from topology.analysis.jobs.layout import WORLD
from topology.analysis.network import Network
from topology.analysis.request import Collective, busbw_factor
from topology.analysis.result import BoundIs, CutLink


@dataclass(frozen=True)
class Best:
    """A bound on busbw, GB/s: exact or from some cuts only, with the cut where there is one."""

    busbw_GBps: float | None
    is_: BoundIs
    cut: tuple[CutLink, ...] = ()


def best_possible(
    flows: FlowNetworks, groups: Groups, collective: Collective, *, solve: bool = False
) -> Best:
    """Bound the busbw of a collective, without reduction in switches.

    All-gather and reduce-scatter over the world are exact (Dinkelbach's iteration over min-cuts),
    and so is all-reduce where nodes are alike: both after each other, every rank reducing an equal
    share. Where nodes differ, uneven shares can be quicker, and the bound is that with reduction
    in switches. All-to-all is exact where it is solved as a linear program. The others are bounds
    from the cuts around one GPU and around one node.

    Parameters
    ----------
    flows : FlowNetworks
        The wiring.
    groups : Groups
        Who takes part.
    collective : str
        What they do.
    solve : bool
        Whether to solve the linear program, if a solver is installed and the fabric is small.
    """
    if groups.kind == WORLD and collective == "all_to_all":
        share = (groups.size - 1) / groups.size
        optimum = all_to_all_optimum(flows.network, flows.catalog) if solve else None
        if optimum is not None:
            return Best(optimum.rate * share, "exact", optimum.binding)
        found = all_to_all_bound(flows)
        if found is None:
            return Best(None, "bound")
        around = _around_gpu_and_node(flows, groups, collective)
        cuts = float(found[0]) * share
        return Best(cuts, "bound", found[1]) if cuts <= around else Best(around, "bound")
    if collective == "all_reduce" and not _nodes_alike(flows.network):
        # every element takes 2 (N - 1) receptions, so that busbw is at most what GPUs take in
        return Best(min(with_reduction(flows, groups), flows.gpu_GBps[1]), "bound")
    if groups.kind == WORLD and collective in ("all_reduce", "all_gather", "reduce_scatter"):
        best = all_gather_bound(flows)
        if best is None:
            return Best(None, "exact")
        return Best(float(best.rate) * (groups.size - 1), "exact", best.cut)
    return Best(_around_gpu_and_node(flows, groups, collective), "bound")


def with_reduction(flows: FlowNetworks, groups: Groups) -> float:
    """Bound the busbw of an all-reduce whose switches reduce (NVLS, SHARP), GB/s.

    Every rank still has to send its data once and receive the result once, and so has every node:
    algbw is at most what enters one GPU, and what enters one node (the receiving cuts of
    arXiv 2402.06787 with aggregation in switches).
    """
    factor = busbw_factor("all_reduce", groups.size)
    alone = flows.gpu_GBps[0]
    if groups.nodes == 1:
        return alone * factor
    return min(alone, flows.node_GBps / groups.sharing) * factor


def _nodes_alike(network: Network) -> bool:
    """Whether all nodes have the same GPUs and as many cabled NICs."""
    parts = {group.node.id for group in network.world.groups if group.node}
    return len(parts) == 1 and len({len(live) for live in network.live_slots.values()}) <= 1


def _around_gpu_and_node(flows: FlowNetworks, groups: Groups, collective: Collective) -> float:
    """Bound the busbw by what one GPU and one node can exchange, all groups running at once."""
    alone = flows.gpu_GBps[0]
    if groups.nodes == 1:
        return alone
    return min(
        alone,
        *(
            into / groups.sharing / _share_entering(groups, gpus, collective)
            for into, gpus in flows.into_nodes
        ),
    )


def _share_entering(groups: Groups, gpus: int, collective: Collective) -> float:
    """What has to enter a node with so many GPUs for one group, in units of busbw times time."""
    ranks, members = groups.size, groups.members_in(gpus)
    if collective == "all_to_all":
        # each of the node's ranks receives from all ranks outside
        return members * (ranks - members) / (ranks - 1)
    if collective in ("broadcast", "reduce", "send_recv"):
        return 1
    # all other ranks' shards
    return (ranks - members) / (ranks - 1)
