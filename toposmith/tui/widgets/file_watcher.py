"""Watches the file of the design beside the screen: who else has it open, and what it holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from textual.message import Message
from textual.widget import Widget

from toposmith.crash import log_crash
from toposmith.design.stored_files import NO_FILE, fingerprint_of
from toposmith.tui.keeping.presence import OpenElsewhere, Presence

LOOK_SECONDS = 3.0
"""A status of one file and the names in one folder, so often; nothing is drawn for it."""


class FileWatcher(Widget):
    """Looks at a file again and again in a thread that nothing waits for; shows nothing itself."""

    @dataclass
    class Seen(Message):
        """Who has the file open elsewhere, or what it holds, is other than at the last look."""

        path: Path
        others: tuple[OpenElsewhere, ...]
        fingerprint: str

    def __init__(self) -> None:
        super().__init__()
        self._presence: Presence | None = None
        self._ended = Event()

    def on_mount(self) -> None:
        """Take no room."""
        self.display = False

    def on_unmount(self) -> None:
        """Take the note away."""
        self.follow(None)

    def follow(self, path: Path | None, *, leaves_note: bool = False) -> None:
        """Watch another file, or none; with ``leaves_note`` others are told that it is open."""
        self._ended.set()
        if self._presence is not None:
            self._presence.leave()
        self._ended, self._presence = Event(), None
        if path is not None:
            self._presence = Presence(path)
            given = (path, self._presence, self._ended, leaves_note)
            Thread(target=self._look_on, args=given, name="file-watcher", daemon=True).start()

    def _look_on(self, path: Path, presence: Presence, ended: Event, leaves_note: bool) -> None:
        try:
            if leaves_note:
                presence.enter()
            known, fingerprint, told = "", NO_FILE, None
            while not ended.is_set():
                status = _status(path)
                if status != known:
                    known, fingerprint = status, fingerprint_of(path)
                seen = (path, presence.others(), fingerprint)
                if seen != told and not ended.is_set():
                    self.post_message(self.Seen(*seen))
                    told = seen
                ended.wait(LOOK_SECONDS)
                presence.beat()
        except Exception as fault:  # a convenience: no fault of it ends the program
            log_crash(fault)


def _status(path: Path) -> str:
    """What changes whenever a file is written or exchanged."""
    try:
        found = os.stat(path)  # noqa: PTH116 - as a whole
    except OSError as error:
        return str(error.errno)
    return f"{found.st_mtime_ns} {found.st_size} {found.st_ino}"
