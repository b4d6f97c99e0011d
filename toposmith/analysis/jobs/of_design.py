"""The job of a design, as its ``communicator:`` block defines it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.analysis.jobs.communicator import Job, job_of
from toposmith.findings.finding import Finding, at_block, found

if TYPE_CHECKING:
    from toposmith.design.document import Design

BAD_BLOCK = "bad-communicator"


def job_and_findings(design: Design) -> tuple[Job, tuple[Finding, ...]]:
    """The job of a design; the world, with a finding that says why, where its block is wrong."""
    try:
        return job_of(design.communicator), ()
    except ValueError as wrong:
        text = str(wrong).removeprefix("communicator: ")
        return Job(), (found(BAD_BLOCK, at_block("communicator"), reason=text),)
