"""Cables from node to node carry what they carry in the fabric expanded device by device."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.traffic.test_row_exchange import worst_per_link
from tests.expanded import Expanded
from tests.node_hops import carried
from tests.small_designs import CATALOG
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

PAIR = """\
toposmith: 2
groups:
  node: {part: node2, nics: {compute: {part: nic-2x100, count: 2}}}
  other: {part: node4, nics: {compute: {part: nic-1x100, count: 4}}}
links:
  - {between: [node.compute, other.compute]}
"""

SWITCHED = """\
toposmith: 2
axes: {su: %(su)d}
groups:
  node:
    part: node2
    per: [su]
    count: %(count)d
    nics: {compute: {part: nic-%(ports)dx100, count: 2}}
  other: {part: node1, per: [su], count: 2, nics: {compute: {part: nic-2x100, count: %(nics)d}}}
  leaf: {part: switch, per: [su], count: %(leaves)d}
  spine: {part: switch, count: %(spines)d}
links:
  - {between: [node.compute, leaf], cables: 1}
  - {between: [other.compute, leaf], cables: 1}
  - {between: [leaf, spine]}
"""


@st.composite
def with_direct_cables(draw: st.DrawFn) -> Plan:
    """Nodes of two groups below leaves, some of their ports cabled to each other."""
    sizes = {"su": 2, "count": 3, "ports": 2, "nics": 3, "leaves": 2, "spines": 2}
    of = {name: draw(st.integers(1, most), label=name) for name, most in sizes.items()}
    ports = {"node": (of["count"], 2 * of["ports"]), "other": (2, 2 * of["nics"])}
    every = {
        group: [
            f"{group}[su={su},{group}={own}].compute[{port}]"
            for su in range(of["su"])
            for own in range(count)
            for port in range(many)
        ]
        for group, (count, many) in ports.items()
    }
    ends = [draw(st.permutations(each)) for each in every.values()]
    many = draw(st.integers(0, min(map(len, ends))), label="cables")
    cables = "".join(
        f'  - {{a: "{a}", z: "{z}"}}\n' for a, z in zip(*(end[:many] for end in ends), strict=True)
    )
    text = SWITCHED % of + ("cables:\n" + cables if cables else "")
    return plan_design(parse_design(text, "nodes"), CATALOG)


@settings(max_examples=60)
@given(with_direct_cables(), st.booleans())
def test_cables_between_nodes_carry_what_the_expansion_says(plan: Plan, weighted: bool) -> None:
    assert not [one for one in plan.findings if one.severity == "error"]
    network, expanded = ComputeNetwork(plan), Expanded(plan, weighted=weighted)
    expected = expanded.all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            all_to_all_loads(network, weighted=weighted)
    else:
        found = worst_per_link(network, all_to_all_loads(network, weighted=weighted))
        assert found == pytest.approx({link: load for link, load in expected.items() if load})
    if network.world.nodes < 2 or not network.ring_nics:
        return
    expected, mode = expanded.ring(), "ideal" if weighted else "static"
    if expected is None:
        with pytest.raises(Unreachable):
            carried(network, mode=mode)
        return
    found = worst_per_link(network, carried(network, mode=mode))
    assert found == pytest.approx({link: load for link, load in expected.items() if load})


def test_two_nodes_back_to_back_send_over_their_own_cables() -> None:
    # 4 cables of 100 Gb/s join the two; NICs of the pair send a hop of one NIC each
    network = ComputeNetwork(plan_design(parse_design(PAIR, "pair"), CATALOG))
    loads = all_to_all_loads(network, weighted=True)
    # six ranks: two send to four others, 2 x 4 / 6 in all, evenly over four cables; and back
    assert list(loads.values()) == [pytest.approx(2 * 4 / 6 / 4)] * len(loads)
