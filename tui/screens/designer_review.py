"""The designer's review: findings, comments and decisions, and what the design is compared with."""

from __future__ import annotations

from pathlib import Path

from toposmith.topology.design.document import Design
from toposmith.topology.findings.severity import findings_words
from toposmith.tui.keeping.reviews import (
    ReviewFile,
    open_by_place,
    review_beside,
    state_style,
    state_words,
)
from toposmith.tui.keeping.session import Session
from toposmith.tui.screens.designer_desk import DesignerDesk
from toposmith.tui.screens.designs import DesignsScreen, Picked
from toposmith.tui.views.comments_view import CommentsView
from toposmith.tui.views.differences_view import DifferencesView
from toposmith.tui.views.findings_view import FindingsView


class DesignerReview(DesignerDesk):
    """The main screen with what reviewers say; the design itself is never changed by it."""

    review_file = ReviewFile()
    _review_of: Path | None = None
    _greeted = False

    @property
    def review_state(self) -> tuple[str, str]:
        """The state of the review in words for the header, with its colour."""
        if self._bench is None:
            return "", ""
        if self.review_file.trouble:
            return "review unreadable", "$text-error"
        review = self.review_file.review(self.workbench.design)
        return state_words(review), state_style(review)

    def show_session(self, session: Session) -> None:
        """Work on another design, with the review beside its file."""
        self._greeted = False
        self._review_of = session.path
        self.review_file = review_beside(session.path)
        super().show_session(session)
        self._show_review()
        if session.against is not None:
            self.call_later(self.compare_with, *session.against)  # once all else is there
        if self.review_file.trouble:
            self.say(f"{self.review_file.trouble}; the design itself is open", "minded")

    def keep_review(self, kept: ReviewFile) -> None:
        """Show what was said."""
        self.review_file = kept
        self._show_review()
        self.refresh_state()

    def reload_review(self) -> None:
        """Read the review again: somebody else wrote to it."""
        self.keep_review(review_beside(self.session.path))

    def refresh_state(self) -> None:
        """Show what is saved and what is not; a design that got a file has its review there."""
        if self._bench is not None and self.session.path != self._review_of:
            self._review_of = self.session.path
            self.review_file = review_beside(self.session.path)
        super().refresh_state()
        if self._bench is not None:
            self._show_review()

    def findings_changed(self) -> None:
        """Show the findings where they are listed; a reviewer is told the state first."""
        self._show_review()
        if self._read_only and not self._greeted:
            self._greeted = True
            state = self.review_state[0] or "not reviewed yet"
            words = f"{findings_words(self.findings)}; {state}"
            self.say(f"{words}. f findings, V review, F failures, | differences", "hint")

    def view_turned(self) -> None:
        """Let the view show what is known."""
        super().view_turned()
        if self._bench is not None:
            self._show_review()

    def compare_with(self, source: str, design: Design | None) -> None:
        """Show what differs from another design, or with None from the saved version."""
        self.view_of(DifferencesView).compare_with(source, design)
        self.show_view(DifferencesView.NAME)

    async def pick_design(self, folder: Path) -> Picked | None:
        """Let the person pick one of the designs of a folder, or two."""
        screen = DesignsScreen(folder, self.glyphs, self._parts_at_hand)
        return await self.app.push_screen_wait(screen)

    def _show_review(self) -> None:
        """Tell views and canvas what is said of the design as it stands."""
        design = self.workbench.design
        review = self.review_file.review(design)
        self.canvas.remark(self._judged, open_by_place(review))
        if isinstance(self.view, FindingsView) and self._judged is not None:
            self.view.show_findings(self._judged, design)
        elif isinstance(self.view, CommentsView):
            self.view.show_review(review, self._judged, design, self.review_file.trouble)
