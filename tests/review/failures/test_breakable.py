"""What can fail is told apart by what it carries, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.review.failures.test_sweep import TOP_OF_RACK
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.without import DegradedDesign

CATALOG = load_catalog()

DUAL_PORT: dict[str, Any] = {
    "toposmith": 2,
    "groups": {
        "node": {
            "part": "hgx-a100-8",
            "count": 2,
            "nics": {"compute": {"part": "connectx-6-dx-100gbe-2p", "count": 8}},
        },
        "leaf": {"part": "sn4600c", "count": 1},
    },
    "links": [{"between": ["node.compute", "leaf"], "cables": 16}],
}
"""Both ports of each NIC on the one leaf, 100 Gb/s each."""

TWO_TIERS: dict[str, Any] = {
    **TOP_OF_RACK,
    "toposmith": 2,
    "axes": {"rack": 2},
    "groups": {**TOP_OF_RACK["groups"], "spine": {"part": "sn3700", "count": 1}},
}
"""Racks of 16 NICs with four uplinks: what crosses racks is limited by these."""


def cables(design: dict[str, Any], link: str) -> list[DegradedDesign]:
    """What single cables of a link cost."""
    plan = plan_design(Design.model_validate(design), CATALOG)
    assert not plan.findings
    found = sweep(plan, CATALOG, Request()).singles
    return [o for o in found if (o.failures[0].kind, o.failures[0].what) == ("cable", link)]


def keeps(of: DegradedDesign, collective: str = "all_to_all") -> float:
    """GB/s that are left of a collective."""
    kept = next(kept for kept in of.kept if kept.collective == collective)
    assert kept.after_GBps is not None
    return kept.after_GBps


def test_the_slow_and_the_quick_cable_of_a_nic_fail_each_for_itself() -> None:
    slowed = DUAL_PORT | {"slow": {"node[node=0].compute[0]": 25}}
    found = {o.failures[0].selectors: o for o in cables(slowed, "node.compute - leaf")}
    slow, quick = found[("node[node=0].compute[0]",)], found[("node[node=0].compute[1]",)]
    assert [each.failures[0].members for each in (slow, quick)] == [1, 1]
    # the NIC is left with 100 Gb/s without its slow cable, with 25 Gb/s without its quick one
    assert keeps(quick) == pytest.approx(keeps(slow) / 4, rel=1e-3)


def test_of_counted_slow_cables_only_those_that_can_be_named_are_said_to_fail() -> None:
    # of four uplinks one runs at 50 Gb/s, and "1 of" takes a quick one: 650 become 450 Gb/s
    (uneven, even) = cables(TWO_TIERS | {"slow": {"1 of leaf[rack=0] - spine": 50}}, "leaf - spine")
    assert uneven.failures[0].selectors == ("1 of leaf[rack=0,leaf=0] - spine[spine=0]",)
    assert [each.failures[0].members for each in (uneven, even)] == [3, 4]
    # the other rack keeps 600 Gb/s, which is less than the 650 of the slowed one
    assert keeps(uneven) == pytest.approx(keeps(even) * 450 / 600, rel=1e-3)


def test_where_all_between_two_switches_are_slow_one_of_them_fails() -> None:
    (slow, quick) = cables(TWO_TIERS | {"slow": {"4 of leaf[rack=0] - spine": 50}}, "leaf - spine")
    assert [each.failures[0].members for each in (slow, quick)] == [4, 4]
    # 200 Gb/s of the slowed rack limit before and after a quick one fails; 150 are left of them
    assert keeps(slow) == pytest.approx(keeps(quick) * 150 / 200, rel=1e-3)
