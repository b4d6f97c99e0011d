"""What a change takes with it: a way between rails, and warnings that it makes worse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.synthesis.test_fixes import CATALOG, RAILS_3_TO_1, saved
from toposmith.analysis.request import Request
from toposmith.design.document import Design
from toposmith.design.edits import fit_nics, remove_group, set_count
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.synthesis.left_out import LeftOut, Spares, what_can_be_left_out
from toposmith.synthesis.next_change import (
    cost_cell,
    cost_lines,
    fixes_as_data,
    next_change,
    spare_words,
    spares_as_data,
    suffers_words,
)
from toposmith.synthesis.ranked_fixes import ranked_fixes
from toposmith.synthesis.side_effects import side_effects
from toposmith.workloads.goodput import stops

RAILS = """\
toposmith: 1
axes: {su: %d, rail: 8}
groups:
  node: {part: %s, per: [su], count: 16}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: %d}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: %d}
"""
"""Rail-optimised nodes at 1:1; of one SU as much as of two."""


def evaluated(text: str, collective: str = "all_reduce") -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(text, "test"), CATALOG, Request(collective=collective))


def without_spine(found: Spares) -> LeftOut:
    return next(one for one in found.left_out if one.label == "leave out spine")


@pytest.mark.parametrize(
    ("node", "spines", "cables"), [("dgx-h100", 2, 8), ("dgx-h100", 1, 16), ("dgx-b200", 4, 4)]
)
def test_without_spines_rails_are_apart_and_an_all_to_all_has_no_path_without_pxn(
    node: str, spines: int, cables: int
) -> None:
    of = evaluated(RAILS % (1, node, spines, cables))
    found = what_can_be_left_out(of)
    left = without_spine(found)
    assert [one.code for one in left.added] == ["rails-apart"]
    (pair,) = left.suffers
    own = EvaluatedDesign(of.design, CATALOG, Request("all_to_all", pxn=False))
    assert (pair.collective, pair.pxn, pair.after.value) == ("all_to_all", False, None)
    assert pair.before.value == own.analysis.busbw_GBps
    assert suffers_words(left) == f"all-to-all without PXN {pair.before.words} -> no path"
    assert cost_cell(left) == (
        "all-to-all without PXN has no path, warns of rails that meet only inside nodes"
    )
    assert any("no switch joins" in line for line in cost_lines(left))
    data = next(one for one in spares_as_data(found)["spare"] if one["change"] == left.label)
    assert data["falls_without_pxn"][0]["collective"] == "all_to_all"
    assert data["falls_without_pxn"][0]["after"]["busbw_GBps"] is None
    assert [one["code"] for one in data["adds"]] == ["rails-apart"]


def test_what_splits_the_network_is_never_what_is_proposed_in_one_line() -> None:
    found = next_change(evaluated(RAILS % (1, "dgx-h100", 2, 8)))
    assert found.spares is not None
    assert found.spares.left_out[0].label == "leave out spine"
    assert "1 spine instead of 2" in spare_words(found.spares)
    assert not any("leave out" in line for line in found.words)
    only = Spares(found.spares.of, found.spares.needs, (without_spine(found.spares),))
    assert spare_words(only) == ""


def test_what_already_is_apart_is_not_told_of_changes() -> None:
    """Eight rails with spines of their own: fewer of these leave no path that there was."""
    text = (RAILS % (2, "dgx-h100", 4, 4)).replace("count: 4}", "per: [rail], count: 4}")
    for left in what_can_be_left_out(evaluated(text)).left_out:
        assert "rails-apart" not in [one.code for one in left.added]
        assert not [pair for pair in left.suffers if not pair.pxn]


def test_a_second_nic_a_rail_doubles_the_oversubscription_and_is_told_so() -> None:
    of = evaluated(RAILS_3_TO_1)
    found = ranked_fixes(of)
    eight = next(fix for fix in found.fixes if fix.label.startswith("8 x ConnectX-7"))
    (worse,) = eight.worsened
    assert (worse.after.code, worse.after.where) == ("oversubscribed", "leaf")
    # 24 cables down where there were 12, over 4 up
    assert (worse.before.value.amount, worse.after.value.amount) == (3, 6)  # type: ignore[union-attr]
    assert cost_lines(eight)[-1].startswith("worsens warning leaf, 3:1 -> 6:1: leaf tier")
    assert "oversubscription above policy 6:1" in cost_cell(eight)
    assert eight.added == ()
    data = next(one for one in fixes_as_data(found, None)["fixes"] if one["change"] == eight.label)
    (said,) = data["worsens"]
    assert (said["code"], said["before"], said["after"], said["unit"]) == (
        ("oversubscribed", 3.0, 6.0, ":1")
    )  # fmt: skip


def test_what_analyze_ends_with_and_what_the_panel_says_name_the_worsened_warning() -> None:
    found = next_change(evaluated(RAILS_3_TO_1))
    assert any("3:1 -> 6:1" in line for line in found.words)
    assert "6:1" in found.costs


def test_a_warning_that_gets_better_or_stays_is_not_told() -> None:
    of = evaluated(RAILS_3_TO_1)
    added, worsened = side_effects(of, of)
    assert (added, worsened) == ((), ())
    four = EvaluatedDesign(
        fit_nics(of.design, "node", "compute", "connectx-7-ndr", 2).design, CATALOG
    )
    # half the NICs leave rails without nodes: errors are added, the oversubscription is gone
    assert "oversubscribed" not in [one.after.code for one in side_effects(of, four)[1]]


def test_a_finding_on_a_group_called_otherwise_is_the_same_finding() -> None:
    design = saved("hgx-a100-64gpu-roce-2to1").design.model_copy(update={"waivers": ()})
    of = EvaluatedDesign(design, CATALOG)
    text = design.model_dump_json().replace('"leaf"', '"tor"').replace("leaf.", "tor.")
    renamed = EvaluatedDesign(Design.model_validate_json(text), CATALOG)
    assert side_effects(of, renamed) == ((), ())
    thinner = EvaluatedDesign(set_count(renamed.design, "spine", 1).design, CATALOG)
    worsened = {one.after.code: one.words for one in side_effects(of, thinner)[1]}
    assert worsened["oversubscribed"] == "2:1 -> 4:1"


def test_a_tier_taken_away_takes_its_findings_along() -> None:
    of = saved("hgx-a100-64gpu-roce-2to1")
    flat = EvaluatedDesign(remove_group(of.design, "spine").design, CATALOG)
    added, worsened = side_effects(of, flat)
    assert "oversubscribed" not in [one.code for one in added]
    assert worsened == ()


SLOW = """\
toposmith: 2
axes: {su: 2, rail: 8}
groups:
  node: {part: dgx-h200, per: [su], count: 16}
  leaf: {part: sn5600, per: [su, rail]}
  spine: {part: sn5600, count: 4}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2, speed: 400}
