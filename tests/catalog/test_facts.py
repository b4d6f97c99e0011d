"""The parts that come with the program say what their makers publish. Values by hand."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from pydantic import BaseModel

from tests.every import for_every
from toposmith.catalog import (
    Cable,
    Catalog,
    Fibre,
    Nic,
    Node,
    NvlinkSwitch,
    Part,
    Pdu,
    PortMode,
    Rack,
    RackSystem,
    Switch,
    Transceiver,
    check_part,
    load_catalog,
)

CATALOG = load_catalog()
PARTS = [*CATALOG, *CATALOG.facility]


@pytest.fixture
def catalog() -> Catalog:
    return CATALOG


@for_every(PARTS, named=lambda part: part.id)
def test_every_part_passes_its_checks(part: Part) -> None:
    assert check_part(part, CATALOG) == []


@for_every(PARTS, named=lambda part: part.id)
def test_every_part_names_a_source_that_a_stranger_can_look_up(part: Part) -> None:
    citations = [part.source, *part.sources.values()]
    # A bare key such as "RA-H100" would mean nothing to them.
    assert all("." in text or " " in text for text in citations)


@pytest.mark.parametrize(
    ("kinds", "at_least"),
    [
        (("gpu",), 15),
        (("node",), 30),
        (("nic",), 25),
        (("switch",), 40),
        (("cable", "transceiver", "fibre"), 60),
        (("rack",), 5),
        (("pdu",), 3),
        (("storage",), 2),
    ],
)
def test_the_catalog_is_broad(catalog: Catalog, kinds: tuple[str, ...], at_least: int) -> None:
    assert sum(len(catalog.of_kind(kind)) for kind in kinds) >= at_least


def test_every_gpu_but_the_one_sold_as_two_sits_in_some_node(catalog: Catalog) -> None:
    used = {node.gpu for node in catalog if isinstance(node, Node)}
    unused = {gpu.id for gpu in catalog.of_kind("gpu")} - used
    spare_sizes = {"v100-sxm2-16gb", "v100-pcie-32gb", "a100-pcie-40gb", "a800-sxm4-80gb", "l4"}
    assert unused == {"mi250x", *spare_sizes}


def test_names_tell_parts_apart() -> None:
    names = Counter(part.name for part in PARTS)
    assert [name for name, times in names.items() if times > 1] == []


def figures(value: object, path: str) -> list[tuple[str, float]]:
    """Every number in a part with its path."""
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [(path, value)]
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        inner = [(name, getattr(value, name)) for name in fields]
    elif isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, tuple):
        inner = [(str(number), item) for number, item in enumerate(value)]
    else:
        return []
    return [found for name, item in inner for found in figures(item, f"{path}.{name}".strip("."))]


NUMBERED_FROM_ZERO = re.compile(
    r"branches\.\d+\.(socket|gpus|slots)|nvlink\.pairs|slots\.\w+\.(cages|fitted)|spare"
)


@for_every(PARTS, named=lambda part: part.id)
def test_no_figure_is_zero_but_the_power_of_passive_cabling(part: Part) -> None:
    zeros = [
        path
        for path, value in figures(part, "")
        if value == 0 and not NUMBERED_FROM_ZERO.match(path)
    ]
    passive = isinstance(part, Fibre) or (isinstance(part, Cable) and part.medium == "twisted pair")
    assert zeros == (["power_w"] if passive else [])


@pytest.mark.parametrize(
    ("gpu", "links", "one_way_GBps", "sold_as"),
    [
        ("v100-sxm2-16gb", 6, 150, 300),
        ("v100-sxm2-32gb", 6, 150, 300),
        ("a100-sxm4-40gb", 12, 300, 600),
        ("a100-sxm4-80gb", 12, 300, 600),
        ("a100-pcie-40gb", 12, 300, 600),
        ("a100-pcie-80gb", 12, 300, 600),
        ("a800-sxm4-80gb", 8, 200, 400),
        ("h100-pcie", 12, 300, 600),
        ("h100-nvl", 12, 300, 600),
        ("h100-sxm5", 18, 450, 900),
        ("h800-sxm5", 8, 200, 400),
        ("h20-sxm5", 18, 450, 900),
        ("h200-sxm5", 18, 450, 900),
        ("h200-nvl", 18, 450, 900),
        ("gh200-96gb", 18, 450, 900),
        ("b200-sxm", 18, 900, 1800),
        ("b300-sxm", 18, 900, 1800),
        ("gb200", 18, 900, 1800),
        ("gb300", 18, 900, 1800),
        ("rubin", 36, 1800, 3600),
        ("mi250x", 7, 350, 700),
        ("mi300x", 7, 448, 896),
    ],
)
def test_links_between_gpus_are_one_direction(
    catalog: Catalog, gpu: str, links: int, one_way_GBps: int, sold_as: int
) -> None:
    port = catalog.gpu(gpu).nvlink
    assert port is not None
    assert port.links == links
    assert port.GBps == one_way_GBps == sold_as / 2


@pytest.mark.parametrize("gpu", ["t4", "l4", "l40s", "a10g", "rtx-pro-6000-server"])
def test_gpus_for_inference_have_no_nvlink(catalog: Catalog, gpu: str) -> None:
    assert catalog.gpu(gpu).nvlink is None


def test_nvidia_gpus_go_by_compute_capability_and_amd_ones_by_architecture(
    catalog: Catalog,
) -> None:
    capabilities = {"v100-sxm2-32gb": 70, "t4": 75, "a10g": 86, "l40s": 89, "gb200": 100}
    assert {gpu: catalog.gpu(gpu).compute_capability for gpu in capabilities} == capabilities
    architectures = {"mi250x": "gfx90a", "mi300x": "gfx942", "mi355x": "gfx950"}
    assert {gpu: catalog.gpu(gpu).architecture for gpu in architectures} == architectures
    assert all(catalog.gpu(gpu).compute_capability is None for gpu in architectures)


def test_the_two_dies_of_an_mi250x_make_the_whole(catalog: Catalog) -> None:
    whole, die = catalog.gpu("mi250x"), catalog.gpu("mi250x-gcd")
    assert whole.memory_gb == 2 * die.memory_gb == 128
    assert (whole.bf16_dense_tflops, die.bf16_dense_tflops) == (383, 191.5)


@pytest.mark.parametrize(
    ("gpu", "memory_gb", "power_w"),
    [
        ("a100-pcie-40gb", 40, 250),
        ("h100-pcie", 80, 350),
        ("h100-nvl", 94, 400),
        ("h200-nvl", 141, 600),
        ("gb200", 186, 1200),
        ("l40s", 48, 350),
        ("mi300x", 192, 750),
    ],
)
def test_gpus_have_the_memory_and_the_power_of_their_data_sheets(
    catalog: Catalog, gpu: str, memory_gb: int, power_w: int
) -> None:
    part = catalog.gpu(gpu)
    assert (part.memory_gb, part.power_w) == (memory_gb, power_w)


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
        ("connectx-4-edr", 1, 100, "qsfp28", 3),
        ("connectx-5-ex-edr-2p", 2, 100, "qsfp28", 4),
        ("connectx-6-200gbe-2p", 2, 200, "qsfp56", 4),
        ("connectx-8-400-2p", 2, 400, "qsfp112", 6),
        ("connectx-8-xdr", 1, 800, "osfp", 6),
        ("connectx-9-xdr", 1, 800, "osfp", 6),
        ("connectx-9-400-2p", 2, 400, "qsfp112", 6),
        ("bluefield-4-b4240v", 2, 400, "qsfp112", 6),
        ("broadcom-thor-ultra", 1, 800, "osfp", 6),
        ("bluefield-2-hdr100-2p", 2, 100, "qsfp56", 4),
        ("bluefield-3-b3240", 2, 400, "qsfp112", 5),
        ("intel-e810-cqda2", 2, 100, "qsfp28", 4),
        ("amd-pollara-400", 1, 400, "qsfp112", 5),
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


@pytest.mark.parametrize(
    ("nic", "generation", "lanes", "gbit"),
    [
        ("connectx-3-10gbe", 3, 4, 10),
        ("connectx-3-fdr", 3, 8, 56),
        ("connectx-4-lx-25gbe-2p", 3, 8, 25),
        ("connectx-6-hdr100-x8", 4, 8, 100),
        ("connectx-6-hdr-socket-direct", 3, 32, 200),
        ("aws-efa-v2-100g", 4, 8, 100),
    ],
)
def test_nics_in_other_slots_than_x16_say_so(
    catalog: Catalog, nic: str, generation: int, lanes: int, gbit: int
) -> None:
    part = catalog.nic(nic)
    assert (part.pcie.generation, part.pcie.width, part.speed_gbit) == (generation, lanes, gbit)


def test_bluefield_3_has_qsfp112_cages_only(catalog: Catalog) -> None:
    cards = [part for part in catalog if isinstance(part, Nic) and "BlueField-3" in part.name]
    assert len(cards) == 4
    assert {part.cage for part in cards} == {"qsfp112"}


@pytest.mark.parametrize(
    ("nic", "transport"),
    [
        ("connectx-7-ndr", "roce"),
        ("aws-efa-v3-200g", "efa"),
        ("gcp-tcpx-200g", "tcpx"),
        ("gcp-tcpxo-200g", "tcpxo"),
        ("gcp-gvnic-100g", "tcp"),
        ("slingshot-11-cassini", "slingshot"),
        ("intel-e810-cqda2", "roce"),
    ],
)
def test_over_ethernet_collectives_go_by_what_the_nic_offers(
    catalog: Catalog, nic: str, transport: str
) -> None:
    assert catalog.nic(nic).transport("ethernet") == transport


def test_what_a_cloud_provider_plugs_in_is_not_cabled_by_others(catalog: Catalog) -> None:
    virtual = [part for part in catalog if isinstance(part, Nic) and part.cage == "virtual"]
    assert len(virtual) >= 8
    assert {part.vendor for part in virtual} == {"AWS", "Azure", "Google"}
    plugs = [end.cage for part in catalog if isinstance(part, Cable) for end in (part.a, part.b)]
    assert "virtual" not in plugs


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
        ("sb7890", 36, 100, 3_600),
        ("cs8500", 800, 200, 160_000),
        ("sn2100", 16, 100, 1_600),
        ("sn2201", 48, 1, 448),
        ("sn3700c", 32, 100, 3_200),
        ("sn4600", 64, 200, 12_800),
        ("sn5400", 64, 400, 25_600),
        ("sn5610", 64, 800, 51_200),
        ("7060dx5-64s", 64, 400, 25_600),
        ("7060x6-64pe", 64, 800, 51_200),
        ("7280cr3-32d4", 32, 100, 4_800),
        ("n9k-c9336c-fx2", 36, 100, 3_600),
        ("n9k-c9332d-gx2b", 32, 400, 12_800),
        ("n9k-c93600cd-gx", 28, 100, 6_000),
        ("s5232f-on", 32, 100, 3_200),
        ("z9332f-on", 32, 400, 12_800),
        ("z9664f-on", 64, 400, 25_600),
        ("z9864f-on", 64, 800, 51_200),
        ("qfx5220-32cd", 32, 400, 12_800),
        ("qfx5240-64qd", 64, 800, 51_200),
        ("qfx5250-64oe-l", 64, 1600, 102_400),
        ("qfx5140-24cd8o", 24, 400, 16_000),
        ("7060xe7-64ps", 64, 1600, 102_400),
        ("sn3420", 48, 25, 2_400),
        ("as9726-32db", 32, 400, 12_800),
        ("ds4101", 64, 400, 25_600),
        ("ds5000", 64, 800, 51_200),
        ("slingshot-64p", 64, 200, 12_800),
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


def test_a_pipeline_takes_four_ports_a_cage_but_not_eight(catalog: Catalog) -> None:
    # Tomahawk 3: 18 logical ports for each run of four cages
    for part_id in ("z9332f-on", "ds4000"):
        switch = catalog.switch(part_id)
        assert switch.pipelines is not None
        most = switch.pipelines.max_ports / switch.pipelines.cages
        assert switch.mode_for(100) == PortMode(ports=4, speed_gbit=100)
        assert switch.mode_for(50) == PortMode(ports=8, speed_gbit=50)
        assert 4 <= most < 8


@pytest.mark.parametrize(
    ("switch", "speeds"),
    [
        ("sn2700", {100: 1, 50: 2}),
        ("sn3700c", {100: 1, 50: 2, 25: 4}),
        ("sn4600c", {100: 1, 50: 2}),  # no 4 x 25
        # NVIDIA SN5000 user manual: 64 x 400, 128 x 200, 256 x 100/50/25/10
        ("sn5400", {400: 1, 200: 2, 100: 4, 50: 4, 25: 4, 10: 4}),
        # and of the SN5600: 64 x 800, 128 x 400, 256 x 200/100/50/25/10
        ("sn5600", {800: 1, 400: 2, 200: 4, 100: 4, 50: 4, 25: 4, 10: 4}),
        ("z9864f-on", {800: 1, 400: 2, 200: 4, 100: 8, 50: 8}),
        ("n9364e-sg2-o", {800: 1, 400: 2, 100: 8}),
        ("7060dx4-32", {400: 1, 200: 2, 100: 4}),
        ("as7712-32x", {100: 1, 25: 4, 10: 4}),
        ("ds4101", {400: 2, 200: 4, 100: 8}),
        ("ds5000", {800: 1, 400: 2, 200: 4, 100: 8}),
        ("as9716-32d", {400: 1, 200: 2, 100: 4}),
        ("as9817-64d", {800: 1, 400: 2, 200: 4}),
        ("as9817-64o", {800: 1, 400: 2, 200: 4}),
        ("qfx5240-64od", {800: 1, 400: 2, 200: 4}),
        ("qfx5250-64oe-l", {1600: 1, 800: 2, 400: 4, 200: 8, 100: 8}),
        ("qfx5140-24cd8o", {400: 1, 200: 2, 100: 4}),
    ],
)
def test_cages_split_as_published(catalog: Catalog, switch: str, speeds: dict[int, int]) -> None:
    modes = catalog.switch(switch).cages.modes
    assert {mode.speed_gbit: mode.ports for mode in modes} == speeds


@pytest.mark.parametrize(
    ("switch", "chip"),
    [
        ("as9516-32d", "Tofino 2"),
        ("z9432f-on", "Trident 4"),
        ("as9716-32d", "Tomahawk 3"),
        ("7060x6-64pe", "Tomahawk 5"),
        ("slingshot-64p", "Rosetta"),
    ],
)
def test_switches_have_the_chips_that_people_mix_up(
    catalog: Catalog, switch: str, chip: str
) -> None:
    assert catalog.switch(switch).asic == chip


def test_a_management_switch_has_48_gigabit_ports_and_four_uplinks(catalog: Catalog) -> None:
    switch = catalog.switch("sn2201")
    assert (switch.cages.cage, switch.ports, switch.native.speed_gbit) == ("rj45", 48, 1)
    (uplinks,) = switch.more_cages
    assert (uplinks.count, uplinks.cage, uplinks.gbit) == (4, "qsfp28", 400)


def test_sources_that_disagree_are_both_told(catalog: Catalog) -> None:
    assert catalog.switch("sn4600c").conflicts == {
        "rack_units": "the NetBox library says 1",
        "buffer_mb": "64 MB is the nominal figure of the chip",
        "ordering_number": "NVIDIA's list of 2026-10-01 gives 920-9N302-00F7-0C2 for the SN4600",
    }
    assert set(catalog.gpu("b300-sxm").conflicts) == {"pcie", "power_w"}


def test_ethernet_switches_do_not_claim_sharp(catalog: Catalog) -> None:
    switches = [part for part in catalog if isinstance(part, Switch)]
    unlike = [one.id for one in switches if bool(one.sharp) != (one.protocol == "infiniband")]
    assert not unlike, f"sharp: true is for InfiniBand switches, and these alone: {unlike}"


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
    ("node", "nvswitches"),
    [("dgx-2", 12), ("dgx-a100", 6), ("dgx-h100", 4), ("dgx-h200", 4), ("dgx-b200", 2)],
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


def neighbours(node: Node) -> dict[int, dict[int, int]]:
    """For each GPU the others that it is joined to directly, with the number of links."""
    assert node.nvlink is not None
    found: dict[int, dict[int, int]] = {gpu: {} for gpu in range(node.gpus)}
    for a, b, *links in node.nvlink.pairs:
        found[a][b] = found[b][a] = (*links, node.nvlink.links_per_pair or 0)[0]
    return found


@pytest.mark.parametrize("node", ["dgx-1-v100", "p3dn-24xlarge", "nd40rs-v2"])
def test_eight_v100_form_a_hybrid_cube_mesh(catalog: Catalog, node: str) -> None:
    joined = neighbours(catalog.node(node))
    assert joined[0] == {1: 1, 2: 1, 3: 2, 4: 2}  # as the matrix of nvidia-smi prints it
    assert joined[5] == {1: 2, 4: 1, 6: 2, 7: 1}
    assert all(len(others) == 4 and sum(others.values()) == 6 for others in joined.values())
    # Within each half all are joined; one link leads from each GPU to its twin in the other half.
    assert all((a + 4 in joined[a]) and joined[a].keys() >= set(range(4)) - {a} for a in range(4))


def test_a_dgx_1_has_an_edr_nic_beside_each_pair_of_gpus(catalog: Catalog) -> None:
    node = catalog.node("dgx-1-v100")
    assert [shared_with(node, gpu) for gpu in range(8)] == [(gpu // 2,) for gpu in range(8)]
    assert (node.slots["compute"].nic, node.inter_socket_GBps) == ("connectx-4-edr", 6)


def test_any_two_mi300x_of_a_node_have_64_GBps_one_way(catalog: Catalog) -> None:
    for part_id in ("mi300x-8", "xe9680-mi300x", "as-8125gs-tnmr2", "bm-gpu-mi300x-8"):
        node = catalog.node(part_id)
        fabric, port = node.nvlink, catalog.gpu(node.gpu).nvlink
        assert fabric is not None and port is not None and fabric.links_per_pair is not None
        assert (fabric.shape, fabric.pairs) == ("mesh", ())
        assert fabric.links_per_pair * port.GBps_per_link == 64
        assert fabric.links_per_pair * (node.gpus - 1) == port.links


def test_the_dies_of_an_mi250x_are_joined_by_four_links(catalog: Catalog) -> None:
    joined = neighbours(catalog.node("mi250x-8"))
    assert len(joined) == 16
    assert all(joined[die][die ^ 1] == 4 for die in joined)
    assert all(sum(others.values()) == 7 for others in joined.values())


def test_bridges_join_pairs_or_fours_and_nothing_else(catalog: Catalog) -> None:
    pairs = neighbours(catalog.node("a100-pcie-4-bridged"))
    assert pairs == {0: {1: 12}, 1: {0: 12}, 2: {3: 12}, 3: {2: 12}}
    fours = neighbours(catalog.node("h200-nvl-8"))
    assert fours[0] == {1: 6, 2: 6, 3: 6}
    assert fours[5] == {4: 6, 6: 6, 7: 6}


def test_a_tray_of_an_nvl72_is_part_of_a_domain_of_72(catalog: Catalog) -> None:
    for part_id in ("gb200-nvl72-tray", "gb300-nvl72-tray", "a4x-highgpu-4g", "bm-gpu-gb300-4"):
        node = catalog.node(part_id)
        assert node.nvlink is not None
        assert (node.gpus, node.nvlink.domain_gpus, node.cpu_vendor) == (4, 72, "arm")
        assert (node.nvlink.switches, node.nvlink.switch_trays) == (18, 9)
    assert catalog.gpu("gb200").c2c_GBps == 450  # sold as 900


def test_the_links_of_a_vera_rubin_rack_add_up_to_what_nvidia_sells_it_by(catalog: Catalog) -> None:
    # 260 TB/s, both directions, of 72 GPUs; 144 adapters of 800 Gb/s: 1.6 Tb/s a GPU
    rack, tray = catalog["vera-rubin-nvl72"], catalog.node("vera-rubin-nvl72-tray")
    switch, port = catalog["nvlink6-switch-tray"], catalog.gpu(tray.gpu).nvlink
    assert isinstance(rack, RackSystem) and isinstance(switch, NvlinkSwitch)
    assert port is not None and tray.nvlink is not None
    gpus = rack.nodes * tray.gpus
    assert (gpus, tray.nvlink.domain_gpus) == (72, 72)
    assert round(2 * gpus * port.GBps / 1000) == 259
    assert switch.ports * rack.contents[0].count == gpus * port.links == 2592
    compute = tray.slots["compute"]
    assert compute.nic == "connectx-9-xdr"
    assert rack.nodes * compute.fitted == 144
    assert compute.fitted * catalog.nic(compute.nic).speed_gbit == 1600 * tray.gpus


def test_four_gh200_are_meshed_and_each_has_its_nic(catalog: Catalog) -> None:
    node = catalog.node("gh200-quad")
    assert node.nvlink is not None and node.nvlink.links_per_pair == 6
    assert [(b.socket, b.gpus, b.slots["compute"]) for b in node.branches] == [
        (n, (n,), (n,)) for n in range(4)
    ]


@pytest.mark.parametrize(
    ("node", "gpu", "devices", "gbit_each", "gbit_all"),
    [
        ("p3dn-24xlarge", "v100-sxm2-32gb", 1, 100, 100),
        ("p4d-24xlarge", "a100-sxm4-40gb", 4, 100, 400),
        ("p4de-24xlarge", "a100-sxm4-80gb", 4, 100, 400),
        ("p5-48xlarge", "h100-sxm5", 32, 100, 3200),
        ("p5e-48xlarge", "h200-sxm5", 32, 100, 3200),
        ("p5en-48xlarge", "h200-sxm5", 16, 200, 3200),
        ("p6-b200-48xlarge", "b200-sxm", 8, 400, 3200),
        ("p6-b300-48xlarge", "b300-sxm", 16, 400, 6400),
        ("g5-48xlarge", "a10g", 1, 100, 100),
        ("g4dn-8xlarge", "t4", 1, 50, 50),
        ("nd40rs-v2", "v100-sxm2-32gb", 1, 100, 100),
        ("nd96asr-v4", "a100-sxm4-40gb", 8, 200, 1600),
        ("nd96isr-h100-v5", "h100-sxm5", 8, 400, 3200),
        ("nc96ads-a100-v4", "a100-pcie-80gb", 1, 100, 100),
        ("a2-highgpu-8g", "a100-sxm4-40gb", 1, 100, 100),
        ("a3-highgpu-8g", "h100-sxm5", 4, 200, 800),
        ("a3-megagpu-8g", "h100-sxm5", 8, 200, 1600),
        ("a3-ultragpu-8g", "h200-sxm5", 8, 400, 3200),
        ("a4-highgpu-8g", "b200-sxm", 8, 400, 3200),
        ("bm-gpu4-8", "a100-sxm4-40gb", 8, 100, 1600),  # two ports each
        ("bm-gpu-h100-8", "h100-sxm5", 8, 200, 3200),  # two ports each
        ("bm-gpu-b300-8", "b300-sxm", 8, 400, 6400),  # two ports each
        ("bm-gpu-mi300x-8", "mi300x", 8, 400, 3200),
        ("bm-gpu-gb300-4", "gb300", 4, 400, 3200),  # two ports each
    ],
)
def test_cloud_shapes_have_the_network_that_their_providers_say(
    catalog: Catalog, node: str, gpu: str, devices: int, gbit_each: int, gbit_all: int
) -> None:
    part = catalog.node(node)
    slots = part.slots["compute"]
    assert slots.nic is not None
    nic = catalog.nic(slots.nic)
    assert (part.gpu, slots.fitted, nic.speed_gbit) == (gpu, devices, gbit_each)
    assert slots.fitted * nic.ports * nic.speed_gbit == gbit_all


@pytest.mark.parametrize(
    ("node", "beside_gpu_0", "beside_gpu_5"),
    [
        ("p4d-24xlarge", (0,), (2,)),
        ("p5-48xlarge", (0, 1, 2, 3), (20, 21, 22, 23)),
        ("p5en-48xlarge", (0, 1, 2, 3), (8, 9, 10, 11)),
        ("nd96asr-v4", (0, 1), (4, 5)),
        ("nd96isr-h100-v5", (0,), (5,)),
        ("bm-gpu4-8", (0, 1), (4, 5)),
        ("bm-gpu-h100-8", (0,), (5,)),
        ("g5-48xlarge", (), ()),
        ("mi300x-8", (0,), (5,)),
        ("mi250x-8", (0,), (2,)),
    ],
)
def test_nics_sit_beside_the_gpus_that_topology_files_say(
    catalog: Catalog, node: str, beside_gpu_0: tuple[int, ...], beside_gpu_5: tuple[int, ...]
) -> None:
    part = catalog.node(node)
    assert (shared_with(part, 0), shared_with(part, 5)) == (beside_gpu_0, beside_gpu_5)


def test_the_p4d_has_pcie_3_as_its_topology_file_says(catalog: Catalog) -> None:
    node = catalog.node("p4d-24xlarge")
    assert node.gpu_pcie is not None
    assert (node.gpu_pcie.generation, node.slots["compute"].pcie.generation) == (3, 3)


@pytest.mark.parametrize("node", ["hgx-a100-8", "hgx-h100-8", "hgx-h200-8", "hgx-b200-8"])
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
    ("node", "GBps"),
    [
        ("dgx-a100", 16), ("hgx-a100-8", 16), ("dgx-h100", 22), ("hgx-h100-8", 22),
        ("dgx-1-v100", 6), ("dgx-2", 10), ("p4d-24xlarge", 10), ("gh200-quad", 6),
    ],
)  # fmt: skip
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
    cables = [cable for cable in cables if cable.a.speed_gbit <= 800]
    passive = [cable for cable in cables if cable.medium == "dac"]
    active = [cable for cable in cables if cable.medium == "acc"]
    assert len(passive) >= 5 and len(active) >= 5
    assert max(cable.reach_m for cable in passive) == 3
    assert {cable.reach_m for cable in active} == {5}


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


def test_hdr_adapters_reach_ndr_switches_over_splitters_of_two(catalog: Catalog) -> None:
    cable = catalog["mcp7y60-h"]
    assert isinstance(cable, Cable)
    assert (cable.a.cage, cable.a.speed_gbit) == ("osfp", 400)
    assert (cable.b.cage, cable.b.plugs, cable.b.speed_gbit) == ("qsfp56", 2, 200)
    assert cable.lengths_m == (1, 1.5, 2)


@pytest.mark.parametrize(
    ("module", "connector", "reach_m"),
    [
        ("sr4-100g-qsfp28", "MPO-12", 100),
        ("psm4-100g-qsfp28", "MPO-12/APC", 500),
        ("cwdm4-100g-qsfp28", "LC duplex", 2000),
        ("lr4-100g-qsfp28", "LC duplex", 10_000),
        ("mma4z00-ns", "MPO-12/APC", 50),
        ("mms4x50-nm", "LC duplex", 2000),
        ("fr4-400g-qsfp-dd", "LC duplex", 2000),
    ],
)
def test_modules_take_the_fibre_of_their_kind(
    catalog: Catalog, module: str, connector: str, reach_m: int
) -> None:
    part = catalog[module]
    assert isinstance(part, Transceiver)
    assert (part.connector, part.reach_m) == (connector, reach_m)


def test_there_is_a_fibre_for_every_module(catalog: Catalog) -> None:
    fibres = {
        (part.fibre, part.connector): part.reach_m
        for part in sorted(catalog.of_kind("fibre"), key=lambda part: part.reach_m)  # type: ignore[union-attr]
        if isinstance(part, Fibre) and part.ends_b == 1
    }
    for module in catalog:
        if isinstance(module, Transceiver):
            assert module.connector is not None, module.id
            assert fibres[module.fibre, module.connector] >= module.reach_m, module.id


def test_racks_have_the_measures_of_their_makers(catalog: Catalog) -> None:
    rack, tall = catalog["apc-ar3300"], catalog["apc-ar3357"]
    assert isinstance(rack, Rack) and isinstance(tall, Rack)
    assert (rack.units, rack.width_mm, rack.depth_mm, rack.max_load_kg) == (42, 600, 1200, 1701)
    assert tall.units == 48


def test_power_distribution_delivers_what_its_inlet_takes(catalog: Catalog) -> None:
    small, large = catalog["apc-ap8858"], catalog["apc-ap8886"]
    assert isinstance(small, Pdu) and isinstance(large, Pdu)
    assert small.rating_w == 16 * 230
    assert small.outlets == {"C13": 18, "C19": 2}
    assert (large.phases, large.rating_w) == (3, 22_000)


def test_ratings_of_power_supplies_are_no_draw(catalog: Catalog) -> None:
    switch = catalog.switch("q3400-ra")
    assert switch.power_supplies is not None
    assert (switch.power_supplies.count, switch.power_supplies.rating_w) == (8, 875)
    assert switch.power_w is None
    node = catalog.node("dgx-b200")
    assert node.power_supplies is not None
    assert (node.power_supplies.rating_w, node.power_supplies.spare) == (3300, 1)
    assert node.power_w == 14_300
