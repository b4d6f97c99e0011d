"""The smallest changes that raise the current figure, or what could be left out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from toposmith.documents.table import Row, Table
from toposmith.synthesis.aims import AIMS, FIGURE
from toposmith.synthesis.fixes_table import fixes_table, spares_table
from toposmith.synthesis.left_out import Spares, what_can_be_left_out
from toposmith.synthesis.next_change import NextChange, next_change
from toposmith.synthesis.ranked_fixes import Fix
from toposmith.tui.flows.search_results import take_found
from toposmith.tui.views.own_keys import ESC, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.synthesis.left_out import LeftOut
    from toposmith.synthesis.ranked_fixes import Fix
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.figures.shared_figures import Wanted


class FixesView(TableView):
    """Changes with what they win and buy; the chosen one is previewed, then made."""

    NAME = "fixes"
    OWN_KEYS = OwnKeys(
        "the fixes",
        (
            ("Enter", "Preview the change; Enter again makes it"),
            ("l", "Lift something else: the figure, what a failure leaves, the workload's margin"),
            ("v", "Show what could be left out while the figure holds, or the fixes again"),
            *TABLE,
            *ESC,
        ),
    )
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "preview"),
        ("v", "left out"),
        ("l", "lift"),
        *(key for key in TableView.KEYS if key[0] != "Enter"),
    )
    BORDER_TITLE = "Fixes, the smallest first"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "turn", "what could be left out, or fixes", show=False),
        Binding("l", "lift", "lift something else", show=False),
    ]
    _sparing = False
    _lifting = "figure"
    _found: tuple[Fix | LeftOut, ...] = ()

    def action_turn(self) -> None:
        """Show what could be left out, or the fixes again."""
        self._sparing = not self._sparing
        self._look_anew()

    def action_lift(self) -> None:
        """Raise the next of: the figure, what the worst failure leaves, the workload's margin."""
        names = list(AIMS)
        if not self._sparing:
            self._lifting = names[(names.index(self._lifting) + 1) % len(names)]
        self._sparing = False
        self._look_anew()

    def _look_anew(self) -> None:
        aim = AIMS[self._lifting]
        fixes = "Fixes" if aim is FIGURE else f"Fixes: {aim.title}"
        self.border_title = (
            "What could be left out" if self._sparing else f"{fixes}, the smallest first"
        )
        self.forget()
        self.want(lambda designer: designer.measurement.let_view_follow())

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Search the changes, and analyse each."""
        of = wanted.evaluated(catalog, priced=True)
        if self._sparing:
            return what_can_be_left_out(
                of, failures=True, keep_going=lambda: self.went(wanted, 0, 1)
            )
        aim = AIMS[self._lifting]
        return next_change(of, aim, progress=lambda done, most: self.went(wanted, done, most))

    def table_of(self, found: object) -> Table:
        """The fixes, or what could be left out."""
        if isinstance(found, Spares):
            self._found = found.left_out
            return spares_table(found)
        assert isinstance(found, NextChange)
        self._found = found.fixes.fixes
        return fixes_table(found.fixes, found.spares)

    @on(TableView.Chosen)
    def _take(self, event: TableView.Chosen) -> None:
        """Preview the chosen change."""
        event.stop()
        row: Row = event.row
        self.want(partial(_take, self._found[int(row.key)]), changes=True)


def _take(found: Fix | LeftOut, designer: Designer) -> Flow | None:
    return take_found(designer, found)
