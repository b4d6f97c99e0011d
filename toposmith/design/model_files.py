"""Files that a pydantic model reads: their faults in plain words, and the schema of the model.

The schema says what is expected; messages, editors (:mod:`toposmith.schemas`) and readers share it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from toposmith.design.loader import (
    KEY,
    MAX_PROBLEMS,
    Location,
    PlainFile,
    any_of,
    plain_file,
    shown,
    suggestion,
)
from toposmith.design.placement_block import RACK_PATTERN
from toposmith.errors import DesignFileError, Problem

ANY_SIGN = r"\S"
"""Pattern of texts that are not blank."""

_NAME_WORDS = "a name: a letter, then letters, digits, '-' or '_', at most 64 in all"
_PATTERN_WORDS = {
    RACK_PATTERN: "the label of a rack: letters of its row, then its place, like B07",
    ANY_SIGN: "a name",
}

FileModel = TypeVar("FileModel", bound=BaseModel)


def read_model(
    model: type[FileModel],
    text: str,
    source: str,
    key: str,
    newest: int,
    check: Callable[[FileModel], Iterable[tuple[Location, str]]] = lambda _read: (),
) -> FileModel:
    """Read a file whose key ``key`` holds its version.

    Parameters
    ----------
    model : type
        The pydantic model of the file.
    text : str
        The whole file.
    source : str
        The file's name in messages.
    key : str
        The key on its first line, ``toposmith-policy``.
    newest : int
        The newest version that is read.
    check : callable, optional
        Finds faults of a file that the model accepts, each with its place.

    Raises
    ------
    DesignFileError
        With every fault, each with line and column, what was found and what is expected.
    """
    file = plain_file(text, source)
    first = f"`{key}: {newest}`"
    if not isinstance(file.data, dict):
        words = f"found {shown(file.data)}, expected keys with values that begin with {first}"
        raise DesignFileError(source, [Problem(words, 1, 1)])
    version = file.data.get(key, newest)
    if type(version) is int and version > newest:
        words = f"version {shown(version)} needs a newer Toposmith; this one reads {newest}"
        raise DesignFileError(source, [file.problem_at((key,), words)])
    problems = list(file.problems)
    if key not in file.data:
        words = f"the key {key!r} is missing; add {first} as the first line"
        problems.append(file.problem_at((), words))
    found = None
    try:
        # by way of JSON, which knows tuples only as lists, types can be taken at their word
        found = model.model_validate_json(json.dumps({key: version, **file.data}), strict=True)
        problems += [file.problem_at(*each) for each in check(found)]
    except ValidationError as error:
        problems += [file.problem_at(*each) for each in plain_faults(model, file, error)]
    if found is None or problems:
        raise DesignFileError(source, in_file_order(problems))
    return found


def plain_faults(
    model: type[BaseModel], file: PlainFile, error: ValidationError
) -> list[tuple[Location, str]]:
    """The faults that pydantic found, in plain words, each with its place."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return [_in_plain_words(model, file.data, each) for each in details[: MAX_PROBLEMS + 1]]


def in_file_order(problems: list[Problem]) -> list[Problem]:
    """Problems by line and column; of very many the first."""
    ordered = sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))
    if len(ordered) > MAX_PROBLEMS:
        ordered[MAX_PROBLEMS:] = [Problem("further problems are not shown")]
    return ordered


def _in_plain_words(
    model: type[BaseModel], data: Any, detail: ErrorDetails
) -> tuple[Location, str]:
    """Say one finding of pydantic without its words: where, what was found, what is expected."""
    location: Location = detail["loc"]
    parent, last = location[:-1], location[-1]
    if detail["type"] == "extra_forbidden":
        known = schema_at(model, parent)["properties"]
        return (*location, KEY), f"unknown key {shown(last)}; {suggestion(str(last), known)}"
    if last == KEY:
        keys = schema_at(model, parent[:-1]).get("propertyNames", {}).get("enum")
        if keys is not None:
            words = f"unknown key {shown(parent[-1])}; {suggestion(str(parent[-1]), keys)}"
            return location, words
        return location, f"found {shown(parent[-1])}, expected {_NAME_WORDS}"
    if detail["type"] == "missing" and isinstance(last, str):
        known = schema_at(model, parent)["properties"]
        return parent, f"the key {shown(last)} is missing (known: {', '.join(known)})"
    if detail["type"] == "missing":
        location = parent
    value = data
    for step in location:
        value = value[step]
    schema = schema_at(model, location)
    if detail["type"] == "value_error" and not schema.keys() & {"expected", "enum"}:
        return location, f"found {shown(value)}, {detail['msg'].removeprefix('Value error, ')}"
    words = f"found {shown(value)}, expected {_expected(schema)}"
    if type(value) in (int, float, bool) and schema.get("type") == "string":
        words += "; put it in quotes"
    return location, words


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a model as pydantic makes it."""
    return model.model_json_schema()


def schema_at(model: type[BaseModel], location: Location) -> dict[str, Any]:
    """The part of a model's schema that describes the value at a location."""
    schema = schema_of(model)
    for step in location:
        if isinstance(step, int):
            items = schema.get("prefixItems")
            schema = items[step] if items else schema["items"]
        elif "properties" in schema:
            schema = schema["properties"][step]
        elif "patternProperties" in schema:
            (schema,) = schema["patternProperties"].values()
        else:
            schema = schema["additionalProperties"]
        while "anyOf" in schema:
            schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
        if "$ref" in schema:
            schema = schema_of(model)["$defs"][schema["$ref"].rpartition("/")[2]] | schema
    return schema


def _expected(schema: dict[str, Any]) -> str:
    if "expected" in schema:
        return str(schema["expected"])
    if "enum" in schema:
        return any_of(schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    kind = schema["type"]
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    if kind in ("integer", "number"):
        words = "a whole number" if kind == "integer" else "a number"
        if low is not None and low == high:
            return str(low)
        if low is not None:
            words += f" from {low} to {high}"
        if above is not None:
            words += f" above {above}"
            if high is not None:
                words += f" and at most {high}"
        return words
    if kind == "array":
        length = schema.get("minItems")
        most = schema.get("maxItems")
        if length is None and most is not None:
            return f"a list of at most {most:,}"
        return f"a list of {length}" if length else "a list"
    if kind == "object":
        most = schema.get("maxProperties")
        return "keys with values" + (f", at most {most:,}" if most else "")
    if kind == "boolean":
        return "true or false"
    if "pattern" in schema:
        return _PATTERN_WORDS.get(schema["pattern"], _NAME_WORDS)
    return "text"
