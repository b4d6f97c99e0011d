"""The designer's steps: edits that are made, taken back and kept for recovery."""

from __future__ import annotations

from pathlib import Path

from toposmith.topology.design.edits import Edit
from toposmith.topology.errors import EditError
from toposmith.tui.screens.designer_figures import DesignerFigures
from toposmith.tui.widgets.message_line import Tone


class DesignerSteps(DesignerFigures):
    """The main screen with its history: steps are journaled before their figures are asked for."""

    _journal_failed = False

    def make(self, edit: Edit) -> bool:
        """Make an edit and show what it does; says why where it is refused."""
        try:
            self.workbench.apply(edit)
        except EditError as refused:
            self.say(str(refused), "refused")
            return False
        self.say(edit.label)
        self._to_tell = edit.label
        self._show_design()
        return True

    def say(self, text: str, tone: Tone = "done") -> None:
        """Say what happened; what an edit did is not told over it."""
        self._to_tell = ""
        super().say(text, tone)

    def undo(self) -> None:
        """Take the last change back."""
        step = self.workbench.undo()
        self.say(f"undone: {step}" if step else "nothing to undo", "done" if step else "hint")
        self._show_design()

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        step = self.workbench.redo()
        self.say(f"redone: {step}" if step else "nothing to redo", "done" if step else "hint")
        self._show_design()

    def go_to_step(self, position: int) -> None:
        """Go to a step of the history and show it."""
        self.workbench.go_to(position)
        self.say(f"at step {position}: {self.workbench.steps[position].label}")
        self._show_design()

    def autosave(self) -> Path | None:
        """Journal what is new; returns the journal where there is unsaved work in it."""
        if self._bench is None or self._bench.read_only:
            return None
        try:
            kept = self.session.journal(self._bench)
        except OSError as error:
            if not self._journal_failed:  # said once, not at every key
                why = error.strerror or str(error)
                self.say(f"unsaved work cannot be kept for recovery ({why}): save it (s)", "failed")
            self._journal_failed = True
            return None
        self._journal_failed = False
        return kept if self._bench.dirty or self.session.unsaved else None

    def _show_design(self) -> None:
        """Journal the step before anything is made of it; the disk may take its time."""
        if self.autosave() is not None:
            flush = self.session.rescue.flush
            self.run_worker(flush, thread=True, group="journal", exit_on_error=False)
        super()._show_design()

    def on_unmount(self) -> None:
        """Leave the journal, where there is one, to the next run."""
        self.session.rescue.close()
