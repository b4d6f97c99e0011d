"""Sheets of an untrusted workbook (.xlsx) as rows of text.

Parts and cells: ECMA-376 part 1, 18.3 (sheets) and 18.4 (shared strings). Formulas are not
evaluated: their stored value is read, or without one their text, which begins with ``=``.

A part is parsed as it is unpacked; how much it may unpack to, and how many cells it may have, goes
by the size of the file, so that a small file cannot fill the memory.
"""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.parsers import expat

from toposmith.plain_text import visible

MOST_UNPACKED_BYTES = 200_000_000
_UNPACKED_PER_BYTE, _FEWEST_UNPACKED = 200, 5_000_000
"""A cable schedule, which repeats itself most, unpacks to some 60 times its size."""
_CELLS_PER_BYTE, _FEWEST_CELLS = 2, 100_000
"""A cell of such a schedule takes about a byte of the packed file."""
_LONGEST_TEXT = 32_767  # of a cell: Excel specifications and limits
_CHUNK_BYTES = 1 << 16
_ZIP = b"PK\x03\x04"
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_BOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships id"
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_WHOLE = re.compile(r"(-?\d+)\.0+")
_MOST_COLUMNS = 256
_MOST_GAP = 1000
_MOST_ROWS = 1_048_576  # Excel specifications and limits
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, LookupError,
    RuntimeError, ValueError, OverflowError,
)  # fmt: skip
"""What Python's reader of archives raises of damaged ones; also of encrypted ones."""


class WorkbookError(Exception):
    """A file that is no workbook, or a damaged one; says why, without the file's name."""


@dataclass
class SheetCells:
    """A sheet.

    Attributes
    ----------
    title : str
        As its tab says; where the workbook does not, the name of its file.
    rows : list of list of str
        Its cells; empty cells and rows that the file leaves out are filled in.
    merged : list of str
        Areas of merged cells, such as ``B2:B5``.
    formulas : list of (int, str)
        Row and name of every cell with a formula.
    """

    title: str
    rows: list[list[str]] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    formulas: list[tuple[int, str]] = field(default_factory=list)


def is_workbook(raw: bytes) -> bool:
    """Whether it is a zip file, as every workbook is."""
    return raw[:4] == _ZIP


def sheets_of(raw: bytes) -> Iterator[SheetCells]:
    """Every sheet, in the order of their files.

    Raises
    ------
    WorkbookError
        If it is no workbook, is damaged, declares entities, or unpacks to more than such a file
        does.
    """
    with _opened(raw) as archive:
        names = _sheet_names(archive)
        titles = _titles(archive)
        strings = _Strings()
        if "xl/sharedStrings.xml" in archive.names:
            archive.parse("xl/sharedStrings.xml", strings)
        for name in names:
            file = name.rpartition("/")[2]
            reader = _SheetReader(
                SheetCells(titles.get(file) or file.removesuffix(".xml")), strings.found, archive
            )
            archive.parse(name, reader)
            yield reader.sheet


def has_macros(raw: bytes) -> bool:
    """Whether a workbook contains macros; they are never run."""
    with _opened(raw) as archive:
        return "xl/vbaProject.bin" in archive.names


class _Archive:
    """An open archive, and how much more may be made of it."""

    def __init__(self, file: zipfile.ZipFile, size: int) -> None:
        self._file = file
        self.names = frozenset(file.namelist())
        self._bytes = max(_FEWEST_UNPACKED, min(_UNPACKED_PER_BYTE * size, MOST_UNPACKED_BYTES))
        self._cells = max(_FEWEST_CELLS, _CELLS_PER_BYTE * size)
        self._most = self._bytes

    def parse(self, name: str, handler: _Handler) -> None:
        """Feed the elements of a part to a handler."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True

        def refuse(*_: object) -> None:
            raise WorkbookError(f"{visible(name)} declares entities, which no workbook does")

        parser.StartDoctypeDeclHandler = refuse
        parser.EntityDeclHandler = refuse
        parser.StartElementHandler = handler.start
        parser.EndElementHandler = handler.end
        parser.CharacterDataHandler = handler.text
        try:
            with self._file.open(name) as part:
                while chunk := part.read(_CHUNK_BYTES):
                    self._bytes -= len(chunk)
                    if self._bytes < 0:
                        raise WorkbookError(
                            f"{visible(name)} unpacks to more than {self._most:,} bytes, which no "
                            "workbook of this size does"
                        )
                    parser.Parse(chunk)
            parser.Parse(b"", True)
        except _DAMAGED as failed:
            raise _damage(failed, name) from None
        except expat.ExpatError as failed:
            why = expat.ErrorString(failed.code)
            raise WorkbookError(
                f"a workbook whose XML is damaged: {visible(name)}, line {failed.lineno}: {why}"
            ) from None

    def count_cell(self) -> None:
        """Count a cell; refuses more of them than such a file can have."""
        self._cells -= 1
        if self._cells < 0:
            raise WorkbookError("more cells than a workbook of this size has")


@contextmanager
def _opened(raw: bytes) -> Iterator[_Archive]:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as book:
            yield _Archive(book, len(raw))
    except _DAMAGED as failed:
        raise _damage(failed) from None


def _damage(failed: Exception, part: str = "") -> WorkbookError:
    why = str(failed) or type(failed).__name__
    where = f"{part}: " if part and part not in why else ""
    return WorkbookError(
        visible(f"a damaged workbook: {where}{why}; was it cut? Save the sheet as CSV")
    )


def _sheet_names(archive: _Archive) -> list[str]:
    names = [name for name in archive.names if _SHEET.fullmatch(name)]
    if not names:
        raise WorkbookError("a zip file, and no workbook: it holds no sheets")
    return sorted(names, key=lambda name: (len(name), name))


def _titles(archive: _Archive) -> dict[str, str]:
    """The title of every sheet, by the name of its file."""
    if not {_BOOK, _RELATIONS} <= archive.names:
        return {}
    relations, sheets = _Elements("Relationship"), _Elements("sheet")
    archive.parse(_RELATIONS, relations)
    archive.parse(_BOOK, sheets)
    files = {each.get("Id"): each.get("Target", "").rpartition("/")[2] for each in relations.found}
    return {files.get(each.get(_RELATION), ""): each.get("name", "") for each in sheets.found}


class _Handler:
    """Elements of a part as they come; names carry their namespace in front."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Text between elements."""


