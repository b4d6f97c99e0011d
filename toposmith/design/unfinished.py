"""Files that are being written under a temporary name, beside the one that they will replace."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

REPLACED_WITHIN_SECONDS = 2.0
"""Time in s for which the end of the process waits for a file that is being replaced."""

replacing = Lock()
"""Held while a file or folder takes the place of another: the process does not end meanwhile."""

_unfinished: set[Path] = set()


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
        _remove(path)
        _unfinished.discard(path)


def discard_unfinished() -> None:
    """Remove what other threads have not finished, before the process ends with them.

    Nothing can take the place of a file after that.
    """
    replacing.acquire(timeout=REPLACED_WITHIN_SECONDS)
    for path in tuple(_unfinished):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
