"""What jobs that run at once get of one fabric: each alone, all together, and where they meet.

All are taken to communicate all of the time, which is the worst that they do to each other; routing
is ideal. Alone a collective is what the design with its nodes only predicts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from toposmith.catalog import Catalog
from toposmith.text import counted
from toposmith.topology.analysis.jobs.communicator import sequences
from toposmith.topology.analysis.jobs.job_list import JobError, RunningJob, read_jobs
from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.prediction.predictor import Outcome, Predictor
from toposmith.topology.analysis.request import Request, Routing
from toposmith.topology.analysis.traffic.placing import pattern_of
from toposmith.topology.analysis.traffic.trees import SHARE_OF_TREE
from toposmith.topology.analysis.traffic.unreachable import Unreachable
from toposmith.topology.contention.cable_loads import (
    Cable,
    CableLoads,
    End,
    NicPort,
    TooManyConnections,
    busiest_nic,
    collective_loads,
    storage_loads,
)
from toposmith.topology.contention.sharing import Competitor, FairShare, fair_shares
from toposmith.topology.design.document import Design, RoutingMode
from toposmith.topology.design.job_block import JobBlock
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.fabric.class_builder import link_of
from toposmith.topology.fabric.classes import base_graph
from toposmith.topology.fabric.plan import GroupPlan, Plan
from toposmith.topology.fabric.single_devices import SingleDevices
from toposmith.topology.fabric.translations import Device
from toposmith.topology.labels import MODEL, Label
from toposmith.topology.nccl.constants import NETWORK_SHARE
from toposmith.topology.nccl.ranks import ALGORITHMS

_BYTES_PER_US = 1000

MOST_RUNS = 64
"""Runs of nodes that a job leaves out; each tells devices apart, which takes time and memory."""

STORAGE_UNKNOWN = "what the storage itself takes is unknown"


@dataclass(frozen=True)
class ContendedLink:
    """The cables of one link that hold jobs back, and who shares them.

    Parameters
    ----------
    link : str
        As the design has it.
    cables : int
        That are full.
    example : str
        One of them, in the direction that is full.
    jobs : tuple of str
        Names of all jobs that use these cables.
    """

    link: str
    cables: int
    example: str
    jobs: tuple[str, ...]


@dataclass(frozen=True)
class JobFigure:
    """What a job gets: of a collective its busbw per GPU, of storage traffic all nodes together.

    Parameters
    ----------
    job : RunningJob
        Which.
    algorithm : str
        What NCCL runs; empty for storage.
    alone_GBps, together_GBps : float
        Without and with the others.
    label : Label
        What kind of figures these are.
    contended : tuple of ContendedLink
        Where it is held back by others, the link with the most full cables first.
    """

    job: RunningJob
    algorithm: str
    alone_GBps: float
    together_GBps: float
    label: Label
    contended: tuple[ContendedLink, ...] = ()

    @property
    def kept(self) -> float:
        """Together over alone."""
        return self.together_GBps / self.alone_GBps


@dataclass(frozen=True)
class _Running:
    """A job with what it moves alone, its loads, and its payload's share of a line rate."""

    job: RunningJob
    loads: CableLoads
    payload: float
    alone: float
    label: Label
    predictor: Predictor | None = None
    outcome: Outcome | None = None

    def figure(self, moves: float) -> float:
        """Busbw where it moves so much beside its latency; of storage that itself."""
        if self.outcome is None or self.predictor is None:
            return moves
        size = self.job.message_bytes
        time_us = self.outcome.latency_us + size / (_BYTES_PER_US * moves)
        return size / (_BYTES_PER_US * time_us) * self.predictor.factor


