"""Where parts come from: reading the part files and finding a part by its id."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from catalog.parts import AnyPart, Gpu, Nic, Node, Part, Switch

# The C loader is about ten times faster; both build plain values only.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PART: TypeAdapter[AnyPart] = TypeAdapter(AnyPart)
_PACKAGED = Path(__file__).parent / "parts"
_LARGEST_FILE = 2_000_000  # bytes; a hundred times the files that come with the program

PartT = TypeVar("PartT", bound=Part)


class CatalogError(Exception):
    """Part files that cannot be used; ``problems`` holds one line for each fault found."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class UnknownPart(KeyError):
    """A part id that the catalog does not hold, or that names another kind of part."""

    def __init__(self, part_id: str, why: str, nearest: Iterable[str] = ()) -> None:
        self.part_id = part_id
        self.nearest = tuple(nearest)
        hint = f"; did you mean {' or '.join(map(repr, self.nearest))}?" if self.nearest else ""
        self.message = f"{why}{hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message  # KeyError would show the repr of it


@dataclass(frozen=True, init=False, eq=False)
class Catalog:
    """The parts one can buy, by id, in the order of their files.

    Parameters
    ----------
    parts : iterable of AnyPart
        Each id may occur once.

    Raises
    ------
    CatalogError
        When two parts have the same id.
    """

    _by_id: dict[str, AnyPart]

    def __init__(self, parts: Iterable[AnyPart]) -> None:
        by_id: dict[str, AnyPart] = {}
        twice: list[str] = []
        for part in parts:
            if part.id in by_id:
                twice.append(f"part {part.id!r}: this id occurs more than once")
            by_id[part.id] = part
        if twice:
            raise CatalogError(twice)
        object.__setattr__(self, "_by_id", by_id)

    def __iter__(self) -> Iterator[AnyPart]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, part_id: object) -> bool:
        return part_id in self._by_id

    def __getitem__(self, part_id: str) -> AnyPart:
        try:
            return self._by_id[part_id]
        except KeyError:
            raise UnknownPart(
                part_id, f"no part {part_id!r} in the catalog", self.nearest(part_id)
            ) from None

    def get(self, part_id: str) -> AnyPart | None:
        """Return the part of this id, or None where there is none."""
        return self._by_id.get(part_id)

    def of_kind(self, kind: str) -> list[AnyPart]:
        """Return all parts of one kind, such as ``"switch"``, in file order."""
        return [part for part in self if part.kind == kind]

    def nearest(self, part_id: str) -> list[str]:
        """Return up to three ids that look like this one, the likest first."""
        return difflib.get_close_matches(part_id, self._by_id, n=3, cutoff=0.5)

    def gpu(self, part_id: str) -> Gpu:
        """Return the GPU of this id; UnknownPart where it is missing or no GPU."""
        return self._of_type(part_id, Gpu)

    def node(self, part_id: str) -> Node:
        """Return the node of this id; UnknownPart where it is missing or no node."""
        return self._of_type(part_id, Node)

    def nic(self, part_id: str) -> Nic:
        """Return the NIC of this id; UnknownPart where it is missing or no NIC."""
        return self._of_type(part_id, Nic)

    def switch(self, part_id: str) -> Switch:
        """Return the switch of this id; UnknownPart where it is missing or no switch."""
        return self._of_type(part_id, Switch)

    def _of_type(self, part_id: str, wanted: type[PartT]) -> PartT:
        part = self.get(part_id)
        if isinstance(part, wanted):
            return part
        kind = wanted.model_fields["kind"].default
        why = f"{part_id!r} is a {part.kind}, no {kind}" if part else f"no {kind} {part_id!r}"
        same_kind = [other.id for other in self.of_kind(kind)]
        close = difflib.get_close_matches(part_id, same_kind, n=3, cutoff=0.5)
        raise UnknownPart(part_id, why, close)


def load_catalog(folder: Path | None = None) -> Catalog:
    """Read a catalog from a folder of YAML files.

    Parameters
    ----------
    folder : Path, optional
        Folder of ``*.yaml`` files, each a list of parts. By default the parts that come with
        the program; those are read once and then kept.

    Returns
    -------
    Catalog
        The parts in the order of file names, then in the order within the file.

    Raises
    ------
    CatalogError
        With one line for each fault: file, part, field, what was found.
    """
    return _packaged_catalog() if folder is None else _read_folder(folder)


@cache
def _packaged_catalog() -> Catalog:
    return _read_folder(_PACKAGED)


def _read_folder(folder: Path) -> Catalog:
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise CatalogError([f"{folder}: no part files (*.yaml) here"])
    parts: dict[str, AnyPart] = {}
    home: dict[str, str] = {}
    problems: list[str] = []
    for file in files:
        good, bad = _read_file(file)
        problems += bad
        for part in good:
            if part.id in parts:
                problems.append(f"{file.name}: part {part.id!r}: id: also in {home[part.id]}")
            parts[part.id] = part
            home[part.id] = file.name
    if problems:
        raise CatalogError(problems)
    return Catalog(parts.values())


def _read_file(file: Path) -> tuple[list[AnyPart], list[str]]:
    """Read one part file; what is wrong with it comes back as lines instead of an exception."""
    try:
        if (size := file.stat().st_size) > _LARGEST_FILE:
            return [], [f"{file.name}: {size} bytes, more than the {_LARGEST_FILE} allowed"]
        entries = yaml.load(file.read_text(encoding="utf-8"), Loader=_SafeLoader)
    except RecursionError:
        return [], [f"{file.name}: nested too deeply"]
    except (OSError, ValueError, yaml.YAMLError) as error:
        return [], [f"{file.name}: not readable as YAML: {' '.join(str(error).split())}"]
    if not isinstance(entries, list):
        return [], [f"{file.name}: a list of parts was expected, found {_shown(entries)}"]
    parts: list[AnyPart] = []
    problems: list[str] = []
    for number, entry in enumerate(entries, start=1):
        name = entry.get("id") if isinstance(entry, dict) else None
        where = f"{file.name}: part {name!r}" if name else f"{file.name}: part number {number}"
        try:
            parts.append(_PART.validate_python(entry))
        except ValidationError as error:
            problems += [f"{where}: {_fault(fault, entry)}" for fault in error.errors()]
    return parts, problems


def _fault(fault: Any, entry: object) -> str:
    """Say one validation fault as field, complaint, what was found."""
    if fault["type"] == "union_tag_not_found" and isinstance(entry, dict):
        return "kind: missing"
    if fault["type"] == "union_tag_invalid":
        return f"kind: no such kind of part: {fault['ctx']['tag']!r}"
    place = [str(step) for step in fault["loc"]]
    if isinstance(entry, dict) and place[:1] == [entry.get("kind")]:
        place = place[1:]  # the discriminator's tag is no field of the file
    field = f"{'.'.join(place)}: " if place else ""
    if fault["type"] == "missing":
        return f"{field}missing"
    return f"{field}{fault['msg']}, found {_shown(fault['input'])}"


def _shown(value: object) -> str:
    # reprlib looks at a few elements only: YAML aliases can stand for millions of them.
    text = _REPR.repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_REPR = reprlib.Repr()
_REPR.maxlevel = 2
