"""Keeping in the design's file whose collectives are measured."""

from __future__ import annotations

from typing import Any

from toposmith.topology.analysis.jobs.communicator import Job
from toposmith.topology.design.edits import set_communicator
from toposmith.tui.designer.designer import Designer


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
