"""The forms of the bill: text stays text, and no reader obeys what a design says."""

from __future__ import annotations

import csv
import io
import json
import re
from difflib import unified_diff

import yaml
from hypothesis import given
from hypothesis import strategies as st

from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.table_forms import bill_csv, bill_markdown
from toposmith.bill.yaml_form import bill_data, bill_json, bill_yaml, whole_line
from toposmith.catalog import Catalog, Switch, load_catalog
from toposmith.design.document import Design
from toposmith.documents.markdown import as_markdown
from toposmith.fabric.planner import plan_design
from toposmith.leaving_text import as_cell
from toposmith.plain_text import visible
from toposmith.templates import new_design

TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=30)


def bill_of(design: Design, catalog: Catalog | None = None) -> Bill:
    known = catalog or load_catalog()
    return make_bill(plan_design(design, known), known)


def superpod() -> Design:
    return new_design("leaf-spine", {"su": 1}, catalog=load_catalog())


def odd_catalog(**changes: str) -> Catalog:
    """A catalog of one switch whose texts are trouble."""
    switch = load_catalog().switch("qm9700")
    assert isinstance(switch, Switch)
    return Catalog([switch.model_copy(update=changes)])


@given(TEXTS)
def test_yaml_gives_back_every_text(name: str) -> None:
    bill = bill_of(Design(name=name, groups={}))
    assert yaml.safe_load(bill_yaml(bill)) == {**bill_data(bill), "products": {}}


def test_yaml_and_json_say_the_same() -> None:
    bill = bill_of(superpod())
    read = yaml.safe_load(bill_yaml(bill))
    products = read.pop("products")
    assert list(products) == list(dict.fromkeys(line["part"] for line in read["lines"]))
    read["lines"] = [whole_line(line, products) for line in read["lines"]]
    assert read == json.loads(bill_json(bill)) == bill_data(bill)


def test_a_line_of_yaml_begins_with_what_is_ordered_and_leaves_out_what_is_not_there() -> None:
    for line in yaml.safe_load(bill_yaml(bill_of(superpod())))["lines"]:
        keys = [key for key in line if key in ("part", "part_number", "quantity")]
        assert list(line)[: len(keys)] == keys and keys[0] == "part" and "quantity" in keys
        assert None not in line.values() and [] not in line.values()
        assert "order" not in line


def test_part_numbers_stay_text_for_readers_of_yaml_1_1() -> None:
    for number in ("0123", "no", "1e3", "1:20", "0x10", "~"):
        catalog = odd_catalog(part_number=number)
        design = Design.model_validate({"groups": {"leaf": {"part": "qm9700"}}})
        read = yaml.safe_load(bill_yaml(bill_of(design, catalog)))
        assert read["lines"][0]["part_number"] == number


def test_the_yaml_names_its_version_and_origin_and_no_time() -> None:
    text = bill_yaml(bill_of(superpod()))
    assert text.startswith("toposmith_bill: 4\n")
    read = yaml.safe_load(text)
    assert re.fullmatch("[0-9a-f]{64}", read["design_sha256"])
    catalog = load_catalog()
    stands = [*catalog.of_kind("rack"), *catalog.of_kind("pdu")]
    assert read["catalog"]["parts"] == len(catalog) + len(stands)
    assert re.fullmatch("[0-9a-f]{64}", read["catalog"]["sha256"])
    of_its_own = text.replace("no longer sold by its maker as of 2025-01-25", "")
    assert not re.search(r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d", of_its_own)


def test_moving_a_box_leaves_the_bill_as_it_is_and_another_switch_does_not() -> None:
    design = superpod()
    moved = design.model_copy(update={"view": {"positions": {"leaf": 8}}})
    assert bill_yaml(bill_of(moved)) == bill_yaml(bill_of(design))
    longer = design.model_copy(update={"axes": {"su": 2, "rail": 8}})
    assert bill_of(longer).design_sha256 != bill_of(design).design_sha256


def test_prices_are_nobody_s() -> None:
    data = bill_data(bill_of(superpod()))
    assert data["totals"]["price"]["known"] == {}
    assert data["totals"]["price"]["state"] == "incomplete: 5 of 5 lines have no price"
    assert data["prices_sha256"] is None
    assert all(line["unit_price"] is None for line in data["lines"])


def test_csv_has_a_row_for_every_line_and_empty_cells_for_unknowns() -> None:
    bill = bill_of(superpod())
    rows = list(csv.DictReader(io.StringIO(bill_csv(bill))))
    assert [row["part"] for row in rows] == [line.part for line in bill.lines]
    assert [int(row["quantity"]) for row in rows] == [line.quantity for line in bill.lines]
    assert rows[0]["unit_price"] == "" and rows[-1]["weight_kg"] == ""


def test_a_spreadsheet_does_not_obey_a_name() -> None:
    for name in ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "＝1"):
        catalog = odd_catalog(name=name, vendor=name)
        design = Design.model_validate({"groups": {"leaf": {"part": "qm9700"}}})
        (row,) = csv.DictReader(io.StringIO(bill_csv(bill_of(design, catalog))))
        for cell in (row["name"], row["manufacturer"]):
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝"))
            assert "\t" not in cell


@given(TEXTS)
def test_csv_cells_and_markdown_hold_no_control_characters(text: str) -> None:
    assert as_cell(text).isprintable()
    assert as_markdown(text).isprintable()
    assert visible(text).isprintable()


def test_markdown_shows_a_name_instead_of_obeying_it() -> None:
    name = "a|b [x](http://y) <script> `code` \x1b[31m\n# head"
    text = bill_markdown(bill_of(Design(name=name)))
    title = text.splitlines()[0]
    assert r"a\|b \[x\](http://y) \<script\> \`code\`" in title
    assert r"\\x1b" in title and "\x1b" not in text
    assert "\n# head" not in text


def test_markdown_tables_keep_their_columns() -> None:
    catalog = odd_catalog(name="a|b", part_number="c|d")
    design = Design.model_validate({"groups": {"leaf": {"part": "qm9700"}}})
    table = [line for line in bill_markdown(bill_of(design, catalog)).splitlines() if "|" in line]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table[:3]}
    assert bars == {11}


def test_markdown_says_what_a_total_lacks() -> None:
    design = Design.model_validate({"groups": {"leaf": {"part": "qm8700"}}})
    page = bill_markdown(bill_of(design))
    assert "- Power: unknown; incomplete: 1 of 1 line has no power (qm8700)" in page


def test_one_changed_count_is_a_difference_of_four_lines_at_most() -> None:
    # switches that nothing is cabled to, so that one line alone changes
    def text(count: int) -> str:
        groups = {"pod": {"part": "qm9700", "count": count}}
        return bill_yaml(bill_of(Design.model_validate({"groups": groups})))

    one, other = (text(count).splitlines() for count in (4, 5))
    changed = [line for line in unified_diff(one, other, lineterm="", n=0) if line[0] in "+-"]
    assert len([line for line in changed if line.startswith("+") and line[:3] != "+++"]) <= 4
