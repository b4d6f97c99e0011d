"""Who sits here: git's ``user.name``, else the name of the account."""

from __future__ import annotations

import contextlib
import getpass
import subprocess
from pathlib import Path

from toposmith.tui.keeping.recent import state_dir

_SECONDS = 10


def author_here() -> str:
    """The name of the person; empty where nothing says it."""
    try:
        done = subprocess.run(
            ["git", "config", "user.name"],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
        name = done.stdout.decode("utf-8", "replace").strip()
    except (OSError, subprocess.TimeoutExpired):
        name = ""
    try:
        return name or getpass.getuser()
    except (OSError, KeyError):
        return ""


def remembered_author() -> str:
    """The name that was given before; empty where nobody was asked yet."""
    try:
        return _author_file().read_text(encoding="utf-8").strip()[:200]
    except (OSError, UnicodeDecodeError):
        return ""


def remember_author(name: str) -> None:
    """Keep a name for the next time; where it cannot be kept, it is asked again."""
    with contextlib.suppress(OSError, UnicodeEncodeError):
        _author_file().parent.mkdir(parents=True, exist_ok=True)
        _author_file().write_text(f"{name}\n", encoding="utf-8")


def _author_file() -> Path:
    return state_dir() / "author"
