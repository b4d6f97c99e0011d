"""Power is told alike wherever it is told: the sum, or what it is at least."""

from __future__ import annotations

import re

import pytest

from tests.every_design import SMALL, compared, nothing
from toposmith.bill.table_forms import bill_markdown
from toposmith.exports.report.design_report import report_html
from toposmith.review.design_table import (
    ComparedDesign,
    comparison_as_data,
    designs_table,
)
from toposmith.review.differences.consequences import differences
from toposmith.review.differences.differences_table import differences_as_data, figure_row

_AMOUNT = re.compile(r"(at least )?([\d,]+(?:\.\d+)?) (k?)W")


def _told(words: str) -> tuple[bool, float] | None:
    """Whether it is a floor, and W to three digits, as the coarsest form has them."""
    found = _AMOUNT.search(words)
    if found is None:
        assert "unknown" in words, words
        return None
    watts = float(found[2].replace(",", "")) * (1000 if found[3] else 1)
    return bool(found[1]), watts


@pytest.mark.parametrize("name", SMALL)
def test_power_is_the_same_in_every_table_and_page(name: str) -> None:
    now = compared(name)
    row = ComparedDesign(name, now)
    table = designs_table([row])
    changed = differences(nothing(), now)
    power = figure_row(next(one for one in changed.figures if one.key == "power")).words
    told = {
        "designs": table.rows[0].words[table.titles.index("power")],
        "diff": power[3],
        "bill": re.findall("^- Power: (.*)$", bill_markdown(now.bill), re.MULTILINE)[0],
    }
    if now.first.gpus:
        page = re.sub("<[^>]+>", "|", report_html(now))
        told["report"] = re.findall(r"([^|]+)\|+power, ", page)[0]
    read = {place: _told(words) for place, words in told.items()}
    sums = now.bill.power_w
    for place, found in read.items():
        if found is None:
            assert not sums.complete and not sums.at_least, place
            continue
        assert found[0] == (not sums.complete), (place, told)
        assert found[1] == pytest.approx(sums.at_least, rel=0.01, abs=60), (place, told)


@pytest.mark.parametrize("name", SMALL)
def test_data_have_the_floor_of_a_sum_in_a_key_of_its_own(name: str) -> None:
    now = compared(name)
    (said,) = comparison_as_data([ComparedDesign(name, now)])["designs"]
    figures = differences_as_data(differences(now, now))["figures"]
    for key, floor, total in (
        ("power_w", "power_at_least_w", now.bill.power_w),
        ("rack_units", "rack_units_at_least", now.bill.rack_units),
    ):
        assert said[key] == (total.known if total.complete else None)
        assert said[floor] == total.at_least
        (one,) = (each for each in figures if each["figure"] == key.removesuffix("_w"))
        assert (one["before"], one["after"]) == (said[key], said[key])
        lacking = None if total.complete else total.at_least or None
        assert (one["before_at_least"], one["after_at_least"]) == (lacking, lacking)
        assert not one["differs"]
