"""Counts at a switch say of what they are: ports of which speed, or cages."""

from __future__ import annotations

import pytest

from tests.tui.canvas.drawn import as_text
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.tui.canvas.layout import lay_out
from toposmith.tui.canvas.scene import Scene
from toposmith.tui.canvas.trunk_figures import read_figures

CATALOG = load_catalog()
MIXED = """\
toposmith: 1
axes: {su: 2, rail: 8}
groups:
  node:
    part: xe9680-h200
    per: [su]
    count: 48
    nics: {compute: {part: bluefield-3-b3140h, count: 8}}
  leaf: {part: sn5600, per: [su, rail]}
  spine: {part: sn5600, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 3, speed: 800}
"""
FULL = """\
toposmith: 1
groups:
  node: {part: xe9680-h200, count: 256, nics: {compute: {part: connectx-7-ndr200, count: 1}}}
  leaf: {part: sn5600}
links:
  - {between: [node.compute, leaf]}
placement: {nodes_per_rack: 3, racks_per_row: 10}
"""


def seen(text: str, width: int, height: int) -> str:
    evaluated = EvaluatedDesign(parse_design(text, "test"), CATALOG)
    layout = lay_out(evaluated.plan, width, height, evaluated.findings)
    return as_text(Scene(layout, read_figures(evaluated.plan, None)))


@pytest.mark.parametrize("size", [(50, 18), (80, 34), (120, 46), (200, 60)])
def test_ports_of_two_speeds_and_free_cages_are_told_apart(size: tuple[int, int]) -> None:
    shown = seen(MIXED, *size)
    # 48 ports of 400 in 24 cages of two, 24 of 800 in a cage each: 16 of 64 cages are left
    for words in ("48 x 400 Gb/s below", "24 x 800 Gb/s above", "up to 16 cages free"):
        assert words in shown
    assert "48 below, 16 free" in shown, "of a spine, whose ports are all of 800"


def test_a_switch_whose_cages_do_not_hold_all_plugs_has_no_cage_free() -> None:
    shown = seen(FULL, 120, 40)
    assert "256 x 200 Gb/s below, 1 cage too many" in shown
    assert "free" not in shown.split("leaf")[1].split("\n")[2]
