"""A disk that fails at a chosen call, as disks do: full, over quota, gone stale, or just broken."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CALLS = {
    "open": ("open",),
    "write": ("write",),
    "truncate": ("ftruncate",),
    "fsync": ("fsync",),
    "rename": ("rename", "replace"),
    "link": ("link",),
    "remove": ("unlink", "rmdir"),
    "mkdir": ("mkdir",),
    "status": ("stat", "lstat"),
}
"""What can fail, with the functions of :mod:`os` that do it."""

_DISK = (errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.EIO)
ERRORS = {
    **dict.fromkeys(CALLS, _DISK),
    "link": (*_DISK, errno.EPERM),
    **dict.fromkeys(("truncate", "remove", "status"), (errno.ESTALE, errno.EIO)),
}
"""With which errors."""

_ALWAYS = ("fails", "gone")
WAYS = {
    **dict.fromkeys(CALLS, _ALWAYS),
    "write": (*_ALWAYS, "short", "full"),
    **dict.fromkeys(("rename", "link", "remove", "mkdir"), (*_ALWAYS, "late")),
}
"""In which way: ``fails`` this once; ``gone``, as does every call after it; ``short``, half is
taken without an error; ``full``, half is taken, and nothing after it; ``late``, it is done, and a
failure reported all the same."""


@dataclass(frozen=True)
class DiskFault:
    """One fault: the n-th call of a kind, its error, and the way in which it fails."""

    call: str
    number: int
    error: int
    way: str

    def __str__(self) -> str:
        return f"{self.call} {self.number} {self.way} {errno.errorcode[self.error]}"


class FailingDisk:
    """Everything below a folder, while a fault is planted; counts the calls that reach it.

    A failed fsync loses what was written since the last one, as a kernel may that could not write
    its pages and then counts them as clean.

    Parameters
    ----------
    folder : Path
        The disk; calls for other files are no part of it.
    fault : DiskFault, optional
        What fails; nothing where there is none.
    """

    def __init__(self, folder: Path, fault: DiskFault | None = None) -> None:
        self.folder = os.path.realpath(folder)
        self.fault = fault
        self.calls: Counter[str] = Counter()
        self._is_due = False
        self._synced: dict[str, int] = {}
        self._status = os.stat

    @contextmanager
    def mounted(self) -> Iterator[FailingDisk]:
        """Put the disk under the program."""
        real = {name: getattr(os, name) for names in CALLS.values() for name in names}
        read = io.open
        try:
            for path in Path(self.folder).rglob("*"):
                self._note_size("fsync", str(path))
            for call, names in CALLS.items():
                for name in names:
                    setattr(os, name, self._watched(call, real[name]))
            io.open = self._watched("open", read)
            yield self
        finally:
            io.open = read
            for name, function in real.items():
                setattr(os, name, function)

    def _watched(self, call: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any, **named: Any) -> Any:
            path = _path(given[0], named.get("dir_fd"))
            if path != self.folder and not path.startswith(f"{self.folder}{os.sep}"):
                return real(*given, **named)
            self.calls[call] += 1
            fault = self.fault
            is_hit = fault and call == fault.call and self.calls[call] == fault.number
            self._is_due = self._is_due or bool(is_hit)
            if fault is None or not self._is_due:
                done = real(*given, **named)
                self._note_size(call, path)
                return done
            if is_hit and fault.way in ("short", "full"):
                return real(given[0], bytes(given[1])[: (len(given[1]) + 1) // 2])
            if is_hit and fault.way == "late":
                real(*given, **named)
            elif not is_hit and not (fault.way == "gone" or (fault.way, call) == ("full", "write")):
                done = real(*given, **named)
                self._note_size(call, path)
                return done
            if call == "fsync" and self._is_file(path):
                self._lose(path)
            raise OSError(fault.error, os.strerror(fault.error))

        return watched

    def _note_size(self, call: str, path: str) -> None:
        if call == "fsync" and self._is_file(path):
            self._synced[path] = self._status(path).st_size

    def _is_file(self, path: str) -> bool:
        return stat.S_ISREG(self._status(path).st_mode)

    def _lose(self, path: str) -> None:
        """What was added to a file since it was flushed last; of a new one everything."""
        os.truncate(path, self._synced.get(path, 0))


def _path(place: Any, directory: int | None) -> str:
    """The path of what a call is for, without asking the disk."""
    if isinstance(place, int):
        with suppress(OSError):
            return str(Path(f"/proc/self/fd/{place}").readlink()).removesuffix(" (deleted)")
        return ""
    base = Path.cwd() if directory is None else Path(_path(directory, None))
    return os.path.normpath(base / os.fsdecode(place))
