"""Flows between two NICs, switch by switch, worked out by hand."""

from __future__ import annotations

import pytest

from tests.fabric_texts import in_racks, on_rails
from tests.node_hops import packed
from tests.small_designs import CATALOG as SMALL
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.row_exchange import exchange_on_rows
from toposmith.analysis.traffic.row_hops import hops_on_rows
from toposmith.analysis.traffic.single_routes import FlowRoute, single_route
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()

TWO_LEAVES = in_racks(2, 2)

A, B = ("leaf", (0, 0)), ("leaf", (1, 0))
S0, S1 = ("spine", (0,)), ("spine", (1,))
UP, DOWN, ACCESS = 1, 1, 0


def route(more: str, *, weighted: bool = True, text: str = TWO_LEAVES) -> FlowRoute | None:
    devices = ComputeNetwork(plan_design(parse_design(text + more, "test"), CATALOG)).devices
    start, end = (devices.at_node(("node", (su, 0)))[0] for su in (0, 1))
    return single_route(devices, start, end, weighted=weighted)


def test_between_whole_leaves_each_of_four_cables_carries_a_quarter() -> None:
    found = route("")
    assert found is not None
    assert found.leaving == {(A, ACCESS): 1.0}
    assert found.arriving == {(B, ACCESS): 1.0}
    for spine in (S0, S1):
        assert found.between[A, spine, UP] == found.between[spine, B, DOWN] == 0.25


def test_a_spine_with_one_of_two_cables_left_behind_it_gets_a_third() -> None:
    found = route('down: ["1 of leaf[rack=1] - spine[spine=0]"]\n')
    assert found is not None
    assert dict(found.between) == pytest.approx(
        {(A, S0, UP): 1 / 6, (S0, B, DOWN): 1 / 3, (A, S1, UP): 1 / 3, (S1, B, DOWN): 1 / 3}
    )


def test_equal_shares_send_that_spine_half_and_its_one_cable_carries_it() -> None:
    found = route('down: ["1 of leaf[rack=1] - spine[spine=0]"]\n', weighted=False)
    assert found is not None
    assert dict(found.between) == pytest.approx(
        {(A, S0, UP): 1 / 4, (S0, B, DOWN): 1 / 2, (A, S1, UP): 1 / 4, (S1, B, DOWN): 1 / 4}
    )


def test_cables_at_half_speed_carry_half_of_their_neighbours() -> None:
    found = route('slow: {"leaf[rack=0] - spine[spine=0]": 50 %}\n')
    assert found is not None
    carried = {(u, v): load for (u, v, _), load in found.between.items()}
    assert carried == pytest.approx(
        {(A, S0): 1 / 6, (S0, B): 1 / 6, (A, S1): 1 / 3, (S1, B): 1 / 3}
    )


def test_leaves_that_no_spine_joins_have_no_way() -> None:
    assert route('down: ["leaf[rack=1] - spine"]\n') is None


def test_over_a_core_half_goes_over_each_spine_of_a_pod() -> None:
    pods = """
toposmith: 2
axes: {su: 2}
groups:
  node: {part: dgx-h100, per: [su], count: 2}
  leaf: {part: qm9700, per: [su]}
  spine: {part: qm9700, per: [su], count: 2}
  core: {part: qm9700, count: 3}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
  - {between: [spine, core]}
"""
    found = route("", text=pods)
    assert found is not None
    loads = {(u[0], v[0]): load for (u, v, _), load in found.between.items()}
    # 1 over 2 spines of 2 cables; each spine over 3 cores; each core to 2 spines of the other pod
    assert loads == pytest.approx(
        {
            ("leaf", "spine"): 1 / 4,
            ("spine", "core"): 1 / 6,
            ("core", "spine"): 1 / 6,
            ("spine", "leaf"): 1 / 4,
        }
    )
    assert len(found.between) == 2 + 6 + 6 + 2


def test_what_comes_to_two_ports_goes_by_the_cables_before_their_leaves() -> None:
    text = """
toposmith: 2
axes: {su: 2}
groups:
  node: {part: node1, per: [su], count: 1, nics: {compute: {part: nic-2x100, count: 1}}}
  leaf: {part: switch, per: [su], count: 2}
  spine: {part: switch, count: 1}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
down: ["1 of leaf[su=1,leaf=0] - spine[spine=0]"]
"""
    devices = ComputeNetwork(plan_design(parse_design(text, "test"), SMALL)).devices
    start, end = (devices.at_node(("node", (su, 0)))[0] for su in (0, 1))
    found = single_route(devices, start, end, weighted=True)
    assert found is not None
    carried = {(u[1], v[1]): load for (u, v, _), load in found.between.items()}
    # one cable is left to the first leaf of the receiver, two to the second
    assert carried == pytest.approx(
        {((0, 0), (0,)): 1 / 4, ((0, 1), (0,)): 1 / 4, ((0,), (1, 0)): 1 / 3, ((0,), (1, 1)): 1 / 3}
    )


def test_an_exchange_of_four_nodes_on_rails_stays_below_the_leaves() -> None:
    fabric = on_rails(4, cables=1)
    network = ComputeNetwork(plan_design(parse_design(fabric, "test"), CATALOG))
    loads = exchange_on_rows(network, weighted=True)
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
