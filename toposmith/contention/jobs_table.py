"""Jobs at once, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.contention.job_words import (
    contended_words,
    node_words,
    runs_words,
    sharing_words,
)
from toposmith.contention.together import JobFigure
from toposmith.design.job_block import JobBlock
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.labels import Labelled
from toposmith.text import percent

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
    detail += [f"held back {contended_words(each)}" for each in one.contended]
    return Row(key, cells, tuple(detail))
