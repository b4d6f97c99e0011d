"""Designs out of git: ``HEAD~1:saved_designs/x.yaml`` names a file as a revision has it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.design.loader import MAX_BYTES, decoded, require_size
from toposmith.design.parser import parse_design
from toposmith.errors import ToposmithError
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
