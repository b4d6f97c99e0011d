"""The author's name for comments and decisions, stored for the next time."""

from __future__ import annotations

import contextlib
from pathlib import Path

from toposmith.user_folders import state_folder
from toposmith.whole_files import replace_whole


def remembered_author() -> str:
    """The name that was given before; empty where none was given yet."""
    try:
        return _author_file().read_text(encoding="utf-8").strip()[:200]
    except (OSError, UnicodeDecodeError):
        return ""


def remember_author(name: str) -> None:
    """Keep a name for the next time; where it cannot be kept, it is asked again."""
    with contextlib.suppress(OSError, UnicodeEncodeError):
        _author_file().parent.mkdir(parents=True, exist_ok=True)
        replace_whole(_author_file(), f"{name}\n".encode())


def _author_file() -> Path:
    return state_folder() / "author"
