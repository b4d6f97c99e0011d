"""The gain from doubling the limiting links, and what limits then."""

from __future__ import annotations

from dataclasses import replace

from toposmith.analysis.prediction.demands import Demand
from toposmith.analysis.prediction.predictor import PredictedCollective, Predictor
from toposmith.analysis.result import NextStep

FAR_FROM_FULL = 1.5
"""If the fullest network link allows this factor more than the limit, doubling has no effect."""

EQUALLY_FULL = 1.005

NVLINK_FULL = 1.1
"""Channels that leave less than this share of NVLink unused are limited by it (whole channels)."""


def next_step(predictor: Predictor, message_bytes: int) -> NextStep | None:
    """Double the fullest classes of network links; at a node that means twice the NICs.

    Classes that are equally full are doubled together, since one alone changes nothing. NCCL's
    search is repeated, since other channels may then fit. None where no network link limits.
    """
    outcome = predictor.at(message_bytes)
    first = min((demand.allows for demand in outcome.demands), default=None)
    cabled = [d for d in outcome.demands if d.index is not None and d.per_algbw]
    fullest = min((demand.allows for demand in cabled), default=None)
    if first is None or fullest is None or outcome.limited_by == "latency":
        return None
    if fullest > FAR_FROM_FULL * first:
        return None
    doubled = [demand for demand in cabled if demand.allows <= fullest * EQUALLY_FULL]
    factor = {demand.link: 2.0 for demand in doubled}
    cluster = predictor.cluster
    if any(demand.tier == "nic" for demand in doubled):
        cluster = replace(cluster, nic_factor=2)
        # twice the NICs bring their own PCIe slots
        factor |= {d.link: 2.0 for d in outcome.demands if d.tier == "pcie" and "NIC" in d.link}
    after = Predictor(cluster, predictor.cables, factor, predictor.traffic_known)
    then = after.at(message_bytes)
    link = " and ".join(demand.link for demand in doubled)
    # NCCL may choose worse with more NICs; its choice can then be forced
    return NextStep(link, max(then.busbw_GBps, outcome.busbw_GBps), _limit(then))


def _limit(outcome: PredictedCollective) -> str:
    """What limits then, in words."""
    if outcome.limited_by == "latency":
        return "latency"
    fullest: Demand = min(outcome.demands, key=lambda demand: demand.allows)
    in_node = fullest.tier == "nvlink" and fullest.allows <= NVLINK_FULL * outcome.algbw_GBps
    if outcome.limited_by == "channels" and not in_node:
        return "NCCL's channels"
    return fullest.link
