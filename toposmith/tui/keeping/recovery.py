"""Unsaved work, journaled as it is done, and found by the next run however this one ends."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.tui.keeping.journal import Head, JournalStep, Told, head_line, lines_between, told
from toposmith.user_folders import state_folder
from toposmith.whole_files import flush_directory, remove, write_all

try:
    import fcntl
except ImportError:  # Windows: the process id in the name has to do
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    # the start screen comes up before code of designs is read
    from toposmith.design.document import Design
    from toposmith.lock.binding import Binding

SUFFIX = ".journal"
_NAME = re.compile(r"-(?P<pid>\d+)-[0-9a-f]+\.journal$")


@dataclass(frozen=True)
class Rescued:
    """A journal of a run that has ended: its content, and when it was last written."""

    path: Path
    told: Told
    written: float

    @property
    def origin(self) -> Path | None:
        """The file that the design belongs to."""
        return Path(self.told.head.origin) if self.told.head.origin else None

    @property
    def name(self) -> str:
        """What the design was called: by its file, or by what it was begun from."""
        head = self.told.head
        return Path(head.origin or head.proposed or "untitled").name


class Rescue:
    """The journal of one design; there is none before the first change.

    A run holds a lock on its journal, which the system lets go however the run ends.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._file: int | None = None
        self._size = 0
        self._head: Head | None = None
        self._steps: tuple[JournalStep, ...] = ()
        self._position = -1
        self._outlived: tuple[Path, ...] = ()
        self._texts: dict[int, tuple[Design, str]] = {}

    @property
    def path(self) -> Path | None:
        """The journal, where there is one."""
        return self._path

    def adopt(self, path: Path) -> None:
        """Take the place of an earlier run's journal; it stays until ours is on the disk."""
        self._outlived += (path,)

    def note(
        self,
        head: Head,
        steps: Sequence[tuple[str, Design]],
        position: int,
        saved: Design | None = None,
    ) -> Path:
        """Journal what is new since the last note; on the disk for good after :meth:`flush`.

        Parameters
        ----------
        head : Head
            Where the design came from.
        steps : sequence of (str, Design)
            Every step in words with its design, the first one being how it was opened.
        position : int
            Which of them is on the screen.
        saved : Design, optional
            The design that the file holds; the lock of others is noted where it is another one.

        Raises
        ------
        OSError
            Where it cannot be written; the next note tries again with everything.
        """
        beside = None if saved is None else saved.binding
        now = tuple(
            JournalStep(label, self.text_of(design), _lock_unlike(design.binding, beside))
            for label, design in steps
        )
        if self._file is None or head != self._head:
            self._begin(head, head_line(head) + lines_between((), -1, now, position))
        else:
            self._append(lines_between(self._steps, self._position, now, position))
        self._steps, self._position = now, position
        assert self._path is not None
        return self._path

    def text_of(self, design: Design) -> str:
        """The design as a journal holds it; made once for each, as designs never change."""
        known = self._texts.get(id(design))
        if known is None:
            known = (design, design.model_dump_json(exclude_defaults=True))
            self._texts[id(design)] = known
        return known[1]

    def flush(self) -> None:
        """Flush what was noted to the disk; takes as long as the disk does.

        Raises
        ------
        OSError
            Where the disk did not take it; the next note writes everything again, elsewhere.
        """
        file, path, outlived = self._file, self._path, self._outlived
        if file is None or path is None:
            return
        try:
            os.fsync(file)
        except OSError:
            if self._file != file:
                return  # it was saved, or given up, meanwhile
            self._head = None  # what is still held of it in memory may never reach the disk
            raise
        flush_directory(path.parent)
        for earlier in outlived:
            remove(earlier)
        self._outlived = tuple(each for each in self._outlived if each not in outlived)

    def close(self) -> None:
        """Release the journal and leave it to the next run, on the disk where that takes it."""
        with contextlib.suppress(OSError):
            self.flush()
        self._release()

    def _release(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = None

    def remove(self) -> None:
        """Forget the journal: the work is saved, or given up on purpose."""
        self._release()
        for path in (self._path, *self._outlived):
            if path is not None:
                remove(path)
        self._path, self._head, self._outlived = None, None, ()
        self._steps, self._position, self._size = (), -1, 0

    def _begin(self, head: Head, text: str) -> None:
        """Begin a new file with a text; one begun before with another head goes after that."""
        before = self._path
        self._release()
        folder = recovery_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = Path(head.origin or head.proposed or "untitled").stem
        stem = re.sub(r"[^\w-]", "_", name)[:40]
        path = folder / f"{stem}-{os.getpid()}-{secrets.token_hex(3)}{SUFFIX}"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._path, self._size = path, 0
        try:
            self._append(text)
        except OSError:
            self._release()
            remove(path)
            self._path = before
            raise
        self._head = head
        if before is not None:
            self._outlived += (before,)

    def _append(self, text: str) -> None:
        assert self._file is not None
        raw = text.encode("ascii")
        try:
            write_all(self._file, raw)
        except OSError:
            try:  # half a line would hide those after it
                os.ftruncate(self._file, self._size)
            except OSError:
                self.close()  # the next note begins another file
            raise
        self._size += len(raw)


def _lock_unlike(binding: Binding | None, beside: Binding | None) -> str | None:
    """The lines of a lock, empty for none; None where it is the one beside the file."""
    if binding is beside:
        return None
    return "" if binding is None else binding.as_text


def design_of(text: str) -> Design:
    """The design that a journal holds. Raises ValueError where it holds none."""
    # pydantic, which the first frame does not wait for
    from toposmith.design.document import Design

    return Design.model_validate_json(text)


def recovery_dir() -> Path:
    """Directory of the journals."""
    return state_folder() / "recovery"


def rescued_designs() -> list[Rescued]:
    """Unsaved work of runs that have ended, the newest first."""
    found: list[Rescued] = []
    with contextlib.suppress(OSError):
        for path in recovery_dir().glob(f"*{SUFFIX}"):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                rescued = _rescued(path)
                if rescued is not None:
                    found.append(rescued)
    return sorted(found, key=lambda rescued: rescued.written, reverse=True)


def has_unsaved_work(source: str) -> bool:
    """Whether a run that has ended left unsaved work of a file."""
    path = Path(source).absolute()
    origins = (rescued.origin for rescued in rescued_designs())
    return any(origin is not None and origin.absolute() == path for origin in origins)


def _rescued(path: Path) -> Rescued | None:
    match = _NAME.search(path.name)
    if match is None or is_running(path, int(match["pid"])):
        return None
    told_there = told(path.read_text(encoding="ascii"))
    if told_there is None:
        return None
    if not told_there.unsaved:
        path.unlink(missing_ok=True)  # everything in it was saved, or taken back
        return None
    return Rescued(path, told_there, path.stat().st_mtime)


def is_running(path: Path, pid: int) -> bool:
    """Whether the run that a journal belongs to is still running."""
    if fcntl is not None:
        with path.open("rb") as opened:
            try:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            except OSError:
                pass  # a file system without locks
            else:
                return False
    return pid == os.getpid() or _is_process(pid)


def _is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