class _Elements(_Handler):
    """The attributes of all elements of a name."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self.found: list[dict[str, str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if _local(name) == self._wanted:
            self.found.append(attributes)


class _Strings(_Handler):
    """The shared strings, each in one run or several, without phonetic hints."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._phonetic = self._reading = False
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _local(name)
        if tag == "si":
            self._pieces = []
        elif tag == "rPh":
            self._phonetic = True
        elif tag == "t":
            self._reading = not self._phonetic

    def end(self, name: str) -> None:
        tag = _local(name)
        if tag == "si":
            self.found.append("".join(self._pieces))
        elif tag == "rPh":
            self._phonetic = False
        elif tag == "t":
            self._reading = False

    def text(self, text: str) -> None:
        if self._reading:
            _add(self._pieces, text)


class _SheetReader(_Handler):
    """The rows of a sheet."""

    def __init__(self, sheet: SheetCells, strings: list[str], archive: _Archive) -> None:
        self.sheet = sheet
        self._strings, self._archive = strings, archive
        self._cells: list[str] | None = None
        self._cell: dict[str, str] | None = None
        self._pieces: dict[str, list[str]] = {}
        self._into: list[str] | None = None
        self._phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _local(name)
        if tag == "c" and self._cells is not None:
            self._archive.count_cell()
            self._cell, self._pieces = attributes, {}
        elif tag in ("v", "f", "t") and self._cell is not None and not self._phonetic:
            self._into = self._pieces.setdefault(tag, [])
        elif tag == "row":
            self._begin_row(attributes.get("r", ""))
        elif tag == "rPh":
            self._phonetic = True
        elif tag == "mergeCell":
            self.sheet.merged.append(attributes.get("ref", ""))

    def end(self, name: str) -> None:
        tag = _local(name)
        if tag == "c" and self._cell is not None:
            self._end_cell(self._cell)
            self._cell = None
        elif tag in ("v", "f", "t"):
            self._into = None
        elif tag == "row" and self._cells is not None:
            self.sheet.rows.append(self._cells)
            self._cells = None
        elif tag == "rPh":
            self._phonetic = False

    def text(self, text: str) -> None:
        if self._into is not None:
            _add(self._into, text)

    def _begin_row(self, stated: str) -> None:
        rows = self.sheet.rows
        number = int(stated) if stated.isdecimal() and len(stated) < 9 else 0
        if 0 < number - len(rows) < _MOST_GAP:
            rows += [[] for _ in range(number - len(rows) - 1)]
        if len(rows) >= _MOST_ROWS:
            raise WorkbookError(f"a sheet has more than {_MOST_ROWS:,} rows, which none has")
        self._cells = []

    def _end_cell(self, attributes: dict[str, str]) -> None:
        cells = self._cells
        assert cells is not None  # a cell is begun in a row only
        place = _CELL.fullmatch(attributes.get("r", ""))
        if place is not None and "f" in self._pieces:
            self.sheet.formulas.append((int(place[2]), f"{place[1]}{int(place[2])}"))
        column = _column(place[1]) if place else len(cells)
        cells += [""] * (min(column, _MOST_COLUMNS) - len(cells))
        if len(cells) < _MOST_COLUMNS:
            cells.append(self._value(attributes.get("t", "n")))

    def _value(self, kind: str) -> str:
        if kind == "inlineStr":
            return "".join(self._pieces.get("t", ()))
        text = "".join(self._pieces.get("v", ()))
        if not text and (formula := "".join(self._pieces.get("f", ()))):
            return f"={formula}"
        if kind == "s":
            known = text.isdecimal() and len(text) < 9 and int(text) < len(self._strings)
            return self._strings[int(text)] if known else ""
        whole = _WHOLE.fullmatch(text)
        return whole[1] if whole else text


def _add(pieces: list[str], text: str) -> None:
    """Add a piece to the text of a cell."""
    pieces.append(text)
    if len(text) > _LONGEST_TEXT or sum(map(len, pieces)) > _LONGEST_TEXT:
        raise WorkbookError(f"a cell of more than {_LONGEST_TEXT:,} characters, which none has")


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number - 1


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
