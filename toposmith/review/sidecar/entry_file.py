"""The text of an entry's file: read with care, written so that it reads back the same."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from toposmith.design.loader import plain_file
from toposmith.design.safe_text import escaped, path_words, shown, suggestion
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
        raise DesignFileError(source, [Problem(f"{found}version {SIDECAR_VERSION}")])
    if type(version) is not int or version < SIDECAR_VERSION:
        words = f"{_FIRST_KEY}: found {shown(version)}, expected {SIDECAR_VERSION}"
        raise DesignFileError(source, [*file.problems, Problem(words)])
    if file.problems:
        raise DesignFileError(source, list(file.problems))
    try:
        return entry_of(data, "")
    except DesignFileError as wrong:
        raise DesignFileError(source, wrong.problems) from None


def entry_of(data: Any, where: str) -> ReviewEntry:
    """The entry that plain data describes; problems begin with ``where`` in its file.

    Raises
    ------
    DesignFileError
        If the data is no entry; it names every problem.
    """
    try:
        return ReviewEntry.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as wrong:
        problems = [Problem(_sentence(dict(error), where)) for error in wrong.errors()]
        raise DesignFileError("", problems) from None


def _sentence(error: dict[str, object], where: str) -> str:
    location = error["loc"]
    assert isinstance(location, tuple)
    at = ".".join(filter(None, (where, path_words(location)))) or "the entry"
    kind = error["type"]
    if kind == "extra_forbidden":
        return f"{at}: unknown key; {suggestion(str(location[-1]), _ENTRY_KEYS)}"
    if kind == "missing":
        return f"{at}: is missing"
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{at}: found {shown(error['input'])}; {message[:1].lower()}{message[1:]}"


def _quoted(value: object) -> str:
    # what JSON escapes, YAML reads equally within double quotes
    return json_text(value)
