"""A bill without the cables of some links says so itself, in every form: of which and how many."""

from __future__ import annotations

import io
import re

import openpyxl
import pytest

from tests.command.shell import SIGNED
from tests.every_design import CATALOG, SMALL, compared, planned
from toposmith.bill.bill import Bill
from toposmith.bill.order_words import bill_table
from toposmith.bill.sheet_form import bill_bytes
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.evaluation.here import compared_here
from toposmith.exports.report.design_report import bill_section
from toposmith.fabric.counts import cable_counts

FAR = parse_design(SIGNED.replace("cables: 2, length: 20", "cables: 2, length: 9000"), "far")
"""8 leaves, 2 spines, 2 cables between each: 32 connections over 9 km."""
WAIVED = parse_design(
    SIGNED.replace("cables: 2, length: 20", "cables: 2, length: 9000")
    + "waivers: [{code: no-cable, reason: leased, date: '2026-01-01'}]\n",
    "waived",
)


def _forms(bill: Bill, design: Design) -> dict[str, str]:
    found = {
        form: bill_bytes(bill, form).decode() for form in ("yaml", "json", "csv", "md", "cyclonedx")
    }
    book = openpyxl.load_workbook(io.BytesIO(bill_bytes(bill, "xlsx")), read_only=True)
    rows = book["Scope"].iter_rows(values_only=True)
    found["xlsx"] = " ".join(str(cell) for row in rows for cell in row)
    found["app"] = "\n".join(words for words, _ in bill_table(bill, design).head)
    return {form: re.sub(r"\\([^\w\s])", r"\1", " ".join(t.split())) for form, t in found.items()}


@pytest.mark.parametrize("design", [FAR, WAIVED], ids=["found", "waived"])
def test_every_form_says_how_many_connections_have_no_cable(design: Design) -> None:
    evaluated = compared_here("far", design, CATALOG)
    for form, text in _forms(evaluated.bill, design).items():
        assert "cables of 32 connections (leaf - spine)" in text, form
    page = bill_section(evaluated.bill, evaluated.bought)
    assert "not on it are cables of 32 connections" in page


@pytest.mark.parametrize("name", SMALL)
def test_what_has_no_cable_and_what_has_one_are_all_connections(name: str) -> None:
    bill = compared(name).bill
    drawn = cable_counts(planned(name).plan)
    missing = sum(many for _, many in bill.scope.without_cable)
    listed = sum(run.connections for link in bill.links for run in link.runs if run.part)
    assert missing + listed == sum(link.connections for link in bill.links) <= sum(drawn.values())
    lacking = any(one.code == "no-cable" for one in bill.findings)
    assert lacking == (missing > 0)
    assert ("cables of" in bill.scope.words) == lacking
