"""Who sits here: git's ``user.name``, else the name of the account."""

from __future__ import annotations

import getpass
import subprocess

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
