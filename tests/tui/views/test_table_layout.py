"""Tables are sorted and filtered without losing or inventing lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.every_design import CATALOG, EVERY
from toposmith.bill.order_words import bill_table
from toposmith.design.parser import parse_design
from toposmith.documents.table import GAP, Cell, Column, Row, Table, fitting_columns, shown_widths
from toposmith.evaluation import EvaluatedDesign
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.views.findings_view import findings_table
from toposmith.tui.views.table_layout import (
    Arrangement,
    arranged,
    lines_of_rows,
    next_column,
)

LARGE = ("b200", "dgx-b200", "too many")
TWO_LENGTHS = """toposmith: 1
groups:
  node:
    part: hgx-a100-8
    count: 4
    nics: {compute: {part: connectx-4-100gbe-2p, count: 1}}
  leaf: {part: sn2700}
links:
  - {between: [node.compute, leaf], cables: 1}
"""


def row(key: str, *cells: tuple[str, float | str | None]) -> Row:
    return Row(key, tuple(Cell(text, order) for text, order in cells))


TABLE = Table(
    (Column("part"), Column("power W", rank=2, right=True), Column("for", rank=3)),
    (
        row("leaf", ("QM9700", "QM9700"), ("1,720", 1720.0), ("leaf", "leaf")),
        row("node", ("DGX H100", "DGX H100"), ("10,200", 10200.0), ("node", "node")),
        row("fibre", ("fibre", "fibre"), ("unknown", None), ("node - leaf", "node - leaf")),
    ),
)


def keys(wish: Arrangement) -> list[str]:
    return [one.key for one in arranged(TABLE, wish)]


def test_a_table_stands_in_its_own_order_until_another_is_asked_for() -> None:
    assert keys(Arrangement()) == ["leaf", "node", "fibre"]
    assert keys(Arrangement(falling=True)) == ["fibre", "node", "leaf"]


def test_figures_are_sorted_as_figures_and_the_unknown_comes_last_either_way() -> None:
    assert keys(Arrangement(1)) == ["leaf", "node", "fibre"]
    assert keys(Arrangement(1, falling=True)) == ["node", "leaf", "fibre"]


def test_every_word_of_the_filter_must_be_in_the_line() -> None:
    assert keys(Arrangement(words="NODE")) == ["node", "fibre"]
    assert keys(Arrangement(words="leaf fib")) == ["fibre"]
    assert keys(Arrangement(words="spine")) == []


def test_columns_leave_by_rank_where_there_is_no_room() -> None:
    widths = TABLE.widths
    assert widths == (10 - 2, 9, 11)  # DGX H100; the heading with its sign; node - leaf
    assert fitting_columns(TABLE, sum(widths) + 3 * GAP) == [0, 1, 2]
    assert fitting_columns(TABLE, sum(widths) + 3 * GAP - 1) == [0, 1]
    assert fitting_columns(TABLE, 1) == [0]


@pytest.mark.parametrize("name", [name for name in EVERY if not name.startswith(LARGE)])
def test_no_table_is_wider_than_its_view(name: str) -> None:
    design = EVERY[name]
    now = EvaluatedDesign(design, CATALOG)
    for table in (
        findings_table(now.plan.findings, design, UNICODE),
        bill_table(now.bill, design),
    ):
        for width in range(46, 132):
            shown = shown_widths(table, fitting_columns(table, width), width)
            assert sum(cells + GAP for cells in shown.values()) <= width


def test_cables_of_two_lengths_do_not_read_alike_on_the_smallest_screen() -> None:
    design = parse_design(TWO_LENGTHS, "two lengths")
    table = bill_table(EvaluatedDesign(design, CATALOG).bill, design)
    assert len({row.cells[1].text for row in table.rows}) < len(table.rows)
    columns = fitting_columns(table, 50)
    lines = [tuple(row.cells[at].text for at in columns) for row in table.rows]
    assert len(set(lines)) == len(lines)


def test_sorting_goes_round_the_columns_that_are_shown() -> None:
    assert next_column([0, 2], None, 1) == 0
    assert next_column([0, 2], 0, 1) == 2
    assert next_column([0, 2], 2, 1) is None
    assert next_column([0, 2], None, -1) == 2
    assert next_column([0], 2, 1) == 0


ORDERS = st.one_of(st.none(), st.floats(allow_nan=False), st.text(max_size=3))


@given(st.lists(ORDERS, max_size=8), st.booleans())
def test_no_line_is_lost_by_sorting(orders: list[float | str | None], falling: bool) -> None:
    rows = tuple(row(str(at), (str(order), order)) for at, order in enumerate(orders))
    table = Table((Column("x"),), rows)
    shown = arranged(table, Arrangement(0, falling))
    assert sorted(one.key for one in shown) == sorted(one.key for one in rows)


def test_rows_take_as_many_lines_as_all_of_them_have_room_for() -> None:
    assert lines_of_rows([1, 4, 2], 7) == [1, 4, 2]
    assert lines_of_rows([1, 4, 2], 6) == [1, 3, 2]
    assert lines_of_rows([3, 3, 3], 6) == [2, 2, 2]
    assert lines_of_rows([3, 3, 3], 8) == [3, 3, 2], "the first have what is left"
    assert lines_of_rows([3, 3, 3], 2) == [1, 1, 1]
    assert lines_of_rows([], 5) == []


@pytest.mark.parametrize(
    "texts",
    [
        ["800 Gb/s twin-port 2 x SR4, finned", "800 Gb/s twin-port 2 x SR4, flat"],
        [
            "replace leaf with Spectrum-2 SN3700; 2 x ConnectX-6 Dx 200GbE in node.compute",
            "replace leaf with Spectrum-2 SN3700; 4 x ConnectX-6 Dx 200GbE in node.compute",
            "replace leaf with Spectrum-3 SN4600; 4 x ConnectX-6 Dx 200GbE in node.compute",
        ],
    ],
)
def test_a_cut_keeps_what_tells_a_text_from_others(texts: list[str]) -> None:
    for width in range(12, 34):
        shown = {UNICODE.apart(text, texts, width) for text in texts}
        assert len(shown) == len(texts)
        assert max(map(len, shown)) <= width
    assert UNICODE.apart("leaf", ["leaf", "lead"], 12) == "leaf"
