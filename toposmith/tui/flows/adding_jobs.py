"""Asking for a job that runs beside others."""

from __future__ import annotations

from toposmith.analysis.jobs.job_list import read_job, read_jobs
from toposmith.design.edits import Edit
from toposmith.design.edits.edit import changed
from toposmith.evaluation import EvaluatedDesign
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.questions import Question


async def add_job(designer: Designer) -> None:
    """Ask for a job in words, which has nodes left to run on, and add it to the design."""
    bench = designer.editing.workbench
    evaluated = EvaluatedDesign(bench.design, bench.catalog)
    before = bench.design.jobs
    text = await designer.questions.ask(
        Question(
            "job",
            "",
            "nodes, what it runs: 8 nodes, all_reduce; node[su=0], all_to_all, 1GiB; "
            "8 nodes, scattered, all_reduce, tp=8, dp=8; all, write",
            check=lambda text: problem_of(
                lambda: read_jobs((*before, text), bench.design, evaluated.network.world)
            ),
        )
    )
    if text is not None:
        after = changed(bench.design, jobs=(*before, read_job(text)))
        designer.editing.make(Edit(after, f"add the job {text}"))


def remove_job(designer: Designer, number: int) -> None:
    """Take a job out of the design."""
    design = designer.editing.design
    left = tuple(job for at, job in enumerate(design.jobs) if at != number)
    name = design.jobs[number].name
    called = f"the job {name}" if name else f"job {number + 1}"
    designer.editing.make(Edit(changed(design, jobs=left), f"remove {called}"))
