"""The formulas of a bill's workbook, worked out by a reader of formulas that is not the engine."""

from __future__ import annotations

import io
import operator
import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import openpyxl
import pytest

from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.terms import SparePolicy
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.fabric.planner import plan_design
from toposmith.templates import new_design

CATALOG = load_catalog()
DAY = date(2026, 5, 1)


class Value:
    """A cell, or a column of cells, with the operators of a spreadsheet."""

    def __init__(self, *cells: Any) -> None:
        self.cells = cells

    def _with(self, other: Any, work: Callable[[Any, Any], Any]) -> Value:
        theirs = other.cells if isinstance(other, Value) else (other,)
        many = max(len(self.cells), len(theirs))
        pairs = zip(
            self.cells * (many // len(self.cells)), theirs * (many // len(theirs)), strict=True
        )
        return Value(*(work(a, b) for a, b in pairs))

    def __mul__(self, other: Any) -> Value:
        return self._with(other, lambda a, b: (a or 0) * (b or 0))

    def __add__(self, other: Any) -> Value:
        return self._with(other, lambda a, b: (a or 0) + (b or 0))

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return self._with(other, lambda a, b: a == b or {a, b} <= {None, ""})

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return self._with(other, lambda a, b: not (a == b or {a, b} <= {None, ""}))

    def __gt__(self, other: Any) -> Value:
        return self._with(other, operator.gt)

    def __and__(self, other: Any) -> Value:
        return self._with(other, lambda a, b: f"{a}{b}")

    def __rand__(self, other: Any) -> Value:
        return self._with(other, lambda a, b: f"{b}{a}")

    def __neg__(self) -> Value:
        return Value(*(-one for one in self.cells))

    def __bool__(self) -> bool:
        return bool(self.cells[0])


def _cells(value: Any) -> tuple[Any, ...]:
    return value.cells if isinstance(value, Value) else (value,)


def _sumif(column: Value, wanted: Any, amounts: Value) -> Value:
    (one,) = _cells(wanted)
    pairs = zip(column.cells, amounts.cells, strict=True)
    return Value(sum(b for a, b in pairs if one and a == one and b not in (None, "")))


def _first_text(column: Value) -> str:
    return next((one for one in column.cells if one), "")


FUNCTIONS = {
    "SUMIF": _sumif,
    "SUMPRODUCT": lambda one: Value(sum(one.cells)),
    "COUNT": lambda one: Value(sum(isinstance(cell, int | float) for cell in one.cells)),
    "MAX": lambda a, b: Value(max(*_cells(a), *_cells(b))),
    "IF": lambda asked, yes, no: yes if asked else no,
    # INDEX(column, MATCH("?*", column, 0)) is the first text of a column
    "MATCH": lambda _any, column, _exact: column,
    "INDEX": lambda _column, column: _first_text(column),
    "IFERROR": lambda one, _other: one,
}


class Book:
    """A workbook whose formulas are worked out anew at every look."""

    def __init__(self, bill: Bill) -> None:
        self.book = openpyxl.load_workbook(io.BytesIO(bill_xlsx(bill)))
        self.at = {cell.value: cell.column_letter for cell in self.book["Bill"][1]}

    def fill(self, part: str, **cells: Any) -> None:
        sheet = self.book["Bill"]
        for row in range(2, sheet.max_row + 1):
            if part in ("*", sheet[f"{self.at['part']}{row}"].value):
                for name, value in cells.items():
                    sheet[f"{self.at[name]}{row}"] = value

    def cell(self, sheet: str, place: str) -> Any:
        held = self.book[sheet][place].value
        if not (isinstance(held, str) and held.startswith("=")):
            return held
        texts = re.split(r'("[^"]*")', held[1:])
        (value,) = _cells(eval("".join(map(self._python, texts)), self._names(sheet)))
        return value

    @staticmethod
    def _python(text: str) -> str:
        if text.startswith('"'):
            return text
        text = re.sub(r"Bill!\$([A-Z]+)\$(\d+):\$[A-Z]+\$(\d+)", r"column('\1',\2,\3)", text)
        text = re.sub(r"(?<![A-Z'])([A-Z]{1,2}\d+)", r"one('\1')", text)
        return re.sub(r"(?<![<>])=", "==", text).replace("<>", "!=")

    def _names(self, sheet: str) -> dict[str, Any]:
        def column(letter: str, first: int, last: int) -> Value:
            return Value(*(self.cell("Bill", f"{letter}{row}") for row in range(first, last + 1)))

        return {**FUNCTIONS, "column": column, "one": lambda at: Value(self.cell(sheet, at))}

    def totals(self) -> Iterator[tuple[Any, ...]]:
        sheet = self.book["Totals"]
        for row in range(2, sheet.max_row + 1):
            if str(sheet[f"A{row}"].value).endswith("price"):
                yield tuple(self.cell("Totals", f"{letter}{row}") for letter in "ABCE")


PLAN = plan_design(new_design("leaf-spine", {"su": 1, "nodes": 4}, catalog=CATALOG), CATALOG)


def bill_of(prices: PriceList | None, **spares: int) -> Bill:
    return make_bill(PLAN, CATALOG, prices=prices, spares=SparePolicy(spares))


def test_prices_that_are_filled_into_a_bill_without_any_add_up_at_once() -> None:
    bill = bill_of(None, switches=2)
    book = Book(bill)
    lines = len(bill.lines)
    name, unit, known, state = next(book.totals())
    assert (name, unit or "", known or "") == ("price", "", "")
    assert state == f"incomplete: {lines} of {lines} lines have no price"
    book.fill("*", unit_price=10, currency="EUR")
    pieces, ordered = (sum(getattr(x, what) for x in bill.lines) for what in ("quantity", "order"))
    assert list(book.totals()) == [
        ("price", "EUR", 10 * pieces, "complete"),
        ("spares_price", "EUR", 20, "complete"),
        ("order_price", "EUR", 10 * ordered, "complete"),
    ]
    book.fill("qm9700", currency="USD")
    assert next(book.totals())[3] == "incomplete: 1 in another currency, or in none"


@pytest.mark.parametrize("least", [None, 1, 20])
def test_what_is_to_pay_follows_a_price_and_keeps_to_the_smallest_lot(least: int | None) -> None:
    price = Price(Decimal(10), "USD", DAY, "offer", minimum_order=least)
    bill = bill_of(PriceList({"qm9700": price}), switches=2)
    (line,) = bill.lines_of("switch")
    book = Book(bill)
    for one in (10, 25):
        book.fill("qm9700", unit_price=one)
        (total,) = (row for row in book.totals() if row[0] == "order_price")
        assert total[2] == one * max(line.order, least or 0)
        assert total[3] == f"incomplete: {len(bill.lines) - 1} of {len(bill.lines)} lines have " + (
            "no price"
        )


def test_the_values_saved_with_formulas_are_what_they_come_to() -> None:
    price = Price(Decimal("10.25"), "USD", DAY, "offer", minimum_order=20)
    bill = bill_of(PriceList({"qm9700": price, "dgx-h100": price}), switches=2)
    book = Book(bill)
    saved = openpyxl.load_workbook(io.BytesIO(bill_xlsx(bill)), data_only=True)
    worked = 0
    for sheet in ("Bill", "Totals"):
        for row in book.book[sheet].iter_rows(min_row=2):
            for cell in row:
                if not str(cell.value).startswith("=") or "see unit_price" in cell.value:
                    continue
                worked += 1
                now, was = book.cell(sheet, cell.coordinate), saved[sheet][cell.coordinate].value
                now, was = (round(x, 6) if isinstance(x, float) else x for x in (now, was))
                assert (now or None) == (was or None), (sheet, cell.coordinate)
    assert worked > 20
