"""The bound on the class graph is that of plain max-flows on the expanded fabric."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.topology.oracle import optimal_rate
from tests.topology.small_designs import CATALOG, designs
from topology.analysis.bound import all_gather_bound
from topology.analysis.network import Network
from topology.fabric.expansion import expand
from topology.fabric.plan import Plan


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(designs())
def test_the_bound_is_exactly_that_of_the_expansion(plan: Plan) -> None:
    network = Network(plan)
    if not 2 <= network.world.gpus <= 24:
        return
    found = all_gather_bound(network, CATALOG)
    expected = optimal_rate(expand(plan, CATALOG, only=network.slots))
    assert (found.rate if found else 0) == (expected or 0)
