"""The design under work: its history, its file and its journal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.request import AS_DESIGNED, Request
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.routing_rules import routing_problems
from toposmith.errors import EditError
from toposmith.tui.designer.messages import Messages
from toposmith.tui.keeping.session import Session
from toposmith.workbench import Workbench

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.tui.keeping.recovery import Rescue

InBackground = Callable[[Callable[[], Coroutine[Any, Any, None]]], object]
"""Begins something that waits, as for a disk."""


class Editing:
    """Edits that are made, undone and kept for recovery.

    Parameters
    ----------
    messages : Messages
        Where it is said what was done, or why it was refused.
    read_only : bool
        Whether designs are open for review.
    changed : callable
        Called after every step, when it is in the journal.
    saved : callable
        Called when the design was saved, or its journal is kept again, or no more.
    in_background : callable
        Runs the flush of the journal.
    """

    def __init__(
        self,
        messages: Messages,
        *,
        read_only: bool = False,
        changed: Callable[[], None],
        saved: Callable[[], None],
        in_background: InBackground,
    ) -> None:
        self.session = Session(Design())
        self.read_only = read_only
        self._messages = messages
        self._changed = changed
        self._saved = saved
        self._in_background = in_background
        self._workbench: Workbench | None = None
        self.journal_failed = False

    @property
    def has_design(self) -> bool:
        """Whether a design is there."""
        return self._workbench is not None

    @property
    def workbench(self) -> Workbench:
        """The design under work."""
        assert self._workbench is not None, "no flow begins before the design is there"
        return self._workbench

    @property
    def design(self) -> Design:
        """The current design."""
        return self.workbench.design

    @property
    def unsaved(self) -> bool:
        """Whether there is work that no file has."""
        return self.workbench.dirty or self.session.unsaved

    def open(self, session: Session, catalog: Catalog) -> None:
        """Work on another design; ranks and routing are its own, all else is measured as before."""
        bench = Workbench(session.design, catalog, read_only=self.read_only)
        session.resume(bench)
        before = Request() if self._workbench is None else self._workbench.request
        job, _ = job_and_findings(session.design)
        routing = before.routing
        if routing.by_design or any(routing_problems(session.design, routing.mode)):
            routing = AS_DESIGNED.on(session.design)
        bench.request = replace(before, job=job, routing=routing)
        self.session, self._workbench = session, bench

    def make(self, edit: Edit, *, instead_of: int | None = None) -> bool:
        """Make an edit and show what it does; says why where it is refused.

        ``instead_of`` is the number of the last step where the edit takes its place.
        """
        try:
            self.workbench.apply(edit, instead_of=instead_of)
        except EditError as refused:
            self._messages.say(str(refused), "refused")
            return False
        self._messages.say_edit(edit.label)
        self.show()
        return True

    def undo(self) -> None:
        """Undo the last change."""
        step = self.workbench.undo()
        words = f"undone: {step}" if step else "nothing to undo"
        self._messages.say(words, "done" if step else "hint")
        self.show()

    def redo(self) -> None:
        """Redo the change that was undone last."""
        step = self.workbench.redo()
        words = f"redone: {step}" if step else "nothing to redo"
        self._messages.say(words, "done" if step else "hint")
        self.show()

    def go_to_step(self, position: int) -> None:
        """Go to a step of the history and show it."""
        self.workbench.go_to(position)
        label = self.workbench.steps[position].label
        self._messages.say(f"at step {position}: {label}")
        self.show()

    def show(self) -> None:
        """Journal the step before anything is made of it; the disk may take its time."""
        if self.autosave() is not None:
            self._in_background(partial(self._flush_journal, self.session.rescue))
        self._changed()

    async def _flush_journal(self, rescue: Rescue) -> None:
        try:
            await asyncio.to_thread(rescue.flush)
        except OSError as error:
            self._say_not_kept(error)
            self._saved()
            return
        if self.journal_failed:
            self.journal_failed = False
            self._saved()

    def mark_saved(self) -> None:
        """Note that the current design is what its file says."""
        if not self.read_only:
            self.workbench.mark_saved()
        self._saved()

    def autosave(self) -> Path | None:
        """Journal what is new; returns the journal where there is unsaved work in it."""
        if self._workbench is None or self.read_only:
            return None
        try:
            kept = self.session.journal(self._workbench)
        except OSError as error:
            self._say_not_kept(error)
            return None
        if kept is None:
            self.journal_failed = False
        return kept if self.unsaved else None

    def _say_not_kept(self, error: OSError) -> None:
        if not self.journal_failed:  # said once, not at every key
            why = error.strerror or str(error)
            words = f"unsaved work cannot be kept for recovery ({why}): save it (s)"
            self._messages.say(words, "failed")
        self.journal_failed = True

    def close(self) -> None:
        """Leave the journal, where there is one, to the next run."""
        self.session.rescue.close()
