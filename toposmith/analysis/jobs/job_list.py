"""Jobs as text: their nodes, what they run, the message size.

8 nodes, all_reduce                   the first eight that are free
8 nodes, all_to_all, scattered        eight free ones at random, as on a fragmented cluster
train: node[su=0], all_reduce, 1GiB   a name, and nodes by a selector
node[su=0] + node[su=2], all_reduce   nodes by several
8 nodes, all_reduce, tp=8, dp=8       its data-parallel groups, all at once
all, write                            every node writes a checkpoint to the design's storage
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from toposmith.analysis.jobs.communicator import Job, NodeOrder, job_of
from toposmith.analysis.jobs.parallel_layout import KINDS, PLACEMENTS, RankPlacement
from toposmith.analysis.jobs.world import World, gpus_of
from toposmith.analysis.request import DEFAULT_MESSAGE_BYTES
from toposmith.collectives import LARGEST_MESSAGE_BYTES
from toposmith.design.document import Design
from toposmith.design.job_block import (
    ALL,
    MOST_JOBS,
    MOST_SELECTORS_OF_JOB,
    STORAGE_TRAFFIC,
    JobBlock,
    JobNodes,
    what_jobs_run,
)
from toposmith.design.selectors import group_axes, parse_selector
from toposmith.errors import ToposmithError
from toposmith.fabric.device import Device
from toposmith.findings.finding import Finding, at_block, found
from toposmith.foreign_values import whole_number
from toposmith.text import counted, read_message_size

MOST_SEED = 2**31 - 1

MOST_LISTED = 200_000
"""Nodes of a design whose jobs are placed, which lists them one by one."""

_NAMED = re.compile(r"\s*([A-Za-z][\w-]{0,30})\s*:\s*(.+)", re.DOTALL | re.ASCII)
_COUNT = re.compile(r"(\d{1,7})(?: *nodes?)?")
_SEED = re.compile(r"seed *= *(\d{1,10})")
_DIMENSION = re.compile(rf"(?:{'|'.join(KINDS)}) *= *\d{{1,9}}")
_GROUP = re.compile(r"group *= *([a-z]{1,10})")
_PARTS = re.compile(r",(?![^\[]*\])")


class JobError(ToposmithError):
    """A job that cannot run on the design; the text says why and what is accepted."""


@dataclass(frozen=True)
class RunningJob:
    """One job on nodes of its own, or traffic between nodes and storage.

    Parameters
    ----------
    name : str
        Its name.
    runs : str
        A collective, ``read`` or ``write``.
    nodes : tuple of Device
        Its nodes in the order of ranks.
    gpus : int
        GPUs of these nodes.
    message_bytes : int
        Message size of a collective.
    communicator : Job
        Its layout, and the kind of group that runs the collective.
    """

    name: str
    runs: str
    nodes: tuple[Device, ...]
    gpus: int
    message_bytes: int = DEFAULT_MESSAGE_BYTES
    communicator: Job = field(default_factory=Job)

    @property
    def is_storage(self) -> bool:
        """Whether it is traffic with storage."""
        return self.runs in STORAGE_TRAFFIC


def read_job(text: str) -> JobBlock:
    """Parse the text of a job.

    Raises
    ------
    JobError
        Says what was found and what would be right.
    """
    named = _NAMED.fullmatch(text)
    name, rest = (named[1], named[2]) if named else (None, text)
    where, *others = [part.strip() for part in _PARTS.split(rest)]
    runs, seed = "", 0
    size: str | None = None
    group: str | None = None
    layout: list[str] = []
    placement: RankPlacement = "packed"
    for other in others:
        word = other.lower().replace("-", "_")
        read = read_message_size(other)
        if word in what_jobs_run():
            runs = word
        elif word in PLACEMENTS:
            placement = PLACEMENTS[PLACEMENTS.index(word)]
        elif (found := _SEED.fullmatch(other)) and whole_number(found[1]) <= MOST_SEED:
            seed = int(found[1])
        elif _DIMENSION.fullmatch(word):
            layout.append(word.replace(" ", ""))
        elif chosen := _GROUP.fullmatch(word):
            group = chosen[1]
        elif read and read <= LARGEST_MESSAGE_BYTES:
            size = other
        else:
            raise JobError(
                f"{text!r}: {other!r} is not one of {', '.join(what_jobs_run())}, "
                f"a size such as 1GiB, {', '.join(PLACEMENTS)}, seed=3, or a layout "
                "such as tp=8, dp=4, group=dp"
            )
    if not runs:
        raise JobError(f"{text!r}: say what it runs, such as '8 nodes, all_reduce' or 'all, write'")
    nodes = _nodes_in_words(where, text)
    return JobBlock(
        name=name,
        nodes=nodes,
        runs=runs,
        layout=",".join(layout) or None,
        group=group,
        size=size,
        placement=placement,
        seed=seed,
    )


def _nodes_in_words(where: str, text: str) -> JobNodes:
    if count := _COUNT.fullmatch(where):
        if not (nodes := whole_number(count[1])):
            raise JobError(f"{text!r}: a job runs on one node at least")
        return nodes
    selectors = tuple(part.strip() for part in where.split("+"))
    if len(selectors) > MOST_SELECTORS_OF_JOB:
        raise JobError(f"{len(selectors):,} selectors; at most {MOST_SELECTORS_OF_JOB:,} are read")
    if not all(selectors):
        raise JobError(f"{text!r}: say on which nodes, such as 8 nodes, all, or node[su=0]")
    return selectors if len(selectors) > 1 else selectors[0]


def read_jobs(
    jobs: Sequence[str | JobBlock], design: Design, world: World
) -> tuple[RunningJob, ...]:
    """The jobs of texts or blocks, each on its own nodes.

    Jobs that name their nodes get these; those that give a number take it from the rest,
    in order. Ranks follow each other as the nodes do in the design.

    Raises
    ------
    JobError
        Says which job is wrong, what was found and what would be right.
    """
    if len(jobs) > MOST_JOBS:
        raise JobError(f"{counted(len(jobs), 'job')}; at most {MOST_JOBS} are compared at once")
    if world.nodes > MOST_LISTED:
        raise JobError(
            f"{world.nodes:,} nodes; jobs are placed on designs of up to {MOST_LISTED:,}"
        )
    running, faults = _placed(jobs, design, world)
    if faults:
        number, reason = next(iter(faults.items()))
        said = repr(jobs[number]) if isinstance(jobs[number], str) else f"jobs[{number}]"
        raise JobError(f"{said}: {reason}")
    return running


def job_findings(design: Design, world: World) -> tuple[Finding, ...]:
    """Findings about entries of a design's ``jobs:`` that cannot run on it."""
    if not design.jobs or world.nodes > MOST_LISTED:
        return ()
    _, faults = _placed(design.jobs, design, world)
    return tuple(
        found("bad-job", at_block(f"jobs[{number}]"), reason=reason)
        for number, reason in faults.items()
    )


