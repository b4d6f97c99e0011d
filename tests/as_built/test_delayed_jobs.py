"""Which jobs a slow cable holds back, worked out by hand on a fabric of three tiers."""

from __future__ import annotations

import pytest

from tests.as_built.fabrics import compared, design_of, dump_of, plan_of, sheet_of
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.as_built.costs import Gating

THREE_TIERS = """\
toposmith: 1
axes: {pod: 2, leaf: 2}
groups:
  node: {part: dgx-h100, per: [pod, leaf], count: 2}
  tor: {part: qm9700, per: [pod, leaf]}
  spine: {part: qm9700, per: [pod], count: 2}
  core: {part: qm9700, count: 2}
links:
  - {between: [node.compute, tor]}
  - {between: [tor, spine], cables: 4}
  - {between: [spine, core], cables: 4}
"""


def _slowed(a: str, z: str) -> tuple[CablingComparison, CablingDifference]:
    plan = plan_of(design_of(THREE_TIERS))
    cables = [(one.a, one.z, one.speed_gbit) for one in plan.cables]
    at = next(at for at, one in enumerate(cables) if {one[0].device, one[1].device} == {a, z})
    cables[at] = (*cables[at][:2], 100.0)
    found = compared(plan, dump_of(sheet_of(cables)))
    (one,) = found.differences
    return found, one


@pytest.mark.parametrize(
    ("ends", "gated"),
    [
        (("node-pod0-leaf1-0", "tor-pod0-leaf1"), ["pod", "far"]),
        (("tor-pod0-leaf1", "spine-pod0-0"), ["pod", "far"]),
        (("spine-pod0-1", "core-0"), ["far"]),
        (("tor-pod1-leaf1", "spine-pod1-0"), []),
    ],
)
def test_a_slow_cable_gates_jobs_on_both_sides_of_it(
    ends: tuple[str, str], gated: list[str]
) -> None:
    jobs = {
        "tor": frozenset({"node-pod0-leaf0-0", "node-pod0-leaf0-1"}),
        "pod": frozenset({"node-pod0-leaf1-0", "node-pod0-leaf0-1"}),
        "far": frozenset({"node-pod0-leaf1-0", "node-pod1-leaf0-0"}),
        "alone": frozenset({"node-pod0-leaf1-0"}),
    }
    whole, slow = _slowed(*ends)
    found = Gating(whole, jobs).of(slow)
    assert found is not None and found["named"] == gated


def test_without_jobs_the_nodes_are_said() -> None:
    found, one = _slowed("spine-pod0-1", "core-0")
    words = Gating(found).words(one)
    assert "node-pod0-leaf0-0 to node-pod0-leaf1-1 (4 nodes) and elsewhere" in words
