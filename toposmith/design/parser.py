"""Parsing a design file: a Design, or every problem with its place and what is accepted."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from toposmith.design.consistency import KEY, consistency_problems
from toposmith.design.document import (
    FILE_VERSION,
    FIRST_VERSION,
    LATER_KEYS,
    LATER_KEYS_OF_LINKS,
    Design,
)
from toposmith.design.loader import MAX_PROBLEMS, PlainFile, plain_file
from toposmith.design.other_files import foreign_keys, foreign_text
from toposmith.design.placement_block import RACK_PATTERN
from toposmith.design.safe_text import Location, path_words, shown, suggestion
from toposmith.errors import DesignFileError, Problem

FIRST_LINE = f"`toposmith: {FIRST_VERSION}`"

_WITH_ENTRIES = ("links", "absent", "down", "slow", "cables", "jobs")

_OPEN_THAT = "open the design that it was made from"
_NAME_WORDS = "a name: a letter, then letters, digits, '-' or '_', at most 64 in all"
_PATTERN_WORDS = {RACK_PATTERN: "the label of a rack: letters of its row, then its place, like B07"}


def parse_design(text: str, source: str) -> Design:
    """The design that a file's text describes.

    Parameters
    ----------
    text : str
        The whole file.
    source : str
        The file's name in messages.

    Raises
    ------
    DesignFileError
        With every problem that was found, each with line and column.
    """
    if (kind := foreign_text(text)) is not None:
        raise DesignFileError(source, [Problem(f"this is {kind}, no design; {_OPEN_THAT}", 1, 1)])
    file = plain_file(text, source)
    if file.data is None:
        text = f"the file is empty, expected a design; add {FIRST_LINE} as the first line"
        raise DesignFileError(source, [Problem(text, 1, 1)])
    if not isinstance(file.data, dict):
        text = f"found {shown(file.data)}, expected keys with values that begin with {FIRST_LINE}"
        raise DesignFileError(source, [_placed(file, (), text)])
    if (kind := foreign_keys(file.data)) is not None:
        raise DesignFileError(source, [Problem(f"this is {kind}, no design; {_OPEN_THAT}", 1, 1)])
    version = file.data.get("toposmith")
    if type(version) is int and version > FILE_VERSION:
        text = f"this file has version {shown(version)} and needs a newer Toposmith; "
        text += f"this one reads versions up to {FILE_VERSION}"
        raise DesignFileError(source, [_placed(file, ("toposmith",), text)])
    problems = list(file.problems)
    if "toposmith" not in file.data:
        text = f"the key 'toposmith' is missing; add {FIRST_LINE} as the first line"
        problems.append(Problem(text, 1, 1))
    problems += _too_new_keys(file)
    found: list[tuple[Location, str]] = []
    design = None
    try:
        # By way of JSON, which knows tuples only as lists, types can be taken at their word.
        design = Design.model_validate_json(json.dumps(file.data), strict=True)
        found = consistency_problems(design, limit=MAX_PROBLEMS + 1)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        found = [_in_plain_words(file.data, detail) for detail in details[: MAX_PROBLEMS + 1]]
    problems += [_placed(file, location, text) for location, text in found]
    if design is None or problems:
        raise DesignFileError(source, _in_file_order(problems))
    return design


def _too_new_keys(file: PlainFile) -> list[Problem]:
    """Keys that are newer than the version that the file says it has."""
    version = file.data.get("toposmith")
    if type(version) is not int:
        return []
    links = file.data.get("links")
    of_links: list[tuple[Location, int]] = [
        (("links", number, key, KEY), since)
        for number, link in enumerate(links if isinstance(links, list) else [])
        for key, since in LATER_KEYS_OF_LINKS.items()
        if isinstance(link, dict) and key in link
    ]
    of_design: list[tuple[Location, int]] = [
        ((key, KEY), since) for key, since in LATER_KEYS.items() if key in file.data
    ]
    return [
        _placed(file, where, f"came with version {since}; write `toposmith: {since}` on top")
        for where, since in (*of_design, *of_links)
        if version < since
    ]


def _in_file_order(problems: list[Problem]) -> list[Problem]:
    ordered = sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))
    if len(ordered) > MAX_PROBLEMS:
        ordered[MAX_PROBLEMS:] = [Problem("further problems are not shown")]
    return ordered


def _in_plain_words(data: Any, detail: ErrorDetails) -> tuple[Location, str]:
    """Say one finding of pydantic without its words: where, what was found, what is expected."""
    location: Location = detail["loc"]
    parent, last = location[:-1], location[-1]
    if detail["type"] == "extra_forbidden":
        words = f"unknown key {shown(last)}; {suggestion(str(last), _schema(parent)['properties'])}"
        return (*location, KEY), words
    if last == KEY and detail["type"].startswith("string_"):
        return location, f"found {shown(parent[-1])}, expected {_NAME_WORDS}"
    if detail["type"] == "missing" and isinstance(last, str):
        words = (
            f"the key {shown(last)} is missing (known: {', '.join(_schema(parent)['properties'])})"
        )
        return parent, words
    if detail["type"] == "missing":
        location = parent
    value = _value_at(data, location)
    words = f"found {shown(value)}, expected {_expected(_schema(location))}"
    if type(value) in (int, float, bool) and _schema(location).get("type") == "string":
        words += "; put it in quotes"
    return location, words


def _value_at(data: Any, location: Location) -> Any:
    for step in location:
        data = data[step]
    return data


@cache
def _design_schema() -> dict[str, Any]:
    return Design.model_json_schema()


def _schema(location: Location) -> dict[str, Any]:
    """The part of the document's schema that describes the value at a location."""
    schema = _design_schema()
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
        if "anyOf" in schema:
            schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
        if "$ref" in schema:
            schema = _design_schema()["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _expected(schema: dict[str, Any]) -> str:
    if "expected" in schema:
        return str(schema["expected"])
    if "enum" in schema:
        return " or ".join(schema["enum"])
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
    if "pattern" in schema:
        return _PATTERN_WORDS.get(schema["pattern"], _NAME_WORDS)
    return "text"


def lines_of_entries(text: str) -> dict[str, int]:
    """The line of every entry of a design's lists of links, marks and cables: ``down[2]`` to 14.

    Entries of a mapping count like those of a list. Nothing where the text cannot be read.
    """
    try:
        root = plain_file(text, "").root
    except DesignFileError:
        return {}
    found: dict[str, int] = {}
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value in _WITH_ENTRIES and isinstance(value, yaml.CollectionNode):
            for number, entry in enumerate(value.value):
                node = entry[0] if isinstance(entry, tuple) else entry
                found[f"{key.value}[{number}]"] = node.start_mark.line + 1
        if key.value == "sets" and isinstance(value, yaml.MappingNode):
            for name, entries in value.value:
                listed = entries.value if isinstance(entries, yaml.SequenceNode) else ()
                for number, entry in enumerate(listed):
                    found[f"sets.{name.value}[{number}]"] = entry.start_mark.line + 1
    return found


def _placed(file: PlainFile, location: Location, text: str) -> Problem:
    """The problem at the place of its value, or of its key where the location ends in KEY."""
    node = file.root
    mark = node.start_mark if node else None
    steps = location[:-1] if location[-1:] == (KEY,) else location
    for step in steps:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
            mark = node.start_mark
        elif isinstance(node, yaml.MappingNode):
            key, node = next((key, value) for key, value in node.value if key.value == step)
            mark = key.start_mark if location[-1] == KEY else node.start_mark
    path = path_words(steps)
    words = f"{path}: {text}" if path else text
    return Problem(words, mark.line + 1, mark.column + 1) if mark else Problem(words)
