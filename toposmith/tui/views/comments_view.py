"""The review of a design in the middle of the screen: its state, who decided what, comments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.documents.table import Table
from toposmith.tui.flows.review_flow import comment, decide, reply, settle
from toposmith.tui.tables.comments import review_table
from toposmith.tui.views.own_keys import ESC, GO_THERE, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.review.sidecar.verdict import Review
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.figures.shared_figures import Wanted


@dataclass(frozen=True)
class _Found:
    review: Review
    findings: tuple[Finding, ...] | None
    design: Design
    trouble: str


class CommentsView(TableView):
    """Comments on groups and links, open ones first; the state of the review is above."""

    NAME = "review"
    OWN_KEYS = OwnKeys(
        "the review",
        (
            *GO_THERE,
            ("a", "Comment on the place that the line is about"),
            ("R", "Reply to a comment"),
            ("x", "Resolve a comment, or reopen it"),
            ("d", "Decide: approve the design as it is, or request changes"),
            *TABLE,
            *ESC,
        ),
    )
    BORDER_TITLE = "Review"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "go there"),
        ("a", "comment"),
        ("R", "reply"),
        ("x", "resolve, reopen"),
        ("d", "decide"),
        *TableView.KEYS[:-2],
        TableView.KEYS[-1],
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "comment", "comment", show=False),
        Binding("d", "decide", "decide", show=False),
        Binding("R", "reply", "reply", show=False),
        Binding("x", "settle", "resolve or reopen", show=False),
    ]

    _found: _Found | None = None

    def show_said(
        self,
        review: Review,
        findings: tuple[Finding, ...] | None,
        design: Design,
        trouble: str,
    ) -> None:
        """Show the current review."""
        found = _Found(review, findings, design, trouble)
        if found != self._found:
            self._found = found
            self.show(found)

    def forget(self) -> None:
        """Another design was opened."""
        self._found = None
        super().forget()

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Nothing is computed here."""

    def action_comment(self) -> None:
        """Comment on what is selected on the canvas."""
        self.want(_comment)

    def action_decide(self) -> None:
        """Approve, or request changes."""
        self.want(_decide)

    def action_settle(self) -> None:
        """Resolve the selected comment, or reopen it."""
        row = self.selected
        if row is not None:
            self.want(partial(_settle, row.key))

    def action_reply(self) -> None:
        """Answer the selected comment."""
        row = self.selected
        if row is not None:
            self.want(partial(_reply, row.key))

    def table_of(self, found: object) -> Table:
        """The comments."""
        assert isinstance(found, _Found)
        return review_table(found.review, found.findings, found.design, self._glyphs, found.trouble)


def _comment(designer: Designer) -> Flow:
    return comment(designer)


def _decide(designer: Designer) -> Flow:
    return decide(designer)


def _settle(comment_id: str, designer: Designer) -> Flow:
    return settle(designer, comment_id)


def _reply(comment_id: str, designer: Designer) -> Flow:
    return reply(designer, comment_id)
