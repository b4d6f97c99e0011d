"""The farthest two nodes of a cluster: switches between them, and how long the first byte takes."""

from __future__ import annotations

from itertools import permutations

import networkx as nx
import pytest
from hypothesis import given, settings

from tests import small_designs
from tests.expanded import Expanded
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.path_latency import (
    PathLatency,
    farthest_path,
    nic_latency_us,
    wire_latency_us,
)
from toposmith.catalog import Catalog, Nic, Switch, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved

PUBLISHED = load_catalog()


def timed_switch(part: str, latency_ns: float | None) -> Switch:
    return small_designs.switch().model_copy(update={"id": part, "latency_ns": latency_ns})


def timed_nic(part: str, latency_ns: float | None) -> Nic:
    return small_designs.nic().model_copy(update={"id": part, "latency_ns": latency_ns})


CATALOG = small_designs.catalog(
    timed_switch("quick", 130),
    timed_switch("slow", 500),
    timed_switch("silent", None),
    timed_nic("nic-600ns", 600),
    timed_nic("nic-1000ns", 1000),
)


def farthest(text: str, catalog: Catalog = CATALOG) -> PathLatency | None:
    version = "" if "toposmith:" in text else "toposmith: 1\n"
    plan = plan_design(parse_design(version + text, "test"), catalog)
    assert plan.findings == ()
    return farthest_path(ComputeNetwork(plan))


def leaf_spine(
    *, leaf: str = "quick", spine: str = "quick", nic: str = "nic-600ns", rest: str = ""
) -> str:
    """Two racks of two nodes with a NIC each, a leaf a rack, two spines, cables of 10 m."""
    return (
        "axes: {rack: 2}\n"
        "groups:\n"
        "  node: {part: node1, per: [rack], count: 2,"
        f" nics: {{compute: {{part: {nic}, count: 1}}}}}}\n"
        f"  leaf: {{part: {leaf}, per: [rack]}}\n"
        f"  spine: {{part: {spine}, count: 2}}\n"
        "links:\n"
        "  - {between: [node.compute, leaf], length: 10}\n"
        "  - {between: [leaf, spine], length: 10}\n" + rest
    )


def test_leaf_spine_leaf_of_hdr_takes_1_19_us() -> None:
    # 0.6 + 3 x 0.13 + 4 cables of 10 m at 5 ns/m
    assert wire_latency_us(0.6, [0.13] * 3, [10] * 4) == pytest.approx(1.19)


@pytest.mark.parametrize(
    ("switches", "cables"), [([0.13, None], [10, 10, 10]), ([0.13], [10, None])]
)
def test_a_way_that_is_not_fully_known_has_no_latency(
    switches: list[float | None], cables: list[float | None]
) -> None:
    assert wire_latency_us(0.6, switches, cables) is None


def test_nodes_of_two_racks_meet_through_leaf_spine_leaf() -> None:
    path = farthest(leaf_spine())
    assert path is not None
    assert path.switches == ("leaf", "spine", "leaf")
    assert path.hops == 3
    assert path.links == (
        *("node.compute - leaf", "leaf - spine"),
        *("leaf - spine", "node.compute - leaf"),
    )
    assert path.latency_us == pytest.approx(1.19)
    assert (path.unknown, path.unmeasured, path.assumed) == ((), (), ())


def test_nodes_of_one_rack_meet_in_their_leaf() -> None:
    path = farthest(leaf_spine(rest='down: ["node[rack=1]"]\n'))
    assert path is not None
    assert path.switches == ("leaf",)
    assert path.latency_us == pytest.approx(0.6 + 0.13 + 2 * 0.05)


def test_a_node_alone_has_no_way() -> None:
    assert farthest(leaf_spine(rest='down: ["node[rack=1]", "node[rack=0,node=1]"]\n')) is None


def test_racks_without_a_spine_are_apart_and_only_nodes_of_one_rack_meet() -> None:
    path = farthest(leaf_spine(rest='down: ["spine"]\n'))
    assert path is not None
    assert path.switches == ("leaf",)


def test_a_switch_without_a_published_latency_is_named() -> None:
    path = farthest(leaf_spine(leaf="silent"))
    assert path is not None
    assert path.latency_us is None
    assert path.unknown == ("silent",)
    # NICs, one spine and 40 m of cable are known
    assert path.at_least_us == pytest.approx(0.6 + 0.13 + 0.2)


def test_a_link_without_a_length_is_named() -> None:
    path = farthest(leaf_spine().replace("spine], length: 10", "spine]"))
    assert path is not None
    assert path.latency_us is None
    assert path.unmeasured == ("leaf - spine",)
    assert path.at_least_us == pytest.approx(0.6 + 3 * 0.13 + 0.1)


def test_a_nic_without_a_published_latency_counts_as_1_us_and_is_named() -> None:
    path = farthest(leaf_spine(nic="nic-1x100"))
    assert path is not None
    assert path.assumed == ("nic-1x100",)
    assert path.latency_us == pytest.approx(1 + 3 * 0.13 + 0.2)


@pytest.mark.parametrize(
    ("part", "us"),
    [
        ("connectx-6-hdr", 0.6),
        ("connectx-6-hdr100", 0.6),
        ("connectx-7-ndr", None),
    ],
)
def test_nics_have_their_published_latency(part: str, us: float | None) -> None:
    nic = PUBLISHED.get(part)
    assert isinstance(nic, Nic)
    assert nic_latency_us(nic, "infiniband") == us


