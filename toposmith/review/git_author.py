"""Who sits here, and who changed a file, by the word of git."""

from __future__ import annotations

import contextlib
import getpass
import os
import subprocess
from pathlib import Path

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


def who_changed(file: Path, since: str | None = None) -> frozenset[str] | None:
    """Names and addresses of all who changed a file, as git knows them; nothing proves them.

    Parameters
    ----------
    file : Path
        The file; where it differs from what is committed, the user here changed it, too.
    since : str, optional
        A revision; only commits that it does not have count.

    Returns
    -------
    frozenset of str or None
        None where git cannot tell: no repository, a shallow copy of one, no such revision.
    """
    name, folder = file.name, file.parent
    if _git("rev-parse", "--is-shallow-repository", folder=folder) != "false":
        return None
    commits = f"{since}..HEAD" if since else "HEAD"
    logged = _git("log", "--format=%an%n%ae", commits, "--", name, folder=folder)
    changed = _git("status", "--porcelain", "--", name, folder=folder)
    if logged is None or changed is None:
        return None
    people = set(logged.splitlines())
    if changed:
        people |= {_git("config", key, folder=folder) or "" for key in ("user.name", "user.email")}
    return frozenset(filter(None, people))


def revision_of(file: Path) -> str:
    """The commit that changed a file last, and whether it is as committed; empty without one."""
    name, folder = file.name, file.parent
    commit = _git("rev-list", "-1", "HEAD", "--", name, folder=folder)
    if not commit:
        return ""
    kept = _git("cat-file", "blob", f"{commit}:./{name}", folder=folder) or ""
    with contextlib.suppress(OSError):
        now = file.read_text(encoding="utf-8", errors="replace").strip()
        if now.splitlines() == kept.splitlines():
            return commit[:12]
    return f"{commit[:12]} with changes that are not committed"


def _git_says(key: str) -> str:
    return (_git("config", key) or "")[:200]


def _git(*words: str, folder: Path | None = None) -> str | None:
    """What git answers; None where it is not there or refuses."""
    try:
        done = subprocess.run(
            ["git", "--no-pager", *words],
            cwd=folder,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace").strip()
