"""Figures of whole designs against NCCL's own search and the field's closed forms.

NCCL figures are busbw in GB/s of the real channel search and tuner (2.27.7) at 16 GiB, where ring
is the algorithm; they contain latency, hence the tolerance of 1.5 % below the large-message limit.
"""

from __future__ import annotations

import pytest

from tests.asking import ring_at_large_sizes
from toposmith.analysis.analyse import analyse
from toposmith.analysis.prediction.calibration import FAST_NODE_SHARE
from toposmith.analysis.request import Collective
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.collectives import busbw_factor
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved

CATALOG = load_catalog()


def analysed(text: str, collective: Collective = "all_reduce") -> Analysis:
    plan = plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG)
    return analyse(plan, CATALOG, ring_at_large_sizes(collective))


def one_switch(
    nodes: int,
    node: str,
    nic: str | None = None,
    count: int = 8,
    switch: str = "sn5600",
    collective: Collective = "all_reduce",
) -> Analysis:
    """Nodes on one switch, or as many as it takes, one a NIC."""
    nics = f", nics: {{compute: {{part: {nic}, count: {count}}}}}" if nic else ""
    return analysed(
        f"axes: {{rail: {count}}}\n"
        f"groups:\n  node: {{part: {node}, count: {nodes}{nics}}}\n"
        f"  leaf: {{part: {switch}, per: [rail]}}\n"
        "links: [{between: [node.compute, leaf]}]\n",
        collective,
    )


@pytest.mark.parametrize(
    ("nodes", "nic", "count", "switch", "nccl"),
    [
        (4, "connectx-6-hdr", 8, "qm8790", 191.3),
        (16, "connectx-6-hdr", 8, "qm8790", 189.3),
        (4, "connectx-6-dx-100gbe", 8, "sn2700", 95.8),
        (4, "connectx-6-hdr", 4, "qm8790", 95.9),
        (4, "connectx-6-dx-100gbe", 4, "sn2700", 48.0),
        (4, "connectx-6-hdr", 1, "qm8790", 24.0),
        (4, "connectx-6-dx-100gbe", 1, "sn2700", 12.0),
    ],
)
def test_a100_nodes_all_reduce_at_what_nccl_finds(
    nodes: int, nic: str, count: int, switch: str, nccl: float
) -> None:
    figure = one_switch(nodes, "hgx-a100-8", nic, count, switch).busbw_GBps
    assert figure == pytest.approx(nccl, rel=0.015)


@pytest.mark.parametrize(
    ("count", "nccl"), [(8, 382.2), (4, 191.6), (1, 48.0)], ids=["8x400", "4x400", "1x400"]
)
def test_h100_nodes_all_reduce_at_what_nccl_finds(count: int, nccl: float) -> None:
    figure = one_switch(4, "hgx-h100-8", "connectx-7-ndr", count, "qm9790").busbw_GBps
    # 3.2 Tb/s of NICs reach 96 % of NCCL's figure: 365 GB/s measured (Machine Learning
    # Engineering, network/README.md)
    reached = FAST_NODE_SHARE if count == 8 else 1.0
    assert figure == pytest.approx(nccl * reached, rel=0.015)


@pytest.mark.parametrize(
    ("node", "nccl"), [("hgx-a100-8", 239.9), ("dgx-h100", 359.7), ("dgx-b200", 718.9)]
)
def test_one_node_all_gathers_at_nccls_ring_over_nvlink(node: str, nccl: float) -> None:
    figure = analysed(f"groups: {{node: {{part: {node}}}}}\n", "all_gather").busbw_GBps
    # seven of the seven and a half steps of eight GPUs cross NVLink
    assert figure == pytest.approx(nccl * 7 / 7.5, rel=0.002)


def test_a100_pcie_servers_are_held_at_15_by_the_way_between_amd_sockets() -> None:
    result = analysed("groups: {node: {part: a100-pcie-4}}\n")
    # six steps of four GPUs, and half a step of copying
    assert result.busbw_GBps == pytest.approx(15 * 6 / 6.5)
    assert max(result.limits, key=lambda one: one.utilization).link == "node sockets"


def test_one_100gbe_nic_limits_eight_a100s_to_12_GBps() -> None:
    result = one_switch(8, "hgx-a100-8", "connectx-6-dx-100gbe", 1, "sn2700")
    assert result.busbw_GBps == pytest.approx(12)
    assert result.limiting[0].link == "node.compute - leaf"
    assert result.limiting[0].capacity_GBps == 12.5


def test_one_100gbe_nic_leaves_each_of_128_gpus_1_6_GBps_of_all_to_all() -> None:
    # 12 GB/s for 8 GPUs, 120 of 128 ranks outside: 12 / 8 x 127 / 120
    result = one_switch(
        16, "hgx-a100-8", "connectx-6-dx-100gbe", 1, "sn2700", collective="all_to_all"
    )
    assert result.busbw_GBps == pytest.approx(1.5875)