def jobs_together(
    wanted: Sequence[str | JobBlock],
    design: Design,
    catalog: Catalog,
    request: Request | None = None,
) -> tuple[JobFigure, ...]:
    """What each of several jobs gets, alone and together.

    Parameters
    ----------
    wanted : sequence of str or JobBlock
        The jobs, as :func:`read_jobs` takes them; ``design.jobs`` are the design's own.
    design : Design
        The design.
    catalog : Catalog
        Its parts.
    request : Request, optional
        The release of NCCL and the MTU; the job, size and collective are each job's own.

    Raises
    ------
    JobError
        Where a job cannot run, with the reason.
    """
    evaluated = EvaluatedDesign(design, catalog)
    network = evaluated.network
    if network.world.joined:
        raise JobError("concurrent jobs are not analysed where NVLink joins nodes into racks")
    jobs = read_jobs(wanted, design, network.world)
    running = [_running(job, evaluated, request or Request()) for job in jobs]
    rooms = _shared(running)
    shares = fair_shares([_competitor(one, rooms) for one in running], rooms)
    return tuple(
        JobFigure(
            one.job,
            one.outcome.algorithm if one.outcome else "",
            one.figure(one.alone),
            one.figure(share.moves),
            _of_ideal_routing(one.label, design.routing),
            tuple(_contended(share, running, network.plan)),
        )
        for one, share in zip(running, shares, strict=True)
    )


def _of_ideal_routing(label: Label, routing: RoutingMode | None) -> Label:
    """The label, which says so where the design's own routing is another than that of figures."""
    if routing in (None, "ideal"):
        return label
    said = f"routed ideally, not {routing} as the design says"
    return replace(label, of=f"{label.of}; {said}" if label.of else said)


def _running(job: RunningJob, evaluated: EvaluatedDesign, asked: Request) -> _Running:
    try:
        if job.is_storage:
            return _storage(job, evaluated.network)
        return _collective(job, evaluated, asked)
    except Unreachable as gap:
        raise JobError(f"{job.name}: {gap.words}") from None
    except TooManyConnections as many:
        raise JobError(f"{job.name}: {many}") from None


def _collective(job: RunningJob, evaluated: EvaluatedDesign, asked: Request) -> _Running:
    request = replace(
        asked,
        collective=job.runs,
        message_bytes=job.message_bytes,
        job=job.communicator,
        calibration=None,
        routing=Routing("ideal"),
    )
    design = evaluated.design
    gone = tuple(_all_but(job.nodes, evaluated.network))
    if len(gone) > MOST_RUNS:
        raise JobError(
            f"{job.name}: its nodes leave {counted(len(gone), 'run')} of others between them; "
            f"up to {MOST_RUNS} are analysed: take packed nodes, or a smaller design"
        )
    alone = design.model_copy(update={"absent": (*design.absent, *gone)})
    question = EvaluatedDesign(alone, evaluated.catalog, request).question
    predictor = question.predictor
    if predictor is None:
        errors = [one.text for one in question.analysis().findings if one.severity == "error"]
        raise JobError(f"{job.name} cannot run: {'; '.join(errors) or 'see the findings'}")
    outcome = predictor.at(job.message_bytes)
    network = evaluated.network
    loads = CableLoads(network.devices, network.slots)
    shared_by = predictor.cluster.groups
    if shared_by.nodes > 1:
        algorithm = next((one for one in ALGORITHMS if one == outcome.algorithm), None)
        pattern = pattern_of(job.runs, algorithm)
        unit = SHARE_OF_TREE if pattern == "trees" else predictor.traffic_known[pattern].leaving
        groups = network.plan.groups
        parts = {node: groups[node[0]].node for node in job.nodes}
        gpus = {
            node: shared_by.members_in(part.gpus)
            for node, part in parts.items()
            if part is not None
        }
        for places in sequences(shared_by, len(job.nodes)):
            nodes = [job.nodes[place] for place in places]
            collective_loads(loads, nodes, gpus, pattern, unit, groups=shared_by.sharing)
    moves = job.message_bytes / (_BYTES_PER_US * (outcome.time_us - outcome.latency_us))
    payload = predictor.cluster.payload_of_cables
    return _Running(job, loads, payload, moves, question.label_of_job(outcome), predictor, outcome)


def _all_but(nodes: Sequence[Device], network: Network) -> Iterator[str]:
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


