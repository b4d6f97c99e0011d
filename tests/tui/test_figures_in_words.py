"""Figures have units and three digits, and what is not known is never 0."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from catalog import load_catalog
from topology.design.storage import load_file
from tui.figuring import Wanted, figure
from tui.glyphs import ASCII, UNICODE
from tui.live_figures import LiveFigures, live_lines
from tui.wording import bandwidth, message_size, percent, ratio, read_message_size, three_digits


@pytest.fixture
def figures(two_tier: Path) -> LiveFigures:
    wanted = Wanted(load_file(two_tier).design, "all_reduce", 8 * 2**30)
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
    assert percent(0.001) == "<1 %"
    assert ratio(2) == "2.0:1"
    assert message_size(8 * 2**30) == "8 GiB"


@pytest.mark.parametrize(
    ("text", "size"),
    [("8GiB", 8 * 2**30), ("512 M", 512 * 2**20), ("1kB", 1000), ("0", None), ("big", None)],
)
def test_message_sizes_are_read(text: str, size: int | None) -> None:
    assert read_message_size(text) == size


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


def test_the_binding_link_has_a_mark_and_the_others_have_none(figures: LiveFigures) -> None:
    text = live_lines(figures, 40, UNICODE, large=False).plain
    marked = [line for line in text.splitlines() if UNICODE.limits in line]
    assert len(marked) == 1
    assert "100 %" in marked[0]
