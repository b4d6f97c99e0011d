"""Tables as text say all that is in them."""

from __future__ import annotations

import pytest

from toposmith.documents.aligned_text import MOST_CELL, listed, table_lines
from toposmith.documents.table import Cell, Column, Note, Row, Table

LONG = "leaf " * MOST_CELL
COLUMNS = (Column("what"), Column("before"), Column("after", right=True))


def table(before: str) -> Table:
    row = Row("0", (Cell("busbw"), Cell(before), Cell("2")), (f"busbw: {before}, then 2", "fix: x"))
    return Table(COLUMNS, (row,), (Note("two designs"),), "nothing differs")


def test_a_row_that_is_cut_is_said_in_full_below_it() -> None:
    head, row, said, fix = table_lines(table(LONG))
    assert LONG not in row and "..." in row
    assert said == f"      busbw: {LONG}, then 2"
    assert fix == "      fix: x"
    assert len(table_lines(table("1"))) == 2
    assert head.split() == ["what", "before", "after"]


def test_what_can_only_be_drawn_is_no_column_of_text() -> None:
    columns = (Column("what"), Column("", bar=True), Column("kept"))
    bars = Table(columns, (Row("0", (Cell("x"), Cell("", 0.5), Cell("50 %"))),))
    assert [line.split() for line in table_lines(bars)] == [["what", "kept"], ["x", "50", "%"]]


def test_rows_are_listed_by_number_with_all_that_is_said_of_them() -> None:
    assert listed("pod", table("1"), "more").splitlines() == [
        *("pod", "two designs", ""),
        *(" 1  busbw: 1, then 2", "    fix: x", "more"),
    ]
    assert listed("pod", Table(COLUMNS, empty="nothing differs")).endswith("\n\nnothing differs\n")


@pytest.mark.parametrize("room", [80, 100, 120, 200])
def test_a_table_folds_to_a_terminal_and_says_all_the_same(room: int) -> None:
    titles = ("switches", "modules", "cables", "power", "free ports", "parts")
    columns = (
        Column("fabric", wide=90, fill=18, wraps=True),
        *(Column(title, rank=rank, right=True) for rank, title in enumerate(titles, 2)),
    )
    words = ("sn6600: top-of-rack, 5 racks of 13, 5 leaves, 1 spine (7.43:1)", "6", "550", "547")
    cells = (*words, "at least 919.6 kW", "178", "sn6600 and sn5600 and others")
    wide = Table(columns, (Row("0", tuple(map(Cell, cells))),))
    lines = table_lines(wide, room)
    assert max(map(len, lines)) <= room
    said = " ".join(" ".join(lines).split())
    assert [cell for cell in cells[1:] if cell not in said] == []
    assert all(word in said.split() for word in cells[0].split())
    assert table_lines(wide, 400) == table_lines(wide)
