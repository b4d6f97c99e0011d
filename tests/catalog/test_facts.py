"""The parts that come with the program say what their makers publish. Values by hand."""

from __future__ import annotations

import pytest

from catalog import (
    AnyPart,
    Cable,
    Catalog,
    Fibre,
    Node,
    Switch,
    Transceiver,
    check_part,
    load_catalog,
)

CATALOG = load_catalog()
PARTS = list(CATALOG)


@pytest.fixture
def catalog() -> Catalog:
    return CATALOG


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_every_part_passes_its_checks(part: AnyPart) -> None:
    assert check_part(part, CATALOG) == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_every_part_names_a_source_that_a_stranger_can_look_up(part: AnyPart) -> None:
    citations = [part.source, *part.sources.values()]
    # A bare key such as "RA-H100" would mean nothing to them.
    assert all("." in text or " " in text for text in citations)


@pytest.mark.parametrize(
    ("gpu", "links", "one_way_GBps"),
    [
        ("a100-sxm4-40gb", 12, 300),
        ("a100-sxm4-80gb", 12, 300),
        ("a100-pcie-80gb", 12, 300),
        ("h100-sxm5", 18, 450),
        ("h200-sxm5", 18, 450),
        ("b200-sxm", 18, 900),
    ],
)
def test_nvlink_figures_are_one_direction(
    catalog: Catalog, gpu: str, links: int, one_way_GBps: int
) -> None:
    port = catalog.gpu(gpu).nvlink
    assert port is not None
    assert port.links == links
    assert port.links * port.GBps_per_link == one_way_GBps


def test_tensor_rates_are_dense_not_sparse(catalog: Catalog) -> None:
    assert catalog.gpu("h100-sxm5").bf16_dense_tflops == 989.4  # 1,979 is the sparse figure


@pytest.mark.parametrize(
    ("nic", "ports", "speed_gbit", "cage", "pcie"),
    [
        ("connectx-5-100gbe", 1, 100, "qsfp28", 3),
        ("connectx-5-edr", 1, 100, "qsfp28", 3),
        ("connectx-6-dx-100gbe", 1, 100, "qsfp56", 4),
        ("connectx-6-200gbe", 1, 200, "qsfp56", 4),
        ("connectx-6-hdr100", 1, 100, "qsfp56", 4),
        ("connectx-6-hdr", 1, 200, "qsfp56", 4),
        ("connectx-7-ndr200", 1, 200, "osfp", 5),
        ("connectx-7-ndr", 1, 400, "osfp", 5),
        ("connectx-7-ndr-dgx", 1, 400, "osfp", 5),
    ],
)
def test_nics_have_the_ports_that_their_names_promise(
    catalog: Catalog, nic: str, ports: int, speed_gbit: int, cage: str, pcie: int
) -> None:
    part = catalog.nic(nic)
    assert (part.ports, part.speed_gbit, part.cage) == (ports, speed_gbit, cage)
    assert (part.pcie.generation, part.pcie.width) == (pcie, 16)


def test_hdr_is_200_gbit_per_port_and_hdr100_is_100(catalog: Catalog) -> None:
    assert catalog.nic("connectx-6-hdr").speed_gbit == 200
    assert catalog.nic("connectx-6-hdr100").speed_gbit == 100
    for switch in ("qm8700", "qm8790"):
        assert catalog.switch(switch).native.speed_gbit == 200


def test_ethernet_only_nics_do_not_claim_infiniband(catalog: Catalog) -> None:
    for nic in ("connectx-5-100gbe", "connectx-6-dx-100gbe", "connectx-6-200gbe"):
        assert catalog.nic(nic).protocols == ("ethernet",)


@pytest.mark.parametrize(
    ("switch", "ports", "speed_gbit", "capacity_gbit"),
    [
        ("sb7800", 36, 100, 3_600),
        ("qm8700", 40, 200, 8_000),
        ("qm8790", 40, 200, 8_000),
        ("qm9700", 64, 400, 25_600),
        ("qm9790", 64, 400, 25_600),
        ("q3400-ra", 144, 800, 115_200),
        ("sn2700", 32, 100, 3_200),
        ("sn3700", 32, 200, 6_400),
        ("sn4600c", 64, 100, 6_400),
        ("sn4700", 32, 400, 12_800),
        ("sn5600", 64, 800, 51_200),
    ],
)
def test_switches_have_their_radix_and_their_one_way_capacity(
    catalog: Catalog, switch: str, ports: int, speed_gbit: int, capacity_gbit: int
) -> None:
    part = catalog.switch(switch)
    assert (part.ports, part.native.speed_gbit) == (ports, speed_gbit)
    assert part.capacity_gbit == capacity_gbit


def radix_at(switch: Switch, speed_gbit: int) -> int:
    mode = switch.mode_for(speed_gbit)
    return switch.cages.count * mode.ports if mode else 0


def test_qm9700_offers_64_ndr_ports_or_128_ndr200_ports(catalog: Catalog) -> None:
    switch = catalog.switch("qm9700")
    assert switch.cages.count == 32
    assert radix_at(switch, 400) == 64
    assert radix_at(switch, 200) == 128


def test_qm8700_offers_40_hdr_ports_or_80_hdr100_ports(catalog: Catalog) -> None:
    switch = catalog.switch("qm8700")
    assert radix_at(switch, 200) == 40
    assert radix_at(switch, 100) == 80


def test_sn5600_offers_64_ports_of_800_128_of_400_or_256_of_200(catalog: Catalog) -> None:
    switch = catalog.switch("sn5600")
    assert [radix_at(switch, speed) for speed in (800, 400, 200)] == [64, 128, 256]


