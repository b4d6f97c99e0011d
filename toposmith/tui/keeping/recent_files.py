"""The files opened last, kept in the user's state directory."""

from __future__ import annotations

import contextlib
from pathlib import Path

from toposmith.user_folders import is_there, state_folder
from toposmith.whole_files import replace_whole

KEPT = 5
_LINES = 20
"""Kept beyond those that are shown: a file may be there again, as one of a disk that is away."""


def recent_files() -> list[Path]:
    """The files opened last that still exist, the newest first."""
    try:
        return [path for path in _listed() if is_there(path) and path.is_file()][:KEPT]
    except OSError:
        return []


def remember(path: Path) -> None:
    """Put a file at the top of the list; where the list cannot be kept, nothing happens."""
    path = path.absolute()
    if "\n" in str(path):
        return
    with contextlib.suppress(OSError, UnicodeEncodeError):  # a convenience, not worth a word
        paths = [path, *(other for other in _listed() if other != path)][:_LINES]
        _list_file().parent.mkdir(parents=True, exist_ok=True)
        replace_whole(_list_file(), "".join(f"{path}\n" for path in paths).encode())


def is_first_start() -> bool:
    """Whether nothing was ever opened or left here: the app is new to this user."""
    return not is_there(_list_file())


def _listed() -> list[Path]:
    """The files of the list, whether they exist or not; OSError where it cannot be read."""
    try:
        return [Path(line) for line in _list_file().read_text(encoding="utf-8").splitlines()]
    except (FileNotFoundError, UnicodeDecodeError):
        return []


def _list_file() -> Path:
    return state_folder() / "recent.txt"
