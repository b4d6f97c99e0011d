"""Designs out of git as a revision has them, the user here, and who changed a file."""

from __future__ import annotations

import getpass
import hashlib
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.design.loader import MAX_BYTES, decoded, require_size
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_text
from toposmith.errors import DesignFileError, ToposmithError
from toposmith.programs import GIT_SECONDS, git, git_setting

if TYPE_CHECKING:
    from toposmith.design.document import Design


class RevisionError(ToposmithError):
    """A revision, or a file of one, that git does not have."""


def design_of_revision(name: str) -> Design | None:
    """The design that a name such as ``HEAD~1:x.yaml`` has; None where it names a file.

    Raises
    ------
    RevisionError
        If git has no such revision, or no such file in it.
    DesignFileError
        If the file is no design.
    """
    revision, colon, path = name.partition(":")
    if not colon or not revision or not path or Path(name).exists():
        return None
    raw = _blob(name, revision, path)
    require_size(len(raw), name)
    return parse_design(decoded(raw, name), name)


def _blob(name: str, revision: str, path: str) -> bytes:
    """The bytes of a file of a revision; its path from the repository's top, or from here."""
    if revision.startswith("-"):
        raise RevisionError(f"{name}: {revision} is no revision of git")
    commit = _git(name, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if commit.returncode:
        if _git(name, "rev-parse", "--git-dir").returncode:
            raise RevisionError(f"{name}: there is no such file, and this is no git repository")
        raise RevisionError(f"{name}: git knows no revision {revision}")
    at = commit.stdout.decode("ascii", "replace").strip()
    for place in (f"{at}:{path}", f"{at}:./{path}"):
        if _git(name, "rev-parse", "--verify", "--quiet", place).returncode:
            continue
        size = _git(name, "cat-file", "-s", place)
        if size.returncode:  # git would ask a remote for it, with programs that the folder names
            raise RevisionError(f"{name}: this partial copy lacks it; `git show {name}` fetches it")
        if int(size.stdout) > MAX_BYTES:
            most = f"{MAX_BYTES:,} bytes"
            raise RevisionError(f"{name}: larger than the {most} that a design may have")
        blob = _git(name, "cat-file", "blob", place)
        if not blob.returncode:
            return blob.stdout
        raise RevisionError(f"{name}: {path} is no file in {revision}")
    raise RevisionError(f"{name}: {revision} has no file {path}")


def _git(name: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return git(*words)
    except FileNotFoundError:
        raise RevisionError(f"{name}: there is no such file, and git is not installed") from None
    except subprocess.TimeoutExpired:
        raise RevisionError(f"{name}: git gave no answer in {GIT_SECONDS} seconds") from None
    except (OSError, ValueError) as error:
        raise RevisionError(f"{name}: {error}") from None


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
    if _git_answer("rev-parse", "--is-shallow-repository", folder=folder) != "false":
        return None
    commits = ["HEAD"] if since is None else ["HEAD", f"^{since}"]
    logged = _git_answer("rev-list", "--format=%an%n%ae", *commits, "--", file.name, folder=folder)
    if logged is None:
        return None
    people = {line for place, line in enumerate(logged.split("\n")) if place % 3}
    if not _is_committed(file):
        people |= {git_setting(key, folder) for key in _IDENTITY}
    return frozenset(filter(None, people))


def _is_committed(file: Path) -> bool:
    """Whether the last commit has this text; git itself would run filters to compare the two."""
    committed = _git_answer(
        "rev-parse", "--verify", "--quiet", f"HEAD:./{file.name}", folder=file.parent
    )
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
    commit = _git_answer("rev-list", "-1", "HEAD", "--", file.name, folder=file.parent)
    if not commit:
        return ""
    return (
        commit[:12] if _is_committed(file) else f"{commit[:12]} with changes that are not committed"
    )


def _git_says(key: str) -> str:
    return git_setting(key)[:200]


def _git_answer(*words: str, folder: Path) -> str | None:
    """What git answers; None where it is not there or refuses."""
    try:
        done = git(*words, folder=folder)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace").strip()
