"""The ring of one node is that of NCCL's own channel search.

Figures come from the real search and tuner of NCCL 2.27.7, built without GPUs and run on nodes of
8 GPUs, NIC pairs on PCIe switches: busbw in GB/s at 16 GiB, where ring is the algorithm. Those are
all-gather figures with their latency in them, hence the half per cent below the channels' rate.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog import Catalog, Node, Pcie, PcieBranch, Slots, load_catalog
from topology.analysis.network import Network
from topology.analysis.node_ring import (
    NodeRates,
    NodeRing,
    node_rates,
    pcie_nccl_GBps,
    ring_of,
    slowest_ring,
)
from topology.design.reading import parse_design
from topology.fabric.planning import plan_design

CATALOG = load_catalog()

A100, H100, B200 = 240.0, 370.8, 721.8
"""What NCCL counts on per GPU and direction: 12 x 20, 18 x 20.6, 18 x 40.1."""


def nvswitch(nvlink: float, nics: int = 0, gbit: float = 0, slot: float = 0) -> NodeRates:
    """Eight GPUs on an NVSwitch with so many NICs of this line rate, in slots of this rate."""
    capability = {A100: 80, H100: 90, B200: 100}[nvlink]
    pcie = {A100: 24.0, H100: 48.0, B200: 48.0}[nvlink]
    return NodeRates(
        gpus=8,
        compute_capability=capability,
        nvlink=nvlink,
        pcie=pcie,
        socket=16.0,
        nics=nics,
        nic=gbit / 8,
        slot=slot or pcie,
        nic_sockets=min(2, nics),
    )


def ring(rates: NodeRates, *, one_node: bool = False) -> NodeRing:
    found = ring_of(rates, one_node=one_node)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rates", "channels", "speed", "nccl"),
    [
        (nvswitch(A100, 8, 200), 8, 24, 191.5),
        (nvswitch(A100, 8, 100), 8, 12, 95.9),
        (nvswitch(A100, 4, 200), 4, 24, 95.9),
        (nvswitch(A100, 4, 100), 4, 12, 48.0),
        (nvswitch(A100, 1, 200), 1, 24, 24.0),
        (nvswitch(A100, 1, 100), 1, 12, 12.0),
        (nvswitch(A100, 1, 25), 1, 3, 3.0),
        (nvswitch(A100, 1, 10), 1, 1.2, 1.2),
        (nvswitch(A100, 8, 200, slot=12), 8, 12, 95.9),  # NICs in PCIe 3 slots
        (nvswitch(H100, 8, 400), 8, 48, 382.7),
        (nvswitch(H100, 8, 200), 8, 24, 191.7),
        (nvswitch(H100, 4, 400), 8, 24, 191.7),  # 4 x 48, doubled and halved
        (nvswitch(H100, 1, 400), 2, 24, 48.0),
        (nvswitch(H100, 1, 200), 1, 24, 24.0),
    ],
    ids=lambda value: (
        f"{value.nvlink:g} NVLink, {value.nics} x {value.nic * 8:g}G, slot {value.slot:g}"
        if isinstance(value, NodeRates)
        else ""
    ),
)
def test_nodes_with_nvswitch_leave_at_nccls_channels(
    rates: NodeRates, channels: int, speed: float, nccl: float
) -> None:
    found = ring(rates)
    assert found == NodeRing(channels, speed)
    assert found.busbw_GBps == pytest.approx(nccl, rel=0.005)
    assert found.busbw_GBps >= nccl - 0.05


@pytest.mark.parametrize(
    ("nvlink", "channels", "speed", "nccl"),
    [(A100, 12, 20, 239.9), (H100, 12, 30, 359.7), (B200, 16, 45, 718.9)],
    ids=["A100", "H100", "B200"],
)
def test_one_node_runs_at_nccls_channels_over_nvlink(
    nvlink: float, channels: int, speed: float, nccl: float
) -> None:
    found = ring(nvswitch(nvlink), one_node=True)
    assert found == NodeRing(channels, speed)
    assert found.busbw_GBps == pytest.approx(nccl, rel=0.002)


def test_a_b200_node_leaves_at_48_a_nic() -> None:
    # the 400G NIC (50) and PCIe 5 (48) bind long before NVLink does: 8 x 48
    assert ring(nvswitch(B200, 8, 400)) == NodeRing(8, 48)


def test_nics_do_not_help_inside_a_node() -> None:
    alone = ring(nvswitch(H100), one_node=True)
    assert ring(nvswitch(H100, 1, 100), one_node=True) == alone


def pcie_only(socket: float, *, nics: int = 0, nic_sockets: int = 0) -> NodeRates:
    """Eight A100 PCIe on two sockets, with 200G NICs."""
    return NodeRates(8, 80, 0.0, 24.0, socket, nics, 25.0, 24.0, nic_sockets)


@pytest.mark.parametrize(
    ("socket", "nccl"),
    [(16, 15), (22, 20), (10, 10)],
    ids=["AMD", "Sapphire Rapids", "Skylake"],
)
def test_without_nvlink_the_way_between_the_sockets_holds_the_ring(
    socket: float, nccl: float
) -> None:
    assert ring(pcie_only(socket), one_node=True) == NodeRing(1, nccl)
    assert ring(pcie_only(socket, nics=1, nic_sockets=1)) == NodeRing(1, nccl)


def test_with_nics_on_both_sockets_two_chains_cross_once_each() -> None:
    found = ring(pcie_only(10, nics=2, nic_sockets=2))
    assert found == NodeRing(2, 10)
    assert found.busbw_GBps == 20


def test_two_chains_share_the_pcie_link_of_every_gpu() -> None:
    # between fast sockets the 24 of a x16 slot binds, whether for one chain or two of 12
    assert ring(pcie_only(40, nics=2, nic_sockets=2)).busbw_GBps == 24


def test_without_nvlink_a_slow_nic_holds_the_ring() -> None:
    slow = replace(pcie_only(22, nics=1, nic_sockets=1), nic=12.5)
    assert ring(slow) == NodeRing(1, 12)


def test_a_node_without_a_nic_has_no_ring_out() -> None:
    assert ring_of(nvswitch(A100), one_node=False) is None


def test_a_single_gpu_has_no_ring_inside_and_one_out() -> None:
    single = replace(nvswitch(A100, 1, 200), gpus=1, nvlink=0.0)
    assert ring_of(single, one_node=True) is None
    assert ring(single) == NodeRing(1, 24)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # A100 with 8 x HDR (8 x 24) and H100 with 8 x NDR (8 x 48)
        (nvswitch(A100, 8, 200), nvswitch(H100, 8, 400), NodeRing(8, 24)),
        # 8 x 24 and one NIC of 100G (1 x 12)
        (nvswitch(A100, 8, 200), nvswitch(A100, 1, 100), NodeRing(1, 12)),
        # 8 x 12 and 4 x 24: the fewest channels at the slowest speed, less than either
        (nvswitch(A100, 8, 100), nvswitch(A100, 4, 200), NodeRing(4, 12)),
        (nvswitch(A100, 4, 200), nvswitch(A100, 4, 200), NodeRing(4, 24)),
    ],
)
def test_one_weak_node_holds_all_others(
    first: NodeRates, second: NodeRates, expected: NodeRing
) -> None:
    assert slowest_ring([first, second], one_node=False) == expected
    assert slowest_ring([second, first], one_node=False) == expected


def test_no_node_has_no_ring() -> None:
    assert slowest_ring([], one_node=False) is None


@pytest.mark.parametrize(
    ("generation", "width", "nccl"),
    [(3, 16, 12), (4, 16, 24), (5, 16, 48), (6, 16, 96), (4, 8, 12), (5, 8, 24)],
)
def test_pcie_is_counted_as_nccl_counts_it(generation: int, width: int, nccl: float) -> None:
    assert pcie_nccl_GBps(Pcie(generation=generation, width=width)) == nccl


def rates_of(
    part: str, nic: str | None = None, count: int = 0, catalog: Catalog = CATALOG
) -> NodeRates:
    """The rates of a node wired to one switch."""
    fitted = f", nics: {{compute: {{part: {nic}, count: {count}}}}}" if nic else ""
    text = (
        f"toposmith: 1\ngroups: {{node: {{part: {part}{fitted}}}, leaf: {{part: sn5600}}}}\n"
        "links: [{between: [node.compute, leaf], cables: 1}]\n"
    )
    network = Network(plan_design(parse_design(text, "test"), catalog))
    (group,) = network.world.groups
    assert group.node is not None
    return node_rates(network, group, catalog.gpu(group.node.gpu))


def test_rates_of_a_dgx_h100_are_those_that_nccl_logs() -> None:
    # an H20 of the same board logs PCI[48.0], NVL[370.8], NET[50.0] (NCCL issue 1189)
    rates = rates_of("dgx-h100")
    assert rates.nvlink == pytest.approx(370.8)
    assert (rates.pcie, rates.nic, rates.slot) == (48, 50, 48)
    assert (rates.gpus, rates.nics, rates.nic_sockets) == (8, 8, 2)


def test_rates_of_an_a100_node_with_one_dual_port_nic() -> None:
    # 2 x 200G on PCIe 4: 50 GB/s of ports behind a slot of 24
    rates = rates_of("hgx-a100-8", "connectx-6-hdr-2p", 1)
    assert rates.nvlink == 240
    assert (rates.nics, rates.nic, rates.slot, rates.nic_sockets) == (1, 50, 24, 1)
    assert ring(rates).busbw_GBps == 24


def test_a_nic_in_an_older_slot_runs_at_the_slot_s_generation() -> None:
    assert rates_of("hgx-a100-8", "connectx-7-ndr", 8).slot == 24
    assert rates_of("hgx-h100-8", "connectx-6-200gbe", 8).slot == 24


def test_four_gpus_in_a_mesh_have_all_their_nvlinks() -> None:
    # 4 links to each of three others: 12 x 20, as behind an NVSwitch
    assert rates_of("hgx-a100-4", "connectx-6-200gbe", 4).nvlink == 240


def test_gpus_without_nvlink_between_all_of_them_count_as_pcie_only() -> None:
    rates = rates_of("a100-pcie-4", "connectx-6-200gbe", 2)
    assert (rates.nvlink, rates.socket, rates.nic_sockets) == (0, 16, 2)


def test_gpus_on_one_socket_do_not_cross_sockets() -> None:
    box = Node(
        id="box",
        name="box",
        vendor="test",
        source="made for the tests",
        gpu="a100-pcie-80gb",
        gpus=4,
        sockets=2,
        cpu_vendor="amd",
        branches=(PcieBranch(socket=0, gpus=(0, 1, 2, 3), slots={"compute": (0,)}),),
        slots={"compute": Slots(count=1, pcie=Pcie(generation=4))},
    )
    rates = rates_of("box", "connectx-6-200gbe", 1, Catalog([*CATALOG, box]))
    assert rates.socket is None
    two = box.model_copy(
        update={
            "branches": (
                PcieBranch(socket=0, gpus=(0, 1), slots={"compute": (0,)}),
                PcieBranch(socket=1, gpus=(2, 3)),
            )
        }
    )
    assert rates_of("box", "connectx-6-200gbe", 1, Catalog([*CATALOG, two])).socket == 16
