"""Loads of rings and all-to-all on the class graph are those of the expanded fabric."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expanded import Expanded
from tests.node_hops import carried
from tests.small_designs import CATALOG, designs
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.design.parser import parse_design
from toposmith.fabric.classes import Arc
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design


def _worst_per_link(network: ComputeNetwork, loads: dict[Arc, float]) -> dict[int, float]:
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        if index is not None:
            worst[index] = max(worst.get(index, 0.0), load)
    return worst


@settings(max_examples=75)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans())
def test_all_to_all_loads_the_worst_cable_as_the_expansion_does(plan: Plan, weighted: bool) -> None:
    network = ComputeNetwork(plan)
    expected = Expanded(plan, weighted=weighted).all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            all_to_all_loads(network, weighted=weighted)
        return
    found = _worst_per_link(network, all_to_all_loads(network, weighted=weighted))
    assert found == pytest.approx(expected)


@settings(max_examples=75)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans())
def test_a_ring_loads_the_worst_cable_as_the_expansion_does(plan: Plan, weighted: bool) -> None:
    network = ComputeNetwork(plan)
    expanded = Expanded(plan, weighted=weighted)
    if network.world.nodes < 2 or not network.ring_nics:
        return
    expected, mode = expanded.ring(), "ideal" if weighted else "static"
    if expected is None:
        with pytest.raises(Unreachable):
            carried(network, mode=mode)
        return
    assert _worst_per_link(network, carried(network, mode=mode)) == pytest.approx(expected)


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
    network = ComputeNetwork(plan_design(parse_design(PARTLY_DEALT, "test"), CATALOG))
    found = _worst_per_link(network, carried(network))
    assert found[2] == pytest.approx(2.5)


ONE_ON_BOTH = """\
toposmith: 1
axes: {su: 2}
groups:
  leaf: {part: switch, per: [su]}
  node: {part: node1, per: [su], nics: {compute: {part: nic-1x100, count: 2}}}
  other: {part: node1, nics: {compute: {part: nic-1x100, count: 2}}}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf], cables: 2}
  - {between: [other.compute, leaf]}
  - {between: [leaf, spine]}
"""


def test_a_node_with_a_nic_on_each_leaf_sends_by_the_one_of_the_same_number() -> None:
    # Three ranks, 1/3 to each, 1/6 to each NIC. Up from the first leaf: 1/3 to the other node, 1/6
    # to the far NIC of `other`, and 1/6 from the near NIC of `other` to the first NIC of the far
    # node; what `other` sends to the second one leaves by its second NIC, beside it.
    network = ComputeNetwork(plan_design(parse_design(ONE_ON_BOTH, "test"), CATALOG))
    found = _worst_per_link(network, all_to_all_loads(network, weighted=False))
    assert found == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 4 / 6})


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
    # Three ranks, 1/3 to each, 1/9 to each NIC. NICs of `node` hang on rails 0 and 1 of su 0, rail
    # 2 of su 0 and rail 0 of su 1, rails 1 and 2 of su 1. The middle one is of no rail: `other` of
    # su 0 sends to it by its NICs on rails 0 and 1, as far away as its own middle one. NIC 0
    # carries 1/18 to the first, 1/18 to the middle, 1/27 to the last, 1/9 to the other `other`.
    # Down from the spine to rail 2 of su 0 come 1/18 from each `other` for the middle NIC, and 1/9
    # each from the other `other` and from `node`, whose NIC of that number is elsewhere.
    network = ComputeNetwork(plan_design(parse_design(TIED_LEAVES, "test"), CATALOG))
    found = _worst_per_link(network, all_to_all_loads(network, weighted=False))
    assert found[1] == pytest.approx(7 / 27)
    assert found[2] == pytest.approx(9 / 27)


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
    network = ComputeNetwork(plan_design(parse_design(UNLIKE_DEALS, "test"), CATALOG))
    found = _worst_per_link(network, carried(network))
    assert found[2] == pytest.approx(1.0)


ONE_SLOT_NEAR = """\
toposmith: 1
axes: {su: 2}
groups:
  leaf: {part: switch, per: [su], count: 2}
  node: {part: node1, per: [su], nics: {compute: {part: nic-2x100, count: 3}}}
  other: {part: node1, nics: {compute: {part: nic-1x100, count: 3}}}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf], cables: 3}
  - {between: [other.compute, leaf], cables: 1}
  - {between: [leaf, spine]}
