"""The parts that come with the program say what their makers publish. Values by hand."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from tests.catalog.values import value_at
from tests.every import for_every
from toposmith.catalog import (
    Cable,
    Catalog,
    Fibre,
    Nic,
    Node,
    NvlinkSwitch,
    Part,
    PortMode,
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


FACTS = yaml.safe_load(Path(__file__).with_name("facts.yaml").read_text(encoding="utf-8"))


@for_every(FACTS, named=lambda fact: fact["part"])
def test_a_part_says_what_its_maker_publishes(fact: dict[str, Any]) -> None:
    part = CATALOG[fact["part"]]
    published = {place: value for place, value in fact.items() if place != "part"}
    assert {place: value_at(part, place) for place in published} == published


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


def radix_at(switch: Switch, speed_gbit: int) -> int:
    mode = switch.mode_for(speed_gbit)
    return switch.cages.count * mode.ports if mode else 0


@pytest.mark.parametrize(
    ("switch", "radix"),
    [
        ("qm9700", {400: 64, 200: 128}),
        ("qm8700", {200: 40, 100: 80}),
        ("sn5600", {800: 64, 400: 128, 200: 256}),
    ],
)
def test_a_switch_has_so_many_ports_of_each_speed(
    catalog: Catalog, switch: str, radix: dict[int, int]
) -> None:
    assert {speed: radix_at(catalog.switch(switch), speed) for speed in radix} == radix


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


def test_ethernet_switches_do_not_claim_sharp(catalog: Catalog) -> None:
    switches = [part for part in catalog if isinstance(part, Switch)]
    unlike = [one.id for one in switches if bool(one.sharp) != (one.protocol == "infiniband")]
    assert not unlike, f"sharp: true is for InfiniBand switches, and these alone: {unlike}"


def shared_with(node: Node, gpu: int) -> tuple[int, ...]:
    """Compute slots on the PCIe switch of a GPU."""
    branch = next(branch for branch in node.branches if gpu in branch.gpus)
    return branch.slots.get("compute", ()) if branch.switch else ()


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
    ("node", "beside"),
    [
        ("dgx-a100", {0: (0, 1), 1: (0, 1), 6: (6, 7), 7: (6, 7)}),
        ("dgx-h100", {gpu: (gpu,) for gpu in range(8)}),
        ("dgx-1-v100", {gpu: (gpu // 2,) for gpu in range(8)}),
        ("p4d-24xlarge", {0: (0,), 5: (2,)}),
        ("p5-48xlarge", {0: (0, 1, 2, 3), 5: (20, 21, 22, 23)}),
        ("p5en-48xlarge", {0: (0, 1, 2, 3), 5: (8, 9, 10, 11)}),
        ("nd96asr-v4", {0: (0, 1), 5: (4, 5)}),
        ("nd96isr-h100-v5", {0: (0,), 5: (5,)}),
        ("bm-gpu4-8", {0: (0, 1), 5: (4, 5)}),
        ("bm-gpu-h100-8", {0: (0,), 5: (5,)}),
        ("g5-48xlarge", {0: (), 5: ()}),
        ("mi300x-8", {0: (0,), 5: (5,)}),
        ("mi250x-8", {0: (0,), 5: (2,)}),
    ],
)
def test_nics_sit_beside_the_gpus_that_topology_files_say(
    catalog: Catalog, node: str, beside: dict[int, tuple[int, ...]]
) -> None:
    part = catalog.node(node)
    assert {gpu: shared_with(part, gpu) for gpu in beside} == beside


def test_passive_copper_stays_within_three_metres_at_100_gbit_a_lane(catalog: Catalog) -> None:
    cables = [part for part in catalog if isinstance(part, Cable) and part.a.cage == "osfp"]
    cables = [cable for cable in cables if cable.a.speed_gbit <= 800]
    passive = [cable for cable in cables if cable.medium == "dac"]
    active = [cable for cable in cables if cable.medium == "acc"]
    assert len(passive) >= 5 and len(active) >= 5
    assert max(cable.reach_m for cable in passive) == 3
    assert {cable.reach_m for cable in active} == {5}


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