"""


@pytest.mark.parametrize(
    "broken",
    [
        # one cable of 256 at half its rate: 1.996:1, then 2:1
        'slow: {"node[su=0,node=3].compute[2]": 200}',
        # half of the nodes of an SU down: 1.5:1, then 2:1 as it was built
        'down: ["node[su=0,node=0..7]"]',
    ],
)
def test_a_repair_is_not_blamed_for_what_the_design_is(broken: str) -> None:
    of = evaluated(SLOW + broken + "\n")
    mended = EvaluatedDesign(of.design.model_copy(update={"down": (), "slow": {}}), CATALOG)
    assert [one.code for one in mended.findings].count("oversubscribed") == 1
    assert side_effects(of, mended)[1] == ()


def test_what_reads_the_same_is_not_worse() -> None:
    worse = [
        side_effects(evaluated(SLOW), evaluated(SLOW + f'down: ["{text}"]\n'))[1]
        for text in ("1 of leaf[su=0,rail=0] - spine[spine=0]", "spine[spine=0]")
    ]
    # 256 ports over 127 uplinks are 2.02:1, over 96 of them 2.67:1
    assert [[one.words for one in found] for found in worse] == [
        ["2:1 -> 2.02:1"],
        ["2:1 -> 2.67:1"],
    ]
    thin = evaluated(SLOW + 'slow: {"1 of leaf[su=0,rail=0] - spine[spine=0]": 300}\n')
    assert side_effects(evaluated(SLOW), thin)[1] == ()  # 2.004:1 reads 2:1


def test_a_fix_says_where_jobs_stop_more_or_less_often_then() -> None:
    of = evaluated(RAILS_3_TO_1)
    fix = next(fix for fix in ranked_fixes(of).fixes if fix.label.startswith("8 x ConnectX-7"))
    after = EvaluatedDesign(fix.design, CATALOG)
    # twice the NICs, each with a cable of its own
    more = (7 / 54 / 16384 + 0.00057 / 30) * 4 * 24
    assert stops(after.plan).per_day - stops(of.plan).per_day == pytest.approx(more)
    assert fix.stops_h == (stops(of.plan).mtbf_h, stops(after.plan).mtbf_h)
    dual = replace(fix, stops_h=(51.3, 53.7))
    assert "a job on all GPUs stops every 53.7 h, 51.3 h before it" in cost_lines(dual)
    same = replace(fix, stops_h=(51.3, 51.4))
    assert not any("stops every" in line for line in cost_lines(same))
