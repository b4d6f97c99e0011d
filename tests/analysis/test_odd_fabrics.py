"""Fabrics at the edges: dead NICs, rails without a spine, nodes back to back, two networks."""

from __future__ import annotations

import pytest

from tests.asking import ring_at_large_sizes
from tests.expanded import Expanded, optimal_rate
from tests.expansion import expand
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Collective
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
RAILS = (
    "axes: {rail: 8}\n"
    "groups: {node: {part: dgx-a100, count: 20}, leaf: {part: qm8790, per: [rail]}}\n"
    "links: [{between: [node.compute, leaf]}]\n"
)
PAIR = (
    "groups:\n"
    "  a: {part: hgx-a100-8, nics: {compute: {part: connectx-6-hdr, count: 8}}}\n"
    "  b: {part: hgx-a100-8, nics: {compute: {part: connectx-6-hdr, count: 8}}}\n"
    "links: [{between: [a, b]}]\n"
)


def planned(text: str) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG)


def analysed(text: str, collective: Collective = "all_reduce") -> Analysis:
    return analyse(planned(text), CATALOG, ring_at_large_sizes(collective))


@pytest.mark.parametrize("down", ["node[node=0].compute", "node.compute", "leaf"])
def test_a_node_whose_every_port_is_down_stops_the_collective_and_is_named(down: str) -> None:
    result = analysed(RAILS + f'down: ["{down}"]\n')
    assert result.busbw_GBps is None
    assert [(f.code, f.where) for f in result.findings if f.severity == "error"] == [
        ("unreachable", "node")
    ]


def test_one_dead_port_costs_a_ring_an_eighth() -> None:
    # the node with seven ports holds all others to seven channels of 24 GB/s
    assert analysed(RAILS + 'down: ["node[node=0].compute[0]"]\n').busbw_GBps == pytest.approx(
        7 * 24, rel=1e-6
    )


def test_one_dead_port_on_rails_without_a_spine_still_lets_everybody_exchange() -> None:
    # what is meant for the node comes over its seven rails, and what it sends leaves on them:
    # each carries 8 x 152 / 160 of a rank's rate over 7, and 24 GB/s is what a port takes
    result = analysed(RAILS + 'down: ["node[node=0].compute[0]"]\n', "all_to_all")
    assert result.algbw_GBps == pytest.approx(24 / (8 * 152 / 160 / 7))


def test_two_nodes_back_to_back_ring_at_the_sum_of_their_ports() -> None:
    result = analysed(PAIR)
    assert result.busbw_GBps == pytest.approx(8 * 24)
    assert (result.limiting[0].link, result.limiting[0].cables) == ("a.compute - b.compute", 8)


@pytest.mark.parametrize("fault", ["", 'down: ["a.compute[0]"]\n'])
def test_two_nodes_back_to_back_have_the_bound_of_their_expansion(fault: str) -> None:
    plan = planned(PAIR + fault)
    expected = optimal_rate(expand(plan, CATALOG, only=ComputeNetwork(plan).slots))
    assert expected is not None
    assert analyse(plan, CATALOG).bound_busbw_GBps == pytest.approx(float(expected * 15))
    assert Expanded(plan).ring() == {0: 1.0}


def test_two_nodes_whose_cables_are_absent_are_not_a_cluster() -> None:
    assert analysed(PAIR + 'absent: ["a - b"]\n').busbw_GBps is None


def test_a_storage_network_does_not_count_as_oversubscription_of_the_compute_one() -> None:
    storage = (
        "axes: {rail: 8}\n"
        "groups:\n"
        "  node: {part: dgx-a100, count: 20}\n"
        "  leaf: {part: qm8790, per: [rail]}\n"
        "  spine: {part: qm8790, count: 4}\n"
        "  storage: {part: qm8790}\n"
        "links:\n"
        "  - {between: [node.compute, leaf]}\n"
        "  - {between: [leaf, spine], cables: 5}\n"
        "  - {between: [node.storage, storage], cables: 1}\n"
    )
    tiers = analysed(storage).tiers
    assert [(tier.tier, tier.groups, tier.oversubscription) for tier in tiers] == [
        ("leaf", ("leaf",), 1.0),
        ("spine", ("spine",), None),
    ]


def test_two_chains_over_two_sockets_put_half_the_ring_on_each_direction() -> None:
    # 12 GB/s on each of two chains: GPUs' PCIe carries both (24), the sockets 12 of their 16
    text = (
        "groups:\n"
        "  node: {part: a100-pcie-4, count: 4,"
        " nics: {compute: {part: connectx-6-hdr, count: 2}}}\n"
        "  leaf: {part: qm8790}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    result = analysed(text)
    loads = {load.link: load for load in result.limits}
    assert result.busbw_GBps == pytest.approx(24)
    assert loads["node sockets"].load_GBps == pytest.approx(12)
    assert loads["node GPU PCIe"].utilization == pytest.approx(1)


def test_a_million_scalable_units_are_counted_but_not_computed() -> None:
    result = analysed(
        "axes: {su: 1000000, rail: 8}\n"
        "groups:\n"
        "  node: {part: dgx-h100, per: [su], count: 32}\n"
        "  leaf: {part: qm9700, per: [su, rail]}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    assert result.gpus == 256_000_000
    assert result.busbw_GBps is None
    assert [finding.code for finding in result.findings] == ["too-large"]


def test_a_million_nodes_in_one_group_are_counted_but_not_computed() -> None:
    result = analysed(
        "groups:\n"
        "  node: {part: dgx-h100, count: 1000000}\n"
        "  leaf: {part: qm9700, count: 8}\n"
        "links: [{between: [node.compute, leaf]}]\n"
        'down: ["node[node=3]", "node[node=52]"]\n'
    )
    assert result.gpus == 8 * 999_998
    assert result.busbw_GBps is None
    (why,) = (finding for finding in result.findings if finding.code == "too-large")
    assert "1,000,000 nodes" in why.text
    assert "fewer nodes" in why.fix


def test_nodes_on_a_management_switch_alone_have_no_network_for_collectives() -> None:
    found = analysed(
        "groups: {node: {part: dgx-h100, count: 4}, oob: {part: sn2201, count: 1}}\n"
        "links: [{between: [node.management, oob]}]\n"
    )
    assert found.busbw_GBps is None
    assert "unreachable" in {finding.code for finding in found.findings}
