"""The lock that a design is bound to: found beside its file, read when something asks for it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from toposmith.errors import LockError
from toposmith.lock.clashes import contradictions
from toposmith.lock.lock_file import FabricLock, lock_text, read_lock
from toposmith.whole_files import replace_whole

SUFFIX = ".lock"

MAX_LOCK_BYTES = 256 * 1024 * 1024
"""Six times the lock of 393,216 cables."""

TOO_LARGE = f"it is larger than the {MAX_LOCK_BYTES // 2**20} MiB that are read"


@dataclass(eq=False)
class Binding:
    """A lock as it stands on disk, or in memory.

    It is read on demand: figures that depend on no port do not wait for it.

    Parameters
    ----------
    source : str
        Its file; empty in memory.
    text : str
        Its lines.
    held : FabricLock, optional
        What it says, where that is known without a text.
    fault : str
        Why there is no text to read.
    """

    source: str = ""
    text: str = ""
    held: FabricLock | None = None
    fault: str = ""

    @cached_property
    def _read(self) -> tuple[FabricLock | None, tuple[str, ...]]:
        if self.held is not None or self.fault:
            return self.held, (self.fault,) * bool(self.fault)
        try:
            lock = read_lock(self.text)
        except LockError as error:
            return None, (str(error),)
        faults = tuple(contradictions(lock, self.text))
        return (None if faults else lock), faults

    @property
    def lock(self) -> FabricLock | None:
        """What it binds; None where it cannot be read or says something twice."""
        return self._read[0]

    @property
    def as_text(self) -> str:
        """Its lines as they belong into a file."""
        if self.held is not None and not self.text:
            self.text = lock_text(self.held)
        return self.text

    def line_of(self, *fields: str) -> int:
        """The number of the line that begins with these fields, in the file or what is written."""
        return f"\n{self.as_text}".partition("\n" + "\t".join(fields))[0].count("\n") + 1

    @property
    def digest(self) -> str:
        """The SHA-256 of its lines."""
        return _digest(self.as_text)

    def bind(self, lock: FabricLock) -> None:
        """Write the file with other lines, and hold these for all that is bound to it.

        Raises
        ------
        LockError
            Where the file says something else by now, or cannot be written; nothing is changed.
        """
        text = lock_text(lock)
        write_lock(Path(self.source), text, {self.as_text})
        self.text, self.held = text, None
        self.__dict__["_read"] = lock, ()

    @property
    def faults(self) -> tuple[str, ...]:
        """Why it binds nothing, each with its line and a fix."""
        return self._read[1]


@lru_cache(maxsize=2)
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def lock_path(design: Path) -> Path:
    """The lock of a design file: ``pod.lock`` beside ``pod.yaml``."""
    return design.with_suffix(SUFFIX)


def binding_beside(design: Path) -> Binding | None:
    """The lock beside a design file; None where there is none.

    One that is too large or cannot be read is a lock with that fault.
    """
    path = lock_path(design)
    if path == design or not path.exists():
        return None
    return read_binding(path)


def read_binding(path: Path) -> Binding:
    """The lock of a file, not looked at yet."""
    source = str(path)
    try:
        if not path.is_file():
            return Binding(source, fault="it is no ordinary file; move it away")
        if path.stat().st_size > MAX_LOCK_BYTES:
            return Binding(source, fault=TOO_LARGE)
        return binding_of(source, path.read_bytes())
    except OSError as error:
        return Binding(source, fault=f"it cannot be read: {error.strerror}")


def binding_of(source: str, raw: bytes) -> Binding:
    """The lock of some bytes, not looked at yet."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return Binding(source, fault="it is no text in UTF-8; restore it, or write it anew")
    return Binding(source, text.removeprefix("\ufeff").replace("\r\n", "\n"))


def save_binding(binding: Binding, design: Path, known: set[str]) -> None:
    """Write the lock of a design that was saved, where edits have changed whose lines are whose.

    Parameters
    ----------
    binding : Binding
        The lock that goes with the design.
    design : Path
        The file of the design.
    known : set of str
        Texts of the lock that may be replaced, as this program read or wrote them; the new one is
        added.

    Raises
    ------
    LockError
        Where the file says something else by now, or cannot be written; it is untouched.
    """
    if not binding.faults:
        write_lock(lock_path(design), binding.as_text, known)
        known.add(binding.as_text)


def take_away(design: Path, known: Collection[str]) -> None:
    """Remove the lock of a design that has none any more, where it is one of the known texts.

    Raises
    ------
    LockError
        Where it cannot be removed.
    """
    path = lock_path(design)
    try:
        if read_binding(path).text in known:
            path.unlink()
    except OSError as error:
        raise LockError(f"{path}: {error.strerror or error}") from None


def write_lock(path: Path, text: str, known: Collection[str]) -> None:
    """Write a lock in one step, where the file is as it was read.

    Parameters
    ----------
    path : Path
        The file of the lock.
    text : str
        Its new lines.
    known : collection of str
        Texts of it that may be replaced.

    Raises
    ------
    LockError
        Where the file says something else by now, or cannot be written; it is untouched.
    """
    there = read_binding(path).text if path.exists() else None
    if there == text:
        return
    if there is not None and there not in known:
        raise LockError(f"{path}: has changed meanwhile, and was left unchanged")
    try:
        replace_whole(path, text.encode("utf-8"))
    except OSError as error:
        raise LockError(f"{path}: {error.strerror or error}") from None
