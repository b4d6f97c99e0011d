"""Labels of predictions: ``model``, or ``at least`` or ``at most`` where a part is not modelled."""

from __future__ import annotations

from functools import cache

from toposmith.analysis.jobs.communicator import Groups
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.error_band import ESTIMATE, reached_by_exchanges
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.traffic.detour_loads import DetourSplit
from toposmith.collectives import COLLECTIVES
from toposmith.fabric.nvlink_domains import beyond_model
from toposmith.findings.finding import NETWORK, Finding, found
from toposmith.labels import MODEL, Label

WITHOUT_NVLINK = "NVLink between nodes is left out"
NOT_BEST = "detours split otherwise may carry more"
NOT_ROUTED = "distances alone, not routed"
LOSSES = "congestion, buffers and what a NIC spends on a message are left out"

RACKS_BY_SEVERAL = 2
"""Racks up to which all-reduces of more than one system are published; of more it is one run."""


def prediction_label(
    network: ComputeNetwork, groups: Groups, request: Request, split: DetourSplit | None
) -> Label:
    """The label of the busbw of these groups; ``split`` is the split over detours."""
    why = beyond_model(network.world.groups) if groups.nodes > 1 else ""
    if why:
        return Label("at least", WITHOUT_NVLINK, why)
    of_split = split_label(split)
    if of_split is not None:
        return of_split
    return exchange_label() if is_estimate(groups, request) else MODEL


def is_estimate(groups: Groups, request: Request) -> bool:
    """Whether what is predicted is an exchange between nodes at payload rate, without losses."""
    return groups.nodes > 1 and COLLECTIVES[request.collective].runs == "pairs"


@cache
def exchange_label() -> Label:
    """The label of an all-to-all between nodes: an estimate, and what published runs reached."""
    reached = reached_by_exchanges()
    if reached is None:
        return Label("model", f"{ESTIMATE}; none is published", LOSSES)
    why = f"{LOSSES}; published of {', '.join(reached.names)}, 64 MiB and more"
    return Label("model", f"{ESTIMATE}; {reached.words}", why)


def split_label(split: DetourSplit | None) -> Label | None:
    """The label that a split of flows gives a figure; None where it leaves the label."""
    if split is not None and split.not_best:
        return Label("at least", NOT_BEST, split.not_best)
    if split is not None and split.at_most:
        return Label("at most", NOT_ROUTED, split.at_most)
    return None


def by_one_run(network: ComputeNetwork, groups: Groups, request: Request) -> bool:
    """Whether a single public run stands behind an all-reduce over so many racks of NVLink trays.

    It ran what NCCL chose; no public run with a forced choice was found.
    """
    reduces = COLLECTIVES[request.collective].runs == "all_reduce"
    forced = request.algorithm is not None or request.protocol is not None or request.sharp
    many = groups.nodes > RACKS_BY_SEVERAL
    return bool(network.world.joined) and reduces and many and not forced


def too_high(bound_GBps: float) -> Label:
    """The label of a prediction above its bound: ``at most``, with the bound as the reason."""
    return Label(
        "at most",
        "above the bound",
        f"no schedule gives more than {bound_GBps:.4g} GB/s here; the prediction leaves out what "
        "limits it",
    )


def too_high_finding(
    collective: Collective, busbw_GBps: float, bound_GBps: float, of: str
) -> Finding:
    """The finding that a prediction is above its bound; ``of`` names the bound."""
    return found(
        "above-bound",
        NETWORK,
        collective=collective,
        busbw_GBps=busbw_GBps,
        bound_GBps=bound_GBps,
        of=of,
    )
