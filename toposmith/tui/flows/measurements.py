"""What is measured, kept in the design's file; which log of a real run to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toposmith.analysis.jobs.communicator import Job
from toposmith.collectives import COLLECTIVES
from toposmith.design.edits import set_communicator
from toposmith.design.stored_files import save_file
from toposmith.errors import SaveError
from toposmith.measured.against import RunComparison
from toposmith.measured.calibration_runs import NoCalibration, calibration_of
from toposmith.measured.nccl_tests import Log, read_log_file
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.questions import Choice, Question


def keep_measured(designer: Designer) -> None:
    """Write who takes part, as it is measured now, into the design (``communicator:``)."""
    bench = designer.editing.workbench
    edit = set_communicator(bench.design, communicator_block(bench.request.job))
    if edit.design == bench.design:
        designer.messages.say("the design says so already; M changes what is measured", "hint")
    elif designer.editing.make(edit):
        designer.messages.say(
            f"{edit.label}, kept in the design; s saves it (size and NCCL stay the screen's)"
        )


def communicator_block(job: Job) -> dict[str, Any]:
    """The ``communicator:`` block that says a job; a key at its default is None."""
    scattered = job.placement == "scattered"
    return {
        "layout": str(job.layout) if job.layout.sizes else None,
        "group": job.kind or None,
        "placement": job.placement if job.placement != "packed" else None,
        "seed": job.seed if scattered and job.seed else None,
    }


async def keep_calibration(designer: Designer, compared: Sequence[RunComparison]) -> None:
    """Write what was measured for later predictions, to a file that is asked for."""
    catalog = designer.editing.workbench.catalog
    try:
        text = calibration_of(compared, catalog)
    except NoCalibration as why:
        designer.messages.say(str(why), "refused")
        return

    def free(name: str) -> str:
        if not name.strip():
            return "a name is required"
        there = Path(name.strip()).expanduser().exists()
        return "is there already; take another name" if there else ""

    name = await designer.questions.ask(
        Question(
            "write the calibration to",
            "calibration.yaml",
            "later predictions take it by M, calibration, and the command by --calibration",
            check=free,
            file=True,
        )
    )
    if name is None:
        return
    path = Path(name.strip()).expanduser()
    try:
        save_file(str(path), text)
    except SaveError as wrong:
        designer.messages.say(str(wrong), "failed")
        return
    designer.messages.say(f"wrote {path}; M, calibration, {path} lets predictions go by it")


async def ask_log(designer: Designer, before: Path | None) -> tuple[Path, str] | None:
    """Which log of nccl-tests to compare with, and which collective ran where it does not say so.

    None where the question was cancelled.
    """

    def read(text: str) -> Log:
        return read_log_file(Path(text.strip()).expanduser())

    text = await designer.questions.ask(
        Question(
            "output of nccl-tests or rccl-tests",
            str(before or ""),
            "text or JSON; right arrow completes a name",
            check=lambda text: problem_of(lambda: read(text)),
            file=True,
        )
    )
    if text is None:
        return None
    collective: str | None = ""
    unnamed = [run for run in read(text).runs if not run.collective]
    if unnamed:
        fitting = {id for run in unnamed for id in run.fits or COLLECTIVES}
        choices = [Choice(one.id, one.name) for one in COLLECTIVES.values() if one.id in fitting]
        title = "the log does not say which collective ran; it was"
        collective = await designer.questions.choose(title, choices)
    return None if collective is None else (Path(text.strip()).expanduser(), collective)
