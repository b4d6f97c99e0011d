"""What findings say of single points, and what failures say of them, is the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings

from tests.every_design import CATALOG, EVERY, planned
from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.shared_modules import CABLE, MODULE
from toposmith.review.failures.survivors import survivors
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.sweep_in_words import before_line
from toposmith.review.findings.collecting import review_findings
from toposmith.templates import new_design

FEW = [name for name, design in EVERY.items() if "131072" not in name and "64su" not in name]
THREE_TIERS = [
    {"su": 2, "nodes": 4, "su_per_pod": 1},
    {"su": 2, "nodes": 8, "su_per_pod": 1},
    {"su": 4, "nodes": 2, "su_per_pod": 2},
    {"su": 4, "nodes": 4, "su_per_pod": 1},
]


def single_points(design: PlannedDesign) -> list[Finding]:
    findings = review_findings(design, design.questions.analysis(Request()))
    return [one for one in findings if one.code in ("single-leaf", "single-spine")]


def agree(design: PlannedDesign) -> int:
    """Findings about single points, and failures."""
    findings = single_points(design)
    # who is cut off is asked, not what the others still deliver
    failures = sweep(design.plan, design.catalog, collectives=())
    whole = [one for one in failures.survival if one.kind not in (MODULE, CABLE)]
    lost = {one.what: one.gpus_cut_off for one in whole}
    if survivors(ComputeNetwork(design.plan)).parts > 1:
        # of GPUs that are apart already findings count those that the switch joined, failures all
        parts = f"{survivors(ComputeNetwork(design.plan)).parts:,} partitions already"
        assert parts in before_line(failures) or not failures.singles
        assert all(parts in one.text for one in findings if one.value and one.value.amount)
        assert all(one.value is not None and one.value.amount < failures.gpus for one in findings)
        return len(findings)
    for finding in findings:
        above = re.search(r"one (\S+?)(?::| joins)", finding.text)
        assert above is not None
        assert finding.value is not None
        assert finding.value.amount == lost[above[1]]
        of = f"{finding.value.amount:,.0f} of {failures.gpus:,} GPUs are cut off"
        assert (of in finding.text) == (lost[above[1]] > 0)
        if finding.code == "single-spine":
            only = next(one.things for one in failures.survival if one.what == above[1]) == 1
            harms = bool(lost[above[1]]) or only
            assert finding.severity == ("warning" if harms else "info")
    return len(findings)


HALLS = """\
toposmith: 1
axes: {hall: 2, su: 2}
groups:
  node: {part: dgx-h100, count: 4, per: [hall, su]}
  leaf: {part: qm9700, per: [hall, su]}
  spine: {part: qm9700, per: [hall]}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 16}
"""


def test_where_nodes_are_apart_already_both_say_of_which_gpus_they_count() -> None:
    """2 halls of 64 GPUs that nothing joins: a spine parts one of them, the other has 64 still."""
    design = PlannedDesign.of(parse_design(HALLS, "halls"), CATALOG)
    spine = "one spine joins 2 leaf switches: if it fails, 32 of the GPUs that meet over it"
    already = "are cut off; all 128 are in 2 partitions already"
    (leaf, above) = sorted(single_points(design), key=lambda one: one.code)
    assert leaf.text == (
        "all ports of a node end at one leaf: if it fails, 32 of the GPUs that meet over it "
        + already
    )
    assert above.text == f"{spine} {already}"
    failures = sweep(design.plan, CATALOG, collectives=("all_reduce",))
    assert before_line(failures).startswith(
        "128 GPUs, in 2 partitions already, 64 in the largest (those outside the largest that is "
        "left count as cut off); "
    )
    assert {one.gpus_cut_off for one in failures.singles if one.failures[0].kind == "spine"} == {64}
    assert agree(design) == 2


@pytest.mark.parametrize("name", FEW)
def test_designs_lose_with_a_single_switch_what_their_failures_say(name: str) -> None:
    agree(planned(name))


@pytest.mark.parametrize("values", THREE_TIERS, ids=str)
def test_a_template_of_three_tiers_does_not_contradict_itself(values: dict[str, int]) -> None:
    assert agree(PlannedDesign.of(new_design("three-tier", values, catalog=CATALOG), CATALOG))


def test_a_node_on_several_leaves_joins_what_hangs_on_one_of_them() -> None:
    """Two nodes on three leaves, of which one lacks the first; a third and fourth on one leaf each.

    Whichever leaf fails, one node alone is cut off: the others hang together over the rest.
    """
    text = """
toposmith: 1
axes: {su: 3}
groups:
  leaf: {part: switch, per: [su]}
  node: {part: node1, count: 2, nics: {compute: {part: nic-2x100, count: 4}}}
  other: {part: node1, per: [su], nics: {compute: {part: nic-1x100, count: 1}}}
links:
  - {between: [node.compute, leaf], cables: 2}
  - {between: [other.compute, leaf], cables: 1}
absent: ["other[su=1]", "node[node=0] - leaf[su=0]"]
"""
    design = PlannedDesign.of(parse_design(text, "test"), SMALL)
    (finding,) = (one for one in single_points(design) if one.code == "single-leaf")
    assert finding.value is not None
    assert finding.value.amount == 1
    assert agree(design)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(designs())
def test_random_designs_lose_with_a_single_switch_what_their_failures_say(plan: Plan) -> None:
    agree(PlannedDesign(plan, SMALL))
