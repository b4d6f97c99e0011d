"""NCCL's own tuner, built off-line at each tag, printed the figures these tests expect."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from toposmith.nccl.nccl_version import LAST_PATCH, NcclVersion, parse_version
from toposmith.nccl.node import Channels, NodeGraphs, PathType
from toposmith.nccl.tuner import (
    Algorithm,
    Cost,
    Cpu,
    NcclCollective,
    NcclProtocol,
    Ranks,
    choose,
    corrected_GBps,
    costs,
    running_channels,
    time_us,
)

V2_27_7 = NcclVersion(2, 27, 7)
KIB, MIB, GIB = 2**10, 2**20, 2**30

# Channels that NCCL's search found in nodes of 8 GPUs with NVSwitches.
A100_NODE = NodeGraphs(ring=Channels(12, 20, 20), tree=Channels(12, 20, 20))
A100_8X200 = NodeGraphs(ring=Channels(8, 24, 24), tree=Channels(8, 30, 24))
A100_1X100 = NodeGraphs(ring=Channels(1, 12, 12), tree=Channels(1, 24, 12))
H100_NODE = NodeGraphs(
    ring=Channels(12, 30, 30), tree=Channels(12, 30, 30), nvls=Channels(8, 40, 60)
)
H100_8X400 = NodeGraphs(
    ring=Channels(8, 48, 48), tree=Channels(8, 48, 48), nvls=Channels(8, 40, 48)
)
# NCCL 2.18 found no faster multicast, and hung the tree on one GPU.
H100_NODE_2_18 = NodeGraphs(
    ring=Channels(12, 30, 30), tree=Channels(12, 30, 30), nvls=Channels(8, 40, 40)
)
H100_8X400_2_18 = NodeGraphs(
    ring=Channels(8, 48, 48),
    tree=Channels(8, 48, 48, pattern="tree"),
    nvls=Channels(8, 40, 40),
)


def a100(nodes: int) -> Ranks:
    return Ranks(ranks=8 * nodes, nodes=nodes, compute_capability=80, cpu="amd")


def h100(nodes: int) -> Ranks:
    return Ranks(ranks=8 * nodes, nodes=nodes, compute_capability=90, cpu="intel")


def lone_h100s(nodes: int) -> Ranks:
    return Ranks(ranks=nodes, nodes=nodes, compute_capability=90, cpu="intel")


def b200(nodes: int) -> Ranks:
    return Ranks(ranks=8 * nodes, nodes=nodes, compute_capability=100, cpu="intel")


def cost_of(
    algorithm: Algorithm, protocol: NcclProtocol, collective: NcclCollective,
    graphs: NodeGraphs, ranks: Ranks, version: NcclVersion = V2_27_7,
) -> Cost | None:  # fmt: skip
    offered = costs(collective, graphs, ranks, version)
    return next((c for c in offered if (c.algorithm, c.protocol) == (algorithm, protocol)), None)


def printed(cost: Cost | None) -> str:
    """Latency in µs and algbw in GB/s, in the digits NCCL prints."""
    return "-" if cost is None else f"{cost.latency_us:.1f}/{cost.GBps:.3f}"


@pytest.mark.parametrize(
    ("nodes", "algorithm", "protocol", "expected"),
    [
        (1, "ring", "simple", "56.0/137.143"),
        (1, "tree", "simple", "64.4/110.400"),
        (2, "ring", "simple", "204.4/102.400"),
        (2, "tree", "simple", "92.4/94.400"),
        (4, "ring", "ll", "134.8/9.806"),
        (4, "ring", "ll128", "150.0/82.581"),
        (4, "ring", "simple", "428.4/99.097"),
        (4, "tree", "ll", "35.2/9.500"),
        (4, "tree", "ll128", "65.5/66.750"),
        (4, "tree", "simple", "120.4/71.200"),
        (16, "ring", "simple", "1772.4/96.756"),
        (16, "tree", "simple", "176.4/71.200"),
    ],
)
def test_an_all_reduce_on_dgx_a100_with_8x200g_costs_what_nccl_prints(
    nodes: int, algorithm: Algorithm, protocol: NcclProtocol, expected: str
) -> None:
    graphs = A100_NODE if nodes == 1 else A100_8X200
    cost = cost_of(algorithm, protocol, "all_reduce", graphs, a100(nodes))
    assert printed(cost) == expected


@pytest.mark.parametrize(
    ("nodes", "protocol", "expected"),
    [
        (1, "simple", "32.2/274.286"),
        (2, "simple", "106.4/204.800"),
        (4, "ll", "70.7/19.613"),
        (4, "ll128", "82.0/165.161"),
        (4, "simple", "218.4/198.194"),
        (16, "simple", "890.4/193.512"),
    ],
)
def test_an_all_gather_on_dgx_a100_with_8x200g_costs_what_nccl_prints(
    nodes: int, protocol: NcclProtocol, expected: str
) -> None:
    graphs = A100_NODE if nodes == 1 else A100_8X200
    assert printed(cost_of("ring", protocol, "all_gather", graphs, a100(nodes))) == expected
    assert printed(cost_of("ring", protocol, "reduce_scatter", graphs, a100(nodes))) == expected


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [("ll", "93.0/19.000"), ("ll128", "142.0/160.000"), ("simple", "456.4/192.000")],
)
def test_a_broadcast_from_one_of_four_dgx_a100_costs_what_nccl_prints(
    protocol: NcclProtocol, expected: str
) -> None:
    assert printed(cost_of("ring", protocol, "broadcast", A100_8X200, a100(4))) == expected


@pytest.mark.parametrize(
    ("nodes", "algorithm", "protocol", "expected"),
    [
        (1, "ring", "ll", "15.0/80.571"),
        (1, "ring", "ll128", "40.6/189.257"),
        (1, "ring", "simple", "56.0/205.714"),
        (1, "tree", "ll", "15.2/43.579"),
        (1, "tree", "ll128", "31.5/128.800"),
        (1, "tree", "simple", "64.4/165.600"),
        (1, "nvls", "simple", "25.0/266.667"),
        (2, "ring", "ll", "40.0/20.800"),
        (2, "ring", "ll128", "75.2/156.587"),
        (2, "ring", "simple", "131.6/204.800"),
        (2, "tree", "ll", "25.2/19.500"),
        (2, "tree", "ll128", "48.5/146.800"),
        (2, "tree", "simple", "92.4/165.600"),
        (2, "nvls_tree", "simple", "53.0/266.667"),
        (4, "ring", "ll", "78.8/10.529"),
        (4, "ring", "ll128", "144.4/151.535"),
        (4, "ring", "simple", "282.8/198.194"),
        (4, "tree", "ll", "35.2/10.200"),
        (4, "tree", "ll128", "65.5/116.000"),
        (4, "tree", "simple", "120.4/144.000"),
        (4, "nvls_tree", "simple", "81.0/160.000"),
        (16, "ring", "ll", "311.6/10.280"),
        (16, "ring", "ll128", "559.6/147.956"),
        (16, "ring", "simple", "1190.0/193.512"),
        (16, "tree", "ll", "55.2/10.200"),
        (16, "tree", "ll128", "99.5/116.000"),
        (16, "tree", "simple", "176.4/144.000"),
        (16, "nvls_tree", "simple", "137.0/160.000"),
    ],
)
def test_an_all_reduce_on_dgx_h100_with_8x400g_costs_what_nccl_prints(
    nodes: int, algorithm: Algorithm, protocol: NcclProtocol, expected: str
) -> None:
    graphs = H100_NODE if nodes == 1 else H100_8X400
    cost = cost_of(algorithm, protocol, "all_reduce", graphs, h100(nodes))
    assert printed(cost) == expected


@pytest.mark.parametrize(
    ("algorithm", "protocol", "expected"),
    [
        ("ring", "ll", "10.8/161.143"),
        ("ring", "ll128", "27.3/378.514"),
        ("ring", "simple", "32.2/411.429"),
        ("nvls", "simple", "25.0/280.000"),
    ],
)
def test_an_all_gather_inside_a_dgx_h100_costs_what_nccl_prints(
    algorithm: Algorithm, protocol: NcclProtocol, expected: str
) -> None:
    assert printed(cost_of(algorithm, protocol, "all_gather", H100_NODE, h100(1))) == expected


VERSIONS_OF_H100 = {
    "2.18.6": (
        *("304.0/198.194", "112.0/122.400", "137.0/149.333", "23.0/266.667", "593.0/119.467"),
    ),
    "2.20.5": (
        *("304.0/198.194", "504.0/144.000", "79.0/160.000", "23.0/266.667", "135.0/160.000"),
    ),
    "2.22.3": (
        *("304.0/198.194", "504.0/144.000", "81.0/160.000", "25.0/266.667", "137.0/160.000"),
    ),
    **dict.fromkeys(
        ("2.24.3", "2.26.6", "2.27.7"),
        ("282.8/198.194", "120.4/144.000", "81.0/160.000", "25.0/266.667", "137.0/160.000"),
    ),
    **dict.fromkeys(
        ("2.28.9", "2.30.7", "2.31.2", "2.32.3"),
        ("282.8/198.194", "120.4/144.000", "108.6/187.871", "25.0/272.000", "192.2/183.433"),
    ),
}


@pytest.mark.parametrize(("release", "expected"), VERSIONS_OF_H100.items())
def test_every_release_of_nccl_reckons_dgx_h100_its_own_way(
    release: str, expected: tuple[str, ...]
) -> None:
    version = parse_version(release)
    old = version <= NcclVersion(2, 18, 6)
    node, cluster = (
        (H100_NODE_2_18, H100_8X400_2_18) if old else (H100_NODE, H100_8X400)
    )  # fmt: skip

    def all_reduce(algorithm: Algorithm, graphs: NodeGraphs, nodes: int) -> str:
        cost = cost_of(algorithm, "simple", "all_reduce", graphs, h100(nodes), version)
        return printed(cost)

    assert (
        all_reduce("ring", cluster, 4),
        all_reduce("tree", cluster, 4),
        all_reduce("nvls_tree", cluster, 4),
        all_reduce("nvls", node, 1),
        all_reduce("nvls_tree", cluster, 16),
    ) == expected


def test_the_figures_of_four_dgx_a100_follow_by_hand() -> None:
    ring = cost_of("ring", "simple", "all_reduce", A100_8X200, a100(4))
    tree = cost_of("tree", "simple", "all_reduce", A100_8X200, a100(4))
    assert ring is not None
    assert tree is not None
    assert ring.GBps == pytest.approx(8 * 24 * 32 / 62)
    assert ring.latency_us == pytest.approx(8.4 + 56 * max(3.4, 2 * 3) + 6 * 14)
    assert tree.GBps == pytest.approx(min(0.92 * 192, 8 * 17.8) * 0.5)
    assert tree.latency_us == pytest.approx(8.4 + 2 * (7 * 4 + 2 * 14))


SIZES = (KIB, 64 * KIB, MIB, 16 * MIB, 256 * MIB, 4 * GIB)
CHOSEN = [
    (
        *("one DGX A100", A100_NODE, a100(1)),
        "ring/ll 15.02",
        "ring/ll 16.31",
        "ring/ll 35.92",
        "ring/ll128 173.57",
        "ring/simple 2013.34 233.3",
        "ring/simple 31373.5 239.6",
    ),
    (
        *("4 DGX A100, 8x200G", A100_8X200, a100(4)),
        "tree/ll 35.32",
        "tree/ll 46.70",
        "tree/ll128 91.68",
        "tree/ll128 344.77",
        "ring/simple 3308.58 157.2",
        "ring/simple 43940.9 189.4",
    ),
    (
        *("2 DGX A100, 1x100G", A100_1X100, a100(2)),
        "tree/ll 25.59",
        "tree/ll128 59.42",
        "tree/ll128 223.26",
        "tree/ll128 1912.64",
        "tree/ll128 26892.0 18.7",
        "tree/simple 389129 20.7",
    ),
    (
        *("4 DGX A100, 1x100G", A100_1X100, a100(4)),
        "tree/ll 35.98",
        "tree/ll128 86.61",
        "ring/ll128 334.02",
        "ring/ll128 3094.37",
        "ring/simple 43940.9 11.8",
        "ring/simple 694058 12.0",
    ),
    (
        *("one DGX H100", H100_NODE, h100(1)),
        "ring/ll 15.01",
        "ring/ll 15.81",
        "ring/ll 28.01",
        "nvls/simple 87.91",
        "nvls/simple 1031.63 455.4",
        "nvls/simple 16131.1 465.9",
    ),
    (
        *("2 DGX H100, 8x400G", H100_8X400, h100(2)),
        "tree/ll 25.26",
        "tree/ll 30.80",
        "nvls_tree/simple 56.93",
        "nvls_tree/simple 115.91",
        "nvls_tree/simple 1059.63 475.0",
        "nvls_tree/simple 16159.1 498.4",
    ),
    (
        *("4 DGX H100, 8x400G", H100_8X400, h100(4)),
        "tree/ll 35.31",
        "tree/ll 45.91",
        "tree/ll128 80.57",
        "nvls_tree/simple 185.86",
        "ring/simple 1750.33 297.1",
        "ring/simple 22066.5 377.1",
    ),
]


def busbw_GBps(ranks: Ranks, message_bytes: int, us: float) -> float:
    return message_bytes / us / 1000 * 2 * (ranks.ranks - 1) / ranks.ranks


def in_digits_of(expected: str, value: float) -> str:
    return f"{value:.{len(expected.partition('.')[2])}f}"


@pytest.mark.parametrize(
    ("graphs", "ranks", "message_bytes", "expected"),
    [
        pytest.param(graphs, ranks, size, expected, id=f"{cluster}, {size} B")
        for cluster, graphs, ranks, *row in CHOSEN
        for size, expected in zip(SIZES, row, strict=True)
    ],
)
def test_nccl_chooses_an_all_reduce_by_its_size(
    graphs: NodeGraphs, ranks: Ranks, message_bytes: int, expected: str
) -> None:
    names, expected_us, *expected_busbw = expected.split()
    cost, us = choose("all_reduce", graphs, ranks, message_bytes, V2_27_7)
    assert f"{cost.algorithm}/{cost.protocol}" == names
    assert in_digits_of(expected_us, us) == expected_us
    for figure in expected_busbw:
        assert in_digits_of(figure, busbw_GBps(ranks, message_bytes, us)) == figure


@pytest.mark.parametrize(
    ("graphs", "ranks", "algorithm", "expected"),
    [
        (A100_NODE, a100(1), "ring", 239.9),
        (A100_8X200, a100(2), "ring", 191.7),
        (A100_8X200, a100(4), "ring", 191.3),
        (A100_8X200, a100(16), "ring", 189.3),
        (A100_1X100, a100(2), "tree", 20.7),
        (A100_1X100, a100(16), "ring", 12.0),
        (H100_NODE, h100(1), "nvls", 466.5),
        (H100_8X400, h100(2), "nvls_tree", 499.6),
        (H100_8X400, h100(4), "ring", 382.2),
        (H100_8X400, h100(16), "ring", 376.9),
    ],
)
def test_at_16_gib_an_all_reduce_nears_its_bus_bandwidth(
    graphs: NodeGraphs, ranks: Ranks, algorithm: Algorithm, expected: float
) -> None:
    cost, us = choose("all_reduce", graphs, ranks, 16 * GIB, V2_27_7)
    assert cost.algorithm == algorithm
    # One decimal of a figure that was rounded before.
    assert busbw_GBps(ranks, 16 * GIB, us) == pytest.approx(expected, abs=0.055)


def test_a_tree_between_two_nodes_beats_the_nic_s_own_rate() -> None:
    cost, us = choose("all_reduce", A100_1X100, a100(2), 16 * GIB, V2_27_7)
    assert cost.algorithm == "tree"
    assert busbw_GBps(a100(2), 16 * GIB, us) > 12.5


def test_a_tree_that_hangs_on_one_gpu_is_slower() -> None:
    own_switches = NodeGraphs(ring=Channels(8, 48, 48), tree=Channels(8, 48, 48, pattern="tree"))
    cost = cost_of("tree", "simple", "all_reduce", own_switches, h100(4))
    assert printed(cost) == "120.4/122.400"


def test_a_tree_is_corrected_at_middling_sizes_only() -> None:
    tree = cost_of("tree", "ll", "all_reduce", A100_8X200, a100(4))
    assert tree is not None

    def share(size: int) -> float:
        return corrected_GBps(tree, "all_reduce", a100(4), size, V2_27_7) / tree.GBps

    assert share(0) == share(63) == share(64) == 1
    assert share(256 * KIB) == pytest.approx(0.4)
    assert share(4 * GIB) == 1


def test_blackwell_corrects_nvls_trees_from_2_29_on_unless_the_hosts_are_arm() -> None:
    ranks = b200(4)
    nvls_tree = cost_of("nvls_tree", "simple", "all_reduce", H100_8X400, ranks)
    assert nvls_tree is not None
    grace = Ranks(ranks=32, nodes=4, compute_capability=100, cpu="arm")

    def share(who: Ranks, version: NcclVersion) -> float:
        return corrected_GBps(nvls_tree, "all_reduce", who, 256 * KIB, version) / nvls_tree.GBps

    assert share(ranks, NcclVersion(2, 28, 9)) == 1
    assert share(ranks, NcclVersion(2, 29, 2)) == pytest.approx(0.5)
    assert share(grace, NcclVersion(2, 29, 2)) == 1


def test_a_ring_across_nodes_pays_more_latency_once_it_no_longer_hides_it() -> None:
    ring = cost_of("ring", "simple", "all_reduce", A100_8X200, a100(4))
    assert ring is not None
    plateau = 64 * 16 * 32  # 16 running channels, 32 ranks

    def latency(size: int) -> float:
        whole = time_us(ring, "all_reduce", A100_8X200, a100(4), size, V2_27_7)
        return whole - size / (1000 * ring.GBps)

    assert latency(plateau - 1) == pytest.approx(428.4)
    assert latency(plateau) == pytest.approx(1.4 * 428.4)


def test_pat_serves_gathers_of_one_gpu_per_node_from_2_23_on() -> None:
    one_gpu = NodeGraphs(
        ring=Channels(2, 24, 24, intra_path=PathType.LOC),
        tree=Channels(2, 24, 24, intra_path=PathType.LOC),
    )
    pat = cost_of("pat", "simple", "all_gather", one_gpu, lone_h100s(16))
    assert pat is not None
    assert pat.latency_us == pytest.approx(8 + 4 * 14 / 3.5 + 2.8 * 16)
    assert pat.GBps == pytest.approx(0.75 * 2 * 24)
    before = NcclVersion(2, 22, 3)
    assert cost_of("pat", "simple", "all_gather", one_gpu, lone_h100s(16), before) is None
    assert cost_of("pat", "simple", "all_reduce", one_gpu, lone_h100s(16)) is None
    assert cost_of("pat", "simple", "all_gather", H100_8X400, h100(2)) is None


def test_collnet_needs_a_network_that_reduces() -> None:
    graphs = NodeGraphs(
        ring=Channels(8, 48, 48), nvls=Channels(8, 40, 48), collnet=Channels(8, 40, 48)
    )
    plain = {cost.algorithm for cost in costs("all_reduce", graphs, h100(4), V2_27_7)}
    sharp = Ranks(ranks=32, nodes=4, compute_capability=90, cpu="intel", collnet=True)
    reducing = {cost.algorithm for cost in costs("all_reduce", graphs, sharp, V2_27_7)}
    assert plain == {"ring", "nvls_tree"}
    assert reducing == {"ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree"}


def test_a_reducing_network_costs_what_its_formulas_say() -> None:
    graphs = NodeGraphs(
        ring=Channels(8, 48, 48), nvls=Channels(8, 40, 48), collnet=Channels(8, 40, 48)
    )
    sharp = Ranks(32, 4, 90, "intel", collnet=True, nic_latency_us=1.0)

    def simple(algorithm: Algorithm, collective: NcclCollective, release: str = "2.27") -> Cost:
        version = parse_version(release)
        cost = cost_of(algorithm, "simple", collective, graphs, sharp, version)
        assert cost is not None
        return cost

    direct = simple("collnet_direct", "all_reduce")
    assert direct.GBps == pytest.approx(0.5 * 0.85 * 8 * 40)
    assert direct.latency_us == pytest.approx(2 * (3.7 + 7 * 0.4) + 31 + 2)
    chain = simple("collnet_chain", "all_reduce")
    assert chain.GBps == pytest.approx(0.5 * 8 * 40)
    assert chain.latency_us == pytest.approx(2 * 7 * 2.8 + 30 + 2)
    nvls = simple("nvls", "all_reduce")
    assert nvls.GBps == pytest.approx(8 * 40 * 5 / 6)
    assert nvls.latency_us == pytest.approx(25 + 18 + 2)
    assert simple("collnet_direct", "all_gather").GBps == pytest.approx(8 * 40)
    assert simple("collnet_direct", "all_gather", "2.26").GBps == pytest.approx(8 * 40 * 0.85)
    assert simple("nvls", "all_gather").GBps == pytest.approx(8 * 40 * 7 / 8)


def test_collnet_direct_has_no_room_for_more_than_eight_gpus_a_node() -> None:
    graphs = NodeGraphs(ring=Channels(8, 24, 24), collnet=Channels(8, 24, 24))
    sharp = Ranks(64, 4, 80, "amd", collnet=True)
    offered = {cost.algorithm for cost in costs("all_reduce", graphs, sharp, V2_27_7)}
    assert offered == {"ring", "collnet_chain"}


@pytest.mark.parametrize(
    ("release", "GBps"),
    [
        ("2.18", None),
        ("2.19", 8 * 40 * 5 / 6),
        ("2.22", 8 * 40 * 5 / 6),
        ("2.23", 8 * 40),
        ("2.27", 8 * 40 * 7 / 8),
        ("2.28", 8 * 40 * 0.85 * 7 / 8 * 7 / 8),
    ],
)
def test_releases_disagree_on_all_gathers_by_the_nvswitch(release: str, GBps: float | None) -> None:
    version = parse_version(release)
    cost = cost_of("nvls", "simple", "all_gather", H100_NODE, h100(1), version)
    assert (cost and cost.GBps) == (None if GBps is None else pytest.approx(GBps))


def test_the_nvswitch_gathers_across_nodes_from_2_27_on() -> None:
    sharp = Ranks(32, 4, 90, "intel", collnet=True)
    before, since = parse_version("2.26"), parse_version("2.27")
    assert cost_of("nvls", "simple", "all_gather", H100_8X400, sharp, before) is None
    assert cost_of("nvls", "simple", "all_gather", H100_8X400, sharp, since) is not None


def test_a_gather_by_the_nvswitch_goes_no_faster_than_nine_tenths_of_the_nics() -> None:
    # NCCL 2.27, src/graph/tuning.cc: nChannels x min(bwIntra (ppn - 1) / ppn, 0.9 bwInter)
    sharp, version = Ranks(32, 4, 90, "intel", collnet=True), parse_version("2.27")
    thin = NodeGraphs(ring=Channels(4, 48, 48), nvls=Channels(4, 40, 20))
    cost = cost_of("nvls", "simple", "all_gather", thin, sharp, version)
    assert cost is not None and cost.GBps == pytest.approx(4 * 0.9 * 20)


def test_collnet_gathers_need_a_nic_for_every_gpu() -> None:
    graphs = NodeGraphs(
        ring=Channels(4, 48, 48), nvls=Channels(4, 40, 48), collnet=Channels(4, 40, 48)
    )
    sharp = Ranks(32, 4, 90, "intel", collnet=True)
    shared_nics = Ranks(32, 4, 90, "intel", collnet=True, nic_per_rank=False)
    assert {c.algorithm for c in costs("all_gather", graphs, sharp, V2_27_7)} == {
        *("ring", "collnet_direct", "nvls"),
    }
    assert {c.algorithm for c in costs("all_gather", graphs, shared_nics, V2_27_7)} == {"ring"}


@pytest.mark.parametrize(
    ("capability", "inter_path", "release", "safe"),
    [
        (80, PathType.PXB, "2.27", True),
        (80, PathType.PXN, "2.27", False),
        (90, PathType.PXN, "2.27", True),
        (90, PathType.PHB, "2.27", False),
        (89, PathType.PXB, "2.24", False),
        (89, PathType.PXB, "2.27", True),
        (100, PathType.PXB, "2.24", False),
        (100, PathType.PXB, "2.25", True),
        (60, PathType.PXB, "2.27", False),
    ],
)
def test_ll128_runs_where_its_lines_arrive_whole(
    capability: int, inter_path: PathType, release: str, safe: bool
) -> None:
    graphs = NodeGraphs(ring=Channels(8, 24, 24, inter_path=inter_path))
    ranks = Ranks(ranks=32, nodes=4, compute_capability=capability, cpu="amd")
    offered = costs("all_reduce", graphs, ranks, parse_version(release))
    assert ("ll128" in {cost.protocol for cost in offered}) == safe


def test_unlike_gpus_share_ll128_from_hopper_and_2_30_on() -> None:
    mixed = Ranks(32, 4, 90, "intel", mixed_gpus=True)
    before, since = parse_version("2.29"), parse_version("2.30")
    assert cost_of("ring", "ll128", "all_reduce", H100_8X400, mixed, before) is None
    assert cost_of("ring", "ll128", "all_reduce", H100_8X400, mixed, since) is not None


def test_ll_across_nodes_is_bound_by_the_hosts_cpus() -> None:
    def ring_ll_GBps(cpu: Cpu, release: str = "2.27") -> float:
        ranks = Ranks(32, 4, 90, cpu)
        cost = cost_of("ring", "ll", "all_reduce", H100_8X400, ranks, parse_version(release))
        assert cost is not None
        return cost.GBps * 62 / 32

    assert ring_ll_GBps("intel") == pytest.approx(20.4)
    assert ring_ll_GBps("amd") == pytest.approx(19.0)
    assert ring_ll_GBps("mixed") == pytest.approx(19.0)
    assert ring_ll_GBps("mixed", "2.23") == pytest.approx(20.4)


def test_releases_older_than_blackwell_take_it_for_hopper() -> None:
    as_hopper = costs("all_reduce", H100_8X400, h100(4), parse_version("2.24"))
    on_b200 = costs("all_reduce", H100_8X400, b200(4), parse_version("2.24"))
    assert set(on_b200) == {cost for cost in as_hopper if cost.protocol != "ll128"}


@pytest.mark.parametrize(
    ("release", "GBps"),
    [
        ("2.25", 72.0),
        ("2.27", 72.0),
        ("2.28.3", 24.0),
    ],
)
def test_trees_on_many_blackwell_nodes_were_measured_for_2_28(release: str, GBps: float) -> None:
    graphs = NodeGraphs(ring=Channels(16, 90, 90), tree=Channels(16, 90, 90))
    cost = cost_of("tree", "simple", "all_reduce", graphs, b200(4), parse_version(release))
    assert cost is not None
    assert cost.GBps == pytest.approx(16 * GBps / 2)


@pytest.mark.parametrize(
    ("release", "GBps"),
    [
        ("2.28.3", 43.1),
        ("2.28.9", 43.8),
        ("2.29.7", 43.8),
        ("2.30.3", 48.0),  # the NIC, below the limit of 80
    ],
)
def test_nvls_trees_on_many_blackwell_nodes_grow_faster_with_each_release(
    release: str, GBps: float
) -> None:
    graphs = NodeGraphs(ring=Channels(8, 48, 48), nvls=Channels(8, 60, 48))
    version = parse_version(release)
    cost = cost_of("nvls_tree", "simple", "all_reduce", graphs, b200(4), version)
    assert cost is not None
    assert cost.GBps == pytest.approx(8 * GBps * 32 / 62)


@pytest.mark.parametrize(
    ("graphs", "ranks", "release", "expected"),
    [
        (H100_NODE, h100(1), "2.27", 24),
        (H100_8X400, h100(4), "2.27", 16),
        (A100_8X200, a100(4), "2.27", 16),
        (NodeGraphs(ring=Channels(2, 48, 48)), h100(4), "2.27", 8),
        (NodeGraphs(ring=Channels(20, 18, 18)), b200(1), "2.24", 32),
        (NodeGraphs(ring=Channels(20, 18, 18)), b200(1), "2.27", 40),
    ],
)
def test_nccl_runs_twice_the_channels_it_searched_or_more(
    graphs: NodeGraphs, ranks: Ranks, release: str, expected: int
) -> None:
    assert running_channels(graphs, ranks, parse_version(release)) == expected


def test_an_algorithm_or_a_protocol_can_be_forced() -> None:
    def forced(algorithm: str | None = None, *protocols: str) -> str:
        cost, _ = choose(
            *("all_reduce", H100_8X400, h100(4), MIB, V2_27_7),
            algorithms=None if algorithm is None else (algorithm,),
            protocols=protocols or None,
        )
        return f"{cost.algorithm}/{cost.protocol}"

    assert forced() == "tree/ll128"
    assert forced("ring") == "ring/ll128"
    assert forced(None, "simple") == "nvls_tree/simple"
    assert forced("ring", "ll") == "ring/ll"
    assert forced(None, "ll", "simple") == "nvls_tree/simple"


def test_forcing_what_nccl_cannot_run_is_refused_with_what_it_can() -> None:
    with pytest.raises(ValueError, match=r"2\.27\.7 cannot run broadcast with tree.*ring/ll128"):
        choose("broadcast", A100_8X200, a100(4), MIB, V2_27_7, algorithms=("tree",))


def test_fewer_than_two_ranks_run_no_collective() -> None:
    with pytest.raises(ValueError, match="at least 2 ranks, not 1"):
        Ranks(ranks=1, nodes=1, compute_capability=90, cpu="intel")
    with pytest.raises(ValueError, match="2 ranks cannot sit in 3 nodes"):
        Ranks(ranks=2, nodes=3, compute_capability=90, cpu="intel")


def test_a_message_has_no_negative_size() -> None:
    with pytest.raises(ValueError, match="-1 bytes"):
        choose("all_reduce", A100_NODE, a100(1), -1, V2_27_7)


def test_every_release_has_an_answer_for_every_cluster() -> None:
    everything = NodeGraphs(
        ring=Channels(8, 40, 24),
        tree=Channels(8, 40, 24, pattern="split"),
        nvls=Channels(1, 40, 24),
        collnet=Channels(1, 40, 24),
    )
    shapes = ((2, 1), (2, 2), (3, 2), (8, 1), (16, 2), (24, 3), (7, 7))
    for minor, capability, collective, (ranks, nodes) in product(
        LAST_PATCH, (60, 80, 90, 103), get_args(NcclCollective), shapes
    ):
        who = Ranks(ranks, nodes, capability, "mixed", collnet=True)
        version = parse_version(f"2.{minor}")
        offered = costs(collective, everything, who, version)
        assert all(cost.latency_us > 0 and cost.GBps > 0 for cost in offered)
        for size in (0, 1, 64, 3 * MIB, 64 * GIB):
            cost, us = choose(collective, everything, who, size, version)
            assert us == min(
                time_us(each, collective, everything, who, size, version) for each in offered
            )
            assert us >= cost.latency_us


def test_two_blackwell_nodes_are_bound_by_their_nics_from_2_31_on() -> None:
    graphs = NodeGraphs(ring=Channels(8, 90, 48), tree=Channels(8, 30, 24))

    def GBps(algorithm: Algorithm, ranks: Ranks, release: str) -> float:
        version = parse_version(release)
        cost = cost_of(algorithm, "simple", "all_reduce", graphs, ranks, version)
        assert cost is not None
        return cost.GBps

    # a ring of 16 ranks carries 30/16 of the bytes over each link
    assert GBps("ring", b200(2), "2.30") == pytest.approx(8 * 90 * 16 / 30)
    assert GBps("ring", b200(2), "2.31") == pytest.approx(8 * 48 * 16 / 30)
    assert GBps("ring", b200(1), "2.31") == pytest.approx(8 * 90 * 8 / 14)
    assert GBps("ring", h100(2), "2.31") == GBps("ring", h100(2), "2.30")
    # a tree reaches 0.92 of its channels, and carries all bytes up and down
    assert GBps("tree", b200(2), "2.30") == pytest.approx(8 * 30 * 0.92 / 2)
    assert GBps("tree", b200(2), "2.31") == pytest.approx(8 * 24 * 0.92 / 2)
    assert GBps("tree", h100(2), "2.31") == GBps("tree", h100(2), "2.30")


def test_pat_waits_for_the_nic_once_and_counts_its_slower_side_from_2_31_on() -> None:
    graphs = NodeGraphs(
        ring=Channels(2, 48, 24, PathType.LOC), tree=Channels(2, 48, 24, PathType.LOC)
    )
    two, eight = (Ranks(n, n, 90, "intel", nic_latency_us=7.0) for n in (2, 8))

    def pat(ranks: Ranks, release: str) -> tuple[float, float]:
        cost = cost_of("pat", "simple", "all_gather", graphs, ranks, parse_version(release))
        assert cost is not None
        return cost.latency_us, cost.GBps

    assert pat(two, "2.30")[1] == pytest.approx(0.75 * 2 * 48)
    assert pat(two, "2.31")[1] == pytest.approx(0.75 * 2 * 24)
    # 8 us to begin, three levels of 14 us and the NIC over 3.5, 2.8 us a rank
    assert pat(eight, "2.30")[0] == pytest.approx(8 + 3 * (14 + 14) / 3.5 + 8 * 2.8)
    assert pat(eight, "2.31")[0] == pytest.approx(8 + 3 * (14 + 7) / 3.5 + 8 * 2.8)


@pytest.mark.parametrize(
    ("release", "collective", "gpus", "each", "factor"),
    [
        ("2.30", "all_gather", 8, 64 * KIB, 1.0),
        ("2.31", "all_gather", 8, 63, 1.0),
        ("2.31", "all_gather", 8, 64, 1.4),
        ("2.31", "all_reduce", 8, 64 * KIB, 1.0),
        ("2.31", "broadcast", 8, 64 * KIB, 1.0),
        # a step more keeps a quarter of what is left of the way to 0.4
        ("2.32", "all_gather", 2, 64 * KIB, 1.0),
        ("2.32", "all_reduce", 2, 64 * KIB, 1 + 0.4 * (1 - 1 / 4)),
        ("2.32", "all_gather", 4, 64 * KIB, 1 + 0.4 * (1 - 1 / 16)),
        ("2.32", "all_reduce", 2, 384 * KIB, 1 + 0.35 * (1 - 1 / 4)),
        ("2.32", "all_reduce", 2, 4 * MIB, 1 + 0.3 * (1 - 1 / 4)),
        ("2.32", "reduce", 8, 64 * KIB, 1.0),
    ],
)
def test_rings_in_one_blackwell_domain_pay_their_latency_oftener_by_release(
    release: str, collective: NcclCollective, gpus: int, each: int, factor: float
) -> None:
    graphs = NodeGraphs(ring=Channels(16, 40, 40))
    ranks, version = Ranks(gpus, 1, 100, "intel"), parse_version(release)
    ring = cost_of("ring", "simple", collective, graphs, ranks, version)
    assert ring is not None
    size = each * running_channels(graphs, ranks, version) * gpus
    latency = time_us(ring, collective, graphs, ranks, size, version) - size / (1000 * ring.GBps)
    assert latency == pytest.approx(factor * ring.latency_us)


@pytest.mark.parametrize(
    ("release", "nodes", "gpus", "nic_GBps", "size", "share"),
    [
        ("2.30", 4, 4, 100.0, 256 * KIB, 1.0),
        ("2.31", 4, 4, 100.0, 256 * KIB, 0.5),
        ("2.31", 4, 4, 50.0, 256 * KIB, 1.0),
        ("2.31", 4, 8, 100.0, 256 * KIB, 1.0),
        ("2.31", 2, 4, 100.0, 256 * MIB, 0.9),
        ("2.31", 2, 4, 100.0, 512 * MIB, 1.0),
        ("2.31", 4, 4, 100.0, 512 * MIB, 0.9),
        ("2.32", 2, 4, 100.0, 32 * MIB, 0.7),
        ("2.32", 2, 4, 100.0, 64 * MIB, 1.0),
        ("2.32", 4, 4, 100.0, 64 * MIB, 0.8),
    ],
)
def test_nvls_trees_of_four_gpus_with_fast_nics_are_corrected_on_arm_too(
    release: str, nodes: int, gpus: int, nic_GBps: float, size: int, share: float
) -> None:
    ranks = Ranks(nodes * gpus, nodes, 100, "arm", nic_GBps=nic_GBps)
    version = parse_version(release)
    tree = cost_of("nvls_tree", "simple", "all_reduce", H100_8X400, ranks, version)
    assert tree is not None
    corrected = corrected_GBps(tree, "all_reduce", ranks, size, version)
    assert corrected / tree.GBps == pytest.approx(share)


def test_nvls_gathers_among_32_gpus_at_most() -> None:
    graphs = NodeGraphs(ring=Channels(16, 40, 40), nvls=Channels(32, 24, 24))

    def offered(collective: NcclCollective, gpus: int) -> set[str]:
        ranks = Ranks(gpus, 1, 100, "arm")
        return {c.algorithm for c in costs(collective, graphs, ranks, parse_version("2.27"))}

    assert "nvls" in offered("all_gather", 32)
    assert "nvls" not in offered("all_gather", 36)
    assert "nvls" not in offered("reduce_scatter", 72)
    assert "nvls" in offered("all_reduce", 72)


@pytest.mark.parametrize(
    ("release", "gpus", "nvswitch", "nic_per_rank", "expected"),
    [
        ("2.27", 16, True, True, {"collnet_chain"}),
        ("2.28.3", 16, True, True, set()),
        ("2.30", 4, True, False, {"collnet_direct", "collnet_chain"}),
        ("2.31", 4, True, False, set()),
        ("2.30", 4, False, True, {"collnet_chain"}),
        ("2.31", 4, False, True, {"collnet_direct", "collnet_chain"}),
        ("2.31", 16, True, True, set()),
    ],
)
def test_nodes_in_which_collnet_runs_differ_by_release(
    release: str, gpus: int, nvswitch: bool, nic_per_rank: bool, expected: set[str]
) -> None:
    graphs = NodeGraphs(ring=Channels(4, 24, 24), collnet=Channels(4, 24, 24))
    ranks = Ranks(
        *(4 * gpus, 4, 90, "intel"),
        nvswitch=nvswitch, collnet=True, nic_per_rank=nic_per_rank,
    )  # fmt: skip
    offered = costs("all_reduce", graphs, ranks, parse_version(release))
    assert {c.algorithm for c in offered} - {"ring"} == expected
