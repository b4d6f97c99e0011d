"""The same quantity reads the same on canvas, panel, command, Markdown, HTML and SVG."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import pytest

import toposmith
from tests.every import for_every
from toposmith import text
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis, LinkLoad
from toposmith.catalog import load_catalog
from toposmith.command.reports.analysis import analysis_report
from toposmith.documents.markdown import page_markdown
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.svg import svg_text
from toposmith.exports.report.design_report import report_html
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.labels import MODEL
from toposmith.review.failures.sweep import Sweep
from toposmith.review.report.pages import page_html, review_page
from toposmith.review.sidecar.verdict import Review
from toposmith.templates import new_design
from toposmith.tui.canvas.trunk_figures import trunk_figure
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.pages.live import live_lines

RATES = (
    (None, "unknown"),
    (0.0, "0 GB/s"),
    (3.4e-8, "34.0 B/s"),
    (3.44e-5, "34.4 kB/s"),
    (0.0344, "34.4 MB/s"),
    (0.5, "0.50 GB/s"),
    (9.994, "9.99 GB/s"),
    (99.96, "100 GB/s"),
    (383.6, "384 GB/s"),
    (1_234.5, "1,234 GB/s"),
    (131_072.0, "131 TB/s"),
)


@pytest.mark.parametrize(("GBps", "words"), RATES)
def test_a_rate_is_in_the_unit_that_suits_it(GBps: float | None, words: str) -> None:
    assert text.bandwidth(GBps) == words


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (text.number(0.0344), "0.0344"),
        (text.number(1_999.4), "1,999"),
        (text.percent(0.001), "<1 %"),
        (text.percent(0.996), "99.6 %"),
        (text.signed_percent(-0.294), "-29 %"),
        (text.change(1.004), "+0.4 %"),
        (text.change(19.3), "x 19.3"),
        (text.duration(2.5), "2.50 s"),
        (text.duration_us(44_700.0), "44.7 ms"),
        (text.duration_us(0.0), "0 µs"),
        (text.message_size(8 * 2**30), "8 GiB"),
        (text.message_size(10**6), "1 MB"),
        (text.message_size(3 * 2**19), "1.5 MiB"),
        (text.oversubscription(64 / 63), "1.02:1"),
        (text.oversubscription(None), "unknown"),
        (text.power(40_800), "40.8 kW"),
        (text.power(350), "350 W"),
        (text.power(12_345_678), "12,345.7 kW"),
        (text.money(Decimal("1299.50"), "USD"), "1,299.50 USD"),
        (text.money(Decimal("1300.00"), "USD"), "1,300 USD"),
        (text.money(Decimal("0.015"), "USD"), "0.015 USD"),
        (text.rates(340, 372, "to"), "340 to 372 GB/s"),
        (text.rates(0.0344, 48, "of"), "34.4 MB/s of 48.0 GB/s"),
        (text.counted(1, "leaf"), "1 leaf"),
        (text.counted(1_016, "node"), "1,016 nodes"),
        (text.plural("node per su"), "nodes per su"),
        (text.counted(2, "power supply"), "2 power supplies"),
        (text.counted(3, "switch"), "3 switches"),
        (text.joined(["a", "b", "c"]), "a, b and c"),
        (text.plain_number(2_000.0, "m"), "2,000 m"),
        (text.plain_number(25.78125), "25.78125"),
    ],
)
def test_quantities_read_as_the_field_writes_them(made: str, words: str) -> None:
    assert made == words


@pytest.mark.parametrize("size", [1, 8, 1000, 10_000, 2**10, 2**20, 2**33, 2**41, 10**6, 10**9])
def test_a_size_that_is_shown_can_be_typed(size: int) -> None:
    assert text.read_message_size(text.message_size(size)) == size


@dataclass(frozen=True)
class Shown:
    """One design on which a figure stands on every surface."""

    plan: Plan
    design: EvaluatedDesign

    def surfaces(self, analysis: Analysis) -> dict[str, str]:
        """What each surface shows of an analysis."""
        design = _showing(self.design, analysis)
        sweep = Sweep("a", analysis.gpus, {"all_reduce": analysis.busbw_GBps}, {}, ())
        page = review_page(design, sweep, Review(), program="1")
        live = LiveFigures(analysis=analysis)
        return {
            "panel": live_lines(live, 90, UNICODE, large=False, whole=True).plain,
            "command": analysis_report(analysis, Request()),
            "Markdown": page_markdown(page),
            "HTML of a review": page_html(page),
            "HTML report": report_html(design),
            "SVG": svg_text(fabric_sheet(self.plan, analysis)),
        }


def _showing(design: EvaluatedDesign, found: Analysis) -> EvaluatedDesign:
    """The design with other figures."""

    class Showing(EvaluatedDesign):
        analysis = property(lambda self: found)  # type: ignore[assignment]
        analyses = property(lambda self: {"all_reduce": found})  # type: ignore[assignment]

    return Showing(design.design, design.catalog, source="a", shared=design.planned)


@pytest.fixture(scope="module")
def shown() -> Shown:
    catalog = load_catalog()
    design = new_design("leaf-spine", {"su": 1}, catalog=catalog)
    plan = plan_design(design, catalog)
    return Shown(plan, EvaluatedDesign(design, catalog, source="a"))


BUSBW_ON = ("panel", "command", "Markdown", "HTML of a review", "HTML report")


@pytest.mark.parametrize(("GBps", "words"), RATES)
def test_a_busbw_reads_the_same_on_every_surface(
    shown: Shown, GBps: float | None, words: str
) -> None:
    analysis = replace(
        shown.design.first,
        busbw_GBps=GBps,
        busbw_label=MODEL,
        band=None,
        next_step=None,
        bound_busbw_GBps=None,
    )
    surfaces = shown.surfaces(analysis)
    for surface in BUSBW_ON:
        assert re.search(rf"(?<![\d.,]){re.escape(words)}", surfaces[surface]), surface


@pytest.mark.parametrize(("GBps", "words"), [row for row in RATES if row[0] is not None])
def test_the_load_of_a_link_reads_the_same_on_every_surface(
    shown: Shown, GBps: float, words: str
) -> None:
    first = next(load for load in shown.design.first.limits if load.index is not None)
    load: LinkLoad = replace(
        first, load_GBps=GBps, capacity_GBps=200_000.0, usable_GBps=200_000.0, utilization=0.25
    )
    surfaces = shown.surfaces(replace(shown.design.first, limits=(load,)))
    for surface in ("command", "Markdown", "HTML of a review", "HTML report"):
        assert re.search(rf"(?<![\d.,]){re.escape(words)}", surfaces[surface]), surface
        assert "25 %" in surfaces[surface]
    of = text.rates(GBps, 200_000.0, "of")
    assert of in surfaces["SVG"]
    assert trunk_figure(load, limits=False).load == of


FORMATTERS = {
    *("number", "figure", "bandwidth", "rate_words", "three_digits", "percent", "signed_percent"),
    *("duration", "byte_size", "message_size", "counted", "plural", "money", "kilowatts", "ratio"),
}


def modules() -> list[Path]:
    root = Path(toposmith.__file__).parent
    return [path for path in sorted(root.rglob("*.py")) if path.parent != root]


@for_every(modules())
def test_no_other_module_makes_a_figure_read(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if not FORMATTERS.intersection(re.findall(r"\bdef\s+(\w+)", source)):
        return  # most: to look is faster than to parse
    for one in ast.walk(ast.parse(source)):
        if isinstance(one, ast.FunctionDef) and one.returns is not None:
            words = ast.unparse(one.returns) == "str"
            assert not (words and one.name in FORMATTERS), one.name


def test_there_are_modules_to_look_at() -> None:
    assert len(modules()) > 400
