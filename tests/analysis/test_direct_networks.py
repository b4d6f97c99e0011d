"""Tori, meshes and dragonflies have the figures of the literature and of hand calculations."""

from __future__ import annotations

from collections import Counter
from math import prod

import networkx as nx
import pytest

from tests.expansion import expand
from tests.small_designs import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.analysis.bounds.bisection import bisection
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_use
from toposmith.fabric.relations import peers_at


def _direct(axes: dict[str, int], *along: Link, nodes: int = 1, nics: int = 2) -> Plan:
    """A switch with nodes of two GPUs at each place."""
    per = tuple(axes)
    fitted = {"compute": FittedNics(part="nic-1x100", count=nics)}
    groups = {
        "node": Group(part="node2", per=per, count=nodes, nics=fitted),
        "sw": Group(part="switch", per=per),
    }
    links = (Link(between=("node.compute", "sw")), *along)
    plan = plan_design(Design(axes=axes, groups=groups, links=links), CATALOG)
    assert not [one for one in plan.findings if one.severity == "error"]
    return plan


def _along(cables: int = 1, **words: str) -> Link:
    return Link(between=("sw", "sw"), along=words, cables=cables)


def _torus(*sizes: int, cables: int = 1, nodes: int = 1) -> Plan:
    axes = dict(zip("xyz", sizes, strict=False))
    links = (_along(cables, **{axis: "next"}) for axis in axes)
    return _direct(axes, *links, nodes=nodes)


def _switches(plan: Plan) -> nx.MultiGraph:
    graph = expand(plan)
    return graph.subgraph(v for v in graph if v[0] == "device" and v[1] == "sw")


@pytest.mark.parametrize(
    ("sizes", "cables", "diameter"),
    [
        # Dally and Towles, Principles and Practices of Interconnection Networks, 5.2: a k-ary
        # n-cube has n k^n channels both ways and a diameter of n k / 2 (k even, over 2)
        ((8,), 8, 4),
        ((4, 4), 32, 4),
        ((4, 4, 4), 192, 6),
        ((6, 6), 72, 6),
        # two values have one cable, not two
        ((2, 2, 2), 12, 3),
        ((5, 1), 5, 2),
    ],
)
def test_a_torus_has_the_cables_and_the_diameter_of_the_literature(sizes, cables, diameter) -> None:
    plan = _torus(*sizes)
    assert sum(cable_counts(plan)[link.index] for link in plan.links[1:]) == cables
    assert nx.diameter(nx.Graph(_switches(plan))) == diameter


@pytest.mark.parametrize("sizes", [(4, 4, 4), (6, 4), (8,)])
def test_a_torus_is_halved_by_two_cables_of_each_ring_across_its_longest_side(sizes) -> None:
    # 2 k^(n-1) of the longest: 12.5 GB/s a cable, thinner than the NICs of half the nodes
    plan = _torus(*sizes, nodes=8)
    across = 2
    for size in sorted(sizes)[:-1]:
        across *= size
    halves = bisection(ComputeNetwork(plan))
    assert halves is not None
    assert float(halves.leaving) == across * 12.5


def test_a_ring_of_four_switches_carries_an_eighth_of_its_cables_per_gpu_pair() -> None:
    # 16 GPUs a switch, 64 in all: to the next switch 16 x 16 / 64 of what a rank sends; to the
    # opposite one half of that each way round over two cables, and others pass by
    plan = _torus(4, nodes=8)
    loads = all_to_all_loads(ComputeNetwork(plan))
    ring = [load for (_, _, key), load in loads.items() if key == 1]
    per_pair = 16 * 16 / 64
    assert ring == [pytest.approx(per_pair * (1 + 0.5 * 2))]


def test_a_hyperx_has_as_many_hops_as_dimensions() -> None:
    # Ahn et al., HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks, SC09
    axes = {"x": 4, "y": 3, "z": 2}
    plan = _direct(axes, *(_along(**{axis: "other"}) for axis in axes))
    graph = nx.Graph(_switches(plan))
    assert nx.diameter(graph) == 3
    assert {degree for _, degree in graph.degree()} == {3 + 2 + 1}


