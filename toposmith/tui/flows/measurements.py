"""What is measured, kept in the design's file; which log of a real run to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toposmith.analysis.jobs.communicator import Job
from toposmith.collectives import COLLECTIVES
from toposmith.design.edits import set_communicator
from toposmith.design.stored_files import save_file
from toposmith.errors import ToposmithError
from toposmith.measured.against import RunComparison
from toposmith.measured.nccl_tests import Log, read_log_file
from toposmith.measured.runs_table import NoCalibration, calibration_of
from toposmith.tui.asking import (
    Asking,
    FlowOutcome,
    Here,
    MadeEdit,
    Say,
    Show,
    TextQuestion,
    Write,
    ask,
    pick,
)
from toposmith.tui.questions import Choice


@dataclass(frozen=True)
class OfLog:
    """The log that is compared with, and which collective ran where it does not say so."""

    log: Path | None = None
    collective: str = ""


def keep_measured(here: Here) -> FlowOutcome:
    """Write who takes part, as it is measured now, into the design (``communicator:``)."""
    edit = set_communicator(here.design, communicator_block(here.bench.request.job))
    if edit.design == here.design:
        return Say("the design says so already; M changes what is measured", "hint")
    words = f"{edit.label}, kept in the design; s saves it (size and NCCL stay the screen's)"
    return MadeEdit(edit, say=lambda bench: words)


def communicator_block(job: Job) -> dict[str, Any]:
    """The ``communicator:`` block that says a job; a key at its default is None."""
    scattered = job.placement == "scattered"
    return {
        "layout": str(job.layout) if job.layout.sizes else None,
        "group": job.kind or None,
        "placement": job.placement if job.placement != "packed" else None,
        "seed": job.seed if scattered and job.seed else None,
    }


def keep_calibration(here: Here, compared: Sequence[RunComparison]) -> Asking:
    """Write what was measured for later predictions, to a file that is asked for."""
    if not compared:
        return Say("open a log first: o", "hint")
    try:
        text = calibration_of(compared, here.catalog)
    except NoCalibration as why:
        return Say(str(why))
    hint = "later predictions take it by M, calibration, and commands by --with calibration="
    path = yield from ask(
        TextQuestion("write the calibration to", "calibration.yaml", _free, hint, file=True)
    )

    def write() -> str:
        save_file(str(path), text)
        return f"wrote {path}; M, calibration, {path} lets predictions go by it"

    return Write(write)


def _free(name: str) -> Path:
    """A name of a file that is not there."""
    if not name.strip():
        raise ToposmithError("a name is required")
    path = Path(name.strip()).expanduser()
    if path.exists():
        raise ToposmithError("is there already; take another name")
    return path


def ask_log(before: OfLog) -> Asking:
    """Which log of nccl-tests to compare with, and which collective ran where it does not say."""

    def read(text: str) -> tuple[Path, Log]:
        path = Path(text.strip()).expanduser()
        return path, read_log_file(path)

    hint, now = "text or JSON; right arrow completes a name", str(before.log or "")
    path, log = yield from ask(
        TextQuestion("output of nccl-tests or rccl-tests", now, read, hint, file=True)
    )
    collective = ""
    unnamed = [run for run in log.runs if not run.collective]
    if unnamed:
        fitting = {id for run in unnamed for id in run.fits or COLLECTIVES}
        choices = [Choice(one.id, one.name) for one in COLLECTIVES.values() if one.id in fitting]
        title = "the log does not say which collective ran; it was"
        collective = yield from pick(title, choices)
    return Show("measured", OfLog(path, collective))
