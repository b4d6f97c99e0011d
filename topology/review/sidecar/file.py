"""The ``.review.yaml`` beside a design: read with care, and only ever added to."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from toposmith.topology.design.loader import plain_file
from toposmith.topology.design.safe_text import Location, escaped, path_words, shown, suggestion
from toposmith.topology.design.storage import load_text, save_file
from toposmith.topology.errors import DesignFileError, Problem, SaveError
from toposmith.topology.review.sidecar.entries import ACTIONS, SIDECAR_VERSION, Entry, Record

_KEYS = ("toposmith-review", "design", "entries")
_ENTRY_KEYS = tuple(Entry.model_fields)


@dataclass(frozen=True)
class Sidecar:
    """A review's file: what it says, and its text for adding to it.

    ``text`` is empty and ``fingerprint`` None where there is no file yet.
    """

    path: Path
    record: Record
    text: str = ""
    fingerprint: str | None = None


def sidecar_path(design: str | os.PathLike[str]) -> Path:
    """The file beside a design that holds its review: ``pod.review.yaml`` for ``pod.yaml``."""
    path = Path(design)
    return path.with_name(f"{path.stem}.review.yaml")


def load_sidecar(design: str | os.PathLike[str]) -> Sidecar:
    """The review of a design file; an empty one where there is none.

    Raises
    ------
    DesignFileError
        When the file cannot be read, is no review, is of a newer version, or is the review of a
        design file of another name.
    """
    path = sidecar_path(design)
    name = Path(design).name
    if not path.exists() and not path.is_symlink():
        empty = Record.model_validate({"toposmith-review": SIDECAR_VERSION, "design": name})
        return Sidecar(path, empty)
    text, fingerprint = load_text(path)
    record = parse_sidecar(text, str(path))
    if record.design != name:
        found = (
            f"this is the review of {shown(record.design)}, not of {shown(name)}; if the design "
        )
        found += "was renamed, write its new name after design:"
        raise DesignFileError(escaped(str(path)), [Problem(found)])
    return Sidecar(path, record, text, fingerprint)


def parse_sidecar(text: str, source: str) -> Record:
    """The record that a sidecar's text holds; raises DesignFileError with every problem."""
    source = escaped(source)
    file = plain_file(text, source)
    if not isinstance(file.data, dict):
        expected = f"expected a review that begins with `toposmith-review: {SIDECAR_VERSION}`"
        raise DesignFileError(source, [Problem(f"found {shown(file.data)}, {expected}", 1, 1)])
    version = file.data.get("toposmith-review")
    if type(version) is int and version > SIDECAR_VERSION:
        found = f"this review has version {version} and needs a newer Toposmith; this one reads "
        raise DesignFileError(source, [Problem(f"{found}version {SIDECAR_VERSION}")])
    problems = list(file.problems)
    try:
        record = Record.model_validate_json(json.dumps(file.data), strict=True)
    except ValidationError as wrong:
        problems += [Problem(_sentence(dict(error))) for error in wrong.errors()]
    if problems:
        raise DesignFileError(source, problems)
    return record


def _sentence(error: dict[str, object]) -> str:
    location = error["loc"]
    assert isinstance(location, tuple)
    where = path_words(location)
    kind = error["type"]
    if kind == "extra_forbidden":
        known = _ENTRY_KEYS if len(location) > 1 else _KEYS
        return f"{where}: unknown key; {suggestion(str(location[-1]), known)}"
    if kind == "missing":
        return f"{where}: is missing"
    message = str(error["msg"]).removeprefix("Value error, ")
    return (
        f"{_at(location, where)}: found {shown(error['input'])}; {message[:1].lower()}{message[1:]}"
    )


def _at(location: Location, where: str) -> str:
    return where if location else "the review"


def add_entries(sidecar: Sidecar, entries: Sequence[Entry]) -> Sidecar:
    """Write more entries at the end of a sidecar, all of them or none, and nothing else.

    What stands there already, with every comment and spelling, stays as it is. The new text is
    read back before it replaces the old file.

    Raises
    ------
    SaveError
        When the file cannot be written or has changed meanwhile, when an entry names a comment
        that there is not, or when the file is written so that nothing can be added at its end.
    """
    wanted = (*sidecar.record.entries, *entries)
    _require_comments(sidecar, wanted)
    text = _with(sidecar, entries)
    try:
        record = parse_sidecar(text, str(sidecar.path))
    except DesignFileError as wrong:
        fault = wrong.problems[0].text if wrong.problems else "it could not be read again"
        raise SaveError(f"{_name(sidecar)}: not saved: {fault}") from None
    if record.entries != wanted or record.design != sidecar.record.design:
        words = "write `entries:` last, one `- {...}` a line, so that more can be added"
        raise SaveError(f"{_name(sidecar)}: not saved: {words}")
    if sidecar.fingerprint is None and sidecar.path.exists():
        raise SaveError(f"{_name(sidecar)}: not saved: somebody else made it meanwhile; try again")
    done = save_file(sidecar.path, text, expected_fingerprint=sidecar.fingerprint)
    return Sidecar(sidecar.path, record, text, done)


def _name(sidecar: Sidecar) -> str:
    return escaped(str(sidecar.path))


def _require_comments(sidecar: Sidecar, entries: Sequence[Entry]) -> None:
    """Refuse entries about a comment that nobody made before them."""
    known = len(sidecar.record.entries)
    for at, entry in enumerate(entries[known:], known):
        comments = sum(each.comment is not None for each in entries[:at])
        number = entry.resolve or entry.reopen
        if number is not None and number > comments:
            there = f"comments 1 to {comments}" if comments else "no comments"
            raise SaveError(f"{_name(sidecar)}: there is no comment {number}; it has {there}")


def _with(sidecar: Sidecar, entries: Sequence[Entry]) -> str:
    """The text with more items at its end, indented as the items there."""
    text = sidecar.text
    if not text:
        text = f"toposmith-review: {SIDECAR_VERSION}\n"
        text += f"design: {_quoted(sidecar.record.design)}\nentries:\n"
    elif not text.endswith("\n"):
        text += "\n"
    items = [line for line in text.splitlines() if line.lstrip().startswith("- ")]
    indent = items[-1][: len(items[-1]) - len(items[-1].lstrip())] if items else "  "
    if not items and not sidecar.record.entries and "\nentries:" not in f"\n{text}":
        text += "entries:\n"
    return text + "".join(f"{indent}- {_item(entry)}\n" for entry in entries)


def _item(entry: Entry) -> str:
    said = {key: getattr(entry, key) for key in (*ACTIONS, "author", "date", "text")}
    words = (f"{key}: {_value(value)}" for key, value in said.items() if value is not None)
    return f"{{{', '.join(words)}}}"


def _value(value: object) -> str:
    return str(value) if isinstance(value, int) else _quoted(str(value))


def _quoted(text: str) -> str:
    # what JSON escapes, YAML reads alike within double quotes
    return json.dumps(text, ensure_ascii=False)
