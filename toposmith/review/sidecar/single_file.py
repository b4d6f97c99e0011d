"""Reviews of the time when they were one file, ``x.review.yaml``: read, and moved into the folder.

An entry gets the same ID on every branch that moves it, so that two branches that both do add the
same files.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from toposmith.design.loader import plain_file
from toposmith.design.safe_text import escaped, path_words, shown, suggestion
from toposmith.design.stored_files import load_text
from toposmith.errors import DesignFileError, Problem
from toposmith.review.sidecar.entries import Said, said_at
from toposmith.review.sidecar.entry_file import entry_of

_KEYS = ("toposmith-review", "design", "entries")
_FIRST_VERSION = 1


def single_file_path(design: Path) -> Path:
    """The one file that held the review of a design: ``pod.review.yaml`` for ``pod.yaml``."""
    return design.with_name(f"{design.stem}.review.yaml")


def load_single_file(design: Path) -> tuple[Said, ...]:
    """The entries of the one file; none where there is none.

    Raises
    ------
    DesignFileError
        When it cannot be read, is no review, is of a newer version, or is the review of a design
        file of another name.
    """
    path = single_file_path(design)
    if not path.exists() and not path.is_symlink():
        return ()
    try:
        text, _ = load_text(path)
    except DesignFileError:
        if path.exists() or path.is_symlink():
            raise
        return ()  # it was moved over at this very moment
    return parse_single_file(text, str(path), design.name)


def parse_single_file(text: str, source: str, design: str) -> tuple[Said, ...]:
    """The entries that the text of such a file holds; raises DesignFileError with every problem."""
    source = escaped(source)
    file = plain_file(text, source)
    data = file.data
    if not isinstance(data, dict):
        expected = f"expected a review that begins with `toposmith-review: {_FIRST_VERSION}`"
        raise DesignFileError(source, [Problem(f"found {shown(data)}, {expected}", 1, 1)])
    problems = list(file.problems)
    problems += [Problem(words) for words in _faults(data, design)]
    said: list[Said] = []
    entries = data.get("entries")
    for number, each in enumerate(entries if isinstance(entries, list) else ()):
        try:
            said.append(_said(each, said, f"entries[{number}]"))
        except DesignFileError as wrong:
            problems += wrong.problems
            break  # what follows counts on it
    if problems:
        raise DesignFileError(source, problems)
    return tuple(said)


def _faults(data: Mapping[str, Any], design: str) -> list[str]:
    version, named = data.get("toposmith-review"), data.get("design")
    faults = [f"{key}: unknown key; {suggestion(key, _KEYS)}" for key in data if key not in _KEYS]
    if type(version) is not int or version < _FIRST_VERSION:
        faults.append(f"toposmith-review: found {shown(version)}, expected {_FIRST_VERSION}")
    elif version > _FIRST_VERSION:
        faults.append(
            f"this review has version {version} and needs a newer Toposmith; a review in one file "
            f"has version {_FIRST_VERSION}"
        )
    if named is None:
        faults.append("design: is missing")
    elif named != design:
        faults.append(
            f"this is the review of {shown(named)}, not of {shown(design)}; if the design was "
            "renamed, write its new name after design:"
        )
    if not isinstance(data.get("entries", []), list | None):
        faults.append(f"entries: found {shown(data['entries'])}, expected a list")
    return faults


def _said(data: Any, before: list[Said], where: str) -> Said:
    """An entry as it is kept now: what it is about is named by ID, no longer by number."""
    if isinstance(data, dict):
        comments = [each.id for each in before if each.entry.comment is not None]
        data = {key: _as_id(key, value, comments, where) for key, value in data.items()}
    entry = entry_of(data, lambda at, text: Problem(f"{path_words((where, *at))}: {text}"))
    try:
        moment = datetime.fromisoformat(entry.date).replace(tzinfo=UTC)
    except ValueError:
        words = f"{where}.date: found {shown(entry.date)}, expected a day such as 2026-11-21"
        raise DesignFileError("", [Problem(words)]) from None
    if before:
        last = datetime.strptime(before[-1].id.partition("-")[0], "%Y%m%dT%H%M%S%f")
        moment = max(moment, last.replace(tzinfo=UTC) + timedelta(microseconds=1))
    return said_at(moment, entry)


def _as_id(key: str, value: Any, comments: list[str], where: str) -> Any:
    if key not in ("resolve", "reopen"):
        return value
    if type(value) is not int or not 1 <= value <= len(comments):
        there = f"comments 1 to {len(comments)}" if comments else "no comments"
        words = f"{where}.{key}: found {shown(value)}; there are {there} before it"
        raise DesignFileError("", [Problem(words)])
    return comments[value - 1]
