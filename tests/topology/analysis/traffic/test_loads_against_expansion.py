"""Loads of rings and all-to-all on the class graph are those of the expanded fabric."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.topology.oracle import Expanded
from tests.topology.small_designs import CATALOG, designs
from topology.analysis.network import Network
from topology.analysis.traffic.all_to_all import Unreachable, all_to_all_loads
from topology.analysis.traffic.hop_loads import hop_loads
from topology.analysis.traffic.hops import ring_hops
from topology.analysis.traffic.routing import Arc
from topology.design.reading import parse_design
from topology.fabric.plan import Plan
from topology.fabric.planning import plan_design


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


PARTLY_DEALT = """\
toposmith: 1
axes: {su: 3}
groups:
  leaf: {part: switch, per: [su], count: 2}
  node: {part: node1, per: [su], nics: {compute: {part: nic-2x100, count: 3}}}
  other: {part: node1, nics: {compute: {part: nic-1x100, count: 4}}}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf], cables: 3}
  - {between: [other.compute, leaf], cables: 1}
  - {between: [leaf, spine]}
"""


def test_a_hop_over_all_leaves_of_an_su_meets_one_that_names_its_leaf() -> None:
    # the hop into su 1 puts 1.5 on each of its leaves; the hop into `other` comes down to the
    # first of them with one NIC more
    network = Network(plan_design(parse_design(PARTLY_DEALT, "test"), CATALOG))
    found = _worst_per_link(network, hop_loads(network, ring_hops(network)))
    assert found[2] == pytest.approx(2.5)
