"""Text about concurrent jobs, for all outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from toposmith.analysis.jobs.job_list import RunningJob
from toposmith.analysis.jobs.parallel_layout import WORLD
from toposmith.collectives import COLLECTIVES
from toposmith.contention.together import ContendedLink, JobFigure
from toposmith.design.job_block import JobBlock
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.intervals import runs_of
from toposmith.labels import Labelled
from toposmith.labels import as_data as label_data
from toposmith.text import algorithm_name, counted, message_size, percent

ROUTED = {
    "ideal": "ideally routed",
    "adaptive": "adaptively routed",
    "static": "statically routed, the mean over drawn hashes",
    "dimension-order": "routed along one axis after the other",
}


def sharing_words(found: Sequence[JobFigure]) -> str:
    """The assumptions of figures of concurrent jobs."""
    modes = dict.fromkeys(ROUTED[one.routing.mode] for one in found)
    return (
        f"all jobs communicate all of the time, {' or '.join(modes)}; a full cable is shared by "
        "what each job's busiest NIC sends (max-min fair)"
    )


MOST_RUNS_NAMED = 6


def runs_words(found: JobFigure) -> str:
    """``all-reduce of 8 GiB (Ring)``; ``write to storage, all nodes together``."""
    job = found.job
    if job.is_storage:
        way = "write to" if job.runs == "write" else "read from"
        return f"{way} storage, all its nodes together"
    words = (
        f"{COLLECTIVES[job.runs].name} of {message_size(job.message_bytes)} "
        f"({algorithm_name(found.algorithm)})"
    )
    kind = _kind(job)
    return words if kind == WORLD else f"{words}, {kind} of {job.communicator.layout}"


def _kind(job: RunningJob) -> str:
    """The kind of group that runs a job's collective."""
    return job.communicator.group_for(job.runs)


def node_words(job: RunningJob) -> str:
    """The nodes of a job as runs of their last axis: ``node 0/0..3, 1/0..3``."""
    words: list[str] = []
    named = 0
    by_place = groupby(job.nodes, key=lambda node: (node[0], node[1][:-1]))
    last = ""
    for (group, outer), nodes in by_place:
        place = "".join(f"{value}/" for value in outer)
        for low, high in runs_of([node[1][-1] for node in nodes]):
            run = f"{place}{low}" if low == high else f"{place}{low}..{high}"
            if len(words) < MOST_RUNS_NAMED:
                words.append(run if group == last else f"{group} {run}")
                named += high - low + 1
            last = group
    more = len(job.nodes) - named
    shown = ", ".join(words)
    return f"{shown} and {counted(more, 'node')} more" if more > 0 else shown


def contended_words(link: ContendedLink) -> str:
    """``at leaf - spine: 16 cables full, such as leaf[rack=1] to spine; used by job 1, job 2``."""
    cables = counted(link.cables, "cable")
    return f"at {link.link}: {cables} full, such as {link.example}; used by {', '.join(link.jobs)}"


def jobs_as_data(found: Sequence[JobFigure]) -> dict[str, Any]:
    """The same as plain data (``docs/jobs.md``)."""
    return {
        "toposmith_jobs": 1,
        "assumes": sharing_words(found),
        "jobs": [
            {
                "name": one.job.name,
                "runs": one.job.runs,
                "layout": str(one.job.communicator.layout),
                "group": None if one.job.is_storage else _kind(one.job),
                "nodes": len(one.job.nodes),
                "gpus": one.job.gpus,
                "on": node_words(one.job),
                "message_bytes": None if one.job.is_storage else one.job.message_bytes,
                "algorithm": one.algorithm or None,
                "figure": "GBps of all nodes" if one.job.is_storage else "busbw_GBps",
                "alone_GBps": float(f"{one.alone_GBps:.9g}"),
                "together_GBps": float(f"{one.together_GBps:.9g}"),
                "label": label_data(one.label),
                "contended": [
                    {
                        "link": each.link,
                        "cables": each.cables,
                        "example": each.example,
                        "jobs": list(each.jobs),
                    }
                    for each in one.contended
                ],
            }
            for one in found
        ],
    }


_COLUMNS = (
    Column("job"),
    Column("nodes", right=True, rank=3),
    Column("runs", rank=4),
    Column("alone", right=True, rank=2),
    Column("together", right=True),
    Column("kept", right=True),
    Column("contends at", rank=1),
)

NO_JOBS = (
    "No job yet: a adds one, such as `8 nodes, all_reduce`, `node[su=0], all_to_all, 1GiB`, "
    "`8 nodes, scattered, all_reduce`, or `all, write` for a checkpoint to the design's storage."
)


@dataclass(frozen=True)
class CannotRun:
    """The jobs of a design, one of which cannot run, and why."""

    jobs: Sequence[JobBlock]
    why: str


def stopped_table(found: CannotRun) -> Table:
    """The jobs without figures, so that the one that is wrong can be removed."""
    rows = tuple(
        Row(
            str(at),
            (
                Cell(job.name or f"job {at + 1}"),
                Cell("-"),
                Cell(job.runs),
                *(Cell("-"),) * (len(_COLUMNS) - 3),
            ),
            (job.in_words(),),
        )
        for at, job in enumerate(found.jobs)
    )
    return Table(_COLUMNS, rows, (Note(found.why, Tone.BAD),), NO_JOBS)


def jobs_table(found: Sequence[JobFigure]) -> Table:
    """What each job gets alone and together."""
    rows = tuple(_row(str(at), one) for at, one in enumerate(found))
    head = (Note(f"assumed: {sharing_words(found)}", Tone.QUIET),) if found else ()
    return Table(_COLUMNS, rows, head, NO_JOBS)


def _row(key: str, one: JobFigure) -> Row:
    held = one.together_GBps < 0.999 * one.alone_GBps
    tone = Tone.WARNING if held else Tone.PLAIN
    cells = (
        Cell(one.job.name),
        Cell(f"{len(one.job.nodes):,}", len(one.job.nodes)),
        Cell(runs_words(one)),
        Cell(Labelled(one.alone_GBps, one.label).words, one.alone_GBps),
        Cell(Labelled(one.together_GBps, one.label).words, one.together_GBps, tone),
        Cell(percent(one.kept), one.kept, tone),
        Cell(", ".join(each.link for each in one.contended) or "-"),
    )
    detail = [f"on {node_words(one.job)}; {one.label.words}"]
    detail += [f"limited {contended_words(each)}" for each in one.contended]
    return Row(key, cells, tuple(detail))
