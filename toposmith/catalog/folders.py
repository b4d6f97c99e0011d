"""Where parts come from: those that come with the program, the user's own, further folders.

Later folders override earlier ones: a part replaces an earlier part of the same id. What was
read is kept as JSON between runs (:mod:`toposmith.catalog.cache`), so that only changed files are
read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from toposmith.catalog import cache
from toposmith.catalog.catalog import Catalog, CatalogError
from toposmith.catalog.kinds import kind_of, part_adapter
from toposmith.catalog.part_file import PartFile, read_part_file
from toposmith.catalog.part_numbers import is_whole
from toposmith.catalog.parts import Part
from toposmith.catalog.platforms import platform_faults, platforms_of
from toposmith.foreign_values import whole_number
from toposmith.plain_text import obeyed_sign, shown, visible
from toposmith.user_folders import is_there, settings_folder, why_unusable

# Checks that catch figures of a part which cannot be true together.
#
# A part that passes may still be wrong; one that fails certainly is. pydantic has checked types and
# ranges before; these rules need two figures, or a second part. Those of one kind of part are in
# its record (:mod:`toposmith.catalog.kinds`).


def check_part(part: Part, catalog: Catalog) -> list[str]:
    """Find what cannot be true of a part.

    Parameters
    ----------
    part : Part
        The part to look at.
    catalog : Catalog
        Where the GPUs and NICs are found that a node names.

    Returns
    -------
    list of str
        One line for each fault, beginning with the field; empty when nothing is wrong.
    """
    return [*_citations(part), *_texts_of(part), *kind_of(part).faults(part, catalog)]


def part_warnings(part: Part, catalog: Catalog) -> list[str]:
    """Find doubtful figures of a part, such as ports faster than their slot.

    Parameters
    ----------
    part : Part
        The part to look at.
    catalog : Catalog
        Where the NICs are found that a node names.

    Returns
    -------
    list of str
        One line for each, beginning with the field.
    """
    warnings = []
    if part.part_number is not None and not is_whole(part.part_number):
        warnings.append(
            "part_number: names a family, and nothing can be ordered by it; give family:"
        )
    return [*warnings, *kind_of(part).warnings(part, catalog)]


def _citations(part: Part) -> list[str]:
    """Sources, doubts and conflicts must be about fields that the part gives."""
    faults = [] if part.source.strip() else ["source: is empty"]
    listed = (
        ("sources", part.sources),
        ("unverified", part.unverified),
        ("conflicts", part.conflicts),
    )
    for where, paths in listed:
        faults += [
            f"{where}: {path!r} is no field that this part gives"
            for path in paths
            if not _is_given(part, path)
        ]
    return faults


def _is_given(part: Part, path: str) -> bool:
    """Tell whether a dotted path such as ``slots.compute.cages`` leads to a value."""
    value: object = part
    for step in path.split("."):
        if isinstance(value, BaseModel):
            value = getattr(value, step, None)
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return False
    return value is not None


def _texts_of(part: Part) -> list[str]:
    """No text may hold characters that a terminal would obey instead of showing."""
    return [
        f"{visible(path)}: holds {visible(sign)}, which a terminal would obey; plain text is wanted"
        for path, text in _strings("", part.model_dump(exclude_unset=True))
        if (sign := obeyed_sign(text))
    ]


def _strings(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Every text of a part with its field; names of slot groups and cages too."""
    match value:
        case str():
            yield path, value
        case dict():
            for key, inner in value.items():
                below = f"{path}.{key}" if path else str(key)
                yield (path, key) if isinstance(key, str) else (path, "")
                yield from _strings(below, inner)
        case tuple() | list():
            for inner in value:
                yield from _strings(path, inner)


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


MOST_FILES = 1000  # of one folder; with more it is probably the wrong one

_of_packages: list[Path] = []
_PACKAGED = Path(__file__).parent / "parts"

# The files of one place by the names under which messages show them, and what could not be opened.
_Texts = tuple[dict[str, bytes], list[str]]


