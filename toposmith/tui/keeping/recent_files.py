"""The files opened last, kept in the user's state directory."""

from __future__ import annotations

import contextlib
from pathlib import Path

from toposmith.user_folders import is_there, state_folder

KEPT = 5


def recent_files() -> list[Path]:
    """The files opened last that still exist, the newest first."""
    try:
        lines = _list_file().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [path for path in map(Path, lines) if is_there(path) and path.is_file()]


def remember(path: Path) -> None:
    """Put a file at the top of the list; where the list cannot be kept, nothing happens."""
    path = path.absolute()
    if "\n" in str(path):
        return
    paths = [path, *(other for other in recent_files() if other != path)][:KEPT]
    with contextlib.suppress(OSError, UnicodeEncodeError):  # a convenience, not worth a word
        _list_file().parent.mkdir(parents=True, exist_ok=True)
        _list_file().write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")


def is_first_start() -> bool:
    """Whether nothing was ever opened or left here: the app is new to this user."""
    return not is_there(_list_file())


def _list_file() -> Path:
    return state_folder() / "recent.txt"
