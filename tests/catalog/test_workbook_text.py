"""Damaged and hostile workbooks: which part, and what is wrong with it."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
import xlsxwriter

from toposmith.catalog.workbook_text import WorkbookError, has_macros, sheets_of

SHEET = "xl/worksheets/sheet1.xml"


def book() -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as made:
        offer = made.add_worksheet("offer")
        for row in range(200):
            offer.write_row(row, 0, (f"part-{row}", row, 1.5 * row))
    return out.getvalue()


GOOD = book()
PARTS = ("xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml", SHEET)


def zipped(**changed: bytes) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(GOOD)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, changed.get(name, old.read(name)))
    return out.getvalue()


def sheet(body: bytes) -> bytes:
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return b'<worksheet xmlns="' + main + b'"><sheetData>' + body + b"</sheetData></worksheet>"


@pytest.mark.parametrize("part", PARTS)
def test_a_damaged_stream_names_its_part(part: str) -> None:
    with zipfile.ZipFile(io.BytesIO(GOOD)) as whole:
        info = whole.getinfo(part)
    (name, extra) = struct.unpack("<HH", GOOD[info.header_offset + 26 : info.header_offset + 30])
    begin = info.header_offset + 30 + name + extra
    for place in (begin, begin + info.compress_size // 2):
        raw = GOOD[:place] + b"\xff\xff\xff" + GOOD[place + 3 :]
        with pytest.raises(WorkbookError, match=rf"damaged.*{part}"):
            list(sheets_of(raw))


def test_a_workbook_cut_anywhere_is_refused() -> None:
    for end in range(4, len(GOOD) - 1, 97):
        with pytest.raises(WorkbookError, match="damaged"):
            list(sheets_of(GOOD[:end]))
        with pytest.raises(WorkbookError, match="damaged"):
            has_macros(GOOD[:end])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<row>" + b"<c/>" * 2_000_000 + b"</row>", "more cells than"),
        (b"<row/>" * 1_500_000, "unpacks to more than"),
        (b" " * 30_000_000, "unpacks to more than"),
        (b"<row><c t='inlineStr'><is><t>" + b"x" * 40_000 + b"</t></is></c></row>", "32,767"),
        (b"<row><c></row>", "line 1: mismatched tag"),
        (b"<row><c>&b;</c></row>", "undefined entity"),
    ],
)
def test_a_small_file_cannot_fill_the_memory(body: bytes, words: str) -> None:
    with pytest.raises(WorkbookError, match=words):
        list(sheets_of(zipped(**{SHEET: sheet(body)})))


def test_entities_are_refused_wherever_they_are_declared() -> None:
    text = b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + sheet(b"<row><c><v>&b;</v></c></row>")
    for part in (SHEET, "xl/sharedStrings.xml"):
        with pytest.raises(WorkbookError, match=f"{part} declares entities"):
            list(sheets_of(zipped(**{part: text})))


def test_a_number_of_a_row_or_string_without_bound_is_no_place() -> None:
    endless = b"9" * 5000
    body = b'<row r="' + endless + b'"><c t="s"><v>' + endless + b"</v></c><c><v>7</v></c></row>"
    (found, *_) = sheets_of(zipped(**{SHEET: sheet(body)}))
    assert found.rows == [["", "7"]]
