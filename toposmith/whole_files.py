"""Files written whole or not at all: the one place that creates, renames and links them.

What is written goes under a name of its own beside the file that it will replace, is flushed to the
disk, and only then takes that file's name. A call that fails is not believed at once: a network
disk renames or links a file, loses its answer, is asked again, and then reports a failure.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Event, Lock, RLock

REPLACED_WITHIN_SECONDS = 2.0
"""Time in s for which the end of the process waits for a file that is being replaced."""

replacing = RLock()
"""Held while a file or folder is made or takes the place of another: the process does not end
meanwhile, and makes none once it ends."""

_BATCH_BYTES = 1 << 16
_LEFT_OVER_AFTER_SECONDS = 3600.0

_unfinished: set[Path] = set()
_discarding, _discarded = Lock(), Event()


class FolderAsideError(OSError):
    """A folder that was to be replaced could not be moved back; its name says where it is now.

    Parameters
    ----------
    aside : Path
        What the old folder is called now.
    why : OSError
        Why the new one did not take its place.
    """

    def __init__(self, aside: Path, why: OSError) -> None:
        super().__init__(why.errno, why.strerror or str(why))
        self.aside = aside


@contextlib.contextmanager
def unfinished_beside(target: Path) -> Iterator[Path]:
    """Give a temporary path in the folder of a file; what still bears it at the end is removed.

    Parameters
    ----------
    target : Path
        The file, or folder, that is to be replaced.
    """
    path = target.parent / f".toposmith-{secrets.token_hex(8)}.tmp"
    _unfinished.add(path)
    try:
        yield path
    finally:
        remove(path)
        _unfinished.discard(path)


def lasting_beside(target: Path, what: str) -> Path:
    """A path beside a file or folder whose name says what is there; no later save removes it."""
    return target.with_name(f"{target.name}.{what}-{secrets.token_hex(4)}")


def discard_unfinished() -> None:
    """Remove what other threads have not finished, before the process ends with them.

    Nothing can be made or take the place of a file after that. Several threads may end the process
    at once: those behind the first wait for no more than what it removes.
    """
    with _discarding:
        if not _discarded.is_set():
            replacing.acquire(timeout=REPLACED_WITHIN_SECONDS)
            _discarded.set()
            for path in tuple(_unfinished):
                remove(path)


def remove(path: Path) -> None:
    """Remove a file or folder, if the disk allows it."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def remove_left_over(directory: Path) -> None:
    """Remove temporary files and folders of killed saves; those of the last hour may be in use."""
    before = time.time() - _LEFT_OVER_AFTER_SECONDS
    with contextlib.suppress(OSError):
        for path in directory.glob(".toposmith-*.tmp"):
            with contextlib.suppress(OSError):
                if _last_written(path) < before:
                    remove(path)


def _last_written(path: Path) -> float:
    """When a file, or any file of a folder, was last written: a large export takes long."""
    within = path.rglob("*") if path.is_dir() and not path.is_symlink() else ()
    latest: float = max(each.lstat().st_mtime for each in (path, *within))
    return latest


def write_new(
    path: Path, pieces: Iterable[bytes], *, like: os.stat_result | None = None, mode: int = 0o666
) -> None:
    """Write a file of a name that nothing has, and see it onto the disk.

    Parameters
    ----------
    path : Path
        Where to write; an exception leaves a part there.
    pieces : iterable of bytes
        The content.
    like : os.stat_result, optional
        Of the file whose rights and owner the new one gets, where the system allows it.
    mode : int
        The rights of a file that is like no other, before the user's mask.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with replacing:
        descriptor = os.open(path, flags, mode if like is None else 0o600)
    try:
        if like is not None:
            with contextlib.suppress(OSError, AttributeError):
                os.fchown(descriptor, like.st_uid, like.st_gid)
            with contextlib.suppress(OSError, AttributeError):
                os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        held = bytearray()
        for piece in pieces:
            held += piece
            if len(held) >= _BATCH_BYTES:
                write_all(descriptor, held)
                held = bytearray()
        write_all(descriptor, held)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """Make a folder, and those that it lies in, where they lack."""
    with replacing:
        path.mkdir(parents=True, exist_ok=True)


def write_all(descriptor: int, raw: bytes | bytearray) -> None:
    """Write all of it; a disk may take less at a time."""
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def require_kept(path: Path, raw: bytes) -> None:
    """Raise OSError where the disk does not give back what was written to it."""
    if path.read_bytes() != raw:
        raise OSError(None, "the disk did not keep what was written")


def replace_whole(path: Path, raw: bytes, *, mode: int = 0o666) -> None:
    """Replace a small file of the program's own, or of the user's, in one step.

    Raises
    ------
    OSError
        Where that failed; the old file is untouched.
    """
    target = Path(os.path.realpath(path))
    with unfinished_beside(target) as temporary:
        write_new(temporary, [raw], mode=mode)
        require_kept(temporary, raw)
        with replacing:
            move(temporary, target)
    flush_directory(target.parent)


def rewrite(descriptor: int, raw: bytes) -> None:
    """Give an open file another content, in place, and see it onto the disk."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    write_all(descriptor, raw)
    os.ftruncate(descriptor, len(raw))
    os.fsync(descriptor)


def move(source: Path, target: Path) -> None:
    """Give a file or folder another name, in place of a file that has it; OSError where it has not.

    A failure counts only where the file does not have the name.
    """
    moved = source.lstat()
    try:
        os.replace(source, target)  # noqa: PTH105 - tests let this very call fail
    except OSError:
        if not _is(target, moved):
            raise


def move_folder(folder: Path, target: Path) -> None:
    """Give a folder its name; the one that has it goes last, so that either is always there.

    Raises
    ------
    FolderAsideError
        Where the old one lost its name and could not get it back.
    OSError
        Where nothing was changed.
    """
    if not target.exists():
        move(folder, target)
        return
    aside = lasting_beside(target, "old")
    try:
        move(target, aside)
        move(folder, target)
    except OSError as error:
        if _is_there(target):
            raise
        try:
            move(aside, target)
        except OSError:
            raise FolderAsideError(aside, error) from None
        raise
    remove(aside)


def link(temporary: Path, path: Path) -> None:
    """Give a file its name, in one step, where there is none of that name.

    Raises
    ------
    FileExistsError
        Where there is one.
    """
    linked = temporary.lstat()
    try:
        path.hardlink_to(temporary)
    except OSError:
        if _is(path, linked):
            return
        if _is_there(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        move(temporary, path)  # a disk without links: the caller's names tell contents apart


def flush_directory(directory: Path) -> None:
    """Make a rename durable against power failure, where the system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _is(path: Path, status: os.stat_result) -> bool:
    """Whether a path leads to the file of a status."""
    with contextlib.suppress(OSError):
        return os.path.samestat(path.lstat(), status)
    return False


def _is_there(path: Path) -> bool:
    with contextlib.suppress(OSError):
        path.lstat()
        return True
    return False
