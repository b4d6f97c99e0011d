"""Jobs at once on the design: what each gets alone, and together with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.analysis.jobs.job_list import JobError
from toposmith.contention.job_words import CannotRun, jobs_table, stopped_table
from toposmith.contention.together import jobs_together
from toposmith.documents.table import Table
from toposmith.tui.flows.adding_jobs import add_job, remove_job
from toposmith.tui.views.own_keys import ESC, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.figures.shared_figures import Wanted


class JobsView(TableView):
    """A line for each job, with the cables on which it meets others."""

    NAME = "jobs"
    OWN_KEYS = OwnKeys(
        "the jobs", (("a", "Add a job"), ("x", "Remove the selected job"), *TABLE, *ESC)
    )
    BORDER_TITLE = "Jobs at once"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("a", "add a job"),
        ("x", "remove it"),
        *(key for key in TableView.KEYS if key[0] != "Enter"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "add a job", show=False),
        Binding("x", "remove", "remove the job", show=False),
    ]

    def action_add(self) -> None:
        """Ask for a job, and compute it beside the others."""

        async def ask(designer: Designer) -> None:
            await add_job(designer)

        self.want(ask, changes=True)

    def action_remove(self) -> None:
        """Do without the selected job."""
        row = self.selected
        if row is None:
            return

        def remove(designer: Designer) -> None:
            remove_job(designer, int(row.key))

        self.want(remove, changes=True)

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """What each job gets of the current design."""
        jobs = wanted.design.jobs
        try:
            return jobs_together(jobs, wanted.design, catalog, wanted.request) if jobs else ()
        except JobError as why:
            return CannotRun(jobs, str(why))

    def table_of(self, found: object) -> Table:
        """A row for each job."""
        if isinstance(found, CannotRun):
            return stopped_table(found)
        assert isinstance(found, tuple)
        return jobs_table(found)
