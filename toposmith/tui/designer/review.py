"""What reviewers say of the design, and what it is compared with; it never changes by that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.findings.severity import findings_words
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.measurement import Measurement
from toposmith.tui.designer.messages import Messages
from toposmith.tui.designer.panels import Panels
from toposmith.tui.keeping.reviews import (
    ReviewFile,
    open_by_place,
    review_beside,
    state_style,
    state_words,
)

if TYPE_CHECKING:
    from toposmith.review.sidecar.verdict import Review


class ReviewBeside:
    """The review beside the design's file.

    Parameters
    ----------
    editing, measurement : Editing, Measurement
        The design and its findings.
    panels : Panels
        The views that show what was said.
    messages : Messages
        Where the state is shown to a reviewer first.
    changed : callable
        Called when something was said.
    """

    def __init__(
        self,
        editing: Editing,
        measurement: Measurement,
        panels: Panels,
        messages: Messages,
        *,
        changed: Callable[[], None],
    ) -> None:
        self._editing = editing
        self._measurement = measurement
        self._panels = panels
        self._messages = messages
        self._changed = changed
        self.file = ReviewFile()
        self._of: Path | None = None
        self._greeted = False

    @property
    def review(self) -> Review:
        """What was said, as it applies to the design."""
        return self.file.review(self._editing.design, self._editing.workbench.catalog)

    @property
    def state(self) -> tuple[str, str]:
        """The state of the review in words for the header, with its colour."""
        if self.file.trouble:
            return "review unreadable", "$text-error"
        return state_words(self.review), state_style(self.review)

    def open(self, path: Path | None) -> None:
        """Read the review beside another design."""
        self._greeted = False
        self._of, self.file = path, review_beside(path)

    def keep(self, kept: ReviewFile) -> None:
        """Show what was said."""
        self.file = kept
        self.show()
        self._changed()

    def reload(self) -> None:
        """Read the review again: its file was changed."""
        self.keep(review_beside(self._editing.session.path))

    def follow_file(self) -> None:
        """A design that got a file has its review there."""
        path = self._editing.session.path
        if path != self._of:
            self._of, self.file = path, review_beside(path)

    def greet(self) -> None:
        """Tell a reviewer the state first, once the findings are there.

        Where one may edit, changes of parts, prices or the policy since figures were pinned are
        shown.
        """
        if self._greeted:
            return
        self._greeted = True
        pinned = self.review.pinned
        if pinned is not None and pinned.words:
            self._messages.say(f"{pinned.moved}; V has the figures of then", "minded")
        elif self._editing.read_only:
            state = self.state[0] or "not reviewed yet"
            words = f"{findings_words(self._measurement.findings)}; {state}"
            self._messages.say(f"{words}. f findings, V review, F failures, | differences", "hint")

    def show(self) -> None:
        """Tell views and canvas what is said of the current design."""
        design, judged = self._editing.design, self._measurement.judged
        review = self.review
        self._panels.canvas.remark(judged, open_by_place(review))
        if self._panels.view is not None:
            self._panels.view.show_said(review, judged, design, self.file.trouble)
