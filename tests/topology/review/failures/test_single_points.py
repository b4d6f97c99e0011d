"""What findings say of single points, and what failures say of them, is the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings

from tests.topology.every_design import CATALOG, EVERY, planned
from tests.topology.small_designs import CATALOG as SMALL
from tests.topology.small_designs import designs
from toposmith.topology.analysis.network import ComputeNetwork
from toposmith.topology.analysis.request import Request
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.findings.finding import Finding
from toposmith.topology.planned_design import PlannedDesign
from toposmith.topology.review.failures.shared_modules import CABLE, MODULE
from toposmith.topology.review.failures.survivors import survivors
from toposmith.topology.review.failures.sweep import sweep
from toposmith.topology.review.findings.collecting import review_findings
from toposmith.topology.templates import new_design

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


@pytest.mark.parametrize("name", FEW)
def test_designs_lose_with_a_single_switch_what_their_failures_say(name: str) -> None:
    agree(planned(name))


@pytest.mark.parametrize("values", THREE_TIERS, ids=str)
def test_a_template_of_three_tiers_does_not_contradict_itself(values: dict[str, int]) -> None:
    assert agree(PlannedDesign.of(new_design("three-tier", values, catalog=CATALOG), CATALOG))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(designs())
def test_random_designs_lose_with_a_single_switch_what_their_failures_say(plan: Plan) -> None:
    agree(PlannedDesign(plan, SMALL))
