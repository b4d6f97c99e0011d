"""Who has a design file open: a note beside it while it is open, which nothing waits for.

A note is a file in the hidden folder ``.toposmith`` beside the design, which git ignores and which
goes with the last note. Its run holds a lock on it, which the system lets go however the run ends.
A note from another machine counts while it is touched again every minute.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import json
import os
import secrets
import shutil
import socket
import stat
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from toposmith.design.loader import escaped
from toposmith.tui.keeping.author_name import remembered_author
from toposmith.tui.keeping.recovery import is_running

try:
    import fcntl
except ImportError:  # Windows: the process id in the note has to do
    fcntl = None  # type: ignore[assignment]

FOLDER = ".toposmith"
SUFFIX = ".open"
BEAT_SECONDS = 60.0
STALE_SECONDS = 180.0
"""A note of another machine that was not touched for so long is of a run that has ended."""
LEFT_OVER_SECONDS = 86_400.0
MOST_NOTES, MOST_BYTES, MOST_SIGNS = 50, 2_000, 60


@dataclass(frozen=True)
class OpenElsewhere:
    """Somebody else who has the file open: name, machine, and since when."""

    name: str
    host: str
    since: str

    @property
    def words(self) -> str:
        """``Ann on login-2 since 14:02``."""
        return f"{self.name} on {self.host} since {self.since}"


def own_name() -> str:
    """The name given for reviews, else that of the account."""
    try:
        return remembered_author() or getpass.getuser()
    except (OSError, KeyError):
        return "somebody"


class Presence:
    """The notes of one design file: one's own, and those of others.

    Parameters
    ----------
    design : Path
        The file; a link counts as what it leads to.
    """

    def __init__(self, design: Path) -> None:
        real = Path(os.path.realpath(design))
        self._folder = real.parent / FOLDER
        self._mark = hashlib.sha256(os.fsencode(real.name)).hexdigest()[:16]
        self._note: Path | None = None
        self._file: int | None = None
        self._touched = 0.0
        self._turn = Lock()
        self._left = False

    def enter(self) -> None:
        """Leave a note; where none can be written, as in a folder of others, there is none."""
        with self._turn, contextlib.suppress(OSError):
            if not self._left:
                self._write()

    def _write(self) -> None:
        data = {"name": own_name(), "host": _host(), "pid": os.getpid()}
        data["since"] = datetime.now(UTC).isoformat(timespec="seconds")
        note = self._folder / f"{self._mark}-{secrets.token_hex(4)}{SUFFIX}"
        if self._folder.is_symlink():
            return
        with contextlib.suppress(FileExistsError):
            self._folder.mkdir()
            with contextlib.suppress(OSError):  # who may write the design may leave a note
                shutil.copymode(self._folder.parent, self._folder)
        with contextlib.suppress(FileExistsError), (self._folder / ".gitignore").open("x") as file:
            file.write("*\n")
        self._file = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        self._note, self._touched = note, time.monotonic()
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(self._file, json.dumps(data).encode("ascii"))

    def beat(self) -> None:
        """Touch the note from time to time, so that other machines see that the run goes on."""
        with self._turn, contextlib.suppress(OSError):
            if self._note and time.monotonic() - self._touched > BEAT_SECONDS:
                os.utime(self._file if os.utime in os.supports_fd and self._file else self._note)
                self._touched = time.monotonic()

    def leave(self) -> None:
        """Remove the note, and the folder with the last one; does not wait for a slow disk."""
        self._left = True
        if not self._turn.acquire(timeout=0.2):
            return
        try:
            if self._file is not None:
                os.close(self._file)
            if self._note is not None:
                self._note.unlink(missing_ok=True)
                if not any(self._folder.glob(f"*{SUFFIX}")):
                    (self._folder / ".gitignore").unlink(missing_ok=True)
                    self._folder.rmdir()
        except OSError:
            pass
        finally:
            self._note = self._file = None
            self._turn.release()

    def others(self) -> tuple[OpenElsewhere, ...]:
        """Who else has the file open; notes of runs that have ended are removed."""
        found: list[OpenElsewhere] = []
        with contextlib.suppress(OSError):
            notes = sorted(self._folder.glob(f"{self._mark}-*{SUFFIX}"))[:MOST_NOTES]
            now = self._note.stat().st_mtime if self._note else time.time()
            now += time.monotonic() - self._touched if self._note else 0.0
            for note in notes:
                if note != self._note and (other := _read(note, now)) is not None:
                    found.append(other)
        return tuple(found)


def _read(note: Path, now: float) -> OpenElsewhere | None:
    """Whom a note is of; None where that run has ended, or it is no note."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(note, flags), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            data: dict[str, Any] = json.loads(opened.read(MOST_BYTES))
        age = now - status.st_mtime
        if _has_ended(note, data, age):
            return None
        name, host = (escaped(str(data[key])[:MOST_SIGNS]) for key in ("name", "host"))
        return OpenElsewhere(name, host, _since(str(data["since"])))
    return None


def _has_ended(note: Path, data: dict[str, Any], age: float) -> bool:
    """Whether the run of a note has ended; its note goes then."""
    here = data["host"] == _host()
    ended = not is_running(note, int(data["pid"])) if here else abs(age) > STALE_SECONDS
    if ended and (here or age > LEFT_OVER_SECONDS):
        with contextlib.suppress(OSError):
            note.unlink(missing_ok=True)
    return ended


def _since(text: str) -> str:
    """The time of day of here, with the day where that is another."""
    moment = datetime.fromisoformat(text).astimezone()
    today = moment.date() == datetime.now().astimezone().date()
    return moment.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")


def _host() -> str:
    return socket.gethostname()[:MOST_SIGNS]
