"""What rows of cables carry, worked out by hand."""

from __future__ import annotations

import pytest

from tests.fabric_texts import in_racks, on_rails
from tests.node_hops import packed
from tests.small_designs import CATALOG as SMALL
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.row_hops import hops_on_rows
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()


def test_an_exchange_of_four_nodes_on_rails_stays_below_the_leaves() -> None:
    fabric = on_rails(4, cables=1)
    network = ComputeNetwork(plan_design(parse_design(fabric, "test"), CATALOG))
    loads = all_to_all_loads(network, weighted=True)
    # 24 of 32 ranks are elsewhere: 8 GPUs send three quarters of what they send over 8 NICs
    assert list(loads.values()) == pytest.approx([0.75] * len(loads))
    assert all("nic" in (arc[0][0], arc[1][0]) for arc in loads)


def test_what_comes_from_two_leaves_to_a_third_adds_up_on_its_way_down() -> None:
    # eight NICs of a node each send 1: 8 over 4 cables up from either leaf, 16 over 4 cables down
    network = ComputeNetwork(plan_design(parse_design(in_racks(3, 2), "t"), CATALOG))
    first, second, third = (2 * rack for rack in range(3))
    pairs = packed(network)[:, 0][[[first, third], [second, third]]]
    loads = hops_on_rows(network, pairs, busiest=1.0, nics=8, routing=Routing())
    between = {(u[1], v[1]): load for (u, v, _), load in loads.items() if u[0] == v[0] == "device"}
    assert between == pytest.approx({("leaf", "spine"): 2, ("spine", "leaf"): 4})


def test_nics_of_two_ports_on_leaves_without_uplinks_reach_each_other_over_both() -> None:
    text = """
toposmith: 2
axes: {su: 1}
groups:
  node: {part: node1, per: [su], count: 2, nics: {compute: {part: nic-2x100, count: 1}}}
  leaf: {part: switch, per: [su], count: 2}
links:
  - {between: [node.compute, leaf]}
"""
    network = ComputeNetwork(plan_design(parse_design(text, "test"), SMALL))
    loads = hops_on_rows(network, packed(network), busiest=1.0, nics=1, routing=Routing())
    assert set(loads.values()) == {0.5}
