"""Designs out of git: ``HEAD~1:saved_designs/x.yaml`` names a file as a revision has it.

The lock beside it is that of the same revision.
"""

from __future__ import annotations

import subprocess
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from toposmith.design.loader import MAX_BYTES, decoded, require_size
from toposmith.design.parser import parse_design
from toposmith.errors import ToposmithError
from toposmith.lock.binding import MAX_LOCK_BYTES, SUFFIX, TOO_LARGE, Binding, binding_of
from toposmith.programs import GIT_SECONDS, git

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
    commit = _commit(name, revision)
    place = _place(name, commit, path)
    if place is None:
        raise RevisionError(f"{name}: {revision} has no file {path}")
    size = _size(name, place)
    if size > MAX_BYTES:
        raise RevisionError(f"{name}: larger than the {MAX_BYTES:,} bytes that a design may have")
    raw = _contents(name, place)
    require_size(len(raw), name)
    return parse_design(decoded(raw, name), name).bound_to(_binding(revision, commit, path))


def _binding(revision: str, commit: str, path: str) -> Binding | None:
    """The lock beside a design of a revision; None where there is none."""
    beside = str(PurePosixPath(path).with_suffix(SUFFIX))
    name = f"{revision}:{beside}"
    place = None if beside == path else _place(name, commit, beside)
    if place is None:
        return None
    if _size(name, place) > MAX_LOCK_BYTES:
        return Binding(name, fault=TOO_LARGE)
    return binding_of(name, _contents(name, place))


def _commit(name: str, revision: str) -> str:
    """The commit of a revision."""
    if revision.startswith("-"):
        raise RevisionError(f"{name}: {revision} is no revision of git")
    commit = _git(name, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if commit.returncode:
        if _git(name, "rev-parse", "--git-dir").returncode:
            raise RevisionError(f"{name}: there is no such file, and this is no git repository")
        raise RevisionError(f"{name}: git knows no revision {revision}")
    return commit.stdout.decode("ascii", "replace").strip()


def _place(name: str, commit: str, path: str) -> str | None:
    """What git calls a file of a commit, by its path from the repository's top, or from here."""
    for place in (f"{commit}:{path}", f"{commit}:./{path}"):
        if not _git(name, "rev-parse", "--verify", "--quiet", place).returncode:
            return place
    return None


def _size(name: str, place: str) -> int:
    size = _git(name, "cat-file", "-s", place)
    if size.returncode:  # git would ask a remote for it, with programs that the folder names
        raise RevisionError(f"{name}: this partial copy lacks it; `git show {name}` fetches it")
    return int(size.stdout)


def _contents(name: str, place: str) -> bytes:
    blob = _git(name, "cat-file", "blob", place)
    if blob.returncode:
        revision, _, path = name.partition(":")
        raise RevisionError(f"{name}: {path} is no file in {revision}")
    return blob.stdout


def _git(name: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return git(*words)
    except FileNotFoundError:
        raise RevisionError(f"{name}: there is no such file, and git is not installed") from None
    except subprocess.TimeoutExpired:
        raise RevisionError(f"{name}: git gave no answer in {GIT_SECONDS} seconds") from None
    except (OSError, ValueError) as error:
        raise RevisionError(f"{name}: {error}") from None
