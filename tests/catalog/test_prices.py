"""Price lists: what is sound becomes prices, what is not is told with file and line."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from openpyxl import load_workbook
from xlsxwriter import Workbook

from toposmith.bill.bill import make_bill
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import PriceList, read_prices, user_price_lists
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
TODAY = date(2025, 6, 1)
HEADER = "part,price,currency,date,source\n"
QM9700 = "qm9700,24500.50,USD,2025-03-31,offer 4711 of Acme\n"


def read(*paths: Path) -> PriceList:
    return read_prices(*paths, catalog=CATALOG, today=TODAY)


def listed(folder: Path, text: str, name: str = "prices.csv") -> PriceList:
    (folder / name).write_text(text, encoding="utf-8")
    return read(folder / name)


LISTS = yaml.safe_load(Path(__file__).with_name("price_lists.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", LISTS, ids=lambda case: case["says"])
def test_price_lists_become_prices(tmp_path: Path, case: dict[str, Any]) -> None:
    for name, text in case["lists"].items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    prices = read(*(tmp_path / name for name in case["lists"]))
    for key, found in (("faults", prices.faults), ("notes", prices.notes)):
        said, expected = [one.replace(f"{tmp_path}/", "") for one in found], case.get(key, [])
        assert len(said) == len(expected) and all(map(fnmatchcase, said, expected)), said
    for wanted, amount in case["amounts"].items():
        part, _, metres = wanted.partition("@")
        price = prices.price(part, float(metres) if metres else None)
        assert (price and str(price.amount)) == amount, wanted
        assert price is None or price.stated == case.get("stated", {}).get(part, price.stated)
    assert prices.currency == case.get("currency", prices.currency)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("qm9701,1,USD,2025-01-01,x", "qm9701: part: the catalog has no part 'qm9701'; did you"),
        ("qm9700,-1,USD,2025-01-01,x", "qm9700: price: -1 is negative"),
        ("qm9700,free,USD,2025-01-01,x", "qm9700: price: 'free', digits are wanted as in 12500"),
        ('qm9700,"1,250.00",USD,2025-01-01,x', "qm9700: price: '1,250.00', digits are wanted"),
        ("qm9700,NaN,USD,2025-01-01,x", "qm9700: price: 'NaN', digits"),
        ("qm9700,1e9,USD,2025-01-01,x", "qm9700: price: '1e9', digits"),
        ("qm9700,1,$,2025-01-01,x", "qm9700: currency: '$', three capitals of ISO 4217"),
        ("qm9700,1,XYZ,2025-01-01,x", "qm9700: currency: 'XYZ', three capitals of ISO 4217"),
        ("qm9700,24500.505,USD,2025-01-01,x", "qm9700: price: '24500.505', digits are wanted"),
        ("qm9700,1,usd,2025-01-01,x", "qm9700: currency: 'usd', three capitals"),
        ("qm9700,1,USD,31.03.2025,x", "qm9700: date: '31.03.2025', a day as in 2025-03-31"),
        ("qm9700,1,USD,2025-02-30,x", "qm9700: date: '2025-02-30', a day as in"),
        ("qm9700,1,USD,2025-06-02,x", "qm9700: date: 2025-06-02 has not come yet"),
        ("qm9700,1,USD,2025-01-01,", "qm9700: source: missing"),
        ("qm9700,1,USD", "qm9700: date, source: missing"),
        (",1,USD,2025-01-01,x", "price: part: missing"),
        ("qm9700,1,USD,2025-01-01,\x1b[31mx", "qm9700: source: holds signs that a terminal"),
        ("\x1b[2J,1,USD,2025-01-01,x", r"\x1b[2J: part: the catalog has no part "),
    ],
)
def test_a_wrong_line_is_told_and_the_others_are_kept(tmp_path: Path, row: str, said: str) -> None:
    good = "dgx-h100,310000,USD,2025-04-01,offer\n"
    prices = listed(tmp_path, f"{HEADER}\n{row}\n{good}")
    assert prices.faults[0].startswith(f"{tmp_path}/prices.csv:3: {said}")
    assert set(prices.prices) == {"dgx-h100"}


def test_the_line_is_that_of_the_entry_in_yaml_too(tmp_path: Path) -> None:
    text = """# of spring
