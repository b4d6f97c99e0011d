"""Which nodes, leaves and switches above are meant where some groups are chosen."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.leaf_networks import network_of
from toposmith.fabric.planner import plan_design

TWO_KINDS_OF_NODES = """\
toposmith: 2
groups:
  node: {part: dgx-h100, count: 2}
  other: {part: dgx-a100, count: 2}
  leaf: {part: qm9700, count: 2}
  far: {part: qm8700, count: 2}
  spine: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
  - {between: [other.compute, far]}
  - {between: [leaf, spine]}
"""


@pytest.mark.parametrize(
    ("chosen", "node", "leaf"),
    [
        ((), "node", "leaf"),
        (("node",), "node", "leaf"),
        (("other",), "other", "far"),
        (("far",), "other", "far"),
        (("spine",), "node", "leaf"),
        (("node", "other"), "node", "leaf"),
    ],
)
def test_the_network_meant_is_that_of_the_chosen_groups(
    chosen: tuple[str, ...], node: str, leaf: str
) -> None:
    plan = plan_design(parse_design(TWO_KINDS_OF_NODES, "test"), load_catalog())
    found = network_of(plan, chosen)
    assert found is not None
    assert (found.node, found.leaf) == (node, leaf)
