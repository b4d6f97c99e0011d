"""Bills that were changed after they were written: every change that matters is named."""

from __future__ import annotations

import csv
import io
import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from toposmith.bill.bill import Bill
from toposmith.bill.bill_reader import read_bill, read_bill_workbook
from toposmith.bill.sheet_form import bill_bytes, bill_xlsx
from toposmith.bill.terms import Terms
from toposmith.bill.verification import differences
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.saved_designs import find_saved

CATALOG = load_catalog()


def bill_of(name: str) -> Bill:
    saved = find_saved(name)
    assert saved is not None
    return EvaluatedDesign(load_file(saved.path).design, CATALOG).bill


BILL = bill_of("dgx-a100-su")


def priced(currency: str | None = None) -> Bill:
    saved = find_saved("dgx-a100-su")
    assert saved is not None
    price = Price(Decimal("10.5"), "USD", date(2026, 5, 1), "offer")
    prices = PriceList({line.part: price for line in BILL.lines}, wanted=currency)
    return EvaluatedDesign(load_file(saved.path).design, CATALOG, terms=Terms(prices)).bill


def cells() -> list[tuple[str, str]]:
    """Every cell with a value below the heads of all sheets but the lines."""
    return [
        (sheet.title, cell.coordinate)
        for sheet in load_workbook(io.BytesIO(bill_xlsx(BILL)))
        if sheet.title != "Bill"
        for row in sheet.iter_rows(min_row=2)
        for cell in row
        if cell.value is not None and not str(cell.value).startswith("=")
    ]


def in_workbook(bill: Bill, *changes: tuple[str, str, Any], against: Bill | None = None) -> Any:
    book = load_workbook(io.BytesIO(bill_xlsx(bill)))
    for sheet, cell, value in changes:
        book[sheet][cell] = value
    return named(book, against or bill)


def named(book: Workbook, bill: Bill) -> Any:
    """What a workbook says otherwise than a bill, once it is written and read."""
    out = io.BytesIO()
    book.save(out)
    return differences(read_bill_workbook(out.getvalue(), "b.xlsx"), bill)


def test_every_cell_of_every_sheet_that_is_changed_is_named() -> None:
    asked = [cell for cell in cells() if cell not in _left_alone()]
    assert len(asked) > 40
    assert {sheet for sheet, _ in asked} >= {"Totals", "Links", "Cages", "To be settled"}
    assert in_workbook(BILL) == []
    # a column of every sheet at a time: each row differs in one cell
    for column in sorted({cell[0] for _, cell in asked}):
        changed = [(sheet, cell) for sheet, cell in asked if cell[0] == column]
        found = {one.where for one in in_workbook(BILL, *((*each, 123456) for each in changed))}
        for sheet, cell in changed:
            # what a row is called by tells which it is: then the whole row is in the file alone
            assert found & {f"{sheet}!{cell}", f"{sheet}!A{cell[1:]}"}, (sheet, cell)


def _left_alone() -> set[tuple[str, str]]:
    """Cells that rest on prices, or that people fill; and names of totals of prices."""
    book = load_workbook(io.BytesIO(bill_xlsx(BILL)))
    alone = ("signed", "complete", "prices_sha256")
    return {
        (sheet.title, cell.coordinate)
        for sheet in book
        for row in sheet.iter_rows(min_row=2)
        if row[0].value in alone
        for cell in row[1:]
    }


def test_a_changed_total_is_named_by_its_cell() -> None:
    (found,) = in_workbook(BILL, ("Totals", "C2", 123456))
    assert found.where == "Totals!C2"
    assert f"the file has '123456', the design gives '{BILL.power_w.known:g}" in found.text


def test_a_changed_speed_of_a_link_is_named_by_its_cell() -> None:
    assert [one.where for one in in_workbook(BILL, ("Links", "B2", 1))] == ["Links!B2"]


def test_a_total_of_prices_is_the_sum_of_its_lines_without_any_list() -> None:
    book = load_workbook(io.BytesIO(bill_xlsx(priced())))
    (row,) = (row[0].row for row in book["Totals"].iter_rows() if row[0].value == "price")
    assert in_workbook(priced(), against=BILL) == []
    (found,) = in_workbook(priced(), ("Totals", f"C{row}", 5), against=BILL)
    assert "the file has 5, its lines add up to" in found.text


@pytest.mark.parametrize("form", ["csv", "yaml", "json"])
def test_a_mark_of_doubt_that_was_removed_is_named(form: str) -> None:
    text = bill_bytes(BILL, form).decode()
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        next(row for row in rows if row["unverified"])["unverified"] = ""
        out = io.StringIO()
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
        changed = out.getvalue()
    elif form == "yaml":
        changed = re.sub(r", unverified: \[[^]]*\]", "", text, count=1)
    else:
        changed = re.sub(r'"unverified": \[\s*".*?\]', '"unverified": []', text, count=1, flags=16)
    (found,) = differences(read_bill(changed, f"b.{form}"), BILL)
    assert found.where.endswith("].unverified")


def test_a_currency_that_the_lines_do_not_have_is_named_without_any_list() -> None:
    text = bill_bytes(priced("USD"), "yaml").decode()
    assert differences(read_bill(text, "b.yaml"), BILL) == []
    changed = text.replace('currency: "USD"', 'currency: "EUR"', 1)
    (found,) = differences(read_bill(changed, "b.yaml"), BILL)
    assert (found.where, found.text) == (
        "policy.currency",
        "the file has 'EUR', its lines are in 'USD'",
    )
    assert found.line is not None


def test_what_differs_of_the_things_to_settle_is_named_by_entry() -> None:
    text = bill_bytes(BILL, "yaml").decode()
    first, *_ = BILL.to_settle
    changed = text.replace(f'text: "{first.text}', 'text: "all is well', 1)
    assert changed != text
    (found,) = differences(read_bill(changed, "b.yaml"), BILL)
    assert found.where == f"to_settle[{first.what} {first.label}].text"
    assert "'all is well" in found.text
    assert first.text[:20] in found.text
    lost = re.sub(r"(to_settle:\n)  - .*\n(    .*\n)+?(?=  - )", r"\1", text, count=1)
    assert lost != text
    (found,) = differences(read_bill(lost, "b.yaml"), BILL)
    assert found.where == f"to_settle[{first.what} {first.label}]"
    assert found.text.startswith("the file lacks ")
