"""The best that any schedule could do for a collective, with its label."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toposmith.analysis.bounds.all_gather import FlowNetworks, all_gather_bound
from toposmith.analysis.bounds.bisection import (
    RACKS,
    all_to_all_bound,
    joined_racks,
    parts_taken_in,
)
from toposmith.analysis.bounds.concurrent_flow import all_to_all_optimum
from toposmith.analysis.bounds.intake import (
    ALL_NODES,
    Limit,
    all_reduce_limits,
    links_around_one,
)
from toposmith.analysis.bounds.unverified import with_unverified
from toposmith.analysis.jobs.communicator import Groups
from toposmith.analysis.request import Collective
from toposmith.analysis.result import REDUCED, CutLink
from toposmith.collectives import COLLECTIVES, busbw_factor
from toposmith.fabric.nvlink_domains import beyond_model
from toposmith.labels import EXACT, UNKNOWN, Label

ONE_GPU_OR_NODE = "ingress of one GPU or node"
ALL_PARTS = "ingress of all parts along an axis"
WORST_CUT = "the worst cut found"
SOCKETS_ASSUMED = "what the sockets of a node exchange, by its PCIe generation"
SOCKETS_UNKNOWN = "the part does not say what its sockets exchange"
MENDED = "the wiring without its faults"
SHARES = "unlike shares of an all-reduce are not looked at"
ONLY_CUTS = "other cuts are not looked at"


@dataclass(frozen=True)
class Best:
    """A bound on busbw, GB/s, with its label and the cut where there is one."""

    busbw_GBps: float | None
    label: Label
    cut: tuple[CutLink, ...] = ()


def best_possible(
    flows: FlowNetworks, groups: Groups, collective: Collective, *, solve: bool = False
) -> Best:
    """Bound the busbw of a collective, without reduction in switches.

    All-gather and reduce-scatter over the world are exact (Dinkelbach's iteration over min-cuts)
    where one GPU provably represents its class: without faults, with nodes of one group.
    So is all-reduce, both after each other, where any GPU can be swapped for any other, or any
    node and the cut goes through none: averaged over all such swaps, every schedule leaves and
    enters that set of ranks alike, so that no shares are better than equal ones. Elsewhere its
    bound is that of what nodes and GPUs take in. All-to-all is exact where it is solved as a linear
    program. The others are bounds from the cuts around one GPU and around one node; so is
    all-gather where faults distinguish most devices; it then never exceeds that without faults.

    A bound that depends on the rate between the sockets of a node, where its part does not give it,
    is ``assumed``; a cut through none of these links holds at any rate, but another may be
    worse. A bound whose cut rests on a fact that the catalog marks unverified is ``assumed``, too.

    Parameters
    ----------
    flows : FlowNetworks
        The wiring.
    groups : Groups
        Who takes part.
    collective : str
        What they do.
    solve : bool
        Whether to solve the linear program, if the fabric is small.
    """
    best = _with_sockets(flows, groups, collective, solve=solve)
    cut = best.cut or _around_one(flows, groups, best.busbw_GBps)
    return replace(best, label=_in_doubt(flows, best.label, cut))


def _in_doubt(flows: FlowNetworks, label: Label, cut: tuple[CutLink, ...]) -> Label:
    return with_unverified(label, cut, flows.network, flows.parts)


def _around_one(
    flows: FlowNetworks, groups: Groups, busbw_GBps: float | None
) -> tuple[CutLink, ...]:
    """The links of one GPU where they set this bound, else those of one node."""
    if not busbw_GBps:
        return ()
    by_gpu = groups.nodes == 1 or busbw_GBps >= flows.gpu_GBps[0]
    return links_around_one(flows.network, flows.catalog, gpu=by_gpu)


def _with_sockets(
    flows: FlowNetworks, groups: Groups, collective: Collective, *, solve: bool
) -> Best:
    """The same with unverified facts of the catalog taken as known."""
    best = _best(flows, groups, collective, solve=solve)
    apart = flows.without_assumed
    if apart is None or best.busbw_GBps is None or best.label.kind == "unknown":
        return best
    # each bound is a minimum of cuts, linear in the rate between sockets: where it is equal with
    # rate zero and with the assumed rate, it is equal at all rates between
    least = _best(apart, groups, collective, solve=solve).busbw_GBps
    if least == best.busbw_GBps:
        return best
    if best.cut and not any(link.link in flows.assumed_links for link in best.cut):
        of = best.label.of or WORST_CUT
        return replace(best, label=Label("bound", of, best.label.why or SOCKETS_UNKNOWN))
    of = f"{best.label.of}, with {SOCKETS_ASSUMED}" if best.label.of else SOCKETS_ASSUMED
    return replace(best, label=Label("assumed", of, SOCKETS_UNKNOWN))


def _best(flows: FlowNetworks, groups: Groups, collective: Collective, *, solve: bool) -> Best:
    """The same with the rate between sockets taken as known."""
    if groups.nodes > 1 and (why := beyond_model(flows.network.world.groups)):
        return Best(None, Label("unknown", why=why))
    bound = COLLECTIVES[collective].bound
    if bound == "all_to_all":
        return _all_to_all(flows, groups, solve=solve)
    if bound == "all_reduce":
        return _all_reduce(flows, groups)
    if groups.is_world and bound == "all_gather" and flows.network.all_apart:
        return _few_cuts(most_taken_in(flows, groups, collective))
    if groups.is_world and bound == "all_gather" and flows.network.singly:
        around = _few_cuts(most_taken_in(flows, groups, collective))
        return _no_more_than_mended(around, flows)
    if groups.is_world and bound == "all_gather":
        best = all_gather_bound(flows)
        if best is None:
            return Best(None, UNKNOWN)
        why = best.why_unproven
        label = Label("bound", WORST_CUT, why) if why else EXACT
        return Best(float(best.rate) * (groups.size - 1), label, best.cut)
    return _few_cuts(most_taken_in(flows, groups, collective))


def _no_more_than_mended(best: Best, flows: FlowNetworks) -> Best:
    """The bound of an all-gather; that of the wiring without faults where it is lower."""
    mended = flows.healed and all_gather_bound(flows.healed)
    if not mended or best.busbw_GBps is None:
        return best
    busbw = float(mended.rate) * (flows.network.world.gpus - 1)
    if busbw >= best.busbw_GBps:
        return best
    return Best(busbw, Label("bound", MENDED, ONLY_CUTS), mended.cut)


def reduced_label(flows: FlowNetworks, groups: Groups) -> Label:
    """The label of :func:`with_reduction`."""
    apart, reduced = flows.without_assumed, with_reduction(flows, groups)
    factor = busbw_factor("all_reduce", groups.size)
    label = REDUCED
    if apart is not None and with_reduction(apart, groups) != reduced:
        label = Label("assumed", SOCKETS_ASSUMED, SOCKETS_UNKNOWN)
    elif groups.nodes == 1 and reduced is not None and reduced < flows.gpu_GBps[0] * factor:
        label = Label("bound", RACKS)
    algbw = reduced and reduced / factor
    return _in_doubt(flows, label, _around_one(flows, groups, algbw))


def with_reduction(flows: FlowNetworks, groups: Groups) -> float | None:
    """Bound the busbw of an all-reduce whose switches reduce (NVLS, SHARP), GB/s.

    Every rank still has to send its data once and receive the result once, and so has every node:
    algbw is at most what enters one GPU, and what enters one node (the receiving cuts of
    arXiv 2402.06787 with aggregation in switches), or one rack where cables join racks to a node.
    None where switches that are not in the model join nodes.
    """
    if groups.nodes > 1 and beyond_model(flows.network.world.groups):
        return None
    factor = busbw_factor("all_reduce", groups.size)
    alone = flows.gpu_GBps[0]
    if groups.nodes == 1:
        racks = joined_racks(flows) if groups.is_world else ()
        return min([alone, *(float(rack.leaving) for rack in racks)]) * factor
    return min(alone, flows.node_GBps / groups.sharing) * factor


def reduced_in_nodes(flows: FlowNetworks, groups: Groups) -> Best:
    """Bound the busbw of an all-reduce that NVSwitches reduce, but no switch between nodes.

    Beside what each GPU and node takes in once, every element of the data has to be received by
    whole nodes 2 (m - 1) times, of m, whatever goes on inside them (Patarasuk and Yuan 2009).
    """
    reduced = with_reduction(flows, groups)
    if reduced is None:
        return Best(None, UNKNOWN)
    whole = [one for one in _all_reduce_limits(flows, groups) if one.of in (ALL_NODES, ALL_PARTS)]
    least = min(whole, key=lambda limit: limit.busbw_GBps, default=None)
    if least is None or least.busbw_GBps >= reduced:
        return Best(reduced, reduced_label(flows, groups))
    return Best(least.busbw_GBps, _in_doubt(flows, Label("bound", least.of), least.cut), least.cut)


def _all_reduce_limits(flows: FlowNetworks, groups: Groups) -> list[Limit]:
    """Bounds from what sets of ranks take in: GPUs, nodes, and the nodes along each axis."""
    limits = all_reduce_limits(flows.network, flows.catalog, groups)
    factor = busbw_factor("all_reduce", groups.size)
    for parts in parts_taken_in(flows.network) if limits and groups.is_world else ():
        together = float(sum(into for _, into in parts)) / (2 * (len(parts) - 1))
        alone = float(min(into for _, into in parts))
        limits.append(Limit(min(together, alone) * factor, ALL_PARTS, ()))
    return limits


def _all_to_all(flows: FlowNetworks, groups: Groups, *, solve: bool) -> Best:
    around = most_taken_in(flows, groups, "all_to_all")
    share = (groups.size - 1) / groups.size
    if groups.is_world and solve:
        optimum = all_to_all_optimum(flows.network, flows.catalog)
        if optimum is not None:
            return Best(optimum.rate * share, EXACT, optimum.binding)
    found = all_to_all_bound(flows, groups)
    if found is None or float(found.rate) * share > around:
        return _few_cuts(around)
    return Best(float(found.rate) * share, Label("bound", found.of, ONLY_CUTS), found.cut)


def _all_reduce(flows: FlowNetworks, groups: Groups) -> Best:
    exact = _exact_all_reduce(flows, groups)
    if exact is not None:
        return exact
    limits = _all_reduce_limits(flows, groups)
    reduced = with_reduction(flows, groups)
    if not limits or not reduced:
        return Best(None, UNKNOWN)
    least = min(limits, key=lambda limit: limit.busbw_GBps)
    if reduced < least.busbw_GBps * (1 - 1e-9):
        best = Best(reduced, Label("bound", ONE_GPU_OR_NODE, _why_no_more(flows)))
    else:
        best = Best(least.busbw_GBps, Label("bound", least.of, _why_no_more(flows)), least.cut)
    mended = flows.healed and _exact_all_reduce(flows.healed, groups)
    if mended and (mended.busbw_GBps or 0.0) < (best.busbw_GBps or 0.0):
        return Best(mended.busbw_GBps, Label("bound", MENDED, _why_no_more(flows)), mended.cut)
    return best


def _exact_all_reduce(flows: FlowNetworks, groups: Groups) -> Best | None:
    """The optimum over the world, where equal shares are provably optimal; else None."""
    if not groups.is_world or flows.network.all_apart or flows.why_unproven:
        return None
    best = all_gather_bound(flows)
    if best is None or not (flows.gpus_alike or (flows.nodes_alike and best.nodes_whole)):
        return None
    return Best(float(best.rate) * (groups.size - 1), EXACT, best.cut)


def _why_no_more(flows: FlowNetworks) -> str:
    return flows.why_unproven or SHARES


def _few_cuts(busbw_GBps: float) -> Best:
    if not busbw_GBps:
        return Best(None, UNKNOWN)
    return Best(busbw_GBps, Label("bound", ONE_GPU_OR_NODE, ONLY_CUTS))


def most_taken_in(flows: FlowNetworks, groups: Groups, collective: Collective) -> float:
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
    """Data that enters a node with so many GPUs for one group, in units of busbw times time."""
    ranks, members = groups.size, groups.members_in(gpus)
    return COLLECTIVES[collective].entering(ranks, members)
