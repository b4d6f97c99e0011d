"""What networks beside RDMA, few GPUs and PCIe leave of a collective, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.measured.records import MeasuredCurve
from bench.measured.systems import as_design
from toposmith.analysis.analyse import analyse
from toposmith.analysis.prediction.calibration import (
    nvls_tree_fill_us,
    through_pcie_GBps,
)
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.labels import MODEL
from toposmith.nccl.nccl_version import parse_version
from toposmith.nccl.node import NcclNode, PathType

GIB = 2**30

RING = Request(message_bytes=64 * GIB, algorithm="ring", protocol="simple")


def asked(request: Request = RING, **said: object) -> Analysis:
    """Two nodes of eight H100 with eight 400 Gb/s NICs, but for what is said otherwise."""
    system = {
        "gpu": "H100-SXM5-80GB",
        "intra_node": "nvswitch",
        "nvlink_domain_gpus": 8,
        "gpus_per_node": 8,
        "gpus_used_per_node": 8,
        "nodes": 2,
        "pcie_gen": 5,
        "nics_per_node": 8,
        "nic_gbps": 400,
        "transport": "ib",
    } | said
    system["gpus"] = int(str(system["nodes"])) * int(str(system["gpus_used_per_node"]))
    found = as_design(MeasuredCurve("test", request.collective, system, ()))
    assert not isinstance(found, str), found
    return analyse(*found, request)


T4 = {"gpu": "T4", "intra_node": "pcie", "nvlink_domain_gpus": 1, "pcie_gen": 3}
ONE_GPU = {"gpus_per_node": 1, "gpus_used_per_node": 1, "nics_per_node": 1}


def test_a_hop_takes_what_the_wire_takes_and_not_what_the_tuner_is_told() -> None:
    # a tree over sixteen nodes goes four levels up and down, 14 us a hop at 200 Gb/s of EFA
    tiny = replace(RING, message_bytes=16, algorithm="tree", protocol="ll")
    rdma, efa = (asked(tiny, nodes=16, transport=over, nic_gbps=200) for over in ("ib", "efa-gdr"))
    assert (efa.time_us or 0) - (rdma.time_us or 0) == pytest.approx(8 * 14)
    old = asked(tiny, nodes=16, transport="efa-gdr", nic_gbps=100)
    assert (old.time_us or 0) - (rdma.time_us or 0) == pytest.approx(8 * 28)


@pytest.mark.parametrize("release", ["2.18", "2.30"])
@pytest.mark.parametrize("protocol", ["ll", "simple"])
def test_a_ring_pays_the_wire_once_a_crossing_whatever_runs(release: str, protocol: str) -> None:
    # two nodes of eight: each byte crosses four times while it goes around twice, less one step
    tiny = Request(
        message_bytes=16, version=parse_version(release), algorithm="ring", protocol=protocol
    )
    rdma, efa = (asked(tiny, transport=over, nic_gbps=200) for over in ("ib", "efa-gdr"))
    assert (efa.time_us or 0) - (rdma.time_us or 0) == pytest.approx(4 * 14)


def test_nccl_still_chooses_by_what_it_is_told_of_efa() -> None:
    middle = Request(message_bytes=16 * 2**20)
    told, silent = (asked(middle, nodes=4, transport=over) for over in ("efa-gdr", "ib"))
    assert (told.algorithm, told.protocol) != (silent.algorithm, silent.protocol)


def test_a_hop_over_sockets_takes_longer_than_over_rdma() -> None:
    tiny = replace(RING, message_bytes=16, protocol="ll")
    rdma, tcp = (asked(tiny, **ONE_GPU, transport=over) for over in ("roce", "tcp"))
    assert (tcp.time_us or 0) - (rdma.time_us or 0) == pytest.approx(2 * 22, abs=0.1)


@pytest.mark.parametrize(
    ("nics", "gbps", "gpus", "busbw_GBps"),
    [
        (1, 10, 1, 0.94 * 1.25),  # the line rate
        (1, 100, 1, 2.8),  # one GPU's copies; of two ranks busbw is what leaves a node
        (8, 100, 8, 4.0),  # all copies of a node
    ],
)
def test_over_tcp_the_cpu_copies_all_data(
    nics: int, gbps: int, gpus: int, busbw_GBps: float
) -> None:
    found = asked(
        transport="tcp", nics_per_node=nics, nic_gbps=gbps, gpus_per_node=gpus,
        gpus_used_per_node=gpus,
    )  # fmt: skip
    assert found.busbw_GBps == pytest.approx(busbw_GBps, rel=0.01)
    (finding,) = [one for one in found.findings if one.code == "tcp-sockets"]
    assert "2.8 GB/s a GPU and 4 a node" in finding.text


@pytest.mark.parametrize("over", ["roce", "ib"])
def test_the_same_nic_over_tcp_is_as_a_nic_that_has_nothing_else(over: str) -> None:
    rdma, tcp = (asked(replace(RING, tcp=each), transport=over) for each in (False, True))
    only = asked(transport="tcp")
    # without sockets NVLink holds: 18 x 20.6
    assert rdma.busbw_GBps == pytest.approx(18 * 20.6, rel=0.01)
    assert tcp.busbw_GBps == only.busbw_GBps == pytest.approx(4.0, rel=0.01)
    assert (tcp.time_us, tcp.busbw_label) == (only.time_us, only.busbw_label)
    assert "tcp-sockets" in {one.code for one in tcp.findings}


def test_over_tcp_no_switch_reduces_and_no_published_band_is_taken() -> None:
    sharp = asked(replace(RING, algorithm=None, protocol=None, sharp=True, tcp=True))
    assert "no-sharp" in {one.code for one in sharp.findings}
    assert sharp.band is None


def test_of_tcp_no_constant_is_known_that_holds_and_the_figure_says_so() -> None:
    asked_of = {"gpus_per_node": 8, "gpus_used_per_node": 8, "transport": "tcp"}
    held = asked(**asked_of, nics_per_node=1, nic_gbps=100)
    assert held.busbw_label.words == "model: uncertain: TCP by the CPU"
    assert "NCCL_SOCKET_NTHREADS" in held.busbw_label.why
    # a line of 10 Gb/s is slower than any CPU
    line = asked(**asked_of, nics_per_node=1, nic_gbps=10)
    assert "uncertain" not in line.busbw_label.words


@pytest.mark.parametrize(
    ("nics", "gbps", "algbw_GBps"),
    [
        (8, 200, 0.92 * 8 * 24),  # the NICs: two nodes send each other all data once
        (8, 400, 18 * 20.6 / 2),  # NVLink, past which all data go twice
    ],
)
def test_a_tree_of_two_nodes_fills_nics_or_nvlink(nics: int, gbps: int, algbw_GBps: float) -> None:
    tree = replace(RING, algorithm="tree", message_bytes=2**40)
    found = asked(tree, nics_per_node=nics, nic_gbps=gbps)
    assert found.busbw_GBps == pytest.approx(algbw_GBps * 2 * 15 / 16, rel=0.002)


def test_efa_does_not_reach_the_memory_of_gpus_before_a100() -> None:
    found = asked(**T4, **ONE_GPU, transport="efa-nogdr", nic_gbps=50)
    assert found.busbw_GBps == pytest.approx(2.8, rel=0.01)
    assert "efa-without-gpudirect" in {one.code for one in found.findings}
    later = asked(transport="efa-gdr")
    assert (later.busbw_GBps or 0) > 300
    assert not [one for one in later.findings if one.code.startswith("efa-")]


@pytest.mark.parametrize("gpus", [1, 2])
def test_of_few_gpus_a_ring_reaches_a_range_of_the_nics(gpus: int) -> None:
    gather = replace(RING, collective="all_gather")
    found = asked(
        gather,
        gpus_per_node=gpus,
        gpus_used_per_node=gpus,
        nics_per_node=gpus,
        nvlink_domain_gpus=gpus,
    )
    # the middle of what two public systems reached; NCCL counts on 48 of each NIC
    assert found.busbw_GBps == pytest.approx((0.71 + 0.94) / 2 * 48 * gpus, rel=0.01)
    assert found.busbw_label.of == "uncertain: public runs reach 0.71 to 0.94 of the NICs"
    four = asked(
        gather, gpus_per_node=4, gpus_used_per_node=4, nics_per_node=4, nvlink_domain_gpus=4
    )
    assert found.busbw_GBps is not None
    assert (four.busbw_GBps or 0) / 4 > found.busbw_GBps / gpus
    assert four.busbw_label == MODEL


@pytest.mark.parametrize(
    ("collective", "gpus", "busbw_GBps"),
    [
        ("all_to_all", 2, 345),  # one peer
        ("send_recv", 8, 345),
        ("all_to_all", 4, 18 * 40.1 * 3 / 3.5),  # three, side by side: NVLink, less the copy
    ],
)
def test_one_peer_in_a_node_gets_what_the_channels_to_it_carry(
    collective: str, gpus: int, busbw_GBps: float
) -> None:
    blackwell = {"gpu": "B200-SXM6", "nodes": 1, "gpus_per_node": 8, "gpus_used_per_node": gpus}
    large = Request(collective=collective, message_bytes=2**40)
    found = asked(large, **blackwell)
    assert found.busbw_GBps == pytest.approx(busbw_GBps, rel=0.005)


def test_pcie_of_a_later_generation_is_never_slower() -> None:
    # 0.45 of 15.75, 31.5 and 63 GB/s through the CPU
    eight = [NcclNode(8, 89, "intel", 0, False, x16, False, 1, 50, x16) for x16 in (12, 24, 48)]
    rates = [through_pcie_GBps(node, PathType.SYS) for node in eight]
    assert rates == pytest.approx([7.09, 14.2, 28.4], rel=0.01)
    # a switch, or the root complex for two GPUs alone, carries what a link does
    assert through_pcie_GBps(eight[2], PathType.PIX) == 48
    assert through_pcie_GBps(replace(eight[2], gpus=2), PathType.PHB) == 48


@pytest.mark.parametrize(("generation", "busbw_GBps"), [(3, 7.09), (4, 14.2), (5, 28.4)])
def test_four_gpus_on_one_socket_share_its_root_complex(generation: int, busbw_GBps: float) -> None:
    four = {"gpus_per_node": 4, "gpus_used_per_node": 4, "nodes": 1, "nics_per_node": 0}
    found = asked(**T4 | four | {"pcie_gen": generation, "transport": "none"})
    # six steps of four GPUs, and half a step of copying
    assert found.busbw_GBps == pytest.approx(busbw_GBps * 6 / 6.5, rel=0.01)


def test_the_pipeline_of_nvlstree_fills_by_the_root_of_the_message() -> None:
    # step x transfer of 12 us each: 2 sqrt(144); sixteen times the transfer takes four times that
    assert nvls_tree_fill_us(12) == pytest.approx(24)
    assert nvls_tree_fill_us(16 * 12) == pytest.approx(96)
    assert nvls_tree_fill_us(1e6) == nvls_tree_fill_us(2e6)
    sizes = (2**n for n in range(20, 36))
    curve = [asked(Request(message_bytes=size, algorithm="nvls_tree")) for size in sizes]
    times = [point.time_us or 0 for point in curve]
    assert times == sorted(times)
    rates = [point.busbw_GBps or 0 for point in curve]
    assert rates == sorted(rates)