def _placed(
    jobs: Sequence[str | JobBlock], design: Design, world: World
) -> tuple[tuple[RunningJob, ...], dict[int, str]]:
    """The jobs on their nodes, and by number what is wrong with those that cannot run."""
    blocks = [read_job(job) if isinstance(job, str) else job for job in jobs]
    names = [block.name or f"job {number}" for number, block in enumerate(blocks, start=1)]
    order = dict(_all_nodes(world, "packed", 0))
    taken: dict[Device, str] = {}
    nodes: dict[int, set[Device]] = {}
    communicators: dict[int, Job] = {}
    faults: dict[int, str] = {}
    by_count = sorted(range(len(blocks)), key=lambda each: isinstance(blocks[each].nodes, int))
    for number in by_count:
        try:
            if names.index(names[number]) != number:
                raise _Unfit(f"another job is called {names[number]}, too")
            communicators[number] = _communicator(blocks[number])
            nodes[number] = _nodes(blocks[number], design, world, order, taken)
        except _Unfit as why:
            faults[number] = str(why)
            continue
        if blocks[number].runs not in STORAGE_TRAFFIC:
            taken |= dict.fromkeys(nodes[number], names[number])
    running = tuple(
        RunningJob(
            names[number],
            blocks[number].runs,
            tuple(node for node in order if node in nodes[number]),
            sum(order[node] for node in nodes[number]),
            blocks[number].message_bytes or DEFAULT_MESSAGE_BYTES,
            communicators[number],
        )
        for number in sorted(nodes)
    )
    return running, dict(sorted(faults.items()))


class _Unfit(Exception):
    """Why a job has no nodes to run on."""


def _communicator(block: JobBlock) -> Job:
    """The layout of a job; ranks follow the nodes, in any order of these."""
    asked = {"layout": block.layout or "", "group": block.group or ""}
    if block.runs in STORAGE_TRAFFIC and any(asked.values()):
        raise _Unfit(f"a {block.runs} of storage has no layout and no group")
    try:
        return job_of(asked)
    except ValueError as wrong:
        raise _Unfit(str(wrong).removeprefix("communicator: ")) from None


def _nodes(
    block: JobBlock,
    design: Design,
    world: World,
    order: dict[Device, int],
    taken: dict[Device, str],
) -> set[Device]:
    storage = block.runs in STORAGE_TRAFFIC
    if block.nodes == ALL:
        nodes = set(order)
    elif isinstance(block.nodes, int):
        free = [
            node
            for node, _ in _all_nodes(world, block.placement, block.seed)
            if storage or node not in taken
        ]
        if block.nodes > len(free):
            raise _Unfit(
                f"{counted(block.nodes, 'node')} wanted, {counted(len(free), 'node')} of "
                f"{len(order):,} are free"
            )
        nodes = set(free[: block.nodes])
    else:
        nodes = {node for text in block.selectors for node in _selected(text, design, order)}
    if not nodes:
        raise _Unfit("the design has no node with GPUs")
    twice = [node for node in nodes if node in taken]
    if twice and not storage:
        raise _Unfit(f"{len(twice):,} of its nodes belong to {taken[twice[0]]} already")
    return nodes


def _selected(text: str, design: Design, order: dict[Device, int]) -> set[Device]:
    try:
        selector = parse_selector(text, design)
    except ValueError as wrong:
        raise _Unfit(str(wrong)) from None
    first = selector.first
    if selector.is_cable or first.ports is not None:
        raise _Unfit(f"{text!r} is no selector of nodes, such as node[su=0]")
    axes = group_axes(design, first.group)
    nodes = {
        node
        for node in order
        if node[0] == first.group and first.matches(dict(zip(axes, node[1], strict=True)))
    }
    if not nodes:
        raise _Unfit(f"{text!r} selects no node with GPUs that is there")
    return nodes


def _all_nodes(world: World, placement: RankPlacement, seed: int) -> Iterator[tuple[Device, int]]:
    for block, own in NodeOrder(world, placement, seed).nodes:
        yield (block.group.name, (*block.outer, own)), gpus_of(block.group)
