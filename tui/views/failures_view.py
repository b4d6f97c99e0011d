"""What a design keeps after each single failure, worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tui.failure_rows import failure_table, selectors_of
from tui.figuring import Wanted
from tui.views.table import Table
from tui.views.table_view import TableView

if TYPE_CHECKING:
    from catalog import Catalog
    from topology.design.document import Design
    from topology.review.failures.sweep import Sweep


@dataclass(frozen=True)
class _Found:
    sweep: Sweep
    design: Design


class FailuresView(TableView):
    """Every class of things that can fail; one can be tried, and all figures are without it."""

    NAME = "failures"
    BORDER_TITLE = "Failures, worst first"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("D", "without it"),
        *TableView.KEYS,
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("D", "fail", "without it", show=False)]

    class TryWanted(Message):
        """The figures without this are wanted."""

        def __init__(self, selectors: tuple[str, ...]) -> None:
            self.selectors = selectors
            super().__init__()

    def action_fail(self) -> None:
        """See all figures without what the selected line says."""
        row = self.selected
        if row is not None:
            self.post_message(self.TryWanted(selectors_of(row)))

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Let everything fail once."""
        from topology.fabric.planning import plan_design
        from topology.review.failures.sweep import sweep

        plan = plan_design(wanted.design, catalog)
        done = sweep(
            plan, catalog, wanted.request, progress=lambda at, of: self.went(wanted, at, of)
        )
        return _Found(done, wanted.design)

    def table_of(self, found: object) -> Table:
        """The failures with what is kept after each."""
        assert isinstance(found, _Found)
        return failure_table(found.sweep, found.design)
