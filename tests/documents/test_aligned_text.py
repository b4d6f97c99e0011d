"""Tables as text say all that is in them."""

from __future__ import annotations

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
