"""The design against another: its saved version, a file, or a revision of git."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.documents.table import Table
from toposmith.evaluation import recent
from toposmith.evaluation.here import compared_here, policy_at_hand
from toposmith.review.differences.consequences import Differences, differences
from toposmith.review.differences.differences_table import differences_table
from toposmith.tui.flows.review_flow import another_design
from toposmith.tui.views.own_keys import ESC, GO_THERE, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.figures.shared_figures import Wanted


class DifferencesView(TableView):
    """What changed and what follows from it, before beside after; Enter goes to the place."""

    NAME = "differences"
    OWN_KEYS = OwnKeys(
        "the differences",
        (("o", "Compare with another design"), *TABLE, *GO_THERE, *ESC),
    )
    BORDER_TITLE = "Differences"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("o", "against another"),
        *TableView.KEYS,
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("o", "against", "against another", show=False)]

    _against: tuple[str, Design] | None = None

    @property
    def against(self) -> tuple[str, Design] | None:
        """What it is compared with; None for the saved version."""
        return self._against

    def compare_with(self, source: str, design: Design | None) -> None:
        """Compare with another design from now on, or with None with the saved version."""
        self._against = None if design is None else (source, design)
        self._wanted = None

    def forget(self) -> None:
        """Another design was opened."""
        self._against = None
        super().forget()

    def action_against(self) -> None:
        """Ask what to compare with."""
        self.want(_choose_other)

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Both designs as they are, and how they differ."""
        saved = ("saved version", wanted.saved or wanted.design)
        source, old = self._against or saved
        policy, _ = policy_at_hand()
        planned = recent.planned(old, catalog, keep=False)
        before = compared_here(source, old, catalog, policy=policy, shared=planned)
        after = before
        if old != wanted.design or source != "saved version":
            # what was computed of it for the other pages is not computed again
            planned = recent.planned(wanted.design, catalog)
            after = compared_here(
                "this design", wanted.design, catalog, policy=policy, shared=planned
            )
        return differences(before, after)

    def table_of(self, found: object) -> Table:
        """What differs."""
        assert isinstance(found, Differences)
        return differences_table(found)


async def _choose_other(designer: Designer) -> None:
    """Choose what the design is compared with: its saved version, a file, a revision of git."""
    chosen = await another_design(designer, "compare this design with")
    if chosen is not None:
        show_differences(designer, *chosen)


def show_differences(designer: Designer, source: str, design: Design | None) -> None:
    """Show what differs from another design, or with None from the saved version."""
    designer.panels.view_of(DifferencesView).compare_with(source, design)
    designer.panels.show_view(DifferencesView.NAME)
