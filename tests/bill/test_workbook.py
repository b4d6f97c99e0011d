"""The bill as a workbook and as CycloneDX: what readers of both find in it."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import openpyxl
import pytest
from referencing import Registry, Resource

from tests.bill.test_policies import DAY
from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.terms import SparePolicy
from toposmith.bill.yaml_form import bill_cyclonedx, bill_data
from toposmith.catalog import Catalog, Switch, load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.leaving_text import as_cell
from toposmith.racks.lengths import CableRun
from toposmith.templates import new_design

CATALOG = load_catalog()
SCHEMAS = Path(__file__).parents[1] / "data" / "cyclonedx"


def superpod() -> Bill:
    plan = plan_design(new_design("leaf-spine", {"su": 1}, catalog=CATALOG), CATALOG)
    prices = PriceList({"qm9700": Price(Decimal("20000.10"), "USD", DAY, "offer")})
    runs = (CableRun(0, 100, 12.0, False), CableRun(0, 156, 20.0, False))
    spares = SparePolicy({"fibres": "2 %"})
    return make_bill(plan, CATALOG, prices=prices, spares=spares, runs=runs)


def rows(raw: bytes, sheet: str) -> list[dict[str, Any]]:
    book = openpyxl.load_workbook(io.BytesIO(raw), data_only=True)
    head, *others = book[sheet].iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in others]


def test_the_workbook_has_every_line_with_numbers_as_numbers() -> None:
    bill = superpod()
    found = rows(bill_xlsx(bill), "Bill")
    for row, line in zip(found, bill_data(bill)["lines"], strict=True):
        assert row["part"] == line["part"]
        assert row["quantity"] == line["quantity"]
        assert row["power_w"] == line["power_w"]
        assert row["price"] == line["price"]
        assert row["length_m"] == line["length_m"]


def test_an_unknown_figure_is_an_empty_cell_of_the_workbook() -> None:
    found = {row["part"]: row for row in rows(bill_xlsx(superpod()), "Bill")}
    assert found["dgx-h100"]["unit_price"] is None
    assert found["qm9700"]["unit_price"] == 20000.10


def test_totals_of_the_workbook_say_what_they_lack() -> None:
    found = {row["total"]: row for row in rows(bill_xlsx(superpod()), "Totals")}
    assert found["price"]["known"] == pytest.approx(12 * 20000.10)
    assert found["price"]["unit"] == "USD"
    assert found["price"]["state"] == "incomplete: 6 of 7 lines have no price"
    assert found["power_w"]["state"] == "complete"


def test_a_price_that_is_filled_in_is_felt_by_its_line_and_the_total() -> None:
    bill = superpod()
    book = openpyxl.load_workbook(io.BytesIO(bill_xlsx(bill)))
    sheet = book["Bill"]
    at = {cell.value: cell.column_letter for cell in sheet[1]}
    for row, line in enumerate(bill.lines, start=2):
        cells = {name: sheet[f"{at[name]}{row}"].value for name in ("price", "order", "power_w")}
        one, many = f"{at['unit_price']}{row}", f"{at['quantity']}{row}"
        assert cells["price"] == f'=IF({one}="","",{many}*{one})'
        assert cells["order"] == f"={many}+{at['spares']}{row}"
        assert line.power_w is None or cells["power_w"] == f"={many}*{at['unit_power_w']}{row}"
    totals = {row[0].value: row[2].value for row in book["Totals"].iter_rows(min_row=2)}
    last = len(bill.lines) + 1
    currency, price = at["currency"], at["price"]
    assert totals["price"] == (
        f'=SUMIF(Bill!${currency}$2:${currency}${last},"USD",Bill!${price}$2:${price}${last})'
    )


def test_every_sheet_prints_one_page_wide_with_its_head_and_a_filter() -> None:
    book = openpyxl.load_workbook(io.BytesIO(bill_xlsx(superpod())))
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape"
        assert (sheet.page_setup.fitToWidth or 1, sheet.page_setup.fitToHeight) == (1, 0)
        assert sheet.sheet_properties.pageSetUpPr.fitToPage and sheet.print_title_rows == "$1:$1"
        assert sheet.freeze_panes == "A2"
        assert bool(sheet.auto_filter.ref) == (sheet.max_row > 1)


def test_the_workbook_has_links_cages_and_what_it_was_made_from() -> None:
    bill = superpod()
    raw = bill_xlsx(bill)
    runs = [(row["part"], row["length_m"], row["cables"]) for row in rows(raw, "Links")]
    assert runs == [("mfp7e10", 15, 100), ("mfp7e10", 20, 156), ("mfp7e10", None, 256)]
    assert [row["cages"] for row in rows(raw, "Cages")] == [end.cages for end in bill.ends]
    origin = {row["what"]: row["value"] for row in rows(raw, "Made from")}
    assert origin["design_sha256"] == bill.design_sha256
    assert origin["spares"] == "fibres 2 %"


def test_the_same_bill_gives_the_same_workbook_byte_for_byte() -> None:
    assert bill_xlsx(superpod()) == bill_xlsx(superpod())


@pytest.mark.parametrize("name", ["=1+1", "http://x.y", "{=1}", "a\x1bb", "x" * 40_000])
def test_a_workbook_takes_any_name_for_text(name: str) -> None:
    switch = CATALOG.switch("qm9700")
    assert isinstance(switch, Switch)
    catalog = Catalog([switch.model_copy(update={"name": name})])
    design = Design.model_validate({"groups": {"leaf": {"part": "qm9700"}}})
    raw = bill_xlsx(make_bill(plan_design(design, catalog), catalog))
    book = openpyxl.load_workbook(io.BytesIO(raw))
    (title,) = (cell for cell in book["Bill"][1] if cell.value == "name")
    cell = book["Bill"].cell(2, title.column)
    assert cell.data_type == "s"
    assert cell.hyperlink is None
    assert cell.value == as_cell(name)[:32_767]


def cyclonedx_validator() -> jsonschema.Draft7Validator:
    known: Registry[Any] = Registry()
    for name in ("spdx", "jsf-0.82"):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
        known = known.with_resource(
            f"http://cyclonedx.org/schema/{name}.SNAPSHOT.schema.json",
            Resource.from_contents(schema),
        ).with_resource(schema["$id"], Resource.from_contents(schema))
    schema = json.loads((SCHEMAS / "bom-1.6.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft7Validator(schema, registry=known)


def of_racks() -> Bill:
    """A whole NVL72 rack, with what comes with it."""
    design = Design.model_validate({"groups": {"tray": {"part": "gb300-nvl72-tray", "count": 18}}})
    return make_bill(plan_design(design, CATALOG), CATALOG)


@pytest.mark.parametrize(
    "bill",
    [superpod(), of_racks(), make_bill(plan_design(Design(), CATALOG), CATALOG)],
    ids=["pod", "racks", "empty"],
)
def test_cyclonedx_is_what_its_published_schema_asks_for(bill: Bill) -> None:
    errors = [
        error.message
        for error in cyclonedx_validator().iter_errors(json.loads(bill_cyclonedx(bill)))
    ]
    assert errors == []


def test_cyclonedx_names_every_line_once_with_its_quantity() -> None:
    bill = superpod()
    read = json.loads(bill_cyclonedx(bill))
    quantities = {}
    for component in read["components"]:
        properties = {each["name"]: each["value"] for each in component["properties"]}
        quantities[component["bom-ref"]] = int(properties["cdx:device:quantity"])
    expected = {
        f"{line.part}{'' if line.length_m is None else f':{line.length_m:g}m'}": line.quantity
        for line in bill.lines
    }
    assert quantities == expected
    (whole, *_) = read["dependencies"]
    assert whole["dependsOn"] == list(expected)


def test_cyclonedx_of_one_bill_is_always_the_same() -> None:
    assert bill_cyclonedx(superpod()) == bill_cyclonedx(superpod())
    other = make_bill(plan_design(Design(name="other"), CATALOG), CATALOG)
    numbers = {json.loads(bill_cyclonedx(bill))["serialNumber"] for bill in (superpod(), other)}
    assert len(numbers) == 2