@pytest.mark.parametrize(
    ("sizes", "cables", "terminals"),
    [((4, 4), 1, 8), ((6, 4), 1, 12), ((4, 6, 2), 1, 12), ((8,), 2, 24), ((4, 4), 2, 16)],
)
def test_a_hyperx_has_the_relative_bisection_and_the_throughput_of_the_literature(
    sizes: tuple[int, ...], cables: int, terminals: int
) -> None:
    # Ahn et al., SC09: of an (L, S, K, T) HyperX the dimension k that is cut has a relative
    # bisection bandwidth of K S_k / 2T; the thinnest is that of the fewest values. Uniform traffic
    # crosses a cut into halves with half of what the terminals send
    plan = _direct(
        dict(zip("xyz", sizes, strict=False)),
        *(_along(cables, **{axis: "other"}) for axis in "xyz"[: len(sizes)]),
        nodes=terminals // 2,
    )
    halves = bisection(ComputeNetwork(plan))
    assert halves is not None
    half_of_all = terminals * prod(sizes) / 2
    relative = cables * min(sizes) / (2 * terminals)
    assert float(halves.leaving) / 12.5 == pytest.approx(half_of_all * min(relative, 1))
    loads = all_to_all_loads(ComputeNetwork(plan))
    for axis, size in enumerate(sizes, 1):
        worst = max(load for (_, _, key), load in loads.items() if key == axis)
        # a cable to each other value; a rank's own value is not crossed
        assert worst == pytest.approx(terminals / (size * cables))


