"""A user's own part: a copy of the nearest one, with other figures and their source.

It is appended to a file in the user's folder of parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from toposmith.catalog.catalog import Catalog, CatalogError
from toposmith.catalog.folders import check_part, understood, user_folder
from toposmith.catalog.kinds import part_adapter
from toposmith.catalog.part_file import PartFile, read_part_file
from toposmith.catalog.parts import Part
from toposmith.catalog.pieces import Pcie
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


# What a foreign file gave: parts, what was noticed on the way, and both as a part file.


class ImportRefused(CatalogError):
    """A foreign file from which no part can be made; each problem is file, line and reason."""


@dataclass(frozen=True)
class Imported:
    """Parts of a foreign file.

    Parameters
    ----------
    parts : tuple of Part
        Those that the catalog lacks; the one that the file describes comes last.
    notes : tuple of str
        What a person should check, each with file and line.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...]

    @property
    def main(self) -> Part:
        """The part that the file describes."""
        return self.parts[-1]

    @property
    def text(self) -> str:
        """A part file with these parts, which begins with the notes as comments."""
        lines = [f"# {visible(note)}" for note in self.notes]
        return "\n".join(lines + ([""] if lines else [])) + part_file_text(self.parts)


def part_file_text(parts: Iterable[Part]) -> str:
    """Write parts as a part file; unknown fields are left out."""
    return "\n".join(yaml_text([_plain(part)], _Dumper) for part in parts)


def checked(parts: Iterable[Part], catalog: Catalog, name: str) -> tuple[Part, ...]:
    """Return imported parts that pass the catalog's checks.

    Raises
    ------
    ImportRefused
        When a check finds a fault in one of them.
    """
    made = tuple(parts)
    others = [part for part in (*catalog, *catalog.facility) if part.id not in _ids(made)]
    known = Catalog([*others, *made])
    faults = [f"{name}:1: part {part.id!r}: {f}" for part in made for f in check_part(part, known)]
    if faults:
        raise ImportRefused(map(visible, faults))
    return made


def new_id(text: str, catalog: Catalog, taken: Iterable[str] = ()) -> str:
    """Derive a part id from a text; never one that the catalog has."""
    slug = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.") or "imported"
    used = set(taken)
    for number in _numbers():
        candidate = f"{slug}{number}"
        if candidate not in catalog and candidate not in used:
            return candidate
    raise AssertionError  # the numbers do not end


@contextmanager
def refusing_invalid(path: Path) -> Iterator[None]:
    """Raise ImportRefused for a part that the models do not allow."""
    try:
        yield
    except ValidationError as error:
        faults = [
            f"{path}:1: {'.'.join(map(str, fault['loc']))}: {fault['msg']}, "
            f"found {shown(fault['input'])}"
            for fault in error.errors()
        ]
        raise ImportRefused(map(visible, faults)) from None


def file_name(path: Path) -> str:
    """The name of a file without terminal escapes, for a part's source."""
    return visible(path.name)


def _numbers() -> Iterator[str]:
    yield ""
    number = 2
    while True:
        yield f"-{number}"
        number += 1


def _ids(parts: Iterable[Part]) -> set[str]:
    return {part.id for part in parts}


# What stands at the end of an entry, after what the part is.
_LAST = ("source", "sources", "unverified", "conflicts", "note")


def _plain(part: Part) -> dict[str, Any]:
    given = {"kind": part.kind, **_values(part)}
    first = {name: value for name, value in given.items() if name not in _LAST}
    return first | {name: given[name] for name in _LAST if name in given}


def _values(model: BaseModel) -> dict[str, Any]:
    """What a piece of a part gives, as lists, dicts and scalars; links with their width."""
    return {
        name: _value(getattr(model, name))
        for name, field in type(model).model_fields.items()
        if isinstance(model, Pcie)
        or getattr(model, name) != field.get_default(call_default_factory=True)
    }


def _value(value: object) -> Any:
    match value:
        case BaseModel():
            return _values(value)
        case dict():
            return {key: _value(inner) for key, inner in value.items()}
        case tuple() | list():
            return [_value(inner) for inner in value]
        case float():
            return int(value) if value.is_integer() else value
        case _:
            return value


class _Dumper(yaml.SafeDumper):
    """Writes what fits on a line on one line, as people write part files."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        """Keep a part itself in block style, short mappings inside it on a line."""
        fits = len(repr(mapping)) <= _LINE and "kind" not in mapping
        return super().represent_mapping(tag, mapping, flow_style=fits)

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
        """Keep lists of figures and of short texts on a line."""
        fits = len(repr(sequence)) <= _LINE and not any(isinstance(e, dict) for e in sequence)
        return super().represent_sequence(tag, sequence, flow_style=fits)


_LINE = 108
