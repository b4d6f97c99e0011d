"""Requests for quotation: each line once, with its vendor; filled ones are price lists."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook

from toposmith.bill.bill import make_bill
from toposmith.bill.bill_reader import read_bill, read_bill_workbook
from toposmith.bill.sheet_form import bill_bytes, requests
from toposmith.bill.terms import CablingPolicy, SparePolicy, Terms, read_options
from toposmith.bill.verification import differences
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import Price, PriceList, read_prices
from toposmith.command.options import Ordered
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved, saved_designs
from toposmith.templates import new_design

CATALOG = load_catalog()
TODAY = date(2026, 6, 1)
FILLED = {
    "unit_price": "12.50",
    "currency": "EUR",
    "price_date": "2026-05-02",
    "valid_until": "2026-07-01",
    "price_source": "offer 9",
}


def bill_of(name: str) -> EvaluatedDesign:
    saved = find_saved(name)
    assert saved is not None
    return EvaluatedDesign(load_file(saved.path).design, CATALOG)


@pytest.mark.parametrize("name", [saved.name for saved in saved_designs()])
def test_every_line_is_asked_of_its_vendor_and_has_a_price_when_they_come_back(
    name: str, tmp_path: Path
) -> None:
    bill = bill_of(name).bill
    asked: Counter[tuple[str, str, str]] = Counter()
    lists = []
    for file, pieces in requests(bill, "csv"):
        rows = list(csv.DictReader(io.StringIO(b"".join(pieces).decode())))
        assert len({row["manufacturer"] for row in rows}) == 1
        for row in rows:
            length = float(row["length_m"]) if row["length_m"] else None
            asked[row["part"], row["manufacturer"], str(length)] += int(row["order"])
        path = tmp_path / file
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, rows[0])
            writer.writeheader()
            writer.writerows(row | FILLED for row in rows)
        lists.append(path)
    assert asked == Counter(
        {(line.part, line.manufacturer, str(line.length_m)): line.order for line in bill.lines}
    )
    read = read_prices(*lists, catalog=CATALOG, today=TODAY)
    assert (read.faults, read.notes) == ((), ())
    for line in bill.lines:
        price = read.price(line.part, line.length_m)
        assert price is not None, line.part
        assert price.valid_until == date(2026, 7, 1)


def test_a_workbook_is_filled_in_part_and_the_rest_is_no_offer(tmp_path: Path) -> None:
    ((file, pieces),) = requests(bill_of("dgx-h100-superpod-4su").bill, "xlsx")
    path = tmp_path / file
    path.write_bytes(b"".join(pieces))
    book = load_workbook(path)
    head = [cell.value for cell in book.active[1]]
    for name, value in (FILLED | {"price_date": date(2026, 5, 2)}).items():
        book.active.cell(2, head.index(name) + 1, value)
    book.save(path)
    read = read_prices(path, catalog=CATALOG, today=TODAY)
    assert (read.faults, list(read.prices)) == ((), ["dgx-h100"])


def test_no_name_of_a_vendor_leaves_the_folder_or_takes_the_file_of_another() -> None:
    bill = bill_of("dgx-h100-superpod-4su").bill
    names = ("../../etc", "Acme", "ACME!", "", "株式会社", "=cmd|' /C calc'!A0")
    lines = [
        replace(line, manufacturer=name) for line, name in zip(bill.lines, names, strict=False)
    ]
    files = dict(requests(replace(bill, lines=tuple(lines)), "csv"))
    assert len(files) == len(lines)
    assert not any(set(file) & set("/\\= ") for file in files)
    text = b"".join(files["cmd-c-calc-a0.csv"]).decode()
    assert ",'=cmd|" in text


def test_what_is_paid_has_spares_and_no_fewer_than_are_sold_at_once() -> None:
    # by hand: 8 of a leaf-spine's leaves at 10 each, 2 spares, in lots of 20
    price = Price(Decimal(10), "USD", TODAY, "offer", minimum_order=20, lead_time_days=84)
    design = new_design("leaf-spine", {"su": 1, "nodes": 4}, catalog=CATALOG)
    spares = SparePolicy({"switches": 2})
    plan = plan_design(design, CATALOG)
    bill = make_bill(plan, CATALOG, prices=PriceList({"qm9700": price}), spares=spares)
    (line,) = bill.lines_of("switch")
    assert line.quantity + 2 == line.order < 20 == line.paid_pieces
    assert bill.price.known == {"USD": Decimal(10 * line.quantity)}
    assert bill.order_price.known == {"USD": Decimal(200)}
    assert bill.lead_time_words.startswith("84 days for qm9700; 1 of ")


@pytest.mark.parametrize("form", ["csv", "xlsx", "cyclonedx"])
def test_a_table_carries_the_options_that_it_was_made_with(form: str, tmp_path: Path) -> None:
    design = new_design("leaf-spine", {"su": 1, "nodes": 4}, catalog=CATALOG)
    policy = CablingPolicy("all-optical", (30.0, 50.0))
    terms = Terms(None, policy, SparePolicy({"cables": "2 %", "nodes": 1}))
    made = bill_bytes(EvaluatedDesign(design, CATALOG, terms=terms).bill, form)
    read = (
        read_bill_workbook(made, "b.xlsx")
        if form == "xlsx"
        else read_bill(made.decode(), f"b.{form.replace('cyclonedx', 'json')}")
    )
    assert read.data["policy"] == {
        "cabling": "all-optical",
        "lengths": "racks",
        "stock_lengths_m": [30.0, 50.0],
        "spares": {"nodes": 1, "cables": "2%"},
    }
    asked = Ordered((), None).terms(design, CATALOG, read)
    assert differences(read, EvaluatedDesign(design, CATALOG, terms=asked).bill) == []
    usual = differences(read, EvaluatedDesign(design, CATALOG).bill)
    assert "policy.cabling" in {one.where for one in usual}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("bom --cabling glass", "--cabling: found 'glass'"),
        ("bom --stock 5,x", "--stock: found 'x', expected metres"),
        ("bom --spares cables=ten", "expected a share such as 2%"),
        ("bom --sudo x", "expected options such as --cabling"),
        ("bom --currency", "expected options such as --cabling"),
        ("bom --currency usd", "--currency: found 'usd'"),
    ],
)
def test_options_that_cannot_be_read_are_told(options: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        read_options(options)
    assert read_options("people's own words") is None


def test_an_offer_of_other_pieces_or_of_a_day_gone_by_is_to_be_settled() -> None:
    design = new_design("leaf-spine", {"su": 1, "nodes": 4}, catalog=CATALOG)
    plan = plan_design(design, CATALOG)
    (needed,) = make_bill(plan, CATALOG).lines_of("switch")

    def open_with(price: Price) -> list[tuple[str, str]]:
        bill = make_bill(plan, CATALOG, prices=PriceList({"qm9700": price}))
        assert bill.complete is False
        return [
            (one.label, one.text)
            for one in bill.to_settle
            if one.what == "price" and one.parts == ("qm9700",)
        ]

    price = Price(Decimal(10), "USD", TODAY, "offer", pieces=needed.order)
    assert open_with(price) == []
    ((label, text),) = open_with(replace(price, pieces=999))
    assert (label, text.split(";")[0]) == (
        "assumed",
        f"the offer is of 999 pieces, and {needed.order} are ordered",
    )
    ((label, text),) = open_with(replace(price, ended=True))
    assert label == "assumed"
    assert "an offer that has ended" in text


def test_a_request_asks_to_confirm_a_number_that_is_in_doubt_and_no_other() -> None:
    bill = bill_of("dgx-h100-superpod-4su").bill
    (line,) = bill.lines_of("switch")
    for doubt, asked in ((("part_number", "power_w"), True), (("power_w",), False)):
        doubted = replace(bill, lines=(replace(line, unverified=doubt),))
        for form in ("csv", "xlsx"):
            ((_, pieces),) = requests(doubted, form)
            raw = b"".join(pieces)
            if form == "csv":
                (row,) = csv.DictReader(io.StringIO(raw.decode()))
                notes = row["notes"]
            else:
                sheet = load_workbook(io.BytesIO(raw)).active
                notes = str(sheet.cell(2, sheet.max_column).value)
            assert ("part number unverified" in notes) is asked
