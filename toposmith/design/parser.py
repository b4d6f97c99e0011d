"""Parsing a design file: a Design, or every problem with its place and what is accepted."""

from __future__ import annotations

import json

import yaml
from pydantic import ValidationError

from toposmith.design.consistency import consistency_problems
from toposmith.design.document import (
    FILE_VERSION,
    FIRST_VERSION,
    LATER_KEYS,
    LATER_KEYS_OF_LINKS,
    Design,
)
from toposmith.design.loader import KEY, MAX_PROBLEMS, Location, PlainFile, plain_file, shown
from toposmith.design.model_files import in_file_order, plain_faults
from toposmith.design.other_files import foreign_keys, foreign_text
from toposmith.errors import DesignFileError, Problem

FIRST_LINE = f"`toposmith: {FIRST_VERSION}`"

_WITH_ENTRIES = ("links", "absent", "down", "slow", "cables", "jobs")

_OPEN_THAT = "open the design that it was made from"


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
        raise DesignFileError(source, [file.problem_at((), text)])
    if (kind := foreign_keys(file.data)) is not None:
        raise DesignFileError(source, [Problem(f"this is {kind}, no design; {_OPEN_THAT}", 1, 1)])
    version = file.data.get("toposmith")
    if type(version) is int and version > FILE_VERSION:
        text = f"this file has version {shown(version)} and needs a newer Toposmith; "
        text += f"this one reads versions up to {FILE_VERSION}"
        raise DesignFileError(source, [file.problem_at(("toposmith",), text)])
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
        found = plain_faults(Design, file, error)
    problems += [file.problem_at(location, text) for location, text in found]
    if design is None or problems:
        raise DesignFileError(source, in_file_order(problems))
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
        file.problem_at(where, f"came with version {since}; write `toposmith: {since}` on top")
        for where, since in (*of_design, *of_links)
        if version < since
    ]


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
