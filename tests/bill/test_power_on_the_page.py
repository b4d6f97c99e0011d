"""What a person adds up on the page of a bill is the total that stands below it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable

import openpyxl
import pytest

from tests.every_design import EVERY, SMALL, compared
from toposmith.bill.order_words import bill_table
from toposmith.bill.sheet_form import bill_bytes
from toposmith.bill.table_forms import bill_markdown
from toposmith.bill.totals import Total
from toposmith.exports.report.design_report import bill_section


def added(cells: Iterable[str]) -> float:
    """The sum of a column, of all that it is at least, without what is within the switches."""
    total = 0.0
    for cell in cells:
        own = cell.removeprefix("at least ").removeprefix("≥ ")
        found = re.fullmatch(r"([\d,.]+)(?: \((?:([\d,.]+) )?within(?: the switches)?\))?", own)
        if found is None:
            assert cell in ("-", "unknown"), cell
            continue
        watts = float(found[1].replace(",", ""))
        marked = " (" in cell
        total += watts - (float((found[2] or found[1]).replace(",", "")) if marked else 0.0)
    return total


@pytest.mark.parametrize("name", SMALL)
def test_the_column_of_power_adds_up_to_the_total(name: str) -> None:
    bill = compared(name).bill
    least = pytest.approx(bill.power_w.at_least, abs=0.02)
    lines = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in bill_markdown(bill).partition("## Links")[0].splitlines()
        if line.startswith("|")
    ]
    at = lines[0].index("Power W") if lines else 0
    own = [row for row in lines[2:] if row[0]]  # what comes with a line stands below it
    cells = [re.sub(r"\\([^\w\s])", r"\1", row[at]) for row in own]
    assert added(cells) == least
    table = bill_table(bill, EVERY[name])
    column = [one.title for one in table.columns].index("power W")
    assert added(row.cells[column].text for row in table.rows) == least


@pytest.mark.parametrize("name", SMALL)
def test_the_total_says_what_is_within_the_switches(name: str) -> None:
    design = compared(name)
    bill = design.bill
    within = sum(line.in_switch_power * (line.unit_power_w or 0) for line in bill.lines)
    said = "within the switches' figures, not added again"
    pages = {
        "md": bill_markdown(bill),
        "html": bill_section(bill, design.bought),
        "app": "\n".join(words for words, _ in bill_table(bill, EVERY[name]).head),
        "cyclonedx": bill_bytes(bill, "cyclonedx").decode(),
    }
    for form, page in pages.items():
        assert (said in re.sub(r"&#x27;|\\u2019", "'", page)) == (within > 0), form
    data = json.loads(bill_bytes(bill, "json"))
    assert data["totals"]["power_w"]["within_switches"] == pytest.approx(within)
    book = openpyxl.load_workbook(io.BytesIO(bill_bytes(bill, "xlsx")), read_only=True)
    rows = [[str(cell) for cell in row] for row in book["Totals"].iter_rows(values_only=True)]
    assert any(said in " ".join(row) for row in rows) == (within > 0)


def test_of_rail_optimised_switches_the_modules_are_within() -> None:
    assert compared("dgx-h100-superpod-1su").bill.within_switches_w > 1000


def test_a_sum_is_in_whole_watts_and_a_lower_limit_never_rounded_up() -> None:
    # the rack of 8 nodes: 8 x 8 x 400 W of GPUs, and 32 cables of 0.2 W
    short = Total(6.4, {("node", None): 8.0}, {("node", None): 3200.0}, 2, 1)
    assert short.amount("W") == "at least 25,606 W"
    assert Total(6.9, {("node", None): 8.0}, {("node", None): 3200.0}, 2, 1).amount("W") == (
        "at least 25,606 W"
    )
    assert Total(355_622.8).amount("W") == "355,623 W"
    assert Total(6.4).amount("W") == "6.4 W"
