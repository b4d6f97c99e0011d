"""Slow cables are named with what they cost."""

from __future__ import annotations

from tests.topology.fabric.test_slow_cables import CATALOG, planned
from toposmith.topology.analysis.analyse import analyse
from toposmith.topology.findings.finding import Finding
from toposmith.topology.planned_design import PlannedDesign
from toposmith.topology.review.findings.collecting import review_findings


def found(slow: str) -> list[Finding]:
    plan = planned(slow)
    every = review_findings(PlannedDesign(plan, CATALOG), analyse(plan, CATALOG))
    return [one for one in every if one.code == "slow-link"]


def test_a_slow_nic_is_named_with_its_link_and_its_cost() -> None:
    (one,) = found('"node[node=3].compute[2]": 200')
    assert one.where == "links[0] node.compute - leaf"
    assert one.text == "1 at 200 Gb/s, where the link runs 400"
    assert one.value is not None
    assert one.value.amount == 50
    plan = planned('"node[node=3].compute[2]": 200')
    slow, whole = analyse(plan, CATALOG), analyse(planned(), CATALOG)
    assert one.figure == (
        f"all-reduce {slow.busbw_GBps:.4g} GB/s per GPU, "
        f"{whole.busbw_GBps:.4g} with every cable at full speed"
    )
    assert slow.busbw_GBps < whole.busbw_GBps


def test_every_link_and_speed_is_named() -> None:
    texts = [one.text for one in found('"leaf[rail=0]": 100, "spine[spine=1]": 50 %')]
    assert texts == [
        "16 at 100 Gb/s, where the link runs 400",
        "16 at 100 and 28 at 200 Gb/s, where the link runs 400",
    ]


def test_nothing_slow_nothing_said() -> None:
    assert found("") == []
