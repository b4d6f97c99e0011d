"""Reading part files: what is sound becomes a catalog, what is not is told with its line.

A part with a fault is left out, so that one slip in a file does not cost all the others. The parts
that come with the program are kept as JSON between runs (:mod:`catalog.keeping`).
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from catalog import keeping
from catalog.checks import check_part
from catalog.library import Catalog, CatalogError
from catalog.parts import AnyPart, Node, Storage

# The C loader is about ten times faster; both build plain values only.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PART: TypeAdapter[AnyPart] = TypeAdapter(AnyPart)
_PACKAGED = Path(__file__).parent / "parts"
_LARGEST_FILE = 2_000_000  # bytes; a hundred times the files that come with the program


def load_catalog(folder: Path | None = None) -> Catalog:
    """Read a catalog from a folder of YAML files.

    Parameters
    ----------
    folder : Path, optional
        Folder of ``*.yaml`` files, each a list of parts, in sub-folders too. By default the parts
        that come with the program; those are read once and then kept.

    Returns
    -------
    Catalog
        The sound parts in the order of file names, then in the order within the file; ``faults``
        says what was wrong with the others: file and line, part, field, what was found.

    Raises
    ------
    CatalogError
        When there are no part files, or not one sound part in the program's own.
    """
    return _packaged_catalog() if folder is None else _read_folder(folder)


@cache
def _packaged_catalog() -> Catalog:
    texts = _texts(_PACKAGED)
    digest = keeping.digest(texts.items())
    if (parts := keeping.kept_parts(digest)) is not None:
        return Catalog(parts)
    catalog = _catalog([_PartFile(name, text) for name, text in texts.items()])
    if not len(catalog):
        raise CatalogError(catalog.faults)
    if not catalog.faults:
        keeping.keep_parts(digest, [*catalog, *catalog.facility])
    return catalog


def _read_folder(folder: Path) -> Catalog:
    return _catalog([_PartFile(name, text) for name, text in _texts(folder).items()])


def _texts(folder: Path) -> dict[str, bytes]:
    """The part files of a folder by their names below it; a file too large comes back empty."""
    files = sorted(folder.rglob("*.yaml"))
    if not files:
        raise CatalogError([f"{folder}: no part files (*.yaml) here"])
    texts: dict[str, bytes] = {}
    for file in files:
        with file.open("rb") as opened:
            texts[file.relative_to(folder).as_posix()] = opened.read(_LARGEST_FILE + 1)
    return texts


@dataclass
class _PartFile:
    """One part file, and how to find the line of something in it."""

    name: str
    text: bytes
    problems: list[str] = field(default_factory=list)

    def entries(self) -> list[Any]:
        """The entries of the file; where it has none, ``problems`` says why."""
        if len(self.text) > _LARGEST_FILE:
            self._refuse(1, f"more than the {_LARGEST_FILE} bytes allowed")
            return []
        try:
            entries = yaml.load(self.text, Loader=_SafeLoader)
        except RecursionError:
            self._refuse(1, "nested too deeply")
            return []
        except yaml.MarkedYAMLError as error:
            last = len(self.text.splitlines())
            line = min(error.problem_mark.line + 1, last) if error.problem_mark else 1
            why = " ".join(filter(None, [error.context, error.problem]))
            self._refuse(line, f"not readable as YAML: {why}")
            return []
        except (ValueError, yaml.YAMLError) as error:
            self._refuse(1, f"not readable as YAML: {' '.join(str(error).split())}")
            return []
        if not isinstance(entries, list):
            self._refuse(1, f"a list of parts was expected, found {_shown(entries)}")
            return []
        return entries

    def _refuse(self, line: int, why: str) -> None:
        self.problems.append(f"{self.name}:{line}: {why}")

    def line(self, *path: int | str) -> int:
        """The line where a value stands; that of the last step which the file has."""
        node = self._tree
        for step in path:
            inner = _inner(node, step)
            if inner is None:
                break
            node = inner
        return int(node.start_mark.line) + 1

    @cached_property
    def _tree(self) -> Any:
        # Composed only when something is wrong: values alone load much faster.
        return yaml.compose(self.text, Loader=_SafeLoader)


def _inner(node: Any, step: int | str) -> Any | None:
    """One step down a YAML tree; the line of a mapping's value is that of its key."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return node.value[step] if 0 <= step < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                value.start_mark = key.start_mark
                return value
    return None


