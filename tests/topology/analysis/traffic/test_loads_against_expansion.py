"""Loads of rings and all-to-all on the class graph are those of the expanded fabric."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.topology.oracle import Expanded
from tests.topology.small_designs import designs
from topology.analysis.network import Network
from topology.analysis.traffic.all_to_all import Unreachable, all_to_all_loads
from topology.analysis.traffic.hop_loads import hop_loads
from topology.analysis.traffic.hops import ring_hops
from topology.analysis.traffic.routing import Arc
from topology.fabric.plan import Plan


def _worst_per_link(network: Network, loads: dict[Arc, float]) -> dict[int, float]:
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        if index is not None:
            worst[index] = max(worst.get(index, 0.0), load)
    return worst


@settings(max_examples=200, deadline=None)
@given(designs())
def test_all_to_all_loads_the_worst_cable_as_the_expansion_does(plan: Plan) -> None:
    network = Network(plan)
    expected = Expanded(plan).all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            all_to_all_loads(network)
        return
    found = _worst_per_link(network, all_to_all_loads(network))
    assert found == pytest.approx(expected)


@settings(max_examples=200, deadline=None)
@given(designs())
def test_a_ring_loads_the_worst_cable_as_the_expansion_does(plan: Plan) -> None:
    network = Network(plan)
    expanded = Expanded(plan)
    if network.world.nodes < 2 or not network.ring_nics:
        return
    expected = expanded.ring()
    if expected is None:
        with pytest.raises(Unreachable):
            hop_loads(network, ring_hops(network))
        return
    found = _worst_per_link(network, hop_loads(network, ring_hops(network)))
    assert found == pytest.approx(expected)
