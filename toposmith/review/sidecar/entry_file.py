"""The text of an entry's file: read with care, written so that it reads back the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from toposmith.design.loader import plain_file
from toposmith.design.safe_text import Location, escaped, shown, suggestion
from toposmith.errors import DesignFileError, Problem
from toposmith.leaving_text import json_text
from toposmith.review.sidecar.entries import SIDECAR_VERSION, ReviewEntry

_FIRST_KEY = "toposmith-review"
_ENTRY_KEYS = tuple(ReviewEntry.model_fields)


def entry_text(entry: ReviewEntry) -> str:
    """The file of an entry."""
    lines = (f"{key}: {_quoted(value)}\n" for key, value in entry.data.items())
    return f"{_FIRST_KEY}: {SIDECAR_VERSION}\n{''.join(lines)}"


def parse_entry(text: str, source: str) -> ReviewEntry:
    """The entry that a file's text holds; raises DesignFileError with every problem."""
    source = escaped(source)
    file = plain_file(text, source)
    data = file.data
    if not isinstance(data, dict) or _FIRST_KEY not in data:
        expected = f"expected an entry that begins with `{_FIRST_KEY}: {SIDECAR_VERSION}`"
        raise DesignFileError(source, [Problem(f"found {shown(data)}, {expected}", 1, 1)])
    version = data.pop(_FIRST_KEY)
    if type(version) is int and version > SIDECAR_VERSION:
        found = f"this entry has version {version} and needs a newer Toposmith; this one reads "
        raise DesignFileError(source, [Problem(f"{found}version {SIDECAR_VERSION}", 1, 1)])
    if type(version) is not int or version < SIDECAR_VERSION:
        words = f"found {shown(version)}, expected {SIDECAR_VERSION}"
        raise DesignFileError(source, [*file.problems, file.problem_at((_FIRST_KEY,), words)])
    if file.problems:
        raise DesignFileError(source, list(file.problems))
    try:
        return entry_of(data, file.problem_at)
    except DesignFileError as wrong:
        raise DesignFileError(source, wrong.problems) from None


def entry_of(data: Any, problem_at: Callable[[Location, str], Problem]) -> ReviewEntry:
    """The entry that plain data describes; ``problem_at`` says where in its file a fault is.

    Raises
    ------
    DesignFileError
        If the data is no entry; it names every problem.
    """
    try:
        return ReviewEntry.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as wrong:
        problems = [_problem(dict(error), problem_at) for error in wrong.errors()]
        raise DesignFileError("", problems) from None


def _problem(error: dict[str, object], problem_at: Callable[[Location, str], Problem]) -> Problem:
    at = error["loc"]
    assert isinstance(at, tuple)
    kind = error["type"]
    if kind == "extra_forbidden":
        return problem_at(at, f"unknown key; {suggestion(str(at[-1]), _ENTRY_KEYS)}")
    if kind == "missing":
        return problem_at(at, "is missing")
    message = str(error["msg"]).removeprefix("Value error, ")
    words = f"found {shown(error['input'])}; {message[:1].lower()}{message[1:]}"
    return problem_at(at, words) if at else problem_at((), f"the entry: {words}")


def _quoted(value: object) -> str:
    # what JSON escapes, YAML reads equally within double quotes
    return json_text(value)
