"""What the headless commands print: figures with units, and texts that no terminal obeys."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from toposmith.analysis.analyse import analyse
from toposmith.analysis.prediction.error_band import ErrorBand
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.command.reports.analysis import analysis_report, findings_lines
from toposmith.command.reports.part_lists import catalog_report, part_report
from toposmith.documents.aligned_text import columns
from toposmith.fabric.planner import plan_design
from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import at_block, at_group, found
from toposmith.labels import Label
from toposmith.templates import new_design
from toposmith.text import duration_us, message_size, number


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    catalog = load_catalog()
    design = new_design("leaf-spine", {"su": 1, "oversubscription": 2}, catalog=catalog)
    return analyse(plan_design(design, catalog), catalog)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "unknown"),
        (0.0, "0 GB/s"),
        (1.5625, "1.56 GB/s"),
        (12.06, "12.1 GB/s"),
        (384.4, "384 GB/s"),
        (25200.0, "25,200 GB/s"),
    ],
)
def test_figures_have_three_digits_that_count(value: float | None, shown: str) -> None:
    assert number(value, "GB/s") == shown


@pytest.mark.parametrize(
    ("time_us", "shown"),
    [(None, "unknown"), (7.0, "7.00 µs"), (44_700.0, "44.7 ms"), (2.5e6, "2.50 s")],
)
def test_times_are_in_the_unit_that_suits_them(time_us: float | None, shown: str) -> None:
    assert duration_us(time_us) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (2**33, "8 GiB"),
        (1000, "1000 B"),
        (10_000, "10 kB"),
        (1, "1 B"),
        (2**20, "1 MiB"),
        (1536, "1.5 KiB"),
    ],
)
def test_sizes_are_in_the_unit_that_suits_them(size: int, shown: str) -> None:
    assert message_size(size) == shown


def _rows(text: str) -> list[str]:
    """The lines of the table of links."""
    return text.partition("Links, most loaded first")[2].partition("\n\n")[0].splitlines()[2:-1]


def test_links_come_fullest_first_and_those_that_limit_are_marked(analysis: Analysis) -> None:
    text = analysis_report(
        replace(analysis, limits=analysis.limits[::-1], limited_by="links"), Request()
    )
    rows = _rows(text)
    used = [int(row.split("%")[0].split()[-1]) for row in rows]
    assert used == sorted(used, reverse=True)
    assert [row.endswith("limits") for row in rows] == [True] + [False] * (len(rows) - 1)


def test_what_a_link_carries_is_its_load_over_its_utilisation(analysis: Analysis) -> None:
    load = replace(analysis.limits[0], load_GBps=30.0, utilization=0.625, capacity_GBps=50.0)
    limited = replace(analysis, limits=(load,), limited_by="links")
    (row,) = _rows(analysis_report(limited, Request()))
    assert re.split("  +", row)[-5:] == ["50.0 GB/s", "48.0 GB/s", "30.0 GB/s", "62 %", "limits"]


def test_published_results_are_a_range_around_the_figure(analysis: Analysis) -> None:
    names = tuple(f"system {n}" for n in range(9))
    band = ErrorBand(-0.06, 0.03, 12, 9, "inside an NVSwitch node, 1 GiB and more", 0.8, names)
    text = analysis_report(replace(analysis, busbw_GBps=100.0, band=band), Request())
    assert (
        "published results of 9 such systems: -6 % to +3 % of this prediction (94.0 to 103 GB/s)\n"
        "  8 of 10 of them; 9 systems, 12 curves; inside an NVSwitch node, 1 GiB and more\n"
        "  in sample, at hand while the model was built: published of system 0, system 1," in text
    )
    few = replace(band, systems=5, names=names[:5])
    text = analysis_report(replace(analysis, busbw_GBps=100.0, band=few), Request())
    assert "8 of 10" not in text
    assert "  all public results found, no share of what others reach; 5 systems" in text
    none = replace(analysis, busbw_GBps=100.0, band=None, no_band="too few published results")
    assert "\n  too few published results\n" in analysis_report(none, Request())


def test_every_figure_says_whether_it_is_exact_a_bound_or_a_model(analysis: Analysis) -> None:
    block = analysis_report(analysis, Request()).split("\n\n")[1].splitlines()[1:]
    of_bands = ("  published", "  8 of", "  a tenth", "  all public", "  in sample")
    rows = [line for line in block if not line.startswith(of_bands)]
    assert len(rows) > 6
    for line in rows:
        assert re.search(r"\((exact|bound: [^)]+|model)\)$", line) or "unknown" in line, line


def test_a_bound_that_is_not_exact_says_why(analysis: Analysis) -> None:
    label = Label("bound", "ingress of all nodes", "devices or cables are absent, down or slow")
    text = analysis_report(replace(analysis, algorithm="ring", bound_label=label), Request())
    assert "(bound: ingress of all nodes)" in text
    assert "the bound is not proven to be within reach: devices or cables are absent" in text


def test_oversubscription_is_said_as_a_ratio(analysis: Analysis) -> None:
    assert "2:1" in analysis_report(analysis, Request())


def test_a_figure_that_is_not_known_is_said_so(analysis: Analysis) -> None:
    unknown = replace(analysis, busbw_GBps=None, channels=None, limited_by=None, next_step=None)
    text = analysis_report(unknown, Request())
    assert re.search(r"predicted busbw +unknown$", text, re.M)
    assert "channel" not in text


def test_errors_come_before_warnings() -> None:
    severities: tuple[Severity, ...] = ("info", "warning", "error")
    told = [found("unwired", at_group("leaf"), severity) for severity in severities]
    assert [line.split(":")[0] for line in findings_lines(told)] == ["error", "warning", "info"]


def test_no_text_of_a_design_reaches_the_terminal_unescaped(analysis: Analysis) -> None:
    evil = "a\x1b]0;x\x07\r\u202eb\x9b"
    nasty = replace(
        analysis,
        design=evil,
        limits=tuple(replace(load, link=evil) for load in analysis.limits),
        bound_cut=tuple(replace(cut, link=evil) for cut in analysis.bound_cut),
        findings=(found("cannot-run", at_block(evil), reason=evil),),
    )
    text = analysis_report(nasty, Request())
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert "\\x1b]0;x" in text


def test_every_part_has_a_line_and_a_card() -> None:
    catalog = load_catalog()
    lines = catalog_report(list(catalog), catalog).splitlines()
    assert len(lines) == len(catalog) + 1
    for part in catalog:
        card = part_report(part, catalog)
        assert card.startswith(f"{part.id}\n")
        assert "Source" in card


def test_columns_line_up_and_figures_end_together() -> None:
    lines = list(columns(("a", "n"), [("xyz", "1"), ("y", "100")], right=(1,)))
    assert lines == ["a      n", "xyz    1", "y    100"]
