"""What the software of a network leaves to NCCL, as its documents say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.prediction.test_transports import asked
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.prediction.plugins import leave
from toposmith.analysis.request import Request
from toposmith.catalog.parts import Transport
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS

MIB = 2**20

SMALL = Request(message_bytes=MIB)

A100 = {"gpu": "A100-SXM4-40GB", "pcie_gen": 4, "nics_per_node": 4, "nic_gbps": 100}


@pytest.mark.parametrize(
    ("over", "gpudirect", "capability", "nccl", "protocols", "algorithms"),
    [
        ("efa", True, 80, (2, 30), ("simple",), ALGORITHMS),  # P4d
        ("efa", True, 90, (2, 30), PROTOCOLS, ALGORITHMS),  # P5
        ("efa", False, 90, (2, 30), ("simple",), ALGORITHMS),
        ("slingshot", True, 90, (2, 30), ("ll", "simple"), ALGORITHMS),
        ("slingshot", False, 90, (2, 30), ("simple",), ALGORITHMS),
        ("tcpx", True, 90, (2, 19), ("simple",), ("tree", "ring")),
        ("tcpxo", True, 90, (2, 21), ("simple",), ("tree", "ring")),
        ("tcpxo", True, 90, (2, 23), ("ll128", "simple"), ("tree", "ring")),
        ("tcpxo", True, 90, (2, 26), ("ll128", "simple"), ALGORITHMS),
    ],
)
def test_protocols_are_those_that_the_plugin_leaves(
    over: Transport,
    gpudirect: bool,
    capability: int,
    nccl: tuple[int, int],
    protocols: tuple[str, ...],
    algorithms: tuple[str, ...],
) -> None:
    found = leave(
        (over,), gpudirect=gpudirect, compute_capability=capability, version=NcclVersion(*nccl)
    )
    assert found is not None
    assert (found.protocols, found.algorithms) == (protocols, algorithms)


@pytest.mark.parametrize("over", ["infiniband", "roce", "tcp"])
def test_nccl_drives_its_own_networks_as_it_likes(over: Transport) -> None:
    said = {"gpudirect": True, "compute_capability": 80, "version": NcclVersion(2, 30)}
    assert leave((over,), **said) is None  # type: ignore[arg-type]
    assert leave((), **said) is None  # type: ignore[arg-type]


def test_two_networks_leave_what_both_do() -> None:
    both = leave(
        ("slingshot", "tcpxo"), gpudirect=True, compute_capability=90, version=NcclVersion(2, 30)
    )
    assert both is not None
    assert both.protocols == ("simple",)


def test_p4d_runs_simple_where_the_same_nodes_over_infiniband_run_ll128() -> None:
    efa, rdma = (asked(SMALL, **A100, transport=over) for over in ("efa-gdr", "ib"))
    assert (efa.protocol, rdma.protocol) == ("simple", "ll128")
    (assumed,) = [one for one in efa.assumed if one.id == "protocol"]
    assert (assumed.words, assumed.option) == ("Simple (aws-ofi-nccl)", "--with protocol=")
    assert "protocol" not in {one.id for one in rdma.assumed}


def test_asking_for_protocols_takes_the_plugin_out() -> None:
    everything = replace(SMALL, protocol="ll,ll128,simple")
    found = asked(everything, **A100, transport="efa-gdr")
    assert found.protocol == "ll128"
    assert "protocol" not in {one.id for one in found.assumed}


def test_what_a_plugin_leaves_holds_inside_nodes_too() -> None:
    whole = Request(message_bytes=256 * MIB)
    inside = replace(whole, job=replace(whole.job, layout=parse_layout("tp=8,dp=2"), kind="tp"))
    assert asked(inside, nodes=2, transport="ib").algorithm == "nvls"
    held = asked(inside, nodes=2, nics_per_node=4, nic_gbps=200, transport="gpudirect-tcpx")
    assert (held.algorithm, held.protocol) == ("ring", "simple")
    assert {"protocol", "algorithm"} <= {one.id for one in held.assumed}
