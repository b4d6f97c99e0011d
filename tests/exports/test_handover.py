"""What is handed over: whose bandwidth stands beside the price."""

from __future__ import annotations

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.report.design_report import report_html

CATALOG = load_catalog(user=False)
POD = """toposmith: 1
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, per: [rail]}
links: [{between: [node.compute, leaf], length: 20}]
"""
SPLIT = 'communicator: {layout: "tp=8,dp=4", group: dp}\n'


def handed(text: str) -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(text, "test"), CATALOG)


def test_the_same_hardware_delivers_the_same_whatever_groups_its_job_runs_in() -> None:
    assert handed(POD).delivered == handed(POD + SPLIT).delivered
    assert handed(POD + SPLIT).delivered.gpus == 32


def test_the_report_names_the_groups_beside_its_first_figure() -> None:
    split = report_html(handed(POD + SPLIT))
    assert "all-reduce busbw of dp: 8 groups of 4 ranks" in split
    assert "all-reduce busbw of world: 32 ranks" in report_html(handed(POD))