def load_catalog(*extra: Path, user: bool = True) -> Catalog:
    """Read the parts that come with the program, the user's own, and those of further places.

    Parameters
    ----------
    *extra : Path
        Folders of ``*.yaml`` files, each a list of parts, in sub-folders too; or single files. A
        part of a later one replaces that of an earlier one, or the built-in one.
    user : bool
        Whether to read the folders of plug-ins and the user's own, which lie between the two.

    Returns
    -------
    Catalog
        The sound parts; ``faults`` says what was wrong with the others: file and line, part,
        field, what was found; ``notes`` says which parts replace others.

    Raises
    ------
    CatalogError
        When an extra folder has no part files, or the program has not one sound part.
    """
    places = [_texts(place, str(place)) for place in extra]
    own = user_folder()
    if user and is_there(own) and not why_unusable(own) and any(_found(own)):
        places.insert(0, _texts(own, str(own)))
    if user:
        places[:0] = [_texts(place, str(place)) for place in _of_packages]
    return _laid(_texts(_PACKAGED, ""), [place for place in places if any(place)])


def read_catalog(*places: Path) -> Catalog:
    """Read the parts of folders or files alone, without those that come with the program."""
    layers = Layers()
    for place in places:
        _lay(layers, _texts(place, ""))
    return layers.catalog()


def user_folder() -> Path:
    """Where a user's own part files are looked for."""
    return settings_folder() / "catalog"


def _laid(packaged: _Texts, places: list[_Texts]) -> Catalog:
    base_digest = cache.digest(packaged[0].items())
    if not places:
        return _packaged_catalog(base_digest)
    texts = (*packaged[0].items(), *(item for place in places for item in place[0].items()))
    layout = ",".join(str(len(texts)) for texts, _ in places).encode()
    digest = cache.digest((*texts, ("places", layout)))
    unopened = any(problems for _, problems in places)
    if not unopened and (catalog := cache.kept_catalog(digest)) is not None:
        return catalog
    base = _packaged_catalog(base_digest)
    layers = Layers({part.id: part for part in (*base, *base.facility)}, {}, list(base.faults))
    for place in places:
        _lay(layers, place)
    catalog = layers.catalog(own=True)
    if not unopened:
        cache.keep_catalog(digest, catalog)
    return catalog


@lru_cache(maxsize=2)
def _packaged_catalog(digest: str) -> Catalog:
    """The parts that come with the program; the digest is that of their files."""
    if (catalog := cache.kept_catalog(digest)) is not None:
        return catalog
    layers = Layers()
    _lay(layers, _texts(_PACKAGED, ""))
    catalog = layers.catalog()
    if not len(catalog):
        raise CatalogError(catalog.faults)
    cache.keep_catalog(digest, catalog)
    return catalog


def _lay(layers: Layers, texts: _Texts) -> None:
    layers.faults += texts[1]
    layers.add(PartFile(name, text) for name, text in texts[0].items())


def _texts(place: Path, shown_as: str) -> _Texts:
    """The part files of a folder; of a file too large, only enough to detect that."""
    texts: dict[str, bytes] = {}
    problems: list[str] = []
    for file in _part_files(place):
        name = file.relative_to(place).as_posix() if file != place else file.name
        if shown_as:
            name = str(file)
        try:
            texts[name] = read_part_file(file)
        except OSError as error:
            problems.append(visible(f"{name}:1: cannot be read: {error.strerror or error}"))
    return texts, problems


def _why_none(place: Path) -> str:
    """Why a path has no files, where it is no folder."""
    if place.is_dir():
        return ""
    if place.is_symlink() and not place.exists():
        return ": the link leads nowhere"
    return ": it is no ordinary file" if place.exists() else ": there is no such file or folder"


def _part_files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    files = sorted(islice(_found(place), MOST_FILES + 1))
    if not files:
        raise CatalogError([visible(f"{place}: no part files (*.yaml) here{_why_none(place)}")])
    if len(files) > MOST_FILES:
        raise CatalogError([visible(f"{place}: more than {MOST_FILES} part files; is it the one?")])
    return files


def _found(folder: Path) -> Iterator[Path]:
    return chain(folder.rglob("*.yaml"), folder.rglob("*.yml"))


def add_folder(folder: Path) -> None:
    """Read the part files of a plug-in, too; raises CatalogError where there are none."""
    _part_files(folder)
    _of_packages.append(folder)
