"""The bound on the class graph is that of plain max-flows on the expanded fabric."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.expanded import optimal_rate
from tests.expansion import expand
from tests.small_designs import CATALOG, catalog, designs, node
from toposmith.analysis.bounds.all_gather import FlowNetworks, all_gather_bound
from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import NvlinkFabric
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design


@pytest.mark.slow
@settings(max_examples=30)
@given(designs())
def test_the_bound_is_exactly_that_of_the_expansion(plan: Plan) -> None:
    network = ComputeNetwork(plan)
    if not 2 <= network.world.gpus <= 24:
        return
    found = all_gather_bound(FlowNetworks(network, CATALOG))
    expected = optimal_rate(expand(plan, CATALOG, only=network.slots))
    assert (found.rate if found else 0) == (expected or 0)


def test_a_ring_of_six_gpus_does_not_hide_two_rings_of_three() -> None:
    # what nine GPUs hold has to enter a ring of three over its three PCIe links: 3 x 31.508 / 9
    six = [(gpu, (gpu + 1) % 6) for gpu in range(6)]
    three = [(6, 7), (7, 8), (6, 8), (9, 10), (10, 11), (9, 11)]
    bridges = NvlinkFabric(shape="bridge", pairs=(*six, *three), links_per_pair=4)
    whole = node(12, 4, part="odd")
    branch = whole.branches[0].model_copy(update={"gpus": tuple(range(12))})
    parts = catalog(whole.model_copy(update={"nvlink": bridges, "branches": (branch,)}))
    text = "toposmith: 1\ngroups: {node: {part: odd}}\n"
    network = ComputeNetwork(plan_design(parse_design(text, "test"), parts))
    found = all_gather_bound(FlowNetworks(network, parts))
    assert found is not None
    assert float(found.rate) == pytest.approx(3 * 31.508 / 9)