- {part: qm9700, price: -5, currency: USD, date: 2025-03-31, source: offer}
- just text
- part: dgx-h100
  part: dgx-h200
- {part: [qm9700], price: 5, currency: USD, date: 2025-03-31, source: offer}
"""
    prices = listed(tmp_path, text, "prices.yaml")
    assert [fault.removeprefix(f"{tmp_path}/prices.yaml:") for fault in prices.faults] == [
        "5: entry 3: 'part' is given twice",
        "3: price number 2: fields were expected, found 'just text'",
        "2: qm9700: price: -5 is negative",
        "6: ['qm9700']: part: the catalog has no part \"['qm9700']\"; did you mean "
        + " or ".join(CATALOG.nearest("['qm9700']"))
        + "?",
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.csv", "", "1: the file is empty; a list begins with its columns"),
        ("p.csv", "part,cost\n", "1: no column price, currency, date, source; the columns are"),
        ("p.csv", HEADER + '"qm9700', "2: not readable as CSV"),
        ("p.csv", "#" * 2_000_001, "1: more than the 2000000 bytes allowed"),
        ("p.yaml", "part: qm9700", "1: a list of prices was expected, found {'part': 'qm9700'}"),
        ("p.yaml", "- " * 2000, "1: nested more than 50 levels deep"),
        ("p.yaml", "#" * 2_000_001, "1: more than the 2000000 bytes allowed"),
    ],
)
def test_a_file_that_is_no_price_list_is_told(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (fault,) = listed(tmp_path, text, name).faults
    assert fault.startswith(f"{tmp_path}/{name}:{said}")


def test_a_list_in_another_encoding_says_its_line(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(HEADER.encode() + QM9700.replace("Acme", "Ü").encode("cp1252"))
    assert read(tmp_path / "p.csv").faults == (
        f"{tmp_path}/p.csv:2: no UTF-8 text; save the list as CSV in UTF-8",
    )


def test_a_list_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert read(tmp_path / "none.csv").faults == (
        f"{tmp_path}/none.csv:1: cannot be read: no such file",
    )


def test_no_lists_are_no_prices() -> None:
    assert read() == PriceList()
    assert read().currency is None


QUOTE = "part,length_m,price,currency,date,source,valid_until\n"
TAIL = "USD,2025-03-31,offer 4711 of Acme,"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("mfp7e10,4,1", "length_m: mfp7e10 is not sold in 4 m, but in 3, 5, 7, 10, 15, 20"),
        ("mfp7e10,four,1", "length_m: 'four', metres are wanted as in 5 or 1.5"),
        ("MFP7E10-N005,7,1", "length_m: 7, but MFP7E10-N005 is 5 m long"),
        ("qm9700,2,1", "length_m: qm9700 is no cable, and has no length"),
        ("MFP7E10-N006,,1", "part: the catalog has no part 'MFP7E10-N006'"),
        (
            "900-9X81E-00EX-ST0,,1",
            "part: '900-9X81E-00EX-ST0' orders connectx-8-2x400gbe and connectx-8-xdr",
        ),
    ],
)
def test_a_line_of_a_quote_that_orders_nothing_is_told_and_the_rest_kept(
    tmp_path: Path, row: str, said: str
) -> None:
    prices = listed(tmp_path, f"{QUOTE}{row},{TAIL}\nqm9790,,9,{TAIL}\n")
    (fault,) = prices.faults
    assert f"prices.csv:2: {row.partition(',')[0]}: {said}" in fault
    assert set(prices.prices) == {"qm9790"} and not prices.by_length


@pytest.mark.parametrize("length", ["", "30"])
def test_an_offer_that_holds_counts_before_one_that_has_ended_whichever_list_is_later(
    tmp_path: Path, length: str
) -> None:
    part = "mfp7e10" if length else "qm9700"
    row = f"{part},{length},{{}},{TAIL}{{}}\n"
    held, ended = tmp_path / "held.csv", tmp_path / "ended.csv"
    held.write_text(QUOTE + row.format(100, "2025-06-01"), encoding="utf-8")
    ended.write_text(QUOTE + row.format(90, "2025-05-31"), encoding="utf-8")
    metres = float(length) if length else None
    what = f"{part} of {length} m" if length else part
    for lists in ((held, ended), (ended, held)):
        price = read(*lists).price(part, metres)
        assert price is not None
        assert (price.amount, price.ended) == (100, False)
    assert read(held, ended).notes == (
        f"{ended}:2: {what}: the offer ended on 2025-05-31; 100 USD ({held}:2) is taken, which "
        "has not",
    )
    assert read(ended, held).notes == (
        f"{held}:2: {what} costs 100 USD instead of 90 USD ({ended}:2)",
    )
    later = tmp_path / "later.csv"
    later.write_text(QUOTE + row.format(80, "2025-05-30"), encoding="utf-8")
    both_ended = read(ended, later).price(part, metres)
    assert both_ended is not None
    assert (both_ended.amount, both_ended.ended) == (80, True), "of ended ones the later"
    unending = tmp_path / "unending.csv"
    unending.write_text(QUOTE + row.format(70, ""), encoding="utf-8")
    assert read(unending, ended).price(part, metres).amount == 70  # type: ignore[union-attr]


RATES = "currency,to,rate,date,source\nEUR,USD,1.08,2025-04-01,bank\n"


def test_a_rate_of_ones_own_converts_an_offer_to_the_cent_and_says_how(tmp_path: Path) -> None:
    # by hand: 24,500.55 x 1.08 = 26,460.594
    paths = [tmp_path / "offer.csv", tmp_path / "rates.csv"]
    paths[0].write_text(HEADER + "qm9700,24500.55,EUR,2025-03-31,offer 9\n", encoding="utf-8")
    paths[1].write_text(RATES, encoding="utf-8")
    prices = read_prices(*paths, catalog=CATALOG, today=TODAY, currency="USD", mixed=True)
    price = prices.price("qm9700")
    assert price is not None and not prices.faults
    assert (price.amount, price.currency) == (Decimal("26460.59"), "USD")
    assert price.stated == ("offer 9; 24,500.55 EUR at 1.08 USD for 1 EUR (bank, 2025-04-01)")
    # the other way about is another rate, and nobody asked for a currency
    dollars = read_prices(*paths, catalog=CATALOG, today=TODAY, currency="GBP", mixed=True)
    assert "a rate of yours from EUR to GBP converts it" in dollars.faults[0]
    kept = read_prices(*paths, catalog=CATALOG, today=TODAY, mixed=True).price("qm9700")
    assert kept is not None and kept.currency == "EUR"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("EUR,USD,0,2025-04-01,bank", "rate: '0', digits above 0 are wanted as in 1.08"),
        ("EUR,USD,1,08,2025-04-01,bank", "date: '08', a day as in 2025-03-31 is wanted"),
        ("EUR,usd,1.08,2025-04-01,bank", "to: 'usd', three capitals of ISO 4217"),
        ("EUR,USD,1.08,2125-04-01,bank", "date: 2125-04-01 has not come yet"),
        ("EUR,USD,1.08,2025-04-01,", "source: missing"),
        ("EUR,USD,-1,2025-04-01,bank", "rate: '-1'"),
    ],
)
def test_a_rate_that_cannot_be_used_is_told_by_line(row: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(f"currency,to,rate,date,source\n{row}\n", encoding="utf-8")
    (fault,) = read_prices(path, catalog=CATALOG, today=TODAY).faults
    assert fault.startswith(f"{path}:2: rate of exchange: ") and why in fault


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ("100,,", "discount_percent: '100', per cent from 0 to 99.99"),
        ("-5,,", "discount_percent: '-5'"),
        ("=1+1,,", "discount_percent: '=1+1'"),
        (",1000000000,", "minimum_order: '1000000000', pieces are wanted, from 1 to 999,999"),
        (",1.5,", "minimum_order: '1.5'"),
        (",,12 weeks", "lead_time_days: '12 weeks', days are wanted, as in 84"),
    ],
)
def test_terms_that_cannot_be_meant_cost_their_line(terms: str, why: str, tmp_path: Path) -> None:
    head = HEADER.strip() + ",discount_percent,minimum_order,lead_time_days\n"
    prices = listed(tmp_path, f"{head}qm9700,99,USD,2025-03-31,offer,{terms}\n")
    assert prices.price("qm9700") is None
    assert why in prices.faults[0] and "prices.csv:2: qm9700: " in prices.faults[0]


def a_workbook(path: Path, *, macros: bool = False) -> Path:
    """A list whose second price is a formula, with the value that was saved; and a saved error."""
    book = Workbook(path)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["part", "price", "currency", "date", "source"])
    for row, part in enumerate(("qm9700", "dgx-h100", "mma4z00-ns"), start=1):
        sheet.write_row(row, 0, [part, 100, "USD", "2025-03-31", "offer"])
    sheet.write_formula(2, 1, "=SUM(B2,200)", None, 300)
    sheet.write_formula(3, 1, "=1/0", None, "#DIV/0!")
    book.close()
    if macros:
        with ZipFile(path, "a") as held:
            held.writestr("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0")
    return path


def test_a_formula_counts_as_it_was_saved_and_is_said_by_line(tmp_path: Path) -> None:
    prices = read(a_workbook(tmp_path / "a.xlsx"))
    bought = prices.price("dgx-h100")
    assert bought is not None and bought.amount == 300
    (note,) = prices.notes
    assert "a.xlsx:3: cell B3 is a formula; the value that was saved with it counts" in note
    (fault,) = prices.faults
    assert "a.xlsx:4" in fault and "#DIV/0!" in fault


def test_a_bill_of_ours_that_comes_back_filled_has_no_formula_to_be_told(tmp_path: Path) -> None:
    design = Design.model_validate({"groups": {"leaf": {"part": "qm9700", "count": 3}}})
    raw = bill_xlsx(make_bill(plan_design(design, CATALOG), CATALOG))
    book = load_workbook(BytesIO(raw))
    sheet = book["Bill"]
    filled = {"unit_price": 7, "currency": "USD", "price_date": "2025-03-31", "price_source": "x"}
    for cell in sheet[1]:
        if cell.value in filled:
            sheet.cell(2, cell.column).value = filled[cell.value]
    book.save(tmp_path / "back.xlsx")
    prices = read(tmp_path / "back.xlsx")
    price = prices.price("qm9700")
    assert price is not None and price.amount == 7 and not prices.faults and not prices.notes


def test_macros_are_said_never_run_and_cost_nothing_else(tmp_path: Path) -> None:
    prices = read(a_workbook(tmp_path / "a.xlsm", macros=True))
    assert prices.price("qm9700") is not None
    assert any("a.xlsm: has macros, which are never run" in note for note in prices.notes)


def test_a_price_of_a_year_ago_without_an_end_is_told(tmp_path: Path) -> None:
    rows = "qm9700,1,USD,2024-05-31,web\ndgx-h100,1,USD,2024-06-02,web\n"
    prices = listed(tmp_path, HEADER + rows)
    (note,) = prices.notes
    assert note.endswith("prices.csv:2: qm9700: the price is of 2024-05-31, and says no end")
    ends = "part,price,currency,date,source,valid_until\nqm9700,1,USD,2024-05-31,web,2026-01-01\n"
    assert listed(tmp_path, ends).notes == ()


def test_the_end_of_an_offer_stands_beside_its_price(tmp_path: Path) -> None:
    ends = "part,price,currency,date,source,valid_until\nqm9700,1,USD,2025-03-31,web,2025-06-30\n"
    price = listed(tmp_path, ends).price("qm9700")
    assert price is not None and price.stated == "web; valid until 2025-06-30"


@pytest.mark.parametrize("name", ["offer.xlsm", "offer.xls", "offer.ods"])
def test_what_lies_in_the_folder_of_prices_is_read_or_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("toposmith.catalog.prices.settings_folder", lambda: tmp_path)
    folder = tmp_path / "prices"
    folder.mkdir()
    if name.endswith("m"):
        a_workbook(folder / name)
    elif name.endswith("ods"):
        with ZipFile(folder / name, "w") as held:
            held.writestr("content.xml", "<x/>")
    else:
        (folder / name).write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 9)
    prices = read(*user_price_lists())
    assert prices.price("qm9700") or any(name in fault for fault in prices.faults)
