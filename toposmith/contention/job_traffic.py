"""A job on its own nodes: its rate alone, and its load on every cable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import ceil
from typing import assert_never

from toposmith.analysis.jobs.communicator import NodeOrder, sequences
from toposmith.analysis.jobs.job_list import JobError, RunningJob
from toposmith.analysis.jobs.world import domain_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.predictor import PredictedCollective, Predictor
from toposmith.analysis.request import Request, Routing
from toposmith.analysis.traffic.algorithm_loads import pattern_of
from toposmith.analysis.traffic.spread_shortfall import ADAPTIVE_SHARE
from toposmith.analysis.traffic.trees import SHARE_OF_TREE
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.contention.cable_loads import (
    CableLoads,
    LoadedCable,
    TooManyConnections,
    collective_loads,
    storage_loads,
)
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.device import Device
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.labels import MODEL, Label
from toposmith.nccl.constants import NETWORK_SHARE
from toposmith.nccl.node import ALGORITHMS
from toposmith.text import counted

_BYTES_PER_US = 1000

MOST_RUNS = 1000
"""Runs of nodes that a job leaves out: each distinguishes devices, and the time grows with their
square, to some 20 s for a job of 2,000 of 4,096 nodes taken at random."""

STORAGE_UNKNOWN = "what the storage itself takes is unknown"


@dataclass(frozen=True)
class Running:
    """A job with its rate alone, its loads, and its payload's share of a line rate.

    ``at_best`` is its rate alone with perfectly even loads of the fabric.
    """

    job: RunningJob
    loads: CableLoads
    payload: float
    alone: float
    label: Label
    predictor: Predictor | None = None
    outcome: PredictedCollective | None = None
    at_best: float = 0.0
    routing: Routing = field(default_factory=Routing)

    def figure(self, moves: float) -> float:
        """Busbw at a rate, with its latency; for storage the rate itself, GB/s."""
        if self.outcome is None or self.predictor is None:
            return moves
        size = self.job.message_bytes
        time_us = self.outcome.latency_us + size / (_BYTES_PER_US * moves)
        return size / (_BYTES_PER_US * time_us) * self.predictor.factor

    def room(self, cable: LoadedCable) -> float:
        """Payload capacity of a cable for this job, GB/s."""
        room = self.payload * self.loads.line_GBps[cable]
        adaptive = self.routing.mode == "adaptive" and cable in self.loads.one_of_several
        return room * ADAPTIVE_SHARE if adaptive else room


def run_job(job: RunningJob, evaluated: EvaluatedDesign, asked: Request) -> Running:
    """Evaluate a job alone, with the requested routing.

    Raises
    ------
    JobError
        Where it cannot run, with the reason.
    """
    try:
        if job.is_storage:
            return _storage(job, evaluated.network, asked.routing)
        return _collective(job, evaluated, asked)
    except Unreachable as gap:
        raise JobError(f"{job.name}: {gap.words}") from None
    except TooManyConnections as many:
        raise JobError(f"{job.name}: {many}") from None


def _collective(job: RunningJob, evaluated: EvaluatedDesign, asked: Request) -> Running:
    request = replace(
        asked,
        collective=job.runs,
        message_bytes=job.message_bytes,
        job=job.communicator,
        calibration=None,
    )
    design = evaluated.design
    gone = tuple(_all_but(job.nodes, evaluated.network))
    if len(gone) > MOST_RUNS:
        raise JobError(
            f"{job.name}: its nodes leave {counted(len(gone), 'run')} of others between them; "
            f"up to {MOST_RUNS:,} are analysed, in half a minute: take packed nodes, or fewer"
        )
    alone = design.model_copy(update={"absent": (*design.absent, *gone)})
    asking = EvaluatedDesign(alone, evaluated.catalog, request)
    question = asking.question
    predictor = question.predictor
    if predictor is None:
        errors = [one.text for one in question.analysis().findings if one.severity == "error"]
        raise JobError(f"{job.name} cannot run: {'; '.join(errors) or 'see the findings'}")
    outcome = predictor.at(job.message_bytes)
    moves = at_best = _moved(outcome, job)
    if asked.routing.mode == "static":
        ideal = asking.asking(replace(request, routing=Routing("ideal"))).question.predictor
        at_best = moves if ideal is None else max(moves, _moved(ideal.at(job.message_bytes), job))
    loads = CableLoads(evaluated.network.plan, evaluated.network.slots, asked.routing)
    _place(loads, predictor, outcome)
    payload = predictor.cluster.payload_of_cables
    label = question.label_of_job(outcome)
    return Running(job, loads, payload, moves, label, predictor, outcome, at_best, asked.routing)


def _moved(outcome: PredictedCollective, job: RunningJob) -> float:
    return job.message_bytes / (_BYTES_PER_US * (outcome.time_us - outcome.latency_us))


def _place(loads: CableLoads, predictor: Predictor, outcome: PredictedCollective) -> None:
    """Put what a job sends between what NCCL takes for its nodes on the cables."""
    shared_by, world = predictor.cluster.groups, predictor.cluster.network.world
    if shared_by.nodes < 2:
        return
    request = predictor.cluster.request
    algorithm = next((one for one in ALGORITHMS if one == outcome.algorithm), None)
    pattern = pattern_of(request.collective, algorithm)
    unit = SHARE_OF_TREE if pattern == "trees" else predictor.traffic_known[pattern].leaving
    in_order = [
        (block, (block.group.name, (*block.outer, own))) for block, own in NodeOrder(world).nodes
    ]
    # the trays of a rack are one node to NCCL, and so many of each rack send
    racks = groupby(in_order, key=lambda each: domain_of(each[0])) if world.joined else None
    nodes = (
        [tuple(device for _, device in trays) for _, trays in racks]
        if racks
        else [(device,) for _, device in in_order]
    )
    trays, sharing = world.trays, shared_by.sharing
    nics = predictor.cluster.network.ring_nics
    everywhere = False
    match pattern:
        case "neighbours":
            if nics:  # one rank of each group sends to the next node; flows are not split
                trays = min(trays, ceil(sharing / nics))
                nics = min(nics, sharing)
                sharing = nics * trays * ceil(sharing / (nics * trays))
        case "pairs":
            everywhere = shared_by.is_world
        case "ring" | "trees" | "switches":
            pass
        case never:
            assert_never(never)
    gpus = {
        device: shared_by.members_in(block.group.node.gpus) if block.group.node else 0
        for block, device in in_order
    }
    for places in sequences(shared_by, len(nodes)):
        some = [nodes[place] for place in places]
        collective_loads(
            loads,
            some,
            gpus,
            pattern,
            unit,
            groups=sharing,
            trays=None if everywhere else trays,
            nics=nics,
        )


def _all_but(nodes: Sequence[Device], network: ComputeNetwork) -> Iterator[str]:
    """Selectors of all nodes but some, as few as ranges of their axes allow."""
    for group in network.world.groups:
        kept = [node[1] for node in nodes if node[0] == group.name]
        for ranges in _ranges_but(kept, group.axes, group.sizes):
            yield f"{group.name}[{','.join(ranges)}]" if ranges else group.name


def _ranges_but(
    kept: Sequence[tuple[int, ...]], axes: tuple[str, ...], sizes: tuple[int, ...]
) -> list[tuple[str, ...]]:
    """Ranges of axes that cover all places but those that are kept."""
    if not kept:
        return [()]
    if not axes:
        return []
    inner: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for value, *rest in kept:
        inner[value].append(tuple(rest))
    gone = [
        tuple(_ranges_but(inner.get(value, ()), axes[1:], sizes[1:])) for value in range(sizes[0])
    ]
    found: list[tuple[str, ...]] = []
    for rest, alike in groupby(range(sizes[0]), key=lambda value: gone[value]):
        values = list(alike)
        found += [(f"{axes[0]}={values[0]}..{values[-1]}", *more) for more in rest]
    return found


def _storage(job: RunningJob, network: ComputeNetwork, routing: Routing) -> Running:
    plan = network.plan
    stores = [group for group in plan.groups.values() if group.storage]
    if not stores:
        raise JobError(f"{job.name}: the design has no storage to {job.runs}")
    slots = {name: _storage_slots(plan, network, group) for name, group in plan.groups.items()}
    used = {name: chosen for name, chosen in slots.items() if chosen}
    if routing.mode == "dimension-order":
        routing = Routing("ideal")
    loads = CableLoads(plan, used, routing)
    present = [device for group in stores for device in loads.cabled(group.name)]
    if not present or any(node[0] not in used for node in job.nodes):
        raise JobError(f"{job.name}: no cable leads from its nodes to storage")
    storage_loads(loads, job.nodes, present, write=job.runs == "write")
    parts = [plan.groups[name].storage for name, _ in present]
    rates = [
        (part.write_GBps if job.runs == "write" else part.read_GBps) if part else None
        for part in parts
    ]
    one = Running(job, loads, NETWORK_SHARE, 0.0, MODEL, routing=routing)
    fabric = min(one.room(cable) / load for cable, load in loads.loads.items() if load)
    known = [rate for rate in rates if rate]
    label = MODEL
    if len(known) == len(rates):
        # all devices alike get as much, so that the slowest holds the others
        fabric = min(fabric, min(known) * len(rates))
    else:
        label = Label("at most", STORAGE_UNKNOWN)
    return replace(one, alone=fabric, label=label, at_best=fabric)


def _storage_slots(plan: Plan, network: ComputeNetwork, group: GroupPlan) -> str:
    """The slots by which a group reaches storage: those called so if cabled, else the usual."""
    if group.host is None:
        return ""
    cabled = [link.end_of(group.name).ports for link in plan.links_of(group.name)]
    if "storage" in cabled:
        return "storage"
    return network.slots.get(group.name) or next(iter(cabled), "")
