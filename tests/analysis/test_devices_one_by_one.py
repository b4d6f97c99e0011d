"""Devices looked at one by one give the figures that classes of devices give.

Designs of any size go either way here; in the program the number of classes decides.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.joined_along import plan_along
from tests.small_designs import CATALOG, designs
from toposmith.analysis.bounds import bisection
from toposmith.analysis.bounds.all_gather import FlowNetworks
from toposmith.analysis.bounds.cut_links import PER_GBPS
from toposmith.analysis.bounds.intake import taken_in
from toposmith.analysis.bounds.single_cuts import nodes_in, single_cuts
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.path_latency import farthest_path
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

EITHER_WAY = settings(max_examples=20)


def networks(plan: Plan) -> tuple[ComputeNetwork, ComputeNetwork] | None:
    """The network of a plan, and the same one with its devices looked at one by one."""
    by_classes, singly = ComputeNetwork(plan), ComputeNetwork(plan)
    if by_classes.world.nodes < 2 or not by_classes.all_on_switches:
        return None
    singly.__dict__["singly"] = True
    return by_classes, singly


@EITHER_WAY
@given(designs(unlike=True))
def test_as_much_leaves_half_of_the_nodes(plan: Plan) -> None:
    both = networks(plan)
    for cuts, inside in bisection._halves(both[0]) if both else ():
        by_classes = bisection._severed(both[0], cuts, inside)
        within = nodes_in(both[1], cuts, inside)
        gpus, leaving, links = single_cuts(both[1]).severed(within)
        assert (gpus, leaving) == (by_classes.gpus, by_classes.leaving)
        by_links = sum(link.cables * link.capacity_GBps for link in links)
        # capacities are whole MB/s
        assert float(leaving) == pytest.approx(by_links, rel=1e-3)


@EITHER_WAY
@given(designs(unlike=True))
def test_the_farthest_nodes_are_as_far(plan: Plan) -> None:
    both = networks(plan)
    if both and both[0].ring_nics:
        by_classes, singly = map(farthest_path, both)
        assert (by_classes is None) == (singly is None)
        if by_classes and singly:
            assert singly.hops == by_classes.hops
            assert singly.at_least_us == pytest.approx(by_classes.at_least_us)


@EITHER_WAY
@given(designs(unlike=True))
def test_where_switches_fill_all_ports_a_node_takes_in_what_a_flow_to_it_carries(
    plan: Plan,
) -> None:
    assert_taken_in_as_a_flow_says(plan)


def _ring_of(switches: int, cables: int = 1) -> Design:
    """A ring of switches with a node of two NICs each."""
    nics = {"compute": FittedNics(part="nic-1x100", count=2)}
    return Design(
        axes={"x": switches},
        groups={
            "node": Group(part="node2", per=("x",), nics=nics),
            "sw": Group(part="switch", per=("x",)),
        },
        links=(
            Link(between=("node.compute", "sw")),
            Link(between=("sw", "sw"), along={"x": "next"}, cables=cables),
        ),
    )


def test_so_it_does_where_switches_beside_its_own_send_it_what_it_takes() -> None:
    filled = [seed for seed in range(20) if assert_taken_in_as_a_flow_says(plan_along(seed))]
    assert len(filled) >= 3


def test_two_switches_of_one_node_each_fill_it_over_their_cable_or_not_at_all() -> None:
    """The neighbour's node fills both ports over two cables; over one cable it fills one."""
    for cables, filled in ((1, False), (2, True)):
        plan = plan_design(_ring_of(2, cables), CATALOG)
        assert (taken_in(ComputeNetwork(plan), CATALOG) is not None) == filled
        assert_taken_in_as_a_flow_says(plan)


def assert_taken_in_as_a_flow_says(plan: Plan) -> bool:
    """Whether anything was known to be filled; what it takes in is what a max-flow brings."""
    network = ComputeNetwork(plan)
    found = taken_in(network, CATALOG) if network.world.nodes > 1 else None
    if found is None:
        return False
    quotients = FlowNetworks(network, CATALOG).quotients
    gpus = [q.target.entering(frozenset({q.target.target})) / PER_GBPS for q in quotients]
    nodes = {(q.target.entering(q.target.own_node) / PER_GBPS, q.gpus_of_node) for q in quotients}
    assert {(each.node_GBps, each.gpus) for each in found} == nodes
    assert min(each.gpu_GBps[0] for each in found) == min(gpus)
    assert max(each.gpu_GBps[1] for each in found) == max(gpus)
    return True
