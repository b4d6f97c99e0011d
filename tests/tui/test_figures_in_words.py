"""Figures have units and three digits, and what is not known is never 0."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from catalog import load_catalog
from topology.analysis.prediction.error_band import ErrorBand
from topology.analysis.request import Request, Routing
from topology.design.storage import load_file
from tui.drawing.glyphs import ASCII, UNICODE
from tui.drawing.text_lines import whole_figures, wrapped
from tui.figures.figuring import Wanted, figure
from tui.figures.live_figures import LiveFigures
from tui.pages.live import live_lines
from tui.wording import (
    bandwidth,
    message_size,
    percent,
    ratio,
    read_message_size,
    signed_percent,
    three_digits,
)


@pytest.fixture
def figures(two_tier: Path) -> LiveFigures:
    wanted = Wanted(load_file(two_tier).design, Request())
    return figure(wanted, load_catalog(), None)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.123456, "0.12"), (1.6543, "1.65"), (48.04, "48.0"), (383.6, "384"),
     (1999.4, "2,000"), (99.96, "100")],
)  # fmt: skip
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert three_digits(value) == text


def test_units_and_unknowns_are_words() -> None:
    assert bandwidth(None) == "unknown"
    assert bandwidth(25_600) == "25.6 TB/s"
    assert bandwidth(0.0123) == "12.3 MB/s"
    assert bandwidth(0.000_012_3) == "12.3 kB/s"
    assert [signed_percent(share) for share in (-0.294, 0.031, -0.001)] == ["-29 %", "+3 %", "0 %"]
    assert percent(0.001) == "<1 %"
    assert ratio(2) == "2:1"
    assert message_size(8 * 2**30) == "8 GiB"


@pytest.mark.parametrize(
    ("text", "size"),
    [("8GiB", 8 * 2**30), ("512 M", 512 * 2**20), ("1kB", 1000), ("0", None), ("big", None)],
)
def test_message_sizes_are_read(text: str, size: int | None) -> None:
    assert read_message_size(text) == size


@pytest.mark.parametrize(
    "text", ["1.41 s", "316 µs", "47.5 ms", "12.0 GB/s", "8 GiB", "90 %", "4 B"]
)
def test_a_figure_is_not_torn_from_its_unit(text: str) -> None:
    for width in range(len(text), len(text) + 12):
        lines = wrapped(whole_figures(f"it takes {text} in all"), width)
        assert any(text in line for line in lines)
        assert all(len(line) <= width for line in lines)


@pytest.mark.parametrize("width", [24, 30, 44])
def test_no_line_is_wider_than_its_panel(figures: LiveFigures, width: int) -> None:
    lines = live_lines(figures, width, UNICODE, large=False).plain.splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.startswith("limited by") for line in lines)


def test_a_figure_that_is_not_determined_reads_unknown(figures: LiveFigures) -> None:
    assert figures.analysis is not None
    unknown = replace(figures.analysis, busbw_GBps=None, bisection_GBps=None, limits=())
    text = live_lines(replace(figures, analysis=unknown), 30, ASCII, large=False).plain
    assert text.count("unknown") >= 2
    assert " 0 GB/s" not in text


def test_a_change_shows_both_figures(figures: LiveFigures) -> None:
    assert figures.analysis is not None
    before = replace(figures.analysis, busbw_GBps=192.0)
    text = live_lines(replace(figures, before=before), 40, ASCII, large=False).plain
    assert "192 -> " in text


@pytest.mark.parametrize(
    ("limited_by", "words", "marks"),
    [("links", "limited by", 1), ("latency", "latency", 0), ("channels", "NCCL's channels", 0)],
)
def test_the_binding_link_has_a_mark_only_where_links_bind(
    figures: LiveFigures, limited_by: str, words: str, marks: int
) -> None:
    assert figures.analysis is not None
    analysis = replace(figures.analysis, limited_by=limited_by)
    lines = live_lines(replace(figures, analysis=analysis), 40, UNICODE, large=False).plain
    assert words in lines.splitlines()
    marked = [line for line in lines.splitlines() if UNICODE.limits in line]
    assert len(marked) == marks


def test_published_results_stand_as_a_range_below_the_figure(figures: LiveFigures) -> None:
    assert figures.analysis is not None
    band = ErrorBand(-0.06, 0.03, 12, "rdma")
    known = replace(figures.analysis, busbw_GBps=200.0, band=band)
    lines = live_lines(replace(figures, analysis=known), 24, UNICODE, large=False).plain
    assert "-6 % to +3 %" in lines
    assert "188 to 206 GB/s" in lines
    unknown = replace(known, band=None)
    lines = live_lines(replace(figures, analysis=unknown), 40, UNICODE, large=False).plain
    assert "no published results to compare with" in lines


def test_the_figure_says_that_it_is_a_model_s_and_how_near_the_bound_it_is(
    figures: LiveFigures,
) -> None:
    assert figures.analysis is not None
    half = replace(figures.analysis, busbw_GBps=100.0, bound_busbw_GBps=200.0, bound_is="exact")
    lines = live_lines(replace(figures, analysis=half), 40, UNICODE, large=False).plain
    assert lines.splitlines()[0].split() == ["100", "GB/s", "per", "GPU", "model"]
    assert "50 % of the 200 GB/s bound (exact)" in lines


def test_more_than_the_bound_is_explained(figures: LiveFigures) -> None:
    assert figures.analysis is not None
    more = replace(figures.analysis, busbw_GBps=300.0, bound_busbw_GBps=200.0, bound_is="exact")
    lines = live_lines(replace(figures, analysis=more), 90, UNICODE, large=False).plain
    assert "150 % of the 200 GB/s bound (exact, without reduction in switches)" in lines


def test_what_the_figure_assumes_is_said(figures: LiveFigures) -> None:
    request = Request(routing=Routing("static", 4), sharp=True)
    lines = live_lines(replace(figures, request=request), 60, ASCII, large=False).plain
    assert "static routing, 4 queue pairs each, SHARP" in lines
    assert "us" in lines
    assert lines.isascii()
