"""An all-to-all whose GPUs send by their own NICs leaves the rails that PXN would keep it on."""

from __future__ import annotations

import pytest

from tests.oracle.designs import random_design
from tests.oracle.expansion import expand
from tests.oracle.traffic import NoWay, Routes, exchange_loads, fullest_by_link
from toposmith.analysis.analyse import analyse
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog(user=False)

RAILS = """\
toposmith: 2
name: four nodes on eight rails
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 4}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
"""


def planned(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), CATALOG)


def by_link(network: ComputeNetwork, loads: dict[tuple[object, ...], float]) -> dict[int, float]:
    worst: dict[int, float] = {}
    for arc, load in loads.items():
        index = network.classes.graph.edges[arc]["link"]
        if index is not None and load:
            worst[index] = max(worst.get(index, 0.0), load)
    return worst


def test_seven_eighths_of_what_leaves_a_nic_crosses_the_spine_of_a_rail_fabric() -> None:
    network = ComputeNetwork(planned(RAILS))
    with_pxn = by_link(network, all_to_all_loads(network))
    without = by_link(network, all_to_all_loads(network, pxn=False))
    # of the 32 ranks 24 are on other nodes: a rank, and so its NIC, sends 24/32 of its data
    assert with_pxn == pytest.approx({0: 24 / 32})
    # a leaf has 4 NICs below and 4 cables up: as much as 7/8 of one NIC goes up each
    assert without == pytest.approx({0: 24 / 32, 1: 24 / 32 * 7 / 8})


@pytest.mark.parametrize("seed", range(24))
def test_loads_are_those_of_every_pair_of_nics_counted_by_itself(seed: int) -> None:
    text = random_design(seed, 48)
    fabric, network = expand(text), ComputeNetwork(planned(text))
    ranks = network.world.gpus
    if network.world.nodes < 2:
        return
    try:
        counted = exchange_loads(Routes(fabric), pxn=False)
    except NoWay:
        with pytest.raises(Unreachable):
            all_to_all_loads(network, pxn=False)
        return
    expected: dict[int, float] = {}
    for (link, _), load in fullest_by_link(fabric, counted).items():
        of_rank = float(load) * (ranks - 1) / ranks
        expected[link] = max(expected.get(link, 0.0), of_rank)
    assert by_link(network, all_to_all_loads(network, pxn=False)) == pytest.approx(expected)


def test_rails_that_no_switch_joins_need_pxn() -> None:
    text = RAILS.replace("  spine: {part: qm9700, count: 4}\n", "").replace(
        "  - {between: [leaf, spine]}\n", ""
    )
    assert analyse(planned(text), CATALOG, Request("all_to_all")).busbw_GBps
    found = analyse(planned(text), CATALOG, Request("all_to_all", pxn=False))
    assert found.busbw_GBps is None
    assert any("without PXN" in finding.text for finding in found.findings)


def test_of_groups_with_several_gpus_in_a_node_it_is_not_known() -> None:
    job = Job(parse_layout("ep=16,dp=2"))
    found = analyse(planned(RAILS), CATALOG, Request("all_to_all", job=job, pxn=False))
    assert found.busbw_GBps is None
    assert any("without PXN" in finding.text for finding in found.findings)
