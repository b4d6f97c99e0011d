"""Bandwidth of concurrent jobs on one fabric: each alone, all together, and shared links.

All are assumed to communicate all of the time, which is the worst case. Alone a
collective is what the design with its nodes only predicts. By static routing it depends on where
hashes fall, and what is left of the figure alone is the mean over draws of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import mean

from toposmith.analysis.jobs.job_list import RunningJob, read_jobs
from toposmith.analysis.request import Request, Routing
from toposmith.catalog import Catalog
from toposmith.contention.cable_loads import (
    End,
    HashedCable,
    HashedLoads,
    LoadedCable,
    NicPort,
    busiest_nic,
    draws_of,
)
from toposmith.contention.job_traffic import Running, run_job
from toposmith.design.document import Design
from toposmith.design.job_block import JobBlock
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.class_builder import link_of
from toposmith.fabric.plan import Plan
from toposmith.labels import Label

FULL = 1 + 1e-9


@dataclass(frozen=True)
class Competitor:
    """A job among others.

    Parameters
    ----------
    alone : float
        Its rate alone, GB/s.
    busiest : float
        Traffic of its busiest NIC for each GB/s that the job moves.
    loads : mapping
        Its load on each cable, for each GB/s that it moves.
    """

    alone: float
    busiest: float
    loads: Mapping[Hashable, float]


@dataclass(frozen=True)
class FairShare:
    """The rate of a job with others, GB/s, and the cables that limit it; none if as alone."""

    moves: float
    held_by: tuple[Hashable, ...]


def fair_shares(
    jobs: Sequence[Competitor], capacity: Mapping[Hashable, float]
) -> tuple[FairShare, ...]:
    """Share out cables between jobs.

    Parameters
    ----------
    jobs : sequence of Competitor
        All that run at once.
    capacity : mapping
        GB/s of each cable that at least two of them use.
    """
    going = set(range(len(jobs)))
    settled: dict[int, FairShare] = {}
    while going:
        level = {at: jobs[at].alone * jobs[at].busiest for at in going}
        lowest = min(level.values())
        holding: dict[Hashable, float] = {}
        for cable, room in capacity.items():
            rising = sum(jobs[at].loads.get(cable, 0.0) / jobs[at].busiest for at in going)
            if not rising:
                continue
            used = sum(
                share.moves * jobs[at].loads.get(cable, 0.0) for at, share in settled.items()
            )
            holding[cable] = max(room - used, 0.0) / rising
        full = min(holding.values(), default=float("inf"))
        if lowest <= full * FULL:
            for at in [at for at in going if level[at] <= lowest * FULL]:
                settled[at] = FairShare(jobs[at].alone, ())
                going.discard(at)
            continue
        tight = [cable for cable, at_level in holding.items() if at_level <= full * FULL]
        for at in list(going):
            mine = tuple(cable for cable in tight if jobs[at].loads.get(cable))
            if mine:
                settled[at] = FairShare(full / jobs[at].busiest, mine)
                going.discard(at)
    return tuple(settled[at] for at in range(len(jobs)))


@dataclass(frozen=True)
class ContendedLink:
    """The cables of one link that limit jobs, and the jobs that share them.

    Parameters
    ----------
    link : str
        The link of the design.
    cables : int
        Full cables.
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
    """The figures of a job: busbw per GPU of a collective, or storage traffic of all nodes.

    Parameters
    ----------
    job : RunningJob
        The job.
    algorithm : str
        What NCCL runs; empty for storage.
    alone_GBps, together_GBps : float
        Without and with the others, GB/s.
    label : Label
        The label of these figures.
    contended : tuple of ContendedLink
        Links where others limit it, that with the most full cables first.
    routing : Routing
        The routing of both figures.
    """

    job: RunningJob
    algorithm: str
    alone_GBps: float
    together_GBps: float
    label: Label
    contended: tuple[ContendedLink, ...] = ()
    routing: Routing = field(default_factory=Routing)

    @property
    def kept(self) -> float:
        """Together over alone."""
        return self.together_GBps / self.alone_GBps


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
        The release of NCCL, the MTU and the routing; the job, size and collective are each job's
        own.

    Raises
    ------
    JobError
        Where a job cannot run, with the reason.
    """
    evaluated = EvaluatedDesign(design, catalog)
    network = evaluated.network
    asked = request or Request()
    wished = asked.routing.on(design)
    asked = replace(asked, routing=wished if wished.mode in WORKED_OUT else Routing("ideal"))
    jobs = read_jobs(wanted, design, network.world)
    running = [run_job(job, evaluated, asked) for job in jobs]
    shares = _hashed(running) if asked.routing.mode == "static" else _evenly(running)
    return tuple(
        JobFigure(
            one.job,
            one.outcome.algorithm if one.outcome else "",
            one.figure(share.alone),
            one.figure(share.moves),
            _as_routed(one, wished),
            tuple(_contended(share.held_by, running, network.plan)),
            one.routing,
        )
        for one, share in zip(running, shares, strict=True)
    )


WORKED_OUT = ("ideal", "adaptive", "static", "dimension-order")
"""Routings by which single connections have their paths."""


def _as_routed(one: Running, wished: Routing) -> Label:
    """The label, which notes where a figure is by another routing than is wished for."""
    if one.routing.mode == wished.mode:
        return one.label
    said = f"routed ideally, not {wished.mode}"
    return replace(one.label, of=f"{one.label.of}; {said}" if one.label.of else said)


@dataclass(frozen=True)
class _Share:
    """What a job moves alone and beside others, and how many of which cables hold it there."""

    alone: float
    moves: float
    held_by: Mapping[LoadedCable, int]


def _evenly(running: Sequence[Running]) -> Iterator[_Share]:
    rooms = _shared(running)
    competitors = [_competitor(one, rooms) for one in running]
    for one, share in zip(running, fair_shares(competitors, rooms), strict=True):
        held: dict[LoadedCable, int] = {}
        for cable in share.held_by:
            assert isinstance(cable, tuple)
            held[cable] = max(each.loads.alike.get(cable, 0) for each in running)
        yield _Share(one.alone, share.moves, held)


def _hashed(running: Sequence[Running]) -> Iterator[_Share]:
    """What is left of each figure alone where hashes fall as drawn, the mean over the draws."""
    pairs = running[0].routing.queue_pairs if running else 1
    many, random = draws_of([one.loads for one in running], pairs), Random(0)
    hashed = [HashedLoads(one.loads, pairs) for one in running]
    alone: list[list[float]] = [[] for _ in running]
    kept: list[list[float]] = [[] for _ in running]
    held: list[Counter[LoadedCable]] = [Counter() for _ in running]
    for _ in range(many):
        loads = [one.drawn(random) for one in hashed]
        for at, (by_itself, share) in enumerate(_of_draw(running, loads)):
            alone[at].append(by_itself)
            kept[at].append(share.moves / by_itself)
            held[at].update({single[0] for single in share.held_by if isinstance(single, tuple)})
    for one, moved, shares, cables in zip(running, alone, kept, held, strict=True):
        # what holds a job in half of the draws and more; else what does most often
        often = [cable for cable, times in cables.items() if 2 * times >= many]
        often = often or [cable for cable, _ in cables.most_common(1)]
        # a collective's figure alone is that of the design, in closed form
        itself = one.alone if one.predictor is not None else mean(moved)
        yield _Share(itself, itself * mean(shares), dict.fromkeys(often, 1))


def _of_draw(
    running: Sequence[Running], loads: Sequence[Mapping[HashedCable, float]]
) -> Iterator[tuple[float, FairShare]]:
    """Of every job what it moves alone by these hashes, and its share beside the others."""
    alone = [
        min(
            [one.at_best, *(one.room(cable[0]) / load for cable, load in own.items())],
        )
        for one, own in zip(running, loads, strict=True)
    ]
    users = Counter(cable for own in loads for cable in own)
    rooms: dict[Hashable, float] = {
        cable: min(
            one.room(cable[0]) for one, own in zip(running, loads, strict=True) if cable in own
        )
        for cable, many in users.items()
        if many > 1
    }
    competitors = [
        Competitor(
            by_itself,
            busiest_nic(one.loads) if one.loads.loads else 1.0,
            {cable: load for cable, load in own.items() if cable in rooms},
        )
        for one, own, by_itself in zip(running, loads, alone, strict=True)
    ]
    yield from zip(alone, fair_shares(competitors, rooms), strict=True)


def _shared(running: Sequence[Running]) -> dict[Hashable, float]:
    """What each cable that several jobs use carries, GB/s of payload."""
    users: dict[LoadedCable, list[Running]] = defaultdict(list)
    for one in running:
        for cable, load in one.loads.loads.items():
            if load:
                users[cable].append(one)
    return {
        cable: min(one.room(cable) for one in those)
        for cable, those in users.items()
        if len(those) > 1
    }


def _competitor(one: Running, rooms: Mapping[Hashable, float]) -> Competitor:
    loads: dict[Hashable, float] = {
        cable: load for cable, load in one.loads.loads.items() if cable in rooms
    }
    busiest = busiest_nic(one.loads) if one.loads.loads else 1.0
    return Competitor(one.alone, busiest, loads)


def _contended(
    held_by: Mapping[LoadedCable, int], running: Sequence[Running], plan: Plan
) -> Iterator[ContendedLink]:
    """The links of the cables that hold a job, those with most full cables first."""
    links: dict[int, list[LoadedCable]] = defaultdict(list)
    for cable in held_by:
        links[link_of(cable[2])].append(cable)
    labels = {link.index: link.label for link in plan.every_link}
    for index, cables in sorted(links.items(), key=lambda each: (-len(each[1]), each[0])):
        names = [
            one.job.name for one in running if any(one.loads.loads.get(cable) for cable in cables)
        ]
        start, end, _ = min(cables, key=str)
        example = f"{_end(start, plan)} to {_end(end, plan)}"
        # both directions of a cable are one cable
        many = {(frozenset((a, b)), key): held_by[a, b, key] for a, b, key in cables}
        yield ContendedLink(labels[index], sum(many.values()), example, tuple(names))


def _end(end: End, plan: Plan) -> str:
    device = end.node if isinstance(end, NicPort) else end
    group = plan.groups[device[0]]
    own = zip(group.axes, group.sizes, device[1], strict=True)
    at = ",".join(f"{axis}={value}" for axis, size, value in own if size > 1)
    words = f"{device[0]}[{at}]" if at else device[0]
    return f"{words}.{end.slots} NIC {end.slot}" if isinstance(end, NicPort) else words
