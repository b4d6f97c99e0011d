"""A bisection is of even halves, and says how many nodes stand on each side."""

from __future__ import annotations

import pytest

from tests.oracle import cuts
from tests.oracle.expansion import expand
from toposmith.analysis.analyse import analyse
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.text import counted

CATALOG = load_catalog()


def analysed(text: str) -> Analysis:
    return analyse(plan_design(parse_design(text, "test"), CATALOG), CATALOG)


def racks(many: int, nodes: int) -> str:
    return f"""\
toposmith: 1
axes: {{rack: {many}}}
groups:
  node: {{part: dgx-h100, per: [rack], count: {nodes}}}
  leaf: {{part: qm9700, per: [rack]}}
  spine: {{part: qm9700, count: 2}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {4 * nodes}}}
"""


TORUS = """\
toposmith: 2
axes: {x: 4, y: 3, z: 5}
groups:
  node: {part: dgx-h200, per: [x, y, z], count: 2}
  sw: {part: qm9700, per: [x, y, z]}
links:
  - {between: [node.compute, sw]}
  - {between: [sw, sw], along: {x: next}, cables: 6}
  - {between: [sw, sw], along: {y: next}, cables: 6}
  - {between: [sw, sw], along: {z: next}, cables: 6}
"""
DOWN = 'down: ["sw[x=0,y=0,z=0] - sw[x=1,y=0,z=0]"]\n'
TAPERED = """\
toposmith: 1
axes: {su: 3, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 32}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 1}
"""
THREE_GROUPS = """\
toposmith: 1
groups:
  a: {part: dgx-h100, count: 3}
  b: {part: dgx-h100, count: 3}
  c: {part: dgx-h100, count: 3}
  left: {part: qm9700}
  right: {part: qm9700}
links:
  - {between: [a.compute, left]}
  - {between: [b.compute, left]}
  - {between: [c.compute, right]}
  - {between: [left, right], cables: 8}
"""


@pytest.mark.parametrize("nodes", [1, 2, 3, 5])
@pytest.mark.parametrize("many", [2, 3, 5, 7])
def test_half_of_the_nodes_of_a_non_blocking_fabric_send_all_that_their_nics_carry(
    many: int, nodes: int
) -> None:
    found = analysed(racks(many, nodes))
    few = many * nodes // 2
    assert found.bisection_GBps == few * 8 * 50
    label = found.bisection_label
    assert (label.kind, label.of) == (
        "bound", f"even halves of {few} and {counted(many * nodes - few, 'node')}"
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [TORUS, TORUS + DOWN, TAPERED, THREE_GROUPS, racks(3, 2) + 'down: ["node[rack=0,node=0]"]\n'],
    ids=["torus", "torus with one bundle down", "tapered", "three groups", "a node down"],
)
def test_halves_are_even_and_as_narrow_as_single_cables_say(text: str) -> None:
    found = analysed(text)
    assert found.bisection_GBps == float(cuts.bisection_GBps(expand(text)) or 0)
    few, many = (int(word) for word in found.bisection_label.of.split() if word.isdigit())
    assert few + many == found.nodes
    assert many - few <= 1
    assert found.bisection_label.kind == "bound"


def test_racks_that_nvlink_joins_stay_whole_and_an_uneven_cut_is_no_bound() -> None:
    rack = "part: gb200-nvl72-tray, per: [rack], count: 18"
    text = f"""\
toposmith: 1
axes: {{rack: 3}}
groups:
  tray: {{{rack}}}
  nvswitch: {{part: nvlink5-switch-tray, per: [rack], count: 9}}
  leaf: {{part: qm9700, count: 4}}
links:
  - {{between: [tray.nvlink, nvswitch]}}
  - {{between: [tray.compute, leaf]}}
"""
    label = analysed(text).bisection_label
    assert label.of == "cut of 18 against 36 nodes; even halves are not known"
    assert label.kind != "bound"
