"""The live panel at first look: figure, what it rests on, limit, fix, in few lines."""

from __future__ import annotations

import pytest

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.findings.finding import worst_first
from toposmith.saved_designs import SavedDesign, saved_designs
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.figures.shared_figures import Wanted, figure
from toposmith.tui.pages.live import live_lines, short_names

NARROW, WIDE, ROOMY = 25, 30, 42
"""Cells of a line of the panel at 80, 120 and 200 columns."""
ROOM_AT_36 = 28
"""Lines of the panel at 120x36 below the large digits."""


@pytest.mark.parametrize("saved", saved_designs(), ids=lambda saved: saved.name)
def test_every_design_is_told_at_a_look(saved: SavedDesign) -> None:
    figures = figure(Wanted(load_file(saved.path).design, Request()), load_catalog(), None)
    for width in (NARROW, WIDE, ROOMY):
        lines = live_lines(figures, width, UNICODE, large=False).plain.splitlines()
        assert max(map(len, lines)) <= width
        assert len(lines) <= ROOM_AT_36
        assert not any(line.split()[-1:] in (["-"], ["nothing"]) for line in lines)
        for told in ("GB/s per GPU", "findings (f)", "(.)", " %"):
            assert any(told in line for line in lines), told


def test_where_there_is_no_figure_the_first_look_says_why() -> None:
    text = "toposmith: 1\ngroups:\n  node: {part: dgx-h100, count: 2}\n"
    design = parse_design(text, "apart.yaml")
    figures = figure(Wanted(design, Request()), load_catalog(), None)
    shown = live_lines(figures, WIDE, UNICODE, large=False).plain
    assert figures.analysis is not None and figures.analysis.busbw_GBps is None
    worst = worst_first(figures.findings)[0]
    assert worst.text.split()[0] in shown and "(.)" in shown


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["node.compute - leaf", "leaf - spine"], ["node-leaf", "leaf-spine"]),
        (["node.a - leaf", "node.b - leaf"], ["node.a-leaf", "node.b-leaf"]),
        (["node NVLink"], ["node NVLink"]),
        (
            ["node.a - leaf", "node.b - leaf", "node.c - far-leaf"],
            ["node.a-leaf", "node.b-leaf", "node-far-leaf"],
        ),
    ],
)
def test_names_of_links_lose_only_what_does_not_tell_them_apart(
    names: list[str], short: list[str]
) -> None:
    assert short_names(names) == short