@pytest.mark.parametrize(
    ("gbit", "lanes", "us"), [(100, 4, 0.5), (200, 4, 0.6), (100, 2, 0.6), (400, 4, None)]
)
def test_edr_and_hdr_have_the_latency_of_their_generation(
    gbit: int, lanes: int, us: float | None
) -> None:
    nic = small_designs.nic().model_copy(update={"speed_gbit": gbit, "lanes": lanes})
    assert nic_latency_us(nic, "infiniband") == us
    assert nic_latency_us(nic, "ethernet") is None


def test_nodes_with_different_nics_meet_at_the_mean_of_their_pairs() -> None:
    path = farthest(
        "groups:\n"
        "  a: {part: node1, nics: {compute: {part: nic-600ns, count: 1}}}\n"
        "  b: {part: node1, nics: {compute: {part: nic-1000ns, count: 1}}}\n"
        "  leaf: {part: quick}\n"
        "links:\n"
        "  - {between: [a.compute, leaf], length: 2}\n"
        "  - {between: [b.compute, leaf], length: 4}\n"
    )
    assert path is not None
    assert path.links in (
        ("a.compute - leaf", "b.compute - leaf"),
        ("b.compute - leaf", "a.compute - leaf"),
    )
    assert path.latency_us == pytest.approx(0.8 + 0.13 + 0.03)


@pytest.mark.parametrize(
    ("parts", "worse"),
    [(("quick", "slow"), "second"), (("slow", "quick"), "first"), (("slow", "silent"), "second")],
)
def test_of_equally_long_ways_the_slower_or_less_known_one_counts(
    parts: tuple[str, str], worse: str
) -> None:
    path = farthest(
        "axes: {rack: 2}\n"
        "groups:\n"
        "  node: {part: node1, per: [rack], nics: {compute: {part: nic-600ns, count: 1}}}\n"
        "  leaf: {part: quick, per: [rack]}\n"
        f"  first: {{part: {parts[0]}}}\n"
        f"  second: {{part: {parts[1]}}}\n"
        "links:\n"
        "  - {between: [node.compute, leaf], length: 10}\n"
        "  - {between: [leaf, first], length: 10}\n"
        "  - {between: [leaf, second], length: 10}\n"
    )
    assert path is not None
    assert path.switches == ("leaf", worse, "leaf")


def test_rails_of_one_scalable_unit_are_a_leaf_apart() -> None:
    # NVLink takes the data to the right NIC, so no rail is left
    path = farthest(
        "axes: {rail: 4}\n"
        "groups:\n"
        "  node: {part: node4, count: 3, nics: {compute: {part: nic-600ns, count: 4}}}\n"
        "  leaf: {part: quick, per: [rail]}\n"
        "  spine: {part: quick}\n"
        "links: [{between: [node.compute, leaf], length: 5}, {between: [leaf, spine], length: 5}]\n"
    )
    assert path is not None
    assert path.switches == ("leaf",)


def test_nodes_back_to_back_have_only_a_cable_between_them() -> None:
    path = farthest(
        "groups:\n"
        "  a: {part: node1, nics: {compute: {part: nic-600ns, count: 1}}}\n"
        "  b: {part: node1, nics: {compute: {part: nic-600ns, count: 1}}}\n"
        "links: [{between: [a.compute, b.compute], length: 2}]\n"
    )
    assert path is not None
    assert (path.switches, path.links) == ((), ("a.compute - b.compute",))
    assert path.latency_us == pytest.approx(0.61)


@pytest.mark.parametrize(
    ("name", "switches"),
    [
        ("dgx-a100-su", ("leaf",)),
        ("dgx-h100-superpod-4su", ("leaf", "spine", "leaf")),
        ("b200-131072gpu-fabric-per-rail", ("leaf", "spine", "core", "spine", "leaf")),
    ],
)
def test_saved_clusters_are_as_deep_as_they_are_drawn(name: str, switches: tuple[str, ...]) -> None:
    saved = find_saved(name)
    assert saved is not None
    path = farthest(saved.path.read_text(), PUBLISHED)
    assert path is not None
    assert path.switches == switches


def farthest_in_expansion(plan: Plan) -> int | None:
    """The most switches between any two nodes that are connected, pair by pair."""
    expanded = Expanded(plan)
    switches = expanded.graph.subgraph(
        v for v in expanded.graph if v[0] == "device" and plan.groups[v[1]].node is None
    )
    between = dict(nx.all_pairs_shortest_path_length(switches))
    leaves = {
        node: {
            peer
            for nic in expanded.nics(node)
            for peer in expanded.graph.neighbors(nic)
            if peer in switches
        }
        for node in expanded.nodes
    }
    shortest = [
        min(ways)
        for a, b in permutations(expanded.nodes, 2)
        if (ways := [1 + between[u][v] for u in leaves[a] for v in leaves[b] if v in between[u]])
    ]
    return max(shortest, default=None)


@settings(max_examples=50)
@given(small_designs.designs())
def test_any_fabric_is_as_deep_as_its_expansion(plan: Plan) -> None:
    path = farthest_path(ComputeNetwork(plan))
    assert (None if path is None else path.hops) == farthest_in_expansion(plan)
