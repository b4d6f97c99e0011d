"""What doubling the links that bind first would bring, and what binds then."""

from __future__ import annotations

from dataclasses import replace

from topology.analysis.demands import Demand
from topology.analysis.prediction import Outcome, Predictor
from topology.analysis.result import NextStep


def next_step(predictor: Predictor, message_bytes: int) -> NextStep | None:
    """Double the fullest class of network links; at a node that means twice the NICs.

    NCCL is asked anew, since other channels may then fit. None where no link of the network binds.
    """
    outcome = predictor.at(message_bytes)
    first = min(outcome.demands, key=lambda demand: demand.allows, default=None)
    cabled = [demand for demand in outcome.demands if demand.index is not None]
    fullest = min(cabled, key=lambda demand: demand.allows, default=None)
    if first is None or fullest is None or not fullest.per_algbw:
        return None
    if outcome.limited_by == "latency" or fullest.allows > 1.5 * first.allows:
        return None
    factor = {fullest.link: 2.0}
    cluster = predictor.cluster
    if fullest.tier == "nic":
        cluster = replace(cluster, nic_factor=2)
        # twice the NICs bring their own PCIe slots
        factor |= {d.link: 2.0 for d in outcome.demands if d.tier == "pcie" and "NIC" in d.link}
    after = Predictor(cluster, predictor.cables, factor, predictor.traffic_known)
    then = after.at(message_bytes)
    return NextStep(fullest.link, then.busbw_GBps, _limit(then))


def _limit(outcome: Outcome) -> str:
    """What limits then, in words."""
    if outcome.limited_by == "latency":
        return "latency"
    fullest: Demand = min(outcome.demands, key=lambda demand: demand.allows)
    if outcome.limited_by == "channels" and fullest.allows > 1.1 * outcome.algbw_GBps:
        return "NCCL's channels"
    return fullest.link
