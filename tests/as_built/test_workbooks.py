"""Workbooks as dumps and plans: what other programs write reads like our own."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest

from tests.as_built.fabrics import design, plan_of
from toposmith.as_built.cable_list import UnreadableError
from toposmith.as_built.reading.file_formats import read_bytes
from toposmith.exports.forms import FORMS

HEAD = ["A-Node", "A-Port", "Z-Node", "Z-Port"]


def _book(*sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_the_point_to_point_workbook_reads_back_whole() -> None:
    one = design("dgx-h100-superpod-1su")
    raw = b"".join(FORMS["cvt"].make(one, None, None).pieces)
    found = read_bytes("p2p", raw)
    planned = plan_of(one)
    assert found.form == "point-to-point sheet (XLSX)"
    assert {cable.ends() for cable in found.cables} == {cable.ends() for cable in planned.cables}


def test_shared_strings_numbers_titles_above_and_other_sheets_before_do_not_matter() -> None:
    """As openpyxl, and so most programs, write: strings shared, numbers as numbers."""
    notes = [["made by", "somebody"], ["on", 3.5]]
    links = [["Cables of hall 2"], [], HEAD, ["leaf1", 1, "host1", "mlx5_0"],
             ["leaf1", 2.0, "host2", "mlx5_0"], [None, None, None, None]]  # fmt: skip
    found = read_bytes("book", _book(notes, links))
    assert [(one.a, one.z) for one in found.cables] == [
        (("leaf1", "1"), ("host1", "mlx5_0")),
        (("leaf1", "2"), ("host2", "mlx5_0")),
    ]
    assert found.cables[0].place == "book:4"


def _zip(**parts: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        for name, text in parts.items():
            book.writestr(name.replace("__", "/"), text)
    return out.getvalue()


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (_book([["A-Node", "A-Port"], ["leaf1", 1]]), "no sheet of this workbook lists cables"),
        (_book([HEAD, ["leaf1", 1, "", ""]]), "without a single cable"),
        (_book([HEAD])[:700], "damaged workbook"),
        (_zip(readme="hello"), "no workbook: it holds no sheets"),
        (_zip(**{"xl__worksheets__sheet1.xml": "<sheetData><row>"}), "XML is damaged"),
        (
            _zip(**{"xl__worksheets__sheet1.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}),
            "declares entities",
        ),
    ],
)
def test_bad_workbooks_are_named(raw: bytes, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        read_bytes("book.xlsx", raw)