def _storage(job: RunningJob, network: Network) -> _Running:
    plan = network.plan
    stores = [group for group in plan.groups.values() if group.storage]
    if not stores:
        raise JobError(f"{job.name}: the design has no storage to {job.runs}")
    slots = {name: _storage_slots(plan, network, group) for name, group in plan.groups.items()}
    used = {name: chosen for name, chosen in slots.items() if chosen}
    devices = SingleDevices(plan, base_graph(plan, only=used), used)
    loads = CableLoads(devices, used)
    present = list(_present(plan, stores, used))
    if not present or any(node[0] not in used for node in job.nodes):
        raise JobError(f"{job.name}: no cable leads from its nodes to storage")
    storage_loads(loads, job.nodes, present, write=job.runs == "write")
    parts = [plan.groups[name].storage for name, _ in present]
    rates = [
        (part.write_GBps if job.runs == "write" else part.read_GBps) if part else None
        for part in parts
    ]
    fabric = min(
        NETWORK_SHARE * loads.line_GBps[cable] / load for cable, load in loads.loads.items() if load
    )
    known = [rate for rate in rates if rate]
    label = MODEL
    if len(known) == len(rates):
        # all devices alike get as much, so that the slowest holds the others
        fabric = min(fabric, min(known) * len(rates))
    else:
        label = Label("at most", STORAGE_UNKNOWN)
    return _Running(job, loads, NETWORK_SHARE, fabric, label)


def _storage_slots(plan: Plan, network: Network, group: GroupPlan) -> str:
    """The slots by which a group reaches storage: those called so if cabled, else the usual."""
    if group.host is None:
        return ""
    cabled = [link.end_of(group.name).ports for link in plan.links_of(group.name)]
    if "storage" in cabled:
        return "storage"
    return network.slots.get(group.name) or next(iter(cabled), "")


def _present(plan: Plan, stores: Iterable[GroupPlan], used: Mapping[str, str]) -> Iterator[Device]:
    """Every storage device that is there and has a cable."""
    graph = base_graph(plan, only=dict(used))
    for group in stores:
        for vertex in graph.graph:
            if vertex[0] == "device" and vertex[1] == group.name:
                cells = zip(group.axes, vertex[2], strict=True)
                choices = [graph.cuts.cells(axis)[cell].values() for axis, cell in cells]
                yield from ((group.name, tuple(at)) for at in product(*choices))


def _shared(running: Sequence[_Running]) -> dict[Hashable, float]:
    """What each cable that several jobs use carries, GB/s of payload."""
    users: dict[Cable, list[_Running]] = defaultdict(list)
    for one in running:
        for cable, load in one.loads.loads.items():
            if load:
                users[cable].append(one)
    return {
        cable: min(one.payload * one.loads.line_GBps[cable] for one in those)
        for cable, those in users.items()
        if len(those) > 1
    }


def _competitor(one: _Running, rooms: Mapping[Hashable, float]) -> Competitor:
    loads: dict[Hashable, float] = {
        cable: load for cable, load in one.loads.loads.items() if cable in rooms
    }
    busiest = busiest_nic(one.loads) if one.loads.loads else 1.0
    return Competitor(one.alone, busiest, loads)


def _contended(
    share: FairShare, running: Sequence[_Running], plan: Plan
) -> Iterator[ContendedLink]:
    """The links of the cables that hold a job, those with most full cables first."""
    links: dict[int, list[Cable]] = defaultdict(list)
    for cable in share.held_by:
        assert isinstance(cable, tuple)
        links[link_of(cable[2])].append(cable)
    labels = {link.index: link.label for link in plan.every_link}
    for index, cables in sorted(links.items(), key=lambda each: (-len(each[1]), each[0])):
        names = [
            one.job.name for one in running if any(one.loads.loads.get(cable) for cable in cables)
        ]
        start, end, _ = min(cables, key=str)
        example = f"{_end(start, plan)} to {_end(end, plan)}"
        # both directions of a cable are one cable
        many = {
            (frozenset((a, b)), key): one.loads.alike[a, b, key]
            for one in running
            for a, b, key in cables
            if (a, b, key) in one.loads.alike
        }
        yield ContendedLink(labels[index], sum(many.values()), example, tuple(names))


def _end(end: End, plan: Plan) -> str:
    device = end.node if isinstance(end, NicPort) else end
    group = plan.groups[device[0]]
    own = zip(group.axes, group.sizes, device[1], strict=True)
    at = ",".join(f"{axis}={value}" for axis, size, value in own if size > 1)
    words = f"{device[0]}[{at}]" if at else device[0]
    return f"{words}.{end.slots} NIC {end.slot}" if isinstance(end, NicPort) else words
