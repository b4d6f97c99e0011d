"""Reading untrusted XML: elements with their lines; no entities, no document types.

Topology files need no document type. Files that have one are refused, so there are no entities to
expand and no files to fetch. Size, depth and number of elements are limited while reading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.imported import ImportRefused, file_name
from toposmith.catalog.part_file import LARGEST_FILE, read_part_file
from toposmith.foreign_values import long_number
from toposmith.plain_text import shown, visible

DEEPEST = 40  # elements inside each other; a GPU behind three switches is at 6
MOST_ELEMENTS = 20_000  # NCCL stops at some thousands
MOST_ATTRIBUTES = 32  # NCCL stops at 16
LONGEST_ATTRIBUTE = 1000  # NCCL stops at 255


@dataclass
class XmlElement:
    """One XML element; ``line`` is where it begins."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)

    def get(self, name: str) -> str:
        """An attribute without white space around it; empty where it is missing."""
        return self.attributes.get(name, "").strip()

    def all(self, *names: str) -> list[XmlElement]:
        """The children of these names."""
        return [child for child in self.children if child.name in names]


def read_elements(path: Path) -> XmlElement:
    """Read the tree of an XML file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    XmlElement
        The outermost element.

    Raises
    ------
    ImportRefused
        When the file is too large, no XML, or has a document type; with file and line.
    """
    try:
        text = read_part_file(path)
    except OSError as error:
        raise refused(path, 1, f"cannot be read: {error.strerror or error}") from None
    if len(text) > LARGEST_FILE:
        raise refused(path, 1, f"more than the {LARGEST_FILE} bytes allowed")
    return _Reading(path).root(text)


def refused(path: Path, line: int, why: str) -> ImportRefused:
    """The exception that refuses a file at one of its lines."""
    return ImportRefused([visible(f"{path}:{line}: {why}")])


class _Reading:
    """One pass over a file; every handler may refuse it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[XmlElement] = []
        self._root: XmlElement | None = None
        self._count = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._entity

    def root(self, text: bytes) -> XmlElement:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            why = f"not readable as XML: {expat.ErrorString(error.code)}"
            raise refused(self._path, error.lineno, why) from None
        except (ValueError, LookupError) as error:  # an unknown encoding
            raise self._refused(f"not readable as XML: {error}") from None
        assert self._root is not None  # a document has an element, or is no XML
        return self._root

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise self._refused(f"more than the {MOST_ELEMENTS} elements allowed")
        if len(self._open) >= DEEPEST:
            raise self._refused(f"elements nested more than {DEEPEST} deep")
        if len(attributes) > MOST_ATTRIBUTES:
            raise self._refused(f"more than the {MOST_ATTRIBUTES} attributes allowed")
        for key, value in attributes.items():
            if len(value) > LONGEST_ATTRIBUTE:
                raise self._refused(f"{shown(key)} is longer than {LONGEST_ATTRIBUTE} characters")
            if (fault := long_number(value)) is not None:
                raise self._refused(f"{shown(key)}: {fault}")
        element = XmlElement(name, attributes, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _doctype(self, *_: object) -> None:
        raise self._refused("a document type (DOCTYPE), which topology files do not need")

    def _entity(self, *_: object) -> None:
        raise self._refused("an entity, which topology files do not need")

    def _refused(self, why: str) -> ImportRefused:
        return refused(self._path, self._parser.CurrentLineNumber, why)


@dataclass
class Notes:
    """Notes about one file; a note about many lines is given once, at the first of them."""

    path: Path
    _lines: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: int, what: str) -> None:
        """Note something about a line."""
        self._lines.setdefault(what, []).append(line)

    def refusal(self, line: int, why: str) -> ImportRefused:
        """The exception that says why no part can be made from the file."""
        return refused(self.path, line, why)

    @property
    def found(self) -> list[str]:
        """The notes, each with file and line."""
        return [
            visible(f"{self.path}:{lines[0]}: {what}{_times(len(lines))}")
            for what, lines in self._lines.items()
        ]


@dataclass(frozen=True)
class Reading:
    """One reading of a file.

    Parameters
    ----------
    catalog : Catalog
        The parts that exist already.
    notes : Notes
        Collects what is noticed.
    node_id : str
        The id of the new node; those of its GPU and NICs begin with it.
    gpu : str or None
        The part id of the machine's GPU, where the caller gave one.
    """

    catalog: Catalog
    notes: Notes
    node_id: str
    gpu: str | None = None

    @property
    def source(self) -> str:
        """What parts give as their source."""
        return f"NCCL topology file {file_name(self.notes.path)}"


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""
