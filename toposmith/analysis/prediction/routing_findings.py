"""Findings about routing: minimal paths that limit, detours that may not be optimal."""

from __future__ import annotations

from dataclasses import replace

from toposmith.analysis.prediction.predictor import PredictedCollective, Predictor
from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.algorithm_loads import Pattern, pattern_of
from toposmith.analysis.traffic.detour_paths import axes_of_sets
from toposmith.findings.finding import NETWORK, Finding, at_link, found

SENDERS: dict[Pattern, str] = {
    "ring": "nodes that follow each other in the ring",
    "trees": "nodes that are neighbours in the trees",
    "neighbours": "nodes that follow each other",
    "pairs": "nodes of two switches",
}
"""The traffic that loads a cable, by pattern."""

HARDLY_LESS = 0.98
"""From this share of the ideally routed figure on, routing costs nothing notable."""

FAR_BELOW = 0.9
"""Figures below this share of their bound are explained."""


def routing_findings(
    predictor: Predictor, outcome: PredictedCollective, bound_GBps: float | None
) -> list[Finding]:
    """Findings about the routing; ``bound_GBps`` is the bound without reduction."""
    split = predictor.split(outcome)
    if split is not None and split.not_best:
        return [found("detours-not-best", NETWORK, why=split.not_best)]
    if split is not None and split.at_most:
        return [found("exchange-not-routed", NETWORK, why=split.at_most)]
    return [*_hashing(predictor, outcome), *_minimal_paths(predictor, outcome, bound_GBps)]


def _hashing(predictor: Predictor, outcome: PredictedCollective) -> list[Finding]:
    """The figure with an ideal split over the same paths, where connections are hashed."""
    cluster = predictor.cluster
    if cluster.routing.mode != "static" or outcome.limited_by != "links":
        return []
    request = replace(cluster.request, routing=Routing("ideal"))
    ideal = Predictor(replace(cluster, request=request), predictor.cables)
    split = ideal.at(outcome.message_bytes).busbw_GBps
    if outcome.busbw_GBps >= HARDLY_LESS * split:
        return []
    return [
        found(
            "static-hashing",
            NETWORK,
            busbw_GBps=outcome.busbw_GBps,
            ideal_GBps=split,
            percent=100 * outcome.busbw_GBps / split,
        )
    ]


def _minimal_paths(
    predictor: Predictor, outcome: PredictedCollective, bound_GBps: float | None
) -> list[Finding]:
    """That a link along an axis is full because no path goes around it."""
    cluster = predictor.cluster
    plan = cluster.network.plan
    if not cluster.routing.minimal or not axes_of_sets(plan) or outcome.limited_by != "links":
        return []
    if not bound_GBps or outcome.busbw_GBps >= FAR_BELOW * bound_GBps:
        return []
    fullest = min(outcome.demands, key=lambda demand: demand.allows)
    along = {link.index: dict(link.along) for link in plan.links if link.along}
    at_nics = [demand.per_algbw for demand in outcome.demands if demand.tier == "nic"]
    if fullest.index not in along or not max(at_nics, default=0.0):
        return []
    link = plan.link(fullest.index)
    pattern = pattern_of(cluster.request.collective, outcome.algorithm)  # type: ignore[arg-type]
    return [
        found(
            "minimal-paths-limit",
            at_link(link.index, (link.a.label, link.b.label)),
            link=link.label,
            percent=100 * outcome.busbw_GBps / bound_GBps,
            pattern=SENDERS.get(pattern, "nodes"),
            cable_share=fullest.per_algbw / max(at_nics),
            apart="groups" if "dealt" in along[link.index].values() else "switches",
        )
    ]
