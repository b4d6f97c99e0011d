"""Jobs at once on the design: what each gets alone, and together with the others."""

from __future__ import annotations

from toposmith.analysis.jobs.job_list import JobError
from toposmith.contention.job_words import CannotRun, jobs_table, stopped_table
from toposmith.contention.together import jobs_together
from toposmith.tui.flows.adding_jobs import add_job, remove_job
from toposmith.tui.views.listing import Key, Listing, ViewJob


def _found(job: ViewJob) -> object:
    """What each job gets of the current design."""
    wanted, jobs = job.wanted, job.wanted.design.jobs
    try:
        return jobs_together(jobs, wanted.design, job.catalog, wanted.request) if jobs else ()
    except JobError as why:
        return CannotRun(jobs, str(why))


JOBS = Listing(
    "jobs",
    "Jobs at once",
    about="the jobs",
    compute=_found,
    table=lambda found, asked, glyphs: (
        stopped_table(found) if isinstance(found, CannotRun) else jobs_table(found)
    ),
    goes=False,
    keys=(
        Key("a", "add a job", "Add a job", lambda on: add_job(on.here), changes=True),
        Key(
            "x", "remove it", "Remove the selected job",
            lambda on: remove_job(on.here, int(on.row.key)) if on.row else None,
            changes=True,
        ),
    ),
)  # fmt: skip
