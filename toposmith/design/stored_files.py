"""Design files on disk: opened with care, saved so that a failure leaves the old file whole."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from toposmith.design.document import Design
from toposmith.design.loader import MAX_BYTES, decoded, escaped, require_size
from toposmith.design.parser import parse_design
from toposmith.errors import DesignFileError, Problem, SaveError
from toposmith.lock.binding import binding_beside
from toposmith.whole_files import (
    FolderAsideError,
    flush_directory,
    lasting_beside,
    make_folder,
    move,
    move_folder,
    remove,
    remove_left_over,
    replacing,
    require_kept,
    rewrite,
    unfinished_beside,
    write_new,
)

NO_FILE = "no file"
"""The fingerprint of a missing file."""

_LOCK_SECONDS = 10.0


class FileChangedError(SaveError):
    """The file on disk is no longer the one that was opened; nothing was written."""


@dataclass(frozen=True)
class LoadedFile:
    """A design with the file it came from.

    Parameters
    ----------
    design : Design
        What the file says.
    text : str
        The file as it stands, for saving with its comments.
    path : Path
        Where it was found.
    fingerprint : str
        Changes when the content does; hand it to `save_file`.
    """

    design: Design
    text: str
    path: Path
    fingerprint: str


def load_file(path: str | os.PathLike[str]) -> LoadedFile:
    """Open a design file, with the lock and the price lists beside it.

    Raises
    ------
    DesignFileError
        When there is no such file, when it is not an ordinary file, too large or not readable,
        or when its text is no design.
    """
    text, fingerprint = load_text(path)
    design = parse_design(text, _name_of(path)).bound_to(binding_beside(Path(path)))
    return LoadedFile(
        design.priced_by(price_lists_beside(Path(path))), text, Path(path), fingerprint
    )


def price_lists_beside(design: Path) -> tuple[Path, ...]:
    """The price lists of a design file: ``pod.prices.csv`` and ``.xlsx`` beside ``pod.yaml``."""
    named = (design.with_suffix(f".prices{ending}") for ending in (".csv", ".xlsx"))
    return tuple(path for path in named if path.is_file())


def load_text(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The text of a file and its fingerprint, without parsing it.

    Raises
    ------
    DesignFileError
        When there is no such file, when it is not an ordinary file, too large or not readable.
    """
    source = _name_of(path)
    try:
        raw = _read_regular(Path(path), source)
    except (OSError, ValueError) as error:
        raise DesignFileError(source, [Problem(_reason(error, Path(path)))]) from None
    return decoded(raw, source), _fingerprint(raw)


def fingerprint_of(path: str | os.PathLike[str]) -> str:
    """The fingerprint of a file as it is on disk; :data:`NO_FILE` where none can be read."""
    try:
        return load_text(path)[1]
    except DesignFileError:
        return NO_FILE


def save_file(
    path: str | os.PathLike[str], text: str, *, expected_fingerprint: str | None = None
) -> str:
    """Replace a file by ``text`` in one step, or leave it as it is.

    The text goes to a new file in the same directory, is flushed to the disk, read back and
    compared, and only then takes the place of the old one. A symbolic link stays one; permission
    bits stay, and the owner and extended attributes where the system allows it. A file that has
    other names (hard links) is written in place, so that all of them have the new text; the new
    file stays beside it until that is on the disk.

    Parameters
    ----------
    path : path
        Where to save; the directory must exist.
    text : str
        The whole file.
    expected_fingerprint : str, optional
        Fingerprint of the file that is meant to be replaced; :data:`NO_FILE` where there is to be
        none. Of several concurrent saves only one succeeds.

    Returns
    -------
    str
        Fingerprint of the file now on disk.

    Raises
    ------
    FileChangedError
        When the file on disk does not have the expected fingerprint any more.
    SaveError
        For every other failure; the old file is untouched.
    """
    source = _name_of(path)
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError as error:
        place = f"the character U+{ord(text[error.start]):04X}"
        raise SaveError(f"{source}: not saved: {place} can not be written as UTF-8") from None
    if len(raw) > MAX_BYTES:
        found = f"{len(raw):,} bytes are more than the {MAX_BYTES:,} that can be opened again"
        raise SaveError(f"{source}: not saved: {found}")
    return save_bytes(path, raw, expected_fingerprint=expected_fingerprint)


