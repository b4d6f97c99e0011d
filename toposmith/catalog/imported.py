"""What a foreign file gave: parts, what was noticed on the way, and both as a part file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from toposmith.catalog.catalog import Catalog, CatalogError
from toposmith.catalog.checks import check_part
from toposmith.catalog.parts import Part
from toposmith.catalog.pieces import Pcie
from toposmith.leaving_text import yaml_text
from toposmith.plain_text import shown, visible


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
