"""Making a catalog from part files: valid parts go in, faults are reported with their line.

A part with a fault is left out, so that one mistake does not cost the whole file. Files come
in layers, and a part of a later layer replaces one of the same id; within a layer an id may occur
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.checks import check_part
from toposmith.catalog.kinds import kind_of, part_adapter
from toposmith.catalog.part_file import PartFile
from toposmith.catalog.parts import Part
from toposmith.catalog.platforms import platform_faults, platforms_of
from toposmith.foreign_values import whole_number
from toposmith.plain_text import shown, visible


@dataclass(frozen=True)
class LayeredPart:
    """A part that could be read, with its file and entry number."""

    part: Part
    file: PartFile
    number: int

    @property
    def place(self) -> str:
        """File and line."""
        return visible(f"{self.file.name}:{self.file.line(self.number)}")

    def complaint(self, fault: str) -> str:
        """A line about this part; the fault begins with its field."""
        path = fault.partition(":")[0].split(".")
        steps = [whole_number(step) if step.isdecimal() else step for step in path]
        line = self.file.line(self.number, *steps)
        return visible(f"{self.file.name}:{line}: part {self.part.id!r}: {fault}")


@dataclass
class Layers:
    """A catalog while it is built: parts, and the file entries of those not built in."""

    parts: dict[str, Part] = field(default_factory=dict)
    entries: dict[str, LayeredPart] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def catalog(self, *, own: bool = False) -> Catalog:
        """The parts so far; ``own`` where all of them are from the user's files."""
        theirs = [name for name in self.entries if name in self.parts] if own else ()
        return Catalog(self.parts.values(), self.faults, self.notes, theirs)

    def add(self, files: Iterable[PartFile]) -> None:
        """Add the parts of some files; they override those that are there."""
        found = self._understood(files)
        # Parts come before those that refer to them: GPUs and NICs, then nodes, then racks.
        platforms = platforms_of((*self.parts.values(), *(entry.part for entry in found)))
        found = [entry for entry in found if not self._misnames(entry, platforms)]
        named = [e for e in found if not kind_of(e.part).names_others]
        naming = [e for e in found if kind_of(e.part).names_others]
        replaced = self._lay(named)
        self._lay([e for e in naming if not kind_of(e.part).names_hosts])
        self._lay([e for e in naming if kind_of(e.part).names_hosts])
        self._drop_misfits(replaced)

    def _misnames(self, entry: LayeredPart, platforms: frozenset[str]) -> bool:
        """Whether a part is for platforms that no device has; that is then reported."""
        wrong = [entry.complaint(fault) for fault in platform_faults(entry.part, platforms)]
        self.faults += wrong
        return bool(wrong)

    def _understood(self, files: Iterable[PartFile]) -> list[LayeredPart]:
        """The entries of all files, the first of each id; what is wrong with others is reported."""
        found: dict[str, LayeredPart] = {}
        for file in files:
            for entry in understood(file):
                first = found.setdefault(entry.part.id, entry)
                if first is not entry:
                    file.problems.append(entry.complaint(f"id: also in {first.place}"))
            self.faults += file.problems
        return list(found.values())

    def _lay(self, entries: Iterable[LayeredPart]) -> dict[str, LayeredPart]:
        """Add valid parts; return those that replaced a part."""
        known = Catalog(self.parts.values())
        replaced: dict[str, LayeredPart] = {}
        for entry in entries:
            part, old = entry.part, self.parts.get(entry.part.id)
            wrong = check_part(part, known)
            if old is not None and old.kind != part.kind:
                wrong.append(f"id: names a {old.kind} so far, which a {part.kind} cannot replace")
            self.faults += [entry.complaint(fault) for fault in wrong]
            if wrong:
                continue
            if old is not None:
                before = self.entries.get(part.id)
                what = f"the one of {before.place}" if before else "the built-in part"
                self.notes.append(f"{entry.place}: {part.id} replaces {what}")
                replaced[part.id] = entry
            self.parts[part.id] = part
            self.entries[part.id] = entry
        return replaced

    def _drop_misfits(self, replaced: dict[str, LayeredPart]) -> None:
        """Leave out parts that do not fit the replacements of the parts that they refer to.

        Those of the same layer were checked with the replacement already.
        """
        known = Catalog(self.parts.values())
        for part in list(self.parts.values()) if replaced else ():
            names = kind_of(part).names(part)
            to_blame = next((replaced[name] for name in names if name in replaced), None)
            wrong = check_part(part, known) if to_blame else []
            if to_blame and wrong:
                del self.parts[part.id]
                why = f"{part.kind} {part.id!r} does not go with it and is left out: {wrong[0]}"
                self.faults.append(visible(f"{to_blame.place}: part {to_blame.part.id!r}: {why}"))


def understood(file: PartFile) -> list[LayeredPart]:
    """The entries of a file that are parts; faults of the rest go to its problems."""
    parts: list[LayeredPart] = []
    adapter = part_adapter()
    for number, entry in file.entries():
        try:
            parts.append(LayeredPart(adapter.validate_python(entry), file, number))
        except ValidationError as error:
            name = entry.get("id") if isinstance(entry, dict) else None
            which = f"part {shown(name)}" if name else f"part number {number + 1}"
            for fault in error.errors():
                place = _place(fault, entry)
                file.complain(file.line(number, *place), f"{which}: {_complaint(fault, place)}")
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
        return f"kind: no such kind of part: {shown(fault['ctx']['tag'])}"
    where = f"{'.'.join(map(str, place))}: " if place else ""
    if fault["type"] == "missing":
        return f"{where}missing"
    said = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "value_error":
        return f"{where}{said}"
    return f"{where}{said}, found {shown(fault['input'])}"
