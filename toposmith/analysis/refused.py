"""Designs of which no figures are computed: out of proportion, or of too many unlike devices.

Work is counted (:mod:`toposmith.cancellation`), so that a design is refused everywhere or nowhere.
"""

from __future__ import annotations

from toposmith.analysis.jobs.world import (
    MAX_BLOCKS,
    MAX_NODES,
    blocks_of,
    gpus_of,
    nodes_of,
    world,
)
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis, Communicator
from toposmith.cancellation import Steps
from toposmith.fabric.counts import device_counts
from toposmith.fabric.once import once
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import DESIGN, Finding, found

MOST_GROUPS_AND_LINKS = 2_000
"""Each is looked at by every room, from the plan to the review: some four milliseconds in all."""

MOST_STEPS_OF_CLASSES = 2_500_000
"""Steps that the classes of equal devices may take."""

MOST_STEPS = 5_000_000
"""Steps that the figures of one request may take: a torus of 12,320 switches of which one is down
takes half of them."""


@once
def refusal(network: ComputeNetwork) -> Finding | None:
    """Why no figures of a design are computed; None where they are."""
    plan = network.plan
    blocks, nodes = blocks_of(plan), nodes_of(plan)
    if blocks > MAX_BLOCKS or nodes > MAX_NODES:
        return found(
            "too-large",
            DESIGN,
            nodes=nodes,
            most_nodes=MAX_NODES,
            blocks=blocks,
            most_blocks=MAX_BLOCKS,
        )
    if len(plan.design.groups) + len(plan.design.links) > MOST_GROUPS_AND_LINKS:
        return too_irregular(plan)
    classes = Steps(MOST_STEPS_OF_CLASSES).run(lambda: network.classes)
    return too_irregular(plan) if classes is None else None


def too_irregular(plan: Plan) -> Finding:
    """The finding that too many devices of a design differ from each other."""
    design = plan.design
    entries = (design.absent, design.down, design.slow, design.cables)
    return found(
        "too-irregular",
        DESIGN,
        groups=len(design.groups),
        links=len(design.links),
        entries=sum(map(len, entries)),
    )


def without_figures(plan: Plan, request: Request, why: Finding) -> Analysis:
    """An analysis of a design of which no figures are computed.

    Where even what is absent takes too long to count, devices are counted as if nothing were.
    """
    devices = Steps(MOST_STEPS).run(lambda: device_counts(plan))
    if devices is None:
        devices = {name: group.instances for name, group in plan.groups.items()}
    groups = [group for group in plan.groups.values() if gpus_of(group)]
    gpus = sum(devices[group.name] * gpus_of(group) for group in groups)
    nodes = sum(devices[group.name] for group in groups)
    if blocks_of(plan) <= MAX_BLOCKS:
        there = Steps(MOST_STEPS_OF_CLASSES).run(lambda: world(plan))
        gpus, nodes = (gpus, nodes) if there is None else (there.gpus, there.nodes)
    job = request.job
    kind, layout = job.group_for(request.collective), str(job.layout)
    return Analysis(
        design=plan.design.name,
        gpus=gpus,
        nodes=nodes,
        communicator=Communicator(kind, 0 if job.layout.sizes else gpus, 1, layout),
        collective=request.collective,
        message_bytes=request.message_bytes,
        findings=(why, *plan.findings),
        nccl=str(request.version) if plan.nccl else None,
        routing=request.routing.mode,
    )
