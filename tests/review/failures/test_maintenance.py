"""What can be taken out of a small fabric, counted by hand."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.maintenance import (
    Maintenance,
    maintenance,
    only_removable,
    together,
)
from toposmith.review.failures.sweep import sweep

PARTS = load_catalog()

# of the 15 other nodes 8 are in the other SU, so that 8 / 15 of what the nodes of a leaf send goes
# up: with k of 8 spines left, an exchange keeps (k / 8) / (8 / 15) of its NICs, at most all
EIGHT_SPINES = """
toposmith: 2
axes: {su: 2, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 8}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 1}
sets:
  half-of-spines: ["spine[spine=0..3]"]
"""


def asked(text: str, keep: float) -> tuple[Maintenance, Plan]:
    plan = plan_design(parse_design(text, "test"), PARTS)
    found = sweep(plan, PARTS, collectives=("all_to_all",))
    return together(maintenance(found, keep), plan, PARTS, found), plan


def kept_with(spines: int) -> float:
    return min(1.0, spines / 8 / (8 / 15))


@pytest.mark.parametrize(("keep", "at_once"), [(0.74, 4), (0.70, 5), (1.0, 3)])
def test_so_many_of_eight_spines_can_be_out_as_leave_the_share(keep: float, at_once: int) -> None:
    assert kept_with(8 - at_once) >= keep > kept_with(8 - at_once - 1)
    found, _ = asked(EIGHT_SPINES, keep)
    spine = next(one for one in found.can if one.kind == "spine")
    assert (spine.things, spine.of, spine.at_once, spine.kept) == (8, 8, at_once, 1.0)
    assert spine.together == tuple(f"spine[spine={at}]" for at in range(at_once))


def test_half_of_the_spines_keep_94_percent_and_a_leaf_88() -> None:
    found, _ = asked(EIGHT_SPINES, 0.95)
    kept = {one.what: one.kept for one in found.cannot}
    assert kept["half-of-spines"] == pytest.approx(kept_with(4), abs=0.002)
    assert kept["leaf"] == pytest.approx(7 / 8, abs=0.002)
    assert {one.why for one in found.cannot} == {"keeps too little"}


def test_what_is_down_already_leaves_less_to_take_out() -> None:
    found, _ = asked(EIGHT_SPINES + 'down: ["spine[spine=0]"]\n', 1.0)
    spine = next(one for one in found.can if one.kind == "spine")
    assert (spine.of, spine.at_once) == (7, 2)
    assert spine.together == ("spine[spine=1]", "spine[spine=2]")


def test_only_what_can_go_is_listed() -> None:
    plan = plan_design(parse_design(EIGHT_SPINES, "test"), PARTS)
    found = sweep(plan, PARTS, collectives=("all_to_all",))
    listed = {one.failures[0].kind for one in only_removable(found, 0.95).singles}
    assert "spine" in listed
    assert not listed & {"leaf", "node", "NIC", "set"}
