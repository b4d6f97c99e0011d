"""What is shown of a part."""

from __future__ import annotations

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
        ("mfp7e20", "1 to 2, MPO-12/APC, multimode to 50 m"),
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


def test_a_figure_that_is_not_in_the_catalog_shows_as_unknown() -> None:
    assert card("sn3700")["Power, W"] == ("unknown", "")


def test_a_doubtful_figure_is_marked() -> None:
    value, mark = card("q3400-ra")["Typical power, W"]
    assert value == "2,900"
    assert mark.startswith("unverified: ")
    assert card("connectx-3-fdr")["Ports"] == ("1", "unverified")


def test_a_figure_with_a_source_of_its_own_names_it() -> None:
    value, mark = card("dgx-h100")["Between sockets, GB/s"]
    assert value == "22"
    assert mark.startswith("NCCL src/graph/topo.h")


def test_a_doubt_about_a_slot_group_shows_at_that_group_only() -> None:
    rows = card("dgx-h100")
    assert rows["NIC slots, storage"][1] == "unverified"
    assert rows["NIC slots, compute"][1] == ""


def test_a_card_of_a_dgx_h100_tells_which_nics_share_a_cage() -> None:
    assert card("dgx-h100")["Cages, compute"][0].startswith("OSFP1 = 7,4; OSFP2 = 6,5")


def test_a_card_stays_readable_when_the_gpu_is_not_in_the_catalog() -> None:
    assert card("dgx-h100", Catalog([]))["GPUs"][0] == "8 x h100-sxm5"


def test_a_card_says_what_other_sources_print() -> None:
    rows = part_card(CATALOG["b300-sxm"], CATALOG)
    disagree = [value for label, value, _ in rows if label == "Disagrees"]
    assert disagree == [
        "pcie: the same book also says PCIe 5",
        "power_w: huggingface.co/hardware/b300 prints 1,400 W",
    ]


def test_a_card_says_what_to_mind() -> None:
    assert card("connectx-6-hdr-2p")["Mind"][0] == (
        "pcie: 2 ports of 200 Gb/s share 252 Gb/s of PCIe 4 x16"
    )
    assert "Mind" not in card("connectx-6-hdr")


def test_a_card_of_an_amd_gpu_speaks_of_xgmi_and_its_architecture() -> None:
    rows = card("mi300x")
    assert rows["Architecture"][0] == "gfx942"
    assert rows["xGMI, one direction"][0] == "xGMI 4, 7 x 64 = 448 GB/s"
    assert "Compute capability" not in rows
    assert card("mi300x-8")["xGMI"][0] == "full mesh, 1 link a pair"


def test_a_card_of_a_node_says_how_its_gpus_are_joined() -> None:
    assert card("dgx-1-v100")["NVLink"][0].startswith("mesh, 0-1 x 1, 0-2 x 1, 0-3 x 2, 0-4 x 2,")
    assert card("gb200-nvl72-tray")["NVLink"][0] == "18 NVSwitches, 72 GPUs in the rack"
    assert card("h200-nvl-8")["NVLink"][0].startswith("bridges 0-1, 0-2,")
    assert card("p5-48xlarge")["PCIe branch"][0].startswith("socket 1 switch on PCIe 4 x16: GPU 7")
    assert card("p4d-24xlarge")["GPU slots"][0] == "PCIe 3 x16"
    assert card("gh200-quad")["CPU vendor"][0] == "Arm"


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


def test_a_card_of_a_switch_shows_its_limits() -> None:
    rows = card("z9332f-on")
    assert rows["Logical ports at most"][0] == "18 of each 4 cages"
    assert rows["Switch chip"][0] == "Tomahawk 3"
    assert rows["Shared buffer, MB"][0] == "66.4"
    assert card("sn2201")["Other cages, Gb/s"][0] == "4 x QSFP28, each 1 x 100, 2 x 50"
    assert card("q3400-ra")["Power supplies"][0] == "8 x 875 W"
    assert card("dgx-b200")["Power supplies"][0] == "6 x 3,300 W, 1 spare"


def test_a_card_of_a_nic_says_what_collectives_use() -> None:
    assert card("aws-efa-v2-100g")["Collectives use"][0] == "EFA, TCP"
    assert card("connectx-7-ndr")["Collectives use"][0] == "InfiniBand, RoCE"


@for_every([*CATALOG, *CATALOG.facility], named=lambda part: part.id)
def test_every_card_is_plain_text_and_ends_in_its_source(part: object) -> None:
    rows = part_card(part, CATALOG)  # type: ignore[arg-type]
    assert all(isinstance(text, str) for row in rows for text in row)
    assert all(label and value and "None" not in value for label, value, _ in rows)
    assert rows[-1][0] in {"Source", "Note"}
