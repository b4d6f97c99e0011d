"""`jobs`: the bandwidth of several jobs on a design, alone and at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from toposmith.analysis.request import Request
from toposmith.asked import Asked
from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    FINE,
    Refused,
    load_parts,
    write_either,
)
from toposmith.command.options import named_options, routing_options
from toposmith.contention.job_words import jobs_as_data, jobs_table
from toposmith.contention.together import JobFigure, jobs_together
from toposmith.documents.aligned_text import table_lines
from toposmith.plain_text import visible


def jobs_report(design: str, found: Sequence[JobFigure]) -> str:
    """Every job with its figures, and the links that it shares with others."""
    table = jobs_table(found)
    lines = [visible(design) or "unnamed design", "", *table_lines(table), ""]
    for row in table.rows:
        first, *others = map(visible, row.detail)
        lines += [f"{visible(row.words[0])}: {first}", *(f"    {line}" for line in others)]
    lines += [
        "alone, together: busbw per GPU of what the job runs",
        *(visible(note.text) for note in table.head),
    ]
    return "\n".join(lines)


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("texts", metavar="[JOB...]", nargs=-1)
@routing_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def jobs(
    file: str,
    texts: tuple[str, ...],
    routing: Any,
    queue_pairs: int | None,
    as_json: bool,
    **_: Any,
) -> int:
    """Say what jobs that run at once get of a design, alone and together, and where they meet.

    Without a JOB those that the design's own jobs: names.

    A JOB is its nodes and what it runs: '8 nodes, all_reduce', 'node[su=0], all_to_all, 1GiB',
    '8 nodes, scattered, all_reduce', '8 nodes, all_reduce, tp=8, dp=8', 'all, write' for a
    checkpoint to the design's storage.
    """
    design = read_design(file)
    if not texts and not design.jobs:
        raise Refused(
            f"{design.name or file}: no jobs: in the design; name some, as in '8 nodes, all_reduce'"
        )
    with named_options():
        request = Request(
            routing=Asked(routing=routing, queue_pairs=queue_pairs).routing_on(design)
        )
    found = jobs_together(texts or design.jobs, design, load_parts(), request)
    write_either(
        as_json, lambda: jobs_as_data(found), lambda: jobs_report(design.name, found) + "\n"
    )
    return FINE
