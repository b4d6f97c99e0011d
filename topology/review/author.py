"""Who sits here: git's ``user.name``, else the name of the account."""

from __future__ import annotations

import getpass
import subprocess

_SECONDS = 10


def author_here() -> str:
    """The name of the person; empty where nothing says it."""
    try:
        return _git_says("user.name") or getpass.getuser()
    except (OSError, KeyError):
        return ""


def email_here() -> str:
    """Git's ``user.email``, which nothing proves; empty where git has none."""
    return _git_says("user.email")


def _git_says(key: str) -> str:
    try:
        done = subprocess.run(
            ["git", "config", key],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()[:200]