@pytest.mark.parametrize(("groups", "leaves", "spines"), [(4, 2, 2), (6, 3, 2), (5, 2, 4)])
def test_a_dragonfly_plus_has_three_hops_and_the_cables_of_the_literature(
    groups: int, leaves: int, spines: int
) -> None:
    # Shpiner et al., "Dragonfly+: Low Cost Topology for Scaling Datacenters", HiPINEB 2017: groups
    # of leaves and spines, every leaf joined to every spine of its group, a cable from each spine
    # to every other group; leaf, spine, spine, leaf is the longest of the shortest paths
    design = Design(
        axes={"g": groups, "l": leaves, "s": spines},
        groups={
            "node": Group(
                part="node2",
                per=("g", "l"),
                count=4,
                nics={"compute": FittedNics(part="nic-1x100", count=2)},
            ),
            "leaf": Group(part="switch", per=("g", "l")),
            "spine": Group(part="switch", per=("g", "s")),
        },
        links=(
            Link(between=("node.compute", "leaf")),
            Link(between=("leaf", "spine")),
            Link(between=("spine", "spine"), along={"g": "other"}),
        ),
    )
    plan = plan_design(design, CATALOG)
    graph = expand(plan)
    fabric = nx.Graph(graph.subgraph(v for v in graph if v[0] == "device" and v[1] != "node"))
    hops = dict(nx.all_pairs_shortest_path_length(fabric))
    ends = [vertex for vertex in fabric if vertex[1] == "leaf"]
    assert max(hops[one][other] for one in ends for other in ends) == 3
    assert cable_counts(plan)[2] == groups * (groups - 1) // 2 * spines
    # cutting the groups in two cuts a cable of each pair of spines of one number
    halves = bisection(ComputeNetwork(plan))
    assert halves is not None
    across = (groups // 2) * ((groups + 1) // 2) * spines
    assert float(halves.leaving) <= across * 12.5
    apart = {vertex for vertex in fabric if vertex[2][0] < (groups + 1) // 2}
    assert nx.cut_size(fabric, apart) == across
    # what one group sends to one other goes over as many cables as there are spines
    loads = all_to_all_loads(ComputeNetwork(plan))
    between = max(load for (_, _, key), load in loads.items() if key == 2)
    gpus = 8 * leaves
    assert between == pytest.approx(gpus * gpus / (gpus * groups) / spines)


def test_a_balanced_dragonfly_has_one_cable_between_any_two_groups_and_diameter_three() -> None:
    # Kim et al., ISCA 2008: a = 2p = 2h, g = a h + 1, here h = 2
    routers, at_router = 4, 2
    groups = routers * at_router + 1
    plan = _direct(
        {"group": groups, "router": routers},
        _along(router="other"),
        _along(group="other", router="dealt"),
    )
    graph = _switches(plan)
    assert nx.diameter(nx.Graph(graph)) == 3
    between = Counter(frozenset((u[2][0], v[2][0])) for u, v in graph.edges() if u[2][0] != v[2][0])
    assert set(between.values()) == {1}
    assert len(between) == groups * (groups - 1) // 2
    assert {degree for _, degree in graph.degree()} == {routers - 1 + at_router}


def test_minimal_routing_puts_all_that_two_groups_exchange_on_their_cable() -> None:
    # 4 routers of 2 nodes of 2 GPUs in each of 9 groups: 16 x 16 of 144 shares over one cable
    plan = _direct(
        {"group": 9, "router": 4},
        _along(router="other"),
        _along(group="other", router="dealt"),
        nodes=2,
    )
    loads = all_to_all_loads(ComputeNetwork(plan))
    across = [load for (_, _, key), load in loads.items() if isinstance(key, tuple) and key[0] == 2]
    assert across == [pytest.approx(16 * 16 / 144)] * len(across)
    assert across
    # in a group: own pairs, and what goes to and comes from the two groups behind a router
    inside = [load for (_, _, key), load in loads.items() if key == 1]
    assert max(inside) == pytest.approx(4 * 4 / 144 + 2 * 2 * 16 * 4 / 144)


def test_292_cables_of_a_group_are_dealt_as_ten_and_nine_to_32_switches() -> None:
    # the compute groups of Frontier: 74 groups of 32 switches, 4 cables between any two
    axes = {"group": 74, "place": 32}
    plan = _direct(axes, _along(4, group="other", place="dealt"))
    link = plan.links[1]
    at = [peers_at(plan, link, link.a, (5, place, 0)) for place in range(32)]
    assert Counter(map(len, at)) == {10: 4, 9: 28}
    assert sum(map(len, at)) == 292
    assert Counter(peer[0] for peers in at for peer in peers) == dict.fromkeys(
        {*range(74)} - {5}, 4
    )
    assert cable_counts(plan)[1] == 74 * 292 // 2
    assert port_use(plan)["sw", ""].used == 10 + 2
    for place in range(32):
        for peer in at[place]:
            assert (5, place, 0) in peers_at(plan, link, link.a, peer)


def test_blocks_joined_over_optical_switches_are_a_full_mesh_of_their_spines() -> None:
    groups = {
        "node": Group(
            part="node2",
            per=("block",),
            count=2,
            nics={"compute": FittedNics(part="nic-1x100", count=2)},
        ),
        "leaf": Group(part="switch", per=("block",), count=2),
        "spine": Group(part="switch", per=("block",), count=3),
    }
    links = (
        Link(between=("node.compute", "leaf")),
        Link(between=("leaf", "spine")),
        Link(between=("spine", "spine"), along={"block": "other"}, cables=2),
    )
    plan = plan_design(Design(axes={"block": 5}, groups=groups, links=links), CATALOG)
    # 5 blocks pair up 10 times, 3 spines and 2 cables each
    assert cable_counts(plan) == {0: 20, 1: 30, 2: 60}


def test_a_ring_all_reduce_on_a_ring_of_switches_crosses_each_cable_once() -> None:
    # one node a switch, 2 NICs: both rings of it run over the one cable to the next switch
    plan = _torus(6)
    asked = Request(collective="all_gather", algorithm="ring", message_bytes=1 << 36)
    found = analyse(plan, CATALOG, asked)
    loads = {load.link: load.load_GBps for load in found.limits}
    assert loads["sw - sw (x next)"] == pytest.approx(2 * loads["node.compute - sw"])


def test_a_relation_on_an_axis_of_one_value_is_no_cable_and_an_info() -> None:
    plan = _torus(1, 4)
    (info,) = plan.findings
    assert (info.code, info.severity) == ("no-cables-along", "info")
    assert cable_counts(plan)[1] == 0


@pytest.mark.parametrize(
    ("link", "code"),
    [
        (Link(between=("node.compute", "sw"), along={"x": "next"}), "relation-at-node"),
        (_along(5, x="other", y="dealt"), "dealt-too-many"),
    ],
)
def test_what_cannot_be_joined_so_is_an_error_of_its_link(link, code) -> None:
    axes, per = {"x": 3, "y": 4}, ("x", "y")
    fitted = {"compute": FittedNics(part="nic-1x100", count=2)}
    groups = {
        "node": Group(part="node2", per=per, nics=fitted),
        "sw": Group(part="switch", per=per),
    }
    plan = plan_design(Design(axes=axes, groups=groups, links=(link,)), CATALOG)
    assert [one.code for one in plan.findings] == [code]
