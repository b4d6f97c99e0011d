"""Devices that nothing tells apart, one for all, carry what all of them carry one by one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.traffic.test_row_exchange import pods
from tests.each_device import every_device_by_itself
from tests.node_hops import carried
from tests.small_designs import designs
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.row_network import network_of_cells, row_network
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.classes import Arc
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

Loads = Callable[[ComputeNetwork], dict[Arc, float]]


def patterns(*, weighted: bool, pxn: bool) -> list[Loads]:
    mode = "ideal" if weighted else "static"
    return [
        lambda of: all_to_all_loads(of, weighted=weighted, pxn=pxn),
        lambda of: carried(of, mode=mode),
        lambda of: carried(of, "trees", busiest=2.0, mode=mode),
    ]


def assert_the_same(plan: Plan, *, weighted: bool, pxn: bool) -> None:
    """Compare the worst cables of all classes with those of all devices one by one."""
    network = ComputeNetwork(plan)
    if network.world.nodes < 2 or not network.ring_nics:
        return
    for loads in patterns(weighted=weighted, pxn=pxn):
        try:
            found = loads(network)
        except Unreachable:
            with every_device_by_itself(), pytest.raises(Unreachable):
                loads(network)
            continue
        with every_device_by_itself():
            assert found == pytest.approx(loads(network), rel=1e-9)


@settings(max_examples=60)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans(), st.booleans())
def test_cells_carry_what_their_devices_carry(plan: Plan, weighted: bool, pxn: bool) -> None:
    assert_the_same(plan, weighted=weighted, pxn=pxn)


@pytest.mark.parametrize("seed", range(12))
def test_cells_of_three_tiers_with_faults_carry_what_their_devices_carry(seed: int) -> None:
    assert_the_same(pods(Random(100 + seed), 1 + seed % 2), weighted=bool(seed % 3), pxn=True)


RACKS = """\
toposmith: 2
axes: {rack: 6, rail: 4}
groups:
  node: {part: gb200-nvl72-tray, per: [rack], count: 18}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 4}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
"""


@pytest.mark.parametrize("down", ["", "node[rack=2,node=3]", "leaf[rail=1]"])
def test_cells_of_nvlink_domains_exchange_nothing_inside_them(down: str) -> None:
    text = RACKS + (f'down: ["{down}"]\n' if down else "")
    network = ComputeNetwork(plan_design(parse_design(text, "racks"), load_catalog()))
    assert network.world.joined
    found = all_to_all_loads(network)
    with every_device_by_itself():
        assert found == pytest.approx(all_to_all_loads(network), rel=1e-9)
    nics = max(load for (start, _, _), load in found.items() if start[0] == "nic")
    if not down:
        # 432 ranks; a tray of four GPUs sends to the 360 of other racks by four NICs
        assert nics == pytest.approx(4 * 360 / 432 / 4)


PAIRS = """\
toposmith: 2
axes: {pair: 4, rack: 2, rail: 4}
groups:
  tray: {part: gb200-nvl36-tray, per: [pair, rack], count: 9}
  nvswitch: {part: nvlink5-switch-tray-nvl36, per: [pair, rack], count: 9}
  leaf: {part: qm9700, per: [rail]}
links:
  - {between: [tray.nvlink, nvswitch]}
  - {between: [nvswitch, nvswitch], along: {rack: other}, cables: 36, length: 1.5}
  - {between: [tray.compute, leaf]}
"""


def test_racks_that_cables_join_are_one_domain_of_cells() -> None:
    network = ComputeNetwork(plan_design(parse_design(PAIRS, "pairs"), load_catalog()))
    found = all_to_all_loads(network)
    # 288 ranks; a tray of four GPUs sends to the 216 of three other pairs by four NICs
    assert set(found.values()) == {4 * 216 / 288 / 4}


PODS = """\
toposmith: 2
axes: {pod: %(pods)d, su: 8, rail: 8}
groups:
  node: {part: dgx-h100, per: [pod, su], count: 32}
  leaf: {part: qm9700, per: [pod, su, rail]}
  spine: {part: qm9700, per: [pod, rail], count: 8}
  core: {part: qm9700, per: [rail], count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
  - {between: [spine, core], cables: 4}
"""


@pytest.mark.parametrize("pods", [4, 8])
def test_a_clean_fabric_of_any_size_is_as_few_cells(pods: int) -> None:
    network = ComputeNetwork(plan_design(parse_design(PODS % {"pods": pods}, "x"), load_catalog()))
    cells, each = network_of_cells(network, in_order=False), row_network(network)
    # a pod and all others, of each an SU and all others: nodes, leaves of 8 rails; spines, cores
    assert cells.rows.devices == 4 + 4 * 8 + 2 * 8 + 8
    assert each.kinds.count.sum() == cells.kinds.count.sum() == pods * 8 * 32