@dataclass(frozen=True)
class _Entry:
    """A part that could be understood, and where it stands."""

    part: AnyPart
    file: _PartFile
    number: int

    def complaint(self, fault: str) -> str:
        """A line about this part; the fault begins with its field."""
        path = fault.partition(":")[0].split(".")
        steps = [int(step) if step.isdecimal() else step for step in path]
        line = self.file.line(self.number, *steps)
        return f"{self.file.name}:{line}: part {self.part.id!r}: {fault}"


def _catalog(files: Iterable[_PartFile]) -> Catalog:
    faults: list[str] = []
    found: dict[str, _Entry] = {}
    for file in files:
        for entry in _understood(file):
            first = found.setdefault(entry.part.id, entry)
            if first is not entry:
                where = f"{first.file.name}:{first.file.line(first.number)}"
                file.problems.append(entry.complaint(f"id: also in {where}"))
        faults += file.problems
    # What others name has to be sound first: nodes and storage name GPUs and NICs.
    named = [e for e in found.values() if not isinstance(e.part, Node | Storage)]
    naming = [e for e in found.values() if isinstance(e.part, Node | Storage)]
    sound: dict[str, AnyPart] = {}
    for group in (named, naming):
        known = Catalog(sound.values())
        for entry in group:
            wrong = check_part(entry.part, known)
            faults += [entry.complaint(fault) for fault in wrong]
            if not wrong:
                sound[entry.part.id] = entry.part
    return Catalog([sound[part_id] for part_id in found if part_id in sound], faults)


def _understood(file: _PartFile) -> list[_Entry]:
    """The entries of a file that are parts; what is wrong with the rest goes to its problems."""
    parts: list[_Entry] = []
    for number, entry in enumerate(file.entries()):
        try:
            parts.append(_Entry(_PART.validate_python(entry), file, number))
        except ValidationError as error:
            name = entry.get("id") if isinstance(entry, dict) else None
            which = f"part {name!r}" if name else f"part number {number + 1}"
            for fault in error.errors():
                place = _place(fault, entry)
                where = f"{file.name}:{file.line(number, *place)}: {which}"
                file.problems.append(f"{where}: {_complaint(fault, place)}")
    return parts


def _place(fault: Any, entry: object) -> Sequence[int | str]:
    """The path of a fault within its entry."""
    if fault["type"] in ("union_tag_not_found", "union_tag_invalid"):
        return ["kind"] if isinstance(entry, dict) else []
    place: Sequence[int | str] = fault["loc"]
    if isinstance(entry, dict) and place and place[0] == entry.get("kind"):
        return place[1:]  # the discriminator's tag is no field of the file
    return place


def _complaint(fault: Any, place: Sequence[int | str]) -> str:
    """Say one validation fault as field, complaint, what was found."""
    if fault["type"] == "union_tag_not_found" and place:
        return "kind: missing"
    if fault["type"] == "union_tag_invalid":
        return f"kind: no such kind of part: {fault['ctx']['tag']!r}"
    where = f"{'.'.join(map(str, place))}: " if place else ""
    if fault["type"] == "missing":
        return f"{where}missing"
    said = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "value_error":
        return f"{where}{said}"
    return f"{where}{said}, found {_shown(fault['input'])}"


def _shown(value: object) -> str:
    # reprlib looks at a few elements only: YAML aliases can stand for millions of them.
    text = _REPR.repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_REPR = reprlib.Repr()
_REPR.maxlevel = 2