"""


def test_nics_alike_in_their_node_carry_unlike_loads_where_slots_differ_in_another() -> None:
    # Three ranks, 1/9 to each NIC. The NICs of `node` are alike: a port on either leaf of its su.
    # NICs 0 and 1 of `other` hang on su 0, NIC 2 on leaf 0 of su 1. What it sends to NIC 2 of the
    # node in su 1 comes down leaf 0 alone, 1/9; to NICs 0 and 1 over the spine, 1/18 a leaf. Each
    # port takes in another 1/18 from the node in su 0.
    plan = plan_design(parse_design(ONE_SLOT_NEAR, "test"), CATALOG)
    expected = Expanded(plan, weighted=False).all_to_all()
    found = _worst_per_link(
        ComputeNetwork(plan), all_to_all_loads(ComputeNetwork(plan), weighted=False)
    )
    assert found[0] == pytest.approx(1 / 9 + 1 / 18)
    assert found == pytest.approx(expected)


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
    network = ComputeNetwork(plan_design(parse_design(NODE_OVER_ALL_SU, "test"), CATALOG))
    for weighted in (False, True):
        found = _worst_per_link(network, all_to_all_loads(network, weighted=weighted))
        assert found[1] == pytest.approx(2 / 3)
        assert found[2] == pytest.approx(1 / 3 + 2 / 9)


RAILS = """\
toposmith: 2
axes: {su: 2, rail: 4}
groups:
  node: {part: node4, per: [su], count: 2, nics: {compute: {part: nic-1x100, count: 4}}}
  leaf: {part: switch, per: [su, rail]}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
"""


def _nic_loads(text: str) -> dict[int, float]:
    network = ComputeNetwork(plan_design(parse_design(text, "test"), CATALOG))
    return _worst_per_link(network, all_to_all_loads(network))


def test_a_nic_that_is_cabled_to_a_spine_draws_nothing_from_other_rails() -> None:
    # nearer than the NICs of other rails to whatever is in the other su, it still sends its own
    # quarter: 3 of 4 nodes get a quarter of the 4 ranks' rate, spread over 4 NICs
    moved = 'cables: [{a: "node[su=0,node=0].compute[0]", z: "spine"}]\n'
    assert _nic_loads(RAILS)[0] == pytest.approx(4 * 3 / 4 / 4)
    loads = _nic_loads(RAILS + moved)
    assert loads[2] == pytest.approx(3 / 4)
    # what the node beside it has for that NIC is no rail's: 1/16 more on each of its own
    assert loads[0] == pytest.approx(13 / 16)


def test_crossed_rails_cost_the_spine_what_goes_from_rail_to_rail() -> None:
    # NIC 0 of one node hangs on rail 1 and NIC 1 on rail 0. Between the su all four NICs are as
    # far; inside an su what was on the leaf (1/4 to each NIC) goes up from the NICs not on it
    crossed = """\
cables:
  - {a: "node[su=0,node=0].compute[0]", z: "leaf[su=0,rail=1]"}
  - {a: "node[su=0,node=0].compute[1]", z: "leaf[su=0,rail=0]"}
"""
    # down to rail 0 of su 0: 1/4 from each of two nodes of the other su to each of two NICs, and
    # with the rails crossed 1/4 from either node of the su to the other
    assert _nic_loads(RAILS)[1] == pytest.approx(1)
    assert _nic_loads(RAILS + crossed)[1] == pytest.approx(3 / 2)
