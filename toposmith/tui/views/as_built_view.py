"""What is really cabled, compared with the design: differences, what they cost, what was done.

Ports at which something differs are marked inside units, nodes and switches.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.analysis.jobs.job_list import read_jobs
from toposmith.as_built.costs import names_of
from toposmith.as_built.survey import Surveyed
from toposmith.documents.table import Table
from toposmith.evaluation.evaluated import COLLECTIVES
from toposmith.tui.flows.adding_jobs import add_job
from toposmith.tui.flows.comparing_cables import (
    Comparing,
    accept,
    go_to_port,
    mark,
    mark_ports,
    open_dump,
    take_names,
    write_list,
)
from toposmith.tui.tables.cable_differences import NO_DUMP, differences_table
from toposmith.tui.views.listing import Job, Key, Listing

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.evaluation import EvaluatedDesign


def _found(job: Job) -> Surveyed | str:
    """The dump compared with the current design; in words, that there is none."""
    wanted, catalog, survey = job.wanted, job.catalog, job.asked.survey
    if survey.dump is None:
        return NO_DUMP

    def evaluated(design: Design) -> EvaluatedDesign:
        return replace(wanted, design=design).evaluated(catalog)

    jobs = None
    if wanted.design.jobs:
        whole = evaluated(wanted.design)
        read = read_jobs(wanted.design.jobs, wanted.design, whole.network.world)
        jobs = {one.name: names_of(whole.plan, one.nodes) for one in read}
    first = wanted.request.collective
    asked = (first, *(one for one in COLLECTIVES if one != first))
    found: Surveyed = survey.survey(wanted.design, evaluated, asked, jobs=jobs)
    return found


AS_BUILT = Listing(
    "as_built",
    "As built",
    about="what is cabled otherwise",
    compute=_found,
    table=lambda found, asked, glyphs: (
        differences_table(found) if isinstance(found, Surveyed) else Table(empty=NO_DUMP)
    ),
    begin=Comparing,
    shown=mark_ports,
    keys=(
        Key(
            "o", "open",
            "Open what the fabric manager or the switches say; again, a later dump",
            lambda on: open_dump(on.asked),
        ),
        Key(
            "a", "accept",
            "Accept the difference into the design, with its group: one step, u undoes it",
            lambda on: accept(on.here, on.asked, on.found, on.row) if on.row else None,
            changes=True,
        ),
        Key(
            "m", "mark",
            "Mark it to be moved: the figure without it is said; again takes the mark away",
            lambda on: mark(on.asked, on.found, on.row),
        ),
        Key(
            "l", "check list", "Write the check list: txt, csv, xlsx or html",
            lambda on: write_list(on.here, on.found),
        ),
        Key(
            "enter", "go there", "Go to the port inside the fabric; @ comes back",
            lambda on: go_to_port(on.found, on.row),
        ),
        Key(
            "A", "accept all", "Accept all differences into the design, as one step",
            lambda on: accept(on.here, on.asked, on.found, None),
            changes=True,
        ),
        Key(
            "n", "names",
            "Give a map of names: what the dump calls each device, and the design",
            lambda on: take_names(on.asked),
        ),
        Key(
            "j", "a job",
            "Add a job to the design: slow cables say whether they hold it back",
            lambda on: add_job(on.here),
            changes=True,
        ),
    ),
)  # fmt: skip
