"""Loads of rings and all-to-all on the class graph are those of the expanded fabric."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.topology.oracle import Expanded
from tests.topology.small_designs import CATALOG, designs
from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.traffic.all_to_all import all_to_all_loads
from toposmith.topology.analysis.traffic.hop_loads import hop_loads
from toposmith.topology.analysis.traffic.hops import ring_hops
from toposmith.topology.analysis.traffic.routing import Arc
from toposmith.topology.analysis.traffic.unreachable import Unreachable
from toposmith.topology.design.reading import parse_design
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.fabric.planning import plan_design


def _worst_per_link(network: Network, loads: dict[Arc, float]) -> dict[int, float]:
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        if index is not None:
            worst[index] = max(worst.get(index, 0.0), load)
    return worst


@settings(max_examples=300, deadline=None)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans())
def test_all_to_all_loads_the_worst_cable_as_the_expansion_does(plan: Plan, weighted: bool) -> None:
    network = Network(plan)
    expected = Expanded(plan, weighted=weighted).all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            all_to_all_loads(network, weighted=weighted)
        return
    found = _worst_per_link(network, all_to_all_loads(network, weighted=weighted))
    assert found == pytest.approx(expected)


@settings(max_examples=300, deadline=None)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans())
def test_a_ring_loads_the_worst_cable_as_the_expansion_does(plan: Plan, weighted: bool) -> None:
    network = Network(plan)
    expanded = Expanded(plan, weighted=weighted)
    if network.world.nodes < 2 or not network.ring_nics:
        return
    expected = expanded.ring()
    if expected is None:
        with pytest.raises(Unreachable):
            hop_loads(network, ring_hops(network), weighted=weighted)
        return
    found = _worst_per_link(network, hop_loads(network, ring_hops(network), weighted=weighted))
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


TIED_LEAVES = """\
toposmith: 1
axes: {su: 2, rail: 3}
groups:
  leaf: {part: switch, per: [su, rail]}
  node: {part: node1, nics: {compute: {part: nic-2x100, count: 3}}}
  other: {part: node1, per: [su], nics: {compute: {part: nic-1x100, count: 3}}}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf]}
  - {between: [other.compute, leaf]}
  - {between: [leaf, spine]}
"""


def test_a_nic_that_ties_leaves_of_two_su_together_sets_them_apart() -> None:
    # Three ranks, 1/3 to each. NICs of `node` hang on rails 0 and 1 of su 0, rail 2 of su 0 and
    # rail 0 of su 1, rails 1 and 2 of su 1. `other` of su 0 sends over its NIC on rail 2: a third
    # of 1/3 to the other `other` (3/27), all that is for the middle NIC (3/27), and a third of what
    # is for the last (1/27). Down from the spine to rail 1 of su 1 come 3/27 and half of 3/27.
    network = Network(plan_design(parse_design(TIED_LEAVES, "test"), CATALOG))
    found = _worst_per_link(network, all_to_all_loads(network, weighted=False))
    assert found[1] == pytest.approx(7 / 27)
    assert found[2] == pytest.approx(4.5 / 27)


UNLIKE_DEALS = """\
toposmith: 1
axes: {rail: 3}
groups:
  leaf: {part: switch, per: [rail]}
  node: {part: node1, nics: {compute: {part: nic-1x100, count: 3}}}
  other: {part: node1, nics: {compute: {part: nic-2x100, count: 3}}}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf]}
  - {between: [other.compute, leaf], cables: 2}
  - {between: [leaf, spine]}
"""


def test_a_hop_between_unlike_deals_crosses_the_spine_only_where_rails_differ() -> None:
    # NICs 0, 1, 2 of `node` hang on leaves 0, 1, 2; those of `other` on 0 and 1, 2 and 0, 1 and 2.
    # Only NIC 1 has no leaf in common: its whole load goes up from leaf 1 and comes down to leaves
    # 2 and 0 in halves, and the other way round
    network = Network(plan_design(parse_design(UNLIKE_DEALS, "test"), CATALOG))
    found = _worst_per_link(network, hop_loads(network, ring_hops(network)))
    assert found[2] == pytest.approx(1.0)


NODE_OVER_ALL_SU = """\
toposmith: 1
axes: {su: 3}
groups:
  leaf: {part: switch, per: [su]}
  node: {part: node1, nics: {compute: {part: nic-1x100, count: 3}}}
  other: {part: node1, per: [su], nics: {compute: {part: nic-1x100, count: 1}}}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf]}
  - {between: [other.compute, leaf]}
  - {between: [leaf, spine]}
absent: ["other[su=0]"]
"""


def test_the_only_cable_of_a_node_carries_what_the_node_sends() -> None:
    # Three ranks, 1/3 to each of the others: 2/3 leave each `other` over its one cable. Of these,
    # 1/3 to the other `other` and two thirds of 1/3 to `node`'s NICs elsewhere go up to the spine.
    network = Network(plan_design(parse_design(NODE_OVER_ALL_SU, "test"), CATALOG))
    for weighted in (False, True):
        found = _worst_per_link(network, all_to_all_loads(network, weighted=weighted))
        assert found[1] == pytest.approx(2 / 3)
        assert found[2] == pytest.approx(1 / 3 + 2 / 9)
