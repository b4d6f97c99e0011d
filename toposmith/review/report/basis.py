"""What the figures of a page rest on: size, NCCL's release, routing, published results, scope.

Who signs a page has to know of what its figures are, and what was not checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import Analysis
from toposmith.analysis.summary import asked_words
from toposmith.collectives import collective_name
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import Plan
from toposmith.review.other_networks import compute_switches, not_looked_at
from toposmith.text import counted, signed_percent

ROUTING_WORDS = {
    "ideal": "switches spread traffic over the capacity that is left on each path, without loss; "
    "plain ECMP gives less where connections collide",
    "adaptive": "switches spread packets over the paths, with a small loss",
    "detour": "switches spread traffic over minimal paths and detours through one other group, as "
    "well as can be",
    "dimension-order": "switches send traffic along one axis after the other, the shorter way "
    "around",
    "static": "switches hash each connection onto one path, as plain ECMP does",
}

_ASSUMED = (
    *("length-assumed", "length-unknown", "rack-height-unknown", "rack-power-unknown"),
    *("rack-too-many", "unknown-fact", "unverified-fact", "no-sharp", "no-adaptive-routing"),
    *("wider-nvlink-domain", "detours-not-best", "exchange-not-routed", "rccl-not-modelled"),
    "small-messages",
)
"""Findings that say what a figure assumes, or what is not known of it."""


def basis_lines(evaluated: EvaluatedDesign) -> Iterator[str]:
    """Of what figures are, how far published results were from such, what was not looked at."""
    request = evaluated.asked
    yield (
        f"Messages of {asked_words(request, nccl=evaluated.plan.nccl)}, ranks "
        f"{request.job.placement}; sizes as nccl-tests counts them."
    )
    for collective, analysis in evaluated.analyses.items():
        yield f"{collective_name(collective)}: {published_words(analysis)}."
    yield f"Assumed: {'; '.join(_assumed(evaluated))}."
    yield f"Looked at: {', '.join(_looked_at(evaluated.plan)) or 'no network'}."
    yield f"Not looked at: {'; '.join(not_looked_at(evaluated.network))}."


def published_words(analysis: Analysis) -> str:
    """How far published results were from such a prediction, or that none are known."""
    band = analysis.band
    if analysis.busbw_GBps is None:
        return "no prediction, and no band of published results"
    if band is None:
        return f"a model's figure; {analysis.no_band or 'too few published results'}"
    which = "all published results" if band.is_span else "published results"
    return (
        f"a model's figure; {which} of such systems: {signed_percent(band.low)} to "
        f"{signed_percent(band.high)} of this prediction ({counted(band.systems, 'system')}, "
        f"{counted(band.curves, 'curve')}; {band.where})"
    )


def _assumed(evaluated: EvaluatedDesign) -> Iterator[str]:
    yield ROUTING_WORDS[evaluated.asked.routing.mode]
    yield "one job alone on the network, and no slow device"
    codes = [one.code for one in evaluated.findings if one.code in _ASSUMED]
    if codes:
        yield f"what these findings say: {', '.join(dict.fromkeys(codes))}"


def _looked_at(plan: Plan) -> Iterator[str]:
    """The network of the collectives: slots of nodes, and its switches."""
    network = ComputeNetwork(plan)
    yield from (f"{group}.{slots}" for group, slots in network.slots.items())
    yield from (name for name in plan.groups if name in compute_switches(network))
