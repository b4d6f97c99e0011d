"""The review of a design in the middle of the screen: its state, who decided what, comments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from toposmith.topology.findings.finding import Finding
from toposmith.tui.figures.figuring import Wanted
from toposmith.tui.tables.comments import number_of, review_table
from toposmith.tui.views.table import Table
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.design.document import Design
    from toposmith.topology.review.sidecar.entries import Review


@dataclass(frozen=True)
class _Found:
    review: Review
    findings: tuple[Finding, ...] | None
    design: Design
    trouble: str


class CommentsView(TableView):
    """Comments on groups and links, open ones first; the state of the review stands above."""

    NAME = "review"
    BORDER_TITLE = "Review"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "go there"),
        ("a", "comment"),
        ("x", "resolve, reopen"),
        ("d", "decide"),
        *TableView.KEYS[:-2],
        TableView.KEYS[-1],
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "want('comment')", "comment", show=False),
        Binding("d", "want('decide')", "decide", show=False),
        Binding("x", "settle", "resolve or reopen", show=False),
    ]

    class Said(Message):
        """Something is to be added to the review: ``comment`` or ``decide``."""

        def __init__(self, what: str) -> None:
            self.what = what
            super().__init__()

    class SettleWanted(Message):
        """A comment is to be resolved, or to be open again."""

        def __init__(self, number: int) -> None:
            self.number = number
            super().__init__()

    _found: _Found | None = None

    def show_review(
        self,
        review: Review,
        findings: tuple[Finding, ...] | None,
        design: Design,
        trouble: str,
    ) -> None:
        """Show the review as it stands."""
        found = _Found(review, findings, design, trouble)
        if found != self._found:
            self._found = found
            self.show(found)

    def forget(self) -> None:
        """Another design is worked on."""
        self._found = None
        super().forget()

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Nothing is computed here."""

    def action_want(self, what: str) -> None:
        """Say something."""
        self.post_message(self.Said(what))

    def action_settle(self) -> None:
        """Resolve the selected comment, or reopen it."""
        row = self.selected
        if row is not None:
            self.post_message(self.SettleWanted(number_of(row)))

    def table_of(self, found: object) -> Table:
        """The comments."""
        assert isinstance(found, _Found)
        return review_table(found.review, found.findings, found.design, self._glyphs, found.trouble)