def test_sixteen_nodes_with_a_200g_nic_per_gpu_exchange_at_25_GBps() -> None:
    result = one_switch(16, "hgx-a100-8", "connectx-6-hdr", 8, "qm8790", "all_to_all")
    assert result.algbw_GBps == pytest.approx(25.6)
    assert result.busbw_GBps == pytest.approx(25.4)


def test_sixteen_nodes_with_one_200g_nic_exchange_at_3_175_GBps() -> None:
    result = one_switch(16, "hgx-a100-8", "connectx-6-hdr", 1, "qm8790", "all_to_all")
    assert result.busbw_GBps == pytest.approx(3.175)


@pytest.mark.parametrize("cables", [16, 8, 4])
def test_a_thin_spine_cuts_all_to_all_before_all_reduce(cables: int) -> None:
    # four leaves with two nodes of 8 NICs: of 63 other ranks 48 are behind other leaves; with 16
    # uplinks the NIC binds (56 of 64 ranks leave the node), with fewer the uplinks do
    text = (
        "axes: {rack: 4}\n"
        "groups:\n"
        "  node: {part: hgx-a100-8, per: [rack], count: 2,"
        " nics: {compute: {part: connectx-6-200gbe, count: 8}}}\n"
        "  leaf: {part: sn5600, per: [rack]}\n"
        "  spine: {part: sn5600}\n"
        "links: [{between: [node.compute, leaf]}, "
        f"{{between: [leaf, spine], speed: 200, cables: {cables}}}]\n"
    )
    exchange = analysed(text, "all_to_all")
    nic_bound = 24 * 64 / 56  # algbw: a NIC sends to the 56 ranks of the other nodes
    uplink_bound = 24 * cables / 16 * 64 / 48  # 16 ranks share the uplinks towards 48 ranks
    assert exchange.algbw_GBps == pytest.approx(min(nic_bound, uplink_bound))
    reduce = analysed(text)
    assert reduce.busbw_GBps == pytest.approx(min(192, 24 * cables))


def test_uplinks_of_a_non_blocking_leaf_spine_are_88_percent_full_of_all_to_all() -> None:
    # 16 hosts on each of 8 leaves, 8 spines, links of twice the rate: 16 x 112 / 127 / 8 = 1.764
    text = (
        "axes: {rack: 8}\n"
        "groups:\n"
        "  node: {part: hgx-a100-8, per: [rack], count: 2,"
        " nics: {compute: {part: connectx-6-200gbe, count: 8}}}\n"
        "  leaf: {part: sn5600, per: [rack]}\n"
        "  spine: {part: sn5600, count: 8}\n"
        "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], speed: 400}]\n"
    )
    result = analysed(text, "all_to_all")
    loads = {load.link: load for load in result.limits}
    uplink = loads["leaf - spine"]
    assert uplink.load_GBps / (result.busbw_GBps or 0) == pytest.approx(16 * 112 / 127 / 8)
    assert uplink.capacity_GBps == 50


@pytest.mark.parametrize(
    ("name", "busbw", "words"),
    [
        # one of its nodes is absent
        ("dgx-h100-superpod-4su", 402.78, "bound: ingress of all nodes"),
        ("dgx-b200-superpod-64su", 400.17, "exact"),
    ],
)
def test_superpods_have_the_closed_form_bound(name: str, busbw: float, words: str) -> None:
    # n b (N - 1) / (N - G): 400 x 1015 / 1008 for 127 nodes, 400 x 16383 / 16376 for 2,048
    saved = find_saved(name)
    assert saved is not None
    plan = plan_design(parse_design(saved.path.read_text(), name), CATALOG)
    result = analyse(plan, CATALOG)
    assert result.bound_busbw_GBps == pytest.approx(busbw, abs=0.005)
    assert result.bound_label.words == words
    assert {cut.link for cut in result.bound_cut} == {"node.compute - leaf"}


def test_four_dgx_h100_take_in_nvlink_and_a_nic_each() -> None:
    # 450 + 50 into one GPU binds before the node's own 400 x 31 / 24 = 516.7
    result = one_switch(4, "dgx-h100", None, 8, "qm9790")
    assert result.bound_busbw_GBps == pytest.approx(500)


def test_busbw_of_nccl_tests_definitions() -> None:
    assert 1e9 / 10e-3 / 1e9 * busbw_factor("all_reduce", 16) == pytest.approx(187.5)
    assert 1e9 / 5e-3 / 1e9 * busbw_factor("all_gather", 8) == pytest.approx(175)
    assert 128e6 / 5e-3 / 1e9 * busbw_factor("all_to_all", 128) == pytest.approx(25.4)


def test_a_flat_ring_of_128_a100s_moves_96_76_GBps_of_data() -> None:
    result = one_switch(16, "hgx-a100-8", "connectx-6-hdr", 8, "qm8790")
    assert result.algbw_GBps == pytest.approx(192 * 128 / 254)