def save_bytes(
    path: str | os.PathLike[str], raw: bytes, *, expected_fingerprint: str | None = None
) -> str:
    """Replace a file by bytes of any kind and size, as :func:`save_file` does with text.

    Raises
    ------
    FileChangedError
        When the file on disk does not have the expected fingerprint any more.
    SaveError
        For every other failure; the old file is untouched.
    """
    source = _name_of(path)
    try:
        target = Path(os.path.realpath(path))
        old = _status_of_target(target, source)
        if old is not None and old.st_nlink > 1:
            _save_under_all_names(target, raw, old, source, expected_fingerprint)
        else:
            with unfinished_beside(target) as temporary:
                write_new(temporary, [raw], like=old)
                require_kept(temporary, raw)
                with _alone_in(target.parent, source), replacing:
                    _require_unchanged(target, source, expected_fingerprint)
                    _keep_attributes(target, temporary)
                    move(temporary, target)
        flush_directory(target.parent)
        remove_left_over(target.parent)
    except (OSError, ValueError) as error:
        raise SaveError(f"{source}: not saved: {_reason(error, Path(path))}") from None
    return _fingerprint(raw)


def _save_under_all_names(
    target: Path, raw: bytes, old: os.stat_result, source: str, expected: str | None
) -> None:
    """Give a file a new text, in place, under all of its names; the old text where that fails.

    Both texts lie beside it until one of them is there whole.
    """
    new, before = lasting_beside(target, "new"), lasting_beside(target, "old")
    is_whole = True
    try:
        write_new(new, [raw], like=old)
        require_kept(new, raw)
        with _alone_in(target.parent, source), replacing:
            _require_unchanged(target, source, expected)
            text = target.read_bytes()
            write_new(before, [text], like=old)
            require_kept(before, text)
            flush_directory(target.parent)
            descriptor = os.open(target, os.O_RDWR | getattr(os, "O_BINARY", 0))
            is_whole = False
            try:
                rewrite(descriptor, raw)
                is_whole = True
            except BaseException:
                rewrite(descriptor, text)
                is_whole = True
                raise
            finally:
                with contextlib.suppress(OSError):  # all of it is on the disk
                    os.close(descriptor)
    except OSError as error:
        if is_whole:
            raise
        why = _reason(error, target)
        words = f"{why}; it may hold a part of either text: the old one is in {_name_of(before)}"
        raise SaveError(f"{source}: not saved: {words}, the new one in {_name_of(new)}") from None
    finally:
        if is_whole:
            remove(new)
            remove(before)


