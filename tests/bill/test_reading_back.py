"""Bills as workbooks and CycloneDX, and cables in lengths from stock, read back and compared."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from openpyxl import load_workbook

from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.bill_reader import read_bill, read_bill_workbook
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.table_forms import bill_csv
from toposmith.bill.terms import CablingPolicy, Terms
from toposmith.bill.verification import differences
from toposmith.bill.yaml_form import bill_cyclonedx
from toposmith.catalog import load_catalog
from toposmith.errors import DesignFileError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.planner import plan_design
from toposmith.templates import new_design

CATALOG = load_catalog()


def bill_of(name: str = "pod", nodes: int = 4) -> Bill:
    design = new_design("leaf-spine", {"su": 1, "nodes": nodes, "name": name}, catalog=CATALOG)
    return EvaluatedDesign(design, CATALOG).bill


def workbook(change: Any) -> bytes:
    book = load_workbook(io.BytesIO(bill_xlsx(bill_of())))
    change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def told(read: Any) -> list[str]:
    return [f"{one.line}: {one.where}: {one.text}" for one in differences(read, bill_of())]


@pytest.mark.parametrize("name", ["pod", "=1+1", "@cmd", "a,b;\tc"])
def test_workbook_and_cyclonedx_read_back_equal(name: str) -> None:
    bill = bill_of(name)
    assert not differences(read_bill_workbook(bill_xlsx(bill), "b.xlsx"), bill)
    assert not differences(read_bill(bill_cyclonedx(bill), "b.cdx.json"), bill)


def test_a_changed_cell_is_named_with_its_row_and_notes_are_left_alone() -> None:
    def change(book: Any) -> None:
        sheet = book["Bill"]
        head = [cell.value for cell in sheet[1]]
        sheet.cell(2, head.index("quantity") + 1, 5)
        sheet.cell(1, len(head) + 1, "my note")
        sheet.cell(2, len(head) + 1, "ask Ann")
        book.create_sheet("Mine")["A1"] = "notes"

    read = read_bill_workbook(workbook(change), "b.xlsx")
    named = told(read)
    assert "2: lines[dgx-h100].quantity: the file has '5', the design gives '4'" in named
    # what the sheet works out of it follows, as on the screen of a spreadsheet
    fields = {one.partition("].")[2].partition(":")[0] for one in named}
    assert fields == {"quantity", "order", "power_w", "rack_units", "weight_kg"}
    assert all(one.startswith("2: lines[dgx-h100].") for one in named)


def test_a_column_of_notes_in_a_csv_bill_is_no_difference() -> None:
    head, *rows = bill_csv(bill_of()).split("\r\n")[:-1]
    text = "\r\n".join([f"{head},note", *(f"{row},mine" for row in rows)])
    assert told(read_bill(text, "b.csv")) == []


def test_a_changed_quantity_and_a_lost_line_of_cyclonedx_are_named() -> None:
    document = json.loads(bill_cyclonedx(bill_of()))
    lost = document["components"].pop()
    quantity = document["components"][0]["properties"][0]
    assert quantity["name"] == "cdx:device:quantity"
    quantity["value"] = "1000000000"
    document["components"][0]["properties"].append({"name": "ours:note", "value": "late"})
    lines = told(read_bill(json.dumps(document, indent=1), "b.cdx.json"))
    assert len(lines) == 2
    assert "lines[dgx-h100].quantity: the file has '1000000000', the design gives '4'" in lines[0]
    assert lost["bom-ref"].partition(":")[0] in lines[1]
    assert "not in the file" in lines[1]


def zipped(**files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        for name, text in files.items():
            book.writestr(name.replace("__", "/") + ".xml", text)
    return out.getvalue()


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (bill_xlsx(bill_of())[:900], "damaged workbook"),
        (zipped(a="<a/>"), "holds no sheets"),
        (zipped(xl__worksheets__sheet1="<!DOCTYPE a><a/>"), "declares entities"),
        (zipped(xl__worksheets__sheet1="<a>"), "XML is damaged"),
        (zipped(xl__worksheets__sheet1="<a/>"), "no sheet of this workbook is a bill"),
        (workbook(lambda book: book["Bill"].delete_cols(10)), "a bill has quantity, too"),
    ],
)
def test_what_is_no_bill_is_refused_in_one_line(raw: bytes, words: str) -> None:
    with pytest.raises(DesignFileError) as refused:
        read_bill_workbook(raw, "b.xlsx")
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "components", [None, [], "x", [1], [{"name": "a"}], [{"properties": [3]}], [{"properties": 1}]]
)
def test_cyclonedx_of_others_is_refused(components: object) -> None:
    text = json.dumps({"bomFormat": "CycloneDX", "components": components})
    with pytest.raises(DesignFileError, match="no bill was written to"):
        read_bill(text, "b.json")


def test_fibres_are_ordered_in_the_shortest_length_in_stock_that_is_sold() -> None:
    # MFP7E10 is sold in 3, 5, 7, 10, 15, 20, 25, 30 m and more; 8 m is in stock, and not sold
    design = new_design("leaf-spine", {"su": 1, "nodes": 31}, catalog=CATALOG)
    lengths = {}
    for stock in ((), (8.0, 10.0, 30.0)):
        terms = Terms(policy=CablingPolicy(stock_lengths_m=stock))
        bill = EvaluatedDesign(design, CATALOG, terms=terms).bill
        lengths[stock] = {
            line.length_m: line.quantity for line in bill.lines if line.part == "mfp7e10"
        }
    assert set(lengths[()]) == {3, 5, 7}
    assert lengths[8.0, 10.0, 30.0] == {10: sum(lengths[()].values())}


def test_a_length_beyond_those_in_stock_is_ordered_as_without() -> None:
    design = new_design("single-switch", {"nodes": 2}, catalog=CATALOG)
    links = tuple(link.model_copy(update={"length": 12.0}) for link in design.links)
    plan = plan_design(design.model_copy(update={"links": links}), CATALOG)
    bill = make_bill(plan, CATALOG, policy=CablingPolicy(stock_lengths_m=(5.0, 10.0)))
    assert {line.length_m for line in bill.lines if line.part == "mfp7e10"} == {15}
