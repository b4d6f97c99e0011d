"""Every page of a bill says its spares, what is to be paid, and the terms of the offers."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from html import unescape
from pathlib import Path

import pytest

from toposmith.bill.table_forms import bill_markdown
from toposmith.bill.terms import SparePolicy, Terms
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import read_prices
from toposmith.design.document import Design
from toposmith.documents.markdown import page_markdown
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.report.design_report import report_html
from toposmith.review.failures.sweep import sweep
from toposmith.review.report.pages import page_html, review_page
from toposmith.review.sidecar.verdict import Review

CATALOG = load_catalog()
LIST = """part,unit_price,currency,price_date,valid_until,minimum_order,lead_time_days,price_source
dgx-h100,300000,EUR,2026-01-01,2026-02-01,,84,quote 7
qm9700,30000,EUR,2026-01-01,2026-12-31,5,,quote 7
mfp7e10,100,EUR,2026-01-01,,20,,quote 7
mma4z00-ns,1000,EUR,2026-01-01,,,,quote 7
mma4z00-ns-flt,1000,EUR,2026-01-01,,,,quote 7
"""


def design() -> Design:
    # 2 nodes with 8 ports each at one leaf: 16 fibres, 8 twin modules at the leaf, 4 in each node
    return Design.model_validate(
        {
            "groups": {"node": {"part": "dgx-h100", "count": 2}, "leaf": {"part": "qm9700"}},
            "links": [{"between": ("node.compute", "leaf"), "length": 10}],
        }
    )


def evaluated(folder: Path, spares: SparePolicy | None = None) -> EvaluatedDesign:
    file = folder / "prices.csv"
    file.write_text(LIST)
    prices = read_prices(file, catalog=CATALOG, today=date(2026, 3, 1))
    assert not prices.faults
    return EvaluatedDesign(design(), CATALOG, terms=Terms(prices=prices, spares=spares))


def review_of(one: EvaluatedDesign, write: Callable[..., str]) -> str:
    return write(review_page(one, sweep(one.plan, CATALOG), Review()))


PAGES: dict[str, Callable[[EvaluatedDesign], str]] = {
    "bom-md": lambda one: bill_markdown(one.bill),
    "report": report_html,
    "review-html": lambda one: review_of(one, page_html),
    "review-md": lambda one: review_of(one, page_markdown),
}


def text_of(page: str, one: EvaluatedDesign) -> str:
    text = re.sub(r"<style.*?</style>", "", PAGES[page](one), flags=re.S)
    return unescape(re.sub(r"\\(?=\W)", "", re.sub(r"<[^>]+>", " ", text)))


@pytest.mark.parametrize("page", PAGES)
def test_what_is_to_be_paid_has_spares_and_smallest_lots_in_it(tmp_path: Path, page: str) -> None:
    # needed: 2 x 300,000 + 30,000 + 16 x 100 + 16 x 1,000; ordered: 1 node more, 5 switches, 20
    # fibres, and no more modules
    one = evaluated(tmp_path, SparePolicy({"nodes": 1}))
    text = text_of(page, one)
    assert "647,600 EUR" in text
    assert re.search(r"To pay, with spares [^:]*: 1,068,000 EUR", text)
    assert "nodes 1 of each" in text


@pytest.mark.parametrize("page", PAGES)
def test_an_offer_that_ended_and_the_longest_lead_time_are_said(tmp_path: Path, page: str) -> None:
    text = text_of(page, evaluated(tmp_path))
    assert "dgx-h100 on 2026-02-01" in text
    assert "qm9700 on 2026-12-31" not in text
    assert "84 days for dgx-h100" in text


@pytest.mark.parametrize("page", ["report", "review-html", "review-md"])
def test_each_price_has_its_source_with_its_terms(tmp_path: Path, page: str) -> None:
    text = text_of(page, evaluated(tmp_path))
    assert "quote 7; valid until 2026-12-31; sold from 5 pieces" in text


@pytest.mark.parametrize("page", PAGES)
def test_an_order_without_spares_says_nothing_of_their_price(page: str) -> None:
    text = text_of(page, EvaluatedDesign(design(), CATALOG))
    assert "To pay" not in text
    assert "ended" not in text.partition("Failures")[0]
