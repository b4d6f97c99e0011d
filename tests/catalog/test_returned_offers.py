"""Offers that come back changed: another number, other pieces, a second sheet, old rates."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from openpyxl import Workbook

from toposmith.catalog import load_catalog
from toposmith.catalog.prices import PriceList, read_prices

CATALOG = load_catalog()
TODAY = date(2026, 6, 1)
HEAD = "part,part_number,length_m,order,price,currency,date,valid_until,source"


def offer(folder: Path, *rows: str, currency: str | None = None) -> PriceList:
    path = folder / "offer.csv"
    path.write_text("\n".join((HEAD, *rows)), encoding="utf-8")
    return read_prices(path, catalog=CATALOG, today=TODAY, currency=currency, mixed=True)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        # another switch of another maker, another airflow, a length that is not this one's
        ("7060x6-64pe,MQM9700-NS2F,", "'MQM9700-NS2F', which orders qm9700; its number is DCS-"),
        ("7060x6-64pe,DCS-7060X6-64PE-R,", "is not 'DCS-7060X6-64PE-R'"),
        ("mfp7e10,MFP7E10-N010,5", "mfp7e10 of 5 m is not 'MFP7E10-N010', which orders"),
        ("MQM9700-NS2F,MQM9790-NS2F,", "qm9700 is not 'MQM9790-NS2F'"),
    ],
)
def test_a_number_that_is_not_that_of_the_part_prices_nothing(
    tmp_path: Path, row: str, said: str
) -> None:
    read = offer(tmp_path, f"{row},4,900,USD,2026-05-01,,offer")
    (fault,) = read.faults
    assert "offer.csv:2: " in fault
    assert "part and part_number disagree: " in fault
    assert said in fault
    assert not read.prices
    assert not read.by_length


@pytest.mark.parametrize(
    ("row", "part", "length_m"),
    [
        ("qm9700,MQM9700-NS2F,", "qm9700", None),
        ("qm9700,mqm9700-ns2f,", "qm9700", None),
        ("qm9700,,", "qm9700", None),
        ("mfp7e10,MFP7E10-N010,10", "mfp7e10", 10.0),
        ("mfp7e10,MFP7E10-N010,", "mfp7e10", 10.0),
        # no maker's number is in the catalog: the vendor's own is welcome
        ("dac-25g-sfp28,ACME-1,", "dac-25g-sfp28", None),
    ],
)
def test_a_number_of_the_part_or_of_nothing_known_is_an_offer(
    tmp_path: Path, row: str, part: str, length_m: float | None
) -> None:
    read = offer(tmp_path, f"{row},4,900,USD,2026-05-01,,offer")
    assert read.faults == ()
    priced = read.by_length.get((part, length_m)) if length_m else read.prices.get(part)
    assert priced is not None
    assert priced.pieces == 4


def test_all_sheets_with_prices_are_read_and_a_second_price_is_told(tmp_path: Path) -> None:
    head = ("part", "price", "currency", "date", "source")
    book = Workbook()
    book.active.title = "Cover"
    for title, rows in (
        ("Offer", [("qm9700", 24000)]),
        ("More", [("qm9700", 99999), ("qm9790", 7)]),
    ):
        sheet = book.create_sheet(title)
        sheet.append(head)
        for row in rows:
            sheet.append((*row, "USD", "2026-05-01", "offer"))
    book.save(tmp_path / "o.xlsx")
    read = read_prices(tmp_path / "o.xlsx", catalog=CATALOG, today=TODAY)
    (fault,) = read.faults
    assert "o.xlsx:More:2: qm9700: part: also in " in fault
    assert fault.endswith("o.xlsx:Offer:2")
    assert {part: int(price.amount) for part, price in read.prices.items()} == {
        "qm9700": 24000,
        "qm9790": 7,
    }


def test_a_sheet_of_prices_that_lacks_a_column_is_told_beside_others(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(("part", "price", "currency", "date", "source"))
    book.active.append(("qm9700", 24000, "USD", "2026-05-01", "offer"))
    sheet = book.create_sheet("More")
    sheet.append(("part", "price", "currency"))
    sheet.append(("qm9790", 7, "USD"))
    book.save(tmp_path / "o.xlsx")
    read = read_prices(tmp_path / "o.xlsx", catalog=CATALOG, today=TODAY)
    (fault,) = read.faults
    assert "o.xlsx:More:1: no column date, source" in fault
    assert list(read.prices) == ["qm9700"]


def rated(folder: Path, rate: str) -> PriceList:
    rates, prices = folder / "rates.csv", folder / "prices.csv"
    rates.write_text(f"currency,to,rate,date,source\n{rate}\n", encoding="utf-8")
    prices.write_text(
        "part,price,currency,date,source\nqm9700,100,EUR,2026-05-01,o\n", encoding="utf-8"
    )
    return read_prices(rates, prices, catalog=CATALOG, today=TODAY, currency="USD", mixed=True)


def test_an_old_rate_of_exchange_is_told_where_it_converts(tmp_path: Path) -> None:
    (note,) = rated(tmp_path, "EUR,USD,1.08,2020-03-31,bank").notes
    assert note.endswith("rates.csv:2: the rate of exchange from EUR to USD is of 2020-03-31")
    assert rated(tmp_path, "EUR,USD,1.08,2026-03-31,bank").notes == ()
    assert rated(tmp_path, "CHF,USD,1.08,2020-03-31,bank").notes == ()


def test_a_rate_between_a_currency_and_itself_is_refused(tmp_path: Path) -> None:
    fault, *_ = rated(tmp_path, "EUR,EUR,2,2026-03-31,bank").faults
    assert "rates.csv:2: rate of exchange: to: EUR is the same currency" in fault
