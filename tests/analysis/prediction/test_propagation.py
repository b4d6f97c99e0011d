"""Long cables hold collectives up: each crossing waits for its own, and nothing beats the floor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.designs import random_design
from tests.oracle.expansion import Device, Fabric, expand
from toposmith.analysis.analyse import Questions
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.path_latency import switch_us
from toposmith.analysis.prediction.propagation import CONTAINED_M, Propagation
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.collectives import COLLECTIVES
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.nccl.node import ALGORITHMS

CATALOG = load_catalog(user=False)


def planned(text: str) -> Plan:
    return plan_design(parse_design(f"toposmith: 2\n{text}", "test"), CATALOG)


def one_switch(nodes: int, length_m: float) -> Questions:
    """Nodes with a GPU each on one switch."""
    text = (
        f"groups: {{node: {{part: g4dn-8xlarge, count: {nodes}}}, leaf: {{part: sn5600}}}}\n"
        f"links: [{{between: [node.compute, leaf], speed: 50, length: {length_m}}}]\n"
    )
    return Questions(planned(text), CATALOG)


def two_halls(length_m: float, per: int = 4) -> Questions:
    """Two leaves of nodes, whose cables to one spine are of this length, those to nodes of 5 m."""
    text = (
        "axes: {hall: 2}\n"
        f"groups: {{node: {{part: dgx-h100, per: [hall], count: {per}}},"
        " leaf: {part: qm9700, per: [hall]}, spine: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf], length: 5},"
        f" {{between: [leaf, spine], cables: 16, length: {length_m}}}]\n"
    )
    return Questions(planned(text), CATALOG)


def waits_us(metres: float) -> float:
    """5 ns a metre of what lies beyond 20 m."""
    return max(0.0, metres - CONTAINED_M) * 0.005


def longer_us(long: Questions, short: Questions, request: Request) -> float:
    """By how much a collective takes longer over long cables than over short ones."""
    return _time_us(long.analysis(request)) - _time_us(short.analysis(request))


def _time_us(found: Analysis) -> float:
    assert found.time_us is not None
    return found.time_us


@pytest.mark.parametrize("nodes", [2, 5, 16])
@pytest.mark.parametrize("metres", [100, 2_000, 10_000])
def test_each_step_of_a_ring_waits_for_a_hop(nodes: int, metres: float) -> None:
    long, short = one_switch(nodes, metres), one_switch(nodes, 5)
    hop = waits_us(2 * metres)
    # 2 (n - 1) steps of an all-reduce, n - 1 of the others, and once for the first credit
    for collective, steps in (("all_reduce", 2 * (nodes - 1)), ("all_gather", nodes - 1)):
        request = Request(collective, 2**20, algorithm="ring", protocol="simple")  # type: ignore[arg-type]
        assert longer_us(long, short, request) == pytest.approx((steps + 1) * hop)
    chain = Request("broadcast", 2**20)
    assert longer_us(long, short, chain) == pytest.approx((nodes - 1 + 1) * hop)


@pytest.mark.parametrize(("nodes", "levels"), [(2, 1), (4, 2), (8, 3), (16, 4)])
def test_a_tree_waits_for_its_depth_up_and_down(nodes: int, levels: int) -> None:
    long, short = one_switch(nodes, 3_000), one_switch(nodes, 5)
    request = Request("all_reduce", 2**20, algorithm="tree", protocol="simple")
    assert longer_us(long, short, request) == pytest.approx((2 * levels + 1) * waits_us(6_000))


@pytest.mark.parametrize("collective", ["all_to_all", "send_recv"])
def test_an_exchange_waits_for_the_credit_and_the_data(collective: str) -> None:
    request = Request(collective, 2**20)  # type: ignore[arg-type]
    longer = longer_us(one_switch(4, 3_000), one_switch(4, 5), request)
    assert longer == pytest.approx(2 * waits_us(6_000))


def test_a_ring_through_two_halls_waits_only_where_it_goes_from_hall_to_hall() -> None:
    request = Request("all_reduce", 2**20, algorithm="ring", protocol="simple")
    hop = waits_us(10 + 2 * 10_000)
    # of 8 hops 2 lead to the other hall; 2 (64 - 1) / 8 steps, rounded up, cross between nodes
    expected = 16 * 2 * hop / 8 + hop
    assert longer_us(two_halls(10_000), two_halls(5), request) == pytest.approx(expected)


def test_a_tree_through_two_halls_waits_for_the_ways_between_them_on_its_deepest_branch() -> None:
    request = Request("all_reduce", 2**20, algorithm="tree", protocol="simple")
    hop = waits_us(10 + 2 * 10_000)
    # NCCL's first tree over nodes 0 to 7 has 4 below 0, 2 and 6 below 4, 1 and 3 below 2: from 1
    # over 2 (same hall) to 4 (the other) to 0 (back), 2 ways between halls up and 2 down
    expected = 4 * hop + hop
    assert longer_us(two_halls(10_000), two_halls(5), request) == pytest.approx(expected)


def test_short_cables_change_nothing() -> None:
    for collective in COLLECTIVES:
        request = Request(collective)
        times = {_time_us(two_halls(metres).analysis(request)) for metres in (1, 3, 5)}
        assert len(times) == 1
        unknown = planned(
            "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700}}\n"
            "links: [{between: [node.compute, leaf]}]\n"
        )
        known = planned(
            "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700}}\n"
            "links: [{between: [node.compute, leaf], length: 10}]\n"
        )
        one, other = (Questions(plan, CATALOG).analysis(request) for plan in (unknown, known))
        assert one.time_us == other.time_us


def test_from_two_kilometres_on_it_is_said_what_is_left_out() -> None:
    for metres, told in ((1_999, False), (2_000, True), (10_000, True)):
        found = two_halls(metres).analysis(Request())
        said = [one.text for one in found.findings if one.code == "long-cables"]
        assert bool(said) == told
    (text,) = said
    # 2 x 10 km at 5 ns a metre; 50 GB/s for so long
    assert "100 µs to be back" in text and "5.00 MB" in text
    for word in ("credits", "PFC", "congestion control", "buffers"):
        assert word in text


def with_lengths(text: str, seed: int) -> str:
    """The design with a random length for each link, from two metres to ten kilometres."""
    draw = Random(seed)
    lengths = (2, 10, 30, 100, 500, 2_000, 5_000, 10_000)
    return re.sub(r"length: 30", lambda _: f"length: {draw.choice(lengths)}", text)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_hops_are_the_slowest_of_the_shortest_ways_of_the_fabric_cable_by_cable(seed: int) -> None:
    text = with_lengths(random_design(seed, 32), seed)
    if "\ncables:" in text:
        return  # single cables of no link are numbered otherwise in the expansion
    fabric, plan = expand(text), plan_design(parse_design(text, "test"), CATALOG)
    network = ComputeNetwork(plan)
    found = Questions(plan, CATALOG).of(Request()).groups
    if found is None or found.nodes < 3 or network.world.joined:
        return
    propagation = Propagation(network, Job(), found)
    switches = {at for at in fabric.devices if fabric.kind(at) == "switch"}
    graph = _cabled(fabric, network)
    nodes = [at for at in fabric.ranked_nodes() if at.group in network.slots]
    for number, ends in enumerate(pairwise(nodes)):
        between = graph.subgraph(switches.union(ends))
        # unreachable nodes have no prediction
        if all(end in between for end in ends) and nx.has_path(between, *ends):
            expected = max(
                _way_us(plan, [longest_m(between[a][b]) for a, b in pairwise(way)], way[1:-1])
                for way in nx.all_shortest_paths(nx.Graph(between), *ends)
            )
            assert propagation._hop_us((number, number + 1)) == pytest.approx(expected), number


def longest_m(cables: Mapping[int, Mapping[str, float]]) -> float:
    """The longest of parallel cables, m."""
    return max(cable["metres"] for cable in cables.values())


def _way_us(plan: Plan, metres: list[float], over: list[Device]) -> float:
    """What lies beyond 20 m of cable, and beyond 2.7 us of NICs (1 us) and switches."""
    switches = sum(switch_us(plan.groups[at.group].switch) or 0.0 for at in over)
    return waits_us(sum(metres)) + max(0.0, 1.0 + switches - 2.7)


def _cabled(fabric: Fabric, network: ComputeNetwork) -> nx.MultiGraph:
    """The fabric that collectives use, device by device."""
    graph = nx.MultiGraph()
    for cable in fabric.cables:
        ends = ((cable.a, cable.a_port), (cable.b, cable.b_port))
        used = all(port is None or network.slots.get(at.group) == port.slots for at, port in ends)
        if used and fabric.is_live(cable):
            graph.add_edge(cable.a, cable.b, metres=network.plan.link(cable.link).length_m or 0.0)
    return graph


SIZES = (8, 4 * 2**10, 2**20, 64 * 2**20, 8 * 2**30)


@pytest.mark.slow
@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    lengths=st.integers(0, 10_000),
    collective=st.sampled_from(sorted(COLLECTIVES)),
    algorithm=st.sampled_from((None, *ALGORITHMS)),
    sharp=st.booleans(),
)
def test_no_prediction_is_below_its_own_floor(
    seed: int, lengths: int, collective: Collective, algorithm: str | None, sharp: bool
) -> None:
    text = with_lengths(random_design(seed, 32), lengths)
    asked = Questions(plan_design(parse_design(text, "test"), CATALOG), CATALOG)
    forced = algorithm if COLLECTIVES[collective].tuned else None
    request = Request(collective, algorithm=forced, sharp=sharp)
    answers = asked.of(request)
    if answers.predictor is None:
        return
    for size in SIZES:
        outcome = answers.predictor.at(size)
        floor = answers.floor_us(outcome)
        assert floor is None or outcome.time_us >= floor * (1 - 1e-9), f"{size}, {outcome}"
        path = answers.analysis().path
        everywhere = COLLECTIVES[collective].runs in ("all_reduce", "all_gather", "pairs")
        if path is not None and everywhere:
            assert outcome.time_us >= path.at_least_us


def test_a_floor_is_one_way_between_the_farthest_nodes_and_the_bytes_at_the_bound() -> None:
    asked = two_halls(10_000)
    drawn = asked.curve(Request())
    path = asked.analysis(Request()).path
    assert drawn is not None and path is not None
    assert path.at_least_us >= 100
    assert drawn.points[0].floor_us == pytest.approx(path.at_least_us)
    last, bound = drawn.points[-1], asked.analysis(Request()).bound.value
    assert last.floor_us == pytest.approx(2**34 * 2 * 63 / 64 / (bound or 0) / 1000)
    assert all((one.floor_us or 0) <= one.time_us for one in drawn.points)


def test_what_comes_from_one_rank_has_no_way_between_the_farthest_in_its_floor() -> None:
    asked = two_halls(10_000)
    for collective in ("broadcast", "send_recv"):
        drawn = asked.curve(Request(collective))  # type: ignore[arg-type]
        assert drawn is not None
        assert (drawn.points[0].floor_us or 0) < 1


def test_inside_one_node_there_is_no_floor() -> None:
    drawn = Questions(planned("groups: {node: {part: dgx-a100}}\n"), CATALOG).curve(Request())
    assert drawn is not None
    assert all(point.floor_us is None for point in drawn.points)
