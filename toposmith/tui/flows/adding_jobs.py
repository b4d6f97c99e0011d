"""Asking for a job that runs at the same time as others."""

from __future__ import annotations

from toposmith.analysis.jobs.job_list import read_job, read_jobs
from toposmith.design.edits import Edit
from toposmith.design.edits.edit import changed
from toposmith.evaluation import EvaluatedDesign
from toposmith.tui.asking import Asking, Here, TextQuestion, ask


def add_job(here: Here) -> Asking:
    """Ask for a job in words, which has nodes left to run on, and add it to the design."""
    design = here.design
    evaluated = EvaluatedDesign(design, here.catalog)

    def read(text: str) -> Edit:
        read_jobs((*design.jobs, text), design, evaluated.network.world)
        after = changed(design, jobs=(*design.jobs, read_job(text)))
        return Edit(after, f"add the job {text}")

    hint = "nodes, what it runs: 8 nodes, all_reduce; node[su=0], all_to_all, 1GiB; "
    hint += "8 nodes, scattered, all_reduce, tp=8, dp=8; all, write"
    return (yield from ask(TextQuestion("job", "", read, hint)))


def remove_job(here: Here, number: int) -> Edit:
    """Take a job out of the design."""
    design = here.design
    left = tuple(job for at, job in enumerate(design.jobs) if at != number)
    name = design.jobs[number].name
    called = f"the job {name}" if name else f"job {number + 1}"
    return Edit(changed(design, jobs=left), f"remove {called}")
