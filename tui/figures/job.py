"""Who takes part in a design's collectives: as the engine reads it from the design."""

from __future__ import annotations

from toposmith.topology.analysis.jobs.of_design import BAD_BLOCK, job_and_findings

__all__ = ["BAD_BLOCK", "job_and_findings"]
