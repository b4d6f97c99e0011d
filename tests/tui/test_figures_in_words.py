"""Figures have units and three digits, and what is not known is never 0."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toposmith.analysis.prediction.error_band import ErrorBand
from toposmith.analysis.request import Request, Routing
from toposmith.analysis.summary import band_basis
from toposmith.bill.order_words import Delivered
from toposmith.bill.totals import PriceTotal
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.labels import EXACT, MODEL, Label
from toposmith.text import (
    bandwidth,
    message_size,
    number,
    oversubscription,
    percent,
    read_message_size,
    signed_percent,
    whole_figures,
    wrapped,
)
from toposmith.tui.canvas.trunk_figures import figure_of
from toposmith.tui.drawing.glyphs import ASCII, UNICODE
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.shared_figures import Wanted, figure
from toposmith.tui.pages.live import headline, live_lines


@pytest.fixture
def figures(two_tier: Path) -> LiveFigures:
    wanted = Wanted(load_file(two_tier).design, Request())
    return figure(wanted, load_catalog(), None)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.123456, "0.12"), (1.6543, "1.65"), (48.04, "48.0"), (383.6, "384"),
     (1999.4, "1,999"), (99.96, "100")],
)  # fmt: skip
def test_numbers_have_three_digits_and_all_whole_ones(value: float, text: str) -> None:
    assert number(value) == text


def test_units_and_unknowns_are_words() -> None:
    assert bandwidth(None) == "unknown"
    assert bandwidth(25_600) == "25.6 TB/s"
    assert bandwidth(0.0123) == "12.3 MB/s"
    assert bandwidth(0.000_012_3) == "12.3 kB/s"
    assert [signed_percent(share) for share in (-0.294, 0.031, -0.001)] == ["-29 %", "+3 %", "0 %"]
    assert percent(0.001) == "<1 %"
    assert oversubscription(2) == "2:1"
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
    lines = live_lines(figures, width, UNICODE, large=False, whole=True).plain.splitlines()
    assert max(map(len, lines)) <= width


def test_a_figure_that_is_not_determined_reads_unknown(figures: LiveFigures) -> None:
    assert figures.analysis is not None
    unknown = replace(figures.analysis, busbw_GBps=None, bisection_GBps=None, limits=())
    text = live_lines(replace(figures, analysis=unknown), 30, ASCII, large=False, whole=True).plain
    assert text.count("unknown") >= 2
    assert " 0 GB/s" not in text


def test_a_change_shows_both_figures(figures: LiveFigures) -> None:
    assert figures.analysis is not None
    before = replace(figures.analysis, busbw_GBps=192.0)
    text = live_lines(replace(figures, before=before), 40, ASCII, large=False).plain
    assert "192 -> " in text


@pytest.mark.parametrize(
    ("limited_by", "words", "marks"),
    [("links", "", 1), ("latency", "latency", 0), ("channels", "NCCL's channels", 0)],
)
def test_the_binding_link_has_a_mark_only_where_links_bind(
    figures: LiveFigures, limited_by: str, words: str, marks: int
) -> None:
    assert figures.analysis is not None
    analysis = replace(figures.analysis, limited_by=limited_by)
    lines = live_lines(replace(figures, analysis=analysis), 40, UNICODE, large=False).plain
    limits = [line.split(maxsplit=1)[1] for line in lines.splitlines() if line[:6] == "limit "]
    assert limits == ([words] if words else [])
    marked = [line for line in lines.splitlines() if UNICODE.limits in line]
    assert len(marked) == marks


def shown(figures: LiveFigures, width: int = 40, **changed: Any) -> str:
    assert figures.analysis is not None
    analysis = replace(figures.analysis, **changed)
    changed_figures = replace(figures, analysis=analysis)
    return live_lines(changed_figures, width, UNICODE, large=False, whole=True).plain


@pytest.mark.parametrize(
    ("systems", "held_out", "eight"),
    [(9, 0.75, True), (9, 0.57, False), (9, 0.95, False), (8, 0.75, False)],
)
def test_published_results_stand_as_a_range_below_the_figure(
    figures: LiveFigures, systems: int, held_out: float, eight: bool
) -> None:
    band = ErrorBand(-0.06, 0.03, 12, systems, "whole NVSwitch nodes over RDMA", held_out)
    lines = shown(figures, 80, busbw_GBps=200.0, band=band)
    assert f"published results of {systems} such systems: -6 % to +3 % of this prediction" in lines
    assert "188 to 206 GB/s" in lines
    assert ("8 of 10" in lines) == eight
    assert ("all known" in lines) == (systems < 9)
    lines = shown(figures, 80, busbw_GBps=200.0, band=None, no_band="too few published results")
    assert "too few published results" in lines


@pytest.mark.parametrize(
    ("systems", "held_out", "first"),
    [
        (9, 0.75, "8 of 10 of them"),
        (9, 0.57, "a tenth expected beyond each end; of a system left out 57 % lie inside"),
        (5, 0.75, "all public results found, no share of what others reach"),
    ],
)
def test_the_report_says_what_a_band_rests_on(systems: int, held_out: float, first: str) -> None:
    band = ErrorBand(-0.06, 0.03, 12, systems, "inside an NVSwitch node, 1 to 64 MiB", held_out)
    words = band_basis(band)
    assert words.endswith(f"{systems} systems, 12 curves; inside an NVSwitch node, 1 to 64 MiB")
    assert words.startswith(first)


def test_the_figure_says_that_it_is_a_model_s_and_how_near_the_bound_it_is(
    figures: LiveFigures,
) -> None:
    half = {"busbw_GBps": 100.0, "bound_busbw_GBps": 200.0}
    lines = shown(figures, bound_label=EXACT, **half)
    assert lines.splitlines()[0].split() == ["100", "GB/s", "per", "GPU", "model"]
    assert "50 % of the 200 GB/s bound at line rate (exact)" in " ".join(lines.split())
    bound = Label("bound", "ingress of all nodes", "devices or cables are absent, down or slow")
    lines = shown(figures, 90, bound_label=bound, **half)
    assert "50 % of the 200 GB/s bound at line rate (upper bound: ingress of all nodes)" in lines


def test_where_switches_reduce_the_share_is_of_their_bound(figures: LiveFigures) -> None:
    both = {"bound_busbw_GBps": 200.0, "bound_with_reduction_GBps": 390.0}
    lines = shown(figures, 90, busbw_GBps=195.0, algorithm="nvls", bound_label=EXACT, **both)
    assert "50 % of the 390 GB/s bound at line rate" in lines
    assert "where switches reduce)" in lines
    assert "bound where no switch reduces" in lines and "200 GB/s" in lines


def test_above_its_bound_a_figure_has_no_share(figures: LiveFigures) -> None:
    more = {"busbw_GBps": 300.0, "bound_busbw_GBps": 200.0, "algorithm": "ring"}
    lines = shown(figures, 90, bound_label=EXACT, **more)
    assert "above the 200 GB/s bound at line rate (exact)" in lines
    assert "150 %" not in lines


LEAST = Label("at least", "NVLink between nodes is left out", "as it is")


def test_what_is_at_least_so_much_has_its_sign_on_the_number_itself(figures: LiveFigures) -> None:
    changed = {"busbw_label": LEAST, "bound_busbw_GBps": None, "band": None, "next_step": None}
    changed |= {"bound_label": Label("unknown", why="as it is"), "no_band": "no band"}
    changed |= {"bound_with_reduction_GBps": None}
    lines = shown(figures, busbw_GBps=189.0, **changed)
    assert lines.splitlines()[0].split() == ["≥", "189", "GB/s", "per", "GPU", "at", "least"]
    assert "NVLink between nodes is left out" in lines
    assert "bound" not in lines and "exact" not in lines and "published" not in lines
    assert figures.analysis is not None
    analysis = replace(figures.analysis, busbw_GBps=189.0, busbw_label=LEAST)
    assert headline(replace(figures, analysis=analysis)) == "≥189"
    plain = live_lines(replace(figures, analysis=analysis), 40, ASCII, large=False).plain
    assert plain.startswith(">= 189 GB/s per GPU")
    assert plain.isascii()


def test_a_rate_of_small_messages_stands_with_its_own_unit(figures: LiveFigures) -> None:
    assert figures.analysis is not None
    small = replace(figures, analysis=replace(figures.analysis, busbw_GBps=0.0344))
    assert headline(small) == "34.4"
    assert live_lines(small, 40, UNICODE, large=True).plain.startswith("MB/s per GPU")
    assert live_lines(small, 40, UNICODE, large=False).plain.startswith("34.4 MB/s per GPU")


@pytest.mark.parametrize("value", [34.4e-3, 4.4e-3, 9.9e-4, 1e-5, 3e-8, 2e-11])
def test_no_formatter_reads_0_for_what_is_not_zero(value: float) -> None:
    capacity = figure_of(value, 48.0, value / 48)
    texts = [
        *(bandwidth(value), number(value), number(value, "GB/s"), percent(value)),
        *(capacity.load, capacity.percent),
        Delivered("all_reduce", value, 8, MODEL).words(PriceTotal()),
    ]
    for text in texts:
        assert not re.search(r"(^|[^\d.,])0(\.0+)?( |$)", text), text


def test_what_the_figure_assumes_is_said(two_tier: Path) -> None:
    request = Request(routing=Routing("static", 4), sharp=True)
    figures = figure(Wanted(load_file(two_tier).design, request), load_catalog(), None)
    lines = live_lines(figures, 60, ASCII, large=False, whole=True).plain
    assert re.search(r"^routing +static$", lines, re.MULTILINE)
    assert re.search(r"^queue pairs +4\b", lines, re.MULTILINE)
    assert "SHARP" in lines
    assert "us" in lines
    assert lines.isascii()


@pytest.mark.parametrize("width", [-3, 0, 1])
def test_text_without_room_is_broken_into_single_signs_and_ends(width: int) -> None:
    assert wrapped("no room", width) == [*"no", *"room"]
