"""All layouts of a model on this cluster, the quickest first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from toposmith.documents.table import Row, Table
from toposmith.tui.flows.workload_edit import take_layout
from toposmith.tui.views.own_keys import ESC, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import Ranking, Variants, layouts_table, search
from toposmith.workloads.model import WorkloadError

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.figures.shared_figures import Wanted
    from toposmith.workloads.divisibility import ParallelSizes


class LayoutsView(TableView):
    """Layouts ranked by step time; the chosen one becomes the workload's."""

    NAME = "layouts"
    OWN_KEYS = OwnKeys(
        "the layouts",
        (
            ("Enter", "Take the layout for the workload"),
            ("v", "Try recomputation and ZeRO stages too, or leave them as they are"),
            *TABLE,
            *ESC,
        ),
    )
    BORDER_TITLE = "Layouts, the quickest first"
    BESIDE = False
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "take it"),
        ("v", "recompute and ZeRO too"),
        *(key for key in TableView.KEYS if key[0] != "Enter"),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "vary", "try recompute and ZeRO stages, too", show=False)
    ]
    _ranking: Ranking | None = None
    _varied = False

    def action_vary(self) -> None:
        """Try what the backward pass runs again and ZeRO stages besides sizes, or sizes only."""
        self._varied = not self._varied
        self.forget()
        self.want(lambda designer: designer.measurement.let_view_follow())

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Time every layout.

        Raises
        ------
        WorkloadError
            If the design has no workload.
        """
        if not wanted.design.workload:
            raise WorkloadError(["the design has no workload: t, then e, asks for one"])
        asked = True

        def progress(done: int, of: int) -> None:
            nonlocal asked
            if done % 8 == 0 or done == of:
                asked = self.went(wanted, done, of)

        return search(
            wanted.evaluated(catalog).plan,
            catalog,
            workload_of(wanted.design.workload),
            progress=progress,
            cancelled=lambda: not asked,
            request=wanted.request,
            variants=Variants(self._varied, self._varied),
        )

    def table_of(self, found: object) -> Table:
        """The layouts."""
        assert isinstance(found, Ranking)
        self._ranking = found
        return layouts_table(found, self._glyphs.marked)

    @on(TableView.Chosen)
    def _take(self, event: TableView.Chosen) -> None:
        """Let the chosen layout be the workload's."""
        event.stop()
        row: Row = event.row
        if self._ranking is not None:
            split = self._ranking.layouts[int(row.key)].split
            self.want(partial(_take, split))


def _take(split: ParallelSizes, designer: Designer) -> None:
    take_layout(designer, split)
    designer.panels.show_view("workload")