def save_pieces(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write a file too large for memory piece by piece: all of it, or nothing.

    The pieces go into a temporary file that is renamed at the end; an exception from ``pieces``
    propagates and leaves the old file.

    Raises
    ------
    SaveError
        Where the file cannot be written.
    """
    source = _name_of(path)
    try:
        target = Path(os.path.realpath(path))
        old = _status_of_target(target, source)
        with unfinished_beside(target) as temporary:
            write_new(temporary, pieces, like=old)
            with replacing:
                move(temporary, target)
        flush_directory(target.parent)
        remove_left_over(target.parent)
    except (OSError, ValueError) as error:
        raise SaveError(f"{source}: not saved: {_reason(error, Path(path))}") from None


def save_folder(
    path: str | os.PathLike[str], files: Iterable[tuple[str, Iterable[bytes]]], *, replace: bool
) -> None:
    """Write a folder of files: all of them, or nothing.

    They go into a temporary folder that is renamed at the end.

    Parameters
    ----------
    path : path
        The folder to be made.
    files : iterable of (str, iterable of bytes)
        The name of each, with the folders inside of it, and its pieces.
    replace : bool
        Whether to replace an existing folder; otherwise one that is not empty is an error.

    Raises
    ------
    SaveError
        Where the folder exists and may not be replaced, or cannot be written.
    """
    source = _name_of(path)
    try:
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            directory = _name_of(target.parent)
            text = f"not saved: there is no directory {directory}; make it first"
            raise SaveError(f"{source}: {text}")
        if target.exists() and not target.is_dir():
            raise SaveError(f"{source}: not saved: found a file, expected a folder")
        if not replace and target.exists() and any(target.iterdir()):
            raise SaveError(f"{source}: not saved: the folder is there already, and not empty")
        with unfinished_beside(target) as temporary:
            make_folder(temporary)
            for name, pieces in files:
                file = temporary / name
                make_folder(file.parent)
                write_new(file, pieces)
            with replacing:
                move_folder(temporary, target)
        flush_directory(target.parent)
        remove_left_over(target.parent)
    except FolderAsideError as error:
        words = f"{_reason(error, target)}; the old folder is now called {_name_of(error.aside)}"
        raise SaveError(f"{source}: not saved: {words}") from None
    except (OSError, ValueError) as error:
        raise SaveError(f"{source}: not saved: {_reason(error, Path(path))}") from None


def _name_of(path: str | os.PathLike[str]) -> str:
    name = os.fsdecode(path)
    return "".join(sign if sign.isprintable() else escaped(sign) for sign in name)


def _fingerprint(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _read_regular(path: Path, source: str) -> bytes:
    _require_regular(path.stat().st_mode, source)
    # The file may have been exchanged since: opening must not wait, and is looked at again.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        _require_regular(status.st_mode, source)
        require_size(status.st_size, source)
        return opened.read(MAX_BYTES + 1)


def _require_regular(mode: int, source: str) -> None:
    if not stat.S_ISREG(mode):
        text = f"found {_kind_of(mode)}, expected an ordinary file"
        raise DesignFileError(source, [Problem(text)])


def _kind_of(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"


def _reason(error: OSError | ValueError, path: Path) -> str:
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        return f"the link points to {escaped(os.readlink(path))}, which does not exist"  # noqa: PTH115
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "the link leads back to itself, expected a file"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def _status_of_target(target: Path, source: str) -> os.stat_result | None:
    """Status of the file to be replaced; None when it is a new one."""
    if target.is_symlink():
        raise SaveError(f"{source}: not saved: the link points to itself")
    if not target.parent.is_dir():
        directory = _name_of(target.parent)
        raise SaveError(f"{source}: not saved: there is no directory {directory}; make it first")
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        found = f"found {_kind_of(status.st_mode)}, expected an ordinary file"
        raise SaveError(f"{source}: not saved: {found}")
    if not os.access(target, os.W_OK):
        raise SaveError(f"{source}: not saved: the file is write-protected")
    return status


def _keep_attributes(old: Path, new: Path) -> None:
    """Give a file the extended attributes of the one it replaces, where the system has such."""
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(old):
                os.setxattr(new, name, os.getxattr(old, name))


@contextlib.contextmanager
def _alone_in(directory: Path, source: str) -> Iterator[None]:
    """Lock a directory while a file in it is checked and replaced.

    The directory itself is locked, so that no lock file is left behind; where that is impossible
    (some network disks, other systems), there is no lock.
    """
    try:
        # not on every system
        import fcntl

        descriptor = os.open(directory, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        _lock(fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, source)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _lock(flock: Callable[[int, int], None], descriptor: int, how: int, source: str) -> None:
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return flock(descriptor, how)
        except BlockingIOError:
            if time.monotonic() > until:
                words = "somebody else is saving in this folder; try again"
                raise SaveError(f"{source}: not saved: {words}") from None
            time.sleep(0.005)
        except OSError:
            return None  # a disk without locks


def _require_unchanged(target: Path, source: str, expected: str | None) -> None:
    if expected is None:
        return
    try:
        found = _fingerprint(_read_regular(target, source))
    except FileNotFoundError:
        found = NO_FILE
    except DesignFileError:
        found = None
    if found != expected and expected == NO_FILE:
        raise FileChangedError(f"{source}: not saved: somebody else made this file meanwhile")
    if found != expected:
        text = "the file was changed, moved or deleted by someone else since it was opened"
        raise FileChangedError(f"{source}: not saved: {text}")
