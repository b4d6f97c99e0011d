"""What is shown of a part."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from tests.every import for_every
from toposmith.catalog import Catalog, Pcie, load_catalog, one_line, part_card
from toposmith.catalog.part_text import rate_name

CATALOG = load_catalog()


def card(part_id: str, catalog: Catalog = CATALOG) -> dict[str, tuple[str, str]]:
    return {label: (value, mark) for label, value, mark in part_card(CATALOG[part_id], catalog)}


@pytest.mark.parametrize(
    ("part_id", "line"),
    [
        ("qm9700", "64 x 400 Gb/s, OSFP"),
        ("connectx-6-hdr", "1 x 200 Gb/s, QSFP56, PCIe 4"),
        ("dgx-a100", "8 x A100 SXM4 80GB, 8 x HDR"),
        ("hgx-h100-8", "8 x H100 SXM5 80GB, 8 open NIC slots"),
        ("h100-sxm5", "80 GB, NVLink 4, 18 x 25 = 450 GB/s"),
        ("mcp7h50-h", "QSFP56 200 Gb/s to 2 x QSFP56 100 Gb/s, DAC to 2 m"),
        ("mma4z00-ns", "2 x 400 Gb/s, OSFP, multimode to 50 m"),
        (
            "mfp7e20",
            "1 to 2, MPO-12/APC, 12 fibres, polarity B, female to female, OM3 to 30 m, "
            "OM4 to 50 m, multimode to 50 m",
        ),
        ("mi300x", "192 GB, xGMI 4, 7 x 64 = 448 GB/s"),
        ("l40s", "48 GB, no NVLink"),
        ("aws-efa-v3-200g", "1 x 200 Gb/s, provider's own, PCIe 5"),
        ("p5-48xlarge", "8 x H100 SXM5 80GB, 32 x EFA 100G"),
        ("gh200-quad", "4 x GH200 96GB, 4 x Slingshot 200G"),
        ("a3-highgpu-8g", "8 x H100 SXM5 80GB, 4 x TCPX 200G"),
        ("apc-ar3300", "42 U, 1,701 kg"),
        ("legrand-nvidpd13", "unknown U, unknown kg"),
        ("apc-ap8858", "3,680 W, 18 x C13, 2 x C19"),
        ("ddn-ai400x2", "reads 90, writes 65 GB/s, 8 x HDR"),
        ("storage-server-2u", "reads unknown, writes unknown GB/s, 2 open NIC slots"),
    ],
)
def test_one_line_says_what_a_part_is(part_id: str, line: str) -> None:
    assert one_line(CATALOG[part_id], CATALOG) == line


def test_one_line_without_a_catalog_names_ids() -> None:
    assert one_line(CATALOG["dgx-a100"]) == "8 x a100-sxm4-80gb, 8 x connectx-6-hdr"


@pytest.mark.parametrize(
    ("nic", "rate"),
    [
        ("connectx-5-edr", "EDR"),
        ("connectx-6-hdr", "HDR"),
        ("connectx-6-hdr100", "HDR100"),
        ("connectx-7-ndr", "NDR"),
        ("connectx-7-ndr200", "NDR200"),
        ("connectx-6-200gbe", "200GbE"),
        ("connectx-3-fdr", "FDR"),
        ("connectx-8-xdr", "XDR"),
        ("bluefield-2-hdr100-2p", "HDR100"),
        ("connectx-3-10gbe", "10GbE"),
        ("aws-efa-v1-100g", "EFA 100G"),
    ],
)
def test_rates_have_the_names_of_the_field(nic: str, rate: str) -> None:
    assert rate_name(CATALOG.nic(nic)) == rate


@pytest.mark.parametrize(
    ("part_id", "label", "value", "mark"),
    [
        ("sn3700", "Power, W", "unknown", ""),
        ("q3400-ra", "Typical power, W", "2,900", "unverified: *"),
        ("connectx-3-fdr", "Ports", "1", "unverified"),
        ("dgx-h100", "Between sockets, GB/s", "22", "NCCL src/graph/topo.h*"),
        # a doubt about a slot group shows at that group only
        ("dgx-h100", "NIC slots, storage", "*", "unverified"),
        ("dgx-h100", "NIC slots, compute", "*", ""),
        # which NICs share a cage, by NVIDIA's manual
        ("dgx-h100", "Cages, compute", "OSFP1 = 7,4; OSFP2 = 6,5*", "*"),
        (
            "connectx-6-hdr-2p",
            "Mind",
            "pcie: 2 ports of 200 Gb/s share 252 Gb/s of PCIe 4 x16",
            "*",
        ),
        # of an AMD GPU
        ("mi300x", "Architecture", "gfx942", "*"),
        ("mi300x", "xGMI, one direction", "xGMI 4, 7 x 64 = 448 GB/s", "*"),
        ("mi300x-8", "xGMI", "full mesh, 1 link a pair", "*"),
        # how the GPUs of a node are joined
        ("dgx-1-v100", "NVLink", "mesh, 0-1 x 1, 0-2 x 1, 0-3 x 2, 0-4 x 2,*", "*"),
        ("gb200-nvl72-tray", "NVLink", "18 NVSwitches, 72 GPUs in the rack", "*"),
        ("h200-nvl-8", "NVLink", "bridges 0-1, 0-2,*", "*"),
        ("p5-48xlarge", "PCIe branch", "socket 1 switch on PCIe 4 x16: GPU 7*", "*"),
        ("p4d-24xlarge", "GPU slots", "PCIe 3 x16", "*"),
        ("gh200-quad", "CPU vendor", "Arm", "*"),
        # limits of a switch, and supplies
        ("z9332f-on", "Logical ports at most", "18 of each 4 cages", "*"),
        ("z9332f-on", "Switch chip", "Tomahawk 3", "*"),
        ("z9332f-on", "Shared buffer, MB", "66.4", "*"),
        ("sn2201", "Other cages, Gb/s", "4 x QSFP28, each 1 x 100, 2 x 50", "*"),
        ("q3400-ra", "Power supplies", "8 x 875 W", "*"),
        ("dgx-b200", "Power supplies", "6 x 3,300 W, 1 spare", "*"),
        ("aws-efa-v2-100g", "Collectives use", "EFA, TCP", "*"),
        ("connectx-7-ndr", "Collectives use", "InfiniBand, RoCE", "*"),
    ],
)
def test_a_card_says_a_figure_and_how_far_it_is_known(
    part_id: str, label: str, value: str, mark: str
) -> None:
    found = card(part_id)[label]
    assert fnmatchcase(found[0], value) and fnmatchcase(found[1], mark), found


@pytest.mark.parametrize(
    ("part_id", "label"), [("connectx-6-hdr", "Mind"), ("mi300x", "Compute capability")]
)
def test_a_card_has_no_line_for_what_a_part_does_not_have(part_id: str, label: str) -> None:
    assert label not in card(part_id)


def test_a_card_stays_readable_when_the_gpu_is_not_in_the_catalog() -> None:
    assert card("dgx-h100", Catalog([]))["GPUs"][0] == "8 x h100-sxm5"


def test_a_card_says_what_other_sources_print() -> None:
    rows = part_card(CATALOG["b300-sxm"], CATALOG)
    disagree = [value for label, value, _ in rows if label == "Disagrees"]
    assert disagree == [
        "pcie: the same book also says PCIe 5",
        "power_w: huggingface.co/hardware/b300 prints 1,400 W",
    ]


def test_a_card_of_a_node_shows_what_is_on_slower_links() -> None:
    node, narrow = CATALOG.node("dgx-a100"), Pcie(generation=4, width=8)
    compute = node.slots["compute"].model_copy(update={"links": {6: narrow, 3: narrow}})
    below = node.branches[1].model_copy(update={"below": 0})
    part = node.model_copy(
        update={
            "gpu_links": {5: narrow},
            "slots": {**node.slots, "compute": compute},
            "branches": (node.branches[0], below, *node.branches[2:]),
        }
    )
    rows = part_card(part, CATALOG)
    shown = {label: value for label, value, _ in rows}
    assert shown["GPUs on slower links"] == "5 on PCIe 4 x8"
    assert shown["Slower slots, compute"] == "3 on PCIe 4 x8, 6 on PCIe 4 x8"
    branches = [value for label, value, _ in rows if label == "PCIe branch"]
    assert branches[1].startswith("socket 0 switch below branch 0: GPU 2,3")
    assert ("Mind", "gpu_links: GPU 5 gets no more than the 126 Gb/s of PCIe 4 x8", "") in rows


def test_a_gpu_of_unknown_memory_says_so() -> None:
    gpu = CATALOG.gpu("h100-sxm5").model_copy(update={"memory_gb": None})
    assert one_line(gpu).startswith("memory unknown, NVLink 4")
    assert dict(row[:2] for row in part_card(gpu, CATALOG))["Memory, GB"] == "unknown"


def test_a_cage_that_nobody_has_looked_at_is_unknown() -> None:
    nic = CATALOG.nic("connectx-7-ndr").model_copy(update={"cage": "unknown", "heat_sink": None})
    assert dict(row[:2] for row in part_card(nic, CATALOG))["Cage"] == "unknown"
    assert one_line(nic) == "1 x 400 Gb/s, unknown cage, PCIe 5"


@for_every([*CATALOG, *CATALOG.facility], named=lambda part: part.id)
def test_every_card_is_plain_text_and_ends_in_its_source(part: object) -> None:
    rows = part_card(part, CATALOG)  # type: ignore[arg-type]
    assert all(isinstance(text, str) for row in rows for text in row)
    assert all(label and value and "None" not in value for label, value, _ in rows)
    assert rows[-1][0] in {"Source", "Note"}