def test_ethernet_switches_do_not_claim_sharp(catalog: Catalog) -> None:
    switches = [part for part in catalog if isinstance(part, Switch)]
    assert not any(switch.sharp for switch in switches if switch.protocol == "ethernet")
    assert all(switch.sharp for switch in switches if switch.protocol == "infiniband")


def shared_with(node: Node, gpu: int) -> tuple[int, ...]:
    """Compute slots on the PCIe switch of a GPU."""
    branch = next(branch for branch in node.branches if gpu in branch.gpus)
    return branch.slots.get("compute", ()) if branch.switch else ()


def test_dgx_a100_pairs_two_gpus_with_two_hdr_nics_on_each_pcie_switch(catalog: Catalog) -> None:
    node = catalog.node("dgx-a100")
    assert shared_with(node, 0) == shared_with(node, 1) == (0, 1)
    assert shared_with(node, 6) == shared_with(node, 7) == (6, 7)
    assert node.slots["compute"].nic == "connectx-6-hdr"
    assert node.slots["compute"].fitted == 8
    assert (node.rack_units, node.power_w) == (6, 6500)


def test_dgx_h100_gives_each_gpu_its_own_nic(catalog: Catalog) -> None:
    node = catalog.node("dgx-h100")
    assert [shared_with(node, gpu) for gpu in range(8)] == [(gpu,) for gpu in range(8)]
    assert (node.rack_units, node.power_w) == (8, 10_200)


def test_the_eight_nics_of_a_dgx_h100_leave_through_four_cages(catalog: Catalog) -> None:
    cages = catalog.node("dgx-h100").slots["compute"].cages
    assert len(cages) == 4
    assert cages["OSFP4"] == (3, 0)  # port 1 serves GPU 3, port 2 GPU 0
    assert cages["OSFP1"] == (7, 4)


@pytest.mark.parametrize(
    ("node", "nvswitches"), [("dgx-a100", 6), ("dgx-h100", 4), ("dgx-h200", 4), ("dgx-b200", 2)]
)
def test_dgx_nodes_have_the_nvswitches_of_their_generation(
    catalog: Catalog, node: str, nvswitches: int
) -> None:
    fabric = catalog.node(node).nvlink
    assert fabric is not None
    assert (fabric.shape, fabric.switches) == ("nvswitch", nvswitches)


def test_four_a100_of_hgx_are_meshed_with_four_links_a_pair(catalog: Catalog) -> None:
    node = catalog.node("hgx-a100-4")
    fabric, port = node.nvlink, catalog.gpu(node.gpu).nvlink
    assert fabric is not None and port is not None and fabric.links_per_pair is not None
    assert fabric.shape == "mesh"
    assert fabric.links_per_pair * port.GBps_per_link == 100
    assert fabric.links_per_pair * (node.gpus - 1) == port.links


@pytest.mark.parametrize("node", ["hgx-a100-8", "hgx-h100-8"])
def test_hgx_chassis_come_with_eight_empty_slots(catalog: Catalog, node: str) -> None:
    slots = catalog.node(node).slots["compute"]
    assert (slots.count, slots.fitted, slots.nic) == (8, 0, None)


def test_pcie_a100_server_has_two_gpus_and_a_slot_on_each_socket(catalog: Catalog) -> None:
    node = catalog.node("a100-pcie-4")
    assert node.nvlink is None
    assert [(b.socket, b.switch, b.gpus, b.slots["compute"]) for b in node.branches] == [
        (0, False, (0, 1), (0,)),
        (1, False, (2, 3), (1,)),
    ]


@pytest.mark.parametrize(
    ("node", "GBps"), [("dgx-a100", 16), ("hgx-a100-8", 16), ("dgx-h100", 22), ("hgx-h100-8", 22)]
)
def test_sockets_are_joined_as_nccl_assumes(catalog: Catalog, node: str, GBps: int) -> None:
    assert catalog.node(node).inter_socket_GBps == GBps


def test_splitters_end_in_ports_that_exist(catalog: Catalog) -> None:
    halves = {"mcp7h50-h": (2, 100), "mfs1s50-h": (2, 100), "mcp7y00-n": (2, 400)}
    halves |= {"mcp7y10-n": (2, 400), "mcp7y50-n": (4, 200)}
    for part_id, (plugs, speed_gbit) in halves.items():
        cable = catalog[part_id]
        assert isinstance(cable, Cable)
        assert (cable.b.plugs, cable.b.speed_gbit) == (plugs, speed_gbit)


def test_passive_copper_stays_within_three_metres_at_100_gbit_a_lane(catalog: Catalog) -> None:
    cables = [part for part in catalog if isinstance(part, Cable) and part.a.cage == "osfp"]
    assert cables
    assert all(cable.reach_m <= 3 for cable in cables if cable.medium == "dac")


def test_multimode_of_ndr_stays_within_fifty_metres(catalog: Catalog) -> None:
    for part_id in ("mma4z00-ns", "mma4z00-ns400", "mfp7e10", "mfp7e20"):
        part = catalog[part_id]
        assert isinstance(part, Transceiver | Fibre)
        assert part.reach_m == 50


def test_switches_take_finned_modules_and_adapters_flat_ones(catalog: Catalog) -> None:
    sinks = {"mma4z00-ns": "finned", "mms4x00-ns": "finned", "mma4z00-ns400": "flat"}
    for part_id, heat_sink in sinks.items():
        module = catalog[part_id]
        assert isinstance(module, Transceiver)
        assert module.heat_sink == heat_sink
    assert catalog.switch("qm9700").cages.heat_sink == "finned"
    assert catalog.nic("connectx-7-ndr").heat_sink == "flat"
    assert catalog.nic("connectx-7-ndr-dgx").heat_sink == "flat"
