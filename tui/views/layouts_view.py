"""All layouts of a model on this cluster, the quickest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from toposmith.tui.figures.figuring import Wanted
from toposmith.tui.views.table import Row, Table
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.workloads.search import Ranking
    from toposmith.topology.workloads.splitting import Split


class LayoutsView(TableView):
    """Layouts ranked by step time; the chosen one becomes the workload's."""

    NAME = "layouts"
    BORDER_TITLE = "Layouts, the quickest first"
    BESIDE = False
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "take it"),
        ("v", "recompute and ZeRO too"),
        *(key for key in TableView.KEYS if key[0] != "Enter"),
    )

    class Taken(Message):
        """A layout is to be the workload's."""

        def __init__(self, split: Split) -> None:
            self.split = split
            super().__init__()

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "vary", "try recompute and ZeRO stages, too", show=False)
    ]
    _ranking: Ranking | None = None
    _varied = False

    class Varied(Message):
        """Other layouts are to be tried; the design is the same."""

    def action_vary(self) -> None:
        """Try what the backward pass runs again and ZeRO stages besides sizes, or sizes only."""
        self._varied = not self._varied
        self.forget()
        self.post_message(self.Varied())

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Time every layout."""
        from toposmith.topology.workloads.block import workload_of
        from toposmith.topology.workloads.fault import WorkloadError
        from toposmith.topology.workloads.search import Variants, search

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
        from toposmith.topology.workloads.search import Ranking
        from toposmith.tui.tables.layouts import layouts_table

        assert isinstance(found, Ranking)
        self._ranking = found
        return layouts_table(found, self._glyphs.marked)

    @on(TableView.Chosen)
    def _take(self, event: TableView.Chosen) -> None:
        """Let the chosen layout be the workload's."""
        event.stop()
        row: Row = event.row
        if self._ranking is not None:
            self.post_message(self.Taken(self._ranking.layouts[int(row.key)].split))
