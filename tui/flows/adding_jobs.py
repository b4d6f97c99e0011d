"""Asking for a job that runs beside others."""

from __future__ import annotations

from toposmith.topology.contention.job_list import read_jobs
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.asking import problem_of
from toposmith.tui.questions import Question


async def ask_job(designer: Designer, before: tuple[str, ...]) -> str | None:
    """A job in words, which has nodes left to run on; None where the person went back."""
    bench = designer.editing.workbench
    evaluated = EvaluatedDesign(bench.design, bench.catalog)
    return await designer.questions.ask(
        Question(
            "job",
            "",
            "nodes, what it runs: 8 nodes, all_reduce; node[su=0], all_to_all, 1GiB; "
            "8 nodes, scattered, all_reduce; all, write",
            check=lambda text: problem_of(
                lambda: read_jobs((*before, text), bench.design, evaluated.network.world)
            ),
        )
    )
