"""A user's own part: a copy of the nearest one, with other figures and their source.

It is appended to a file in the user's folder of parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import ValidationError

from toposmith.catalog.catalog import Catalog, CatalogError
from toposmith.catalog.checks import check_part
from toposmith.catalog.folders import understood, user_folder
from toposmith.catalog.kinds import part_adapter
from toposmith.catalog.part_file import PartFile, read_part_file
from toposmith.catalog.parts import Part
from toposmith.leaving_text import yaml_text
from toposmith.plain_text import shown, visible
from toposmith.whole_files import replace_whole

FILE_NAME = "own-parts.yaml"

ID = re.compile(r"[a-z0-9][a-z0-9.-]*")

_NOT_FIGURES = {"id", "kind", "source", "sources", "unverified", "note"}


@dataclass(frozen=True)
class Figure:
    """One figure of a part that a copy may change.

    Parameters
    ----------
    field : str
        Its name in a part file.
    text : str
        What it is now, as it would be typed; empty where it is unknown.
    """

    field: str
    text: str


def figures_of(part: Part) -> tuple[Figure, ...]:
    """The fields of a part that are one text or number: known ones first."""
    values = {name: getattr(part, name) for name in type(part).model_fields}
    plain = {
        name: value
        for name, value in values.items()
        if name not in _NOT_FIGURES and (value is None or isinstance(value, str | int | float))
    }
    known = [Figure(name, _typed(value)) for name, value in plain.items() if value is not None]
    return (*known, *(Figure(name, "") for name, value in plain.items() if value is None))


def copy_of(
    part: Part, part_id: str, figures: Mapping[str, str], source: str, catalog: Catalog
) -> dict[str, Any]:
    """The entry of a part file: a part under another id, with other figures.

    Parameters
    ----------
    part : Part
        What is copied.
    part_id : str
        The id of the copy.
    figures : mapping of str to str
        Other figures by field, as typed; an empty text makes one unknown.
    source : str
        Where these are from: a page, a quote, a measurement.
    catalog : Catalog
        The parts that it may name.

    Raises
    ------
    CatalogError
        Where that makes no valid part: field by field what is wrong.
    """
    if not ID.fullmatch(part_id):
        raise CatalogError([f"id: small letters, digits, - and ., found {shown(part_id)}"])
    entry = part.model_dump(mode="json", exclude_unset=True, by_alias=True)
    given = {
        field: _read(type(part).model_fields[field].annotation, text.strip())
        for field, text in figures.items()
        if text.strip()
    }
    entry = {name: value for name, value in entry.items() if name not in figures}
    doubtful = [name for name in entry.pop("unverified", ()) if name.split(".")[0] not in figures]
    sources = {n: t for n, t in entry.pop("sources", {}).items() if n.split(".")[0] not in figures}
    entry = {"kind": part.kind, **entry, **given, "id": part_id}
    if sources or given:
        entry["sources"] = {**sources, **dict.fromkeys(given, source)}
    if doubtful:
        entry["unverified"] = doubtful
    entry["note"] = f"Copied from {part.id} with other figures."
    try:
        made: Part = part_adapter().validate_python(entry)
    except ValidationError as error:
        faults = (".".join(map(str, f["loc"][1:])) + f": {f['msg']}" for f in error.errors())
        raise CatalogError(visible(fault) for fault in faults) from None
    if wrong := check_part(made, catalog):
        raise CatalogError(wrong)
    return entry


def write_own(entry: Mapping[str, Any], folder: Path | None = None) -> Path:
    """Append a part to the user's own file.

    Raises
    ------
    CatalogError
        Where the file is no list of parts, or has that id; nothing is written then.
    OSError
        Where it cannot be written.
    """
    folder = user_folder() if folder is None else folder
    file = folder / FILE_NAME
    before = read_part_file(file) if file.exists() else b""
    if before.strip():
        known = PartFile(str(file), before)
        if any(one.part.id == entry["id"] for one in understood(known)):
            raise CatalogError([f"{file}: has a part {shown(entry['id'])} already"])
        if known.problems:
            raise CatalogError(known.problems)
    written = yaml_text([dict(entry)])
    folder.mkdir(parents=True, exist_ok=True)
    joint = b"" if not before or before.endswith(b"\n") else b"\n"
    replace_whole(file, before + joint + written.encode())
    return file


def with_own(catalog: Catalog, entry: Mapping[str, Any]) -> Catalog:
    """The catalog with the part of an entry, which is the user's own."""
    made: Part = part_adapter().validate_python(dict(entry))
    parts = (*catalog, *catalog.facility, made)
    return Catalog(parts, catalog.faults, catalog.notes, catalog.own | {made.id})


def _typed(value: str | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read(annotation: Any, text: str) -> str | float | bool:
    """A text where the field is one; else a number or a boolean, as YAML reads it."""
    if annotation is str or str in get_args(annotation):
        return text
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return text
    return value if isinstance(value, str | int | float) else text
