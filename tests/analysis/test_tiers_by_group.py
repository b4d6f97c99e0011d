"""Groups of one tier with unlike ratios are told each its own, on every surface."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from hypothesis import given, settings

from tests.every_design import EVERY, planned
from tests.review.reviewing import CATALOG
from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from toposmith.analysis.result import as_json
from toposmith.command.reports.analysis import analysis_report
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.svg import svg_text
from toposmith.exports.report.design_report import report_html
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.plan import Plan
from toposmith.planned_design import PlannedDesign
from toposmith.review.differences.consequences import differences
from toposmith.review.differences.differences_table import differences_table
from toposmith.tui.canvas.trunk_figures import read_figures

TWO = """\
toposmith: 1
groups:
  x: {{part: dgx-h100, count: 8}}
  y: {{part: dgx-h100, count: 8}}
  xleaf: {{part: qm9700, count: 2}}
  yleaf: {{part: qm9700, count: 2}}
  spine: {{part: qm9700, count: 2}}
links:
  - {{between: [x.compute, xleaf]}}
  - {{between: [y.compute, yleaf]}}
  - {{between: [xleaf, spine], cables: 16}}
  - {{between: [yleaf, spine], cables: {cables}}}
"""


def two(cables: int) -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(TWO.format(cables=cables), "two"), CATALOG)


# below each leaf 8 nodes x 8 ports / 2 leaves = 32 cables of 400 Gb/s; above 2 spines x 16 or 4
def test_one_to_one_and_four_to_one_are_not_one_point_six_to_one() -> None:
    design = two(4)
    assert design.oversubscription == {"leaf (xleaf)": 1.0, "leaf (yleaf)": 4.0}
    assert design.worst_oversubscription == 4.0
    (finding,) = [one for one in design.findings if one.code == "oversubscribed"]
    assert finding.where == "yleaf" and finding.value is not None and finding.value.amount == 4


def test_groups_of_one_ratio_are_one_tier() -> None:
    design = two(16)
    assert design.oversubscription == {"leaf": 1.0}
    assert design.tiers[0].groups == ("xleaf", "yleaf")
    assert design.tiers[0].devices == 4


def test_a_change_of_one_group_is_held_against_what_all_had() -> None:
    found = {one.key: one for one in differences(two(16), two(4)).figures}
    ratios = {key: one for key, one in found.items() if key.startswith("oversubscription")}
    assert {key: (one.before, one.after, one.worse) for key, one in ratios.items()} == {
        "oversubscription_leaf (xleaf)": (1.0, 1.0, False),
        "oversubscription_leaf (yleaf)": (1.0, 4.0, True),
    }


def by_group(design: Design, planned: PlannedDesign) -> dict[str, float]:
    """Capacity down over up of each switch group, added up cable by cable."""
    down: defaultdict[str, float] = defaultdict(float)
    up: defaultdict[str, float] = defaultdict(float)
    heights, slots = planned.heights, planned.network.slots
    cables = cable_counts(planned.plan)
    for link in planned.plan.every_link:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            on = all(end.ports == slots.get(end.group, "") for end in (here, there))
            if not on or {here.group, there.group} - heights.keys():
                continue
            side = down if heights[there.group] < heights[here.group] else up
            if heights[there.group] != heights[here.group]:
                side[here.group] += cables[link.index] * link.speed_gbit
    return {name: down[name] / up[name] for name in up if heights[name]}


def assert_each_has_its_own(design: Design, planned: PlannedDesign) -> None:
    if design.down or design.slow:
        return
    figures = EvaluatedDesign(design, planned.catalog, shared=planned)
    told = {name: tier.oversubscription for tier in figures.tiers for name in tier.groups}
    assert {name: ratio for name, ratio in told.items() if ratio is not None} == pytest.approx(
        by_group(design, planned)
    )


@pytest.mark.parametrize("name", EVERY)
def test_every_group_has_the_ratio_of_its_own_cables(name: str) -> None:
    if not planned(name).too_large:
        assert_each_has_its_own(EVERY[name], planned(name))


@settings(deadline=None)
@given(designs(faults=False, unlike=True))
def test_so_it_is_in_random_designs(plan: Plan) -> None:
    assert_each_has_its_own(plan.design, PlannedDesign(plan, SMALL))


def test_every_surface_has_both_ratios_and_not_their_mean() -> None:
    design = two(4)
    data = json.loads(json.dumps(as_json(design.analysis)))
    leaves = [tier for tier in data["tiers"] if tier["tier"] == "leaf"]
    assert [(tier["groups"], tier["oversubscription"]) for tier in leaves] == [
        (["xleaf"], 1.0),
        (["yleaf"], 4.0),
    ]
    texts = (
        analysis_report(design.analysis, design.asked),
        report_html(design),
        svg_text(fabric_sheet(design.plan, design.analysis)),
        str(differences_table(differences(two(16), design)).rows),
    )
    for text in texts:
        assert "4:1" in text
        assert "1.6:1" not in text
    ratios = read_figures(design.plan, design.analysis).ratios
    assert {name: ratio.text for name, ratio in ratios.items()} == {
        "xleaf": "1:1",
        "yleaf": "4:1 oversubscribed",
    }
