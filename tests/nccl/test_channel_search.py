"""The channels that NCCL's search finds, and what its tuner makes of them.

Figures are those of the real search and tuner of NCCL 2.27.7, built without GPUs and run on nodes
of 8 GPUs with two GPUs and their NICs on a PCIe switch.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import pytest

from tests.nccl.nodes import dgx_1, nvswitch, pcie_only
from toposmith.nccl.channel_packing import node_graphs, weakest
from toposmith.nccl.closed_form import _through_mesh
from toposmith.nccl.constants import nvlink_GBps
from toposmith.nccl.nccl_version import NcclVersion, parse_version
from toposmith.nccl.node import Channels, NcclNode, NodeGraphs, PathType
from toposmith.nccl.tuner import Ranks, choose

V = parse_version("2.27.7")
SIZE = 16 * 2**30


def graphs(node: NcclNode, *, one_node: bool = False, version: NcclVersion = V) -> NodeGraphs:
    found = node_graphs(node, version, one_node=one_node)
    assert found is not None
    return found


def shape(channels: Channels | None) -> tuple[int, float, float]:
    assert channels is not None
    return channels.count, channels.intra_GBps, channels.inter_GBps


@pytest.mark.parametrize(
    ("node", "channels", "speed"),
    [
        (nvswitch(80, 8, 200), 8, 24),
        (nvswitch(80, 8, 100), 8, 12),
        (nvswitch(80, 4, 200), 4, 24),
        (nvswitch(80, 4, 100), 4, 12),
        (nvswitch(80, 1, 200), 1, 24),
        (nvswitch(80, 1, 100), 1, 12),
        (nvswitch(80, 1, 25), 1, 3),
        (nvswitch(80, 1, 10), 1, 1.2),
        (nvswitch(80, 8, 200, generation=3), 8, 12),  # NICs in PCIe 3 slots
        (nvswitch(90, 8, 400), 8, 48),
        (nvswitch(90, 8, 200), 8, 24),
        (nvswitch(90, 4, 400), 8, 24),  # 4 x 48, doubled and halved
        (nvswitch(90, 1, 400), 2, 24),
        (nvswitch(90, 1, 200), 1, 24),
    ],
)
def test_rings_leave_a_node_at_the_channels_of_its_nics(
    node: NcclNode, channels: int, speed: float
) -> None:
    assert shape(graphs(node).ring) == (channels, speed, speed)


@pytest.mark.parametrize(
    ("capability", "channels", "speed"), [(80, 12, 20), (90, 12, 30), (100, 16, 45)]
)
def test_rings_inside_a_node_take_all_of_nvlink(
    capability: int, channels: int, speed: float
) -> None:
    ring = graphs(nvswitch(capability), one_node=True).ring
    assert shape(ring) == (channels, speed, speed)


def test_trees_go_faster_inside_the_node_than_between_nodes() -> None:
    assert shape(graphs(nvswitch(80, 8, 200)).tree) == (8, 30, 24)
    assert shape(graphs(nvswitch(80, 1, 100)).tree) == (1, 24, 12)
    assert shape(graphs(nvswitch(90, 8, 400)).tree) == (8, 48, 48)
    assert shape(graphs(nvswitch(80), one_node=True).tree) == (12, 20, 20)


def test_nvswitches_reduce_on_eight_heads_from_hopper_on() -> None:
    assert graphs(nvswitch(80, 8, 200)).nvls is None
    assert shape(graphs(nvswitch(90), one_node=True).nvls) == (8, 40, 60)
    assert shape(graphs(nvswitch(90, 8, 400)).nvls) == (8, 40, 48)
    old = graphs(nvswitch(90), one_node=True, version=parse_version("2.18.6"))
    assert shape(old.nvls) == (8, 40, 40)


def test_a_hopper_gpu_with_a_pcie_switch_to_itself_hangs_its_tree_on_one_gpu() -> None:
    tree = graphs(nvswitch(90, 8, 400, own_switch=True)).tree
    assert tree is not None
    assert tree.pattern == "tree"
    shared = graphs(nvswitch(90, 8, 400)).tree
    assert shared is not None
    assert shared.pattern == "balanced"


@pytest.mark.parametrize(
    ("capability", "nics", "gbit", "two", "four", "sixteen"),
    [
        (80, 8, 200, 191.7, 191.3, 189.3),
        (80, 8, 100, 165.5, 95.8, 95.3),
        (80, 4, 200, 95.9, 95.8, 95.3),
        (80, 4, 100, 82.8, 48.0, 47.8),
        (80, 1, 200, 24.0, 24.0, 24.0),
        (80, 1, 100, 20.7, 12.0, 12.0),
        (80, 1, 25, 5.2, 3.0, None),
        (80, 1, 10, 2.1, 1.2, None),
        (90, 8, 400, 499.6, 382.2, 376.9),
        (90, 8, 200, 310.2, 191.6, 190.2),
        (90, 4, 400, 310.2, 191.6, 190.2),
        (90, 1, 400, 77.6, 48.0, 47.9),
        (90, 1, 200, 38.8, 24.0, 24.0),
    ],
)
def test_search_and_tuner_together_give_nccls_own_busbw(
    capability: int, nics: int, gbit: int, two: float, four: float, sixteen: float | None
) -> None:
    node = nvswitch(capability, nics, gbit)
    for nodes, expected in ((2, two), (4, four), (16, sixteen)):
        if expected is None:
            continue
        ranks = Ranks(8 * nodes, nodes, capability, node.cpu, nic_per_rank=nics >= 8)
        _, time = choose("all_reduce", graphs(node), ranks, SIZE, V)
        busbw = SIZE / time / 1000 * 2 * (ranks.ranks - 1) / ranks.ranks
        assert busbw == pytest.approx(expected, abs=0.06)


def test_one_b200_node_all_gathers_at_719() -> None:
    ranks = Ranks(8, 1, 100, "intel")
    _, time = choose("all_gather", graphs(nvswitch(100), one_node=True), ranks, SIZE, V)
    assert SIZE / time / 1000 * 7 / 8 == pytest.approx(718.9, abs=0.06)


def test_nics_do_not_help_inside_a_node() -> None:
    alone = graphs(nvswitch(90), one_node=True)
    assert graphs(nvswitch(90, 1, 100), one_node=True) == alone


@pytest.mark.parametrize(
    ("cpu", "socket", "nccl"),
    [("amd", 16, 15), ("intel", 22, 20), ("intel", 10, 10)],
    ids=["AMD", "Sapphire Rapids", "Skylake"],
)
def test_gpus_without_nvlink_are_held_by_the_way_between_sockets(
    cpu: str, socket: float, nccl: float
) -> None:
    assert shape(graphs(pcie_only(cpu, socket), one_node=True).ring) == (1, nccl, nccl)
    assert shape(graphs(pcie_only(cpu, socket, (0,))).ring) == (1, nccl, nccl)


def test_nics_on_both_sockets_let_two_chains_cross_once_each() -> None:
    assert shape(graphs(pcie_only("intel", 10, (0, 1))).ring) == (2, 10, 10)


def test_paths_through_the_cpu_are_told() -> None:
    ring = graphs(pcie_only("amd", 16, (0,))).ring
    assert ring.intra_path is PathType.SYS
    assert ring.inter_path >= PathType.PHB


def test_six_rings_of_20_fill_a_dgx_1() -> None:
    # six NVLinks of 20 GB/s each, packed link by link
    assert shape(graphs(dgx_1(), one_node=True).ring) == (6, 20, 20)


def test_what_hangs_beside_the_gpus_does_not_change_their_rings() -> None:
    bare = replace(dgx_1(), wires=tuple(w for w in dgx_1().wires if w.tier == "nvlink"))
    assert shape(graphs(bare, one_node=True).ring) == (6, 20, 20)


def test_four_gpus_in_a_mesh_fill_their_links_with_six_rings() -> None:
    # 3 x 80 GB/s to each GPU: six rings of 40, which NCCL runs as twelve of 20
    mesh = replace(nvswitch(80, gpus=4), switched=False)
    assert shape(graphs(mesh, one_node=True).ring) == (12, 20, 20)


def test_a_node_that_cannot_be_left_has_no_channels() -> None:
    assert node_graphs(nvswitch(80), V, one_node=False) is None
    assert node_graphs(nvswitch(80, 8, 0), V, one_node=False) is None


def test_a_gpu_alone_has_nobody_to_ring_with() -> None:
    single = nvswitch(80, 1, 200, gpus=1)
    assert node_graphs(single, V, one_node=True) is None
    assert shape(graphs(single).ring) == (1, 24, 24)


def test_one_weak_node_holds_all_others() -> None:
    fast, slow = graphs(nvswitch(90, 8, 400)), graphs(nvswitch(80, 1, 100))
    together = weakest([fast, slow])
    assert shape(together.ring) == (1, 12, 12)
    assert together.nvls is None
    assert weakest([slow, fast]).ring == together.ring


@pytest.mark.parametrize(
    ("version", "speed"), [("2.18", 24), ("2.19", 24), ("2.27", 24), ("2.30", 24)]
)
def test_every_release_rings_through_200g_nics_alike(version: str, speed: float) -> None:
    found = graphs(nvswitch(90, 8, 200), version=parse_version(version))
    assert shape(found.ring) == (8, speed, speed)


def test_an_older_release_counts_less_per_nvlink() -> None:
    assert nvlink_GBps(90, parse_version("2.18")) == 20.0
    assert nvlink_GBps(90, parse_version("2.20")) == 20.6
    assert nvlink_GBps(100, parse_version("2.26")) == 40.0
    assert nvlink_GBps(103, parse_version("2.30")) == 40.1
    assert nvlink_GBps(80, V) == 20.0


@pytest.mark.parametrize("text", ["2.27.7", "v2.27.7-1", "2.27", " 2.27 "])
def test_a_release_is_read_as_people_write_it(text: str) -> None:
    assert parse_version(text) == (2, 27, 7)


def test_a_patch_after_the_last_that_is_described_is_refused() -> None:
    with pytest.raises(ValueError, match=r"later than 2\.30\.7"):
        parse_version("2.30.99")


@pytest.mark.parametrize("text", ["", "2.17", "2.33", "3.0", "27", "2.x", "2.27.7.1"])
def test_a_release_that_is_not_described_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"from 2\.18 to 2\.32"):
        parse_version(text)


@pytest.mark.parametrize("per_pair", [1, 2, 3])
def test_rings_through_a_mesh_of_four_are_as_many_as_fit_one_beside_another(per_pair: int) -> None:
    """Every choice of Hamiltonian cycles that takes each directed link as often as it is there."""
    cycles = [tuple(zip((0, *rest), (*rest, 0), strict=True)) for rest in permutations(range(1, 4))]
    most = max(
        sum(times)
        for times in product(range(per_pair + 1), repeat=len(cycles))
        if all(
            sum(many for many, cycle in zip(times, cycles, strict=True) if link in cycle)
            <= per_pair
            for link in permutations(range(4), 2)
        )
    )
    mesh = replace(nvswitch(80, gpus=4), switched=False)
    assert _through_mesh(mesh, 0.999 * mesh.pair_GBps / per_pair) == most
