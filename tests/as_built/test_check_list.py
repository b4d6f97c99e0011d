"""The check list: rack by rack, what gains most first, in four forms that say the same."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import openpyxl
import pytest

from tests.as_built.fabrics import (
    TAPERED,
    compared,
    design,
    design_of,
    dump_of,
    plan_of,
    tapered_dumps,
)
from tests.as_built.test_real_dumps import cabling
from toposmith.as_built.check_list import CheckItem, check_list, written
from toposmith.as_built.costs import Costs, costs_of


@pytest.fixture(scope="module")
def tapered() -> tuple[list[CheckItem], Costs]:
    one = design_of(TAPERED)
    found = compared(plan_of(one), dump_of(tapered_dumps()["faults"]))
    costs = costs_of(one, found, ("all_reduce",))
    return check_list(found, costs), costs


class _Cells(HTMLParser):
    """The texts of table cells, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._in = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        self._in = tag == "td"
        if self._in:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in = False

    def handle_data(self, data: str) -> None:
        if self._in:
            self.rows[-1][-1] += data


def test_what_gains_most_for_a_step_comes_first(tapered: tuple[list[CheckItem], Costs]) -> None:
    items, _ = tapered
    gains = [item.per_step_GBps for item in items]
    assert items[0].difference.kind == "degraded" and gains[0] is not None and gains[0] > 100
    for rack in {item.under for item in items}:
        ones = [item for item in items if item.under == rack and not item.difference.group]
        own = [item.per_step_GBps or 0.0 for item in ones]
        assert own == sorted(own, reverse=True)


def test_moves_that_depend_on_each_other_stand_together_in_their_order() -> None:
    one = design("dgx-h100-superpod-1su")
    found = compared(plan_of(one), cabling("made/su1-faults-ibnetdiscover.out"))
    items = check_list(found, None)
    groups = [item.difference.group for item in items if item.difference.group]
    assert groups == ["move 2", "move 2", "move 1", "move 1"]
    told = [item.difference.instruction for item in items if item.difference.group]
    assert ["unplug both" in text for text in told] == [True, False, True, False]


def test_csv_xlsx_and_html_say_the_same_with_labels(tapered: tuple[list[CheckItem], Costs]) -> None:
    items, costs = tapered
    rows = list(csv.DictReader(io.StringIO(written("csv", items, costs).decode())))
    labels = [row["Label"] for row in rows]
    assert len(rows) == len(items) == 6
    assert all(label.startswith("C0") for label in labels)
    book = openpyxl.load_workbook(io.BytesIO(written("xlsx", items, costs)))
    sheet = list(book.active.values)
    assert [str(cell or "") for cell in sheet[0]] == list(rows[0])
    at = sheet[0].index("Label")
    assert [line[at] for line in sheet[1:]] == labels
    page = _Cells()
    page.feed(written("html", items, costs, "<b>pod</b>").decode())
    cells = [row for row in page.rows if row]
    assert [row[1] for row in cells] == labels
    text = " ".join(written("txt", items, costs).decode().split())
    for row in rows:
        first = row["Instruction"].partition(";")[0]
        assert first in text and any(first in row[3] for row in cells)


def test_hostile_names_are_neither_formulas_nor_markup() -> None:
    one = design_of(TAPERED)
    sheet = tapered_dumps()["faults"] + '"=cmd|1",eth1,"<script>x</script>",port 9,\n'
    found = compared(plan_of(one), dump_of(sheet))
    items = check_list(found, None)
    assert b"<script>" not in written("html", items, None, "<script>alert(1)</script>")
    for line in csv.reader(io.StringIO(written("csv", items, None).decode())):
        assert not any(cell.startswith(("=", "@", "+")) for cell in line)
