"""What others do with the design's file: who has it open, and that it was saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from toposmith.design.stored_files import NO_FILE, fingerprint_of
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.messages import Messages
from toposmith.tui.keeping.presence import OpenElsewhere
from toposmith.tui.widgets.file_watcher import FileWatcher


class FileElsewhere:
    """Tells who else has the file open, once it is known, and when they save it.

    Parameters
    ----------
    editing : Editing
        The design with its file.
    messages : Messages
        Where it is said.
    watcher : FileWatcher
        What looks, beside the screen.
    changed : callable
        Called where others came or went.
    """

    def __init__(
        self,
        editing: Editing,
        messages: Messages,
        watcher: FileWatcher,
        *,
        changed: Callable[[], None],
    ) -> None:
        self._editing = editing
        self._messages = messages
        self._watcher = watcher
        self._changed = changed
        self._of: Path | None = None
        self._others: tuple[OpenElsewhere, ...] = ()
        self._told = ""

    @property
    def words(self) -> str:
        """``also open: Ann``, for the header; empty where nobody else has the file open."""
        names = list(dict.fromkeys(one.name for one in self._others))
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"also open: {names[0]}{more}" if names else ""

    def follow_file(self) -> None:
        """Watch the file that the design has now; a review leaves no note, since it saves none."""
        path = self._editing.session.path
        if path != self._of:
            self._of, self._others, self._told = path, (), ""
            self._watcher.follow(path, leaves_note=not self._editing.read_only)

    def take(self, seen: FileWatcher.Seen) -> None:
        """Say what is new: who has the file open, and that it was saved by someone else."""
        if seen.path != self._of:
            return
        came = [one for one in seen.others if one not in self._others]
        if seen.others != self._others:
            self._others = seen.others
            self._changed()
        if came:
            who = ", ".join(one.words for one in came[:3])
            self._messages.say(f"also open: {who}; who saves second is asked what to do", "minded")
        if seen.fingerprint not in (self._told, self._editing.session.fingerprint):
            self._say_saved(seen.path)
        self._told = seen.fingerprint

    def _say_saved(self, path: Path) -> None:
        """Say that the file on disk is another than was opened."""
        now = fingerprint_of(path)
        if now == self._editing.session.fingerprint:
            return  # it was seen while it was being written here
        who = f" ({', '.join(one.words for one in self._others[:3])})" if self._others else ""
        what = "is gone, or cannot be read" if now == NO_FILE else "was saved elsewhere meanwhile"
        then = "o opens it again" if self._editing.read_only else "s asks what to do"
        self._messages.say(f"{path.name} {what}{who}: {then}", "minded")
