"""Price lists that are workbooks, and bills that come back with prices."""

from __future__ import annotations

import csv
import io
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from toposmith.bill.sheet_form import bill_bytes
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import PriceList, read_prices
from toposmith.evaluation import EvaluatedDesign
from toposmith.templates import new_design

CATALOG = load_catalog()
HEAD = ("part", "length_m", "price", "currency", "date", "valid_until", "source")


def prices_of(path: Path) -> PriceList:
    return read_prices(path, catalog=CATALOG, today=date(2026, 6, 1), mixed=True)


def book(path: Path, *rows: tuple[Any, ...]) -> Path:
    made = Workbook()
    made.active.append(("our reference", "815"))
    sheet = made.create_sheet("Offer")
    for row in rows:
        sheet.append(row)
    made.save(path)
    return path


def test_a_workbook_is_read_like_csv_with_its_dates_and_every_bad_row_is_named(
    tmp_path: Path,
) -> None:
    offer = book(
        tmp_path / "offer.xlsx",
        HEAD,
        ("qm9700", None, 24500.5, "USD", date(2026, 3, 31), date(2026, 12, 31), "offer"),
        ("mfp7e10", 5, -100, "USD", "2026-03-31", None, "offer"),
        ("mfp7e10", 7, "=1+1", "USD", "2026-03-31", None, "offer"),
        ("nope", None, 1, "USD", "2026-03-31", None, "offer"),
        ("mma4z00-ns", None, 900, None, "2026-03-31", None, "offer"),
        ("dgx-h100", None, 300000, "USD", "2026-03-31", None, "offer"),
    )
    read = prices_of(offer)
    one = read.price("qm9700")
    assert one is not None
    assert (one.amount, one.date.isoformat()) == (Decimal("24500.5"), "2026-03-31")
    assert read.price("dgx-h100") is not None
    places = [str(fault).split(": ")[0].rpartition(":")[2] for fault in read.faults]
    assert sorted(set(places)) == ["3", "4", "5", "6"]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_bill_that_comes_back_with_prices_is_a_price_list(tmp_path: Path, form: str) -> None:
    design = new_design("leaf-spine", {"su": 1, "nodes": 4}, catalog=CATALOG)
    request = bill_bytes(EvaluatedDesign(design, CATALOG).bill, form)
    path = tmp_path / f"request.{form}"
    filled = {"unit_price": "30000", "currency": "USD", "price_date": "2026-05-02"}
    filled |= {"price_source": "offer 9"}
    if form == "csv":
        head, *rows = csv.reader(io.StringIO(request.decode()))
        for row in rows:
            if row[head.index("part")] == "qm9700":
                for name, value in filled.items():
                    row[head.index(name)] = value
        out = io.StringIO()
        csv.writer(out).writerows([head, *rows])
        path.write_text(out.getvalue(), encoding="utf-8")
    else:
        made = load_workbook(io.BytesIO(request))
        sheet = made["Bill"]
        head = [cell.value for cell in sheet[1]]
        for row in sheet.iter_rows(min_row=2):
            if row[head.index("part")].value == "qm9700":
                for name, value in filled.items():
                    row[head.index(name)].value = value
        made.save(path)
    read = prices_of(path)
    assert not read.faults
    one = read.price("qm9700")
    assert one is not None
    assert (one.amount, one.currency, one.source) == (Decimal(30000), "USD", "offer 9")
    assert read.price("dgx-h100") is None


@pytest.mark.parametrize(
    ("raw", "words"),
    [(b"PK\x03\x04nonsense", "damaged workbook"), (b"PK\x03\x04", "damaged workbook")],
)
def test_a_damaged_workbook_is_one_fault(tmp_path: Path, raw: bytes, words: str) -> None:
    path = tmp_path / "offer.xlsx"
    path.write_bytes(raw)
    (fault,) = prices_of(path).faults
    assert words in str(fault)


def test_a_workbook_without_the_columns_names_them(tmp_path: Path) -> None:
    (fault,) = prices_of(book(tmp_path / "offer.xlsx", ("part", "cost"), ("qm9700", 1))).faults
    assert "the columns are part, price, currency, date, source" in str(fault)


COLUMNS = ",".join(HEAD)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", f"{COLUMNS}\n", "a.csv:1: no prices below the names of the columns"),
        ("a.csv", "", "a.csv:1: the file is empty"),
        ("a.xlsx", "hello", "a.xlsx:1: no workbook, though it is called one"),
        (
            "a.csv",
            "part,price,price,currency,date,source\nqm9700,1,2,USD,2026-01-02,o",
            "a.csv:1: two columns price; which one counts?",
        ),
        (
            "a.csv",
            f"{COLUMNS}\nqm9700,,5,USD,2026-03-01,2026-02-01,o",
            "a.csv:2: qm9700: valid_until: 2026-02-01 is before the day of the price, 2026-03-01",
        ),
        (
            "a.csv",
            f"{COLUMNS}\nqm9700,,,,,,",
            "a.csv:2: qm9700: price, currency, date, source: miss",
        ),
    ],
)
def test_a_list_that_cannot_be_what_it_says_is_one_fault(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    read = prices_of(path)
    (fault,) = read.faults
    assert words in fault
    assert not read.prices


def test_merged_cells_are_told_by_their_range(tmp_path: Path) -> None:
    price = (100, "USD", "2026-03-31", None, "offer")
    path = book(tmp_path / "o.xlsx", HEAD, ("mfp7e10", 5, *price), ("mfp7e10", 7, *([None] * 5)))
    made = load_workbook(path)
    made["Offer"].merge_cells("C2:C3")
    made.save(path)
    prices = prices_of(path)
    assert any(f"{path}: cells C2:C3 are merged" in fault for fault in prices.faults)
    assert prices.price("mfp7e10", 5.0) is not None
