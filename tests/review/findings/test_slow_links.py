"""Slow cables are named with what they cost."""

from __future__ import annotations

from tests.fabric.test_slow_cables import CATALOG, planned
from toposmith.analysis.analyse import analyse
from toposmith.bill.bill import make_bill
from toposmith.fabric.counts import cable_counts, many_cables_words
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.sweep_in_words import before_line
from toposmith.review.findings.collecting import review_findings


def found(slow: str) -> list[Finding]:
    plan = planned(slow)
    every = review_findings(PlannedDesign(plan, CATALOG), analyse(plan, CATALOG))
    return [one for one in every if one.code == "slow-link"]


def test_a_slow_nic_is_named_with_its_link_and_its_cost() -> None:
    (one,) = found('"node[node=3].compute[2]": 200')
    assert one.where == "links[0] node.compute - leaf"
    assert one.text == "1 cable at 200 Gb/s, where the link runs at 400 Gb/s"
    assert one.value is not None
    assert one.value.amount == 50
    plan = planned('"node[node=3].compute[2]": 200')
    slow, whole = analyse(plan, CATALOG), analyse(planned(), CATALOG)
    assert one.figure == (
        f"all-reduce {slow.busbw_GBps:.4g} GB/s per GPU, "
        f"{whole.busbw_GBps:.4g} GB/s with every cable at full speed"
    )
    assert slow.busbw_GBps < whole.busbw_GBps


def test_every_link_and_speed_is_named() -> None:
    both = found('"leaf[rail=0]": 100, "spine[spine=1]": 50 %')
    # one figure stands for both links, so it does not claim to be that of either
    assert all(str(one.figure).endswith(" (of all slow links together)") for one in both)
    assert [one.text for one in both] == [
        "16 cables at 100 Gb/s, where the link runs at 400 Gb/s",
        "16 cables at 100 and 28 cables at 200 Gb/s, where the link runs at 400 Gb/s",
    ]


def test_nothing_slow_nothing_said() -> None:
    assert found("") == []


def test_the_link_that_limits_says_that_it_is_slow() -> None:
    analysis = analyse(planned('"node[node=3].compute[2]": 200'), CATALOG)
    assert [load.words for load in analysis.limiting] == ["node.compute - leaf (slow: 200 Gb/s)"]
    whole = analyse(planned(), CATALOG)
    assert all(load.slow_gbit is None for load in whole.limits)


def test_trunks_failures_and_bill_count_what_is_slow() -> None:
    plan = planned('"node[node=3].compute": 200')
    cables = cable_counts(plan)
    words = [many_cables_words(plan, link, cables[link.index]) for link in plan.links]
    assert words == ["128 x 400 Gb/s, 8 slow", "128 x 400 Gb/s"]
    assert "with nothing failed and 8 cables slow (" in before_line(sweep(plan, CATALOG))
    assert "; 8 slow cables listed at full speed; " in make_bill(plan, CATALOG).scope.words
