"""An all-to-all routed on rows of cables loads each link as the expanded fabric does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expanded import Expanded
from tests.joined_along import plan_along
from tests.small_designs import designs
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.row_exchange import exchange_on_rows
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.fabric.plan import Plan


def worst_per_link(network: ComputeNetwork, loads: dict[Arc, float]) -> dict[int, float]:
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        worst[index] = max(worst.get(index, 0.0), load)
    return worst


@settings(max_examples=400, deadline=None)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans())
def test_all_to_all_loads_the_worst_cable_as_the_expansion_does(plan: Plan, weighted: bool) -> None:
    network = ComputeNetwork(plan)
    expected = Expanded(plan, weighted=weighted).all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            exchange_on_rows(network, weighted=weighted)
        return
    found = exchange_on_rows(network, weighted=weighted)
    assert worst_per_link(network, found) == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000), st.booleans())
def test_along_axes_every_class_of_cables_carries_what_it_does_by_classes(
    seed: int, weighted: bool
) -> None:
    network = ComputeNetwork(plan_along(seed))
    if any(link.bundle for link in network.plan.links) or network.world.nodes < 2:
        return
    expected = Expanded(network.plan, weighted=weighted).all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            exchange_on_rows(network, weighted=weighted)
        return
    found = exchange_on_rows(network, weighted=weighted)
    assert worst_per_link(network, found) == pytest.approx(expected)
