"""A bill read back: equal to its design, or every difference by name; and its published schema."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bill.test_bill_properties import designs
from tests.bill.test_policies import DAY
from tests.bill.test_workbook import superpod
from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.bill_reader import read_bill
from toposmith.bill.table_forms import bill_csv
from toposmith.bill.verification import differences
from toposmith.bill.yaml_form import bill_data, bill_json, bill_yaml
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.document import Design
from toposmith.errors import DesignFileError
from toposmith.fabric.planner import plan_design
from toposmith.schemas import schema_text
from toposmith.templates import new_design

CATALOG = load_catalog()
FORMS = {"b.yaml": bill_yaml, "b.json": bill_json, "b.csv": bill_csv}
SCHEMA = json.loads(schema_text("bill"))
PUBLISHED = jsonschema.Draft202012Validator(SCHEMA)  # made once: that takes longer than a bill


def bill_of(design: Design) -> Bill:
    return make_bill(plan_design(design, CATALOG), CATALOG)


def pod(nodes: int) -> Bill:
    values = {"su": 1, "nodes": nodes, "name": "pod"}
    return bill_of(new_design("leaf-spine", values, catalog=CATALOG))


def said(text: str, bill: Bill, source: str = "b.yaml") -> list[str]:
    return [f"{d.line}: {d.where}: {d.text}" for d in differences(read_bill(text, source), bill)]


@given(designs())
@settings(max_examples=30)
def test_every_form_reads_back_equal(design: Design) -> None:
    bill = bill_of(design)
    for source, form in FORMS.items():
        assert said(form(bill), bill, source) == []


@pytest.mark.parametrize("source", FORMS)
def test_a_priced_bill_with_runs_and_spares_reads_back_equal(source: str) -> None:
    assert said(FORMS[source](superpod()), superpod(), source) == []


@given(designs())
@settings(max_examples=30)
def test_every_bill_is_what_the_schema_asks_for(design: Design) -> None:
    PUBLISHED.validate(json.loads(bill_json(bill_of(design))))


def test_a_priced_bill_is_what_the_schema_asks_for() -> None:
    PUBLISHED.validate(yaml.safe_load(bill_yaml(superpod())))


@pytest.mark.parametrize(
    "change",
    [
        {"complete": "yes"},
        {"toposmith_bill": 1},
        {"extra": 1},
        {"design_sha256": "abc"},
        {"lines": [{"part": "qm9700"}]},
    ],
)
def test_the_schema_and_the_reader_refuse_the_same(change: dict[str, Any]) -> None:
    data = bill_data(pod(32)) | change
    with pytest.raises(jsonschema.ValidationError):
        PUBLISHED.validate(data)
    with pytest.raises(DesignFileError):
        read_bill(json.dumps(data), "b.json")


@pytest.mark.parametrize("source", FORMS)
def test_another_quantity_is_named_with_its_line(source: str) -> None:
    bill = pod(32)
    text = FORMS[source](bill)
    if source == "b.csv":
        changed = re.sub(r"(?m)^(node,.*?,)32,0,32,", r"\g<1>31,0,31,", text)
        number = next(n for n, line in enumerate(text.splitlines(), 1) if line[:5] == "node,")
    else:
        changed = re.sub(r'("?quantity"?): 32\b', r"\1: 31", text)
        lines = text.splitlines()
        number = next(
            n for n, line in enumerate(lines, 1) if re.search(r'part"?: "dgx-h100"', line)
        )
        number -= source == "b.json"  # the brace stands above
    assert changed != text
    found = said(changed, bill, source)
    assert found[0].startswith(f"{number}: lines[dgx-h100].quantity: the file has ")
    assert found[0].replace("'", "").endswith("31, the design gives 32")


def test_lines_that_lack_and_lines_too_many_are_named() -> None:
    small = pod(32)
    data = bill_data(small)
    gone, *kept = data["lines"]
    data["lines"] = [*kept, {**gone, "part": "dgx-h200"}]
    found = said(json.dumps(data, indent=1), small, "b.json")
    assert any("lines[dgx-h100]: not in the file, but needed by the design: 32" in f for f in found)
    assert any("lines[dgx-h200]: in the file, but not needed by the design" in f for f in found)


@given(
    quantity=st.integers(0, 5000),
    key=st.sampled_from(["quantity", "spares", "power_w", "length_m", "name", "used_by"]),
    place=st.integers(0, 4),
)
@settings(deadline=None)
def test_no_changed_figure_is_missed(quantity: int, key: str, place: int) -> None:
    bill = pod(32)
    data = bill_data(bill)
    new: Any = {"name": f"n{quantity}", "used_by": [f"g{quantity}"]}.get(key, quantity)
    changed = data["lines"][place][key] != new
    data["lines"][place][key] = new
    found = said(json.dumps(data), bill, "b.json")
    assert bool(found) == changed


def test_another_program_or_catalog_is_told_but_does_not_count() -> None:
    bill = pod(32)
    text = bill_yaml(bill).replace(f'program: "{bill.program}"', 'program: "0.0.1"')
    (difference,) = differences(read_bill(text, "b.yaml"), bill)
    assert (difference.where, difference.counts) == ("program", False)
    other = bill_yaml(bill).replace(bill.design_sha256, "0" * 64)
    (difference,) = differences(read_bill(other, "b.yaml"), bill)
    assert (difference.where, difference.counts) == ("design_sha256", True)


def test_prices_are_compared_only_where_there_are_some() -> None:
    priced, plan = superpod(), superpod()
    assert said(bill_yaml(priced), plan) == []
    changed = bill_yaml(priced).replace("unit_price: 20000.1", "unit_price: 19000.5")
    assert any("lines[qm9700].unit_price" in each for each in said(changed, priced))
    unpriced = make_bill(
        plan_design(new_design("leaf-spine", {"su": 1}, catalog=CATALOG), CATALOG), CATALOG
    )
    found = said(bill_yaml(priced), unpriced)
    assert not any("price" in each for each in found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected a bill of materials"),
        ("toposmith: 1\n", "expected a bill of materials"),
        ("- 1\n", "expected a bill of materials"),
        ("toposmith_bill: 1\n", "this Toposmith reads 3"),
        ("toposmith_bill: two\n", "this Toposmith reads 3"),
        ("toposmith_bill: 3\n", "lines: missing"),
        ("toposmith_bill: 2\n", "found 2, this Toposmith reads 3"),
        ("toposmith_bill: 3\nlinse: []\n", "linse: unknown key"),
        ("toposmith_bill: &a 2\n", "anchor"),
        ("a: [", "closing bracket is missing"),
        ("kind,part\n", "a bill has"),
    ],
)
def test_what_is_no_bill_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(DesignFileError, match=why):
        read_bill(text, "b")


@pytest.mark.parametrize("text", ['kind,"part', "kind,part\nnode\n"])
def test_csv_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(DesignFileError):
        read_bill(text, "b.csv")


@given(st.text(max_size=200))
@settings(max_examples=37)
def test_any_text_is_read_or_refused_and_never_more(text: str) -> None:
    for source in ("b.yaml", "b.csv"):
        try:
            read_bill(text, source)
        except DesignFileError as error:
            assert str(error).startswith("b.")


def test_the_largest_prices_read_back_as_they_were_written() -> None:
    dear = PriceList({"dgx-h100": Price(Decimal("999999999999.25"), "KRW", DAY, "o\nffer")})
    plan = plan_design(Design.model_validate({"groups": {"n": {"part": "dgx-h100"}}}), CATALOG)
    many = plan_design(
        Design.model_validate({"groups": {"n": {"part": "dgx-h100", "count": 1_000_000}}}), CATALOG
    )
    for each in (plan, many):
        bill = make_bill(each, CATALOG, prices=dear)
        for source, form in FORMS.items():
            assert said(form(bill), bill, source) == []


def priced() -> tuple[Bill, Bill]:
    """A pod with a price for its switches alone, and the same without a list."""
    price = Price(Decimal(24000), "USD", DAY, "quote")
    design = new_design("leaf-spine", {"su": 1, "nodes": 4, "name": "pod"}, catalog=CATALOG)
    plan = plan_design(design, CATALOG)
    listed = PriceList({"qm9700": price}, wanted="USD")
    return make_bill(plan, CATALOG, prices=listed), make_bill(plan, CATALOG)


@pytest.mark.parametrize("source", FORMS)
def test_a_priced_bill_holds_without_its_price_list(source: str) -> None:
    with_prices, without = priced()
    assert said(FORMS[source](with_prices), without, source) == []


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        ("b.yaml", "unit_price: 24000", "unit_price: 2400"),
        ("b.json", '"unit_price": 24000', '"unit_price": 2400'),
        ("b.csv", ",24000,", ",2400,"),
    ],
)
def test_a_changed_price_is_found_by_the_sums_of_the_file(source: str, old: str, new: str) -> None:
    with_prices, without = priced()
    text = FORMS[source](with_prices)
    assert text.count(old) == 1
    found = said(text.replace(old, new), without, source)
    assert any("lines[qm9700].price" in one and " x 2400 is " in one for one in found), found
    if source != "b.csv":
        assert any("totals.price.known.USD" in one for one in found)


def test_a_total_that_its_lines_do_not_add_up_to_is_named_with_its_line() -> None:
    with_prices, without = priced()
    lines = bill_yaml(with_prices).splitlines()
    number = next(at for at, line in enumerate(lines) if line.strip().startswith("USD: "))
    lines[number] = "        USD: 1"
    (found,) = said("\n".join(lines) + "\n", without)
    assert found.startswith(f"{number + 1}: totals.price.known.USD: the file has 1, its lines add")


@pytest.mark.parametrize("source", ["b.yaml", "b.csv"])
def test_a_note_that_somebody_adds_is_told_and_does_not_count(source: str) -> None:
    bill = pod(4)
    read = read_bill(FORMS[source](bill), source)
    of_table = source.endswith("csv")
    own_notes = [bool(line["notes"]) for line in read.data["lines"]]
    for line in read.data["lines"]:
        own = line["notes"]
        line["notes"] = f"{own}; ask Bob".lstrip("; ") if of_table else [*own, "ask Bob"]
    found = differences(read, bill)
    assert found and not any(each.counts for each in found)
    assert all("added by somebody: ['ask Bob']" in each.text for each in found)
    noted = read.data["lines"][own_notes.index(True)]
    noted["notes"] = "" if of_table else []
    assert any(each.counts for each in differences(read, bill))
