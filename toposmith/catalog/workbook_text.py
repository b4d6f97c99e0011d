"""Sheets of an untrusted workbook (.xlsx) as rows of text.

Parts and cells: ECMA-376 part 1, 18.3 (sheets) and 18.4 (shared strings). Formulas are not
evaluated: their stored value is read, or without one their text, which begins with ``=``.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree

MAX_PART_BYTES = 200_000_000
_ZIP = b"PK\x03\x04"
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_BOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']([A-Z0-9:]+)[\"']")
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\s[^>]*?r=[\"']([A-Z]{1,3})(\d{1,7})[\"'][^>]*>\s*<(?:\w+:)?f[\s>/]"
)
_CELL = re.compile(r"([A-Z]{1,3})\d+")
_MOST_COLUMNS = 256
_MOST_ROWS = 1_048_576  # Excel specifications and limits


class WorkbookError(ValueError):
    """A file that is no workbook, or a damaged one; says why, without the file's name."""


def is_workbook(raw: bytes) -> bool:
    """Whether it is a zip file, as every workbook is."""
    return raw[:4] == _ZIP


def sheets_of(raw: bytes) -> Iterator[list[list[str]]]:
    """Every sheet, in the order of their files, as rows of cells.

    Raises
    ------
    WorkbookError
        If it is no workbook, is damaged, or declares entities.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as book:
            strings = _strings(book)
            for name in _sheet_names(book):
                yield list(_rows(_part(book, name), strings))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as failed:
        raise WorkbookError(
            f"a damaged workbook: {failed}; was it cut? Save the sheet as CSV"
        ) from None
    except ElementTree.ParseError as failed:
        raise WorkbookError(f"a workbook whose XML is damaged: {failed}") from None


def sheet_titles(raw: bytes) -> list[str]:
    """The title of every sheet that :func:`sheets_of` yields; without one, its file name.

    Raises
    ------
    WorkbookError
        If it is damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as book:
            files, titles = _sheet_names(book), dict[str, str]()
            if {_BOOK, _RELATIONS} <= set(book.namelist()):
                targets = {
                    one.get("Id"): one.get("Target", "").rpartition("/")[2]
                    for one in ElementTree.fromstring(_part(book, _RELATIONS))
                }
                for one in ElementTree.fromstring(_part(book, _BOOK)).iter():
                    if _tag(one) == "sheet":
                        titles[targets.get(one.get(_RELATION), "")] = one.get("name", "")
            names = [name.rpartition("/")[2] for name in files]
            return [titles.get(name) or name.removesuffix(".xml") for name in names]
    except ElementTree.ParseError as failed:
        raise WorkbookError(f"a workbook whose XML is damaged: {failed}") from None


def merged_cells(raw: bytes) -> list[list[str]]:
    """The areas of merged cells of every sheet of :func:`sheets_of`, such as ``B2:B5``."""
    with zipfile.ZipFile(io.BytesIO(raw)) as book:
        return [
            [area.decode() for area in _MERGED.findall(_part(book, name))]
            for name in _sheet_names(book)
        ]


def formula_cells(raw: bytes) -> list[list[tuple[int, str]]]:
    """The row and name of formula cells, for every sheet of :func:`sheets_of`."""
    with zipfile.ZipFile(io.BytesIO(raw)) as book:
        return [
            [(int(row), f"{column.decode()}{int(row)}") for column, row in found]
            for found in (_FORMULA.findall(_part(book, name)) for name in _sheet_names(book))
        ]


def has_macros(raw: bytes) -> bool:
    """Whether a workbook contains macros; they are never run."""
    with zipfile.ZipFile(io.BytesIO(raw)) as book:
        return "xl/vbaProject.bin" in book.namelist()


def _sheet_names(book: zipfile.ZipFile) -> list[str]:
    names = [name for name in book.namelist() if _SHEET.fullmatch(name)]
    if not names:
        raise WorkbookError("a zip file, and no workbook: it holds no sheets")
    return sorted(names, key=lambda one: (len(one), one))


def _part(book: zipfile.ZipFile, name: str) -> bytes:
    if book.getinfo(name).file_size > MAX_PART_BYTES:
        raise WorkbookError(f"{name} is larger than {MAX_PART_BYTES:,} bytes unpacked")
    data = book.read(name)
    if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data:
        raise WorkbookError(f"{name} declares entities, which no workbook does")
    return data


def _strings(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    root = ElementTree.fromstring(_part(book, "xl/sharedStrings.xml"))
    return ["".join(_texts(entry)) for entry in root if _tag(entry) == "si"]


def _rows(data: bytes, strings: list[str]) -> Iterator[list[str]]:
    """Rows of cells; empty cells and rows that the file leaves out are filled in."""
    done = 0
    for _, element in ElementTree.iterparse(io.BytesIO(data)):
        if _tag(element) != "row":
            continue
        number = element.get("r", "")
        while number.isdigit() and done < int(number) - 1 and int(number) - done < 1000:
            done += 1
            yield []
        done += 1
        if done > _MOST_ROWS:
            raise WorkbookError(f"a sheet has more than {_MOST_ROWS:,} rows, which none has")
        cells: list[str] = []
        for cell in element:
            if _tag(cell) == "c":
                place = _column(cell.get("r", "")) or len(cells)
                cells += [""] * (min(place, _MOST_COLUMNS) - len(cells))
                if len(cells) < _MOST_COLUMNS:
                    cells.append(_value(cell, strings))
        yield cells
        element.clear()


def _value(cell: ElementTree.Element, strings: list[str]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(_texts(cell))
    text = next((one.text or "" for one in cell if _tag(one) == "v"), "")
    if not text and (formula := next((one.text for one in cell if _tag(one) == "f"), None)):
        return f"={formula}"
    if kind == "s":
        return strings[int(text)] if text.isdigit() and int(text) < len(strings) else ""
    whole = re.fullmatch(r"(-?\d+)\.0+", text)
    return whole.group(1) if whole else text


def _texts(element: ElementTree.Element) -> Iterator[str]:
    """The text of a cell or string, in one run or several, without phonetic hints."""
    for one in element:
        if _tag(one) == "t":
            yield one.text or ""
        elif _tag(one) in ("r", "is"):
            yield from _texts(one)


def _column(reference: str) -> int:
    found = _CELL.fullmatch(reference)
    number = 0
    for letter in found.group(1) if found else "":
        number = 26 * number + ord(letter) - 64
    return number - 1 if number else 0


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
