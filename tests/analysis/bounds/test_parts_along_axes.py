"""Few cables between groups of a dragonfly bound an all-reduce, before what nodes take in does."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.joined_along import plan_along
from toposmith.analysis.analyse import analyse
from toposmith.analysis.bounds.bisection import parts_taken_in
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
FEW_BETWEEN_GROUPS = """\
toposmith: 2
axes: {group: 4, place: 4}
groups:
  node: {part: dgx-h100, per: [group, place]}
  router: {part: qm9700, per: [group, place]}
links:
  - {between: [node.compute, router]}
  - {between: [router, router], along: {place: other}, cables: 2}
  - {between: [router, router], along: {group: other, place: dealt}}
"""


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather"])
def test_four_groups_with_a_cable_to_each_other_group_are_worked_out_by_hand(
    collective: str,
) -> None:
    """Three cables of 50 GB/s enter each group of 32 GPUs, 600 GB/s all four.

    All-reduce: every element is received 2 (4 - 1) times by whole groups, so that 600 / 6 GB/s of
    it pass, times 2 x 127 / 128. All-gather: 96 of 128 parts enter a group over its 150 GB/s.
    """
    plan = plan_design(parse_design(FEW_BETWEEN_GROUPS, "test"), CATALOG)
    found = analyse(plan, CATALOG, Request(collective=collective))
    assert found.bound_busbw_GBps == pytest.approx(600 / 6 * 2 * 127 / 128)
    assert found.bound_busbw_GBps == pytest.approx(150 * 127 / 96)
    assert found.bound_label.kind == "bound" or collective == "all_gather"
    assert found.share_of_bound == pytest.approx((found.busbw_GBps or 0) / 198.4375)


def test_where_a_whole_group_is_down_the_other_three_are_bound_by_what_joins_them() -> None:
    """Two cables enter each of three groups: 300 GB/s, in 2 (3 - 1) receptions of whole groups."""
    text = FEW_BETWEEN_GROUPS + 'down: ["node[group=3]", "router[group=3]"]\n'
    found = analyse(plan_design(parse_design(text, "test"), CATALOG), CATALOG, Request())
    assert found.bound_busbw_GBps == pytest.approx(300 / 4 * 2 * 95 / 96)


def test_each_gpu_of_random_fabrics_is_at_one_value_of_every_axis() -> None:
    looked_at = 0
    for seed in range(60):
        network = ComputeNetwork(plan_along(seed))
        for parts in parts_taken_in(network):
            assert sum(held for held, _ in parts) == network.world.gpus
            assert all(isinstance(into, Fraction) and into >= 0 for _, into in parts)
            looked_at += 1
    assert looked_at > 20
