"""The user here, and who changed a file, as git knows them; nothing proves either."""

from __future__ import annotations

import getpass
import hashlib
import subprocess
from pathlib import Path

from toposmith.design.stored_files import load_text
from toposmith.errors import DesignFileError
from toposmith.programs import git, git_setting

_IDENTITY = ("user.name", "user.email")


def author_here() -> str:
    """The name of the person; empty where nothing says it."""
    try:
        return _git_says("user.name") or getpass.getuser()
    except (OSError, KeyError):
        return ""


def email_here() -> str:
    """Git's ``user.email``, which nothing proves; empty where git has none."""
    return _git_says("user.email")


def identity_here() -> tuple[str, str]:
    """Name and address of the user here, as git has them; empty where it has none."""
    return author_here(), email_here()


def who_changed(file: Path, since: str | None = None) -> frozenset[str] | None:
    """Names and addresses of all who changed a file, as git knows them; nothing proves them.

    Parameters
    ----------
    file : Path
        The file; where it differs from what is committed (but for its line ends), the user here
        changed it, too.
    since : str, optional
        A revision; only commits that it does not have count.

    Returns
    -------
    frozenset of str or None
        None where git cannot tell: no repository, a shallow copy of one, no such revision.
    """
    file = file.resolve()
    folder = file.parent
    if _git("rev-parse", "--is-shallow-repository", folder=folder) != "false":
        return None
    commits = ["HEAD"] if since is None else ["HEAD", f"^{since}"]
    logged = _git("rev-list", "--format=%an%n%ae", *commits, "--", file.name, folder=folder)
    if logged is None:
        return None
    people = {line for place, line in enumerate(logged.split("\n")) if place % 3}
    if not _is_committed(file):
        people |= {git_setting(key, folder) for key in _IDENTITY}
    return frozenset(filter(None, people))


def _is_committed(file: Path) -> bool:
    """Whether the last commit has this text; git itself would run filters to compare the two."""
    committed = _git("rev-parse", "--verify", "--quiet", f"HEAD:./{file.name}", folder=file.parent)
    try:
        text, _ = load_text(file)
    except DesignFileError:
        return False
    unix = text.replace("\r\n", "\n")
    return committed in {_object_id(each, committed or "") for each in (text, unix)}


def _object_id(text: str, like: str) -> str:
    """The name of an object that holds a text, hashed as another name is."""
    raw = text.encode("utf-8")
    hashed = hashlib.new("sha1" if len(like) == 40 else "sha256", usedforsecurity=False)
    hashed.update(b"blob %d\0" % len(raw) + raw)
    return hashed.hexdigest()


def revision_of(file: Path) -> str:
    """The commit that changed a file last, and whether it is as committed; empty without one."""
    commit = _git("rev-list", "-1", "HEAD", "--", file.name, folder=file.parent)
    if not commit:
        return ""
    return (
        commit[:12] if _is_committed(file) else f"{commit[:12]} with changes that are not committed"
    )


def _git_says(key: str) -> str:
    return git_setting(key)[:200]


def _git(*words: str, folder: Path) -> str | None:
    """What git answers; None where it is not there or refuses."""
    try:
        done = git(*words, folder=folder)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace").strip()
