"""What reviewers say of the design, and what it is compared with; it never changes by that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.cancellation import Stopped
from toposmith.crash import fault_words
from toposmith.documents.table import Tone
from toposmith.errors import SaveError, ToposmithError
from toposmith.findings.finding import findings_words
from toposmith.review.revisions import identity_here, who_changed
from toposmith.tui.designer.editing import Editing, InBackground
from toposmith.tui.designer.measurement import Measurement
from toposmith.tui.designer.messages import Messages
from toposmith.tui.designer.panels import Panels
from toposmith.tui.drawing.tones import style_of
from toposmith.tui.keeping.reviews import (
    ReviewFile,
    open_by_place,
    review_beside,
    state_tone,
    state_words,
)

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.review.sidecar.folder import Sign
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
        Called when something was said, or is known of who changed the design.
    in_background : callable
        Begins to ask git.
    """

    def __init__(
        self,
        editing: Editing,
        measurement: Measurement,
        panels: Panels,
        messages: Messages,
        *,
        changed: Callable[[], None],
        in_background: InBackground,
    ) -> None:
        self._editing = editing
        self._measurement = measurement
        self._panels = panels
        self._messages = messages
        self._changed = changed
        self._in_background = in_background
        self._people: frozenset[str] | None = None
        self._asked: tuple[Path | None, str | None] | None = None
        self._author: asyncio.Future[tuple[str, str]] | None = None
        self.file = ReviewFile()
        self._working_out: tuple[object, ...] | None = None
        self._of: Path | None = None
        self._greeted = self._may_greet = False

    @property
    def review(self) -> Review:
        """What was said, as it applies to the design; comments alone until the rest is known."""
        known = self._known
        return self.file.comments(self._editing.design) if known is None else known

    @property
    def _known(self) -> Review | None:
        return self.file.review_without_figures(*self._subject)

    @property
    def _subject(self) -> tuple[Design, Catalog, frozenset[str] | None]:
        return self._editing.design, self._editing.workbench.catalog, self._people

    @property
    def state(self) -> tuple[str, str]:
        """The state of the review in words for the header, with its colour."""
        if self.file.trouble:
            return "review unreadable", style_of(Tone.BAD)
        known = self._known
        if known is None:
            return "checking the review", style_of(Tone.WARNING)
        return state_words(known), style_of(state_tone(known))

    def open(self, path: Path | None) -> None:
        """Read the review beside another design."""
        self._greeted = self._may_greet = False
        self._of, self.file = path, review_beside(path)

    def _ask_who_changed(self) -> None:
        """Ask git once for each state of the file that was approved; nothing waits for it."""
        session = self._editing.session
        file = (session.path, session.fingerprint)
        if session.path is None or file == self._asked or not self.file.decides:
            return
        self._asked, self._people = file, None
        self._in_background(partial(self._learn_who_changed, session.path, file))

    async def _learn_who_changed(self, path: Path, file: tuple[Path | None, str | None]) -> None:
        people = await asyncio.to_thread(who_changed, path.absolute())
        if file == self._asked:
            self._people = people
            self._changed()

    def _work_out(self) -> None:
        """Compare what was signed with the figures of now, in a thread, once for each design."""
        asked = (self.file, *self._subject)
        if self._known is None and asked != self._working_out:
            self._working_out = asked
            self._in_background(partial(self._learn_review, *asked))

    async def _learn_review(
        self, file: ReviewFile, design: Design, catalog: Catalog, people: frozenset[str] | None
    ) -> None:
        trouble, asked = "", (file, design, catalog, people)
        try:
            await asyncio.to_thread(file.review, design, catalog, people)
        except Stopped:
            return
        except ToposmithError as failed:
            trouble = str(failed)
        except Exception as fault:  # a fault of the analysis must not lose the design
            trouble = fault_words(fault)
        if asked != (self.file, *self._subject):
            return
        if trouble:
            self.file = replace(file, trouble=f"the review cannot be checked: {trouble}")
            self._working_out = (self.file, *self._subject)
        self._changed()
        if self._may_greet:
            self.greet()

    def begin_entry(self) -> None:
        """Ask git who is here while a person still types: keys do not wait for it later."""
        if self._author is None:
            self._author = asyncio.get_running_loop().create_future()
            self._in_background(self._learn_author)

    async def author(self) -> tuple[str, str]:
        """Name and address of the user here, as git has them."""
        self.begin_entry()
        assert self._author is not None
        return await self._author

    async def _learn_author(self) -> None:
        assert self._author is not None
        self._author.set_result(await asyncio.to_thread(identity_here))

    async def add(
        self, done: str, author: str, email: str, sign: Sign | None = None, **said: object
    ) -> bool:
        """Add to the review, and say what was done; False where it is not stored, which is said."""
        write = partial(self.file.with_entry, author, email, sign, **said)
        try:
            # an agent may ask the owner of a key, which no screen waits for
            kept = write() if sign is None else await asyncio.to_thread(write)
        except SaveError as failed:
            self.reload()
            again = "Enter tries again" if "text" in said else "try again"
            self._messages.say(f"{failed}; {again}", "failed")
            return False
        self.keep(kept)
        self._messages.say(done)
        return True

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
        self._may_greet, known = True, self._known
        if self._greeted or known is None:
            return
        self._greeted = True
        pinned = known.pinned
        if pinned is not None and pinned.words:
            self._messages.say(f"{pinned.moved}; V has the figures of then", "minded")
        elif self._editing.read_only:
            state = self.state[0] or "not reviewed yet"
            words = f"{findings_words(self._measurement.findings)}; {state}"
            self._messages.say(f"{words}. f findings, V review, F failures, | differences", "hint")

    def show(self) -> None:
        """Tell views and canvas what is said of the current design."""
        self._ask_who_changed()
        self._work_out()
        design, judged = self._editing.design, self._measurement.judged
        review = self.review
        self._panels.canvas.remark(judged, open_by_place(review))
        if self._panels.view is not None:
            self._panels.view.show_said(review, judged, design, self.file.trouble)
